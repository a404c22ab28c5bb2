"""Parses MediaWiki's XML exports and dumps (schemas 0.4 to 0.11) as a stream of pages.

Only one page is in memory at a time. What the export has besides the text of a page (title, times,
authors) is counted for each page under the reason "export metadata"; its data about the wiki are
counted with the first page.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple
from urllib.parse import quote

from lxml import etree

from scraper.markup.html_walk import Element, all_text
from scraper.markup.size_limits import fit_text
from scraper.page import Page, ReadWarning, text_size
from scraper.sites import page_address
from scraper.sites.mediawiki_source import read_source
from scraper.sources.archive import BROKEN
from scraper.sources.saved_pages import Snapshot

# Characters of one page's text. A guard against memory; MediaWiki takes 2 MB unless it is set up
# otherwise.
LONGEST = 16 * 1024 * 1024
_METADATA = "export metadata"
_ROOT = b"<mediawiki"
_REFERENCE = re.compile("&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
# Digits of a reference to a character, which has 7 at most (more are zeros in front), and how far
# before a block's end one is looked for, to be held for the next block. Guards of time: any number
# above 7 and above 10 would do.
_LONGEST_NUMBER, _LONGEST_REFERENCE = 12, 64
_WIKITEXT = frozenset(("", "wikitext"))  # content models; older schemas have none


def recognises(text: str, url: str) -> bool:
    """Whether a text is an export, by its first 4,096 characters. The URL is ignored.

    >>> recognises('<mediawiki version="0.11">', "")
    True
    """
    return "<mediawiki" in text[:4096]


class Entry(NamedTuple):
    """A page of an export that is not yet parsed, by its newest revision.

    title: the name of the page.
    url: the page's URL on its wiki, or the URL of the export if that is not known.
    source: the name of the source.
    text: the wikitext, or a text of another content model.
    model: the content model of the text; empty or `wikitext` for wikitext.
    redirect: the target if the export marks the page as a redirect; may be None even then.
    besides: the number of characters in the export that are not its text, by reason.
    broken: the error of the XML parser if the export is broken behind this page; else empty.
    """

    title: str
    url: str
    source: str
    text: str
    model: str
    redirect: str | None
    besides: Mapping[str, int]
    broken: str = ""


def pages(snapshot: Snapshot) -> Iterator[Page]:
    """Yield each page of an export, by its newest revision, in the export's order.

    Nothing if it has no pages. If the XML is broken, the last page has a warning.
    """
    return map(read, entries(snapshot))


def entries(snapshot: Snapshot) -> Iterator[Entry]:
    """Yield each page of an export, not yet parsed.

    Parsing starts at the root element, so that a document type and its entities are ignored. If
    the XML is broken, the last entry before that has the error in `broken`. Nothing is yielded if
    there is no root element or no whole page; nothing is raised for broken XML.
    """
    start = snapshot.data.find(_ROOT)
    if start >= 0:
        with snapshot.open() as stream:
            stream.seek(start)
            yield from _stream_entries(snapshot, stream)


def read(entry: Entry) -> Page:
    """Parse an entry into its page.

    The page has no passages if the text is not wikitext or longer than `LONGEST`; `left_out` has
    the reason. What the export has besides the text is in `chars` and `left_out`, too.
    """
    page = _page_of_text(entry)
    broken = (ReadWarning("export", f"XML is broken: {entry.broken}"),) if entry.broken else ()
    return page.with_(
        redirect=page.redirect or (entry.redirect if page.passages else None),
        chars=page.chars + sum(entry.besides.values()),
        left_out={**page.left_out, **entry.besides},
        warnings=(*page.warnings, *broken),
    )


def _stream_entries(snapshot: Snapshot, stream: IO[bytes]) -> Iterator[Entry]:
    """Yield the pages of an export from a stream that begins at its root element.

    An entry is yielded only when the next one has been read, as it may be the last one: that has
    the error of broken XML, and the metadata behind the pages.
    """
    parser, last = _ExportParser(snapshot), None
    events = etree.iterparse(
        _FitXml(stream),
        events=("end",),
        tag=("{*}page", "{*}revision", "{*}siteinfo"),
        recover=True,
        huge_tree=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    broken = ""
    try:
        for _, element in events:
            if entry := parser.take_element(element):
                if last:
                    yield last
                last = entry
    except (etree.LxmlError, ValueError, *BROKEN) as error:
        broken = str(error)
    log = list(events.error_log)
    if last and (broken or log):
        last = last._replace(broken=broken or log[0].message)
    left = text_size(all_text(events.root)) if events.root is not None else 0
    if last and (rest := parser.metadata + left):
        besides = {**last.besides, _METADATA: last.besides.get(_METADATA, 0) + rest}
        last = last._replace(besides=besides)
    if last:
        yield last


@dataclass(slots=True)
class _Revision:
    """A revision of a page; its time is in ISO 8601, empty if it states none."""

    time: str = ""
    text: str = ""
    model: str = ""


@dataclass(slots=True)
class _ExportParser:
    """Builds entries from the elements of an export.

    base: the URL of the wiki's main page.
    metadata: the number of characters of metadata since the last page.
    older: the number of characters in replaced revisions of the current page.
    newest: the newest revision of the current page so far.
    """

    snapshot: Snapshot
    base: str = ""
    metadata: int = 0
    older: int = 0
    newest: _Revision | None = field(default=None)

    def take_element(self, element: Element) -> Entry | None:
        """Process an element that has ended, and free its memory.

        Return the entry if it is a `page`; None for a `revision` or `siteinfo`, which are only
        kept for the pages that end later.
        """
        entry = None
        kind = etree.QName(element).localname
        if kind == "siteinfo":
            self.metadata += text_size(all_text(element))
            self.base = _child(element, "base")
        elif kind == "revision":
            self.take_revision(element)
        else:
            entry = self.make_entry(element)
        self.metadata += _free(element)
        return entry

    def take_revision(self, element: Element) -> None:
        """Keep a revision if it is the newest so far; only count it if not.

        Of revisions with the same time the last is the newest.

        element: the `revision` element.
        """
        revision = _Revision(
            _child(element, "timestamp"), _child(element, "text"), _child(element, "model")
        )
        self.metadata += text_size(all_text(element)) - text_size(revision.text)
        if self.newest is None or revision.time >= self.newest.time:
            self.older += text_size(self.newest.text) if self.newest else 0
            self.newest = revision
        else:
            self.older += text_size(revision.text)

    def make_entry(self, element: Element) -> Entry:
        """Return the entry of a page that has ended, and reset what belongs to it.

        element: the `page` element; its revisions have been taken before.
        """
        title = " ".join(_child(element, "title").replace("_", " ").split())
        revision = self.newest or _Revision()
        url = self.page_url(title)
        source = page_address.named_source(url, self.snapshot.hints.site, "mediawiki")
        besides = {
            _METADATA: self.metadata + text_size(all_text(element)),
            "older revision": self.older,
        }
        besides = {reason: number for reason, number in besides.items() if number}
        self.metadata, self.older, self.newest = 0, 0, None
        redirect = _redirect(element)
        return Entry(title, url, source, revision.text, revision.model, redirect, besides)

    def page_url(self, title: str) -> str:
        """Return the URL of a page, by the URL of the wiki's main page; else the export's URL.

        The export's is returned if `base` is not of the form `https://…/wiki/…`, or the title is
        empty.
        """
        base = re.match(r"(https?://[^/\s]+/wiki/)", self.base)
        path = quote(title.replace(" ", "_"), safe="/:(),", errors="replace")
        return base[1] + path if base and title else self.snapshot.url


def _page_of_text(entry: Entry) -> Page:
    """Parse the text of an entry. One that can't be parsed is left out under a reason.

    The reason is `not wikitext: MODEL` or `longer than is read` (than `LONGEST`); the page then has
    no passages. `besides`, `redirect` and `broken` of the entry are not yet in the page.
    """
    if entry.model not in _WIKITEXT:
        reason = f"not wikitext: {entry.model}"
    elif len(entry.text) > LONGEST:
        reason = "longer than is read"
    else:
        return read_source(entry.text, entry.source, entry.title, entry.url)
    page = read_source("", entry.source, entry.title, entry.url)
    amount = text_size(entry.text)
    return page.with_(chars=amount, left_out={reason: amount} if amount else {})


def _child(element: Element, name: str) -> str:
    """Return all text in an element's first child with a name; empty if there is none.

    name: the local name; the namespace may be any.
    """
    return next((all_text(child) for child in element.iterchildren("{*}" + name)), "")


def _redirect(element: Element) -> str | None:
    """Return the name of the page that a page element redirects to, or None if it states none.

    The section that it may redirect to is dropped.
    """
    for child in element.iterchildren("{*}redirect"):
        return str(child.get("title", "")).partition("#")[0].replace("_", " ") or None
    return None


def _free(element: Any) -> int:
    """Free the memory of an element that was processed, and of those before it.

    Return the number of characters that nobody has counted: what stands between the pages, or in
    elements that no export has. What is before a `revision` is kept, as it is needed until its
    page ends.
    """
    element.clear(keep_tail=True)  # text behind it, if it has been read already, is counted later
    parent = element.getparent()
    size = 0
    while parent is not None and element.getprevious() is not None:
        if etree.QName(element).localname == "revision":
            break  # what is before it (the title, for one) is needed until the page ends
        size += text_size(all_text(parent[0])) + text_size(parent[0].tail or "")
        del parent[0]
    return size


class _FitXml:
    """An export as a file in which everything is a character of XML.

    Bytes that are not UTF-8, and references to what is no character, become U+FFFD: the XML
    parser would drop them, and what is around them.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # the beginning of a reference that the next bytes complete

    def read(self, size: int = -1) -> bytes:
        """Return about as many bytes as are asked for; none only at the end."""
        while True:
            data = self._stream.read(size)
            text = self._held + self._decoder.decode(data, final=not data)
            self._held = ""
            start = text.rfind("&#", -_LONGEST_REFERENCE) if data else -1
            if data and start < 0 and text.endswith("&"):
                start = len(text) - 1
            if start >= 0 and ";" not in text[start:]:
                text, self._held = text[:start], text[start:]
            if text or not data:
                break
        text = fit_text(text)
        return (_REFERENCE.sub(_fit_reference, text) if "&#" in text else text).encode()


def _fit_reference(reference: re.Match[str]) -> str:
    """Return a numeric reference as it is, or `&#xFFFD;` if it names no character of XML."""
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    number = int(digits, base) if len(digits) <= _LONGEST_NUMBER else 0
    is_fit = 0 < number < 0x110000 and fit_text(chr(number)) == chr(number)
    return reference[0] if is_fit else "&#xFFFD;"
