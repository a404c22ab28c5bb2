"""Parses Wisdom Guild's card pages: a card with its names and texts in two languages.

The page's own text is the card's title and the table of details; the rest belongs to the site
(prices, statistics, menus). In the Japanese text every rules term is a link to the glossary,
whose keys are in English. On all known pages mana symbols are text, such as `(３)(白)`. If one were
an image, its alternative text would not be kept: it is not text of the document, so kept and
omitted characters would no longer add up.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, unquote_plus

from lxml.etree import XPath

from scraper.markup.html_walk import Element, MarkupRules, count_text, parse, walk
from scraper.markup.page_builder import LinkTarget, PageBuilder
from scraper.page import Link, Page, PassageKind
from scraper.sites import page_address, site_catalogue
from scraper.sources.saved_pages import Snapshot

_DETAIL = "wg-whisper-card-detail"
_TITLE = "wg-whisper-card-title"
_TITLES: Any = XPath(f"//div[contains(@class, '{_TITLE}')]//h1")
_DETAILS: Any = XPath(f"//div[contains(@class, '{_DETAIL}')]")
_NAMES_FOR_WIKI: Any = XPath("//div[@q and contains(@class, 'owl-tip-mtgwiki')]/@q")
_GLOSSARY = re.compile(r"/cr/glossary/g_([^/?#]+)")
_ANCHOR = re.compile(r"<a\b[^<>]*>|</a\s*>", re.IGNORECASE)
# The reason to leave out an element of the page's frame, by its id or class.
_OUTSIDE = {
    "top": "site header and search", "bottom": "site footer",
    "rightmenu": "side bar (advertisements, names in other languages)",
    "wg-menu-bar": "menu tabs", "right": "buttons",
    "padding-vertical": "prices, statistics, formats, credits",
}  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether a text is the HTML page of a card. `url` may be empty or on an unknown host.

    >>> recognises('<div class="wg-whisper-card-detail">', "http://whisper.wisdom-guild.net/card/X/")
    True
    """
    return _DETAIL in text and site_catalogue.may_have_engine(url, "wisdomguild")


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the page of a card: its title, and each row of its details as `label⇥value`.

    A split card has a value for each half in a row; a double-faced card has its rows twice. The
    page is in a list. If the document has neither title nor details, the page has no name and no
    passages.

    text: the document; root: its tree.
    """
    repaired = unnested(text)
    if repaired != text:
        repaired_root = parse(repaired).root
        # In a script or the like, what looks like a link is text.
        root = repaired_root if count_text(repaired_root) == count_text(root) else root
    site = site_catalogue.site_with("wisdomguild")
    base = snapshot.url or site.wikis[0].pages
    builder = PageBuilder()
    rules = MarkupRules(
        _TITLES(root)[:1] + _DETAILS(root)[:1],
        _outside,
        links=dict.fromkeys(("a", "span"), partial(_link, base)),
        kinds={"h1": _heading_kind},
    )
    walk(root, rules, builder)
    _link_to_wiki(builder, root)
    title = next((p.text for p in builder.passages if p.kind == "title"), "")
    return [
        builder.page(
            source=page_address.named_source(snapshot.url, snapshot.hints.site, site.name),
            engine="wisdomguild",
            name=_page_name(snapshot.url, title) if builder.passages else "",
            url=snapshot.url,
            game=site.game,
            title=title,
            chars=count_text(root),
        )
    ]


def unnested(text: str) -> str:
    """Return a document in which links that contain other links are `span` elements.

    The glossary's `点数で見たマナ・コスト` is a link that contains the link `マナ・コスト`.
    HTML does not allow this: a parser would end the first link where the second one begins.

    >>> unnested('<a href="x">点数で見た<a href="y">マナ・コスト</a></a>')
    '<span href="x">点数で見た<a href="y">マナ・コスト</a></span>'
    """
    open_tags: list[re.Match[str]] = []
    outer_tags: list[re.Match[str]] = []  # the tags of links that contain links
    contains_link = False  # whether the innermost open link does
    for tag in _ANCHOR.finditer(text):
        if not tag[0].startswith("</"):
            open_tags.append(tag)
            contains_link = False
        elif open_tags:
            if contains_link:
                outer_tags += (open_tags[-1], tag)
            open_tags.pop()
            contains_link = bool(open_tags)
    pieces, done = [], 0
    for tag in sorted(outer_tags, key=lambda match: match.start()):
        as_span = re.sub(r"^(</?)a", r"\1span", tag[0], flags=re.IGNORECASE)
        pieces += [text[done : tag.start()], as_span]
        done = tag.end()
    return "".join([*pieces, text[done:]])


def _page_name(url: str, title: str) -> str:
    """Return the path of a page on its site, such as `card/Opt`, without a slash at the ends.

    It is that of the URL; if that is empty or has none, it is made of the card's English name.

    title: the card's title, `Japanese/English`; all of one without a slash is the name.
    """
    found = page_address.read(url) if url else None
    return (found.name if found else "") or f"card/{title.rpartition('/')[2]}"


def _outside(element: Element) -> str:
    """Return the reason to leave out an element of the page's frame.

    It is that of its id or of its first class in `_OUTSIDE`; "page frame" if none is in it.
    """
    for key in (element.get("id", ""), *element.get("class", "").split()):
        if key in _OUTSIDE:
            return _OUTSIDE[key]
    return "page frame"


def _heading_kind(element: Element) -> PassageKind | None:
    """Return "title" for the heading with the card's name; None for any other."""
    parent = element.getparent()
    inside = parent is not None and _TITLE in parent.get("class", "")
    return "title" if inside else None


def _link(base: str, element: Element) -> LinkTarget | None:
    """Return what an element links to; None if it is not a link.

    A glossary entry, by its key as in the URL; a card of the same site; else an external URL, as
    written. A `span` with a `href`, as `unnested` makes it, is a link too.

    base: the URL of the page, which relative links start from.
    """
    href = element.get("href", "")
    if glossary := _GLOSSARY.search(href):
        return LinkTarget("glossary", glossary[1])
    card = page_address.read(href, base) if "/card/" in href else None
    if card and card.source == page_address.source_of(base):
        return LinkTarget("page", card.name, card.anchor)
    return LinkTarget("external", href) if href else None


def _link_to_wiki(builder: PageBuilder, root: Element) -> None:
    """Make the title a link to MTG Wiki, as the link that a script of the site adds beside it.

    Nothing is done without a title passage, or if the document has no data for that script.
    """
    names = _NAMES_FOR_WIKI(root)[:1]
    index = next((n for n, p in enumerate(builder.passages) if p.kind == "title"), None)
    if not names or index is None:
        return
    title = builder.passages[index]
    wiki = site_catalogue.site_with("mediawiki").wikis[0]
    target = wiki.pages + quote(unquote_plus(str(names[0])), safe="/")
    link = Link(0, len(title.text), "external", target)
    builder.passages[index] = replace(title, links=(*title.links, link))
