"""Decides whether the pages answer a question at all, by how much of it the best passages cover."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features
from kb.query.answers.question import QueryTerm, Question
from kb.query.answers.term_weights import weight_of_term

_BEST = 3  # answers that are looked at
_WORTH = {"text": 1.0, "defined": 1.0, "related": 0.8, "context": 0.8}  # of a match


class RefusalFeatures(NamedTuple):
    """What speaks for or against answering a question. Shares are by the weight of the terms."""

    constant: float  # always 1
    coverage: float  # the greatest share of the terms that one of the best answers covers
    together: float  # the share of the terms that the best answers cover together
    noun_coverage: float  # the greatest share of the nouns and names that one of them covers
    similarity: float  # the greatest similarity of one of them, by character n-grams
    weight_share: float  # the greatest rough score of one of them, by the question's weight
    window_coverage: float  # the greatest share of terms that stand together in one of them
    unknown_nouns: float  # the share of nouns and names that no passage has in any wording
    missing_nouns: float  # the share of nouns and names that none of the best answers covers
    unknown_name: float  # whether a proper name is in no passage
    missing_name: float  # whether a named term or card is in none of the best answers
    other_language: float  # whether the best answer is in another language
    asks_definition: float  # whether a definition is asked for
    defines: float  # whether one of the best answers defines the term that is asked for
    length: float  # the logarithm of the number of terms


def refusal_features(
    question: Question,
    frequencies: Mapping[QueryTerm, int],
    best: Sequence[tuple[ScoredCandidate, Features]],
) -> RefusalFeatures:
    """Return the features of a question with its ranked answers.

    frequencies: in how many passages each query term occurs.
    best: the answers with their features, best first; at least one. The first three count.
    """
    best = best[:_BEST]
    matched = {id(term) for scored, _ in best for _, term in scored.matches}
    weights = {term: weight_of_term(term, number) for term, number in frequencies.items()}
    nouns = [term for term in weights if term.term_ids or term.importance >= 1]
    of_nouns = sum(weights[term] for term in nouns) or 1.0
    of_all = sum(weights.values()) or 1.0
    covered = [
        (
            sum(weights[term] * worth for term, worth in worths.items()) / of_all,
            sum(weights[term] * worths.get(term, 0) for term in nouns) / of_nouns,
        )
        for worths in (_covered(scored) for scored, _ in best)
    ]
    return RefusalFeatures(
        1.0,
        max(share for share, _ in covered),
        sum(weight for term, weight in weights.items() if id(term) in matched) / of_all,
        max(share for _, share in covered),
        max(features.similarity for _, features in best),
        min(2.0, max(features.weight_share for _, features in best)),
        max(features.window_coverage for _, features in best),
        sum(weights[term] for term in nouns if not frequencies[term] and not term.related)
        / of_nouns,
        sum(weights[term] for term in nouns if id(term) not in matched) / of_nouns,
        any(term.is_proper_name and not frequencies[term] for term in weights),
        any(term.term_ids and id(term) not in matched for term in weights),
        best[0][1].other_language,
        question.kind == "definition",
        any(features.is_definition for _, features in best),
        math.log(1 + len(weights)),
    )


def _covered(scored: ScoredCandidate) -> dict[QueryTerm, float]:
    """Return how much of each term an answer has, from 0 to 1."""
    return {term: _WORTH[how] for how, term in scored.matches}
