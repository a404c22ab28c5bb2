"""Words and their normal forms, by Sudachi: one pass over a passage serves all who ask."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

_LONGEST = 12_000  # Sudachi takes 49,149 bytes at once; a character has up to 4 (and 3 is usual)
_BREAK = re.compile(r"[。\n、 　]")
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_INFLECTED = frozenset({"動詞", "形容詞"})
_JOINED = {("表", "向き"): "表向き", ("裏", "向き"): "裏向き"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word: text[start:end], its normal form, its dictionary form, and what it is."""

    start: int
    end: int
    normal: str
    dictionary: str
    function: bool
    inflected: bool


class Words:
    """A Sudachi tokenizer; making one loads the dictionary."""

    def __init__(self) -> None:
        from sudachipy import Dictionary, SplitMode

        dictionary = Dictionary()
        make: Any = getattr(dictionary, "tokenizer", None) or dictionary.create
        self._tokenizer = make(mode=SplitMode.A)
        self._classes: dict[int, tuple[bool, bool]] = {}

    def __call__(self, text: str) -> list[Word]:
        """The words of a text, in order; white space and signs among them."""
        found: list[Word] = []
        start = 0
        while start < len(text):
            end = self._cut(text, start)
            for m in self._tokenizer.tokenize(text[start:end]):
                function, inflected = self._class(m)
                found.append(
                    Word(start + m.begin(), start + m.end(), m.normalized_form(),
                         m.dictionary_form(), function, inflected)
                )  # fmt: skip
            start = end
        return found

    @staticmethod
    def _cut(text: str, start: int) -> int:
        if len(text) - start <= _LONGEST:
            return len(text)
        breaks = [m.end() for m in _BREAK.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        return breaks[-1] if breaks else start + _LONGEST

    def _class(self, morpheme: Any) -> tuple[bool, bool]:
        number = morpheme.part_of_speech_id()
        known = self._classes.get(number)
        if known is None:
            part = morpheme.part_of_speech()[0]
            known = self._classes[number] = (part in _FUNCTION, part in _INFLECTED)
        return known


@cache
def words() -> Words:
    """The tokenizer of this process."""
    return Words()


def normal_forms(found: list[Word]) -> list[tuple[str, int, int]]:
    """(normal form, start, end) of the words that mean something; particles are left out.

    表＋向き, as オモテ向き is split, counts as the one word that 表向き is.
    """
    forms: list[tuple[str, int, int]] = []
    for word in found:
        if word.function:
            continue
        if forms and forms[-1][2] == word.start:
            joined = _JOINED.get((forms[-1][0], word.normal))
            if joined:
                forms[-1] = (joined, forms[-1][1], word.end)
                continue
        forms.append((word.normal, word.start, word.end))
    return forms


def headword(text: str, found: list[Word], start: int, end: int) -> str:
    """The dictionary form of a linked stretch of text, whose last word may run on behind it.

    >>> text = "カードを引かせた"
    >>> headword(text, words()(text), 4, 5)
    '引く'
    """
    inside = [word for word in found if word.start < end and word.end > start]
    if not inside:
        return text[start:end]
    last = inside[-1]
    begin = min(start, inside[0].start) if inside[0] is last else start
    if last.inflected or last.end > end:
        return text[begin : last.start] + last.dictionary if last.inflected else text[start:end]
    return text[start:end]
