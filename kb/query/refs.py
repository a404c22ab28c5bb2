"""The edges at a node, and further out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.store.reader import Store
from graphs.walk import closure
from kb.query.graph_result import GraphResult
from kb.query.table_result import Table, TableResult, table_row


@dataclass(frozen=True, slots=True)
class Refs(TableResult, GraphResult):
    """A node, its edges, how many steps away each is, and the nodes at their ends, by id. `parts`
    are the edges by which what was taken together is one: sub-rules, a page's passages."""

    node: Node
    edges: tuple[Edge, ...]
    depths: tuple[int, ...]
    nodes: Mapping[str, Node]
    parts: tuple[Edge, ...] = ()

    def table(self) -> Table:
        """A row an edge, with the words that it rests on and where they stand."""
        several = len(set(self.depths)) > 1
        return Table(
            tuple(
                table_row(
                    depth=depth if several else None,
                    kind=edge.kind,
                    source=edge.source,
                    target=edge.target or edge.target_label,
                    status=edge.status,
                    words=edge.evidence.text,
                    passage=edge.evidence.passage,
                    notice=self.nodes[edge.source].notice if edge.source in self.nodes else None,
                )
                for edge, depth in zip(self.edges, self.depths, strict=True)
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho refs --json` prints it."""
        return {
            "node": self.node.as_json(),
            "edges": [edge.as_json() for edge in self.edges],
            "depths": list(self.depths),
        }

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        return [self.node, *self.nodes.values()], (*self.edges, *self.parts)


def refs(
    store: Store, node: Node, direction: str, kinds: tuple[str, ...], depth: int, with_parts: bool
) -> Refs:
    """The edges at a node; a page's or section's are those of all that it consists of."""
    if node.kind in {"page", "section"}:
        rings = [_of_page(store, node, direction, kinds)]
    else:
        rings = list(closure(store, node.id, depth, direction, kinds, with_parts))
    edges = tuple(edge for ring in rings for edge in ring)
    depths = tuple(place for place, ring in enumerate(rings, 1) for _ in ring)
    ends = {end for edge in edges for end in (edge.source, edge.target) if end}
    parts: tuple[Edge, ...] = ()
    if with_parts or node.kind in {"page", "section"}:
        passages = {edge.evidence.passage for edge in edges} - ends
        quoting = [edge for edge in store.edges(passages, "out", ["quotes"]) if edge.target in ends]
        parts = (*_joining(store, {node.id, *ends, *passages}), *quoting)
    ends |= {end for edge in parts for end in (edge.source, edge.target) if end}
    return Refs(node, edges, depths, store.get(ends), parts)


def _joining(store: Store, nodes: set[str]) -> Iterator[Edge]:
    """The edges by which some nodes are part of others of them, over what is between them."""
    above: dict[str, Edge] = {}
    ring = nodes
    while ring:
        found = store.edges(ring, "out", ["part_of"])
        above |= {edge.source: edge for edge in reversed(found)}
        ring = {edge.target for edge in found if edge.target} - above.keys()
    joined: dict[Edge, None] = {}
    for node in sorted(nodes):
        way: list[Edge] = []
        while (edge := above.get(node)) and edge.target and edge not in way:
            way.append(edge)
            node = edge.target
            if node in nodes:
                joined |= dict.fromkeys(way)
                break
    return iter(joined)


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
