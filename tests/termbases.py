"""Made-up concepts for the tests of the termbase's formats: varied, hostile, any number of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from kb.termbase.model import (
    Concept,
    ConceptDefinition,
    ConceptName,
    ConceptSpelling,
    PartOfSpeech,
    Reason,
    RelatedConcept,
    Status,
)

# What names and texts may hold that a format must not stumble over.
HOSTILE = (
    "",
    " <b>&amp; ]]> <!-- -->",
    "\x01\x00\x0b",
    "🃏👩‍👩‍👧",
    "שלום \u202eabc",
    "\ud800",
    "\ufffe\uffff",
    "a\tb",
    "one\nor\r\nmore",
    "# 'quoted' \"twice\"; {x} %s \\n $(id)",
    "=1+1",
    "e\u0301ｶﾞ Å",
    "非常に長い" * 60,
)
STATUSES: tuple[Status, ...] = get_args(Status)
REASONS: tuple[Reason, ...] = get_args(Reason)
PARTS: tuple[PartOfSpeech | None, ...] = (*get_args(PartOfSpeech), None)
GAMES = ("mtg", "ygo", None)
_URL = "https://wiki.example/a?b=1&c=%E5%BC%95"
_KANJI = "引打墓札場攻防魔獣龍炎水風土光闇"


def many_concepts(n: int) -> Iterator[Concept]:
    """Yield n concepts, always the same: two languages, in each two names and a definition.

    Texts hold in turn all that is in HOSTILE (a plain one every time that the empty string's turn
    comes); statuses, reasons, parts of speech and games come in all combinations over time. No two
    concepts have the same id, and no two names of a language the same text.
    """
    for number in range(n):
        yield _concept(number)


def hostile_concepts() -> tuple[Concept, ...]:
    """Return as many concepts as let each hostile text meet each status and each reason."""
    return tuple(many_concepts(len(HOSTILE) * len(STATUSES) * len(REASONS)))


def _concept(number: int) -> Concept:
    game = GAMES[number % len(GAMES)]
    hostile = HOSTILE[number % len(HOSTILE)]
    word = _KANJI[number % 16] + _KANJI[number // 16 % 16] + str(number)
    head = f"{game or 'decision'}/term/{word}"
    return Concept(
        head,
        game,
        (*_names(number, "ja", word, hostile), *_names(number, "en", f"Draw {number}", hostile)),
        "card" if number % 5 == 4 else "term",
        (
            ConceptDefinition("ja", f"{word}とは{hostile}動作。", "頁", f"wiki/{word}", _URL, "1"),
            ConceptDefinition("en", f"To {hostile} put {number} cards.", "Glossary"),
        ),
        (
            RelatedConcept(f"lorcana/term/{word}", "exact", f"same {hostile}"),
            RelatedConcept(f"ygo/term/{word}{hostile}", "close"),
        ),
        (ConceptSpelling("ja", f"{word}き{hostile}", number % 9 + 1),),
        _URL,
    )


def _names(number: int, lang: str, text: str, hostile: str) -> tuple[ConceptName, ...]:
    """Return the preferred name in a language and another one, which holds the hostile text."""
    status = STATUSES[number % len(STATUSES)]
    why = REASONS[number // len(STATUSES) % len(REASONS)]
    part = PARTS[number % len(PARTS)]
    reading = "ひく" if lang == "ja" else None
    preferred = ConceptName(
        lang, text, authority=f"頁{hostile}", passage=f"wiki/{text}#1", url=_URL,
        edition="20260709", reading=reading, part_of_speech=part,
        context=f"{text} {hostile}{text}.", context_passage=f"wiki/{text}#2", count=number % 5,
    )  # fmt: skip
    other = ConceptName(
        lang, f"{text} ({hostile})", "admitted" if status == "preferred" else status, why,
        reading=reading and f"{reading}{hostile}", score=1.5 if why == "proposed" else None,
        note=f"because of “{hostile}”",
    )  # fmt: skip
    return preferred, other
