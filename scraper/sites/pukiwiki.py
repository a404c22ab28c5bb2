"""PukiWiki as it serves pages: 1.4.7 to 1.5.4, EUC-JP and UTF-8.

The page's own text is `#body` (with `#note`, the footnotes); its name stands in the header.
Every view answers 200, so articles are told from forms by their robots mark.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from lxml.etree import XPath

from scraper.markup.html_walk import (
    Element,
    LinkTarget,
    MarkupRules,
    count_text,
    has_two_markers,
    walk,
)
from scraper.markup.page_builder import PageBuilder
from scraper.page import Page, PassageKind
from scraper.sites import address, catalogue
from scraper.sources.snapshot import Snapshot

_SIGNS = ('id="body"', "PukiWiki", 'class="anchor_super"', 'class="jumpmenu"', 'id="navigator"')
_TEXT: Any = XPath('id("body") | id("note")')
_STATED: Any = XPath('id("pukiwiki-site-properties")//input[@class="page-name"]/@value')
_FRAME = {
    "header": "site header", "navigator": "navigation", "menubar": "navigation",
    "toolbar": "toolbar", "lastmodified": "date line", "related": "related pages",
    "footer": "site footer", "attach": "attachments",
    "pukiwiki-site-properties": "script",
}  # fmt: skip
_OMIT = {
    ".jumpmenu": "jump link", ".anchor_super": "anchor mark", ".anchor": "anchor mark",
    ".contents": "table of contents", ".note_super": "footnote mark", ".edit_form": "form",
    ".editsection": "edit link", "form": "form",
}  # fmt: skip
_ROBOTS = re.compile(r'<meta name="robots" content="[^">]*NOINDEX', re.IGNORECASE)
_ERROR = re.compile(r'id="body">\s*<h3>Runtime error')
_VIEWS = (
    ("の編集", "edit form"), ("の変更点", "difference"), ("のソース", "source view"),
    ("のバックアップ", "backup"), ("の一覧", "list"), ("の検索結果", "search"),
    ("Runtime error", "error"), ("有効なWikiNameではありません", "invalid name"),
)  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether this is a page that PukiWiki made.

    >>> recognises('<div id="navigator"></div><div id="body"></div>PukiWiki 1.4.7', "")
    True
    """
    return has_two_markers(_SIGNS, text)


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """The article that the snapshot shows; for any other view a page that says what it is."""
    url = snapshot.url or _own_url(root)
    source = address.named_source(url, snapshot.hints.site, "pukiwiki")
    host = address.source_of(url)
    title = _name(root, url)
    prefix = address.name_prefix(url)
    title = title.removeprefix(prefix)
    name = prefix + title
    facts = {
        "source": source,
        "url": url,
        "engine": "pukiwiki",
        "game": catalogue.game_of(source),
        "chars": count_text(root),
    }
    if view := _view(root, text):
        left_out = {f"not an article: {view}": count_text(root)}
        return [Page(name="", title=title, left_out=left_out, **facts)]  # type: ignore[arg-type]
    composer = PageBuilder(title)
    titles = [h1 for h1 in root.iter("h1") if h1.get("class") == "title"]
    manner = MarkupRules(
        contents=[*titles[:1], *_TEXT(root)],
        outside=lambda element: _FRAME.get(element.get("id", ""), "page frame"),
        omit=_OMIT,
        link=partial(_link, url, host, name),
        anchor=_anchor,
        kinds={"h1": lambda element: "title", "span": _footnote},
    )
    walk(root, manner, composer)
    return [composer.page(name=name, title=title, **facts)]


def _own_url(root: Element) -> str:
    for link in root.xpath('//div[@id="header"]//a[span[@class="small"]]/@href')[:1]:
        return str(link)
    return ""


def _name(root: Element, url: str) -> str:
    """The page's name, from where the skin writes it whole."""
    for value in _STATED(root):
        return str(value)
    link = root.find('.//h1[@class="title"]/a')
    found = address.read(link.get("href", ""), url) if link is not None else None
    if found and found.name:
        return found.name
    found = address.read(url) if url else None
    if found and found.name:
        return found.name
    return "".join(root.xpath("//title/text()")).rpartition(" - ")[0].strip()


def _view(root: Element, text: str) -> str:
    """What a page is that is no article; empty for an article."""
    form = 'class="edit_form"' in text
    error = "<h3>Runtime error" in text and _ERROR.search(text) is not None
    if not (form or error or _ROBOTS.search(text[:8192])):
        return ""
    title = "".join(root.xpath("//title/text()"))
    return next((view for sign, view in _VIEWS if sign in title), "error" if error else "view")


def _in_missing(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.get("class") == "noexists"


def _link(url: str, host: str, name: str, element: Element) -> LinkTarget | str | None:
    if element.tag != "a":
        return _missing(element, url) if element.get("class") == "noexists" else None
    if _in_missing(element):
        return "missing-page mark" if element.text == "?" else None
    if element.getparent().tag == "h1":
        return None
    href = element.get("href", "")
    if href.startswith("#"):
        return LinkTarget("anchor", name, href[1:])
    found = address.read(href, url)
    if found and found.source == host and not found.view and "rel" not in element.attrib:
        return LinkTarget("page", found.name, found.anchor)
    return LinkTarget("external", href) if href else None


def _missing(element: Element, url: str) -> LinkTarget | None:
    link = element.find("a")
    found = None if link is None else address.read(link.get("href", ""), url)
    return LinkTarget("missing", found.name) if found else None


def _anchor(heading: Element) -> str:
    for anchor in heading.xpath('.//a[@class="anchor_super"]/@id')[:1]:
        return str(anchor)
    return str(heading.get("id", ""))


def _footnote(element: Element) -> PassageKind | None:
    if element.get("class") == "small" and element.xpath('ancestor::*[@id="note"]'):
        return "footnote"
    return None
