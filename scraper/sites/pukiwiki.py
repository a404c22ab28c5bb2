"""PukiWiki as it serves pages: 1.4.7 to 1.5.4, EUC-JP and UTF-8.

The page's own text is `#body` (with `#note`, the footnotes); its name stands in the header.
Every view answers 200, so articles are told from forms by their robots mark.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from scraper import address
from scraper.compose import Composer
from scraper.markup import Element, LinkTo, Manner, count, walk
from scraper.page import Page, PassageKind
from scraper.snapshot import Snapshot

_SIGNS = ('id="body"', "PukiWiki", 'class="anchor_super"', 'class="jumpmenu"', 'id="navigator"')
_CONTENTS = ('h1[@class="title"]', '*[@id="body"]', '*[@id="note"]')
_FRAME = {
    "header": "site header", "navigator": "navigation", "menubar": "navigation",
    "toolbar": "toolbar", "lastmodified": "date line", "related": "related pages",
    "footer": "site footer", "attach": "attachments",
    "pukiwiki-site-properties": "script",
}  # fmt: skip
_OMIT = {
    "jumpmenu": "jump link", "anchor_super": "anchor mark", "anchor": "anchor mark",
    "contents": "table of contents", "note_super": "footnote mark", "edit_form": "form",
    "editsection": "edit link",
}  # fmt: skip
_ROBOTS = re.compile(r'<meta name="robots" content="[^">]*NOINDEX', re.IGNORECASE)
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
    return sum(sign in text for sign in _SIGNS) >= 2


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """The article that the snapshot shows; for any other view a page that says what it is."""
    url = snapshot.url or _own_url(root)
    source = address.named_source(url, snapshot.hints.site, "pukiwiki")
    host = address.source_of(url)
    title = _name(root, url)
    prefix = address.part_of_site(urlsplit(url).path)
    title = title.removeprefix(prefix)
    name = prefix + title
    facts = {"source": source, "url": url, "game": address.GAMES.get(source), "chars": count(root)}
    if view := _view(root, text):
        left_out = {f"not an article: {view}": count(root)}
        return [Page(name="", title=title, left_out=left_out, **facts)]  # type: ignore[arg-type]
    composer = Composer(title)
    contents = (root.find(f".//{where}") for where in _CONTENTS)
    manner = Manner(
        contents=[element for element in contents if element is not None],
        outside=lambda element: _FRAME.get(element.get("id", ""), "page frame"),
        omit=_omit,
        link=lambda element: _link(element, url, host, name),
        anchor=_anchor,
        kind=_kind,
    )
    walk(root, manner, composer)
    return [composer.page(name=name, title=title, **facts)]


def _own_url(root: Element) -> str:
    for link in root.xpath('//div[@id="header"]//a[span[@class="small"]]/@href')[:1]:
        return str(link)
    return ""


def _name(root: Element, url: str) -> str:
    """The page's name, from where the skin writes it whole."""
    stated = root.find('.//*[@id="pukiwiki-site-properties"]')
    for value in stated.xpath('.//input[@class="page-name"]/@value') if stated is not None else ():
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
    error = re.search(r'id="body">\s*<h3>Runtime error', text) is not None
    if not (form or error or _ROBOTS.search(text[:8192])):
        return ""
    title = "".join(root.xpath("//title/text()"))
    return next((view for sign, view in _VIEWS if sign in title), "error" if error else "view")


def _omit(element: Element) -> str | None:
    tag, classes = element.tag, element.get("class", "")
    for name in classes.split():
        if name in _OMIT:
            return _OMIT[name]
    if tag == "form":
        return "form"
    if tag == "a" and element.text == "?" and _in_missing(element):
        return "missing-page mark"
    return None


def _in_missing(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.get("class") == "noexists"


def _link(element: Element, url: str, host: str, name: str) -> LinkTo | None:
    if element.get("class") == "noexists":
        for href in element.xpath("./a/@href")[:1]:
            found = address.read(str(href), url)
            return LinkTo("missing", found.name) if found else None
        return None
    if element.tag != "a" or _in_missing(element) or element.getparent().tag == "h1":
        return None
    href = element.get("href", "")
    if href.startswith("#"):
        return LinkTo("anchor", name, href[1:])
    found = address.read(href, url)
    if found and found.source == host and not found.view and "rel" not in element.attrib:
        return LinkTo("page", found.name, found.anchor)
    return LinkTo("external", href) if href else None


def _anchor(heading: Element) -> str:
    for anchor in heading.xpath('.//a[@class="anchor_super"]/@id')[:1]:
        return str(anchor)
    return str(heading.get("id", ""))


def _kind(element: Element) -> PassageKind | None:
    if element.tag == "h1":
        return "title"
    if element.get("class") == "small" and element.xpath('ancestor::*[@id="note"]'):
        return "footnote"
    return None
