"""Rulebooks in the layouts of other publishers: what begins a rule, and what cites one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.language.citations.citation_grammar import find_citations
from scraper import Page, Snapshot, read_pages
from scraper.rulebook.columns_in_text_files import in_reading_order
from scraper.sites import rulebook_text
from tests.rulebooks import base_of_files
from tests.timing import grows_linearly

LETTERED = """LANTERN GAME
Comprehensive Rules
Version 1.2, 3 May 2030

CONTENTS
A. GENERAL ............ 2
A1 Scope .............. 2
B. CARDS .............. 3
B1 Parts .............. 3

A. GENERAL

A1 Scope
A1.1 Two players play.
A1.2 Cards were first sold in
2027. Those have no code; see
B1.2. for the reading of others.
A1.2.a A card without a code counts as one.
A2 Golden Rules
A2.1 Cards win over rules.

B. CARDS

B1 Parts
B1.1 A card has a name.
B1.2 The line has these parts:
1. the code, such as ET2;
2. the number.
B1.3 Three copies may be played.
"""

LINKED = """# 星の箱 総合ルール

Ver. 2.4 最終更新日：2031年4月18日

## 目次

- [第1章 概要](#ch1)
  - [1-1 人数](#s1)
  - [1-2 勝敗](#s2)
- [第2章 札](#ch2)
  - [2-1 名前](#s3)

## 第1章　概要

### 1-1　人数

① 2人で遊ぶ。

② 山札を使う（1-2③を参照）。

### 1-2　勝敗

① 山札がなければ負ける。

② 投了は妨げられない。

③ 引けないときは2-1①～③に従う。

## 第2章　札

### 2-1　名前

① 札には名前がある。

② 名前は変わらない。

③ 同じ名前は4枚まで。
"""


def _page_of_chapter(number: int, name: str) -> str:
    return f"Marches\n\n\n{number}\n\n{name.upper()}\n\n" + "".join(
        f"{number}.{n}\nLe joueur de {name} en joue {n}.\n" for n in range(1, 4)
    )


ON_PAGES = "\f".join(
    [
        "LES MARCHES\n\nRègles complètes\nVersion 3.0, 9 mai 2035\n\nRègles 3.0\n1\n",
        *(
            _page_of_chapter(number, name) + f"\nRègles 3.0\n{number + 1}\n"
            for number, name in enumerate(("principes", "cartes", "zones", "effets"), 1)
        ),
    ]
)


def _read(text: str) -> Page:
    page = rulebook_text.read(Snapshot("book.txt", text.encode()), text)[0]
    assert page.lost == 0
    return page


def _rules(page: Page) -> dict[str, str]:
    return {p.rule.number: p.text[p.rule.text_start :] for p in page.passages if p.rule}


def test_numbers_may_begin_with_a_letter_and_digits() -> None:
    assert rulebook_text.recognises(LETTERED, "")
    rules = _rules(_read(LETTERED))
    numbers = "A A1 A1.1 A1.2 A1.2.a A2 A2.1 B B1 B1.1 B1.2 B1.3".split()
    assert list(rules) == numbers
    assert rules["A1"] == "Scope"
    assert rules["A1.2"].endswith("B1.2. for the reading of others.")


def test_the_first_chapter_behind_linked_contents_is_no_entry() -> None:
    page = _read(LINKED)
    rules = _rules(page)
    assert list(rules)[:5] == ["1", "1-1", "1-1(1)", "1-1(2)", "1-2"]
    assert len(rules) == 2 + 3 + 8 and {w.where for w in page.warnings} == {"game"}


def test_a_page_with_a_number_below_may_have_that_of_a_chapter_above() -> None:
    rules = _rules(_read(ON_PAGES))
    assert [number for number in rules if number.isdigit()] == ["1", "2", "3", "4"]
    assert rules["3"] == "ZONES" and len(rules) == 16


def test_items_in_brackets_are_rules_where_the_book_cites_them() -> None:
    sections = "".join(
        f"{chapter}. {name}\n\n"
        + "".join(
            f"{chapter}-0{n} {name} {n}\n(1) 카드를 {n}장 뽑는다.\n"
            f"(2) {chapter}-01(2)를 참조한다.\n\n"
            for n in range(1, 4)
        )
        for chapter, name in (("A", "기본"), ("B", "카드"))
    )
    rules = _rules(_read(f"달무리 종합 규칙\n\n2034년 11월 20일\n\n{sections}"))
    assert list(rules)[:4] == ["A", "A-01", "A-01(1)", "A-01(2)"]
    assert rules["B-03(2)"] == "B-01(2)를 참조한다." and len(rules) == 2 + 6 + 12


ROMAN = """# Le jeu des marées

Règles complètes, version 2.0, 9 mai 2035

## Chapitre I — Le jeu

**I.1** On joue à deux.

**I.2** Mise en place

- **I.2.a** Chacun pioche sept cartes, comme le dit le chapitre II.
- **I.2.b** On commence.

## Chapitre II — Les cartes

**II.1**

- **II.1.a** Une carte a un nom.
- **II.1.b** Le nom est unique (voir le chapitre I et l'article I.2).

**II.2** Une carte a un coût.
"""


def test_chapters_may_have_roman_numerals() -> None:
    rules = _rules(_read(ROMAN))
    assert list(rules) == "I I.1 I.2 I.2.a I.2.b II II.1 II.1.a II.1.b II.2".split()
    assert rules["II.1"] == "" and rules["II"] == "Les cartes"
    cited = {
        number: [citation.number for citation in find_citations(text, rules)]
        for number, text in rules.items()
    }
    assert cited["I.2.a"] == ["II"] and cited["II.1.b"] == ["I", "I.2"]


@pytest.mark.parametrize("gap", ["\n", " ", "\n\n"])
def test_a_rule_whose_sub_rules_follow_at_once_may_have_no_text(gap: str) -> None:
    sections = "".join(
        f"{n}. Part {n}\n\n{n}.1{gap}First\n\n{n}.1.1{gap}A card.\n\n"
        f"{n}.2.\n\n{n}.2.1{gap}A zone, see {n}.2.\n\n{n}.2.2{gap}A deck.\n\n"
        for n in range(1, 5)
    )
    rules = _rules(_read(f"Harbour Rules\n\n3 May 2033\n\n{sections}"))
    assert rules["3.2"] == "" and rules["3.1.1"] == "A card." and len(rules) == 4 * 6


def test_an_example_may_have_several_paragraphs() -> None:
    first = (
        "Example: Ann and Bob play. Ann has two ships in the harbour, and Bob has\nthree of them."
    )
    second = (
        "Bob then sails one of his ships to the harbour of Ann, who names the raft that\nblocks it."
    )
    filler = "A player who has a ship may sail it to a port of the sea that its owner has\nnamed."
    rules = "".join(
        f"{n}. Part {n}\n{n}.1. {filler}\n{n}.2. {filler}\n{first}\n{second}\n{n}.3. {filler}\n"
        for n in range(1, 6)
    )
    page = _read(f"Harbour Rules\n3 May 2033\n\n{rules}")
    kinds = [passage.kind for passage in page.passages if "then sails" in passage.text]
    assert kinds == ["example"] * 5
    assert all(len(text) < 120 for text in _rules(page).values())


LAW = """# Hafenrecht – Das Kartenspiel

Spielregeln, Stand: 1. Oktober 2034

## § 1 Gegenstand

(1) Zwei Personen spielen gegeneinander.

(2) Es gewinnt, wer die Mole zuerst erreicht. Näheres regelt § 3 Abs. 2.

## § 2 Schiffe

(1) Ein Schiff hat Segel.

(2) Ein Schiff nach § 2 Absatz 1 liegt im Hafen.

## § 3 Ende

(1) Das Spiel endet am Abend.

(2) Abweichend von § 1 Abs. 2 gewinnt niemand, wenn die Mole bricht.

## § 3a Nebel

Bei Nebel ruht das Spiel.

## § 4 Mole

Die Mole steht.
"""


def test_paragraphs_of_an_article_are_rules() -> None:
    rules = _rules(_read(LAW))
    assert list(rules) == "1 1(1) 1(2) 2 2(1) 2(2) 3 3(1) 3(2) 3a 4".split()
    cited = {
        number: [citation.number for citation in find_citations(text, rules)]
        for number, text in rules.items()
    }
    assert (cited["1(2)"], cited["2(2)"], cited["3(2)"]) == (["3(2)"], ["2(1)"], ["1(2)"])
    [japanese] = find_citations("第1条第2項による。", {"1", "1(2)"})
    assert japanese.number == "1(2)"


def test_contents_may_be_in_another_case_than_headings() -> None:
    names = ("Basics", "Cards", "The Turn")
    contents = "\n".join(f"{n}     {name}" for n, name in enumerate(names, 1))
    chapters = "".join(
        f"{n}  {name.upper()}\n\n{n}.1\nHow\n\n{n}.1.a\nDraw a card.\n\n"
        for n, name in enumerate(names, 1)
    )
    rules = _rules(_read(f"Harbour Rules\n3 May 2033\n\nCONTENTS\n\n{contents}\n\n{chapters}"))
    assert [text for number, text in rules.items() if len(number) == 1] == [
        name.upper() for name in names
    ]


def test_a_link_of_a_web_page_is_no_title() -> None:
    text = "ホーム\nルール\n大会\n" + LINKED.replace("# 星の箱", "星の箱").replace(
        "## 目次", "目次"
    )
    assert _read(text).game == "星の箱"


@pytest.mark.parametrize(
    ("text", "known", "found"),
    [
        ("引けないときは1-2①～③に従う。", "1-2 1-2(1) 1-2(2) 1-2(3)", "1-2(1) 1-2(2) 1-2(3)"),
        ("3-1②および④を参照", "3-1 3-1(2) 3-1(4)", "3-1(2) 3-1(4)"),
        ("Le cas du 1.3.1 c) fait exception", "1.3.1 1.3.1(c)", "1.3.1(c)"),
        ("les points 4.2.2 b) et c)", "4.2.2(b) 4.2.2(c)", "4.2.2(b) 4.2.2(c)"),
        ("según 1.2.1, letra (b)", "1.2.1 1.2.1(b)", "1.2.1(b)"),
        ("第1.2.1条(a)和(b)只在结算后检查", "1.2.1(a) 1.2.1(b)", "1.2.1(a) 1.2.1(b)"),
        ("叠加顺序见第5.2.1条。", "5.2.1", "5.2.1"),
        ("as D3.2 and section E2 say (A3.1.a)", "D3.2 E2 A3.1.a", "D3.2 E2 A3.1.a"),
        ("B1 is a box, C3.1 is none", "D1 D3.1", ""),
        ("becomes an astral ruler (1024)", "1024", "1024"),
        ("at least one hundred (100) cards", "100", ""),
        ("バトルは508 のバトルステップで行う", "508", ""),
        ("別に定める『多人数戦ガイド』の2-1を参照", "2-1", ""),
        ("使用については401、402.1、402.3を参照。", "401 402.1 402.3", "401 402.1 402.3"),
        ("604.1a. It is played.\n604.1b.\n604.1c.\n", "604.1a", "604.1a"),
    ],
)
def test_what_cites(text: str, known: str, found: str) -> None:
    assert [c.number for c in find_citations(text, known.split())] == found.split()


def test_a_heading_behind_no_tells_what_a_number_is() -> None:
    headings = {"508": "バトルステップ"}
    found = find_citations("508 のバトルステップで行う", {"508"}, headings=headings)
    assert [c.number for c in found] == ["508"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("voir le livret « Alliances », règle 2.1.", ""),
        ("voir « Zones », règle 2.1.", "2.1"),
        ("See rule 1.1, “Zones;” rule 2.1, “Cards.”", "1.1 2.1"),
    ],
)
def test_a_title_before_a_number_is_that_of_this_book_or_of_another(text: str, found: str) -> None:
    headings = {"1": "Cards", "2": "Zones"}
    cited = find_citations(text, {"1.1", "2.1"}, headings=headings)
    assert [c.number for c in cited] == found.split()


def test_rows_in_columns_and_bullets_of_all_kinds_stand_apart() -> None:
    text = LETTERED.replace(
        "B1.3 Three",
        "B1.3 As many may be played as this says:\n"
        "Players      Rounds      Top\n8            3           None\n"
        "9-16         4           Four\n"
        "o     Fewer may be played.\no     More may not.\nB1.4 Three",
    )
    kinds = [p.kind for p in _read(text).passages][-7:]
    assert kinds == ["paragraph", "row", "row", "row", "item", "item", "paragraph"]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n\n\n\n\n"])
def test_empty_lines_say_nothing_of_columns(gap: str) -> None:
    """However far the lines stand apart, half of those with text have text in both columns."""
    left = [f"{n}.{k}. The sailor number {n}{k} unties" for n in (1, 2) for k in range(1, 11)]
    right = [f"{n}.{k}. The lamp number {n}{k} is lit again" for n in (3, 4) for k in range(1, 11)]
    printed = gap.join(f"{one:<44}{other}" for one, other in zip(left, right, strict=True))
    lines = [line for line in in_reading_order(printed).splitlines() if line.strip()]
    assert lines == left + right


# -- statutes ---------------------------------------------------------------------------------

STATUTE = """港湾競技規程
令和5年5月5日

目次
第1章　総則
第1条　目的
第2条　用具
第2章　進行

第1章　総則

第1条　この規程は、港で行う競技に用いる。
第2条　用具は、次のとおりとする。
(1) 札は六十枚とする。
(2) 駒は四個とする。
第3条　第2条第1項の札は裏向きに置く。3枚を超えて持つことはできない。

第2章　進行

第4条（手番）　手番は第2章に定める順に進む。
第5条　手番の者は一枚引く。第9条は適用しない。
第6条　山が空のとき、第3条に従う。
第7条　札を出した者は休む。
第8条　終わりに全員が駒を戻す。

改訂履歴

第2条　駒の数を改めた。
"""


def test_a_statute(tmp_path: Path) -> None:
    """Its articles are rules, numbered through; chapters, contents and history are none."""
    with base_of_files(tmp_path, {"book.txt": STATUTE}, game="harbour") as base:
        [book] = base.stats().rulebooks
        assert (book.edition, book.rules) == ("20230505", 10)
        assert base.show("2").matches[0].text == "用具は、次のとおりとする。"
        assert base.show("4").matches[0].text == "（手番）　手番は第2章に定める順に進む。"
        found = {rule: [r.number for r in base.show(rule).entries[0].rule.cites] for rule in "3456"}
        assert found == {"3": ["2(1)"], "4": [], "5": ["9"], "6": ["3"]}


LAW_OF_JAPAN = """港湾競技規則
令和七年六月一日施行

　　　第一章　総則

第一条（目的）　この規則は、港で行う競技に用いる。
２　前項の競技は、二人で行う。
第二条（用具）　札は六十枚とし、次に掲げる駒を用いる。
　一　白い駒
　二　黒い駒
２　前条第二項の者は、駒を一つ持つ。
第三条（進行）　手番は交互に行う。第一条から第三条までの定めのほか、大会運営規程第4条による。

　　　第二章　手番

第三条の二（引く）　手番の者は一枚引く。
２　前二条の定めは、前項に従う。
３　第1項及び前項は、次条に優先する。
第四条（終わり）　山が空になれば、第三条の二に従い終わる。ただし、同条第三項を除く。
第五条　終わりに全員が駒を戻す。

附　則

この規則は、公布の日から施行する。
"""


def test_a_statute_as_japanese_law_is_printed(tmp_path: Path) -> None:
    """The first paragraph has no number, articles put in later have a branch, 前条 and 前項 go
    from where they stand, chapters and items are no rules."""
    with base_of_files(
        tmp_path, {"book.txt": LAW_OF_JAPAN}, site="rulebook", game="harbour"
    ) as base:
        [book] = base.stats().rulebooks
        assert (book.edition, book.rules) == ("20250601", 10)
        cites = {
            rule: [cited.number for cited in base.show(rule).entries[0].rule.cites]
            for rule in ("1(2)", "2(2)", "3", "3-2(2)", "3-2(3)", "4", "5")
        }
        asked = ("第三条の二", "第1条第2項", "第1条第1項", "第４条")
        assert [base.show(ref).matches[0].number for ref in asked] == ["3-2", "1(2)", "1", "4"]
    assert cites == {
        "1(2)": ["1"], "2(2)": ["1(2)"], "3": ["1", "2"], "3-2(2)": ["2", "3", "3-2"],
        "3-2(3)": ["3-2", "3-2(2)", "4"], "4": ["3-2", "3-2(3)"], "5": [],
    }  # fmt: skip


def test_chapters_of_a_statute_may_be_named_in_words() -> None:
    chapters = LAW.replace("## § 2 S", "Zweiter Abschnitt\n     Von den Schiffen\n\n## § 2 S")
    page = _read(chapters.replace("## ", ""))
    headings = [p.text for p in page.passages if p.kind == "heading"]
    assert {"Zweiter Abschnitt", "Von den Schiffen"} < set(headings)
    assert _rules(page)["1(2)"].endswith("regelt § 3 Abs. 2.")


def test_the_first_paragraph_may_have_its_number() -> None:
    numbered = LAW_OF_JAPAN.replace("（目的）　この", "（目的）\n１　この").replace(
        "令和七年六月一日", "令和7年（2025年）6月1日"
    )
    page = _read(numbered)
    assert list(_rules(page))[:3] == ["1", "1(1)", "1(2)"] and page.edition == "20250601"


@pytest.mark.parametrize("hostile", ["\n", "第1条 ", " \n", "I.\n", "Q \n"])
def test_no_layout_takes_the_square_of_a_text(hostile: str) -> None:
    def read(size: int) -> None:
        text = "第1条　札。\nI. See I.A.1, I.A.2, I.A.3.\n" + hostile * size
        rulebook_text.recognises(text, "")
        _read(text)

    assert grows_linearly(read, 4_000)


def test_a_book_may_begin_with_a_number_that_is_misread() -> None:
    text = "".join(f"1.{n}  A player draws.\n" for n in range(1, 9))
    assert list(_rules(_read(f"l.O  First.\n{text}")))[-1] == "1.8"
    assert "1.1" in _rules(_read("Rules\n\n" + "1.1  a\n" * 50))


# -- outlines ---------------------------------------------------------------------------------

OUTLINE = """Harbour Rules
3 May 2033

Contents
I. Ships .... 1
A. Sails .... 1
II. Sailors .... 2

I. SHIPS

A. Sails
1. A ship has sails, see II.A.2.a or chapter II.
2. Nobody may cut more than
7. They may not, says section IV.B.1 of the Fishing Almanac, but see I.B.9.
B. Anchors
1. A ship has one anchor.

II. SAILORS
A. Hands
1. A sailor has two hands.
2. In the harbour a sailor may do these things (see I.A.1 to I.A.2):
a. Draw a card.
b. Wait.
"""


def test_an_outline(tmp_path: Path) -> None:
    """Each line has its own label alone; rules are cited by all labels above them."""
    with base_of_files(tmp_path, {"book.txt": OUTLINE}) as base:
        [book] = base.stats().rulebooks
        assert (book.game, book.edition, book.rules) == ("harbour", "20330503", 12)
        assert base.show("II.A.2.b").matches[0].text == "Wait."
        for chapter in ("II", "chapter ii", "kapitel II"):
            assert [node.number for node in base.show(chapter).matches] == ["II"]
        assert not base.show("引く II").matches
        assert "7. They may not" in (base.show("i.a.2").matches[0].text or "")
        cites = {
            rule: [cited.number for cited in base.show(rule).entries[0].rule.cites]
            for rule in ("I.A.1", "I.A.2", "II.A.2")
        }
    assert cites == {"I.A.1": ["II.A.2.a", "II"], "I.A.2": ["I.B.9"], "II.A.2": ["I.A.1", "I.A.2"]}


# -- each digit a level -----------------------------------------------------------------------

WARGAME = """Battle of the Harbour
Version of 3 May 2033

[1.0] INTRODUCTION
Ships fight here, 3.11 miles out.

[2.0] SHIPS
[2.1] Sails
[2.11] A ship has sails, as Case 2.2 says.
[2.12] A sail lasts as long as
1.5 days, see Section 3.0.
[2.2] Anchors
[2.21] A ship has one anchor.
[2.22] It weighs 2.5 tons.
[2.3] Hulls are made of wood.

[3.0] SAILORS
[3.1] Hands
[3.11] A sailor has two hands (2.21).
[3.2] Feet

INDEX
Anchors, 2.2
Hands, 3.11
"""


def test_each_digit_is_a_level_in_a_wargame(tmp_path: Path) -> None:
    with base_of_files(tmp_path, {"book.txt": WARGAME}) as base:
        [book] = base.stats().rulebooks
        assert book.rules == 13
        parts = {
            number: [
                part.number for part in base.parts(f"battle-of-the-harbour/cr/20330503/en/{number}")
            ]
            for number in ("2.0", "2.1", "3.1")
        }
        assert parts == {"2.0": ["2.1", "2.2", "2.3"], "2.1": ["2.11", "2.12"], "3.1": ["3.11"]}
        cited = {
            rule: [each.number for each in base.show(rule).entries[0].rule.cites]
            for rule in ("2.11", "2.12", "3.11", "3.2")
        }
    assert cited == {"2.11": ["2.2"], "2.12": ["3.0"], "3.11": ["2.21"], "3.2": []}


# -- web pages --------------------------------------------------------------------------------

WEB_PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>Harbour Rules</title><script>let rule = "9.9"</script></head>
<body><nav><a href="/">1.1 Home</a></nav>
<h1>Harbour Comprehensive Rules</h1><p>Effective 3 May 2033</p>
<h2>1. Ships</h2>
<p><b>1.1</b> A ship has sails,
see <a href="#r23">rule 2.3</a>.</p>
<ol><li><span>1.2</span> A ship moves.
<ol><li><span>1.2.1</span> It moves twice in wind.</li></ol></li></ol>
<h2>2. Sailors</h2>
<table><tr><th>Place</th><th>Sailors</th><th>Cards</th></tr>
<tr><td>Bow</td><td>2</td><td>1.5</td></tr></table>
<p>2.1 A sailor draws&nbsp;one card.</p><p>Example: She draws.</p><p>2.2 None sleeps.</p>
<p>2.3 Sails are white.</p><p>2.4 The wind is free.</p>
<footer>Harbour 1.4</footer></body></html>
"""


def test_a_web_page_with_a_rulebook() -> None:
    [page], warnings = read_pages(Snapshot("book.html", WEB_PAGE.encode()))
    assert (page.form, page.game, page.edition, page.lost) == (
        "rulebook HTML", "harbour", "20330503", 0,
    )  # fmt: skip
    assert [warning.where for warning in warnings] == ["book.html: game"]
    rules = _rules(page)
    assert list(rules) == "1 1.1 1.2 1.2.1 2 2.1 2.2 2.3 2.4".split()
    assert rules["1.1"] == "A ship has sails, see rule 2.3."
    assert {p.text for p in page.passages if p.kind == "row"} == {
        "Place   Sailors   Cards", "Bow   2   1.5",
    }  # fmt: skip
    assert set(page.left_out) == {"document head", "navigation", "page frame", "script"}


def test_a_title_above_the_contents_and_numbers_set_apart_by_a_style_sheet() -> None:
    """The title may stand before <main>; a number in an element of its own needs no space."""
    rules = "".join(
        f"<h3><span>{chapter}.{n}</span>Title</h3><p>A ship sails.</p>"
        for chapter in (1, 2)
        for n in range(1, 5)
    )
    body = f"<header><h1>Harbour Rules</h1><p>3 May 2033</p></header><main>{rules}</main>"
    [page], _ = read_pages(Snapshot("book.html", f"<html><body>{body}</body></html>".encode()))
    assert (page.game, page.edition) == ("harbour", "20330503")
    assert _rules(page)["2.4"] == "Title"


def test_a_web_page_without_rules_is_no_rulebook() -> None:
    prose = "<html><body><p>1.1 of them.</p><p>Nothing else here.</p></body></html>"
    pages, [warning] = read_pages(Snapshot("page.html", prose.encode()))
    assert not pages and "no site that sansho knows" in warning.what


@pytest.mark.parametrize("tag", ["<main class='a'>", "<main>"])
def test_what_stands_outside_the_main_part_is_the_frame(tag: str) -> None:
    rules = "".join(f"<p>100.{n}. A <b>rule</b>.</p>" for n in range(1, 9))
    html = (
        f"<html><body><div>Buy 3 boosters</div>{tag}<h1>Owl Rules</h1>{rules}</main></body></html>"
    )
    [page], _ = read_pages(Snapshot("book.html", html.encode()))
    assert page.left_out["page frame"] and not any("boosters" in p.text for p in page.passages)
