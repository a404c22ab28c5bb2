"""What must hold of every page that was read, and of what is extracted from it."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from xml.etree import ElementTree

from benchmarks.fuzz.case import Failure
from benchmarks.raw_text import raw_text_size
from graphs.writing.page_claims import PageClaims, rows_in_pieces
from kb.knowledge import extract
from kb.language.tokens import tokenizer
from scraper import Page, Passage, ReadWarning, Snapshot, parts, read_part, stream_pages
from tests.children import pdfs_read_here

_NAMED_AFTER_PLACE = re.compile("called '(.*)' after its place", re.S)
_XML = re.compile(rb"<(?:mediawiki|api)\b")
# How a build says that a parser raised. It holds what was not foreseen, so it is a failure here.
_LAST_DOOR = re.compile(r"could not be (?:read|parsed)[ :(]")


def check_snapshot(snapshot: Snapshot) -> None:
    """Read a snapshot and extract what its pages say. Raises Failure if something does not hold,
    and whatever the parsers and extractors raise."""
    pages, names = [], set()
    # A process for each PDF would take most of the time, and hide what is raised in it.
    with _errors_raised(), pdfs_read_here():
        for found in stream_pages(snapshot):
            if isinstance(found, ReadWarning):
                check_warning(found)
                names.update(_NAMED_AFTER_PLACE.findall(found.what))
                continue
            check_page(found)
            pages.append(found)
            if found.name:
                check_claims(found, extract(found, tokenizer(), snapshot.notice))
    check_count(snapshot, pages, names)


@contextmanager
def _errors_raised() -> Iterator[None]:
    """Have the reader raise what it makes a warning of otherwise."""
    os.environ["SANSHO_RAISE"] = "1"
    try:
        yield
    finally:
        del os.environ["SANSHO_RAISE"]


def check_count(snapshot: Snapshot, pages: Sequence[Page], made_up: Container[str] = ()) -> None:
    """Check that the pages of a snapshot have all text that is in its bytes.

    made_up: names of pages that have none, which are no text of theirs.
    """
    counted = _independent_count(snapshot, pages, made_up)
    chars = sum(page.chars for page in pages)
    if counted not in (None, chars):
        form = f"{pages[0].engine} {pages[0].form}"
        what = "lacks text" if chars < (counted or 0) else "has more than its text"
        raise Failure(f"the count of {form} {what}", f"{chars} of {counted}")


def text_size_of(snapshot: Snapshot) -> int:
    """Return the size of the text of a snapshot, counted by other means than the parsers'; where
    that is not possible, and where it is refused whole, as they count it."""
    pages, names = [], set()
    for found in chain.from_iterable(map(read_part, parts(snapshot))):
        if isinstance(found, ReadWarning):
            names.update(_NAMED_AFTER_PLACE.findall(found.what))
        else:
            pages.append(found)
    accepted = [page for page in pages if page.form]
    counted = _independent_count(snapshot, accepted, names)
    return sum(page.chars for page in pages) if counted is None else counted


def _independent_count(
    snapshot: Snapshot, pages: Sequence[Page], made_up: Container[str]
) -> int | None:
    """Return the size of the text of a snapshot, counted by other means than the parsers'. None for
    a PDF, broken XML, and what no parser recognises: nothing else counts these."""
    if not pages or pages[0].form == "PDF":
        return None
    with snapshot.open() as file:
        data = file.read()
    if _XML.search(data[:4096]) and not _is_well_formed(data):
        return None
    names = tuple(page.name for page in pages if page.name not in made_up)
    return raw_text_size(data, snapshot.content_type, pages[0].form, names)


def _is_well_formed(data: bytes) -> bool:
    try:
        ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return False
    return True


def check_warning(warning: ReadWarning) -> None:
    """Check that a warning is one, and not that of an exception that nobody foresaw."""
    if _LAST_DOOR.search(warning.what):
        raise Failure(f"last door: {re.sub(r'[^A-Za-z ]', '', warning.what)[:60]}", warning.what)
    _must("a warning of something", bool(warning.what.strip()), warning)


def check_page(page: Page) -> None:
    """Check what must hold of a page, whatever it was made from."""
    _must("lost is 0", page.lost == 0, (page.chars, page.kept, dict(page.left_out)))
    _must("left_out is positive", all(size > 0 for size in page.left_out.values()), page.left_out)
    _must("a page without a name is empty", bool(page.name) or not page.passages, page.title)
    for index, section in enumerate(page.sections):
        _must("a section's parent is before it",
              section.parent is None or 0 <= section.parent < index, section)  # fmt: skip
    for index, passage in enumerate(page.passages):
        _check_passage(page, index, passage)
    _check_texts((page.source, page.name, page.url, page.title, *page.left_out, *page.categories,
                  page.redirect or "", *(section.title for section in page.sections),
                  *(section.anchor for section in page.sections)))  # fmt: skip


def _check_passage(page: Page, index: int, passage: Passage) -> None:
    text = passage.text
    _must("a passage has a section", 0 <= passage.section < len(page.sections), passage)
    _must("a passage's parent is before it",
          passage.parent is None or 0 <= passage.parent < index, passage)  # fmt: skip
    for start, end in (
        *((link.start, link.end) for link in passage.links),
        *((ruby.start, ruby.end) for ruby in passage.ruby),
        *passage.strong,
    ):
        _must("a span is in its passage", 0 <= start < end <= len(text), (start, end, text[:100]))
    if stated := passage.rule:
        _must("a rule's number is in its passage",
              0 <= stated.start < stated.end <= stated.text_start <= len(text), stated)  # fmt: skip
    _check_texts((text, *(link.target for link in passage.links),
                  *(link.anchor for link in passage.links),
                  *(ruby.reading for ruby in passage.ruby)))  # fmt: skip


def _check_texts(texts: Iterable[str]) -> None:
    for text in texts:
        _must("texts can be stored", text.isascii() or _encodes(text), text[:100])


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_claims(page: Page, claims: PageClaims) -> None:
    """Check that edges rest on words of the page, and that the claims can become rows."""
    texts = {part.node.id: part.node.text for part in claims.parts if part.node.kind == "passage"}
    _must("each passage is a part", len(texts) == len(page.passages), len(texts))
    for edge in claims.edges:
        _must("an edge has a passage of the page", edge.passage in texts, edge)
        text = texts[edge.passage] or ""
        _must("an edge's words are in its passage",
              0 <= edge.start <= edge.end <= len(text), (edge, text[:100]))  # fmt: skip
        _check_texts((edge.source, edge.target, edge.target_label))
    next(rows_in_pieces([claims]))


def _must(kind: str, holds: bool, found: object) -> None:
    if not holds:
        raise Failure(f"must hold: {kind}", repr(found)[:1000])
