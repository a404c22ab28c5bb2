"""MediaWiki as it serves pages in monobook: with `#mw-content-text` and before it.

A redirect answers with the body of its target; that it is one stands in `#contentSub`
alone, so such a view is read as two pages: the redirect, and its target seen by it.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

from lxml import etree

from scraper.markup.html_walk import (
    Element,
    LinkTarget,
    MarkupRules,
    all_text,
    count_text,
    has_two_markers,
    parse,
    walk,
)
from scraper.markup.page_builder import PageBuilder, TextRun
from scraper.page import Page, PassageKind, ReadWarning
from scraper.sites import address, catalogue
from scraper.sources.snapshot import Snapshot

_SIGNS = ('id="bodyContent"', 'id="mw-content-text"', "wgPageName", 'id="firstHeading"',
          'content="MediaWiki')  # fmt: skip
_FRAME = {
    "column-one": "navigation", "footer": "site footer", "mw-navigation": "navigation",
    "mw-head": "navigation", "mw-panel": "navigation", "mw-page-base": "page frame",
    "siteNotice": "site notice",
}  # fmt: skip
_OMIT = {
    "#siteSub": "tagline", "#jump-to-nav": "jump link", "#toc": "table of contents",
    "#catlinks": "categories (kept as data)", "#contentSub": "page note",
    "#contentSub2": "page note", "#ad_bottom": "advertisement",
    "#mw-revision-info": "page note",
    ".editsection": "edit link", ".mw-editsection": "edit link", ".printfooter": "print footer",
    ".toc": "table of contents", ".mw-jump": "jump link", ".mw-jump-link": "jump link",
    ".visualClear": "page frame", ".mw-cite-backlink": "footnote mark",
    ".mw-indicators": "page frame", "form": "form",
}  # fmt: skip
_DIFFERENCE = re.compile(r"class=['\"]diff\b")
_TO_FRAGMENT = re.compile(r'redirectToFragment\("(#[^"\s]{1,500})"\)')
_CONFIG = re.compile(r'"(wg\w+)":("(?:[^"\\]|\\.)*"|true|false|null|-?\d+)')
_ID: Any = etree.XPath("id($name)")
_ANY = "http://wiki.invalid/"  # where a page does not say where it was
_INTERLANGUAGE = re.compile(r"(?:en|de|fr|it|es|pt|ru|ko|zh)(?:-[a-z]+)?:\S")
_ADMINISTRATIVE = {"edit": "edit form", "history": "history", "submit": "edit form",
                   "info": "page information", "delete": "form", "protect": "form"}  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether this is a page that MediaWiki made.

    >>> recognises('<h1 id="firstHeading">引く</h1><div id="bodyContent">', "")
    True
    """
    return has_two_markers(_SIGNS, text)


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """The article that the snapshot shows, preceded by the redirect that led to it, if any."""
    url = snapshot.url or _own_url(root)
    config = _config(text)
    source = address.named_source(url, snapshot.hints.site, "mediawiki")
    host = address.source_of(url or _ANY)
    heading, body = (_by_id(root, name) for name in ("firstHeading", "bodyContent"))
    title = all_text(heading).strip() if heading is not None else ""
    name = str(config.get("wgPageName") or title).replace("_", " ")
    game = catalogue.game_of(source)
    facts = {"source": source, "engine": "mediawiki", "url": url, "game": game}
    chars = count_text(root)
    if view := _view(root, text, config):
        left_out = {f"not an article: {view}": chars}
        return [Page(name="", title=title, chars=chars, left_out=left_out, **facts)]  # type: ignore[arg-type]
    target = name + _fragment(root, text)
    note = _redirect_note(_by_id(root, "contentSub"), config, facts, target)
    composer = PageBuilder(name)
    manner = MarkupRules(
        contents=[element for element in (heading, body) if element is not None],
        outside=lambda element: _FRAME.get(element.get("id", ""), "page frame"),
        omit=_OMIT,
        link=partial(_link, url or _ANY, host, name),
        anchor=_anchor,
        kinds=_KINDS,
    )
    walk(root, manner, composer)
    if note:
        composer.left_out["page note"] -= note.kept
        composer.left_out = +composer.left_out
    page = composer.page(
        name=name,
        title=title,
        chars=chars - (note.kept if note else 0),
        categories=_categories(root, text, url),
        redirect=_target(root, url) if "redirectText" in text else None,
        old=_by_id(root, "mw-revision-info") is not None or _asks(url, "oldid"),
        via=bool(note) or _asks(url, "printable"),
        **facts,
    )
    return [note, page] if note else [page]


def read_fragment(html: str, source: str, name: str, url: str) -> Page:
    """The page of which the API gives the content alone, without the frame around it.

    >>> page = read_fragment("<p>カードを<b>引く</b>", "mtgwiki", "引く", "")
    >>> [p.text for p in page.passages], page.lost
    (['カードを引く'], 0)
    """
    (root, trouble), composer = parse(html), PageBuilder(name)
    if trouble:
        composer.warnings.append(ReadWarning("page", trouble))
    manner = MarkupRules(
        contents=[root],
        omit=_OMIT,
        link=partial(_link, url or _ANY, address.source_of(url or _ANY), name),
        anchor=_anchor,
        kinds=_KINDS,
    )
    walk(root, manner, composer)
    return composer.page(
        source=source,
        engine="mediawiki",
        name=name,
        url=url,
        title=name,
        game=catalogue.game_of(source),
        chars=count_text(root),
    )


def _by_id(root: Element, name: str) -> Element | None:
    """The element of an id."""
    return next(iter(_ID(root, name=name)), None)


def _own_url(root: Element) -> str:
    """The page's address as it states it itself, where the snapshot does not tell."""
    stated = root.xpath('//link[@rel="canonical"]/@href | //*[@class="printfooter"]//a/@href')
    whole = [str(href) for href in stated if str(href).startswith("http")]
    return re.sub(r"[&?]oldid=\d+", "", whole[0]) if whole else ""


def _config(text: str) -> dict[str, object]:
    """What the page's own script says of it (`wgPageName` and the like)."""
    config = {}
    for key, value in _CONFIG.findall(text):
        try:
            config[key] = json.loads(value)
        except ValueError:
            continue
    return config


def _view(root: Element, text: str, config: dict[str, object]) -> str:
    """What a page is that is no article; empty for an article."""
    action = str(config.get("wgAction", "view"))
    if action in _ADMINISTRATIVE:
        return _ADMINISTRATIVE[action]
    if config.get("wgCanonicalNamespace") == "Special" or config.get("wgNamespaceNumber") == -1:
        return "special page"
    if _DIFFERENCE.search(text) and root.xpath('//table[contains(@class,"diff")]'):
        return "difference"
    if config.get("wgArticleId") == 0 or (
        "noarticletext" in text and root.xpath('//*[contains(@class,"noarticletext")]')
    ):
        return "missing page"
    return ""


def _asks(url: str, field: str) -> bool:
    return bool(re.search(rf"[?&]{field}=", url))


def _redirected_from(note: Element, config: dict[str, object]) -> str:
    stated = config.get("wgRedirectedFrom")
    if stated:
        return str(stated).replace("_", " ")
    for href in note.xpath('.//a[contains(@href,"redirect=no")]/@href')[:1]:
        found = address.read(str(href), _ANY)
        return found.name if found else ""
    return ""


def _redirect_note(
    stated: Element | None, config: dict[str, object], facts: dict[str, str | None], target: str
) -> Page | None:
    """The redirect that led to this page, as a page of its own."""
    origin = _redirected_from(stated, config) if stated is not None else ""
    if not origin:
        return None
    run = TextRun()
    run.text(all_text(stated))
    composer = PageBuilder(origin)
    composer.add(run.passage("note"))
    page = composer.page(name=origin, title=origin, redirect=target, **facts)
    return page.with_(chars=page.kept)


def _target(root: Element, url: str) -> str | None:
    """Where a redirect page, seen as itself, points to."""
    for href in root.xpath('//*[contains(@class,"redirectText")]//a/@href')[:1]:
        if found := address.read(str(href), url or _ANY):
            return f"{found.name}#{found.anchor}" if found.anchor else found.name
    return None


def _fragment(root: Element, text: str) -> str:
    """The section that a redirect led to, with its mark; it stands in the page's script or, in
    newer versions, in the canonical address."""
    stated = [f"/wiki/x{found[1]}" for found in _TO_FRAGMENT.finditer(text)]
    stated += [str(href) for href in root.xpath('//link[@rel="canonical"]/@href')]
    places = (address.read(href, _ANY) for href in stated)
    return next((f"#{place.anchor}" for place in places if place and place.anchor), "")


def _categories(root: Element, text: str, url: str) -> tuple[str, ...]:
    stated = _by_id(root, "catlinks")
    if stated is None:
        return ()
    links = stated.xpath('.//*[@id="mw-normal-catlinks"]//li/a/@href')
    links = links or stated.xpath(".//a[position()>1]/@href")
    found = (address.read(str(href), url or _ANY) for href in links)
    return tuple(place.name.partition(":")[2] or place.name for place in found if place)


def _title(element: Element) -> PassageKind | None:
    return "title" if element.get("id") == "firstHeading" else None


def interlanguage(link: Element) -> PassageKind | None:
    """A note, if the link leads to another language: then it is no part of the text before it."""
    return "note" if _INTERLANGUAGE.match(link.text or "") else None


_KINDS = {"h1": _title, "a": interlanguage}


def _link(url: str, host: str, name: str, element: Element) -> LinkTarget | None:
    classes = element.get("class", "").split()
    if "selflink" in classes:
        return LinkTarget("page", name)
    if element.tag != "a":
        return None
    href = element.get("href", "")
    if href.startswith("#"):
        found = address.read("http://x.invalid/wiki/" + href)
        return LinkTarget("anchor", name, found.anchor if found else "")
    if not href or "external" in classes or "extiw" in classes:
        return LinkTarget("external", href) if href else None
    found = address.read(href, url)
    if found is None or found.source != host:
        return LinkTarget("external", href)
    return LinkTarget("missing" if found.redlink else "page", found.name, found.anchor)


def _anchor(heading: Element) -> str:
    for anchor in heading.xpath('.//*[contains(@class,"mw-headline")]/@id')[:1]:
        found = address.read(f"http://x.invalid/wiki/#{anchor}")
        return found.anchor if found else ""
    return str(heading.get("id", ""))
