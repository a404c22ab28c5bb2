"""Where two wordings of one thing differ, word by word."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import NamedTuple

from kb.language.fold import is_japanese
from kb.language.tokens import tokenizer

_MOST = 3000  # words; comparing takes time that grows with their square
_WORD = re.compile(r"\w+|[^\w\s]")


class Difference(NamedTuple):
    """That one text's [start:end] is the other's [other_start:other_end]; one may be empty."""

    start: int
    end: int
    other_start: int
    other_end: int


def differences(text: str, other: str) -> list[Difference]:
    """Where two texts differ, in whole words; width of letters and white space do not count.

    >>> one, other = "札をオモテ向きに置く。", "札を表向きに置いた。"
    >>> [(one[d[0]:d[1]], other[d[2]:d[3]]) for d in differences(one, other)]
    [('オモテ向き', '表向き'), ('置く', '置いた')]
    >>> differences("札（１枚）", "札 (1枚)")
    []
    """
    ours, theirs = _words(text), _words(other)
    if max(len(ours), len(theirs)) > _MOST:
        same = [w[0] for w in ours] == [w[0] for w in theirs]
        return [] if same else [Difference(0, len(text), 0, len(other))]
    matcher = SequenceMatcher(None, [w[0] for w in ours], [w[0] for w in theirs], autojunk=False)
    return [
        Difference(*_span(ours, a, b), *_span(theirs, c, d))
        for what, a, b, c, d in matcher.get_opcodes()
        if what != "equal"
    ]


def _words(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as they are compared, and where they stand."""
    if is_japanese(text):
        places = [(word.start, word.end) for word in tokenizer()(text)]
    else:
        places = [found.span() for found in _WORD.finditer(text)]
    found = ((unicodedata.normalize("NFKC", text[a:b]), a, b) for a, b in places)
    return [word for word in found if word[0].strip()]


def _span(found: list[tuple[str, int, int]], first: int, last: int) -> tuple[int, int]:
    """From where to where some words stand; no words stand behind the word before them."""
    if first == last:
        at = found[first - 1][2] if first else 0
        return at, at
    return found[first][1], found[last - 1][2]
