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
    word_nearness=0.00,
    cosine=0.00,
    centred_cosine=0.00,
    turned_cosine=0.00,
)

# The same where vectors of meanings are compared.
WEIGHTS_WITH_MEANINGS = Features(
    first_score=2.42,
    similarity=4.18,
    coverage=2.53,
    own_coverage=1.01,
    window_coverage=-0.18,
    precision=1.04,
    name_coverage=-0.61,
    subject=1.20,
    neighbours=2.86,
    brevity=0.06,
    is_rule=0.53,
    other_language=1.03,
    other_coverage=2.34,
    other_score=1.70,
    language_lead=0.16,
    is_example=-0.79,
    is_fragment=0.58,
    is_aside=-2.90,
    has_answer_words=0.90,
    tells_result=1.56,
    states_answer=0.26,
    is_definition=3.28,
    opens_definition=1.64,
    first_subrule=2.37,
    under_name=-2.60,
    opens_condition=1.04,
    action_coverage=0.51,
    context_similarity=-0.46,
    weight_share=1.85,
    length=-0.28,
    word_nearness=0.00,
    cosine=13.53,
    centred_cosine=7.46,
    turned_cosine=0.00,
)


def rerank(shortlist: Shortlist) -> list[tuple[ScoredCandidate, Features]]:
    """Return all candidates of a shortlist with their features, best first, and set their
    `final_score`: the sum of their weighted features. The shortlist's own order does not change.

    Passages that give a rule that the question names come before all others; of equal scores the
    smaller id comes first.
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
