"""Whether two captures of a page say the same."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from scraper.detect import read_pages
from scraper.markup.html_walk import Element, parse
from scraper.page import Page
from scraper.sources.charset import decode
from scraper.sources.snapshot import Snapshot

_VOLATILE = re.compile(
    r"\(\d+[smhd]\)"  # the age of a page, in PukiWiki's links
    r"|HTML convert time[^<\n]{0,60}"
    r"|Last-modified:[^<\n]{0,80}",
    re.IGNORECASE,
)
_FRAME = {"menubar", "recent", "related", "navigator"}  # ids and classes of what every page has
_UNSEEN = {"script", "style", "head", "input", "template"}  # with tokens and digests of forms


def same_content(old: bytes, new: bytes, url: str, old_type: str, new_type: str) -> bool:
    """Whether two captures say the same, to one who reads the page.

    What sansho reads of them is compared: names, sections, passages, links, categories. Ages of
    links, convert times, menus, lists of recent changes and the digests in forms are no part of
    that. Of what it can't read the bytes are compared, without such things.

    >>> page = '<div id="navigator"></div><div id="body"><p>引く{}</p></div>PukiWiki 1.4.7 {}'
    >>> old = page.format("", 1).encode()
    >>> same_content(old, page.format("", 2).encode(), "http://a.jp/?X", "", "")
    True
    >>> same_content(old, page.format("。", 1).encode(), "http://a.jp/?X", "", "")
    False
    """
    if old == new:
        return True
    before, after = _said(old, url, old_type), _said(new, url, new_type)
    if before and after:
        return before == after
    return not before and not after and _bare(old, old_type) == _bare(new, new_type)


def _said(data: bytes, url: str, content_type: str) -> list[tuple[Any, ...]]:
    """What the pages of a capture say; nothing if one of them is no article."""
    pages, _ = read_pages(Snapshot(url, data, url=url, content_type=content_type))
    return [_of(page) for page in pages] if all(page.name for page in pages) else []


def _of(page: Page) -> tuple[Any, ...]:
    return (
        page.name,
        page.title,
        page.redirect,
        page.sections,
        page.passages,
        page.categories,
        page.edition,
        page.lang,
        page.old,
        page.via,
    )


def _bare(data: bytes, content_type: str) -> list[str]:
    """A page without what changes with each request: its words and where its links lead."""
    text = decode(data, content_type).text
    root = parse(text) if "<" in text[:4096] else None
    if root is None:
        return _VOLATILE.sub("", text).split()
    found: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            found.append(element.tail or "")
        elif element.tag in _UNSEEN or not _FRAME.isdisjoint(_named(element)):
            walk.skip_subtree()
        else:
            found += [element.get("href", ""), element.get("src", ""), element.text or ""]
    return _VOLATILE.sub("", " ".join(found)).split()


def _named(element: Element) -> list[str]:
    return [*element.get("class", "").split(), element.get("id", "")]
