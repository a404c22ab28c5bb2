"""Finds the cheapest paths between two nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.path_search import paths
from graphs.store.reader import Store
from kb.query.graph_result import GraphResult


@dataclass(frozen=True, slots=True)
class Paths(GraphResult):
    """Paths between two nodes, cheapest first.

    paths: each path as node, edge, node, …, node.
    costs: the cost of each path, in the same order.
    """

    paths: tuple[tuple[Node | Edge, ...], ...]
    costs: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho path --json` prints: `paths` and `costs`.

        `paths` is a list of lists of nodes and edges in turn, as in their `as_json`; `costs` has
        the cost of each.
        """
        return {
            "paths": [[step.as_json() for step in path] for path in self.paths],
            "costs": list(self.costs),
        }

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        steps = [step for path in self.paths for step in path]
        nodes = [step for step in steps if isinstance(step, Node)]
        return nodes, [step for step in steps if isinstance(step, Edge)]

    def _columns(self) -> Mapping[str, int]:
        """Return {id of a node: its column, from 0}: its rightmost position in any path, counted in
        nodes, and for the ends the last column.

        Objects in a path that are no `Node` have no column. Without paths the result is empty.
        """
        columns: dict[str, int] = {}
        for path in self.paths:
            for position, node in enumerate(path[::2]):
                if isinstance(node, Node):
                    columns[node.id] = max(position, columns.get(node.id, 0))
        last = max(columns.values(), default=0)
        return columns | {path[-1].id: last for path in self.paths if isinstance(path[-1], Node)}


def path(store: Store, starts: list[Node], ends: list[Node], most: int) -> Paths:
    """Return at most `most` paths from any of some nodes to any of others, cheapest first.

    starts, ends: the nodes at which a path may begin, and at which it may end.

    Edges are followed in both directions. Paths that cost much more than the cheapest are left
    out; there are none if no path was found.
    """
    found = paths(store, [node.id for node in starts], [node.id for node in ends], most)
    return Paths(tuple(tuple(steps) for _, steps in found), tuple(cost for cost, _ in found))
