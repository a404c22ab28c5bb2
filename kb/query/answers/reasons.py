"""Says why a passage was chosen, and what was asked that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.question import QueryTerm
from kb.reason import Reason

_COMPOUND = re.compile(r"[一-鿿々ァ-ヺー]+")
_LEAST_IMPORTANCE = 0.3  # numbers, prefixes, pronouns and the like are no reason
_MATCHES = ("text", "related", "context")  # kinds of match in `ScoredCandidate.matches`


def reasons(scored: ScoredCandidate) -> tuple[Reason, ...]:
    """Return why a candidate was chosen, the strongest reason first."""
    found = [scored.named] if scored.named else []
    for kind in _MATCHES:
        words = content_words(term for how, term in scored.matches if how == kind)
        if words:
            found.append(Reason(f"words_in_{kind}", first=tuple(words[:-1]), last=words[-1]))
    found += (Reason(f"is_{kind}") for kind in scored.answers_as)
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
