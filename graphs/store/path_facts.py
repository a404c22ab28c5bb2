"""Reads what the search for paths must know of edges, beside their numbers: how many lead out of a
node at most, and which are only proposed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from graphs.model import EdgeKind, is_proposed
from graphs.store.edge_counts import MOST_OUT
from graphs.store.reader import Store
from graphs.store.row_checks import RowError, of_file, parse_details
from graphs.store.sql_batches import batches


def most_out(store: Store) -> dict[EdgeKind, int]:
    """Return how many edges of a kind lead out of any one node at most, dangling ones too, by kind;
    kinds of which that is not stored are left out."""
    with of_file(store.path):
        stored = parse_details(store.meta(MOST_OUT), "the greatest numbers of edges") or {}
        if not all(isinstance(number, int) for number in stored.values()):
            raise RowError("the greatest numbers of edges are of another type")
    return {kind: stored[kind] for kind in get_args(EdgeKind) if kind in stored}


def proposed_translations(store: Store, keys: Iterable[int]) -> set[tuple[int, int]]:
    """Return (source, target), by their keys, of the edges `translates` out of some nodes that are
    only proposed, as far as no other edge says the same."""
    proposed: dict[tuple[int, int], bool] = {}
    for batch in batches(sorted(set(keys))):
        rows = store.db.execute(
            "SELECT source, target, details FROM edge WHERE kind = 'translates' "
            f"AND source IN ({','.join('?' * len(batch))}) AND target IS NOT NULL",
            batch,
        )
        with of_file(store.path):
            for source, target, details in rows:
                one = is_proposed(parse_details(details, "an edge"))
                proposed[source, target] = one and proposed.get((source, target), True)
    return {pair for pair, only in proposed.items() if only}
