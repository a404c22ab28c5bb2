"""The glossary of a game: its terms from A to Z, or in あいうえお, with their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal
from unicodedata import normalize

import kb
from kb.web.base_counts import loaded, recent
from kb.web.request_and_reply import Reply, Visit

Order = Literal["en", "ja"]
# The rows of the table of kana, by which Japanese dictionaries are divided.
_ROWS = ("あいうえお", "かきくけこ", "さしすせそ", "たちつてと", "なにぬねの", "はひふへほ",
         "まみむめも", "やゆよ", "らりるれろ", "わゐゑをん")  # fmt: skip
_ROW_OF = {kana: row[0] for row in _ROWS for kana in row}
_LARGE = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_OTHERS = "#"  # what begins with no letter


@dataclass(frozen=True)
class Entry:
    """An entry of a glossary.

    letter: under which it stands: a letter, the first kana of a row, or `#`.
    key: what sorts it.
    names: the preferred name in each language, that of the order first.
    definition: the first text that defines it in the language of the order, else in any; None
        without one.
    """

    letter: str
    key: tuple[int, str, str]
    id: str
    names: tuple[kb.ConceptName, ...]
    definition: kb.ConceptDefinition | None


def glossary(visit: Visit) -> Reply:
    """Return the terms of a game: all their names, or those under a letter with their definitions.

    Parameters: `game` (the first that has terms if none is given), `order` (`en`: A to Z, `ja`:
    あいうえお; that of the explorer's language if none is given), `letter`.
    """
    games = loaded(visit.base).games
    game = visit.text("game", next(iter(games), ""))
    order = visit.choice("order", Order, visit.interface.lang)
    letter = visit.text("letter")
    found = recent(
        visit.base, ("glossary", game), lambda: visit.base.termbase(game=game, uses=False)
    )
    entries = recent(visit.base, ("glossary", game, order), lambda: _entries(found, order))
    letters = [(each, [*of]) for each, of in groupby(entries, key=lambda entry: entry.letter)]
    if letter and letter not in dict(letters):
        raise kb.NotFoundError("none_of", name="letter", given=letter, values=[*dict(letters)])
    values = {
        "game": game,
        "order": order,
        "letter": letter,
        "letters": letters,
        "shown": [(each, of) for each, of in letters if letter in ("", each)],
    }
    return Reply("glossary.html", values, found.as_json, table=found.table)


def _entries(found: Iterable[kb.Concept], order: Order) -> Sequence[Entry]:
    """Return the concepts in an order: those with a name in its language first."""
    return sorted((_entry(concept, order) for concept in found), key=lambda entry: entry.key)


def _entry(concept: kb.Concept, order: Order) -> Entry:
    names = names_by_language(concept, order)
    first = names[0]
    sound = (first.reading or first.text) if first.lang == "ja" else first.text
    sound = normalize("NFKC", sound).casefold().translate(_TO_HIRAGANA)
    letter = _letter(sound)
    kana = letter in _ROW_OF
    rank = 2 if letter == _OTHERS else int(kana != (order == "ja"))
    texts = sorted(concept.definitions, key=lambda each: each.lang != order)
    # The length of vowels comes after all else in the order of Japanese dictionaries.
    key = rank, letter, sound.replace("ー", "").replace("・", "")
    return Entry(letter, key, concept.id, names, next(iter(texts), None))


def _letter(sound: str) -> str:
    """Return the letter under which a word stands.

    >>> [_letter(word) for word in ("がぞう", "ゃ", "ability", "éa", "2", "")]
    ['か', 'や', 'A', 'E', '#', '#']
    """
    first = normalize("NFD", sound[:1])[:1].translate(_LARGE)
    return _ROW_OF.get(first) or (first.upper() if first.isascii() and first.isalpha() else _OTHERS)


def names_by_language(concept: kb.Concept, first: str) -> tuple[kb.ConceptName, ...]:
    """Return the preferred name of a concept in each language, that in one language first, then
    Japanese and English before others."""
    by_language: dict[str, kb.ConceptName] = {}
    for name in sorted(concept.names, key=lambda name: name.status != "preferred"):
        by_language.setdefault(name.lang, name)
    ranks = {"ja": 1, "en": 2, first: 0}
    return tuple(
        sorted(by_language.values(), key=lambda name: (ranks.get(name.lang, 3), name.lang))
    )
