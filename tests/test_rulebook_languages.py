"""The words of rulebooks: a language is a record, and a further one needs no code."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

from kb.language import citation_patterns
from kb.language.citation_grammar import find_citations
from scraper.rulebook import languages
from scraper.rulebook.languages import LANGUAGES, RulebookLanguage, detect_language

KOREAN = RulebookLanguage(
    code="ko",
    letters="가-힣",
    letters_share=0.1,
    glossary=("용어집",),
    example=("예",),
    rule_words=("규칙",),
    cited_prefixes=("제",),
    cited_suffixes=("장",),
    ranges=("부터",),
    range_ends=("까지",),
    conjunctions=("및",),
    quotes=("「」",),
    see_behind=("참조",),
    units=("장",),
    exception_behind=("의 예외",),
)
FRENCH = RulebookLanguage(
    code="fr",
    spaced=True,
    rule_words=("règle", "règles"),
    section_words=("chapitre", "chapitres"),
    ranges=("à",),
    conjunctions=("et", "ou"),
    quotes=("«»",),
    see_before=("voir(?: la)?",),
    units=("cartes?",),
    subject_before=("selon la",),
)


@pytest.fixture
def further_languages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(languages, "LANGUAGES", (*LANGUAGES, KOREAN, FRENCH))
    importlib.reload(citation_patterns)
    yield
    monkeypatch.undo()
    importlib.reload(citation_patterns)


FURTHER = [
    ("규칙 702.19 및 702.20 참조", ["702.19", "702.20"]), ("제7장", ["7"]), ("카드 3장의", []),
    ("규칙 4.1부터 4.3까지", ["4.1", "4.2", "4.3"]), ("4.2 참조", ["4.2"]),
    ("les règles 702.19 et 702.20", ["702.19", "702.20"]), ("voir 4.2", ["4.2"]),
    ("les règles 4.1 à 4.3", ["4.1", "4.2", "4.3"]), ("le chapitre 7", ["7"]),
    ("règle 3 cartes", []), ("règle 614, « Les chouettes »", ["614"]),
]  # fmt: skip


@pytest.mark.usefixtures("further_languages")
def test_a_further_language_is_a_record() -> None:
    for text, numbers in FURTHER:
        assert [c.number for c in find_citations(text)] == numbers, text
    assert find_citations("규칙 4.2의 예외")[0].how == "exception"
    assert find_citations("selon la règle 4.2")[0].how == "subject to"
    assert detect_language("카드를 뽑는다.") == "ko"


def test_without_its_record_a_language_says_nothing() -> None:
    assert [text for text, numbers in FURTHER if numbers and not find_citations(text)]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_a_record_has_the_words_that_every_rulebook_needs(language: RulebookLanguage) -> None:
    for words in (
        language.glossary, language.credits, language.history, language.contents,
        language.example, language.effective, language.chapter_prefixes, language.rule_words,
        language.ranges, language.conjunctions, language.quotes, language.see_before,
        language.units,
    ):  # fmt: skip
        assert words and all(words)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("鳥を引く。", "ja"), ("タカ、ワシ、フクロウの札", "ja"), ("抓一张牌。", "zh"),
        ("抓一張牌。", "zh"),
        ("Draw a card.", "en"), ("", "en"), ("123", "en"),
        ("The card 梟 (owl) is drawn by you.", "en"),
        ("本规则适用于 Owls（フクロウ）游戏，" + "每位牌手需要一副套牌。" * 30, "zh"),
    ],
)  # fmt: skip
def test_the_language_of_a_text(text: str, lang: str) -> None:
    assert detect_language(text) == lang
