"""Breadth-first search from some nodes: the edges within a number of steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from graphs.model import Edge
from graphs.store.bounded_edges import BoundedEdges
from graphs.store.reader import Store


class Ring(NamedTuple):
    """The edges that are a number of steps away, and the ids of the nodes at which they are: those
    that were reached one step before."""

    nodes: Collection[str]
    edges: list[Edge]


def closure(
    store: Store | BoundedEdges,
    starts: Iterable[str],
    depth: int,
    direction: str = "both",
    kinds: Iterable[str] = (),
    with_parts: bool = False,
) -> Iterator[Ring]:
    """Yield the edges at some nodes, then those one step further out, and so on: `depth` rings.

    Each edge is in one ring, the first possible. Rings may have no edges; none has any if none of
    the nodes is in the graph. Dangling edges are yielded too.

    store: where the edges are read; a bounded one gives the strongest of each step.
    starts: the ids of the nodes.
    direction: `out` follows edges from source to target, `in` from target to source, `both`
        either way.
    kinds: the kinds of edges to follow; all if there are none.
    with_parts: at every step an edge of a sub-rule counts as an edge of the rule. The `part_of`
        edges are then left out, unless `kinds` names them.
    """
    yielded: set[Edge] = set()
    visited: set[str] = set()
    frontier, kinds = list(dict.fromkeys(starts)), list(kinds)
    for step in range(depth):
        nodes = store.with_sub_rules(frontier) if with_parts else frontier
        new = [node for node in nodes if node not in visited]
        visited.update(new)
        edges = store.edges(new, direction, kinds)
        if step:
            edges = [edge for edge in edges if edge not in yielded]
        if with_parts and "part_of" not in kinds:
            edges = [edge for edge in edges if edge.kind != "part_of"]
        yield Ring(frozenset(new), edges)
        if step + 1 == depth:
            return
        yielded.update(edges)
        ends = (end for edge in edges for end in (edge.source, edge.target) if end is not None)
        frontier = [end for end in dict.fromkeys(ends) if end not in visited]
