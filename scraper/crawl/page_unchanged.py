"""Compares two captures of a page by what a reader sees, without what changes on each request."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from scraper.detect_format import read_pages
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
_UNSEEN = {"script", "style", "head", "input", "template"}  # may hold tokens and digests of forms


def same_content(old: bytes, new: bytes, url: str, old_type: str, new_type: str) -> bool:
    """Whether two captures of a page have the same content for its readers.

    If sansho can parse both, it compares what it parses: names, sections, passages, links,
    categories. Ages of links, conversion times, menus, lists of recent changes and the digests in
    forms are no part of that. If it can parse neither, it compares the words and link targets of
    the documents, again without these parts. If it can parse only one, they are not the same.

    old, new: the bodies of the captures as bytes, without content coding.
    url: the address of the page, which both were fetched from.
    old_type, new_type: the Content-Type headers of the captures; may be empty.

    >>> page = '<div id="navigator"></div><div id="body"><p>引く{}</p></div>PukiWiki 1.4.7 {}'
    >>> old = page.format("", 1).encode()
    >>> same_content(old, page.format("", 2).encode(), "http://a.jp/?X", "", "")
    True
    >>> same_content(old, page.format("。", 1).encode(), "http://a.jp/?X", "", "")
    False
    """
    if old == new:
        return True
    before, after = _parsed_content(old, url, old_type), _parsed_content(new, url, new_type)
    if before and after:
        return before == after
    return (
        not before and not after and _visible_words(old, old_type) == _visible_words(new, new_type)
    )


def _parsed_content(data: bytes, url: str, content_type: str) -> list[tuple[Any, ...]]:
    """Return the content of each page in a capture, as `_page_content` does.

    Empty if sansho finds no page in it, or if one of the pages is not an article.
    """
    pages, _ = read_pages(Snapshot(url, data, url=url, content_type=content_type))
    return [_page_content(page) for page in pages] if all(page.name for page in pages) else []


def _page_content(page: Page) -> tuple[Any, ...]:
    """Return the fields of a page that its readers see."""
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


def _visible_words(data: bytes, content_type: str) -> list[str]:
    """Return the words and link targets of a document, without what changes on each request.

    They are in the document's order. Scripts, styles, inputs, menus and lists of recent changes
    are skipped with all in them. Text without `<` near its start is only split into words; ages
    and conversion times are left out of it too.

    content_type: the Content-Type header, for the charset.
    """
    text = decode(data, content_type).text
    if "<" not in text[:4096]:
        return _VOLATILE.sub("", text).split()
    texts: list[str] = []
    walk = etree.iterwalk(parse(text).root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            texts.append(element.tail or "")
        elif element.tag in _UNSEEN or not _FRAME.isdisjoint(_classes_and_id(element)):
            walk.skip_subtree()
        else:
            texts += [element.get("href", ""), element.get("src", ""), element.text or ""]
    return _VOLATILE.sub("", " ".join(texts)).split()


def _classes_and_id(element: Element) -> list[str]:
    return [*element.get("class", "").split(), element.get("id", "")]
