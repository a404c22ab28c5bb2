"""Finds the rulings that refer to some nodes, without looking at all references to these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphs.model import Edge
from graphs.store.reader import Store
from graphs.store.row_checks import check_columns, of_file
from graphs.store.sql_batches import batches

_AT_ONCE = 50  # rulings
# The edges that rest on words of a ruling, by its passage. The condition on the kinds is that of
# the index `node_heading`: SQLite uses it only if the query has it.
_REFERRING = (
    "SELECT r.id, e.place FROM (SELECT rowid AS place, passage FROM edge WHERE target IN ({marks}) "
    "AND kind IN ('cites', 'links_to', 'mentions') LIMIT ?) e "
    "CROSS JOIN node r ON r.heading = e.passage "
    "AND r.kind IN ('step', 'procedure', 'outcome', 'ruling') AND r.kind = 'ruling'"
)
_STORED = (
    "(SELECT rowid AS place, kind, source, wanted, target, label, reason, passage, start, "
    '"end", details FROM edge)'
)


def rulings_referring(store: Store, nodes: Iterable[str], most: int) -> Iterator[tuple[str, Edge]]:
    """Yield the ids of the rulings that cite, link or mention some nodes, given by ids, each once
    with the first edge that says so.

    most: how many references to the nodes are looked at, so that those with very many cost no more.
    """
    seen: set[str] = set()
    for batch in batches([key for ids in batches(nodes) for key in store.keys(ids)]):
        query = _REFERRING.format(marks=",".join("?" * len(batch)))
        rows = store.db.execute(query, [*batch, most])
        places: dict[int, str] = {}
        with of_file(store.path):
            for ruling, place in check_columns(rows, (str, int), "rulings"):
                if ruling not in seen:
                    seen.add(ruling)
                    places[place] = ruling
                if len(places) == _AT_ONCE:
                    yield from _with_edges(store, places)
                    places = {}
        yield from _with_edges(store, places)


def _with_edges(store: Store, places: dict[int, str]) -> Iterator[tuple[str, Edge]]:
    """Yield rulings with edges, given by their rows."""
    if not places:
        return
    clause = f"WHERE l.place IN ({','.join('?' * len(places))}) ORDER BY l.place"
    edges = {
        place: edge for edge, (place,) in store.edges_with("l.place", _STORED, clause, [*places])
    }
    yield from ((ruling, edges[place]) for place, ruling in places.items() if place in edges)
