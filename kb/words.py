"""Words and their normal forms, by Sudachi: one pass over a passage serves all who ask."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from kb.fold import fold

_LONGEST = 12_000  # Sudachi takes 49,149 bytes at once; a character has up to 4 (and 3 is usual)
_BREAK = re.compile(r"[。\n、 　]")
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_INFLECTED = frozenset({"動詞", "形容詞"})
_JOINED = {("表", "向き"): "表向き", ("裏", "向き"): "裏向き"}


class Word(NamedTuple):
    """One word: text[start:end], its normal form, its dictionary form if it is inflected, what
    it is; its spelling and its normal form folded, for names to be found by."""

    start: int
    end: int
    normal: str
    dictionary: str
    function: bool
    inflected: bool
    spelled: str
    folded: str


_Entry = tuple[str, str, bool, bool, str, str]


class Words:
    """A Sudachi tokenizer; making one loads the dictionary."""

    def __init__(self) -> None:
        from sudachipy import Dictionary, SplitMode

        dictionary = Dictionary()
        make: Any = getattr(dictionary, "tokenizer", None) or dictionary.create
        self._tokenizer = make(mode=SplitMode.A)
        self._known: dict[int, _Entry] = {}

    def __call__(self, text: str) -> list[Word]:
        """The words of a text, in order; white space and signs among them."""
        found: list[Word] = []
        known, new, start = self._known, tuple.__new__, 0
        while start < len(text):
            end = self._cut(text, start)
            for m in self.tokenize(text[start:end]):
                entry = known.get(m.word_id()) or self._entry(m)
                after = start + len(m)
                found.append(new(Word, (start, after, *entry)))
                start = after
            start = end
        return found

    def _entry(self, morpheme: Any) -> _Entry:
        """What the dictionary says of a word; remembered, for each question costs a call."""
        part, surface = morpheme.part_of_speech()[0], morpheme.surface()
        normal, spelled = morpheme.normalized_form(), fold(surface)
        inflected = part in _INFLECTED
        dictionary = morpheme.dictionary_form() if inflected else ""
        # Sudachi's normal form of `draw` is ドロー; what is English is no spelling of that.
        folded = spelled if surface.isascii() else fold(normal)
        entry = (normal, dictionary, part in _FUNCTION, inflected, spelled, folded)
        if not morpheme.is_oov():
            self._known[morpheme.word_id()] = entry
        return entry

    def tokenize(self, text: str) -> Any:
        """Sudachi's own morphemes of a short text."""
        return self._tokenizer.tokenize(text)

    @staticmethod
    def _cut(text: str, start: int) -> int:
        if len(text) - start <= _LONGEST:
            return len(text)
        breaks = [m.end() for m in _BREAK.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        return breaks[-1] if breaks else start + _LONGEST


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
