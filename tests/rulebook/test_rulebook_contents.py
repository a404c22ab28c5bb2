"""Headings that a part of a rulebook states in its table of contents alone, and what they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kb
from graphs.model import Node
from scraper import Page, Snapshot
from scraper.sites import rulebook_text
from tests import timing
from tests.rulebooks import build_books

ENTRIES = ["1. 基本", "100. 原則", "101. 山札", "2. 領域", "200. 港", "201. 積み荷", "3. 用語集"]
BODY = (
    "1. 基本\n\n100. 原則\n\n100.1. 二人で遊ぶ。\n"
    "100.2. rule 201〔積み荷〕と rule 200〔倉庫〕を見る。\n\n"
    "101. 山札\n\n101.1. 山札を切る。\n101.2. 港から札を引く。\n"
)
ENGLISH = (
    "Harbour Rules\n\n1. Basics\n\n100. Principles\n\n100.1. Two play.\n100.2. See rule 201.\n\n"
    "101. Deck\n\n101.1. Shuffle the deck.\n101.2. Draw from the port.\n\n2. Zones\n\n"
    "200. Ports\n\n200.1. Ships wait there.\n\n201. The Cargo\n\n201.1. It is carried.\n\n"
    "Glossary\n\nCargo\nWhat ships carry.\n\nPort\nWhere ships wait.\n"
)


def part(entries: list[str], body: str = BODY) -> str:
    """A part of a Japanese rulebook, with the contents of the whole."""
    return "見本 総合ルール\n\n目次\n" + "\n".join(entries) + "\n\n" + body


def read(text: str) -> Page:
    page = rulebook_text.read(Snapshot("book.txt", text.encode()), text)[0]
    assert page.lost == 0
    return page


def kept(text: str) -> list[str]:
    return [passage.text for passage in read(text).passages if passage.kind == "contents"]


def rules(page: Page) -> list[str]:
    return [passage.rule.number for passage in page.passages if passage.rule]


def test_only_entries_without_a_heading_in_the_text_are_kept() -> None:
    page = read(part(ENTRIES))
    assert [p.text for p in page.passages if p.kind == "contents"] == [
        "2. 領域", "200. 港", "201. 積み荷",
    ]  # fmt: skip
    assert rules(page) == ["1", "100", "100.1", "100.2", "101", "101.1", "101.2"]
    assert page.passages[0].kind == "title" and page.left_out["table of contents"] > 0
    links = [link for p in page.passages if p.kind == "contents" for link in p.links]
    assert [(link.kind, link.target) for link in links] == [
        ("rule", "2"), ("rule", "200"), ("rule", "201"),
    ]  # fmt: skip


def test_of_a_whole_book_nothing_is_kept() -> None:
    assert kept(part(ENTRIES[:3])) == []
    assert kept(part(["1. 基本", "101. 山札", "100. 原則", "  港", "倉庫"])) == []


@pytest.mark.parametrize(
    "behind",
    [
        " ........ 12",
        "……12",
        "\t12",
        "      12",
        " . . . . . 12",
        " 12",
        "……",
        "…… p. 12",
        " ---- 12",
    ],
)
def test_dots_and_pages_are_left_out(behind: str) -> None:
    text = part([entry + behind for entry in ENTRIES])
    assert kept(text) == ["2. 領域", "200. 港", "201. 積み荷"]
    printed = len(ENTRIES) * len("".join(behind.split()))
    assert read(text).left_out["table of contents"] > printed


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["200. 港    201. 積み荷"], []),  # two columns
        (["200. 港 201. 積み荷"], []), (["200. 港201. 積み荷"], []), (["200. 港\t201. 積み荷"], []),
        (["200. 港  船が待つ場所"], []),  # the other column has no number
        (["200. 港 | 201. 積み荷"], []),
        (["200. 港や船の", "待つ場所", "201. 積み荷"], ["201. 積み荷"]),  # goes on in the next line
        (["200. 港", "200. 倉庫", "201. 積み荷"], ["201. 積み荷"]),  # which of them?
        (["200. 港", "500. 船", "201. 積み荷", "202. 帆"], ["200. 港", "202. 帆"]),
        (["200. 港に船が着く。", "201. 積み荷"], ["201. 積み荷"]),  # a sentence
        (["200. 山札", "201. 積み荷"], ["201. 積み荷"]),  # 101 in the text
        (["200. 港 12", "201. 積み荷"], ["201. 積み荷"]),  # a page, or part of the heading?
        (["200. 2人で遊ぶ港", "201. Lv系"], ["200. 2人で遊ぶ港", "201. Lv系"]),
        (["第２章　港", "第３章　積み荷"], ["第２章 港", "第３章 積み荷"]),
        (["200. 港", "201. 総則", "300. 総則"], ["200. 港", "201. 総則", "300. 総則"]),
        (["200. " + "港" * 500], []),
    ],
)  # fmt: skip
def test_only_what_is_surely_one_entry_is_kept(entries: list[str], expected: list[str]) -> None:
    assert kept(part([*ENTRIES[:3], *entries])) == expected


@pytest.mark.parametrize(
    "body",
    [
        "2. 領域\n\n200. 港\n\n200.1. 船が待つ。\n200.2. 着く。\n\n201. 積み荷\n\n201.1. 運ぶ。\n",
        "2. 領域の話\n\n200. 港の話\n\n200.1. 船が待つ。\n200.2. 船が着く。\n201.1. 運ぶ。\n",
        "200.1. 船が待つ。\n200.2. 船が着く。\n201.1. 運ぶ。\n201.2. 降ろす。\n",
    ],
)
@pytest.mark.parametrize("behind", ["", " 12"])
def test_a_part_may_begin_in_the_middle(body: str, behind: str) -> None:
    page = read(part([entry + behind for entry in [*ENTRIES, "クレジット"]], body))
    assert {"200.1", "200.2", "201.1"} <= set(rules(page)) and not {"1", "100"} & set(rules(page))
    found = [passage.text for passage in page.passages if passage.kind == "contents"]
    assert found[:3] == ["1. 基本", "100. 原則", "101. 山札"]


def test_rows_of_other_tables_are_no_entries() -> None:
    rows = "7 枚 ........ 12\n8 枚 ........ 13\n9 枚 ........ 14\n"
    assert kept("見本 総合ルール\n\n" + BODY + rows) == []
    assert kept(part(ENTRIES) + rows) == ["2. 領域", "200. 港", "201. 積み荷"]
    assert kept("見本 総合ルール\n\n7. 港 ........ 12\n\n" + BODY) == []


def test_a_preface_may_be_numbered() -> None:
    preface = "見本 総合ルール\n\n0. 序文\n\n0.1. この版は新しい。\n0.2. よく読む。\n\n"
    text = part(ENTRIES).replace("見本 総合ルール\n\n", preface)
    assert kept(text) == ["2. 領域", "200. 港", "201. 積み荷"]


def test_the_title_may_stand_behind_the_contents() -> None:
    page = read("目次\n" + "\n".join(ENTRIES) + "\n\n" + BODY)
    assert [p.kind for p in page.passages[:4]] == ["contents", "contents", "contents", "heading"]


@pytest.mark.slow
def test_huge_contents_take_linear_time() -> None:
    def work(size: int) -> None:
        lines = [f"{2 + n // 900}.{n % 900 + 1}. 項目{'港' * (n % 7 + 1)}" for n in range(size)]
        page = read(part([*ENTRIES[:3], *lines]))
        assert sum(passage.kind == "contents" for passage in page.passages) <= 2_000

    assert timing.grows_linearly(work, 3_000)


# -- what they name -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {("20260101", "ja"): part(ENTRIES), ("20260101", "en"): ENGLISH}
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def term(base: kb.KnowledgeBase, name: str) -> Node:
    [node] = [node for node in base.nodes("term") if name in {one.text for one in node.labels}]
    return node


@pytest.mark.parametrize(("japanese", "english"), [("積み荷", "Cargo"), ("港", "Port")])
def test_terms_get_the_names_that_contents_state(
    harbour: kb.KnowledgeBase, japanese: str, english: str
) -> None:
    labels = {(one.lang, one.text): one.role for one in term(harbour, english).labels}
    assert labels[("ja", japanese)] in ("preferred", "alias")
    [concept] = harbour.termbase(english)
    assert {name.text for name in concept.names} >= {japanese, english}


def test_entries_link_to_the_rule_in_the_other_language(harbour: kb.KnowledgeBase) -> None:
    for number, heading in (("2", "領域"), ("200", "港"), ("201", "積み荷")):
        links = harbour.refs(number, direction="in", kinds="links_to", lang="en")
        [edge] = links
        assert edge.target == f"harbour/cr/20260101/en/{number}"
        assert edge.details == {"heading": heading}
        assert edge.evidence.text == f"{number}. {heading}"


def test_entries_are_no_rules_and_no_answers(harbour: kb.KnowledgeBase) -> None:
    japanese = [rule.number for rule in harbour.nodes("rule") if rule.lang == "ja"]
    assert sorted(filter(None, japanese)) == ["1", "100", "100.1", "100.2", "101", "101.1", "101.2"]
    assert not harbour.show("201", lang="ja")
    first, second = harbour.search("港", lang="ja")
    assert first.node.number == "101.2" and second.snippet == "200. 港"
    filtered = [hit.snippet for hit in harbour.search("", edition="20260101", lang="ja", most=3)]
    assert filtered[0] == "100.1. 二人で遊ぶ。"
    assert not harbour.refs("2", direction="in", kinds="cites", lang="en")


def test_align_reports_what_it_would_without_the_contents(
    harbour: kb.KnowledgeBase, tmp_path: Path
) -> None:
    books = {("20260101", "ja"): "見本 総合ルール\n\n" + BODY, ("20260101", "en"): ENGLISH}
    with build_books(tmp_path, books) as base:
        expected = base.align("ja", "en")
    found = harbour.align("ja", "en")
    assert (found.problems, found.not_loaded) == (expected.problems, expected.not_loaded)
    assert len(found) == len(expected)


@pytest.mark.slow
@pytest.mark.shared
def test_real_contents_name_most_headings(shared: Path, tmp_path: Path) -> None:
    """The English book is cut down to headings and glossary, as all of it takes long to build."""
    english = shared / "corpora/mtg-cr-en/MagicCompRules_20260116.txt"
    lines = english.read_text("utf-8-sig").splitlines()
    glossary = len(lines) - lines[::-1].index("Glossary")
    wanted = re.compile(r"\d{1,3}\. |\d{3}\.1\.? |$")
    book = [
        line for n, line in enumerate(lines) if n < 12 or n >= glossary - 1 or wanted.match(line)
    ]
    names = "\n".join(book)
    [japanese] = (shared / "corpora/mtg-cr-ja").glob("*.txt")
    books = {("20260116", "ja"): japanese.read_text("utf-8-sig"), ("20260116", "en"): names}
    with build_books(tmp_path, books, game="mtg") as base:
        terms = base.nodes("term")
        initiative = {one.text for one in term(base, "Initiative").labels if one.lang == "ja"}
    stated = [
        {one.lang for one in node.labels if one.role in ("preferred", "alias")} for node in terms
    ]
    assert sum({"ja", "en"} <= langs for langs in stated) >= 90
    assert initiative == {"イニシアチブ"}  # a rule cites its number with another heading
