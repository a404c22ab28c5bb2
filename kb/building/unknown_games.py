"""Warns of wikis whose game nobody knows: their links and headings name no terms."""

from __future__ import annotations

from graphs.store.reader import Store
from scraper import ReadWarning

_WHAT = (
    "no game is known for its pages, so their links and boxes give no terms and cards; "
    "build with --game, or give the site a record in sites.toml (docs/extending.md)"
)


def unknown_games(store: Store) -> list[ReadWarning]:
    """A warning for each wiki of which some page is of no known game: such a page has its source
    for a game."""
    rows = store.table(
        "SELECT DISTINCT source FROM node WHERE kind = 'page' AND game = source "
        "AND source NOT IN ('rulebook', 'namelist') ORDER BY source"
    )
    return [ReadWarning(source, _WHAT) for (source,) in rows]
