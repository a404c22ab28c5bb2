"""Following edges: what can be reached from a node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphs.model import Edge
from graphs.store.reader import Store


def closure(
    store: Store,
    start: str,
    depth: int,
    direction: str = "both",
    kinds: Iterable[str] = (),
    with_parts: bool = False,
) -> Iterator[list[Edge]]:
    """The edges at a node, those one step further out, … `depth` lists, each edge once.

    With parts, an edge at a sub-rule is one at the rule, at every step; that a sub-rule is part of
    its rule is then left out, unless it is asked for.
    """
    found: set[Edge] = set()
    seen: set[str] = set()
    ring, kinds = [start], list(kinds)
    for _ in range(depth):
        inside = store.below(ring) if with_parts else ring
        new = [node for node in inside if node not in seen]
        seen.update(new)
        edges = [edge for edge in store.edges(new, direction, kinds) if edge not in found]
        if with_parts and "part_of" not in kinds:
            edges = [edge for edge in edges if edge.kind != "part_of"]
        found.update(edges)
        yield edges
        ends = (end for edge in edges for end in (edge.source, edge.target) if end is not None)
        ring = [end for end in dict.fromkeys(ends) if end not in seen]
