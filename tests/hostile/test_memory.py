"""The memory for a page is bounded, whatever it holds, and nothing of its text is lost for that."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from graphs.writing.page_claims import rows_in_pieces
from kb.knowledge import MOST_EXTRACTED, extract, extract_list, unextracted, without_long_names
from kb.knowledge.names import name_lists
from kb.language.tokens import tokenizer
from scraper import Hints, Page, Passage, Snapshot, detect_format, read_pages
from scraper.markup.page_builder import LinkTarget, PageBuilder, TextRun
from scraper.markup.size_limits import (
    HTML_MARKS,
    LONGEST_NAME,
    LONGEST_PASSAGE,
    LONGEST_TARGET,
    LONGEST_TITLE,
    parsed_beginning,
    pieces_of,
)
from scraper.page import text_size
from scraper.sites import mediawiki_api
from scraper.sources.charset import decode
from tests.hostile.test_hostile import check
from tests.rulebooks import base_of, base_of_files

_FRAME = '<html><body><h1 id="firstHeading">X</h1><div id="bodyContent">{}</div></body></html>'
_SLACK = 40_000_000  # bytes that any page may take, beside twelve times its size


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


def test_a_page_of_very_many_tags_keeps_all_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect_format, "MOST_MARKS", 2000)
    monkeypatch.setattr(PageBuilder.__init__, "__defaults__", ("", 1000))
    page = mediawiki("<p>札" * 2500 + "終わり")
    texts = "".join(passage.text for passage in page.passages)
    assert texts.count("札") == 2500
    assert "終わり" in texts
    assert len(page.passages) < 1100
    told = " ".join(warning.what for warning in page.warnings)
    assert "2,000 tags" in told
    assert "1,000 passages" in told


def test_views_that_are_no_articles_count_what_is_not_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detect_format, "MOST_MARKS", 200)
    script = '<script>mw.config.set({"wgAction":"edit"})</script>'
    page = mediawiki(script + "\n" * 210 + "札")
    assert not page.name
    assert not page.passages


def test_only_the_marks_beyond_the_limit_are_not_parsed() -> None:
    text = "<p>a" * 103
    beginning, rest = parsed_beginning(text, HTML_MARKS, 100)
    assert beginning + rest == text
    assert beginning.count("<") == 100
    assert parsed_beginning("<p>a" * 100, HTML_MARKS, 100)[1] == ""


@pytest.mark.parametrize("form", ["json", "xml"])
def test_an_answer_of_very_many_objects_is_kept_as_it_is_written(
    form: str, monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setattr(mediawiki_api, "MOST_OBJECTS", 60)
    if form == "json":
        entry = '"{0}":{{"title":"X{0}","revisions":[{{"*":"札"}}]}}'
        answer = '{"query":{"pages":{' + ",".join(map(entry.format, range(40))) + "}}}"
    else:
        entry = '<page title="X{0}"><revisions><rev>札</rev></revisions></page>'
        pages = "".join(map(entry.format, range(40)))
        answer = f"<api><query><pages>{pages}</pages></query></api>"
    [page], warnings = read_pages(Snapshot(f"X.{form}", answer.encode()))
    assert "more than 60 objects" in warnings[0].what
    assert "".join(passage.text for passage in page.passages).count("札") == 40


def test_a_long_passage_becomes_several() -> None:
    """Links are cut where the passage is; only the first piece is a heading."""
    lead, words = "あ" * (LONGEST_PASSAGE - 3), "引く札"
    run = TextRun()
    run.text(lead)
    span = run.open(LinkTarget("page", "引く"))
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
    told = " ".join(warning.what for warning in page.warnings)
    assert f"titles of sections of more than {LONGEST_TITLE:,}" in told
    assert f"passages of more than {LONGEST_PASSAGE:,}" in told


def test_names_of_any_length_are_shortened_once() -> None:
    """In the page's name, which all ids begin with, in titles of sections and links' targets."""
    name = "札" * (LONGEST_NAME + 200)
    wikitext = (
        f"== {name} ==\n[[{name}|引く]]と[[{name}違う]]、[http://a.org/{name * 20} 外]を見る。"
    )
    answer = {"query": {"pages": {"1": {"title": name, "revisions": [{"*": wikitext}]}}}}
    pages, warnings = read_pages(Snapshot("a.json", json.dumps(answer).encode()))
    (page,) = pages
    check(page)
    links = [link for passage in page.passages for link in passage.links]
    assert len(page.name) == LONGEST_NAME
    assert [link.target == page.name for link in links if link.kind == "page"] == [True, False]
    longest = [len(link.target) for link in links if link.kind == "external"]
    assert longest == [LONGEST_TARGET]
    assert [w for w in warnings if f"{LONGEST_NAME:,} characters" in w.what]
    assert name in "".join(passage.text for passage in page.passages)


def test_terms_with_names_of_any_length_are_not_taken() -> None:
    name = "a" * (LONGEST_NAME + 1)
    text = f"ja,en\n札,card\n山札,deck\n場,{name}\n{name}あ,play\n"
    page, warnings = read_pages(Snapshot("a.csv", text.encode(), hints=Hints(site="namelist")))
    assert not warnings
    claims = extract(page[0], tokenizer())
    assert without_long_names(claims) == 2
    assert {claim.node.label for claim in claims.nodes} == {"札", "山札", "場"}
    assert max(len(claim.label.text) for claim in claims.labels) <= LONGEST_NAME
    assert {edge.target for edge in claims.edges} == {claim.node.id for claim in claims.nodes}


def test_a_rule_with_a_heading_of_any_length_stays(tmp_path: Path) -> None:
    book = (
        "Game Rules\n\nEffective as of April 30, 2026\n\n"
        f"1. {'Heading ' * LONGEST_NAME}\n\n1.1. Play\n\n1.1.1. A player draws. See 1.\n\n"
        "1.1.2. A player wins.\n\n2. End\n\n2.1. Play ends.\n"
    )
    with base_of_files(
        tmp_path, {"book.txt": book}, site="rulebook", game="mtg", lang="en"
    ) as base:
        [rule] = base.show("1").matches
        assert rule.label and len(rule.label) == LONGEST_NAME and rule.label.endswith("…")
        assert base.search(source="rulebook").hits and base.search("Heading").hits


def test_many_numbers_are_cut_before_the_tokenizer_takes_the_square_of_them() -> None:
    text = "".join(f"札{number}あ" for number in range(3000))
    tokens = tokenizer()(text)
    assert "".join(text[token.start : token.end] for token in tokens) == text
    sparse = "札を1枚引く。" * 300
    assert len(tokenizer()(sparse)) == 300 * len(tokenizer()("札を1枚引く。"))


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
import scraper.detect_format
from scraper import Hints, Snapshot, read_pages

def memory(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))

scraper.detect_format.MOST_MARKS = 60_000
frame = sys.argv[1]
read_pages(Snapshot("X.html", frame.format("<b>" * 2000).encode()))  # what is imported for it
before = memory("VmRSS")
pages, _ = read_pages(Snapshot("X.html", frame.format("<b>" * 150_000).encode()))
assert all(page.lost == 0 for page in pages)
print(memory("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_reading_takes_twelve_times_the_page_at_most() -> None:
    command = [sys.executable, "-c", _READ, _FRAME]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(found.stdout) < _SLACK + 12 * 450_000


def test_line_breaks_count_for_more_than_characters_where_what_is_extracted_is_bounded() -> None:
    lines = Passage("pre", "あ\n" * (MOST_EXTRACTED // 40))
    page = Page("w", "P", url="", engine="mediawiki", passages=(lines, lines))
    assert not unextracted(page.with_(passages=(lines,)))
    assert unextracted(page)


def test_the_rows_of_a_list_are_the_same_in_pieces_as_at_once(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(name_lists, "_PIECE", 3)
    rows = tuple(Passage("row", f"札{n % 7}\tCard {n}") for n in range(10))
    page = Page("namelist", "P", url="", engine="namelist", passages=rows)
    whole = next(rows_in_pieces([extract(page, tokenizer())]))
    pieces = list(rows_in_pieces(extract_list(page, tokenizer(), "", name_lists.NamedNodes())))
    assert len(pieces) > 2
    assert all(not piece.nodes for piece in pieces[1:])
    for field in ("ids", "nodes", "claims", "labels", "edges"):
        assert [row for piece in pieces for row in getattr(piece, field)] == getattr(whole, field)


def test_a_list_that_is_written_in_pieces_gives_the_same_graph(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    (tmp_path / "names.csv").write_text(
        "ja,en\n" + "".join(f"札{n % 7},Card {n}\n" for n in range(20)), "utf-8"
    )
    exports = []
    for piece in (1_000, 3):
        monkeypatch.setattr(name_lists, "_PIECE", piece)
        with base_of([tmp_path / "names.csv"], tmp_path / f"{piece}.db", game="mtg") as base:
            base.export(tmp_path / f"{piece}.jsonl")
        exports.append((tmp_path / f"{piece}.jsonl").read_bytes())
    assert exports[0] == exports[1]
