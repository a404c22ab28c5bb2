"""Reads the strongest edges of nodes and counts the others, so that a node to which very many edges
lead takes no longer than any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from graphs.model import STRENGTH, Edge
from graphs.store.file.row_checks import check_columns, of_file
from graphs.store.paged_edges import EdgeRun, End, count_edges, edges_behind, tables_of
from graphs.store.reader import Store
from graphs.store.sql_batches import batches

# Edges out come first: what a node says of others, before what they say of it.
_ENDS: dict[str, tuple[End, ...]] = {"out": ("out",), "in": ("in",), "both": ("out", "in")}
_NEAR_AND_FAR = {"out": ("source", "wanted"), "in": ("target", "source")}
# Edges of one kind that are sorted to find the first. By hand: lower lets the picture of an updated
# file differ from that of a new one, higher takes longer for the commonest terms.
_MOST_SORTED = 4_000


class BoundedEdges:
    """Reads the edges of a store, at most so many at once.

    most: how many edges a call of `edges` returns at most.
    unread: how many edges of each kind the calls so far left out because of that.
    """

    def __init__(self, store: Store, most: int) -> None:
        self.unread: Counter[str] = Counter()
        self._store, self._most = store, most

    def edges(
        self, ids: Iterable[str], direction: str = "both", kinds: Iterable[str] = ()
    ) -> list[Edge]:
        """Return the edges of some nodes as `Store.edges` does, but the strongest kinds first, of
        each those that lead out before those that lead in, and of a kind that has more than the
        bound allows the first by the id of what is at the other end. If these are more than
        _MOST_SORTED, they are not sorted: those that stand first in the file are returned, the same
        ones until the next build. Ids that the graph has not give no edges.
        """
        nodes, wanted = set(ids), set(kinds) or set(STRENGTH)
        keys = tuple(sorted(key for batch in batches(nodes) for key in self._store.keys(batch)))
        ends = _ENDS[direction]
        counts = {end: count_edges(self._store, keys, end) for end in ends}
        found: list[Edge] = []
        for kind in STRENGTH:
            for end in ends if kind in wanted else ():
                number = counts[end].get(kind, 0)
                most = self._most - len(found)
                run = EdgeRun(kind, end, keys, number)
                if most < number <= _MOST_SORTED:
                    new = self._first_by_id(run, most)
                else:
                    new = edges_behind(self._store, [run], most)[0] if number and most else []
                self.unread[kind] += number - len(new)
                both = end == "in" and direction == "both"
                found += _without(new, nodes) if both else new
        self.unread += Counter()  # without the kinds of which nothing is left
        return found

    def with_sub_rules(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of some nodes and, for rules, of all their sub-rules; sorted."""
        return self._store.with_sub_rules(ids)

    def _first_by_id(self, run: EdgeRun, most: int) -> list[Edge]:
        """Return the first edges of a run by the id at the other end, at most `most`: chosen by
        ids, and listed table by table as the file has them."""
        near, far = _NEAR_AND_FAR[run.end]
        found: list[tuple[str, int, int]] = []
        tables = tables_of(run.kind)
        for number, table in enumerate(tables):
            for batch in batches(run.keys):
                rows = self._store.db.execute(
                    f"SELECT n.id, l.place FROM {table} l CROSS JOIN node n ON n.key = l.{far} "
                    f"WHERE l.{near} IN ({','.join('?' * len(batch))}) AND l.kind = ? "
                    "ORDER BY n.id, l.place LIMIT ?",
                    [*batch, run.kind, most],
                )
                with of_file(self._store.path):
                    found += [(*row, number) for row in check_columns(rows, (str, int), "edges")]
        first = sorted(found)[:most]
        return [
            edge
            for number, table in enumerate(tables)
            for batch in batches(place for _, place, of_table in first if of_table == number)
            for edge in self._at(table, batch)
        ]

    def _at(self, table: str, places: Collection[int]) -> list[Edge]:
        """Return the edges of a table whose rows have some numbers, in the order of these."""
        where = f"WHERE l.place IN ({','.join('?' * len(places))}) ORDER BY l.place"
        return [edge for edge, _ in self._store.edges_with("l.place", table, where, [*places])]


def _without(edges: Iterable[Edge], nodes: Collection[str]) -> list[Edge]:
    """Return the edges that do not lead out of some nodes."""
    return [edge for edge in edges if edge.source not in nodes]
