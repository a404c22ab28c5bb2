"""Fit how much each feature counts when answers are ranked closely.

    python -m benchmarks.fit_answers

learns the weights of `kb.query.answers.rerank.Features` from the labelled questions that are not
held out: the right passages of a question should stand above the others (a softmax over its
candidates, with a penalty on large weights). It prints the weights as they go into `WEIGHTS`, and
how often the right passage came first and among three, cross-validated. Needs NumPy (the extra
`bench`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kb.query.answers.ask import shortlist
from kb.query.answers.rerank import Features, features
from tests import questions

_FOLDS, _STEPS, _RATE, _PENALTY = 8, 400, 0.5, 0.02


class Case(NamedTuple):
    """A question: the features of its candidates, and which of these are right."""

    features: np.ndarray
    right: np.ndarray


def cases() -> list[Case]:
    """The answerable questions that are not held out."""
    found = []
    for case in questions.cases():
        if questions.group(case) in {"several", "unanswerable"} or questions.held_out(case):
            continue
        close = shortlist(questions.base(case["kb"])._store, case["question"])
        if close is None:
            found.append(Case(np.zeros((1, len(Features._fields))), np.array([False])))
            continue
        told = np.array(features(close), dtype=float)
        ids = [{one.passage.id, one.passage.rule} for one in close.ranked]
        found.append(Case(told, np.array([bool(set(case["answers"]) & own) for own in ids])))
    return found


def fit(train: list[Case]) -> np.ndarray:
    """The weights under which the right passages stand highest."""
    every = np.concatenate([case.features for case in train])
    scale = every.std(axis=0) + 1e-9
    weights = np.zeros(every.shape[1])
    useful = [case for case in train if case.right.any()]
    for _ in range(_STEPS):
        slope = -2 * _PENALTY * weights
        for case in useful:
            told = case.features / scale
            share = np.exp(told @ weights - (told @ weights).max())
            share /= share.sum()
            among = np.where(case.right, share, 0.0)
            slope += told.T @ (among / among.sum() - share) / len(useful)
        weights += _RATE * slope
    return weights / scale


def place(case: Case, weights: np.ndarray) -> float:
    """Where the first right passage stands, from 1; infinite if it is not there."""
    order = np.argsort(-(case.features @ weights), kind="stable")
    places = np.flatnonzero(case.right[order])
    return places[0] + 1 if len(places) else np.inf


def main() -> None:
    """Print the weights, and what cross-validation gives."""
    every = cases()
    places = _validated(every)
    print(Features(*(round(float(w), 2) for w in fit(every))))
    print(
        f"cross-validated: {(places <= 1).mean():.3f} first, {(places <= 3).mean():.3f} "
        f"among three, of {len(every)}"
    )


def _validated(every: list[Case]) -> np.ndarray:
    places = np.zeros(len(every))
    for fold in range(_FOLDS):
        weights = fit([case for at, case in enumerate(every) if at % _FOLDS != fold])
        for at in range(fold, len(every), _FOLDS):
            places[at] = place(every[at], weights)
    return places


if __name__ == "__main__":
    main()
