"""Reranks the best candidates of a question by features with fitted weights."""

from __future__ import annotations

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features

# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Features(
    first_score=2.92,
    similarity=9.90,
    coverage=1.89,
    own_coverage=0.73,
    window_coverage=0.31,
    name_coverage=0.19,
    subject=1.13,
    neighbours=1.77,
    brevity=-0.04,
    is_rule=0.37,
    other_language=1.06,
    other_coverage=1.65,
    other_score=1.41,
    language_lead=0.21,
    is_example=-1.40,
    is_fragment=0.09,
    is_aside=-3.59,
    has_answer_words=1.13,
    states_answer=-0.11,
    is_definition=3.46,
    opens_definition=1.51,
    first_subrule=2.49,
    under_name=-2.76,
    opens_condition=-0.18,
    action_coverage=0.61,
    context_similarity=4.75,
    weight_share=1.92,
    length=-0.49,
)

# The same where vectors of meanings are compared.
WEIGHTS_WITH_MEANINGS = WEIGHTS


def rerank(shortlist: Shortlist) -> list[tuple[ScoredCandidate, Features]]:
    """Return all candidates of a shortlist with their features, best first, and set their
    `final_score`: the sum of their weighted features. The shortlist's own order does not change.

    Passages that give a rule that the question names come before all others.
    """
    found = list(zip(shortlist.ranked, features(shortlist), strict=True))
    weights = WEIGHTS_WITH_MEANINGS if shortlist.similarities else WEIGHTS
    for scored, values in found:
        scored.final_score = sum(
            weight * value for weight, value in zip(weights, values, strict=True)
        )
    return sorted(
        found, key=lambda pair: (not pair[0].is_named, -pair[0].final_score, pair[0].passage.id)
    )
