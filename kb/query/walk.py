"""What stands at a node, and how one node leads to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.store import Store
from graphs.walk import closure, paths
from kb.query.table import Table, Tabular, row


@dataclass(frozen=True, slots=True)
class Refs(Tabular):
    """A node, its edges, and the nodes at their other ends, by id."""

    node: Node
    edges: tuple[Edge, ...]
    nodes: Mapping[str, Node]

    def table(self) -> Table:
        """A row an edge, with the words that it rests on and where they stand."""
        return Table(
            tuple(
                row(kind=edge.kind, source=edge.source, target=edge.target or edge.target_label,
                    status=edge.status, words=edge.evidence.text, passage=edge.evidence.passage,
                    notice=self.nodes[edge.source].notice if edge.source in self.nodes else None)
                for edge in self.edges
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho refs --json` prints it."""
        return {"node": self.node.as_json(), "edges": [edge.as_json() for edge in self.edges]}


@dataclass(frozen=True, slots=True)
class Paths:
    """Ways from one node to another: node, edge, node, … the shortest first."""

    paths: tuple[tuple[Node | Edge, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho path --json` prints it."""
        return {"paths": [[step.as_json() for step in path] for path in self.paths]}


def refs(store: Store, node: Node, direction: str, kinds: tuple[str, ...], depth: int) -> Refs:
    """The edges at a node; a page's or section's are those of all that it consists of."""
    if node.kind in {"page", "section"}:
        edges = _of_page(store, node, direction, kinds)
    else:
        edges = closure(store, node.id, depth, direction, kinds)
    ends = {end for edge in edges for end in (edge.source, edge.target) if end}
    return Refs(node, tuple(edges), store.get(ends))


def _of_page(store: Store, node: Node, direction: str, kinds: tuple[str, ...]) -> list[Edge]:
    """The edges of all that a page consists of, its own structure left out unless asked for."""
    inside, spoken_for = store.inside(node.id)
    within = set(inside)
    return [
        edge
        for edge in store.edges([*inside, *spoken_for], direction, kinds)
        if (edge.kind != "part_of" or "part_of" in kinds)
        and (edge.evidence.passage in within or edge.target in within)
    ]


def between(store: Store, starts: list[Node], ends: list[Node], most: int) -> Paths:
    """The shortest ways from any of some nodes to any of others."""
    found = paths(store, [node.id for node in starts], [node.id for node in ends], most)
    return Paths(tuple(tuple(way) for way in found))
