"""Computes how much of a question the passages of a shortlist cover, and where."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kb.query.answers.bm25 import RELATED_WORTH, ScoredCandidate
from kb.query.answers.question import QueryTerm, stem_words
from kb.query.answers.stop_words import STOP_WORDS
from kb.query.answers.term_weights import WeightedTerm

# What a query term counts that is not in the passage but in its context, or in the passage before.
_CONTEXT_WORTH, _PRECEDING_WORTH = 0.8, 0.4
_WINDOW = 24  # words in which terms stand together
_MOST_PLACES = 40  # of the terms in a passage that are looked at


class Coverage(NamedTuple):
    """The share of a question's terms, by weight, that …"""

    all: float  # a passage and its context have
    text: float  # its text has
    window: float  # stand together in its text
    precision: float  # of its text's words, that are the question's
    names: float  # its text has, of the names of terms and cards alone
    actions: float  # its text has, of the verbs and adjectives alone
    context: float  # what it stands under has
    neighbours: float  # only the passages around it have


def coverages(
    ranked: Sequence[ScoredCandidate],
    neighbours: Sequence[str],
    terms: Mapping[str, Sequence[WeightedTerm]],
) -> list[Coverage]:
    """Return for each candidate which share of the query terms it covers, from 0 to 1.

    Terms are weighted by their importance and by how few of the candidates have them; one that none
    has tells them not apart and has no weight.

    neighbours: the normal forms of the passages before and after each candidate.
    terms: the question's terms by the language of the passage, `ja` or `en`.
    """
    places = [
        [
            f" {stem_words(part)} "
            for part in (
                scored.passage.words,
                scored.candidate.context
                + (f" {scored.candidate.parent.words}" if scored.candidate.parent else ""),
                around,
            )
        ]
        for scored, around in zip(ranked, neighbours, strict=True)
    ]
    worths = [
        [_worth(term, scored.candidate.defines, *parts) for term in terms[scored.lang]]
        for scored, parts in zip(ranked, places, strict=True)
    ]
    frequencies: Counter[QueryTerm] = Counter()
    for scored, term_worths in zip(ranked, worths, strict=True):
        frequencies.update(
            term.query_term
            for term, worth in zip(terms[scored.lang], term_worths, strict=True)
            if max(worth.text, worth.context) > _PRECEDING_WORTH
        )
    coverages = []
    for scored, term_worths, parts in zip(ranked, worths, places, strict=True):
        weights = [
            # What none of the candidates has tells them not apart.
            math.log(1 + len(ranked) / (0.5 + frequencies[term.query_term]))
            * term.query_term.importance
            * bool(frequencies[term.query_term])
            for term in terms[scored.lang]
        ]
        coverages.append(_coverage(terms[scored.lang], weights, term_worths, parts[0]))
    return coverages


class _Worth(NamedTuple):
    """How much of a query term a passage's text has, what it stands under, and its neighbours."""

    text: float
    context: float
    neighbours: float


def _coverage(
    terms: Sequence[WeightedTerm], weights: Sequence[float], worths: Sequence[_Worth], text: str
) -> Coverage:
    """Return the coverage of one passage, of the weight and the worth of each term."""
    total = sum(weights) or 1.0
    names = [
        (weight, worth)
        for term, weight, worth in zip(terms, weights, worths, strict=True)
        if term.query_term.term_ids
    ]
    actions = [
        (weight, worth)
        for term, weight, worth in zip(terms, weights, worths, strict=True)
        if not term.query_term.term_ids and term.query_term.importance < 1
    ]
    pairs = list(zip(weights, worths, strict=True))
    return Coverage(
        sum(
            weight * max(worth.text, _CONTEXT_WORTH * worth.context, 0.4 * worth.neighbours)
            for weight, worth in pairs
        )
        / total,
        sum(weight * worth.text for weight, worth in pairs) / total,
        _window_weight(terms, weights, text) / total,
        _precision(terms, text),
        sum(weight * worth.text for weight, worth in names)
        / (sum(weight for weight, _ in names) or 1.0),
        sum(weight * worth.text for weight, worth in actions)
        / (sum(weight for weight, _ in actions) or 1.0),
        sum(weight * worth.context for weight, worth in pairs) / total,
        sum(weight * worth.neighbours for weight, worth in pairs if not worth.text + worth.context)
        / total,
    )


def _precision(terms: Sequence[WeightedTerm], text: str) -> float:
    """Return the share of the words of a text that some terms have, without stop words."""
    words = {word for word in text.split() if word not in STOP_WORDS and word[0].isalpha()}
    asked = {
        word for term in terms for form in (*term.forms, *term.related) for word in form.split()
    }
    return len(words & asked) / (len(words) or 1)


def _window_weight(terms: Sequence[WeightedTerm], weights: Sequence[float], text: str) -> float:
    """Return the greatest weight of terms that stand within 24 words of a text."""
    places: list[tuple[int, int]] = []
    for number, term in enumerate(terms):
        for form in (*term.forms, *term.related):
            at = text.find(f" {form} ")
            while at >= 0 and len(places) < _MOST_PLACES * (1 + number):
                places.append((text.count(" ", 0, at), number))
                at = text.find(f" {form} ", at + 1)
    places.sort()
    best, first = 0.0, 0
    for last, (place, _) in enumerate(places):
        while places[first][0] < place - _WINDOW:
            first += 1
        best = max(best, sum(weights[n] for n in {n for _, n in places[first : last + 1]}))
    return best


def _worth(term: WeightedTerm, defines: str, text: str, context: str, neighbours: str) -> _Worth:
    """Return how much of a query term a passage covers, each from 0 to 1.

    defines: the id of the term that the passage defines.
    text, context, neighbours: the stemmed forms of the passage, of what it stands under, and of
        the passages around it, each with a space at both ends.
    """
    own = 1.0 if any(f" {form} " in text for form in term.forms) else 0.0
    if not own and any(f" {form} " in text for form in term.related):
        own = RELATED_WORTH
    if not own and defines and defines in term.query_term.term_ids:
        own = 1.0
    return _Worth(
        own,
        float(any(f" {form} " in context for form in term.forms)),
        float(any(f" {form} " in neighbours for form in term.forms)),
    )
