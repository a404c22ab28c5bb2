"""The glossary of a game: its terms from A to Z, or in あいうえお, with their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    others: the ids of further terms that are called so.
    """

    letter: str
    key: tuple[int, str, str, str]
    id: str
    names: tuple[kb.ConceptName, ...]
    definition: kb.ConceptDefinition | None
    others: tuple[str, ...] = ()


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
    """Return the concepts in an order: those with a name in its language first; those of one name
    are one entry, with the first definition of any."""
    by_name: dict[tuple[str, str], list[Entry]] = {}
    for concept in _with_sure_names(list(found)):
        entry = _entry(concept, order)
        by_name.setdefault((entry.names[0].lang, entry.key[3]), []).append(entry)
    return sorted(map(_merged, by_name.values()), key=lambda entry: entry.key)


def _merged(entries: list[Entry]) -> Entry:
    """Return one entry for terms of one name: that with most names of those that are defined."""
    first, *others = sorted(entries, key=lambda each: (not each.definition, -len(each.names)))
    return replace(first, others=tuple(each.id for each in others))


def _with_sure_names(concepts: Sequence[kb.Concept]) -> Iterator[kb.Concept]:
    """Yield concepts without the names that are only proposed for them; but where two propose each
    other's names, both have those."""
    own = {each.id: [name for name in each.names if name.why != "proposed"] for each in concepts}
    named: dict[tuple[str, str], list[str]] = {}
    for concept, names in own.items():
        for name in names:
            named.setdefault((name.lang, name.text), []).append(concept)
    proposed = {
        each.id: {
            other
            for name in each.names
            if name.why == "proposed"
            for other in named.get((name.lang, name.text), ())
        }
        for each in concepts
    }
    for each in concepts:
        mutual = [other for other in sorted(proposed[each.id]) if each.id in proposed[other]]
        names = [*own[each.id], *(name for other in mutual for name in own[other])]
        yield replace(each, names=tuple(names or each.names))


def _entry(concept: kb.Concept, order: Order) -> Entry:
    names = names_by_language(concept, order)
    first = names[0]
    sound = (first.reading or first.text) if first.lang == "ja" else first.text
    sound = normalize("NFKC", sound).casefold().translate(_TO_HIRAGANA)
    letter = _letter(sound)
    kana = letter in _ROW_OF
    rank = 2 if letter == _OTHERS else int(kana != (order == "ja"))
    texts = sorted(concept.definitions, key=lambda each: each.lang != order)
    key = rank, letter, _plain(sound), sound
    return Entry(letter, key, concept.id, names, next(iter(texts), None))


def _plain(sound: str) -> str:
    """Return a sound without what Japanese dictionaries look at only where all else is equal: marks
    of voiced kana, small kana and the length of vowels.

    >>> sorted(["はんてん", "ばあい", "はいぼく", "ぱーまねんと"], key=_plain)
    ['ばあい', 'はいぼく', 'ぱーまねんと', 'はんてん']
    """
    unmarked = normalize("NFD", sound).replace("\u3099", "").replace("\u309a", "")
    return unmarked.translate(_LARGE).replace("ー", "").replace("・", "")


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
