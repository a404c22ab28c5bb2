"""The words of rulebooks: a language is a record, and a further one needs no code."""

from __future__ import annotations

import pytest

from kb.language.citations.citation_grammar import find_citations
from scraper.rulebook.languages import LANGUAGES, RulebookLanguage, detect_language

CITED: list[tuple[str, list[str]]] = [
    ("규칙 702.19 및 702.20 참조", ["702.19", "702.20"]), ("제7장", ["7"]), ("카드 3장의", []),
    ("규칙 4.1부터 4.3까지", ["4.1", "4.2", "4.3"]), ("4.2 참조", ["4.2"]),
    ("les règles 702.19 et 702.20", ["702.19", "702.20"]), ("voir 4.2", ["4.2"]),
    ("les règles 4.1 à 4.3", ["4.1", "4.2", "4.3"]), ("le chapitre 7", ["7"]),
    ("règle 3 cartes", []), ("règle 614, « Les chouettes »", ["614"]),
    ("siehe Regel 4.2 und 4.3", ["4.2", "4.3"]), ("siehe 1.10, „Spielmaterial“", ["1.10"]),
    ("im Abschnitt 9, „Mehrspieler“", ["9"]), ("Regel 3 Karten", []), ("2 bis 4 Spieler", []),
    ("las reglas 4.1 y 4.2", ["4.1", "4.2"]), ("véase 4.2", ["4.2"]),
    ("le regole 4.1 e 4.2", ["4.1", "4.2"]), ("cfr. 4.2", ["4.2"]),
    ("as regras 4.1 e 4.2", ["4.1", "4.2"]), ("veja 4.2", ["4.2"]),
    ("규칙 100 참고", ["100"]), ("규칙 108-110", ["108", "109", "110"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "numbers"), CITED)
def test_citations(text: str, numbers: list[str]) -> None:
    assert [c.number for c in find_citations(text)] == numbers


def test_how_a_rule_is_cited() -> None:
    assert find_citations("규칙 4.2의 예외")[0].how == "exception"
    assert find_citations("selon la règle 4.2")[0].how == "subject to"


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
        ("Draw a card.", "en"), ("", "und"), ("123", "und"), ("Xyzzy", "und"),
        ("Der Spieler zieht eine Karte.", "de"), ("Le joueur pioche une carte.", "fr"),
        ("El jugador roba una carta de su mazo.", "es"), ("카드를 뽑는다.", "ko"),
        ("Il giocatore pesca una carta dal proprio mazzo.", "it"),
        ("O jogador compra uma carta do seu baralho.", "pt"), ("Игрок берёт карту.", "ru"),
        ("De speler trekt een kaart van zijn stapel.", "nl"),
        ("The card 梟 (owl) is drawn by you.", "en"),
        ("本规则适用于 Owls（フクロウ）游戏，" + "每位牌手需要一副套牌。" * 30, "zh"),
    ],
)  # fmt: skip
def test_the_language_of_a_text(text: str, lang: str) -> None:
    assert detect_language(text) == lang
