"""What knowledge bases state in English, put into Japanese: why text was left out, what could not
be read, why a reference leads nowhere, why two terms are one.

Files keep these as sentences. `stated.tsv` has each with places for what varies, and the same in
Japanese; a sentence is found by the words around its places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import NamedTuple

_LONGEST = 2_000  # characters of a sentence that is looked up
_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
# Places that hold a part of a sentence. What stands in others is a name, which may be any word.
_SENTENCES = frozenset(("amount", "giver", "how", "kind", "place", "view", "what", "why"))
_SEPARATORS = {"and": (" and ", "と"), "list": (", ", "、")}  # in English, in Japanese


class _Sentence(NamedTuple):
    """A sentence with places: what stands before, between and behind them, and its Japanese."""

    words: tuple[str, ...]
    places: tuple[str, ...]
    japanese: str

    def values(self, text: str) -> Mapping[str, str] | None:
        """Return what stands in the places if a text is this sentence, each of it the shortest."""
        first, *between = self.words
        if not (text.startswith(first) and text.endswith(self.words[-1])):
            return None
        found, start = [], len(first)
        for words in between[:-1]:
            end = text.find(words, start + 1)
            if end < 0:
                return None
            found.append(text[start:end])
            start = end + len(words)
        last = text[start : len(text) - len(self.words[-1])]
        return dict(zip(self.places, [*found, last], strict=True)) if last else None


@lru_cache(maxsize=1_000)
def in_japanese(text: str) -> str:
    """Return a sentence that a file states in English in Japanese; as it is if it is none.

    >>> in_japanese("page 手札 is not in this knowledge base"), in_japanese("手札")
    ('手札のページは収録されていません', '手札')
    >>> in_japanese("an answer with the status 301, not a page; left out")
    'ページではないステータス301の応答のため除外しました'
    """
    whole, sentences = _table()
    if text in whole:
        return whole[text]
    for sentence in sentences if len(text) <= _LONGEST else ():
        values = sentence.values(text)
        if values is not None:
            return _PLACE.sub(partial(_worded, values), sentence.japanese)
    return text


def _worded(values: Mapping[str, str], place: re.Match[str]) -> str:
    name, form = place.groups()
    if form:
        english, japanese = _SEPARATORS[form]
        return values[name].replace(english, japanese)
    return in_japanese(values[name]) if name in _SENTENCES else values[name]


@cache
def _table() -> tuple[Mapping[str, str], list[_Sentence]]:
    """Return {sentence: its Japanese}, and those with places in the order of being tried."""
    text = (files("kb.web") / "stated.tsv").read_text("utf-8")
    lines = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    rows = {english: japanese for english, japanese in lines if japanese}
    sentences: list[_Sentence] = []
    for english, japanese in rows.items():
        # Split by a pattern with groups: words, name, form, words…
        pieces = _PLACE.split(english)
        if len(pieces) > 1:
            sentences.append(_Sentence(tuple(pieces[::3]), tuple(pieces[1::3]), japanese))
    # A place at the end takes all that follows: such sentences come last, the longest first.
    sentences.sort(key=lambda one: (not one.words[-1], -len("".join(one.words))))
    return rows, sentences
