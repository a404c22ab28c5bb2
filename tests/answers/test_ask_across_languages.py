"""Questions in one language and passages in the other; games that are named; refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import kb
from kb.query.answers.ask import with_counterparts
from kb.query.answers.question import parse_question
from kb.query.answers.shortlist import aligned_words, shortlist, with_aligned_words
from scraper.sites.games import find_games
from tests.rulebooks import base_of

ENGLISH = """Harbour Comprehensive Rules

These rules are effective as of March 1, 2026.

1. Concepts
100. Cranes
100.1. A crane lifts one crate at the dawn of each turn.
100.2. A crane that lifts a crate is spent until the dawn of its next turn.
100.3. A crane with no crate to lift stays ready.
101. Cargo
101.1. A crate that is dropped is lost for good.
"""
JAPANESE = """Harbour 総合ルール

2026年3月1日 発効

1. 概念
100. 起重機
100.1 起重機は各ターンの夜明けに木箱1つを吊り上げる。
100.2 木箱を吊り上げた起重機は、次の自分のターンの夜明けまで使用済みになる。
100.3 吊り上げる木箱がない起重機は、使用可能のままである。
101. 積荷
101.1 落とされた木箱は永久に失われる。
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """The same rules in two languages."""
    folder: Path = tmp_path_factory.mktemp("harbour")
    for name, text in (("harbour-en.txt", ENGLISH), ("harbour-ja.txt", JAPANESE)):
        (folder / name).write_text(text, "utf-8")
    return base_of([folder], folder / "kb.db", game="harbour", site="rulebook")


def test_a_word_is_carried_across_by_aligned_rules(harbour: kb.KnowledgeBase) -> None:
    assert "crate" in aligned_words(harbour._store, ["木箱"], "ja")
    assert aligned_words(harbour._store, ["ペンギン"], "ja") == frozenset()
    question = with_aligned_words(
        harbour._store, parse_question(harbour._store, "木箱はどうなる？")
    )
    assert any("crate" in term.related for term in question.query_terms)


def test_answers_are_rules_in_the_language_of_the_question(harbour: kb.KnowledgeBase) -> None:
    for asked, lang, among in (  # the rule on lifting itself may come before in Japanese
        ("木箱を吊り上げた起重機はどうなりますか？", "ja", 2),
        ("What happens to a crane that lifts a crate?", "en", 1),
    ):
        answers = harbour.ask(asked).answers
        assert {answer.node.lang for answer in answers} == {lang}
        numbers = [answer.node.number for answer in answers]
        assert "100.2" in numbers[:among] and len(set(numbers)) == len(numbers)


def test_a_rule_found_in_the_other_language_gives_its_place(harbour: kb.KnowledgeBase) -> None:
    store = harbour._store
    found = shortlist(store, "木箱を吊り上げた起重機はどうなりますか？")
    assert found is not None
    japanese = [scored for scored in found.ranked if scored.passage.number == "100.2"][:1]
    asked_in_english = replace(found.question, lang="en")
    (only,) = with_counterparts(store, asked_in_english, japanese)
    assert (only.passage.rule or "").endswith("/en/100.2")
    assert "is translated by rule 100.2 (ja)" in map(str, only.reasons)
    assert with_counterparts(store, found.question, japanese) == japanese


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("ロルカナとMTGではどう違う？", ["lorcana", "mtg"]),
        ("シャドバEVOLVEの進化", ["shadowverse-evolve"]),
        ("In Riftbound, what is Might?", ["riftbound"]),
        ("ポケカのサイドは何枚？", ["pokemon"]),
        ("how much damage knocks you out of an EDH game", ["mtg"]),
        ("a sorcery with an altered cost", []),
    ],
)
def test_games_in_a_question(text: str, games: list[str]) -> None:
    assert [game for game, _, _ in find_games(text)] == games


def test_what_is_nowhere_is_named(base: kb.KnowledgeBase) -> None:
    found = base.ask("ハースストーンの炉石はいくら？")
    assert (found.answers, found.missing_games) == ((), ("hearthstone",))
    found = base.ask("ペンギンの値段はいくらですか？")
    assert not found.answers and "ペンギン" in found.unknown


def test_without_vectors_meanings_are_not_compared(base: kb.KnowledgeBase) -> None:
    pytest.importorskip("numpy")
    from kb.query.answers.shortlist import usable_encoder

    assert usable_encoder(base._store) is None
