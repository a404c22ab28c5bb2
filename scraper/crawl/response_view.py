"""What a crawler sees in an answer: whether it is a page, whose, its marks and its links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from scraper.crawl.robots import marks
from scraper.crawl.urls import tidy
from scraper.detect import read_pages
from scraper.markup.html_walk import Element, parse
from scraper.page import Page
from scraper.sites import mediawiki, pukiwiki
from scraper.sources.charset import decode
from scraper.sources.snapshot import Snapshot

MOST_LINKS = 5000  # that are followed from one page
_MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body|div|table|p|a|h1|title)\b", re.IGNORECASE)
_OTHER_THINGS = (
    b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"Rar!\x1a",
)  # fmt: skip
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_NEITHER = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class ResponseView:
    """What an answer shows.

    engine: the wiki engine that made it (`mediawiki`, `pukiwiki`), or nothing.
    pages: as sansho reads it; none if it knows no such page.
    marks: of `noindex` and `nofollow` those that stand in it.
    canonical: the address that it gives as its own, or nothing.
    links: the addresses that it links to, in their one form, in the page's order.
    """

    text: str
    charset: str
    engine: str = ""
    pages: tuple[Page, ...] = ()
    marks: frozenset[str] = frozenset()
    canonical: str = ""
    links: tuple[str, ...] = ()

    @property
    def other_view(self) -> str:
        """What it is, if it is a wiki's and no article: a form, a list, an error."""
        if not self.engine or not self.pages or any(page.name for page in self.pages):
            return ""
        return next(iter(self.pages[0].left_out), "no article")


def no_text(data: bytes) -> bool:
    """Whether bytes are no page, whatever they are declared as.

    >>> no_text(b"\\x89PNG\\r\\n..."), no_text("カード".encode("euc_jp"))
    (True, False)
    """
    if data.startswith(_UTF16):
        return False
    if data.startswith(_OTHER_THINGS):
        return True
    start = data[:4096]
    return b"\x00" in data[:65536] or len(_NEITHER.findall(start)) > len(start) // 20


def view_response(
    url: str, body: bytes, content_type: str, robots: Sequence[str] = (), most: int | None = None
) -> ResponseView:
    """What is to be seen in an answer; `robots` are its X-Robots-Tags, `most` the most links."""
    decoded = decode(body, content_type)
    text = decoded.text
    snapshot = Snapshot(url, body, url=url, content_type=content_type)
    pages = tuple(read_pages(snapshot)[0])
    said = list(robots)
    if not _MARKUP.search(text[:65536]):
        return ResponseView(text, decoded.charset, pages=pages, marks=marks(said))
    engine = "pukiwiki" if pukiwiki.recognises(text, url) else ""
    engine = engine or ("mediawiki" if mediawiki.recognises(text, url) else "")
    root = parse(text)
    if root is None:
        return ResponseView(text, decoded.charset, engine, pages, marks(said))
    base = url
    for element in root.iter("base"):
        base = tidy(element.get("href", ""), url) or url
        break
    said += [
        meta.get("content", "")
        for meta in root.iter("meta")
        if meta.get("name", "").strip().lower() in {"robots", "sansho"}
    ]
    canonical = ""
    for link in root.iter("link"):
        if "canonical" in link.get("rel", "").lower().split():
            canonical = tidy(link.get("href", ""), base) or ""
            break
    links = tuple(dict.fromkeys(_links(root, base, decoded.charset)))[: most or MOST_LINKS]
    return ResponseView(text, decoded.charset, engine, pages, marks(said), canonical, links)


def _links(root: Element, base: str, charset: str) -> Iterator[str]:
    for element in root.iter("a", "area", "frame", "iframe"):
        href = element.get("href") or element.get("src") or ""
        if not href or href.startswith("#") or "nofollow" in element.get("rel", "").lower():
            continue
        if not href.isascii():
            href = _escaped(href, charset)
        try:
            joined = urljoin(base, href.strip())
        except ValueError:
            continue
        if found := tidy(joined):
            yield found


def _escaped(href: str, charset: str) -> str:
    """An address in letters beyond ASCII, as browsers send it: what follows the question mark in
    the charset of the page."""
    path, mark, query = href.partition("?")
    with suppress(UnicodeEncodeError, LookupError):
        query = re.sub(r"[^\x00-\x7f]+", lambda m: quote(m[0].encode(charset)), query)
    return path + mark + query
