"""Searches the index for the passages that a quotation may be from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from graphs.store.passage_index import PassageText
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.language.fold import is_japanese

_MOST_WORDS = 24  # of a quotation, whose frequencies are asked for
_RAREST = 8  # words that are searched for
_FEW = 4  # words that must all be there, in the first search
_MOST_FOUND = 40  # passages, of each search
_MOST_COMMON = 4_000  # passages that a word may be in, to be searched for with others
# Passages that the words searched for are in, all together: FTS5 ranks one in 4 µs.
_MOST_RANKED = 800
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a quotation may be from.

    passage: its id. rule: the id of the rule that it gives; None without one.
    """

    passage: str
    rule: str | None
    text: PassageText


class CandidatePassages:
    """Searches passages by the rare words of quotations; words are counted once."""

    def __init__(self, store: Store, passage_filter: PassageFilter) -> None:
        self._store, self._filter = store, passage_filter
        self._frequencies: dict[str, int] = {}
        self._words = lru_cache(64)(_words)

    def find(self, quotation: str) -> list[Candidate]:
        """Return the passages that have all of the rarest four words of a quotation, best first, at
        most 40."""
        words = self._rarest(quotation)[:_FEW]
        return self._matching(" AND ".join(_quoted(words))) if words else []

    def find_more(self, quotation: str) -> list[Candidate]:
        """Return the passages that have any of the rarest words of a quotation, best first, at most
        40; of words that too many have only the rarest is asked for."""
        words = self._few_passages(self._rarest(quotation))
        return self._matching(" OR ".join(_quoted(words))) if words else []

    def _matching(self, query: str) -> list[Candidate]:
        found = {
            passage: rule
            for passage, rule, _ in self._store.passages.matching(query, _MOST_FOUND, self._filter)
        }
        texts = self._store.passages.texts(found)
        return [
            Candidate(passage, rule, texts[passage])
            for passage, rule in found.items()
            if passage in texts
        ]

    def _few_passages(self, words: Sequence[str]) -> list[str]:
        """Return the first words that no more passages have than are ranked fast; one at least."""
        totals = accumulate(self._frequencies[word] for word in words)
        few = sum(1 for total in totals if total <= _MOST_RANKED)
        return list(words[: max(1, few)])

    def _rarest(self, quotation: str) -> list[str]:
        """Return the words of a quotation that fewest passages have, but at least one has."""
        words = self._words(quotation)
        for word in words:
            if word not in self._frequencies:
                self._frequencies[word] = self._store.passages.frequency(
                    f'"{word}"', _MOST_COMMON + 1
                )
        there = [word for word in words if self._frequencies[word]]
        return sorted(there, key=lambda word: self._frequencies[word])[:_RAREST]


def _quoted(words: Iterable[str]) -> list[str]:
    return [f'"{word}"' for word in words]


def _words(text: str) -> list[str]:
    """Return the different words of a text as the index has them, the longest first."""
    if is_japanese(text):
        from kb.language.tokens import normal_forms, tokenizer

        forms = " ".join(form for form, _, _ in normal_forms(tokenizer()(text)))
    else:
        forms = text.casefold()
    words = dict.fromkeys(_WORD.findall(forms))
    return sorted(words, key=lambda word: (-len(word), word))[:_MOST_WORDS]
