"""From a snapshot to pages: which site made it, and the one parser that reads it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from scraper.errors import SourceError
from scraper.markup.html_walk import Element, parse
from scraper.page import Page, ReadWarning
from scraper.rulebook import pdf
from scraper.sites import (
    address,
    catalogue,
    mediawiki,
    mediawiki_api,
    mediawiki_dump,
    mediawiki_source,
    name_list,
    pukiwiki,
    pukiwiki_source,
    rulebook,
    text_capture,
    wisdom_guild_card,
    wisdom_guild_rules,
)
from scraper.sources.charset import decode
from scraper.sources.snapshot import Snapshot


class HtmlSite(Protocol):
    """What every site that serves HTML has."""

    def recognises(self, text: str, url: str) -> bool:
        """Whether the text is a page of this site."""

    def read(self, snapshot: Snapshot, text: str, root: Element) -> list[Page]:
        """The pages that the snapshot shows."""


class TextSite(Protocol):
    """What every site that is kept as plain text has."""

    def recognises(self, text: str, url: str) -> bool:
        """Whether the text is a document of this kind."""

    def read(self, snapshot: Snapshot, text: str) -> list[Page]:
        """The pages that the snapshot shows."""


HTML_SITES: tuple[HtmlSite, ...] = (pukiwiki, mediawiki, wisdom_guild_card, wisdom_guild_rules)
TEXT_SITES: tuple[TextSite, ...] = (name_list, pukiwiki_source, rulebook, text_capture)
_HINTED_TEXT: dict[str, TextSite] = {
    "rulebook": rulebook, "namelist": name_list, "pukiwiki": pukiwiki_source,
}  # fmt: skip
_HINTED: dict[str, HtmlSite] = {
    "mediawiki": mediawiki, "pukiwiki": pukiwiki, "wisdomguild": wisdom_guild_rules,
}  # fmt: skip
_SOURCE_VIEW = re.compile(r"ソース|[?&](?:plugin|action)=source")
_END = re.compile(r"</html>\s*(?:<!--.*?-->\s*)*$", re.S | re.I)
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|div|table|p)\b", re.IGNORECASE)


def read_pages(snapshot: Snapshot) -> tuple[list[Page], list[ReadWarning]]:
    """The pages in a snapshot, and what could not be read of it.

    Never raises for what the bytes hold: a page that no parser knows gives no page and a
    warning that says so.
    """
    found = list(stream_pages(snapshot))
    pages = [page for page in found if isinstance(page, Page)]
    return pages, [warn for warn in found if isinstance(warn, ReadWarning)]


def stream_pages(snapshot: Snapshot) -> Iterator[Page | ReadWarning]:
    """The same one after the other: of a dump, one page is in memory at a time."""
    for part in parts(snapshot):
        yield from read_part(part)


@dataclass(frozen=True, slots=True)
class Part:
    """What can be read by itself, wherever that is: a snapshot, or one page of a dump (then
    the snapshot is without its bytes)."""

    snapshot: Snapshot
    entry: mediawiki_dump.Entry | None = None

    @property
    def identity(self) -> bytes:
        """The same for parts that are read alike: see `Snapshot.identity`."""
        if not self.entry:
            return self.snapshot.identity
        said = repr(self.entry).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(self.snapshot.identity + said, digest_size=16).digest()

    @property
    def sha256(self) -> str:
        """The hash of the bytes, in hex; of a page of a dump, of what the dump has of it."""
        if not self.entry:
            return self.snapshot.sha256
        return hashlib.sha256(repr(self.entry).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def size(self) -> int:
        """About how much there is to read."""
        return len(self.entry.text if self.entry else self.snapshot.data)


def parts(snapshot: Snapshot) -> Iterator[Part]:
    """The parts of a snapshot, in their order; of a dump, one is in memory at a time."""
    if snapshot.stream is None:
        yield Part(snapshot)
        return
    dump = replace(snapshot, data=b"", stream=None)
    for entry in mediawiki_dump.entries(snapshot):
        yield Part(dump, entry)


def read_part(part: Part) -> Iterator[Page | ReadWarning]:
    """The pages of a part, and what could not be read of it."""
    snapshot = part.snapshot
    if part.entry:
        pages = [mediawiki_dump.read(part.entry)]
    else:
        pages, warnings = _read(snapshot)
        yield from warnings
    for page in pages:
        yield _hinted(page, snapshot)
        yield from (ReadWarning(f"{snapshot.where}: {w.where}", w.what) for w in page.warnings)


def _read(snapshot: Snapshot) -> tuple[list[Page], list[ReadWarning]]:
    if snapshot.data.startswith(pdf.MAGIC):
        return _printed(snapshot)
    decoded = decode(snapshot.data, snapshot.content_type)
    warnings = [ReadWarning(f"{snapshot.where}: {w.where}", w.what) for w in decoded.warnings]
    text = decoded.text
    if not text.strip() and not pukiwiki_source.named_by_file(snapshot.where):
        return [], [*warnings, ReadWarning(snapshot.where, "an empty file")]
    pages: list[Page]
    special = _special(snapshot, text)
    if special is not None:
        pages, trouble = special
    elif _MARKUP.search(text[:8192]):
        pages, trouble = _html(snapshot, text)
    else:
        pages, trouble = _plain(snapshot, text)
    return pages, [*warnings, *(ReadWarning(snapshot.where, what) for what in trouble)]


def _printed(snapshot: Snapshot) -> tuple[list[Page], list[ReadWarning]]:
    """The rulebook that a PDF prints."""
    try:
        text = pdf.text_of(snapshot.data)
    except SourceError as error:
        return [], [ReadWarning(snapshot.where, str(error))]
    if snapshot.hints.site != "rulebook" and not rulebook.recognises(text, snapshot.url):
        return [], [ReadWarning(snapshot.where, "a PDF that is no numbered rulebook; left out")]
    return [page.with_(form="PDF") for page in rulebook.read(snapshot, text)], []


def _html(snapshot: Snapshot, text: str) -> tuple[list[Page], list[str]]:
    site = next((site for site in HTML_SITES if site.recognises(text, snapshot.url)), None)
    site = site or _HINTED.get(catalogue.engine_of(snapshot.hints.site or ""))
    if site is None:
        return [], ["a page of no site that sansho knows; left out (hint: --site)"]
    root, trouble = parse(text)
    pages: list[Page] = []
    if site is pukiwiki and _SOURCE_VIEW.search(_title(text) + snapshot.url):
        pages = pukiwiki_source.from_view(snapshot, text, root)
    pages = pages or site.read(snapshot, text, root)
    warnings = [trouble] if trouble else []
    if _END.search(text[-2000:]):
        return pages, warnings
    broken = "ends before its end (truncated?); read as far as it goes"
    return [page.with_(whole=False) for page in pages], [*warnings, broken]


def _title(text: str) -> str:
    return text[:8192].partition("<title>")[2].partition("<")[0]


def _plain(snapshot: Snapshot, text: str) -> tuple[list[Page], list[str]]:
    hint = snapshot.hints.site or ""
    site = _HINTED_TEXT.get(hint)
    if site is None and pukiwiki_source.named_by_file(snapshot.where):
        site = pukiwiki_source
    site = site or next((s for s in TEXT_SITES if s.recognises(text, snapshot.url)), None)
    site = site or (text_capture if hint else None)
    if site is None:
        return [], ["a text of no kind that sansho knows; left out (hint: --site)"]
    return site.read(snapshot, text), []


def _special(snapshot: Snapshot, text: str) -> tuple[list[Page], list[str]] | None:
    """What a document of MediaWiki's other forms gives; None for HTML and other plain text."""
    start = text[:2048].lstrip("\ufeff \r\n\t")
    if snapshot.content_type.startswith("text/x-wiki") or "action=raw" in snapshot.url:
        return mediawiki_source.read(snapshot, text), []
    if start.startswith("<") and mediawiki_dump.recognises(text, snapshot.url):
        return list(mediawiki_dump.pages(snapshot)), []
    if start.startswith(("<", "{")) and mediawiki_api.recognises(text, snapshot.url):
        found = mediawiki_api.pages(snapshot, text)
        return found, [] if found else ["an answer of the API without a page's text; left out"]
    if start.startswith(("{", "[{")) and not name_list.recognises(text, snapshot.url):
        return [], ["a JSON document of no kind that sansho knows; left out"]
    if start.startswith("<?xml") and not re.search(r"<html\b", text[:8192], re.IGNORECASE):
        return [], ["an XML document of no kind that sansho knows; left out"]
    return None


def _hinted(page: Page, snapshot: Snapshot) -> Page:
    """What a person or manifest says of a page stands above what was detected."""
    hints = snapshot.hints
    return page.with_(
        url=address.canonical(page.url),
        game=hints.game or page.game,
        lang=hints.lang or page.lang,
        edition=hints.edition or page.edition,
    )
