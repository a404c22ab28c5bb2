"""Counts the pages of a knowledge base by game and source."""

from __future__ import annotations

from graphs.store.reader import Store


def pages_by_source(store: Store) -> dict[str, dict[str, int]]:
    """Return {game: {source: number of its pages}}; the game is empty where none is known."""
    pages: dict[str, dict[str, int]] = {}
    for game, source, number in store.table(
        "SELECT coalesce(game, ''), source, count(*) FROM node WHERE kind = 'page' "
        "GROUP BY 1, 2 ORDER BY 1, 2",
        str,
        str,
        int,
    ):
        pages.setdefault(game, {})[source] = number
    return pages
