"""Ways of numbering: rulebooks of other makes, each of which a book is written for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scraper import Hints, Page, ReadWarning, Snapshot
from scraper.rulebook.numbering import follows, number_key, parent_number
from scraper.sites import rulebook_text
from tests.rulebooks import base_of_files


def read(text: str) -> Page:
    return rulebook_text.read(Snapshot("book.txt", text.encode(), hints=Hints()), text)[0]


def numbering_warnings(page: Page) -> list[ReadWarning]:
    return [warning for warning in page.warnings if warning.where == "numbering"]


def rules(page: Page) -> dict[str, str]:
    """The text behind the number of each rule, by number."""
    return {p.rule.number: p.text[p.rule.text_start :] for p in page.passages if p.rule}


def book(form: str, numbers: str, heads: str = "") -> tuple[str, list[str]]:
    """A book whose lines are in a form, and its numbers. `heads`: those that are headings."""
    lines = []
    for number in numbers.split():
        text = "領域" if number in heads.split() else "各プレイヤーはカードを1枚引く。"
        lines.append(form.format(number, text))
    title = "見本カード 総合ルール 2025年1月2日\n見本カードの手引き\n\n"
    return title + "\n".join(lines) + "\n", numbers.split()


SIX = "1 1.1 1.1.1 1.1.1.1 1.1.1.2 1.1.1.2.1 1.1.1.2.1.1 1.1.1.2.1.2 1.1.2 1.2 1.2.1 2 2.1"
LETTERED = "1 1.1 1.1.a 1.1.b 1.1.b.1 1.1.b.2 1.1.c 1.2 1.2.a 2 2.1 2.1.a 2.1.b"
ROMAN_LAST = "1 1.1 1.1.a 1.1.a.i 1.1.a.ii 1.1.a.iii 1.1.a.iv 1.1.a.v 1.1.b 1.1.b.i 2 2.1 2.1.a"
ROMAN_THIRD = "1 1.1 1.1.i 1.1.ii 1.1.iii 1.1.iv 1.1.v 1.1.vi 1.2 1.2.i 2 2.1 2.1.i"
BRACKETS = "1 1.1 1.1(1) 1.1(2) 1.1(3) 1.2 1.2(1) 1.2(1)(a) 1.2(1)(b) 2 2.1 2.1(1)"
CAPITALS = "A-1 A-1-01 A-1-02 A-2 A-2-01 B-1 B-1-01 B-1-02 B-2"
PLAIN_HUNDREDS = "100 101 102 102.1 102.1.a 102.1.b 102.2 103 200 201 201.1 201.1.a"
ROMAN_FIRST = "I I.1 I.2 II II.1 II.1.1 III III.1 IV IV.1 V V.1 V.2"
DEEP_LETTERS = "1 1.0 1.0.1 1.0.1a 1.0.1b 1.0.2 1.1 1.1.1 1.1.1a 1.1.1b 1.1.1c 2 2.0 2.0.1"


@pytest.mark.parametrize("form", ["{}. {}", "{} {}", "{}.　{}", "## {} {}", "{}：{}"])
@pytest.mark.parametrize(
    ("numbers", "heads"),
    [
        (SIX, "1 1.1 2"),
        (LETTERED, "1 1.1 2"),
        (ROMAN_LAST, "1 2"),
        (ROMAN_THIRD, "1 2"),
        (BRACKETS, "1 2"),
        (CAPITALS, "A-1 A-2 B-1 B-2"),
        (PLAIN_HUNDREDS, "100 101 200"),
        (DEEP_LETTERS, "1 1.0 2"),
    ],
)
def test_a_way_of_numbering(form: str, numbers: str, heads: str) -> None:
    text, expected = book(form, numbers, heads)
    page = read(text)
    assert list(rules(page)) == expected
    assert (page.lost, page.warnings) == (0, ())
    assert set(rules(page).values()) <= {"領域", "各プレイヤーはカードを1枚引く。"}


@pytest.mark.parametrize(
    ("form", "numbers", "heads"),
    [
        ("{}. {}", ROMAN_FIRST, "I II III IV V"),
        ("{}. {}", "9 904 904.1 10 1000 1001 1001.1 1014 11 1120 1120.1", "9 10 11"),
        *(
            (form, "1.1 1.1.1 1.1.2 1.2 1.2.1 2.1 2.1.1", "")
            for form in ("【{}】{}", "[{}] {}", "§ {} {}", "§{}. {}", "**{}** {}", " {}) {}")
        ),
        *((form, "1.1 1.1.1 1.1.2 1.2 1.2.1 2.1 2.1.1", "") for form in ("■{} {}", "● {}　{}")),
    ],
)
def test_roman_chapters_four_digits_brackets_and_signs(form: str, numbers: str, heads: str) -> None:
    text, expected = book(form, numbers, heads)
    assert list(rules(read(text))) == expected


def test_kanji_chapters_and_articles() -> None:
    text = "規則\n" + "".join(
        f"第{kanji}章　領域\n{n}.1　手札\n{n}.1.1　手札は非公開である。\n"
        for n, kanji in ((1, "一"), (2, "二"), (3, "三"))
    )
    expected = [f"{n}{rest}" for n in (1, 2, 3) for rest in ("", ".1", ".1.1")]
    assert list(rules(read(text))) == expected
    for others in (
        ("1章", "2章", "3章"),
        ("Ⅰ.", "Ⅱ.", "Ⅲ."),
        ("【第1章】", "【第2章】", "【第3章】"),
    ):
        written = text
        for chapter, other in zip(("第一章", "第二章", "第三章"), others, strict=True):
            written = written.replace(chapter, other)
        assert list(rules(read(written))) == expected


@pytest.mark.parametrize("word", ["Chapter {}: ", "Section {} - ", "PART {}. ", "{}. ", "{} "])
def test_english_chapters(word: str) -> None:
    lines = []
    for n in (1, 2, 3):
        lines += [word.format(n) + "Zones", f"{n}.1 Hand", f"{n}.1.1 Each player has a hand."]
    assert list(rules(read("Rules\n\n" + "\n".join(lines)))) == [
        f"{n}{rest}" for n in (1, 2, 3) for rest in ("", ".1", ".1.1")
    ]


def test_a_number_alone_on_its_line() -> None:
    text = "Rules\n\n" + "\n".join(
        f"{n}\n\nEach player draws {i} cards.\n"
        for i, n in enumerate(("1.1", "1.1.1", "1.1.2", "1.2", "1.2.1", "2.1", "2.1.1"))
    )
    page = read(text)
    assert list(rules(page)) == ["1.1", "1.1.1", "1.1.2", "1.2", "1.2.1", "2.1", "2.1.1"]
    assert rules(page)["1.2"] == "Each player draws 3 cards." and page.lost == 0


SPACED = """Sample Rules

1. Zones
1.1. A deck is one.
1.2. A hand is one.

12

1.2a
A hand is hidden.
1.2bIt may be shown.
1.2c 「Shown」 is a word.
1.2 d 見せたカードは戻す。
1.2E 戻したカードは隠す。
1.3. It ends with the last card, see rule 2.4. 1.4.

A hand has no end but this: 1.5.
It may be empty.
2.
Turns
2.1.Each player has one.
2.2. All turns are alike.
3. Ends
3.1. A game ends.
400. Cards
400.1 There are
3 kinds of cards.
401.
Costs
401.1. A cost is paid in an amount of 402. There is no other.
"""


def test_numbers_in_other_places_than_most() -> None:
    """What stands between two rules is one if it continues their numbers: a number alone on its
    line, glued to its text, with a space before its letter, at the end of the line before."""
    page = read(SPACED)
    numbers = "1 1.1 1.2 1.2a 1.2b 1.2c 1.2d 1.2e 1.3 1.4 1.5 2 2.1 2.2 3 3.1 400 400.1 401 401.1"
    assert list(rules(page)) == numbers.split() and page.lost == 0
    assert rules(page)["1.2a"] == "A hand is hidden."
    assert rules(page)["1.2b"] == "It may be shown."
    assert rules(page)["1.2d"] == "見せたカードは戻す。"
    assert rules(page)["1.3"] == "It ends with the last card, see rule 2.4."
    assert rules(page)["1.4"] == "A hand has no end but this:"
    assert rules(page)["1.5"] == "It may be empty." and rules(page)["2"] == "Turns"
    assert rules(page)["401"] == "Costs"


def test_a_glossary_without_entries_is_a_rule() -> None:
    rest = "".join(f"72{n}. Word\n72{n}.1. It is one.\n72{n}.1a It is seen.\n" for n in range(1, 4))
    page = read(f"Rules\n\n719. Words\n719.1. There are some.\n720. Keyword Glossary\n{rest}")
    assert rules(page)["720"] == "Keyword Glossary" and len(rules(page)) == 12


LISTS = """見本カード 総合ルール
1. 準備
1.1. デッキを置く。次の順に行う。
1. まず山札を切る。
2. 次に7枚引く。
3. 手札を見る。
1.2. 先攻を決める。
2. 進行
2.1. ターンは次の通りである。
1 ドロー 3枚
2 メイン 5枚
3 終了 7枚
2.2. 終わり。
3.1枚のカードを数えるときは、次による。
3. 勝敗
3.1. 山札がないプレイヤーは負ける。
"""


def test_numbered_lists_and_tables_under_rules_are_not_rules() -> None:
    page = read(LISTS)
    assert list(rules(page)) == ["1", "1.1", "1.2", "2", "2.1", "2.2", "3", "3.1"]
    assert rules(page)["3"] == "勝敗" and page.lost == 0


def test_sentences_as_chapters() -> None:
    text = "Rules\n\n" + "".join(
        f"{n}. A game is played by players.\n{n}.1. Each of them has a deck.\n{n}.2. All draw.\n"
        for n in range(1, 5)
    )
    assert len(rules(read(text))) == 12


def test_contents_are_not_rules() -> None:
    heads = ["Zones", "Cards", "Turns"]
    contents = "Contents\n" + "".join(f"{n}. {h}\n{n}.1 General\n" for n, h in enumerate(heads, 1))
    columns = (
        "CONTENTS\n1.  Zones            3.  Turns\n 1.1 General         3.1 General\n2. Cards\n"
    )
    body = "".join(
        f"{n}. {h}\n{n}.1 General\n{n}.1.1 A player draws a card.\n" for n, h in enumerate(heads, 1)
    )
    for front in (contents, columns, contents.replace("Contents\n", "")):
        page = read(f"Sample Rules\n\n{front}\n{body}")
        found = [p.rule.number for p in page.passages if p.rule]
        assert found == [f"{n}{rest}" for n in (1, 2, 3) for rest in ("", ".1", ".1.1")]


def test_appendix_with_rules_of_its_own() -> None:
    text = (
        "Rules\n1. Zones\n1.1. A hand is hidden.\n1.2. A deck is a pile.\n1.3. A pile is a zone.\n"
        "Appendix A: Tokens\nA-1. Goblin\nA-1-1. A goblin has no text.\nA-2. Elf\n"
    )
    assert list(rules(read(text))) == ["1", "1.1", "1.2", "1.3", "A-1", "A-1-1", "A-2"]
    second = text.replace("Appendix A", "Appendix A: Cards\nNone.\nAppendix B").replace("A-", "B-")
    assert list(rules(read(second))) == ["1", "1.1", "1.2", "1.3", "B-1", "B-1-1", "B-2"]


def test_headings_name_terms_in_both_languages(tmp_path: Path) -> None:
    text = (
        "見本カード 総合ルール\n2024年3月1日施行\n1. 領域\n1.1. 手札(Hand)\n1.1.1. 非公開である。\n"
        "1.2. 山札(Deck)\n1.2.1. 非公開である。\n2. 進行\n2.1. 開始\n2.1.1. 札を引く。\n"
    )
    with base_of_files(tmp_path, {"rules.txt": text}, game="sample") as base:
        [term] = [node for node in base.show("手札").matches if node.kind == "term"]
        assert ("en", "Hand") in {(label.lang, label.text) for label in term.labels}


def test_lines_that_are_not_understood_are_a_warning() -> None:
    text = "Rules\n" + "".join(f"{n}.1 A zone.\n{n}/{n} A card.\n" for n in range(1, 9))
    [warning] = numbering_warnings(read(text))
    assert "8 rules: 8;" in warning.what and "line 3: 1/1 A card." in warning.what
    [warning] = numbering_warnings(read("Rules of a game\n\nIt has no numbers.\n"))
    assert "no numbered rules" in warning.what


@pytest.mark.parametrize(
    "foot",
    [
        "第{}页",
        "第 {} 页 共 9 页",
        "{}ページ",
        "Sample Rules {}",
        "{} | Sample Rules",
        "Rules v1.2",
    ],
)
def test_what_belongs_to_the_printed_page_is_left_out(foot: str) -> None:
    lines = []
    for page in range(1, 6):
        lines += [
            f"{page}. Zone",
            *(f"{page}.{n}. Players draw {n} cards." for n in range(1, 15)),
        ]
        lines += ["and a sentence that goes on", foot.format(page), "on the next page."]
    page = read("Sample\n\n" + "\n".join(lines))
    assert not [
        p for p in page.passages if "Rules" in p.text or "页" in p.text or "ページ" in p.text
    ]
    assert len(rules(page)) == 75 and page.lost == 0


MARKDOWN = """# Sample Game Rules

## Contents

[1. Zones](#1-zones)
[2. Turns](#2-turns)

## 1. Zones

### 1-1. Hand

- **1-1-1.** A hand is hidden.
  - **1-1-1-1.** Its size is not.
  - a list below it
- **1-1-2.** See 1-1-1\\-1.

| zone | cards |
|---|---|
| hand | 7 |

## 2) Turns

### 2-1

A turn has phases.

### 2-2

They come one after the other.
"""


def test_markdown() -> None:
    page = read(MARKDOWN)
    assert rules(page) == {
        "1": "Zones",
        "1-1": "Hand",
        "1-1-1": "A hand is hidden.",
        "1-1-1-1": "Its size is not.",
        "1-1-2": "See 1-1-1-1.",
        "2": "Turns",
        "2-1": "A turn has phases.",
        "2-2": "They come one after the other.",
    }
    assert page.lost == 0 and page.left_out["Markdown"] > 20
    assert [p.text[:6] for p in page.passages if p.kind == "row"] == ["| zone", "| hand"]


LETTERED = """Sample Rules
1. Zones
1.1. A hand is hidden.
a. Its size is not. Rule 1.2b says so.
b. It has an owner.
1.2. A deck is a pile. See 1.1a and 1.1b.
a. It is hidden.
b. Its size is not.
1.3. Colours are
a. red
b. blue, see rule 1.2a.
"""


def test_sub_rules_that_have_only_a_letter() -> None:
    found = rules(read(LETTERED))
    assert list(found) == [
        "1", "1.1", "1.1a", "1.1b", "1.2", "1.2a", "1.2b", "1.3", "1.3a", "1.3b",
    ]  # fmt: skip
    assert found["1.2b"] == "Its size is not."
    uncited = re.sub(r"(?<=\d)[ab]\b", "", LETTERED)
    assert list(rules(read(uncited))) == ["1", "1.1", "1.2", "1.3"]


def test_numbers_that_come_twice_are_a_warning() -> None:
    lines = ["Rules", "1. Zones", "1.1. A hand.", "1.2. A deck.", "1.2. A pile.", "1.3. A card."]
    page = read("\n".join([*lines, "2. Turns", "2.1. One turn."]))
    assert list(rules(page)) == ["1", "1.1", "1.2", "1.3", "2", "2.1"]
    [warning] = numbering_warnings(page)
    assert "line 5: 1.2. A pile." in warning.what


def test_a_quantity_behind_a_number_is_none_of_its_levels() -> None:
    text = "規則\n1．準備\n" + "".join(f"1-{n}．{n}枚引く。\n" for n in range(1, 6))
    assert rules(read(text))["1-3"] == "3枚引く。"
    text = "規則\n1.準備\n" + "".join(f"1.{n}.{n}人で行う。\n" for n in range(1, 6))
    assert rules(read(text))["1.3"] == "3人で行う。"


PARAGRAPHS = """Sample Rules

1. Zones

1.1. A player may do these things:

• Draw a card.

• See rule 2.1.

A player who has done both is done.

Example: A player draws. Rule 2.2 does not apply.

1.2. A hand is hidden.

2. Cards

2.1. A card is drawn.

2.2. A card is played.
"""


def test_an_example_goes_on_until_its_sentence_ends() -> None:
    text = PARAGRAPHS.replace("A player draws. Rule", "It is\n\n-3/-3, as rule").replace(
        "1.2. A", "It is.\n1.2. A"
    )
    kinds = [(p.kind, p.text) for p in read(text).passages]
    assert ("example", "Example: It is -3/-3, as rule 2.2 does not apply.") in kinds
    assert ("example", "It is.") in kinds


def test_what_stands_behind_an_example_belongs_to_it_but_for_references() -> None:
    behind = "• He draws.\n\nThe card is lost.\n\nSee rule 2.1 for more.\n\n1.2. A"
    kinds = {p.text: p.kind for p in read(PARAGRAPHS.replace("1.2. A", behind, 1)).passages}
    assert (kinds["• He draws."], kinds["The card is lost."]) == ("example", "example")
    assert kinds["See rule 2.1 for more."] == "paragraph"


def test_everything_up_to_the_next_rule_belongs_to_a_rule() -> None:
    page = read(PARAGRAPHS)
    rule = next(n for n, p in enumerate(page.passages) if p.rule and p.rule.number == "1.1")
    assert [p.kind for p in page.passages if p.parent == rule] == [
        "item", "item", "paragraph", "example",
    ]  # fmt: skip


def test_a_rule_is_shown_with_all_of_its_text(tmp_path: Path) -> None:
    with base_of_files(tmp_path, {"rules.txt": PARAGRAPHS}, site="rulebook", game="sample") as base:
        shown = base.show("1.1")
        [rule] = shown.matches
        assert (rule.text or "").count("\n") == 3 and "Example" not in (rule.text or "")
        assert [example.text[:8] for example in shown.examples[rule.id]] == ["Example:"]
        cited = {
            edge.target_label for edge in base.refs(rule.id, direction="out", kinds=["cites"]).edges
        }
        assert cited == {"2.1", "2.2"}


def test_parents_and_order() -> None:
    parents = {
        "107.5.a": "107.5", "103.1.a.(1)": "103.1.a", "1.2(1)": "1.2", "A-1-01": "A-1",
        "A-1": "A", "001": "0", "1.1.a.iv": "1.1.a", "II.3": "II", "10.1.1.2.1.1": "10.1.1.2.1",
    }  # fmt: skip
    assert {number: parent_number(number) for number in parents} == parents
    ordered = "001 050 100 107.5 107.5.a 107.5.b 107.5.b.1 107.6 200 A-1 A-1-01 A-1-02 B-1".split()
    assert sorted(set(ordered), key=number_key) == ordered
    assert follows(number_key("704.5k"), number_key("704.5m"))
    assert follows(number_key("9.2"), number_key("A-1-01"))


def test_a_rule_out_of_order_cites_nothing(tmp_path: Path) -> None:
    """Its number is kept in the text of the rule before it, in a passage of its own."""
    lines = ["Sample Rules", "2030-01-02", "1. Zones", "1.1. A hand.", "1.2. A deck, see 1.1."]
    lines += ["1.1. A pile.", "1.3. A card is as in 1.2.", "2. Turns", "2.1. One turn, see 1.3."]
    with base_of_files(
        tmp_path, {"rules.txt": "\n".join(lines)}, site="rulebook", game="sample"
    ) as base:
        cited = [base.refs(number, direction="in", kinds=["cites"]) for number in ("1.1", "1.2")]
        assert [len(found) for found in cited] == [1, 1]
