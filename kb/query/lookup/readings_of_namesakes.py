"""The readings that pages give a name elsewhere: of another term or a card that is called alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from graphs.model import Node
from graphs.sort_orders import natural_key
from graphs.store.reader import Store
from graphs.store.termbase_rows import ReadingRow, stated_readings
from kb.language.fold import fold
from kb.language.made_readings import MadeReading, has_kanji, likeliest_reading, made_readings
from kb.language.name_keys import sound_with_lengths

_READING = re.compile(r"[ぁ-ゖァ-ヺー・＝＋+ 　]+")  # kana, with the signs between words of a name
_HIRAGANA = re.compile(r"[ぁ-ゖ]")


@dataclass(frozen=True, slots=True)
class ReadingElsewhere:
    """A reading that a page gives a name of another term or card.

    kana: the reading, as the page has it.
    node: the id of the term or card.
    basis: who gives it, in words: `reading that dmwiki gives for dm/term/手札`.
    """

    kana: str
    node: str
    basis: str


class ReadingsElsewhere:
    """The readings that the pages of a store give some names."""

    def __init__(self, store: Store, names: Iterable[str]) -> None:
        """Look up the readings of some names, at once. names: of terms; those without kanji are
        ignored, as they are their own reading."""
        self._of_name: dict[str, list[ReadingRow]] = {}
        wanted = dict.fromkeys(fold(name) for name in names if has_kanji(name))
        for row in stated_readings(store, wanted):
            self._of_name.setdefault(row.name, []).append(row)

    def of(self, name: str, node: str, game: str | None) -> ReadingElsewhere | None:
        """Return the reading of a name that pages give for another node than one; None if they
        give none.

        node, game: the node that has the name, and its game. A reading that a page gives for a node
        of this game comes first, then one of a term before that of a card, then the one that is
        given most often. What is a foreign word in katakana (`ハンド`) is no reading.
        """
        if not has_kanji(name):
            return None
        rows = [
            row
            for row in self._of_name.get(fold(name), ())
            if row.node != node and _is_reading(row.reading, name)
        ]
        if not rows:
            return None
        # For how many nodes a reading is given.
        counts = Counter(reading for reading, _ in {(row.reading, row.node) for row in rows})
        best = min(
            rows,
            key=lambda row: (
                row.kind != "term",
                row.game != game,
                not row.of_label,
                -counts[row.reading],
                natural_key(row.node),
            ),
        )
        giver = best.source or "a page"
        basis = f"reading that {giver} gives for {best.node}"
        return ReadingElsewhere(best.reading, best.node, basis)


def other_reading(
    store: Store, name: str | None, node: Node
) -> ReadingElsewhere | MadeReading | None:
    """Return a reading of the Japanese name of a node whose own pages give none: the one that a
    page gives for another node, or else the likeliest that is made; None for a name without kanji,
    and without a name."""
    if name is None or not has_kanji(name):
        return None
    if elsewhere := ReadingsElsewhere(store, [name]).of(name, node.id, node.game):
        return elsewhere
    from kb.language.tokens import tokenizer

    return likeliest_reading(tokenizer().tokenize(name))


def _is_reading(kana: str, name: str) -> bool:
    """Return whether a text is how a name in kanji is read: it is kana, with hiragana in it, or, in
    katakana alone, one of the readings that the dictionary makes."""
    if not _READING.fullmatch(kana):
        return False
    if _HIRAGANA.search(kana):
        return True
    from kb.language.tokens import tokenizer

    sounds = map(sound_with_lengths, made_readings(name, tokenizer()))
    return sound_with_lengths(kana) in sounds
