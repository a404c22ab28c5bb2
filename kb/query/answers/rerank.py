"""Reranks the best candidates of a question by features with fitted weights."""

from __future__ import annotations

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features

# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Features(
    first_score=2.68,
    similarity=9.46,
    coverage=2.13,
    own_coverage=0.91,
    window_coverage=0.26,
    precision=1.21,
    name_coverage=0.15,
    subject=1.30,
    neighbours=2.05,
    brevity=-0.07,
    is_rule=0.47,
    other_language=0.77,
    other_coverage=2.24,
    other_score=1.46,
    language_lead=0.27,
    is_example=-1.28,
    is_fragment=0.38,
    is_aside=-3.95,
    has_answer_words=1.00,
    tells_result=1.87,
    states_answer=-0.03,
    is_definition=3.79,
    opens_definition=1.52,
    first_subrule=2.82,
    under_name=-3.08,
    opens_condition=0.11,
    action_coverage=0.53,
    context_similarity=4.83,
    weight_share=2.18,
    length=-0.34,
    cosine=0.00,
    centred_cosine=0.00,
)

# The same where vectors of meanings are compared.
WEIGHTS_WITH_MEANINGS = Features(
    first_score=2.42,
    similarity=4.09,
    coverage=2.53,
    own_coverage=0.94,
    window_coverage=-0.24,
    precision=0.98,
    name_coverage=-0.54,
    subject=1.21,
    neighbours=2.81,
    brevity=0.05,
    is_rule=0.53,
    other_language=1.13,
    other_coverage=2.43,
    other_score=1.42,
    language_lead=0.13,
    is_example=-0.79,
    is_fragment=0.60,
    is_aside=-2.87,
    has_answer_words=0.90,
    tells_result=1.51,
    states_answer=0.27,
    is_definition=3.25,
    opens_definition=1.63,
    first_subrule=2.37,
    under_name=-2.56,
    opens_condition=1.05,
    action_coverage=0.63,
    context_similarity=-0.58,
    weight_share=1.84,
    length=-0.28,
    cosine=13.27,
    centred_cosine=7.63,
)


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
