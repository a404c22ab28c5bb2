"""Wisdom Guild's card pages: one card, its names and its texts in two languages.

The page's own text is the card's title and the table of details; all else is the site's
(prices, statistics, menus). In the Japanese text every rules term is a link to the glossary,
whose keys are English. Mana symbols stand as text, `(３)(白)`, on every page seen. Should one
be an image, its alternative text is not taken over: it is no text of the document, so that
the sum of what is kept and left out would no longer come out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from urllib.parse import quote, unquote_plus

from scraper.markup.html_walk import Element, LinkTarget, MarkupRules, count_text, parse, walk
from scraper.markup.page_builder import PageBuilder
from scraper.page import Link, Page, PassageKind
from scraper.sites import address, catalogue
from scraper.sources.snapshot import Snapshot

_WIKI = "mtgwiki"  # the site whose pages the cards are linked to
_DETAIL = "wg-whisper-card-detail"
_TITLE = "wg-whisper-card-title"
_GLOSSARY = re.compile(r"/cr/glossary/g_([^/?#]+)")
_ANCHOR = re.compile(r"<a\b[^<>]*>|</a\s*>", re.IGNORECASE)
_OUTSIDE = {
    "top": "site header and search", "bottom": "site footer",
    "rightmenu": "side bar (advertisements, names in other languages)",
    "wg-menu-bar": "menu tabs", "right": "buttons",
    "padding-vertical": "prices, statistics, formats, credits",
}  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether this is a page of one card.

    >>> recognises('<div class="wg-whisper-card-detail">', "http://whisper.wisdom-guild.net/card/X/")
    True
    """
    return _DETAIL in text and catalogue.may_be(url, "wisdomguild")


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """The card's page: its title, and each row of its details as `label⇥value`.

    A card of two halves has a value for each; one with a back face has its rows twice.
    """
    repaired = unnested(text)
    if repaired != text:
        root = parse(repaired).root
    site = catalogue.site_with("wisdomguild")
    base = snapshot.url or site.wikis[0].pages
    composer = PageBuilder()
    titles = _with_class(root, "h1", _TITLE)[:1]
    details = root.xpath(f"//div[contains(@class, '{_DETAIL}')]")[:1]
    manner = MarkupRules(titles + details, _outside, link=partial(_link, base), kinds={"h1": _kind})
    walk(root, manner, composer)
    _link_to_wiki(composer, root)
    title = next((p.text for p in composer.passages if p.kind == "title"), "")
    return [
        composer.page(
            source=address.named_source(snapshot.url, snapshot.hints.site, site.name),
            engine="wisdomguild",
            name=_name(snapshot.url, title) if composer.passages else "",
            url=snapshot.url,
            game=site.game,
            title=title,
            chars=count_text(root),
        )
    ]


def unnested(text: str) -> str:
    """The markup with links that stand around other links made spans.

    The glossary's `点数で見たマナ・コスト` is a link with the link `マナ・コスト` in it, which no
    HTML tree can hold: a parser would end the first where the second begins.

    >>> unnested('<a href="x">点数で見た<a href="y">マナ・コスト</a></a>')
    '<span href="x">点数で見た<a href="y">マナ・コスト</a></span>'
    """
    opened: list[re.Match[str]] = []
    around: list[tuple[re.Match[str], re.Match[str]]] = []
    holds = False
    for tag in _ANCHOR.finditer(text):
        if not tag[0].startswith("</"):
            opened.append(tag)
            holds = False
        elif opened:
            if holds:
                around.append((opened[-1], tag))
            opened.pop()
            holds = bool(opened)
    places = {tag.start(): tag for pair in around for tag in pair}
    pieces, at = [], 0
    for start, tag in sorted(places.items()):
        pieces += [text[at:start], re.sub(r"^(</?)a", r"\1span", tag[0], flags=re.IGNORECASE)]
        at = tag.end()
    return "".join([*pieces, text[at:]])


def _with_class(root: Element, tag: str, name: str) -> list[Element]:
    found: list[Element] = root.xpath(f"//div[contains(@class, '{name}')]//{tag}")
    return found


def _name(url: str, title: str) -> str:
    """The path of the page on its site; by the card's English name where no URL is known."""
    place = address.read(url) if url else None
    return (place.name if place else "") or f"card/{title.rpartition('/')[2]}"


def _outside(element: Element) -> str:
    for mark in (element.get("id", ""), *element.get("class", "").split()):
        if mark in _OUTSIDE:
            return _OUTSIDE[mark]
    return "page frame"


def _kind(element: Element) -> PassageKind | None:
    parent = element.getparent()
    inside = parent is not None and _TITLE in parent.get("class", "")
    return "title" if inside else None


def _link(base: str, element: Element) -> LinkTarget | None:
    """What a link leads to; `base` is the page's own address."""
    href = element.get("href", "") if element.tag in {"a", "span"} else ""
    if found := _GLOSSARY.search(href):
        return LinkTarget("glossary", found[1])
    place = address.read(href, base) if "/card/" in href else None
    if place and place.source == address.source_of(base):
        return LinkTarget("page", place.name, place.anchor)
    return LinkTarget("external", href) if href else None


def _link_to_wiki(composer: PageBuilder, root: Element) -> None:
    """Make the title the link to MTG Wiki that a script of the site puts beside it."""
    named = root.xpath("//div[contains(@class, 'owl-tip-mtgwiki')]/@q")[:1]
    place = next((n for n, p in enumerate(composer.passages) if p.kind == "title"), None)
    if not named or place is None:
        return
    title = composer.passages[place]
    wiki = catalogue.current().sites[_WIKI].wikis[0]
    target = wiki.pages + quote(unquote_plus(str(named[0])), safe="/")
    link = Link(0, len(title.text), "external", target)
    composer.passages[place] = replace(title, links=(*title.links, link))
