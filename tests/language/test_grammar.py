"""The grammar of citations, on sentences written for the purpose."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language.citations.citation_grammar import find_citations
from scraper.rulebook.numbering import number_at
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


SIGNS = "-‐‑‒–—―−－ー~〜～∼"  # of ranges
RANGES = [(f"rules 103.2a{sign}c apply", ["103.2a", "103.2b", "103.2c"]) for sign in SIGNS] + [
    ("4.3.1から4.3.3までを参照", ["4.3.1", "4.3.2", "4.3.3"]),
    ("ルール1.1からルール1.3まで", ["1.1", "1.2", "1.3"]),
    ("rules 614 through 616", ["614", "615", "616"]),
    ("rule 702.2 to rule 702.4", ["702.2", "702.3", "702.4"]),
    ("rules 702.9–703.1", ["702.9", "703.1"]),
    ("rule 103.1.a-c", ["103.1.a", "103.1.b", "103.1.c"]),
    ("1.1.1〜1.1.3", ["1.1.1", "1.1.2", "1.1.3"]),
    ("規則 A-1-09〜A-1-11", ["A-1-09", "A-1-10", "A-1-11"]),
    ("ルール5-1-2〜5-1-4", ["5-1-2", "5-1-3", "5-1-4"]),
    ("rules 103.2a, c and e–g", ["103.2a", "103.2c", "103.2e", "103.2f", "103.2g"]),
    ("rules 5.1a/b & d", ["5.1a", "5.1b", "5.1d"]),
    ("sections 7–9", ["7", "8", "9"]), ("第3〜5章", ["3", "4", "5"]),
    ("第三章から第五章まで", ["3", "4", "5"]), ("rule 614から3枚", ["614"]),
    ("规则100到102", ["100", "101", "102"]), ("规则601.2a至601.2b", ["601.2a", "601.2b"]),
    ("规则601.2a至规则601.2b", ["601.2a", "601.2b"]), ("规则5.3～5.4", ["5.3", "5.4"]),
]  # fmt: skip
CHINESE = [
    ("规则903。", ["903"]), ("规则702.19和702.20", ["702.19", "702.20"]),
    ("（参见规则704。）", ["704"]), ("參見規則903.4", ["903.4"]),
    ("规则608.3a和b", ["608.3a", "608.3b"]),
    ("规则103部分“开局”", ["103"]), ("参见第8章，“多人”", ["8"]), ("章节7", ["7"]),
    ("参见规则205，“类别”、以及第3章", ["205", "3"]), ("规则601.2b与601.2f", ["601.2b", "601.2f"]),
    ("参见718，“原型”。", ["718"]), ("规则3个", []), ("约2.5英寸（6.3厘米）", []), ("第一部分", []),
]  # fmt: skip
LEVELS = [
    ("rule 107.5.a. Owls", ["107.5.a"]), ("rule 103.1.a.(1) says", ["103.1.a.(1)"]),
    ("規則 A-1-02 を見る", ["A-1-02"]), ("rule 4.2.1.a.1", ["4.2.1.a.1"]),
    ("rule 10.1.1.2.1.1", ["10.1.1.2.1.1"]), ("10.1.1.2.1.1を参照", ["10.1.1.2.1.1"]),
    ("ルール5-1-2に従う", ["5-1-2"]), ("ルール5-7を参照", ["5-7"]), ("rule 5a", ["5a"]),
    ("rule II.1.b", ["II.1.b"]), ("規則１．２ａ", ["1.2a"]), ("rule 103.1 (a)", ["103.1"]),
]  # fmt: skip
HEADINGS = [
    ("See 718, “Owls.”", "Owls"), ('See 718, "Owls."', "Owls"), ("see 718 “Owls”", "Owls"),
    ("719〔鳥の札〕", "鳥の札"), ("4.2.「鳥」", "鳥"), ("rule 4.2『鳥』", "鳥"),
    ("规则4.2《鸟》", "鸟"), ("规则603，“鸟”。", "鸟"),
    ("第3章「ＡＢＣ」", "ＡＢＣ"), ("§ 4.2, ‘Owls’", "Owls"),
]  # fmt: skip
FALSE_FRIENDS = [
    '2.5" by 3.5"', "2.5” by 3.5”", "2.5″ × 3.5″", "2.5 by 3.5 inches", "63mm×88mm", "2.5 x 3.5 cm",
    "2.5インチ", "2.5英寸", "$2.50 “cheap”", "€3.99", "1.5ドル「特価」", "Ver. 2.0「新弾」",
    "version 2.0 “Owls”", "バージョン 2.0「改」", "2.5 %", "２．５％", "2025.10.31", "10/31「祭」",
    "10:30", "3-1で勝利", "2–0 “win”", "2d6", "life total is 20", "see 20 cards", "draws 718",
    "著作権法第32条", "4.5倍", "1.5 times", "+1.5「強化」", "BT1-001「竜」", "第1部分", "120.5次に",
    "Rule: 3 players sit down", "WB-2", "8〜10編集した", "1.2.3.4.1.2.3.4.1.2.3.4.の音",
    "plan B-3 cards",
]  # fmt: skip
BOOK = {
    "718", "2.5", "3.5", "1.5", "2.0", "4.2", "4.2.1", "103.1.a", "103.1.b", "103.1.c",
    "103.1.a.(1)", "103.1.a.(2)", "A-1-01", "A-1-02", "A-1-03", "5-1-2", "5-1-3", "1.2-3",
    "704.5aa", "B-2", "1.C", "10.1.1.2.1.1",
}  # fmt: skip
OF_THE_BOOK = [
    ("103.1.a.(1)による", ["103.1.a.(1)"]), ("103.1.a.(1)-(2)", ["103.1.a.(1)", "103.1.a.(2)"]),
    ("103.1.a〜cは", ["103.1.a", "103.1.b", "103.1.c"]), ("Ａ－１－０２", ["A-1-02"]),
    ("A-1-01〜A-1-03", ["A-1-01", "A-1-02", "A-1-03"]), ("5–1–2へ", ["5-1-2"]),
    ("10.1.1.2.1.1と4.2", ["10.1.1.2.1.1", "4.2"]), ("See 718.", ["718"]), ("718参照", ["718"]),
    ("as in 718, “Owls”", ["718"]), ("718 cards", []), ("“see 2.5”", ["2.5"]), ("1.2-3", ["1.2-3"]),
    ("704.5aa", ["704.5aa"]), ("B-2", ["B-2"]), ("1.C", ["1.C"]), ("4.2.1(2)の場合", ["4.2.1"]),
]  # fmt: skip
# A book whose numbers have hyphens, one whose numbers have points, one of mixed numbers.
HYPHENS = {
    "1-1", "1-2-1", "2-1", "3-1", "6-2", "6-3", "6-5", "6-5-3", "6-5-3-1", "6-5-3-2", "7", "8",
    "8-3", "8-3-1", "9", "9-5",
}  # fmt: skip
POINTS = {
    "2", "3", "8", "9", "10", "1.2.a", "1.2.a.i", "1.3", "2.0", "8.2", "8.3", "8.4", "9.3.1",
    "9.3.2", "9.5.3", "9.5.3.1", "407", "507", "904", "904.1", "101.1a", "101.1a-i", "101.1a-ii",
    "E-12", "1014", "1014.1",
}  # fmt: skip
OF_A_HYPHEN_BOOK = [
    ("(See 8-3.)", ["8-3"]), ("See rule 8-3.", ["8-3"]), ("Go to 8-3-1.", ["8-3-1"]),
    ("See 6-5-3-1 and 8-3-1.", ["6-5-3-1", "8-3-1"]), ("by section 8-3 first", ["8-3"]),
    ("See 6-5-3-1 to 6-5-3-2.", ["6-5-3-1", "6-5-3-2"]), ("See rule 8-77.", ["8-77"]),
    ("（1-2-1.参照）", ["1-2-1"]), ("（１－２－１参照）", ["1-2-1"]), ("1ー2ー1を参照", ["1-2-1"]),
    *((f"(see 1{dash}2{dash}1, 8{dash}3.)", ["1-2-1", "8-3"]) for dash in "‐‑‒–−－ー"),
    ("(see 6-5-3 and 7).", ["6-5-3", "7"]), ("（9を参照）", ["9"]), ("（见9）", ["9"]),
    ("See 9.", ["9"]), ("(see 8, 9)", ["8", "9"]), ("（6-2、6-3も参照）", ["6-2", "6-3"]),
    ("詳しくは8-3および9を参照", ["8-3", "9"]), ("8-3へ進む", ["8-3"]), ("回到8-3", ["8-3"]),
    ("8-3から9-5までを行う", ["8-3", "9-5"]), ("See 6-5-3-\n1 there", ["6-5-3-1"]),
    ("a 2-1 win, see 3-1", ["3-1"]), ("See: 8-3", ["8-3"]),
    ("8-3および9-5を行わず", ["8-3", "9-5"]), ("8-3又は8-3-1を適用", ["8-3", "8-3-1"]),
]  # fmt: skip
OF_A_POINT_BOOK = [
    ("a part[2] in a nest[3]", ["2", "3"]), ("in a nest[1.3]\n", ["1.3"]),
    ("507をご覧ください", ["507"]), ("407を参照", ["407"]), ("See 904", ["904"]),
    ("as 101.1a-ii says", ["101.1a-ii"]), ("101.1a-iを参照", ["101.1a-i"]),
    ("rule 5.1b-ii", ["5.1b-ii"]), ("(cf. 1.2.a.i)", ["1.2.a.i"]), ("E-12を参照", ["E-12"]),
    ("8.2から8.4までを行う", ["8.2", "8.3", "8.4"]), ("9.5.3. 1に戻る", ["9.5.3.1"]),
    ("9.5.3.\n1に戻る", ["9.5.3.1"]), ("See 9.5.3. 1 owl sits", ["9.5.3"]),
    ("See 1014.1.", ["1014.1"]), ("see 1014", ["1014"]), ("8.2 applies", ["8.2"]),
    ("904 does not apply.", ["904"]), ("手順は407節で定める", ["407"]),
    ("Old rule 9.3.2 is now rule 9.3.1.", ["9.3.1"]), ("moved from 9.3.1 to 9.3.2", ["9.3.2"]),
    ("9.3.2から9.3.1へ移動", ["9.3.1"]), ("9.3.1 一部修正", ["9.3.1"]),
]  # fmt: skip
NOT_OF_THE_BOOK = [
    "a result such as 2-1 or 6-5", "the ratio 1-1", "1-1 draws", "5-2枚", "3-1で勝つ", "以2-1获胜",
    "比分2-1", "won 2-1.", "(2-1)", "See page 1-1", "P.1-1を参照", "see figure 2-1", "図2-1を参照",
    "参照表1.3", "2.0 of nothing", "904.1 km", "8.2 credits", "At 1.3 of it", "1.3 or more",
    "8.2公里", "See 9 owls", "look at the top 9", "カードを9枚見る", "ダメージ9を参照", "pays [3]",
    "[2]", "408節で",
    "3-1または2-1で勝つ", "2024.1.3を参照", "rule 2024", "2024-1-3", "Moved from 9.3.1.",
    "formerly 9.3.1",
    "(previously rule 9.3.1)", "旧ルール9.3.1", "旧 9.3.1を参照", "9.3.1から移動", "原规则9.3.1",
    "9.3.1移至", "Rule 9.3.1 was moved to 12.",
]  # fmt: skip
TITLES = {"9": "Owl Nests", "8-3": "梟の巣", "7": "梟", "3": "枭巢"}
BESIDE_HEADINGS = [
    ("(See 9. Owl Nests)", ["9"]), ("See “9. Owl Nests.”", ["9"]), ("Owl nests (9) and", ["9"]),
    ("（「8-3. 梟の巣」を参照）", ["8-3"]), ("梟（７）と", ["7"]), ("“３．枭巢”", ["3"]),
    ("(see 9. Owls)", []), ("See 9. Owl Nestsitters", []), ("1. Sit. 9. Owl Nests", []),
    ("nests (9)", []), ("鷹（7）", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("known", "text", "numbers"),
    [
        (known, *case)
        for known, cases in (
            ((), [*CASES, *RANGES, *CHINESE, *LEVELS]),
            (BOOK, OF_THE_BOOK),
            (HYPHENS, OF_A_HYPHEN_BOOK),
            (POINTS, OF_A_POINT_BOOK),
        )
        for case in cases
    ],
)
def test_found(known: Collection[str], text: str, numbers: list[str]) -> None:
    assert [c.number for c in find_citations(text, known)] == numbers


@pytest.mark.parametrize("text", NOT_OF_THE_BOOK)
def test_numbers_of_the_book_that_cite_nothing(text: str) -> None:
    assert find_citations(text, HYPHENS | POINTS) == []


@pytest.mark.parametrize(("text", "numbers"), BESIDE_HEADINGS)
def test_a_number_beside_its_heading(text: str, numbers: list[str]) -> None:
    assert [c.number for c in find_citations(text, TITLES, headings=TITLES)] == numbers


@pytest.mark.parametrize(("text", "heading"), HEADINGS)
def test_quoted_headings(text: str, heading: str) -> None:
    assert [c.heading for c in find_citations(text)] == [heading]


@pytest.mark.parametrize("text", [*NOT_CITATIONS, *FALSE_FRIENDS])
def test_false_friends(text: str) -> None:
    assert find_citations(text) == [] == find_citations(text, BOOK)


@pytest.mark.parametrize(("text", "_"), CASES)
def test_spans_hold_the_number_and_do_not_overlap(text: str, _: list[str]) -> None:
    spans = sorted({(c.start, c.end) for c in find_citations(text)})
    assert spans
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
    for unit in (
        "rule 1.", "704.5a、", "1-", "第1章", "1.", "rules 1 and ", "1(1)", "A-1", "第一", "1.a.",
        "1〜", "規則", "1.1 「", "except ", "rule 614 “",
    ):  # fmt: skip
        assert grows_linearly(
            lambda n, unit=unit: list(find_citations(unit * (n // len(unit)))), 20_000
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


@given(
    st.text(
        st.sampled_from('rules ection CR:0123456789.ablo-–〜、,and〔〕()A第一章规则和至“”"\n'),
        max_size=200,
    )
)
def test_any_text(before: str) -> None:
    text = f"{before}\n\nrule 704.5b"
    found = list(find_citations(text))
    assert "704.5b" in [c.number for c in found], text
    for c in found:
        assert 0 <= c.start < c.end <= len(text)


HOWS = [
    ("rule 101.4に従う。", "subject to"), ("「rule 702.16〔守り〕」に従う", "subject to"),
    ("rule 116.2aを除き、できない。", "exception"), ("rule 103.4の例外である。", "exception"),
    ("唯一の例外として、いつでも負けられる(rule 104.3a 参照)。", "exception"),
    ("Owls are an exception to rule 5.1a.", "exception"),
    ("No one may, except as described in rule 101.4a.", "exception"),
    ("What it weighs, as modified by rule 6.2, counts.", "subject to"),
    ("A token, as defined in rule 111.1, is no card.", "as defined in"),
    ("这是规则4.3的例外。", "exception"), ("遵循规则4.3。", "subject to"),
    ("规则4.3所述的蛋", "as defined in"), ("参见规则4.3。", "see"),
    ("rule 107.3に定める値", "as defined in"),
    ("rule 107.3 参照", "see"), ("See rule 107.3. It defines a value.", "see"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "how"), HOWS)
def test_how_a_rule_is_cited(text: str, how: str) -> None:
    assert [c.how for c in find_citations(text)] == [how]


def test_what_is_joined_is_cited_alike() -> None:
    found = find_citations("rule 4.1、rule 4.2および rule 4.3 に従う。rule 5.1 参照。")
    assert [c.how for c in found] == ["subject to"] * 3 + ["see"]


@pytest.mark.shared
def test_a_translation_cites_what_the_original_cites(shared: Path) -> None:
    """What differs is the translators' doing: citations left out, or of another edition."""
    folder = shared / "corpora" / "mtg-cr-zh"
    english, chinese = (
        _cited_by_rule((folder / f"MagicCompRules_20220610.{lang}.txt").read_text("utf-8-sig"))
        for lang in ("en", "zh")
    )
    both = english.keys() & chinese.keys()
    assert len(both) > 2600
    assert sum(english[rule] == chinese[rule] for rule in both) >= 0.99 * len(both)


def _cited_by_rule(book: str) -> dict[str, set[str]]:
    """The numbers that each rule cites; its text is the line that begins with its number."""
    cited: dict[str, set[str]] = {}
    for line in book.splitlines():
        number = number_at(line)
        if number and "." in number.number:
            found = find_citations(line, begin=number.start)
            cited[number.number] = {c.number for c in found}
    return cited
