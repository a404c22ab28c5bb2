"""How a sentence was translated before: what is found, in which order, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from tests.rulebooks import write_books

EN = """
1. Boats
1.1. A boat carries up to three crates.
1.2. Whenever a boat sinks, its skipper puts its crates into the hold. The chest stays.
1.3. The skipper of the fastest boat takes two coins from the chest.
"""
JA = """
1. 舟
1.1. 舟は木箱を最大3つまで運ぶ。
1.2. 舟が沈むたび、その船長は木箱を船倉に置く。宝箱は残る。
1.3. 最も速い舟の船長は宝箱から硬貨2枚を得る。
"""
NEWER = EN.replace("two coins", "three coins")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    folder = tmp_path_factory.mktemp("boats")
    books = {
        ("20250101", "en"): EN,
        ("20250101", "ja"): JA,
        ("20260101", "en"): NEWER,
        ("20260101", "ja"): JA.replace("2枚", "3枚"),
    }
    (folder / "cards.csv").write_text("カード名,英語\n老いた鷺,Old Heron\n", "utf-8")
    sources = [write_books(folder / "books", books), folder / "cards.csv"]
    kb.build(sources, folder / "kb.db", game="harbour")
    with kb.open(folder / "kb.db") as opened:
        yield opened


def test_the_likest_sentence_comes_first_with_its_own_translation(base: kb.KnowledgeBase) -> None:
    found = base.match("Whenever a boat sinks, its owner puts its crates into the chest.")
    assert (found.lang, found.target_lang) == ("en", "ja")
    first = found.matches[0]
    assert first.source == EN.splitlines()[3][5:].split(". ")[0] + "."
    assert (first.target, first.is_part) == ("舟が沈むたび、その船長は木箱を船倉に置く。", True)
    assert [found.text[span[0] : span[1]] for span in first.spans] == ["owner", "chest"]
    assert [first.source[span[2] : span[3]] for span in first.spans] == ["skipper", "hold"]


def test_editions_with_the_same_words_are_one_match(base: kb.KnowledgeBase) -> None:
    [first] = base.match("A boat carries up to three crates.", most=1)
    assert (first.score, first.spans) == (1.0, ())
    assert first.editions == ("20260101", "20250101")
    assert first.node.id.endswith("/20260101/en/1.1")
    assert first.target_node.endswith("/20260101/ja/1.1")


def test_what_changed_since_is_another_match(base: kb.KnowledgeBase) -> None:
    found = base.match("The skipper of the fastest boat takes two coins from the chest.").matches
    assert [one.editions for one in found[:2]] == [("20250101",), ("20260101",)]
    assert found[0].score == 1.0 > found[1].score
    assert "3枚" in found[1].target


def test_from_japanese_and_for_names(base: kb.KnowledgeBase) -> None:
    [first] = base.match("舟は木箱を最大4つまで運ぶ。", most=1)
    assert first.target == "A boat carries up to three crates."
    [name] = base.match("老いた鷺")
    assert (name.kind, name.target, name.score) == ("name", "Old Heron", 1.0)


def test_more_is_said_and_nothing_like_it_is_nothing(base: kb.KnowledgeBase) -> None:
    found = base.match("The skipper of the fastest boat takes two coins.", most=1)
    assert found.more is not None
    assert not base.match("Gulls sleep.").matches


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("...", {}, "letters"),
        ("x" * 3000, {}, "2,000"),
        ("A boat.", {"target_lang": "en"}, "both languages"),
        ("A boat.", {"target_lang": "fr"}, "no language fr"),
    ],
)
def test_what_cannot_be_asked(
    base: kb.KnowledgeBase, text: str, arguments: dict[str, str], said: str
) -> None:
    with pytest.raises(kb.QuestionError, match=said):
        base.match(text, **arguments)  # type: ignore[arg-type]


def test_translations_of_other_games_are_left_out(tmp_path: Path) -> None:
    with kb.sample() as sample:
        sentence = "A player who tries to draw from an empty library loses."
        assert sample.match(sentence, game="mtg").matches
        assert not sample.match(sentence, game="ygo").matches


def test_a_concordance_in_two_languages(base: kb.KnowledgeBase) -> None:
    found = base.kwic("chest", lang="en", with_lang="ja").lines
    by_number = {line.node.number: line.translation for line in found}
    assert by_number["1.2"] == "宝箱は残る。"  # the second sentence alone
    assert by_number["1.3"] == "最も速い舟の船長は宝箱から硬貨3枚を得る。"
    assert not any(line.translation for line in base.kwic("chest").lines)
    with pytest.raises(kb.QuestionError, match="no language fr"):
        base.kwic("chest", with_lang="fr")


def test_quoted_sentences_and_examples(tmp_path: Path) -> None:
    english = EN + (
        "1.4. A card may say, “This boat sails around any reef.”\n"
        "Example: The Gull’s chest is full. Its crew rests.\n"
    )
    japanese = JA + (
        "1.4. カードに「この舟はどの暗礁も避けて進む。」と書かれていることがある。\n"
        "例：鴎号の宝箱は満杯である。その乗組員は休む。\n"
    )
    books = {("20250101", "en"): english, ("20250101", "ja"): japanese}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        [first] = base.match("This boat sails around any reef.", most=1)
        assert (first.score, first.target) == (1.0, "この舟はどの暗礁も避けて進む。")
        lines = base.kwic("chest", lang="en", with_lang="ja").lines
        of_example = next(line for line in lines if "Gull" in line.left)
        assert of_example.translation == "例：鴎号の宝箱は満杯である。"
