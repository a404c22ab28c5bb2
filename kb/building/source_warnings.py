"""Warns of files whose pages have one name and may not be one page, and of unknown games."""

from __future__ import annotations

from graphs.store.reader import Store
from scraper import ReadWarning
from scraper.page_names import UNNAMED

_ADVICE = (
    "with other content; only that is used, as no address tells them apart: give one of them "
    "another name, or say what it is"
)
_IS_UNNAMED = (
    "EXISTS (SELECT 1 FROM warning w WHERE w.part = {0}.part "
    f"AND w.place = {{0}}.place AND w.what LIKE '{UNNAMED}%')"
)
_WARNING = (
    "no game is known for its pages: their links and boxes give no terms and cards, and what their "
    "text names stands under the name of the wiki instead of a game's; say which game they are of, "
    "or give the wiki a record in sites.toml (docs/extending.md)"
)


def same_names(store: Store) -> list[ReadWarning]:
    """Return a warning for each file that is not used because another gives a page of the same
    name, sorted by the file's place.

    Of wikis only files without an address count, as their pages are named by the file, or by a text
    that other files may have too. A rulebook is named by its title and edition, so that only the
    same address makes two files captures of one. Files with the same bytes lose nothing.
    """
    rows = store.table(
        "SELECT DISTINCT c.place, c.page, d.place FROM capture c "
        "JOIN capture d ON d.page = c.page AND d.chosen "
        "WHERE NOT c.chosen AND c.place <> d.place AND (c.url = '' AND d.url = '' "
        "OR c.page LIKE 'rulebook/%' AND (c.url <> d.url OR c.url = '') "
        f"OR {_IS_UNNAMED.format('c')} OR {_IS_UNNAMED.format('d')}) "
        "AND c.sha256 <> d.sha256 ORDER BY 1, 2",
        str,
        str,
        str,
    )
    return [
        ReadWarning(
            place,
            f"gives the page {page}, as does {other}, {_ADVICE}",
            ("game", "edition", "site"),
        )
        for place, page, other in rows
    ]


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
