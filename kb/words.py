"""Words and their normal forms, by Sudachi: one pass over a passage serves all who ask."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

_LONGEST = 12_000  # Sudachi takes 49,149 bytes at once; a character has up to 4 (and 3 is usual)
_BREAK = re.compile(r"[。\n、 　]")
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_INFLECTED = frozenset({"動詞", "形容詞"})
_JOINED = {("表", "向き"): "表向き", ("裏", "向き"): "裏向き"}


class Word(NamedTuple):
    """One word: text[start:end], its normal form, its dictionary form if it is inflected, and
    what it is."""

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
        classes, start = self._classes, 0
        while start < len(text):
            end = self._cut(text, start)
            for m in self._tokenizer.tokenize(text[start:end]):
                number = m.part_of_speech_id()
                function, inflected = classes.get(number) or self._class(number, m)
                dictionary = m.dictionary_form() if inflected else ""
                found.append(
                    Word(start + m.begin(), start + m.end(), m.normalized_form(), dictionary,
                         function, inflected)
                )  # fmt: skip
            start = end
        return found

    @staticmethod
    def _cut(text: str, start: int) -> int:
        if len(text) - start <= _LONGEST:
            return len(text)
        breaks = [m.end() for m in _BREAK.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        return breaks[-1] if breaks else start + _LONGEST

    def _class(self, number: int, morpheme: Any) -> tuple[bool, bool]:
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

    Sites link a verb's stem and leave its ending outside; the ending tells the verb, also
    where the word is its noun (引き) or its potential (引ける).

    >>> def linked(text, stem):
    ...     start = text.index(stem)
    ...     return headword(text, words()(text), start, start + len(stem))
    >>> linked("カードを引かせた", "引"), linked("1枚ごとの引きに", "引")
    ('引く', '引く')
    >>> linked("支払えない", "支払"), linked("手札に与えられ", "与え"), linked("場合は", "場合")
    ('支払う', '与える', '場合')
    """
    inside = [word for word in found if word.start < end and word.end > start]
    if not inside:
        return text[start:end]
    last = inside[-1]
    if last.end > end and (ending := _ENDING.get(text[end])):
        verb = text[last.start : end] + ending
        if _is_verb(verb):
            return text[start : max(start, last.start)] + verb
    if last.inflected:
        return text[start : max(start, last.start)] + last.dictionary
    return text[start:end]


_ENDING = {
    kana: row[2]
    for row in ("あいうえお", "かきくけこ", "がぎぐげご", "さしすせそ", "たちつてと", "なにぬねの",
                "ばびぶべぼ", "まみむめも", "らりるれろ")
    for kana in row
} | {"わ": "う"}  # fmt: skip


@cache
def _is_verb(text: str) -> bool:
    found = words()(text)
    return len(found) == 1 and found[0].inflected and found[0].dictionary == text
