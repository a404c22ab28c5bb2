"""Names pages that do not say what they are called, after the place where they are."""

from __future__ import annotations

import re

from scraper.page import Page, ReadWarning
from scraper.sites import page_address

UNNAMED = "a page without a name"  # how the warning begins
# Where the place in a WARC file begins, and that in an archive: file names may have such a sign.
_RECORD = re.compile(r"!(?=[0-9]+\Z)")
_IN_ARCHIVE = re.compile(r"(?<=\.tar|\.tgz|\.zip|\.bz2)!|(?<=\.gz|\.xz)!", re.IGNORECASE)
_PACKED = re.compile(r"\.(?:warc|arc|gz|bz2|xz|zip|tar|tgz|xml)(?=\.|$)", re.IGNORECASE)


def with_name(page: Page, where: str, number: int) -> tuple[Page, list[ReadWarning]]:
    """Return a page that has text with a name, and a warning if its place gives it.

    The place is its URL if that names a page, else its file. A page without text, such as an edit
    form, is returned as it is, and so is one that has a name.

    where: the place of the document, as `Snapshot.where`.
    number: which page of the document it is, from 0.

    >>> from scraper.page import Passage
    >>> page = Page("pukiwiki", "", url="", passages=(Passage("paragraph", "引く"),))
    >>> named, warnings = with_name(page, "wiki/a.tar!b/draw.html", 1)
    >>> named.name, warnings[0].what
    ('draw 2', "a page without a name; called 'draw 2' after its place")
    """
    if page.name.strip() or not page.passages:
        return page, []
    found = page_address.read(page.url) if page.url else None
    name = found.name.strip() if found and not found.view else ""
    is_of_file = not name
    name = name or _name_of_place(where)
    if number:
        name = f"{name} {number + 1}"
    what = f"{UNNAMED}; called {name!r} after its place"
    title = page.title.strip() or name
    return page.with_(name=name, title=title, unnamed=is_of_file), [ReadWarning(where, what)]


def _name_of_place(where: str) -> str:
    """Return the name of a file without folder and ending; of a record, with its archive's.

    >>> _name_of_place("a/引く!.html"), _name_of_place("crawl.warc.gz!3021"), _name_of_place("")
    ('引く!', 'crawl 3021', 'page')
    """
    place, archive = where.replace("\\", "/"), ""
    if inside := _RECORD.search(place) or _IN_ARCHIVE.search(place):
        archive, place = place[: inside.start()], place[inside.start() + 1 :]
    stem = _stem(place)
    if archive and (stem.isdigit() or not stem):
        stem = f"{_PACKED.sub('', archive.rpartition('/')[2])} {stem}"
    return stem.strip() or "page"


def _stem(path: str) -> str:
    """Return the name of a file without its ending; of `.wiki`, all of it."""
    name = path.rpartition("/")[2]
    end = name.rfind(".")
    return name[:end] if end > 0 else name
