"""Looks up pages by the file or the URL of a capture of them."""

from __future__ import annotations

from collections.abc import Iterator

from graphs.store.reader import Store


def pages_read_from(store: Store, name: str) -> list[str]:
    """Return the ids of the pages that were read from a file, sorted.

    name: the file's path, or the end of it: its name, with some of its folders before it. The case
        of letters counts; empty text names no file.
    """
    if not name:
        return []
    rows = store.db.execute(
        "SELECT DISTINCT page FROM capture WHERE page NOT NULL AND chosen "
        "AND (place = ?1 OR substr(place, -length(?1) - 1) = '/' || ?1) ORDER BY 1",
        (name,),
    )
    return [page for (page,) in rows]


def page_urls(store: Store) -> Iterator[tuple[str, str]]:
    """Yield (id, URL) of the captures of all pages, in no order; those without a URL are left
    out."""
    yield from store.db.execute(
        "SELECT DISTINCT page, url FROM capture WHERE page NOT NULL AND url <> ''"
    )
