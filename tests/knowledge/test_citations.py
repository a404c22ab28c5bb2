"""Citations as edges: how a rule is cited, and whether it is headed as the text says."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from kb.language.citations.citation_grammar import find_citations
from kb.language.citations.citation_patterns import LEAD_WORD
from tests.rulebooks import base_of, base_of_files, described, rulebook, write_books
from tests.webs import mediawiki

RULES = """\
総合ルール 2020年1月1日

5. 試合

501. 始め方

501.1. 札を配る。rule 502〔勝ち方〕参照。

501.2. rule 502〔終わり方〕に従う。

502. 勝ち方

502.1. 相手の札が尽きたら勝つ。
"""


def test_a_heading_that_disagrees_is_marked(tmp_path: Path) -> None:
    source = tmp_path / "rules.txt"
    source.write_text(RULES, "utf-8")
    with base_of([source], tmp_path / "kb.db", game="mtg", site="rulebook") as base:
        agreeing = base.refs("501.1", kinds=["cites"], direction="out").edges
        other = base.refs("501.2", kinds=["cites"], direction="out").edges
    assert [edge.details for edge in agreeing] == [{"how": "see", "heading": "勝ち方"}]
    assert [edge.details for edge in other] == [
        {"how": "subject to", "heading": "終わり方", "headed": "勝ち方"}
    ]


LEVELS = """\
Nest Rules, effective 2 May 2021

100. Nests

101. Building

101.1. A nest has parts.

101.1.a. The floor. See 102, “Eggs.”

101.1.b. The wall, 2.5" by 3.5".

101.1.c. The rim, as 101.1.a-b say.

102. Eggs

102.1. Lay them on the floor (101.1.a).

102.2. Follow rule 101.1.c. or rules 101.1.a‒c.
"""

CHINESE = """\
巢穴规则

此规则于2021年5月2日起生效。

100. 总则

101. 筑巢

101.1. 巢有底和壁。参见规则102，“蛋”。

101.2a牌手按照规则101.1和102.1筑巢。

102. 蛋

102.1. 这是规则101.1的例外。
"""


HYPHENS = """\
Owl Game Comprehensive Rules

1. Owls

1-1. Sitting

1-1-1. Rule 1-1-1 is first. Owls sit. (See 2. Flying)

1-1-2. A match ends 2-1 or 1-1. See rule 1-1-1 (cf. 1-1-2).

Example: By 1-1-2, two owls sit, see 2-1.

2. Flying

2-1. Wings

2-1-1. Owls fly as sitting (1) allows, by 1-1-1.
"""


FULL_WIDTH = """\
梟のゲーム 総合ルール

1．梟

1-1．巣

1-1-1．梟は巣にいます。

1-1-2．1-1-1の巣を離れます。

1-1-3．1-1に従って戻ります。（2．飛行を参照）

2．飛行

2-1．翼

2-1-1．飛びます。
"""


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        (
            LEVELS,
            {
                "101.1.a": "102",
                "101.1.b": "",
                "101.1.c": "101.1.a 101.1.b",
                "102.1": "101.1.a",
                "102.2": "101.1.c 101.1.a 101.1.b 101.1.c",
            },
        ),
        (CHINESE, {"101.1": "102", "101.2a": "101.1 102.1", "102.1": "101.1"}),
        (FULL_WIDTH, {"1-1-2": "1-1-1", "1-1-3": "1-1 2"}),  # a citation begins its text
        (HYPHENS, {"1-1-1": "2", "1-1-2": "1-1-1 2-1", "2-1-1": "1-1-1"}),  # no score, not itself
    ],
    ids=["levels", "Chinese", "full width", "hyphens"],
)
def test_what_rules_cite(tmp_path: Path, text: str, cited: dict[str, str]) -> None:
    """In the order of the text of each."""
    with base_of_files(tmp_path, {"rules.txt": text}, game="nest", site="rulebook") as base:
        for rule, numbers in cited.items():
            edges = base.refs(rule, kinds=["cites"], direction="out").edges
            assert [edge.target.rpartition("/")[2] for edge in edges] == numbers.split(), rule


def test_too_behind_a_letter_is_no_range() -> None:
    known = {f"121.2{letter}" for letter in "abcdefghijklmno"}
    assert [one.number for one in find_citations("Rule 121.2a too.", known)] == ["121.2a"]
    assert len(find_citations("Rule 121.2a to c.", known)) == 3


WORDS = ["rule 1", "Sub-Rules 2", "RULE(S) 3", "ルール1", "§§ 4", "Cr 5"]
PARTS_OF_WORDS = ["スケジュール1", "ルーレット2", "章を読む"]


@pytest.mark.parametrize("text", [*WORDS, *PARTS_OF_WORDS])
def test_words_before_a_number_are_found_in_any_case(text: str) -> None:
    assert bool(LEAD_WORD.search(f"…{text}")) == (text in WORDS)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("CR704.5fにより", "704.5f"),
        ("（rule704.5f）", "704.5f"),
        ("Rules704.5a–c", "704.5a"),
        ("CR704参照", "704"),
        ("ルール704.5f", "704.5f"),
        ("subrule1.2.3", "1.2.3"),
        *(
            (text, None)
            for text in "CR2032を2個 CR7 Rule34 MCR704.5f ruler704.5f v704.5 abc1.2.3".split()
        ),
    ],
)
def test_no_space_is_needed_behind_the_word_for_a_rule(text: str, number: str | None) -> None:
    """Letters before a number are no such word."""
    assert next((one.number for one in find_citations(text)), None) == number


@pytest.mark.parametrize(
    "text",
    [
        "see section 2.1 of the Harbour Judge Handbook",
        "see rule 2.1 of the Pilots' Almanac",
        "as chapter 2 of the Trade Guide says",
        "『艦隊ガイド』の第2章",
        "「審判手引き」2-1項",
        "Abschnitt 2.1 der Turnierordnung",
        "Punkt 2.1 des Handbuchs",
        "l'article 2.1 du Code des tournois",
        "Guide de l'arbitre, section 2.1",
        "「심판 안내서」 2.1절",
        "La Guía de Jueces, capítulo 2,",
    ],
)
def test_a_number_of_another_document_is_none_of_this_book(text: str) -> None:
    own = [c for c in find_citations(text, {"2", "2.1", "2-1"}) if not c.document]
    assert own == []


def test_this_handbook_is_no_other_document() -> None:
    for text in ("see section 2.1 of this Handbook", "see rule 2.1 of the game", "MTG CR:2.1"):
        assert [each.number for each in find_citations(text, {"2", "2.1"})] == ["2.1"]


def test_a_section_of_three_digits_is_cited_where_the_book_has_it() -> None:
    assert [each.number for each in find_citations("see section 401.", {"401"})] == ["401"]
    assert not find_citations("in section 401 of the stadium", {"4", "4.1"})


def test_ranges_in_romance_languages() -> None:
    known = {"2.7", "2.8", "2.9", "2.10"}
    for text in ("las reglas 2.7 a 2.9", "le regole dal 2.7 al 2.9", "as regras 2.7 a 2.9"):
        assert [each.number for each in find_citations(text, known)] == ["2.7", "2.8", "2.9"]


PAGE = mediawiki(
    "放牧",
    "<p>総合ルール501〔放牧〕を参照。</p><p>総合ルール502〔放牧〕を参照。</p>"
    "<p>総合ルール501〔鳴き声〕を参照。</p>",
)


@pytest.mark.parametrize("added", [False, True])
def test_a_heading_says_which_edition_a_page_means(tmp_path: Path, added: bool) -> None:
    """What grazing was called by until 2024 is another rule since: a page that names it means the
    old rule, and counts for what that is today; a heading that no edition has says nothing."""
    old = {"5": "群れ", "501": "放牧", "501.1": "草を食べる。"}
    new = {
        "5": "群れ",
        "501": "搾乳",
        "501.1": "桶を置く。",
        "502": "放牧",
        "502.1": "草を食べる。",
    }
    editions = {
        "20210101": rulebook(old, "牧場 総合ルール"),
        "20240101": rulebook(new, "牧場 総合ルール"),
    }
    books = [
        write_books(tmp_path / edition, {(edition, "ja"): text}, "ranch")
        for edition, text in editions.items()
    ]
    page = {"a.html": PAGE}
    pages = described(tmp_path / "w", page, site="mtgwiki", game="ranch", url="https://x.example/a")
    kb.build([pages, *books[added:]], tmp_path / "kb.db")
    if added:
        kb.build(books[0], tmp_path / "kb.db", add=True)
    with kb.open(tmp_path / "kb.db") as base:
        [page_node] = base.show("https://x.example/a").matches
        edges = base.refs(page_node, kinds=["cites"], direction="out").edges
        assert sorted(edge.target for edge in edges) == [
            "ranch/cr/20210101/ja/501", "ranch/cr/20240101/ja/501", "ranch/cr/20240101/ja/502",
        ]  # fmt: skip
        found = base.refs("502", kinds=["cites"], direction="in").edges
        assert sorted(str((edge.details or {}).get("edition_by")) for edge in found) == [
            "None", "heading",
        ]  # fmt: skip
    # Without the old edition the page means the new one, as if it had never been there.
    kb.build([pages, books[1]], tmp_path / "kb.db", replace=True)
    with kb.open(tmp_path / "kb.db") as base:
        edges = base.refs(page_node, kinds=["cites"], direction="out").edges
        assert {edge.target for edge in edges} == {
            "ranch/cr/20240101/ja/501", "ranch/cr/20240101/ja/502",
        }  # fmt: skip
        assert not any("edition_by" in (edge.details or {}) for edge in edges)
