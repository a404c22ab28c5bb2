"""Reranks the best candidates of a question by features with fitted weights."""

from __future__ import annotations

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features

# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Features(
    first_score=3.07,
    similarity=11.12,
    coverage=2.01,
    own_coverage=0.87,
    window_coverage=0.18,
    name_coverage=0.10,
    subject=0.45,
    neighbours=1.55,
    brevity=-0.09,
    is_rule=0.55,
    other_language=1.50,
    other_coverage=1.48,
    is_example=-1.30,
    is_fragment=-3.02,
    is_aside=-3.45,
    has_answer_words=1.14,
    states_answer=-0.11,
    is_definition=3.51,
    opens_definition=1.41,
    first_subrule=0.58,
    under_name=-2.85,
    opens_condition=-0.10,
    action_coverage=0.73,
    context_similarity=5.41,
    weight_share=1.49,
    length=-0.45,
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
