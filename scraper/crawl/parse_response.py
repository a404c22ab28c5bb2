"""Parses a fetched document for the crawler: its engine, pages, robots directives and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from scraper.crawl import robots
from scraper.crawl.urls import tidy
from scraper.detect_format import read_pages
from scraper.markup.html_walk import Element, parse
from scraper.page import Page
from scraper.rulebook.pdf import MAGIC
from scraper.sites import mediawiki, pukiwiki
from scraper.sources.charset import decode
from scraper.sources.saved_pages import Snapshot

# Links that are followed from one page. A guard against pages made of links; long lists of a wiki
# have some thousand.
MOST_LINKS = 5000
_MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body|div|table|p|a|h1|title)\b", re.IGNORECASE)
_BINARY_SIGNATURES = (
    b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!\x1a",
)  # fmt: skip
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Not tab, line ends, or ESC, which ISO-2022-JP has.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class ResponseView:
    """A parsed document.

    text: the decoded document.
    charset: the charset that it was decoded with.
    engine: the wiki engine that made it (`mediawiki`, `pukiwiki`), or empty.
    pages: the pages that sansho reads in it; empty if its format is not supported.
    marks: which of the robots directives `noindex` and `nofollow` apply to it.
    canonical: the address that it declares as its own, or empty.
    links: the addresses that it links to, as `scraper.crawl.urls.tidy` writes them, in the
        document's order and without duplicates.
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
        """The kind of view that a wiki's document is if it is not an article.

        It is the reason for which its text is left out, `no article` if there is none. Empty for
        an article, and for a document without `engine` or `pages`.
        """
        if not self.engine or not self.pages or any(page.name for page in self.pages):
            return ""
        return next(iter(self.pages[0].left_out), "no article")


def no_text(data: bytes) -> bool:
    """Whether bytes are binary data and neither text nor a PDF, whatever they are declared as.

    True for the signature of an image or archive, for a NUL in the first 64 KiB, and for more
    than 5 % control characters in the first 4 KiB. False for no bytes at all, and for anything that
    begins with a UTF-16 byte order mark, or as a PDF does.

    >>> no_text(b"\\x89PNG\\r\\n..."), no_text("カード".encode("euc_jp"))
    (True, False)
    """
    if data.startswith((*_UTF16_MARKS, MAGIC)):
        return False
    if data.startswith(_BINARY_SIGNATURES):
        return True
    start = data[:4096]
    return b"\x00" in data[:65536] or len(_CONTROL.findall(start)) > len(start) // 20


def view_response(
    url: str,
    body: bytes,
    content_type: str,
    robots_headers: Sequence[str] = (),
    max_links: int | None = None,
) -> ResponseView:
    """Parse the body of an answer. Never raises because of what it holds.

    A document without HTML markup has no engine, canonical address or links; of a PDF nothing is
    read. Links to other sites
    are returned too, and so are the links of a page with the mark `nofollow`; only links that are
    themselves `nofollow` are ignored.

    url: the address that it was fetched from, which relative links start from.
    body: its bytes, without content coding.
    content_type: its Content-Type header, or empty.
    robots_headers: the values of its X-Robots-Tag headers.
    max_links: the most links that are returned; None or 0 for `MOST_LINKS`.
    """
    if body.startswith(MAGIC):  # a rulebook, perhaps: the build reads it
        return ResponseView("", "", marks=robots.parse_directives(robots_headers))
    decoded = decode(body, content_type)
    text = decoded.text
    snapshot = Snapshot(url, body, url=url, content_type=content_type)
    pages = tuple(read_pages(snapshot)[0])
    rules = list(robots_headers)
    if not _MARKUP.search(text[:65536]):
        return ResponseView(
            text, decoded.charset, pages=pages, marks=robots.parse_directives(rules)
        )
    engine = "pukiwiki" if pukiwiki.recognises(text, url) else ""
    engine = engine or ("mediawiki" if mediawiki.recognises(text, url) else "")
    root = parse(text).root
    base = url
    for element in root.iter("base"):
        base = tidy(element.get("href", ""), url) or url
        break
    rules += [
        meta.get("content", "")
        for meta in root.iter("meta")
        if meta.get("name", "").strip().lower() in {"robots", robots.NAME}
    ]
    canonical = ""
    for link in root.iter("link"):
        if "canonical" in link.get("rel", "").lower().split():
            canonical = tidy(link.get("href", ""), base) or ""
            break
    links = tuple(dict.fromkeys(_links(root, base, decoded.charset)))[: max_links or MOST_LINKS]
    return ResponseView(
        text, decoded.charset, engine, pages, robots.parse_directives(rules), canonical, links
    )


def _links(root: Element, base: str, charset: str) -> Iterator[str]:
    """Yield the absolute addresses that a document links to, as `tidy` writes them, in the order
    of the document; the same one again where it is linked again.

    They are the `href` or `src` of `a`, `area`, `frame` and `iframe`. Ignored are links marked
    `nofollow`, links within the document (`#…`), malformed ones, and those that `tidy` says no
    crawler can request, such as `mailto:`.

    base: the address that relative links start from.
    charset: the charset of the page, in which browsers encode the queries of its links.
    """
    for element in root.iter("a", "area", "frame", "iframe"):
        href = (element.get("href") or element.get("src") or "").strip()
        if not href or href.startswith("#") or "nofollow" in element.get("rel", "").lower().split():
            continue
        if not href.isascii():
            href = _percent_encoded(href, charset)
        try:
            joined = urljoin(base, href)
        except ValueError:
            continue
        if target := tidy(joined):
            yield target


def _percent_encoded(href: str, charset: str) -> str:
    """Return an address with its query percent-encoded in the charset of its page, as browsers do.

    The part before the query stays as it is; `tidy` encodes it in UTF-8.

    href: as it is in the page, relative or absolute.
    """
    path, mark, query = href.partition("?")
    with suppress(UnicodeEncodeError, LookupError):
        query = re.sub(r"[^\x00-\x7f]+", lambda match: quote(match[0].encode(charset)), query)
    return path + mark + query
