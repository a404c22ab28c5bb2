"""Reranks the best candidates of a question by features with fitted weights."""

from __future__ import annotations

from kb.query.answers.asked_before import asked_before, rule_key
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features
from kb.query.answers.fitted_weights import fitted_weights

WEIGHTS, WEIGHTS_WITH_MEANINGS = fitted_weights("ranking", Features)

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
