"""The mathematics by which the ranking of answers and their refusal are fitted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.ranking_fit import Candidates, best_first, fit_ranking, validated_weights
from benchmarks.refusal_fit import fit_refusal, threshold, validated_scores


def _questions(number: int, seed: int = 1) -> list[Candidates]:
    """Questions whose right candidate has much of the second feature and little of the third; the
    first says nothing, the fourth never varies."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        features = random.normal(size=(random.integers(2, 9), 4))
        features[:, 3] = 7.0
        right = np.zeros(len(features), dtype=bool)
        right[np.argmax(2 * features[:, 1] - features[:, 2])] = True
        found.append(Candidates(features, right))
    return found


def test_weights_rank_what_is_right_first() -> None:
    cases = _questions(80)
    weights = fit_ranking(cases)
    first = [case.right[best_first(case.features, weights)[0]] for case in _questions(80, seed=2)]
    assert np.mean(first) > 0.9
    assert weights[1] > -weights[2] > 5 * abs(weights[0])
    assert weights[1] / -weights[2] == pytest.approx(2, rel=0.2)
    assert weights[3] == 0
    assert fit_ranking(cases).tolist() == weights.tolist()


def test_the_slope_is_that_of_the_penalised_probability() -> None:
    cases = _questions(30)
    weights = fit_ranking(cases, penalty=0.05)
    scale = np.concatenate([case.features for case in cases]).std(axis=0)

    def worth(changed: np.ndarray) -> float:
        logs = [
            math.log((powers := np.exp(case.features @ changed))[case.right].sum() / powers.sum())
            for case in cases
        ]
        return sum(logs) / len(logs) - 0.05 * float(((changed * scale)[:3] ** 2).sum())

    for at in range(3):
        step = np.eye(4)[at] * 0.02
        assert worth(weights) > max(worth(weights + step), worth(weights - step))


def test_a_penalty_makes_weights_small_and_hopeless_questions_do_not_count() -> None:
    cases = _questions(40)
    small, large = fit_ranking(cases, penalty=0.5), fit_ranking(cases, penalty=0.01)
    assert 0 < small[1] < large[1] / 2
    hopeless = Candidates(cases[0].features, np.zeros(len(cases[0].right), dtype=bool))
    assert fit_ranking([hopeless]).tolist() == [0, 0, 0, 0]
    assert fit_ranking([*cases, hopeless], penalty=0.01) == pytest.approx(large, rel=0.05, abs=0.05)


def test_no_question_is_judged_by_weights_that_have_seen_it() -> None:
    cases = _questions(12)
    before = validated_weights(cases, folds=4)
    cases[5] = Candidates(-cases[5].features, cases[5].right)
    after = validated_weights(cases, folds=4)
    same = [bool((old == new).all()) for old, new in zip(before, after, strict=True)]
    assert same == [at % 4 == 1 for at in range(12)]


def _refusals(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Questions that can be answered where the second column is high; the third never varies."""
    random = np.random.default_rng(3)
    features = np.column_stack([np.ones(number), random.normal(size=number), np.full(number, 0.5)])
    chances = 1 / (1 + np.exp(-(1 + 2 * features[:, 1])))
    return features, random.uniform(size=number) < chances


def test_the_refusal_is_a_logistic_regression_of_balanced_kinds() -> None:
    features, answerable = _refusals(4000)
    weights = fit_refusal(features, answerable, penalty=0.0)
    assert weights[1] == pytest.approx(2, rel=0.1)
    assert weights[2] == 0
    # Balanced: the constant is that of the data, less the logarithm of the odds of an answer.
    odds = answerable.sum() / (~answerable).sum()
    assert weights[0] == pytest.approx(1 - math.log(odds), abs=0.15)
    # At the maximum, each kind weighs as much as is expected.
    counts = np.where(answerable, 0.5 / answerable.sum(), 0.5 / (~answerable).sum())
    chances = 1 / (1 + np.exp(-features @ weights))
    assert features[:, :2].T @ (counts * (answerable - chances)) == pytest.approx([0, 0], abs=1e-9)


def test_the_refusal_of_what_a_feature_separates_stays_finite() -> None:
    features = np.column_stack([np.ones(20), np.arange(20.0)])
    answerable = features[:, 1] >= 10
    weights = fit_refusal(features, answerable)
    assert np.isfinite(weights).all() and weights[1] > 0
    assert ((features @ weights > 0) == answerable).all()
    scores = validated_scores(features, answerable, folds=4)
    assert ((scores > 0) == answerable).mean() > 0.85


def test_the_threshold_refuses_at_most_the_share() -> None:
    scores = np.array([-np.inf, -1.0, 0.0, 1.0, 2.0, 3.0, -np.inf, -2.0, 0.5, 2.5])
    answerable = np.array([True] * 6 + [False] * 4)
    assert threshold(scores, answerable, 0.34) == (0.0, pytest.approx(2 / 6), 0.5)
    assert threshold(scores, answerable, 0.5) == (1.0, pytest.approx(3 / 6), 0.75)
    # What is refused whatever the threshold is refused.
    assert threshold(scores, answerable, 0.0)[1:] == (pytest.approx(1 / 6), 0.25)
