"""MediaWiki's Special:Export and dumps (schemas 0.4 to 0.11), read as a stream.

One page is in memory at a time, whatever the length of the file. What the export says of a
page besides its text (title, times, authors…) is counted, page by page, as "export metadata";
what it says of the wiki is counted with the first page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple
from urllib.parse import quote

from lxml import etree

from scraper.markup.html_walk import Element, all_text
from scraper.page import Page, ReadWarning, text_size
from scraper.sites import address
from scraper.sites.mediawiki_source import read_source
from scraper.sources.archive import BROKEN
from scraper.sources.snapshot import Snapshot

LONGEST = 16 * 1024 * 1024  # characters of one page's text
_METADATA = "export metadata"
_ROOT = b"<mediawiki"
_WIKITEXT = frozenset(("", "wikitext"))


def recognises(text: str, url: str) -> bool:
    """Whether a document is an export.

    >>> recognises('<mediawiki version="0.11">', "")
    True
    """
    return "<mediawiki" in text[:4096]


class Entry(NamedTuple):
    """One page of an export as it stands there: its newest revision; how many characters there
    are `besides`, by reason; what is `broken` in the XML, if that breaks off behind it."""

    title: str
    url: str
    source: str
    text: str
    model: str
    redirect: str | None
    besides: Mapping[str, int]
    broken: str = ""


def pages(snapshot: Snapshot) -> Iterator[Page]:
    """Each page of an export, by its newest revision."""
    return map(read, entries(snapshot))


def entries(snapshot: Snapshot) -> Iterator[Entry]:
    """Each page of an export, not yet read.

    Reading starts at the root element: a document type, and with it every entity, is passed
    over. Where the XML breaks off, the last page says so.
    """
    start = snapshot.data.find(_ROOT)
    if start >= 0:
        with snapshot.open() as stream:
            stream.seek(start)
            yield from _entries(snapshot, stream)


def read(entry: Entry) -> Page:
    """The page that an entry is."""
    page = _read(entry)
    broken = (ReadWarning("export", f"XML is broken: {entry.broken}"),) if entry.broken else ()
    return page.with_(
        redirect=page.redirect or (entry.redirect if page.passages else None),
        chars=page.chars + sum(entry.besides.values()),
        left_out={**page.left_out, **entry.besides},
        warnings=(*page.warnings, *broken),
    )


def _entries(snapshot: Snapshot, stream: IO[bytes]) -> Iterator[Entry]:
    state, last = _Dump(snapshot), None
    events = etree.iterparse(
        stream,
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
            if entry := state.element(element):
                if last:
                    yield last
                last = entry
    except (etree.LxmlError, ValueError, *BROKEN) as error:
        broken = str(error)
    log = list(events.error_log)
    if last and (broken or log):
        last = last._replace(broken=broken or log[0].message)
    if last:
        yield last


@dataclass(slots=True)
class _Revision:
    time: str = ""
    text: str = ""
    model: str = ""


@dataclass(slots=True)
class _Dump:
    """What is known so far of the wiki, and of the page whose revisions go by."""

    snapshot: Snapshot
    base: str = ""
    metadata: int = 0
    older: int = 0
    newest: _Revision | None = field(default=None)

    def element(self, element: Element) -> Entry | None:
        """Take in an element that has ended; of a page, make its entry."""
        entry = None
        kind = etree.QName(element).localname
        if kind == "siteinfo":
            self.metadata += text_size(all_text(element))
            self.base = _child(element, "base")
        elif kind == "revision":
            self.revision(element)
        else:
            entry = self.entry(element)
        _forget(element)
        return entry

    def revision(self, element: Element) -> None:
        found = _Revision(
            _child(element, "timestamp"), _child(element, "text"), _child(element, "model")
        )
        self.metadata += text_size(all_text(element)) - text_size(found.text)
        if self.newest is None or found.time >= self.newest.time:
            self.older += text_size(self.newest.text) if self.newest else 0
            self.newest = found
        else:
            self.older += text_size(found.text)

    def entry(self, element: Element) -> Entry:
        title = " ".join(_child(element, "title").replace("_", " ").split())
        revision = self.newest or _Revision()
        url = self.url(title)
        source = address.named_source(url, self.snapshot.hints.site, "mediawiki")
        besides = {
            _METADATA: self.metadata + text_size(all_text(element)),
            "older revision": self.older,
        }
        besides = {reason: number for reason, number in besides.items() if number}
        self.metadata, self.older, self.newest = 0, 0, None
        redirect = _redirect(element)
        return Entry(title, url, source, revision.text, revision.model, redirect, besides)

    def url(self, title: str) -> str:
        """Where the wiki serves a page, by the address that it gives for its main page."""
        base = re.match(r"(https?://[^/\s]+/wiki/)", self.base)
        path = quote(title.replace(" ", "_"), safe="/:(),", errors="replace")
        return base[1] + path if base and title else self.snapshot.url


def _read(entry: Entry) -> Page:
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
    return next((all_text(child) for child in element.iterchildren("{*}" + name)), "")


def _redirect(element: Element) -> str | None:
    for child in element.iterchildren("{*}redirect"):
        return str(child.get("title", "")).partition("#")[0].replace("_", " ") or None
    return None


def _forget(element: Any) -> None:
    """Free what has been read: the element and those before it."""
    element.clear(keep_tail=False)
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        if etree.QName(element).localname == "revision":
            break
        del parent[0]
