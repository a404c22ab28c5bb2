"""The limits that docs/security.md names are those of the code."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from graphs.store.file import file_digest, row_checks, untrusted_file
from kb.building import capture_writer, recorded_sources
from kb.checking import baseline
from kb.checking.drafts import draft_file, read_csv, read_markdown, read_pair, read_text, segments
from kb.cli import standard_streams
from kb.interchange import decisions_file, lines_of_any_charset, tbx, xml_events
from kb.lsp import open_texts
from kb.query.answers import candidates
from kb.query.lookup import arguments
from kb.web import safety
from kb.web.pages import front_and_audit
from scraper.crawl import http_client, parse_response, polite_client, robots, urls, waiting_times
from scraper.markup import size_limits
from scraper.rulebook import pdf
from scraper.sites import mediawiki_api
from scraper.sources import limits
from tests.conftest import ROOT

_TEXT = (ROOT / "docs" / "security.md").read_text("utf-8")
_ROW = re.compile(r"^\| (?P<what>[^|]+) \| (?P<limit>[^|]+) \| [^|]+ \|$", re.MULTILINE)
_OF_SQLITE = dict(untrusted_file._LIMITS)
_LIMITS: dict[str, int | float | str] = {
    # files, archives and WARC files
    "a file, a file in an archive or an answer": limits.size(limits.LARGEST),
    "everything in an archive": limits.size(limits.IN_ALL),
    "files and folders of an archive": limits.MEMBERS,
    "characters of the names of hard links": limits.LINK_NAMES,
    "a header in a tar": limits.size(limits.MEMBER_HEADER),
    "all headers of a file in a tar": limits.size(limits.MEMBER_HEADERS),
    "what is no file": limits.size(limits.LARGEST),
    "memory that xz": limits.size(limits.DICTIONARY),
    "headers of a record": limits.size(limits.RECORD_HEAD),
    "bytes of a WARC file that are searched again": limits.size(limits.READ_AGAIN),
    "places tried": limits.CANDIDATES,
    "content codings": limits.CODINGS,
    "kinds of left out records": limits.KINDS,
    "rows of a Parquet file": limits.ROWS,
    "private memory of the process that reads an archive": limits.size(limits.READER_MEMORY),
    "processor time of that process": f"{limits.READER_SECONDS} seconds and "
    f"{limits.READER_SECONDS_A_MB} a MB",
    "a manifest": limits.size(limits.MANIFEST),
    "a line of a manifest": limits.size(limits.MANIFEST_LINE),
    "files that the manifests": limits.MANIFEST_FILES,
    "characters of what a manifest": limits.MANIFEST_VALUE,
    "characters of an address, a notice": limits.LONG_VALUE,
    "a file that describes wikis": limits.size(limits.SITES_FILE),
    "warnings of one source": limits.WARNINGS,
    # pages and rulebooks
    "tags, lines and other marks": size_limits.MOST_MARKS,
    "the same of wikitext": size_limits.MOST_TEXT_MARKS,
    "rows of a list": size_limits.MOST_ROWS,
    "passages of a page": size_limits.MOST_PASSAGES,
    "objects of an answer": mediawiki_api.MOST_OBJECTS,
    "characters of a passage": size_limits.LONGEST_PASSAGE,
    "characters of a section's title": size_limits.LONGEST_TITLE,
    "characters of a page's name": size_limits.LONGEST_NAME,
    "characters of an address that a page links to": size_limits.LONGEST_TARGET,
    "bytes of pages that are named": capture_writer._MOST_WAITING,
    "pages of a PDF": pdf._MOST_PAGES,
    "characters of a PDF": pdf._MOST_CHARACTERS,
    "texts of a PDF's page": pdf._MOST_TEXTS,
    "private memory of the process that reads a PDF": f"{limits.size(pdf.BASE_MEMORY)} and "
    f"{pdf.MEMORY_A_BYTE} times the file, at most {limits.size(pdf.MOST_MEMORY)}",
    "processor time of a page of a PDF": f"{pdf.PAGE_SECONDS} seconds",
    "processor time of a PDF": f"{pdf._BASE_SECONDS} seconds and {pdf._SECONDS_A_MB} a MB",
    "processes that read a PDF": pdf._MOST_PROCESSES,
    # drafts and baselines
    "a draft, or the source": limits.size(draft_file.LARGEST),
    "characters of a draft in Markdown": read_markdown.LARGEST,
    "blocks of Markdown": read_markdown._DEEPEST,
    "characters of a segment": segments.LONGEST,
    "characters of a draft that are read as a rulebook": read_text.LARGEST,
    "segments of a draft": read_pair.MOST_PAIRED,
    "elements of XLIFF": xml_events.DEEPEST,
    "characters of a tag": xml_events.LONGEST_TAG,
    "cells of a row": read_csv._MOST_CELLS,
    "a baseline": limits.size(baseline.LARGEST),
    "characters of a text that is open in an editor": open_texts.LONGEST,
    "seconds of one version of a text": open_texts.SECONDS,
    # termbases and decisions
    "decisions in a file": decisions_file.MOST_DECISIONS,
    "characters of a line or row of a table": lines_of_any_charset.LONGEST_LINE,
    "an entry of TBX": limits.size(tbx._MOST_BETWEEN),
    # knowledge bases and questions
    "work of a question": f"{untrusted_file._STEPS_A_BYTE} for each byte of the file, "
    f"at least {untrusted_file._LEAST_STEPS:,}",
    "the longest text": f"the file's size, at least {untrusted_file._LEAST_LONGEST_VALUE:,} bytes",
    "attached files": _OF_SQLITE[sqlite3.SQLITE_LIMIT_ATTACHED],
    "depth of triggers": _OF_SQLITE[sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH],
    "characters of a LIKE": _OF_SQLITE[sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH],
    "parts of a compound": _OF_SQLITE[sqlite3.SQLITE_LIMIT_COMPOUND_SELECT],
    "instructions of a statement": _OF_SQLITE[sqlite3.SQLITE_LIMIT_VDBE_OP],
    "levels of JSON": row_checks._DEEPEST,
    "characters of a path": recorded_sources._LONGEST_PATH,
    "a file whose checksum": limits.size(file_digest._ALWAYS_READ),
    "the memory of files": limits.size(file_digest._MOST_BYTES),
    "characters of words": arguments._MOST_SEARCHED,
    "characters of a question": arguments._MOST_ASKED,
    "words of a name": candidates._MOST_WORDS,
    "memory that is left": limits.size(standard_streams._LITTLE_MEMORY),
    # crawling
    "robots.txt": limits.size(robots.LARGEST),
    "seconds between two requests": waiting_times.LONGEST_WAIT,
    "seconds of `--delay`": waiting_times.LONGEST_DELAY,
    "seconds of a `Retry-After`": waiting_times.LONGEST_WAIT,
    "tries of a page": waiting_times.TRIES,
    "refusals of a host": polite_client._PATIENCE,
    "an answer, as sent": limits.size(http_client.LARGEST),
    "seconds of an answer": http_client.DEADLINE,
    "seconds without a byte": http_client.SILENCE,
    "redirects in a row": polite_client.MOST_HOPS,
    "links that are followed": parse_response.MOST_LINKS,
    "characters of an address": urls.LONGEST,
    # the explorer
    "bytes of an address": safety.LONGEST_ADDRESS,
    "bytes of a text that a form": safety.LARGEST_FORM,
    "fields of a form": safety.MOST_FIELDS,
    "characters of a text to verify": front_and_audit.LONGEST,
    "seconds of a request": safety.SECONDS,
    "requests of one client that are answered": safety.OF_CLIENT,
    "texts of one client that are verified": safety.TEXTS,
    "requests of one client that wait": safety.MOST_WAITING,
    "seconds in which the head of a request": safety.SECONDS,
    "connections at once": safety.MOST_CONNECTIONS,
}


def rows() -> dict[str, str]:
    """{first cell: second cell} of the tables of limits."""
    tables = _TEXT.partition("## Limits")[2]
    found = [(row["what"], row["limit"]) for row in _ROW.finditer(tables)]
    return {what: limit for what, limit in found if what not in {"what", "---"}}


def named(what: str) -> str:
    """The longest key of `_LIMITS` that the first cell of a row begins with."""
    return max((key for key in _LIMITS if what.startswith(key)), key=len, default=what)


@pytest.mark.parametrize(("what", "limit"), rows().items())
def test_a_limit_is_that_of_the_code(what: str, limit: str) -> None:
    if limit == "none":
        return
    value = _LIMITS[named(what)]
    assert limit == (value if isinstance(value, str) else f"{value:,.0f}")


def test_every_limit_has_its_row() -> None:
    assert {named(what) for what, limit in rows().items() if limit != "none"} == set(_LIMITS)


def test_no_limit_of_sources_is_missing() -> None:
    stated = {name for name in vars(limits) if name.isupper()}
    used = set(re.findall(r"\blimits\.([A-Z_]+)", Path(__file__).read_text("utf-8")))
    assert stated == used


def test_how_a_base_is_opened() -> None:
    said = " ".join(_TEXT.split())
    assert "`mode=ro&immutable=1`" in said and "no memory-mapping" in said
    opened = untrusted_file.address(ROOT / "x.db").partition("?")[2]
    assert opened == "mode=ro&immutable=1" and "mmap_size = 0" in untrusted_file._PRAGMAS
    for pragma in set(untrusted_file._PRAGMAS) - {"mmap_size = 0"}:
        name, _, value = pragma.partition(" = ")
        assert f"`{name}` {value.lower()}" in said


def test_exit_codes() -> None:
    said = _TEXT.partition("| exit code |")[2].partition("\n\n")[0]
    assert f"| {standard_streams.CANNOT_BE_DONE} | can't be done" in said
    assert f"| {standard_streams.READER_GONE} | whoever read the output" in said
