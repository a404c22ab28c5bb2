"""Counts terms, and tells which sources give each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphs.store.reader import Store
from graphs.store.sql_batches import batches


def sources_of(store: Store, nodes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return {id of a node: the sources of the pages that give it, sorted}; nodes without any, and
    unknown ids, are left out."""
    found: dict[str, list[str]] = defaultdict(list)
    for batch in batches(list(nodes)):
        marks = ",".join("?" * len(batch))
        for node, source in store.db.execute(
            "SELECT DISTINCT n.id, c.source FROM node n JOIN claim c ON c.node = n.key "
            f"WHERE n.id IN ({marks}) AND c.source NOT NULL ORDER BY 1, 2",
            batch,
        ):
            found[node].append(source)
    return {node: tuple(sources) for node, sources in found.items()}


def count_terms(store: Store) -> dict[str, int]:
    """Return {game: number of its terms}, sorted by game; a game that is not known is empty."""
    return dict(
        store.db.execute(
            "SELECT coalesce(game, ''), count(*) FROM node WHERE kind = 'term' "
            "GROUP BY 1 ORDER BY 1"
        ).fetchall()
    )
