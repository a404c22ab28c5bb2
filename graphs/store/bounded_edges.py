"""Reads the strongest edges of nodes and counts the others, so that a node to which very many edges
lead takes no longer than any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from graphs.model import STRENGTH, Edge
from graphs.store.edge_parts import EdgeRun, End, count_edges, edges_behind
from graphs.store.reader import Store
from graphs.store.sql_batches import batches

_ENDS: dict[str, tuple[End, ...]] = {"out": ("out",), "in": ("in",), "both": ("out", "in")}


class BoundedEdges:
    """Reads the edges of a store, at most so many at once.

    most: how many edges `edges` returns at most.
    unread: how many edges of each kind were not returned.
    """

    def __init__(self, store: Store, most: int) -> None:
        self.unread: Counter[str] = Counter()
        self._store, self._most = store, most

    def edges(
        self, ids: Iterable[str], direction: str = "both", kinds: Iterable[str] = ()
    ) -> list[Edge]:
        """Return the edges of some nodes as `Store.edges` does, but the strongest kinds first, and
        of a kind that has more than the bound allows those that stand first in the file: the same
        ones each time.
        """
        nodes = set(ids)
        keys = sorted(key for batch in batches(nodes) for key in self._store.keys(batch))
        counts = {end: count_edges(self._store, keys, end) for end in _ENDS[direction]}
        wanted = set(kinds) or set(STRENGTH)
        runs = [
            EdgeRun(kind, end, tuple(keys))
            for kind in STRENGTH
            for end in _ENDS[direction]
            if kind in wanted and kind in counts[end]
        ]

        def is_new(run: EdgeRun, edge: Edge) -> bool:
            return run.end == "out" or direction == "in" or edge.source not in nodes

        found, last = edges_behind(self._store, runs, self._most, is_shown=is_new)
        if last:
            numbers = Counter({run.kind: 0 for run in runs})
            for run in runs:
                numbers[run.kind] += counts[run.end][run.kind]
            self.unread += numbers - Counter(edge.kind for edge in found)
        return found

    def with_sub_rules(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of some nodes and, for rules, of all their sub-rules; sorted."""
        return self._store.with_sub_rules(ids)
