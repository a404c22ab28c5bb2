"""Tokenizes Japanese and English with Sudachi: words, their normal forms, English stems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from kb.language.fold import fold

_LONGEST = 12_000  # Sudachi takes 49,149 bytes at once; a character has up to 4 (and 3 is usual)
_BREAK = re.compile(r"[。\n、 　]")
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_INFLECTED = frozenset({"動詞", "形容詞"})
JOINED = {("表", "向き"): "表向き", ("裏", "向き"): "裏向き"}
_SECOND = frozenset(second for _, second in JOINED)
_MOST_STEMS = 1 << 16
_MOST_KNOWN = 250_000  # words; the rarer ones are looked up again


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What the dictionary says of a word: its normal form, its dictionary form if it is
    inflected, whether it is a particle or a sign, whether it is inflected; its spelling and its
    normal form folded, for names to be found by. One object a word, however often it is met."""

    normal: str
    dictionary: str
    function: bool
    inflected: bool
    spelled: str
    folded: str


class Token(NamedTuple):
    """A word where it stands: text[start:end]."""

    start: int
    end: int
    entry: Entry


class Tokenizer:
    """A Sudachi tokenizer; making one loads the dictionary."""

    def __init__(self) -> None:
        from sudachipy import Dictionary, SplitMode

        dictionary = Dictionary()
        make: Any = getattr(dictionary, "tokenizer", None) or dictionary.create
        self._tokenizer = make(mode=SplitMode.A)
        self._known: dict[tuple[int, str], Entry] = {}

    def __call__(self, text: str) -> list[Token]:
        """The words of a text, in order; white space and signs among them."""
        entries, starts = self.entries(text)
        return list(map(Token, starts, starts[1:], entries))

    def entries(self, text: str) -> tuple[list[Entry], list[int]]:
        """The words of a text, and where each starts; last, where the text ends.

        The quick way: nothing is made for a word but a place in a list.
        """
        known, entries, starts = self._known, [], [0]
        for piece in (text,) if len(text) <= _LONGEST else self._pieces(text):
            found = self.tokenize(piece)
            entries += [known.get((m.word_id(), m.surface())) or self._entry(m) for m in found]
            starts += accumulate(map(len, found), initial=starts.pop())
        return entries, starts

    def _entry(self, morpheme: Any) -> Entry:
        """What the dictionary says of a word; remembered, for each question costs a call."""
        part, surface = morpheme.part_of_speech()[0], morpheme.surface()
        normal, spelled = morpheme.normalized_form(), fold(surface)
        inflected = part in _INFLECTED
        dictionary = morpheme.dictionary_form() if inflected else ""
        # Sudachi's normal form of `draw` is ドロー; what is English is no spelling of that, and
        # is stemmed where it is searched.
        normal = surface.casefold() if surface.isascii() else normal
        folded = fold(normal)
        entry = Entry(normal, dictionary, part in _FUNCTION, inflected, spelled, folded)
        if len(self._known) < _MOST_KNOWN:
            # By its surface too: the dictionary knows ＷＷＷ and www as one.
            self._known[morpheme.word_id(), surface] = entry
        return entry

    def tokenize(self, text: str) -> Any:
        """Sudachi's own morphemes of a short text; of a long one those at its beginning."""
        return self._tokenizer.tokenize(text[:_LONGEST])

    @staticmethod
    def _pieces(text: str) -> Iterator[str]:
        """A text in pieces that Sudachi takes, cut where no word is."""
        start = 0
        while len(text) - start > _LONGEST:
            last = start + _LONGEST
            breaks = [found.end() for found in _BREAK.finditer(text, start + _LONGEST // 2, last)]
            yield text[start : (end := breaks[-1] if breaks else last)]
            start = end
        yield text[start:]


@lru_cache(_MOST_STEMS)
def stem(word: str) -> str:
    """An English word without its ending, as the index for searching has it; others as they are.

    >>> stem("draws"), stem("abilities"), stem("引く")
    ('draw', 'abil', '引く')
    """
    return _porter().stemWord(word) if word.isascii() and len(word) > 2 else word


@cache
def _porter() -> Any:
    from snowballstemmer import stemmer

    return stemmer("porter")


@cache
def tokenizer() -> Tokenizer:
    """The tokenizer of this process."""
    return Tokenizer()


def normal_forms(found: Iterable[Token]) -> list[tuple[str, int, int]]:
    """(normal form, start, end) of the words that mean something; particles are left out.

    表＋向き, as オモテ向き is split, counts as the one word that 表向き is.
    """
    forms: list[tuple[str, int, int]] = []
    for start, end, entry in found:
        if entry.function:
            continue
        if forms and forms[-1][2] == start and entry.normal in _SECOND:
            joined = JOINED.get((forms[-1][0], entry.normal))
            if joined:
                forms[-1] = (joined, forms[-1][1], end)
                continue
        forms.append((entry.normal, start, end))
    return forms


def normal_text(entries: Iterable[Entry]) -> str:
    """The normal forms of a whole text, for searching."""
    forms = " ".join([entry.normal for entry in entries if not entry.function])
    for (first, second), joined in JOINED.items():
        if second in forms:
            forms = re.sub(rf"(?<!\S){first} {second}(?!\S)", joined, forms)
    return forms
