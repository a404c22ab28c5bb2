"""Says in words why a passage was chosen, and what was asked that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.question import QueryTerm

_COMPOUND = re.compile(r"[一-鿿々ァ-ヺー]+")
_LEAST_IMPORTANCE = 0.3  # numbers, prefixes, pronouns and the like are no reason
# How a match is told, by the kind of match in `ScoredCandidate.matches`.
_TOLD = {
    "text": "speaks of",
    "related": "has other words for",
    "context": "stands under",
}
_STATEMENTS = {
    "outcome": "says what happens on a condition",
    "ruling": "is a ruling",
    "step": "is a step of a procedure",
    "procedure": "introduces a procedure",
}


def reasons(scored: ScoredCandidate) -> tuple[str, ...]:
    """Return why a candidate was chosen, in words, the strongest reason first."""
    found = [scored.named] if scored.named else []
    for kind, told in _TOLD.items():
        words = content_words(term for how, term in scored.matches if how == kind)
        if words:
            found.append(f"{told} {in_words(words)}")
    found += (_STATEMENTS[kind] for kind in scored.answers_as)
    return (*found, *scored.reasons)


def content_words(terms: Iterable[QueryTerm]) -> list[str]:
    """Return the words of a question that say something, as they are written in it, each once.

    Nouns that stand side by side in the question are one word: 初期手札.

    terms: in the order of the question.
    """
    words: list[str] = []
    end = -1
    for term in terms:
        if term.importance <= _LEAST_IMPORTANCE:
            continue
        word = term.word or term.text
        if term.start == end and _COMPOUND.fullmatch(words[-1] + word):
            words[-1] += word
        else:
            words.append(word)
        end = term.end
    return list(dict.fromkeys(words))


def words_not_found(scored: ScoredCandidate, terms: Iterable[QueryTerm]) -> tuple[str, ...]:
    """Return the words of a question that neither a passage nor what it stands under has.

    terms: those of the question.
    """
    matched = {id(term) for _, term in scored.matches}
    return tuple(content_words(term for term in terms if id(term) not in matched))


def in_words(words: list[str]) -> str:
    """Return a list of words as a text.

    >>> in_words(["札", "山札", "引く"])
    '札, 山札 and 引く'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
