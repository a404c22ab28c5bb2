"""The grammar of citations, on sentences written for the purpose."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language.citation_grammar import find_citations
from tests.timing import grows_linearly

CASES = [
    ("敗北する。rule 704 参照。", ["704"]),
    ("(rule 616.1g参照)", ["616.1g"]),
    ("rule 614〔置換効果〕、rule 615〔軽減効果〕参照。", ["614", "615"]),
    ("rule 100.2b、rule 100.4b 参照。", ["100.2b", "100.4b"]),
    ("rule 601.2i 参照か、巻き戻される(rule 728〔不正な処理の扱い〕参照)", ["601.2i", "728"]),
    ("裏向きのままである(CR:401.5)。", ["401.5"]),
    ("CR 704.5a により敗北する", ["704.5a"]),
    ("rule 8〔多人数戦ルール〕参照", ["8"]),
    ("See rule 704.", ["704"]),
    ("see rules 614 and 615", ["614", "615"]),
    ("See rules 703, 704.5 or 116.2a for more.", ["703", "704.5", "116.2a"]),
    ("See rule 113, “Abilities,” and section 6, “Spells.”", ["113", "6"]),
    ("sections 7 and 8", ["7", "8"]),
    ("rule 103.2a-e", ["103.2a", "103.2b", "103.2c", "103.2d", "103.2e"]),
    ("rules 510.1c–d", ["510.1c", "510.1d"]),
    ("rule 704.5k〜m 参照", ["704.5k", "704.5m"]),
    ("rules 701.2–701.5", ["701.2", "701.3", "701.4", "701.5"]),
    ("Rule 509.1b-509.1d", ["509.1b", "509.1c", "509.1d"]),
    ("rule 702.164〔毒性〕参照。カード3枚", ["702.164"]),
    ("rule 614、3つの手順がある", ["614"]),
    ("rule 120.6 参照)を超える2点", ["120.6"]),
]
NOT_CITATIONS = [
    "バージョン 1.4.7 を使う", "2024.11.17 に発売", "3/3 のクリーチャー", "120.4 ダメージ",
    "MJMJ訳 20231117.0 版", "(2024/08/02)", "カードを7枚引く", "the rules of the game",
    "ruler 12", "overrule 3", "価格は 1,200 円", "No.39", "a 100.5% chance", "RULES",
]  # fmt: skip


@pytest.mark.parametrize(("text", "numbers"), CASES)
def test_found(text: str, numbers: list[str]) -> None:
    assert [c.number for c in find_citations(text)] == numbers


@pytest.mark.parametrize("text", NOT_CITATIONS)
def test_not_found(text: str) -> None:
    assert list(find_citations(text)) == []


@pytest.mark.parametrize(("text", "_"), CASES)
def test_spans_hold_the_number_and_do_not_overlap(text: str, _: list[str]) -> None:
    spans = sorted({(c.start, c.end) for c in find_citations(text)})
    for c in find_citations(text):
        assert c.number.partition(".")[0] in text[c.start : c.end]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_number_alone_cites_where_the_book_has_it() -> None:
    book = {"5-1-2", "4.3", "616.1e"}
    found = [
        c.number for c in find_citations("5-1-2を行い、4.3から2.5倍、5-1-9へ進み、616.1e。", book)
    ]
    assert found == ["5-1-2", "4.3", "616.1e"]
    assert list(find_citations("4.3倍", book)) == []
    own = find_citations("4.3. 手札は4.3を見る。", book, begin=5)
    assert [(c.number, c.start) for c in own] == [("4.3", 8)]


@pytest.mark.slow
def test_time_grows_linearly() -> None:
    for unit in ("rule 1.", "704.5a、", "1-", "第1章", "1.", "rules 1 and "):
        assert grows_linearly(
            lambda n, unit=unit: list(find_citations(unit * (n // len(unit)))), 40_000
        )


def test_other_numbers_of_other_wikis() -> None:
    """Tempos, scores, chapters of a story: where rules have no numbers, only words cite."""
    for text in (
        "BPMは145.3-170。",
        "\t112.5-180\t★×4",
        "見かけ上は142.2～237",
        "101.5g",
        "ゴーストルール 105-210",
        "特別ルール\t105",
    ):
        assert list(find_citations(text, alone=False)) == []
    for text in ("BPMは145.3-170。", "112.5-180", "142.2～237"):
        assert list(find_citations(text)) == []
    assert list(find_citations("第3章では竜が勝つ。", alone=False)) == []
    found = find_citations("rule 614、615 と総合ルール704.5aを見る。", alone=False)
    assert [c.number for c in found] == ["614", "615", "704.5a"]


def test_the_heading_that_the_text_gives() -> None:
    assert [c.heading for c in find_citations("rule 614〔置換効果〕、rule 615")] == [
        "置換効果",
        None,
    ]


@given(st.text(st.sampled_from("rules ection CR:0123456789.ablo-–〜、,and〔〕\n"), max_size=200))
def test_any_text(text: str) -> None:
    for c in find_citations(text):
        assert 0 <= c.start < c.end <= len(text)


HOWS = [
    ("rule 101.4に従う。", "subject to"), ("「rule 702.16〔守り〕」に従う", "subject to"),
    ("rule 116.2aを除き、できない。", "exception"), ("rule 103.4の例外である。", "exception"),
    ("唯一の例外として、いつでも負けられる(rule 104.3a 参照)。", "exception"),
    ("Owls are an exception to rule 5.1a.", "exception"),
    ("No one may, except as described in rule 101.4a.", "exception"),
    ("What it weighs, as modified by rule 6.2, counts.", "subject to"),
    ("A token, as defined in rule 111.1, is no card.", "as defined in"),
    ("rule 107.3に定める値", "as defined in"),
    ("rule 107.3 参照", "see"), ("See rule 107.3. It defines a value.", "see"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "how"), HOWS)
def test_how_a_rule_is_cited(text: str, how: str) -> None:
    assert [c.how for c in find_citations(text)] == [how]


def test_what_is_joined_is_cited_alike() -> None:
    found = find_citations("rule 4.1、rule 4.2および rule 4.3 に従う。rule 5.1 参照。")
    assert [c.how for c in found] == ["subject to"] * 3 + ["see"]
