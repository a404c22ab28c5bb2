"""Reads the pages of wikis that DokuWiki serves (https://www.dokuwiki.org).

What is content, what is left out and why, and what a link is; the walk over the tree is sansho's.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs, unquote, urlsplit

from scraper import Page, Snapshot
from scraper.markup.html_walk import Element, MarkupRules, count_text, walk
from scraper.markup.page_builder import LinkTarget, PageBuilder
from scraper.sites import page_address, site_catalogue

_GENERATOR = re.compile(r'<meta name="generator" content="DokuWiki')
_OMITTED = {
    "#dw__toc": "table of contents",
    ".secedit": "edit button",
    ".docInfo": "page frame",
    "script": "script",
}


def recognises(text: str, url: str) -> bool:
    """Whether a document says that DokuWiki made it."""
    return _GENERATOR.search(text[:8192]) is not None


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the article that a document shows; one without a name for any other view, such as the
    list of old revisions.

    >>> from scraper.markup.html_walk import parse
    >>> html = '''<meta name="generator" content="DokuWiki"/>
    ... <link rel="canonical" href="https://w.example/doku.php?id=hand_size"/>
    ... <div class="dokuwiki mode_show"><div id="dokuwiki__content"><h1>Hand size</h1>
    ... <p>See <a class="wikilink1" href="/doku.php?id=hand">the hand</a>.</p></div></div>'''
    >>> [page] = read(Snapshot("a.html", b"", "https://w.example/"), html, parse(html).root)
    >>> page.name, [passage.text for passage in page.passages]
    ('hand size', ['Hand size', 'See the hand.'])
    >>> page.passages[1].links[0].target
    'hand'
    """
    contents = root.xpath('//*[@id="dokuwiki__content"]//*[contains(@class, "page ")]')
    builder = PageBuilder()
    walk(
        root,
        MarkupRules(
            contents[:1] or root.xpath('//*[@id="dokuwiki__content"]'),
            omit=_OMITTED,
            links={"a": _link},
            anchor=lambda heading: heading.get("id", ""),
        ),
        builder,
    )
    is_article = root.xpath('boolean(//*[contains(@class, "mode_show")])')
    name = _name(root) if is_article else ""
    source = page_address.named_source(snapshot.url, snapshot.hints.site, "dokuwiki")
    title = next((part.text for part in builder.passages if part.kind == "heading"), name)
    return [
        builder.page(
            source=source,
            name=name,
            title=title,
            url=snapshot.url,
            lang=root.get("lang", "ja")[:2],
            game=snapshot.hints.game or site_catalogue.game_of(source),
            form="html",
            chars=count_text(root),
        )
    ]


def _name(root: Element) -> str:
    """Return the name of the page that a document says it is; empty if it says none."""
    stated = root.xpath('//link[@rel="canonical"]/@href')
    return _page_at(stated[0]) if stated else ""


def _page_at(address: str) -> str:
    """Return the name of the page at an address (`doku.php?id=NAME`, or `/NAME`), with spaces for
    underscores; empty for a file or a list of changes."""
    parts = urlsplit(address)
    query = parse_qs(parts.query)
    if "do" in query or "/lib/" in parts.path:
        return ""
    last = unquote(parts.path.rpartition("/")[2])
    name = query.get("id", [last if last != "doku.php" else "start"])[0]
    return name.strip(":").replace("_", " ")


def _link(element: Element) -> LinkTarget | str | None:
    """Return what a link leads to: a page, one that isn't written yet, or another site."""
    classes, address = element.get("class", "").split(), element.get("href", "")
    if address.startswith("#") or not address:
        return None
    if "wikilink1" in classes or "wikilink2" in classes:
        name = (element.get("data-wiki-id") or _page_at(address)).replace("_", " ").strip(":")
        written = "wikilink1" in classes
        anchor = urlsplit(address).fragment
        return LinkTarget("page" if written else "missing", name, anchor) if name else None
    return LinkTarget("external", address) if address.startswith("http") else None
