"""How one node leads to another: the paths that cost least."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.paths import paths
from graphs.store.reader import Store
from kb.query.graph_result import GraphResult


@dataclass(frozen=True, slots=True)
class Paths(GraphResult):
    """Ways from one node to another: node, edge, node, … and what each costs, the least first."""

    paths: tuple[tuple[Node | Edge, ...], ...]
    costs: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho path --json` prints it."""
        return {
            "paths": [[step.as_json() for step in path] for path in self.paths],
            "costs": list(self.costs),
        }

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        steps = [step for way in self.paths for step in way]
        nodes = [step for step in steps if isinstance(step, Node)]
        return nodes, [step for step in steps if isinstance(step, Edge)]

    def _columns(self) -> Mapping[str, int]:
        """Each node as far to the right as it stands in any way, the ends behind all others."""
        columns: dict[str, int] = {}
        for way in self.paths:
            for place, node in enumerate(way[::2]):
                if isinstance(node, Node):
                    columns[node.id] = max(place, columns.get(node.id, 0))
        last = max(columns.values(), default=0)
        return columns | {way[-1].id: last for way in self.paths if isinstance(way[-1], Node)}


def path(store: Store, starts: list[Node], ends: list[Node], most: int) -> Paths:
    """The ways that cost least, from any of some nodes to any of others."""
    found = paths(store, [node.id for node in starts], [node.id for node in ends], most)
    return Paths(tuple(tuple(way) for _, way in found), tuple(cost for cost, _ in found))
