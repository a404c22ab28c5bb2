"""Finds the names of concepts in a text of any language, in any inflection and spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from kb.knowledge.names.mentions import NameLinker, search_keys
from kb.language.english_names_in_text import EnglishFinder, FoundName
from kb.language.fold import fold
from kb.language.tokens import Entry, Tokenizer

_MOST_TEXTS = 1 << 14  # in a cache, which is emptied then: a guard of memory; 12,000 rules fit
_FEW_TEXTS = 8  # in a cache: a segment's two texts, and those before it
UNSPACED = ("ja", "zh")  # languages that have no spaces between words


class Finder(Protocol):
    """Finds names in the texts of one language."""

    def find(self, text: str) -> list[FoundName]:
        """Return the names in a text in order, without overlaps; where several begin at one word,
        the longest."""

    def has(self, text: str, name: str) -> bool:
        """Return whether a text has a name, in any inflection and spelling, be it within a longer
        name or compound."""


def finder(lang: str, names: Iterable[tuple[str, str]], tokenizer: Tokenizer) -> Finder:
    """Return what finds names in texts of a language: Japanese and Chinese, or any other as
    English.

    names: (id of the concept, its name as it is written), in any order.

    >>> from kb.language.tokens import tokenizer
    >>> found = finder("en", [("t1", "Draw"), ("t2", "draw step")], tokenizer())
    >>> [(name.start, name.concepts) for name in found.find("They drew in their draw steps.")]
    [(5, ('t1',)), (19, ('t2',))]
    """
    if lang in UNSPACED:
        return JapaneseFinder(names, tokenizer)
    return _EnglishFinder(names)


# Phrases of everyday English in which a word is no term, by hand: another part of speech, or
# another sense. Only the words in the phrases are meant, not what follows.
_PHRASES = re.compile(
    r"\b(?:(?:a|the|one|each|two|six-sided) die\b(?! from)|die (?=rolls?\b)"
    r"|play(?:s|ed|ing)? (?=(?:for|with|first|second|until|against|games?|together|again)\b)"
    r"|we(?:['’]ll| will)? play\b|play(?:s|ed|ing)? (?=(?:\w+ )?rounds?\b)"
    r"|costs? (?=(?:you|them|him|her|us|me|a player)\b)|(?:take|taking|takes) turns\b"
    r"|wait(?:s|ing)? (?:for )?(?:their|your|its|a|our) turn\b"
    r"|add(?:s|ed|ing)? (?=up\b)|in turn\b|turn(?:s|ed|ing)? (?=(?:out|into|to|around)\b)"
    r"|by hand\b|on the other hand\b"
    r"|hand(?:s|ed|ing)? (?=(?:out|in|over|back)\b)"
    r"|match(?:es|ed|ing)? (?=(?:its|the|a|your|their)\b)"
    r"|(?:cards?|rules?|text|which) states?\b|set (?=(?:up|aside|off)\b)"
    r"|(?:be|get|are|is) ready (?=(?:to|for)\b)|(?:at|to) this point\b|keep in mind\b"
    r"|(?:in that|just in|in any) case\b|in the end\b(?! of| step| phase)"
    r"|run(?:s|ning)? (?=(?:out|into)\b))",
    re.IGNORECASE,
)


class _EnglishFinder(EnglishFinder):
    """Finds names in English texts, but in everyday phrases."""

    def find(self, text: str) -> list[FoundName]:
        phrases = [match.span() for match in _PHRASES.finditer(text)]
        return [
            name
            for name in super().find(text)
            if not any(start <= name.start and name.end <= end for start, end in phrases)
        ]


class JapaneseFinder:
    """Finds names in Japanese texts: by the same keys as the mentions of the knowledge base."""

    def __init__(self, names: Iterable[tuple[str, str]], tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._linker = NameLinker(
            (concept, key) for concept, name in names for key in search_keys(name, tokenizer)
        )
        self._keys: dict[str, frozenset[str]] = {}
        self._forms: dict[str, tuple[str, str]] = {}

    def find(self, text: str) -> list[FoundName]:
        entries, starts = self.words(text)
        return [FoundName(*match) for match in self._linker.mentions(entries, starts)]

    def has(self, text: str, name: str) -> bool:
        keys = self._keys.get(name)
        if keys is None:
            keys = self._keys[name] = frozenset(search_keys(name, self._tokenizer))
        forms = self._forms.get(text)
        if forms is None:
            if len(self._forms) >= _MOST_TEXTS:
                self._forms.clear()
            entries, _ = self.words(text)
            forms = fold(text), "".join(entry.folded for entry in entries)
            self._forms[text] = forms
        return any(key in form for key in keys for form in forms)

    def words(self, text: str) -> tuple[list[Entry], list[int]]:
        """Return the entries of a text's words and their starts, as `Tokenizer.entries` does."""
        return _entries(self._tokenizer, text)


@lru_cache(_FEW_TEXTS)
def _entries(tokenizer: Tokenizer, text: str) -> tuple[list[Entry], list[int]]:
    """Return what `Tokenizer.entries` does: the finders of a draft are asked for one text after
    the other."""
    return tokenizer.entries(text)
