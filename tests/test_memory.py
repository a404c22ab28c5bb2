"""The memory for a page is bounded, whatever it holds, and nothing of its text is lost for that."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import pytest

from kb.extract import MOST_EXTRACTED, extract, unextracted
from kb.language.tokens import tokenizer
from scraper import Page, Passage, Snapshot, read_pages
from scraper.markup.page_builder import PageBuilder, TextRun
from scraper.markup.size_limits import (
    HTML_MARKS,
    LONGEST_PASSAGE,
    LONGEST_TITLE,
    MOST_MARKS,
    MOST_PASSAGES,
    parsed_beginning,
    pieces_of,
)
from scraper.page import text_size
from scraper.sources.charset import decode
from tests.test_hostile import check

_FRAME = '<html><body><h1 id="firstHeading">X</h1><div id="bodyContent">{}</div></body></html>'
_SLACK = 75_000_000  # bytes that any page may take, beside twelve times its size


def mediawiki(body: str) -> Page:
    (page,), _ = read_pages(Snapshot("test", _FRAME.format(body).encode()))
    check(page)
    return page


@pytest.mark.parametrize(
    "unit", [b"\xff\xfd", "札".encode("euc_jp") + b"\xff", "札".encode() + b"\xff"]
)
def test_bad_bytes_take_no_memory_of_their_own(unit: bytes) -> None:
    data = unit * (20_000 // len(unit))
    decode(data[:100])  # what is imported for it
    tracemalloc.start()
    try:
        decoded = decode(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert decoded.text
    assert peak < 12 * len(data)


def test_a_page_of_very_many_tags_keeps_all_of_its_text() -> None:
    page = mediawiki("<p>札" * (MOST_MARKS + 5000) + "終わり")
    texts = "".join(passage.text for passage in page.passages)
    assert texts.count("札") == MOST_MARKS + 5000
    assert "終わり" in texts
    assert len(page.passages) < MOST_PASSAGES + 100
    told = " ".join(warning.what for warning in page.warnings)
    assert f"{MOST_MARKS:,} tags" in told
    assert f"{MOST_PASSAGES:,} passages" in told


def test_views_that_are_no_articles_count_what_is_not_parsed() -> None:
    script = '<script>mw.config.set({"wgAction":"edit"})</script>'
    page = mediawiki(script + "\n" * (MOST_MARKS + 10) + "札")
    assert not page.name
    assert not page.passages


def test_only_the_marks_beyond_the_limit_are_not_parsed() -> None:
    text = "<p>a" * (MOST_MARKS + 3)
    beginning, rest = parsed_beginning(text, HTML_MARKS)
    assert beginning + rest == text
    assert beginning.count("<") == MOST_MARKS
    assert parsed_beginning("<p>a" * MOST_MARKS, HTML_MARKS)[1] == ""


def test_a_long_passage_becomes_several() -> None:
    """Links are cut where the passage is; only the first piece is a heading."""
    lead, words = "あ" * (LONGEST_PASSAGE - 3), "引く札"
    run = TextRun()
    run.text(lead)
    span = run.open_link("page", "引く")
    run.text(words * 3)
    run.close(span)
    builder = PageBuilder("X")
    builder.heading(run.passage("heading"), 2)
    page = builder.page(source="x", name="X", url="")
    assert [(p.kind, len(p.text)) for p in page.passages] == [
        ("heading", LONGEST_PASSAGE),
        ("paragraph", 6),
    ]
    links = [p.text[link.start : link.end] for p in page.passages for link in p.links]
    assert links == ["引く札", "引く札引く札"]
    assert page.sections[1].title == "あ" * LONGEST_TITLE
    assert "passage" in page.warnings[0].what


def test_pieces_cover_a_text() -> None:
    text = "札を引く。" * 50 + "あ" * 100
    pieces = list(pieces_of(text, 40))
    assert "".join(text[start:end] for start, end in pieces) == text
    assert max(end - start for start, end in pieces) == 40
    assert text[: pieces[0][1]].endswith("。")


def test_nothing_is_taken_from_what_is_behind_the_most_that_is_read() -> None:
    filling = Passage("pre", "a" * (MOST_EXTRACTED // 2))
    last = Passage("paragraph", "規則100.1を見る。")
    page = Page("rulebook", "X", url="", game="mtg", passages=(last, filling, filling, last))
    assert f"{MOST_EXTRACTED:,}" in unextracted(page)
    claims = extract(page, tokenizer())
    assert sum(part.node.kind == "passage" for part in claims.parts) == 4
    assert {edge.passage for edge in claims.edges} <= {"rulebook/X¶1"}
    assert not unextracted(page.with_(passages=(last, last)))


def test_the_size_of_a_huge_text() -> None:
    text = "札 を\n" * 700_000
    assert text_size(text) == 1_400_000


_READ = """
import sys
from pathlib import Path
from scraper import Hints, Snapshot, read_pages

def memory(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))

frame = sys.argv[1]
read_pages(Snapshot("X.html", frame.format("<b>" * 2000).encode()))  # what is imported for it
before = memory("VmRSS")
pages, _ = read_pages(Snapshot("X.html", frame.format("<b>" * 250_000).encode()))
assert all(page.lost == 0 for page in pages)
print(memory("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_reading_takes_twelve_times_the_page_at_most() -> None:
    command = [sys.executable, "-c", _READ, _FRAME]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(found.stdout) < _SLACK + 12 * 750_000
