"""Finds the names of concepts in a text of any language, in any inflection and spelling.

Words of a translation that nothing in its source accounts for are found by the aligned rules: a
term that is merely left out leaves no such word behind; a term in other words does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from kb.checking.kept_tools import cached_method
from kb.knowledge.names.mentions import NameLinker, search_keys
from kb.language.english_inflection import EnglishFinder, FoundName, english_tokens
from kb.language.fold import fold
from kb.language.tokens import Entry, Tokenizer

_MOST_TEXTS = 1 << 14  # in a cache: a guard of memory; 12,000 rules fit
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


# What is marked as the name of a card: 《…》, [[…]], in English also two words or more in capitals
# within quotation marks. A term whose name is a part of it isn't meant.
_MARKED_NAME = re.compile(
    r"(?<=《)[^《》\n]{1,80}(?=》)|(?<=\[\[)[^\[\]\n]{1,80}(?=\]\])"
    r"|(?<=[\"“])[A-Z][\w’'-]*(?:,? (?:[A-Z&][\w’'-]*|of|the|to|and|for|from|in|with|a)){1,9}"
    r"(?=[\"”])"
)


def _without_parts_of_marked_names(text: str, found: list[FoundName]) -> list[FoundName]:
    """Return names that were found in a text but for those that are a part of a marked name."""
    marked = [match.span() for match in _MARKED_NAME.finditer(text)]
    return [
        name
        for name in found
        if not any(
            start <= name.start and name.end <= end and (name.start, name.end) != (start, end)
            for start, end in marked
        )
    ]


class _EnglishFinder(EnglishFinder):
    """Finds names in English texts, but in everyday phrases and within the names of cards."""

    def find(self, text: str) -> list[FoundName]:
        phrases = [match.span() for match in _PHRASES.finditer(text)]
        found = [
            name
            for name in super().find(text)
            if not any(start <= name.start and name.end <= end for start, end in phrases)
        ]
        return _without_parts_of_marked_names(text, found)


class JapaneseFinder:
    """Finds names in Japanese texts: by the same keys as the mentions of the knowledge base."""

    def __init__(self, names: Iterable[tuple[str, str]], tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._linker = NameLinker(
            (concept, key) for concept, name in names for key in search_keys(name, tokenizer)
        )

    def find(self, text: str) -> list[FoundName]:
        entries, starts = self.words(text)
        found = [FoundName(*match) for match in self._linker.mentions(entries, starts)]
        return _without_parts_of_marked_names(text, found)

    def has(self, text: str, name: str) -> bool:
        forms = self._forms(text)
        return any(key in form for key in self._keys(name) for form in forms)

    @cached_method()
    def _keys(self, name: str) -> frozenset[str]:
        return frozenset(search_keys(name, self._tokenizer))

    @cached_method(_MOST_TEXTS)
    def _forms(self, text: str) -> tuple[str, str]:
        """Return a text folded, as it is written and as its words are."""
        entries, _ = self.words(text)
        return fold(text), "".join(entry.folded for entry in entries)

    def words(self, text: str) -> tuple[list[Entry], list[int]]:
        """Return the entries of a text's words and their starts, as `Tokenizer.entries` does."""
        return _entries(self._tokenizer, text)


@lru_cache(_FEW_TEXTS)
def _entries(tokenizer: Tokenizer, text: str) -> tuple[list[Entry], list[int]]:
    """Return what `Tokenizer.entries` does: the finders of a draft are asked for one text after
    the other."""
    return tokenizer.entries(text)


# By hand: lower shares explain more words by chance, so that terms in other words are overlooked;
# higher ones leave right words unexplained, which counts only together with a missing term.
_COMMON = 0.1  # the share of rules that have a word which says nothing
_SHARE = 0.3  # of the rules with a word, that must have a word of the source, too
_LIFT = 1.5  # how much more often than other rules do
# What makes a word: two letters, or a kanji, which says something by itself.
_LETTERS = re.compile(r"[^\W\d_]{2}|[一-鿿]")
# Words that say nothing of a rule; Japanese ones in kana and as the dictionary writes them.
STOP_WORDS = frozenset(
    "the that this these those with from for and but not any all its their they them his her one "
    "has have had are was were been being will would may can could does did then than when while "
    "where which who whose what other another each every either both such same also only into "
    "onto under over there here you your it he she if as at by in of on or to an be is do so no "
    "くる いる ある する なる できる られる れる こと もの 為る 有る 居る 成る 出来る 事 物 "
    "時 際 場合 其の 此の 行う 等 為 又 及び 従う 因る 依る 以下 以上 対する 関する 於く "
    "言う 得る 無い 良い 又は 各 其れ 此れ".split()
)


class Word(NamedTuple):
    """A word of a text, in the form of all its inflections, at text[start:end]."""

    form: str
    start: int
    end: int


def words_of(text: str, finder: Finder) -> list[Word]:
    """Return the content words of a text, in order: without particles, `STOP_WORDS`, numbers, and
    English ones of one or two letters. finder: of its language."""
    if isinstance(finder, JapaneseFinder):
        entries, starts = finder.words(text)
        found = [
            Word(entry.normal, start, end)
            for entry, start, end in zip(entries, starts, starts[1:], strict=False)
            if not entry.function
        ]
    else:
        assert isinstance(finder, EnglishFinder)
        found = [Word(*token) for token in english_tokens(text)]
    return [
        word
        for word in found
        if _LETTERS.search(word.form)
        and word.form not in STOP_WORDS
        and fold(text[word.start : word.end]) not in STOP_WORDS
        and len(text[word.start : word.end]) > (0 if isinstance(finder, JapaneseFinder) else 2)
    ]


class WordLinks:
    """Which words of two languages occur in the same rules."""

    def __init__(
        self, pairs: Sequence[tuple[str, str]], source_finder: Finder, target_finder: Finder
    ) -> None:
        """pairs: (text in the source language, in the target language)."""
        self._finders = source_finder, target_finder
        self._rules = len(pairs)
        self._with: tuple[dict[str, set[int]], dict[str, set[int]]] = (
            defaultdict(set), defaultdict(set),
        )  # fmt: skip
        for index, texts in enumerate(pairs):
            for words, text, finder in zip(self._with, texts, self._finders, strict=True):
                for word in words_of(text, finder):
                    words[word.form].add(index)

    def unexplained(self, source: str, target: str, own: Iterable[int] = ()) -> list[Word]:
        """Return the words of a target, in order, that no rule has, or that rules have with none of
        the words of the source; never very common words, those that the source has as they are, or
        those in a marked name.

        own: the indexes of pairs that don't count.
        """
        left_out = frozenset(own)
        in_sources, in_targets = self._with
        rules = max(self._rules - len(left_out), 1)
        beside = {
            word.form: in_sources[word.form] - left_out
            for word in words_of(source, self._finders[0])
            if word.form in in_sources
        }
        marked = [match.span() for match in _MARKED_NAME.finditer(target)]
        found: list[Word] = []
        for word in words_of(target, self._finders[1]):
            having = in_targets.get(word.form, frozenset[int]()) - left_out
            if len(having) > _COMMON * rules:
                continue
            if any(_is_linked(having, others, rules) for others in beside.values()):
                continue
            if fold(target[word.start : word.end]) in fold(source):
                continue
            if not any(start <= word.start < end for start, end in marked):
                found.append(word)
        return found


def _is_linked(having: frozenset[int] | set[int], others: set[int], rules: int) -> bool:
    """Return whether rules with one word often have another one: two of them (one, if a single rule
    has the word) and a share of them, clearly more than of all rules."""
    both = len(having & others)
    if not both or (both < 2 and len(having) > 1):
        return False
    return both >= _SHARE * len(having) and both * rules >= _LIFT * len(having) * len(others)
