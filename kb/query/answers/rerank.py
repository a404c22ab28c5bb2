"""Reranks the best candidates of a question: by features with fitted weights, and then, if a person
names one, by a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from statistics import fmean, pstdev

from graphs.store.reader import Store
from kb.query.answers.asked_before import asked_before, rule_key
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features, Shortlist, features
from kb.query.answers.fitted_weights import fitted_weights
from kb.reason import Reason, reason_of, take_for

WEIGHTS, WEIGHTS_WITH_MEANINGS = fitted_weights("ranking", Features)

# What it counts that a question like this one was asked of a rule before. By hand, on questions
# that are not held out: 2 to 6 give the same. It is not fitted with the rest, as the questions that
# these are fitted to are those that were asked before.
ASKED_BEFORE = 4.0
# Candidates that are read. By hand: six times the five that are shown; each takes a large model 0.3
# s of a processor.
_MOST_READ = 30


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


def reread(store: Store, question: str, ranked: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return ranked candidates with the best thirty ordered by the sum of two scores: that of their
    features, and that which the reranker gives, brought to the same spread (both have the same
    standard deviation among the thirty). Each gets a reason that says how the reranker ranks it.

    The others stay behind them, as if it had given each the least of its scores; and those of rules
    that the question names stay first. If the reranker fails, or gives anything but a number for
    each, the order stays and the answer says so.

    ranked: the candidates, best first.
    """
    from kb.query.near.encoders import embeddable_text
    from kb.query.near.rerankers import wanted_reranker
    from kb.query.near.vectors import embedded_texts

    read = ranked[:_MOST_READ]
    texts = embedded_texts(store, [scored.passage.id for scored in read])
    passages = [texts[scored.passage.id].text for scored in read]
    try:
        reranker = wanted_reranker()
        if reranker is None or len(read) < 2:
            return list(ranked)
        scores = [float(score) for score in reranker.scores(embeddable_text(question), passages)]
        if len(scores) != len(read) or not all(map(isfinite, scores)):
            raise ValueError(f"not {len(read)} numbers")
    except Exception as error:  # of a model and a library of others, which may raise anything
        take_for(Reason("not_reread", why=reason_of(error)))
        return list(ranked)
    mean, spread = fmean(scores), pstdev(scores) or 1.0
    unit = pstdev(scored.final_score for scored in read) or 1.0
    places = {score: 1 + sum(other > score for other in scores) for score in scores}
    found = [
        replace(
            scored,
            final_score=scored.final_score + unit * (score - mean) / spread,
            reasons=[
                *scored.reasons,
                Reason("reread", reranker=reranker.name, place=places[score], most=len(read)),
            ],
        )
        for scored, score in zip(read, scores, strict=True)
    ]
    found.sort(key=lambda scored: (not scored.is_named, -scored.final_score))
    least = unit * (min(scores) - mean) / spread
    rest = ranked[_MOST_READ:]
    return [*found, *(replace(each, final_score=each.final_score + least) for each in rest)]
