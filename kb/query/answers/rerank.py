"""Reranks the best candidates of a question by features with fitted weights."""

from __future__ import annotations

from kb.query.answers.asked_before import asked_before, rule_key
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features

# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Features(
    first_score=2.22,
    similarity=7.88,
    coverage=1.27,
    own_coverage=0.16,
    window_coverage=0.83,
    precision=0.54,
    name_coverage=0.65,
    subject=1.69,
    neighbours=2.64,
    brevity=0.04,
    is_rule=-0.20,
    other_language=0.89,
    other_coverage=2.56,
    other_score=0.52,
    language_lead=0.23,
    is_example=-0.85,
    is_fragment=-0.24,
    is_aside=0.30,
    has_answer_words=0.53,
    tells_result=1.31,
    states_answer=-0.06,
    is_definition=0.70,
    opens_definition=1.07,
    first_subrule=2.00,
    under_name=-1.34,
    opens_condition=0.01,
    action_coverage=0.47,
    context_similarity=6.62,
    weight_share=1.05,
    length=-0.08,
    word_nearness=4.89,
    cosine=0.00,
    centred_cosine=0.00,
    turned_cosine=0.00,
)

# The same where vectors of meanings are compared.
WEIGHTS_WITH_MEANINGS = Features(
    first_score=1.49,
    similarity=5.16,
    coverage=2.05,
    own_coverage=0.45,
    window_coverage=0.18,
    precision=0.74,
    name_coverage=0.33,
    subject=0.91,
    neighbours=2.63,
    brevity=0.07,
    is_rule=-0.73,
    other_language=1.14,
    other_coverage=2.74,
    other_score=0.82,
    language_lead=0.13,
    is_example=-0.42,
    is_fragment=0.70,
    is_aside=0.75,
    has_answer_words=0.50,
    tells_result=1.29,
    states_answer=-0.01,
    is_definition=0.95,
    opens_definition=0.60,
    first_subrule=1.31,
    under_name=-1.20,
    opens_condition=0.05,
    action_coverage=0.43,
    context_similarity=2.62,
    weight_share=0.57,
    length=-0.07,
    word_nearness=2.79,
    cosine=5.19,
    centred_cosine=2.74,
    turned_cosine=17.60,
)


# What it counts that a question like this one was asked of a rule before. By hand, on questions
# that are not held out: 2 to 6 give the same. It is not fitted with the rest, as the questions that
# these are fitted to are those that were asked before.
ASKED_BEFORE = 4.0


def rerank(shortlist: Shortlist) -> list[tuple[ScoredCandidate, Features]]:
    """Return all candidates of a shortlist with their features, best first, and set their
    `final_score`: the sum of their weighted features, and of how like the question is to one that
    was asked of their rule before. The shortlist's own order does not change.

    Passages that give a rule that the question names come before all others; of equal scores the
    smaller id comes first.
    """
    found = list(zip(shortlist.ranked, features(shortlist), strict=True))
    weights = WEIGHTS_WITH_MEANINGS if shortlist.similarities else WEIGHTS
    asked = asked_before(shortlist.question.text).rules
    for (scored, values), text in zip(found, shortlist.texts, strict=True):
        scored.asked_before = asked.get(rule_key(text), 0.0)
        scored.final_score = ASKED_BEFORE * scored.asked_before + sum(
            weight * value for weight, value in zip(weights, values, strict=True)
        )
    return sorted(
        found, key=lambda pair: (not pair[0].is_named, -pair[0].final_score, pair[0].passage.id)
    )
