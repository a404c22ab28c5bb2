"""Weights the terms of a question: how much each tells, and how passages of a language write it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.query.answers.question import QueryTerm, Question, stem_words

# Set by hand with the first labelled questions; the weights of `rerank` and `refusal` were fitted
# to what these give.
_NAME_IMPORTANCE = 1.25  # a term's name says more than another word of the same frequency
_UNKNOWN_WORTH = 0.35  # of a verb that no passage contains: others may say it in other words
# The assumed size of the collection, for inverse document frequencies: one number for all, so that
# fitted weights hold for a base of any size. 25 editions of rulebooks have 60,000 passages.
PASSAGES = 50_000


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A query term as it is matched in passages of one language.

    query_term: the term.
    weight: how much it counts: its inverse document frequency times its importance.
    forms: its forms in that language, with English words stemmed.
    related: the related forms in that language, likewise.
    """

    query_term: QueryTerm
    weight: float
    forms: tuple[str, ...]
    related: tuple[str, ...]


def weighted_terms(
    question: Question, frequencies: Mapping[QueryTerm, int], lang: str
) -> list[WeightedTerm]:
    """Return the query terms of a question as they are matched in passages of a language.

    They are all there, in the order of the question, with the same weight in either language.

    frequencies: in how many passages each query term occurs; it must have all terms.
    lang: the language of the passages, `ja` or `en`; not that of the question.

    In another language than the question's a word has no forms, unless it is the name of a term
    or written in Latin letters; it may have related ones.
    """
    english = lang == "en"
    related = {
        query_term: _stemmed(form for form in query_term.related if form.isascii() == english)
        for query_term in question.query_terms
    }
    return [
        WeightedTerm(
            query_term,
            weight_of_term(query_term, frequencies[query_term]),
            _stemmed(query_term.forms[lang])
            if lang == question.lang or query_term.term_ids or query_term.text.isascii()
            else (),
            related[query_term],
        )
        for query_term in question.query_terms
    ]


def defined_term(terms: Iterable[WeightedTerm]) -> WeightedTerm | None:
    """Return the term that a definition is asked of: of the names of terms, or else of the nouns,
    the one of the greatest weight, the first of equal ones; None if there is none."""
    every = list(terms)
    named = [term for term in every if term.query_term.term_ids]
    nouns = [term for term in every if term.query_term.importance >= 1]
    return max(named or nouns, key=lambda term: term.weight, default=None)


def _stemmed(forms: Iterable[str]) -> tuple[str, ...]:
    """Return some forms with their English words stemmed, each different one once, sorted."""
    return tuple(sorted({stem_words(form) for form in forms}))


def weight_of_term(query_term: QueryTerm, frequency: int) -> float:
    """Return the weight of a query term: the rarer and the more important, the higher.

    A term that no passage contains counts about a third if it may be worded in another way: if it
    is no noun, or the thesaurus has related words. With an importance of 0 the weight is 0.

    frequency: in how many passages the term occurs; may be 0.
    """
    importance = _NAME_IMPORTANCE if query_term.term_ids else query_term.importance
    full = frequency or (query_term.importance >= 1 and not query_term.related)
    return math.log(1 + PASSAGES / (1 + frequency)) * importance * (1 if full else _UNKNOWN_WORTH)
