"""Compares two wordings of a text word by word and returns the spans in which they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

from kb.language.fold import is_japanese
from kb.language.tokens import tokenizer
from kb.language.typography import fold_with_spans

# The time that a comparison takes grows with the square of the words. A guard: the longest rules
# have some hundreds.
_MAX_WORDS = 3000
# Words and pairs of equal words that a comparison looks at. Rules that list hundreds of names, with
# a comma after each, look at 400,000; prose of that length at a tenth.
_MOST_LOOKED_AT = 600_000
_WORD = re.compile(r"\d+(?:\.\d+)+\w*|\w+|\.{3}|[^\w\s]")  # 704.5k is one word
_UNFOLDED_WORD = re.compile(r"\w+|\W")

_Word = tuple[str, int, int]  # the word with its typography folded; its start and end in the text


class Difference(NamedTuple):
    """text[start:end] stands where the other text has other[other_start:other_end].

    One of the two spans may be empty: there words were added or removed.
    """

    start: int
    end: int
    other_start: int
    other_end: int


class _TooManyPairs(Exception):
    """Two texts repeat or mix words so often that to compare them would take the square of their
    length, or the cube."""


class _Matcher(SequenceMatcher[str]):
    """Finds blocks of equal words; raises _TooManyPairs if it has to look at too many words."""

    def __init__(self, words: list[str], other_words: list[str]) -> None:
        super().__init__(None, words, other_words, autojunk=False)
        places = Counter(other_words)
        self._looked_at = [1 + places[word] for word in words]
        self._left = _MOST_LOOKED_AT

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Do what difflib does; raise _TooManyPairs once all calls together look at more words and
        pairs than `_MOST_LOOKED_AT`."""
        self._left -= sum(self._looked_at[alo:ahi])
        if self._left < 0:
            raise _TooManyPairs
        return super().find_longest_match(alo, ahi, blo, bhi)


def differences(text: str, other: str) -> list[Difference]:
    """Return where two texts differ, in order and in whole words, as (start, end, other_start,
    other_end): text[start:end] stands where other[other_start:other_end] does. One of the two
    spans may be empty.

    Differences of typography (`kb.language.typography`) are ignored: quotation marks, dashes,
    width, white space. Texts of more than 3,000 words are not compared word by word: if they
    differ, the result is one difference that covers both. Of texts that repeat words without end
    only what is between the words that they have in common at the beginning and at the end is
    compared; if that repeats words without end, too, it is one difference.

    >>> old, new = "札をオモテ向きに置く。", "札を表向きに置いた。"
    >>> [(old[d[0]:d[1]], new[d[2]:d[3]]) for d in differences(old, new)]
    [('オモテ向き', '表向き'), ('置く', '置いた')]
    >>> differences("札（１枚）", "札 (1枚)")
    []
    """
    return _differences(text, _words(text), other, _words(other))


def likeness(text: str, other: str) -> float:
    """Return how many words two texts have in common, in the same order, from 0 (none) to 1 (all,
    but for typography): twice their number, of the words of both.

    >>> likeness("Draw two cards.", "Draw a card."), likeness("札（１枚）", "札 (1枚)")
    (0.5, 1.0)
    """
    from rapidfuzz.distance import Indel  # not where texts are only compared

    ours, theirs = ([word for word, _, _ in _words(each)] for each in (text, other))
    return Indel.normalized_similarity(ours, theirs)


def typographic_differences(text: str, other: str) -> list[Difference]:
    """Return where two texts differ in anything, as `differences` does, also where they differ only
    in typography: a quotation mark, a dash, a line end, a space more.

    >>> [tuple(d) for d in typographic_differences("“Draw” one", '"Draw" one')]
    [(0, 1, 0, 1), (5, 6, 5, 6)]
    """
    return _differences(text, _unfolded_words(text), other, _unfolded_words(other))


def _differences(
    text: str, words: list[_Word], other: str, other_words: list[_Word]
) -> list[Difference]:
    """Return the differences between two texts that are given with their words, in order; empty if
    the words are the same."""
    if max(len(words), len(other_words)) > _MAX_WORDS:
        same = [w[0] for w in words] == [w[0] for w in other_words]
        return [] if same else [Difference(0, len(text), 0, len(other))]
    return [
        Difference(*_span(words, first, last), *_span(other_words, other_first, other_last))
        for first, last, other_first, other_last in _changed(
            [word[0] for word in words], [word[0] for word in other_words]
        )
    ]


def _changed(words: list[str], other: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the ranges (first, last, other_first, other_last) of words that two texts do not have
    in common, in order; words[first:last] stand where other[other_first:other_last] do."""
    if words == other:
        return []
    try:
        return _unequal(words, other)
    except _TooManyPairs:
        before = _common(words, other)
        behind = _common(words[before:][::-1], other[before:][::-1])
    last, other_last = len(words) - behind, len(other) - behind
    try:
        between = _unequal(words[before:last], other[before:other_last])
    except _TooManyPairs:
        return [(before, last, before, other_last)]
    return [(before + a, before + b, before + c, before + d) for a, b, c, d in between]


def _unequal(words: list[str], other: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the ranges of `_changed`, in order; raises _TooManyPairs if that takes too long."""
    operations = _Matcher(words, other).get_opcodes()
    return [operation[1:] for operation in operations if operation[0] != "equal"]


def _common(words: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two lists have in common at their beginning."""
    pairs = zip(words, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _words(text: str) -> list[_Word]:
    """Return (folded word, start, end) of each word or sign in a text; white space is left out.

    Words are Sudachi's in a Japanese text, else runs of letters and digits, and single signs. Start
    and end are offsets in the text as it is given.
    """
    folded = fold_with_spans(text)
    if is_japanese(text):
        places = [(token.start, token.end) for token in tokenizer()(folded.text)]
    else:
        places = [match.span() for match in _WORD.finditer(folded.text)]
    return [
        (folded.text[start:end], folded.spans[start][0], folded.spans[end - 1][1])
        for start, end in places
        if folded.text[start:end].strip()
    ]


def _unfolded_words(text: str) -> list[_Word]:
    """Return (word, start, end) of each run of letters and digits, and of each other character,
    white space included: they cover the text."""
    return [(match[0], *match.span()) for match in _UNFOLDED_WORD.finditer(text)]


def _span(words: list[_Word], first: int, last: int) -> tuple[int, int]:
    """Return the start and end in the text of words[first:last]; (0, 0) before the first word.

    If there are none, that is the empty span at the end of the word before.
    """
    if first == last:
        position = words[first - 1][2] if first else 0
        return position, position
    return words[first][1], words[last - 1][2]
