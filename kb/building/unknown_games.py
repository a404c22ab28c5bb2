"""Warns of wikis whose game is not known: their links and headings give no terms."""

from __future__ import annotations

from graphs.store.reader import Store
from scraper import ReadWarning

_WARNING = (
    "no game is known for its pages: their links and boxes give no terms and cards, and what their "
    "text names stands under the name of the wiki instead of a game's; say which game they are of, "
    "or give the wiki a record in sites.toml (docs/extending.md)"
)


def unknown_games(store: Store) -> list[ReadWarning]:
    """Return a warning for each wiki that has pages of no known game, sorted by the wiki's name.
    `where` is that name, not a file; `what` is the advice to give a game.

    In a store, such a page has the name of its source as its game. Rulebooks and lists of names
    are no wikis, and give no warning here.
    """
    rows = store.table(
        "SELECT DISTINCT source FROM node WHERE kind = 'page' AND game = source "
        "AND source NOT IN ('rulebook', 'namelist') ORDER BY source",
        str,
    )
    return [ReadWarning(source, _WARNING, ("game",)) for (source,) in rows]
