"""Fits weights of features by which right passages rank above others: a softmax per question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
_STEPS, _RATE = 400, 0.5
_NEVER = -1e9  # added to the score of what is no candidate


class Candidates(NamedTuple):
    """The candidates of one question.

    features: a row per candidate, a column per feature; at least one row.
    right: for each candidate whether it answers the question.
    weight: how much the question counts.
    """

    features: Vector
    right: NDArray[np.bool_]
    weight: float = 1.0


def fit_ranking(train: Sequence[Candidates], penalty: float = 0.02) -> Vector:
    """Return the weights of the features under which right candidates rank highest.

    The weights are the result of gradient ascent on the weighted mean log-probability of all right
    candidates of a question together, under a softmax over its candidates, less `penalty` times
    the sum of the squared weights (of features scaled to a standard deviation of 1). Questions
    none of whose candidates is right do not count; a feature that never varies gets 0.
    """
    width = train[0].features.shape[1]
    scale = np.concatenate([case.features for case in train]).std(axis=0)
    varies = scale > 1e-9
    useful = [case for case in train if case.right.any()]
    if not useful or not varies.any():
        return np.zeros(width)
    values, candidate, right = _padded(useful, np.where(varies, scale, np.inf))
    number, most, _ = values.shape
    rows = values.reshape(number * most, width)
    weights = np.zeros(width)
    counts = np.array([case.weight for case in useful])
    counts = counts[:, None] / counts.sum()
    for _ in range(_STEPS):
        scores = values @ weights
        pull = (_shares(scores + right) - _shares(scores + candidate)) * counts
        slope = pull.reshape(-1) @ rows
        weights += _RATE * (slope - 2 * penalty * weights)
    return np.where(varies, weights / np.where(varies, scale, 1.0), 0.0)


def _padded(cases: Sequence[Candidates], scale: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the scaled features of questions as one array (question, candidate, feature), and what
    is to be added to scores so that only candidates, and only right ones, count."""
    most = max(len(case.right) for case in cases)
    values = np.zeros((len(cases), most, len(scale)))
    candidate = np.full((len(cases), most), _NEVER)
    right = np.full((len(cases), most), _NEVER)
    for at, case in enumerate(cases):
        length = len(case.right)
        values[at, :length] = case.features / scale
        candidate[at, :length] = 0
        right[at, :length] = np.where(case.right, 0, _NEVER)
    return values, candidate, right


def _shares(scores: Vector) -> Vector:
    """Return the softmax of each row."""
    powers: Vector = np.exp(scores - scores.max(axis=1, keepdims=True))
    totals: Vector = powers.sum(axis=1, keepdims=True)
    return powers / totals


def written(of: str, fields: Sequence[str], weights: Vector) -> str:
    """Return weights as `kb/query/answers/weights.tsv` has them. of: how their rows begin."""
    named = zip(fields, weights, strict=True)
    return "\n".join(f"{of}.{field}\t{weight:.2f}" for field, weight in named)


def best_first(features: Vector, weights: Vector) -> list[int]:
    """Return the rows of a matrix of features in the order of their weighted sums, best first."""
    return [int(at) for at in np.argsort(-(features @ weights), kind="stable")]


def validated_weights(
    cases: Sequence[Candidates], folds: int, penalty: float = 0.02
) -> list[Vector]:
    """Return for each question weights that were fitted without it.

    folds: in how many parts the questions are divided, the first to the first, the second to the
        second, and so on; the weights of a part are fitted on all others.
    """
    by_fold = [
        fit_ranking([case for at, case in enumerate(cases) if at % folds != fold], penalty)
        for fold in range(folds)
    ]
    return [by_fold[at % folds] for at in range(len(cases))]
