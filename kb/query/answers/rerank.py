"""Reranks the best candidates of a question by features with fitted weights."""

from __future__ import annotations

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features

# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Features(
    first_score=2.78,
    similarity=8.60,
    coverage=2.06,
    own_coverage=0.65,
    window_coverage=0.34,
    name_coverage=-0.02,
    subject=0.16,
    neighbours=1.23,
    brevity=-0.06,
    is_rule=0.57,
    other_language=1.22,
    other_coverage=1.95,
    is_example=-1.38,
    is_fragment=-0.59,
    is_aside=-3.51,
    has_answer_words=1.09,
    states_answer=-0.07,
    is_definition=3.48,
    opens_definition=1.33,
    first_subrule=1.47,
    under_name=-2.63,
    opens_condition=-0.23,
    action_coverage=0.61,
    context_similarity=7.44,
    weight_share=2.17,
    length=-0.46,
)


def rerank(shortlist: Shortlist) -> list[ScoredCandidate]:
    """Return all candidates of a shortlist, best first, and set their `final_score`: the sum of
    their weighted features. The shortlist's own order does not change.

    Passages that give a rule that the question names come before all others.
    """
    for scored, values in zip(shortlist.ranked, features(shortlist), strict=True):
        scored.final_score = sum(
            weight * value for weight, value in zip(WEIGHTS, values, strict=True)
        )
    return sorted(
        shortlist.ranked,
        key=lambda scored: (not scored.is_named, -scored.final_score, scored.passage.id),
    )
