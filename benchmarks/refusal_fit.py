"""Fits when a question is refused: a logistic regression of whether it can be answered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Truths = NDArray[np.bool_]
_STEPS = 50


class Threshold(NamedTuple):
    """A threshold of the score below which a question is refused, and what it does.

    value: the threshold.
    answerable, unanswerable: the shares of these questions that are refused.
    """

    value: float
    answerable: float
    unanswerable: float


def fit_refusal(features: Vector, answerable: Truths, penalty: float = 1.0) -> Vector:
    """Return the weights of a logistic regression: positive sums speak for an answer.

    features: a row per question; the first column is 1 throughout and its weight the constant.
    answerable: for each question whether it can be answered; both kinds must be there.
    penalty: of the squared weights of the scaled features, as beside one question; the constant has
        none.

    Both kinds of questions count the same in all, however many there are. A feature that never
    varies gets 0. The maximum is found by Newton's method.
    """
    middle, scale = features[:, 1:].mean(axis=0), features[:, 1:].std(axis=0)
    varies = scale > 1e-9
    scaled = np.where(varies, (features[:, 1:] - middle) / np.where(varies, scale, 1.0), 0.0)
    rows = np.column_stack([np.ones(len(features)), scaled])
    counts = np.where(answerable, 0.5 / answerable.sum(), 0.5 / (~answerable).sum())
    shrink = np.full(rows.shape[1], penalty / len(rows))
    shrink[0] = 0.0
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (answerable - chances)) - shrink * weights
        curve = (rows.T * (counts * chances * (1 - chances))) @ rows
        step = np.linalg.solve(curve + np.diag(shrink + 1e-9), slope)
        weights += step * min(1.0, 2.0 / max(1e-9, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-10:
            break
    own = np.where(varies, weights[1:] / np.where(varies, scale, 1.0), 0.0)
    return np.concatenate([[weights[0] - own @ middle], own])


def validated_scores(
    features: Vector, answerable: Truths, folds: int, penalty: float = 1.0
) -> Vector:
    """Return for each question its score under weights that were fitted without it.

    folds: as for `ranking_fit.validated_weights`.
    """
    scores = np.zeros(len(features))
    part = np.arange(len(features)) % folds
    for fold in range(folds):
        train = part != fold
        weights = fit_refusal(features[train], answerable[train], penalty)
        scores[~train] = features[~train] @ weights
    return scores


def threshold(scores: Vector, answerable: Truths, share: float) -> Threshold:
    """Return the highest threshold that refuses at most a share of the answerable questions.

    scores: of all questions; minus infinity for those that are refused whatever the threshold.
    """
    own = np.sort(scores[answerable])
    value = float(own[min(len(own) - 1, int(share * len(own) + 1e-9))])
    refused = refused_below(scores, value)
    return Threshold(value, float(refused[answerable].mean()), float(refused[~answerable].mean()))


def refused_below(scores: Vector, value: float) -> Truths:
    """Return which questions a threshold refuses: those that score less, and those that score minus
    infinity."""
    return (scores < value) | np.isneginf(scores)
