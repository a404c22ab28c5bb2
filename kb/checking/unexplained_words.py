"""Finds words of a translation that nothing in its source accounts for, by the aligned rules.

A term that is merely left out leaves no such word behind; a term in other words does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kb.checking.term_finder import Finder, JapaneseFinder
from kb.language.english_names_in_text import EnglishFinder, english_tokens
from kb.language.fold import fold

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
        the words of the source; never very common words, nor those that the source has as they are.

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
        found: list[Word] = []
        for word in words_of(target, self._finders[1]):
            having = in_targets.get(word.form, frozenset[int]()) - left_out
            if len(having) > _COMMON * rules:
                continue
            if any(_is_linked(having, others, rules) for others in beside.values()):
                continue
            if fold(target[word.start : word.end]) in fold(source):
                continue
            found.append(word)
        return found


def _is_linked(having: frozenset[int] | set[int], others: set[int], rules: int) -> bool:
    """Return whether rules with one word often have another one: two of them (one, if a single rule
    has the word) and a share of them, clearly more than of all rules."""
    both = len(having & others)
    if not both or (both < 2 and len(having) > 1):
        return False
    return both >= _SHARE * len(having) and both * rules >= _LIFT * len(having) * len(others)
