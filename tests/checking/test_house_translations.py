"""A draft of a rule that the knowledge base has in both languages is held against that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from graphs.store.reader import Store
from kb.checking.check import CheckOptions, check
from kb.checking.draft import Finding, Segment
from kb.rules.rules_across_languages import translated_rules
from kb.termbase.model import Decision
from tests.rulebooks import write_books

EN = """
1. Boats
1.1. A boat carries up to three crates.
1.2. Whenever a boat sinks, its skipper puts its crates into the hold. See rule 2.1.
1.3. The skipper of the fastest boat takes two coins from the chest.
2. Anchors
2.1. An anchored boat can't sail until its skipper raises the anchor.
2.2. (Old Heron) is a card that raises an anchor for five coins.
2.3. Boats carry crates, hull chests, deck chests and chests of coins; sails don't count.
"""
JA = """
1. 舟
1.1. 舟は木箱を最大3つまで運ぶ。
1.2. 舟が沈むたび、その船長は木箱を船倉に置く。rule 2.1 参照。
1.3. 最も速い舟の船長は宝箱から硬貨2枚を得る。
2. 錨
2.1. 錨を下ろした舟は、船長が錨を上げるまで航行できない。
2.2. 《老いた鷺》は硬貨5枚で錨を上げるカードである。
2.3. 舟は木箱、船体宝箱、甲板宝箱、および硬貨宝箱を運ぶ。帆は数えない。
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("boats")
    books = {("20250101", "en"): EN, ("20250101", "ja"): JA}
    kb.build([write_books(folder / "books", books)], folder / "kb.db")
    with Store(folder / "kb.db") as opened:
        yield opened


def found(store: Store, source: str, target: str, *others: str) -> list[Finding]:
    """Check a segment from English, and the targets of segments without source behind it."""
    segments = [Segment("1", 1, target, "ja", source, "en")]
    segments += [Segment(str(n), n, text, "ja") for n, text in enumerate(others, 2)]
    return list(check(store, segments, "draft", CheckOptions("en", "ja")).problems)


RULE_2_1 = "An anchored boat can't sail until its skipper raises the anchor."
RULE_2_3 = "Boats carry crates, hull chests, deck chests and chests of coins; sails don't count."
RULE_1_2 = "Whenever a boat sinks, its skipper puts its crates into the hold. See rule 2.1."
RULE_1_3 = "The skipper of the fastest boat takes two coins from the chest."


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (RULE_1_3, "最も速い舟の船長は宝箱から硬貨2枚を得る。"),
        (RULE_1_3, "1.3. 最も速い舟の船長は、宝箱から硬貨２枚を得る。".replace("２", "2")),
        (RULE_1_2, "舟が沈むたび、その船長は木箱を船倉に置く。rule 2.1 参照。"),
        (RULE_1_3, "宝箱の硬貨2枚は、最も速い舟の船長が得る。"),  # another wording of the same
        ("A gull sits on the mast.", "帆柱に鴎がとまる。"),  # what no rule says
    ],
)
def test_what_follows_the_house_is_left_alone(store: Store, source: str, target: str) -> None:
    assert found(store, source, target) == []


@pytest.mark.parametrize(
    ("source", "target", "kind", "words"),
    [
        (RULE_1_3, "最も速い舟の船長は金庫から硬貨2枚を得る。", "inconsistent-term", "金庫"),
        (RULE_1_3, "最も速い舟の船長は宝箱から硬貨3枚を得る。", "number", "3枚"),
        (RULE_1_3, "最も速い舟の船長は宝箱から硬貨２枚を得る。", "spelling", "２"),
        (
            RULE_1_2,
            "舟が沈むたび、その船長は木箱を船倉に置く。rule 2.2 参照。",
            "rule-number",
            "2.2",
        ),
        (
            "(Old Heron) is a card that raises an anchor for five coins.",
            "《老いた鷲》は硬貨5枚で錨を上げるカードである。",
            "card-name",
            "鷲",
        ),
    ],
)
def test_a_departure_is_found_where_it_stands(
    store: Store, source: str, target: str, kind: str, words: str
) -> None:
    findings = found(store, source, target)
    assert [finding.kind for finding in findings] == [kind]
    [finding] = findings
    assert words in (finding.text or "") or finding.text in words
    assert target[finding.start : finding.end] == finding.text


def test_a_lost_limit_and_a_lost_word_have_no_words_of_their_own(store: Store) -> None:
    lost = found(store, "A boat carries up to three crates.", "舟は木箱を3つ運ぶ。")
    assert {finding.kind for finding in lost} == {"number"}


def test_lines_of_a_rule_may_be_segments_of_their_own(tmp_path: Path) -> None:
    english = "1. Boats\n1.1. A boat sails.\nIt carries four crates to the far island.\n1.2. End."
    japanese = "1. 舟\n1.1. 舟は航行する。\nそれは木箱4つを遠い島へ運ぶ。\n1.2. 終わり。"
    books = {("20250101", "en"): english, ("20250101", "ja"): japanese}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")
    source = "A boat sails.\nIt carries four crates to the far island."
    with Store(tmp_path / "kb.db") as store:
        assert found(store, source, "舟は航行する。", "それは木箱4つを遠い島へ運ぶ。") == []


def test_sections_that_moved_are_paired_by_what_they_are() -> None:
    first = {"1": "章", "1.1": "甲", "1.1.1": "一" * 40, "1.2": "乙", "1.2.1": "二" * 400}
    assert translated_rules(first, first) == [(number, number, True) for number in first]
    there = {"1": "Part", "1.1": "A"}
    assert translated_rules(first, there) == [("1", "1", True), ("1.1", "1.1", True)]


@pytest.mark.parametrize(
    ("source", "target", "words", "expected"),
    [
        (RULE_2_1, "錨を下ろした舟は、船長が錨を上げるまで航行できる。", "できる", "できない"),
        (RULE_1_3, "最も速い舟の船長は宝箱から硬貨2枚を得ない。", "得ない", "得る"),
    ],
)
def test_what_denies_otherwise_than_the_house(
    store: Store, source: str, target: str, words: str, expected: str
) -> None:
    """Words of denial are no content words, so that they are no other departure."""
    [finding] = found(store, source, target)
    assert finding.kind == "opposite" and words in finding.text, finding
    assert expected in (finding.expected or ""), finding


GERMAN = """
1. Boote
1.1. Ein Boot trägt bis zu drei Kisten.
1.2. Wenn ein Boot anderen Schaden zufügt, verliert seine Person.
1.3. Ein Sturm kann einem Boot Schaden bringen, den er ihm zufügt.
1.4. Die Person eines Bootes, das Schadenzufügt, holt die Münzen.
1.5. Ein Anker kann Schaden am Kiel haben, den ein Riff ihm zufügt.
"""
GERMAN_SOURCES = """
1. Boats
1.1. A boat carries up to three crates.
1.2. If a boat deals damage to others, its person loses.
1.3. A storm may bring a boat the damage that it deals.
1.4. The person of a boat that deals damage takes the coins.
1.5. An anchor may have damage at its keel that a reef deals.
"""


def test_the_house_decides_in_german_and_its_slips_are_no_advice(tmp_path: Path) -> None:
    books = {("20250101", "en"): GERMAN_SOURCES, ("20250101", "de"): GERMAN}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")

    def checked(source: str, target: str) -> list[Finding]:
        segment = Segment("1", 1, target, "de", source, "en")
        with Store(tmp_path / "kb.db") as store:
            return list(check(store, [segment], "draft", CheckOptions("en", "de")).problems)

    source = "1.2. If a boat deals damage to others, its person loses."
    target = "1.2. Wenn ein Boot anderen Schaden zufügt, gewinnt seine Person."
    [finding] = checked(source, target)
    assert (finding.kind, finding.text, finding.expected) == ("opposite", "gewinnt", "verliert")
    source = "1.4. The person of a boat that deals damage takes the coins."
    assert checked(source, "Die Person eines Bootes, das Schaden zufügt, holt die Münzen.") == []


def test_an_item_that_is_left_out_is_shown_whole(store: Store) -> None:
    target = "舟は木箱、船体宝箱、および硬貨宝箱を運ぶ。帆は数えない。"
    decided = [
        Decision("deck chest", lang, name)
        for lang, name in (("en", "deck chest"), ("ja", "甲板宝箱"))
    ]
    segments = [Segment("1", 1, target, "ja", RULE_2_3, "en")]
    [finding] = check(store, segments, "draft", CheckOptions("en", "ja"), decided).problems
    assert "have 甲板宝箱 here" in finding.message, finding.message
