"""Learn the matrix that turns the vectors of questions towards those of what answers them.

    python -m benchmarks.fit_adapter [--folder DIR] [--out FILE]

learns from the labelled questions that are fitted to (`tests.questions.fitted_to`) and writes the
matrix where `kb.query.near.question_adapter` reads it. Of each question the vector of a passage
that answers it shall be nearer than those of other questions, of passages drawn at random, and of
some of those that were nearest before; large numbers cost. The same input gives the same matrix.
It prints how often a right passage is nearest, and among three, before and after, of questions that
are fitted to and of those that are not. Needs NumPy and the extra `near`.

--folder DIR    keep the knowledge bases, and the vectors made for them, in this folder
--out FILE      write the matrix here instead
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.answer_systems import make_vectors
from kb.query.near.encoders import Encoder
from kb.query.near.installed_encoder import required_encoder
from kb.query.near.question_adapter import FILE
from kb.query.near.vectors import VectorCache
from tests import questions

Vectors = NDArray[np.float32]

# By hand, on a part of the questions: more epochs, and a smaller cost, fit what is fitted to alone.
_EPOCHS, _BATCH, _RATE, _COST = 8, 64, 5e-4, 3e-3
_SHARPNESS = 20.0  # of the softmax: cosines lie close together
_RANDOM, _HARD, _NEAREST = 400, 8, 60  # passages beside a question; from how many hard ones are
_MOMENTS = 0.9, 0.999  # of Adam
_QUESTIONS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of a knowledge base: ids of the passage and of its rule, and a vector a row;
    rows: {id of a passage: its row}."""

    ids: list[frozenset[str]]
    vectors: Vectors
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its vector, its passages, and the rows of those that answer it."""

    case: questions.Case
    vector: Vectors
    passages: Passages
    right: NDArray[np.int64]


def main() -> None:
    """Learn the matrix, write it, and print what it gives."""
    words = _arguments()
    if words.folder:
        questions.keep_bases(words.folder)
    cases = [case for case in (*questions.cases(), *questions.training_cases()) if case["answers"]]
    make_vectors({case["kb"] for case in cases})
    encoder = required_encoder()
    asked = [one for one in with_vectors(cases, encoder) if len(one.right)]
    fitted = [one for one in asked if questions.fitted_to(one.case)]
    matrix = learn(fitted)
    np.savez_compressed(words.out, encoder=encoder.name, matrix=matrix.astype(np.float16))
    for name, some in (("fitted to", fitted), ("not", [one for one in asked if one not in fitted])):
        for when, turn in (("before", np.zeros_like(matrix)), ("after", matrix)):
            first, three = _shares(some, turn)
            print(f"{name:10} {len(some):5} {when:7} first {first:.3f}  three {three:.3f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="keep knowledge bases and vectors here")
    parser.add_argument("--out", type=Path, default=FILE, help="write the matrix here")
    return parser.parse_args()


def with_vectors(cases: Sequence[questions.Case], encoder: Encoder) -> Iterator[Asked]:
    """Yield questions with their vectors, by knowledge base."""
    for name in sorted({case["kb"] for case in cases}):
        some = [case for case in cases if case["kb"] == name]
        passages = _passages(name, encoder)
        for start in range(0, len(some), _QUESTIONS_AT_ONCE):
            part = some[start : start + _QUESTIONS_AT_ONCE]
            vectors = encoder.questions([case["question"] for case in part])
            for case, vector in zip(part, vectors, strict=True):
                wanted = set(case["answers"])
                right = [row for row, ids in enumerate(passages.ids) if wanted & ids]
                yield Asked(case, vector, passages, np.array(right, np.int64))


def _passages(name: str, encoder: Encoder) -> Passages:
    """Return the passages of a knowledge base that have vectors."""
    store = questions.base(name)._store
    with VectorCache(store.path, encoder) as cache:
        rows, numbers = cache.passages()
    known = store.passages.lookup(passage for passage, _, _ in rows)
    ids = [
        frozenset(filter(None, (passage, known[passage].rule if passage in known else None)))
        for passage, _, _ in rows
    ]
    places = {passage: row for row, (passage, _, _) in enumerate(rows)}
    return Passages(ids, _unit(numbers.astype(np.float32)), places)


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)


def learn(asked: Sequence[Asked]) -> Vectors:
    """Return the matrix: gradient descent by Adam on the cross entropy of a right passage among
    others, as said above. asked: questions that some passage answers."""
    draw = np.random.default_rng(0)
    hard = [_hard(one) for one in asked]
    size = len(asked[0].vector)
    matrix, mean, square, step = (np.zeros((size, size), np.float32) for _ in range(4))
    steps = 0
    for _ in range(_EPOCHS):
        order = draw.permutation(len(asked))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            vectors, right, others = _drawn(draw, [asked[at] for at in batch])
            near = np.stack([hard[at][draw.integers(0, len(hard[at]), _HARD)] for at in batch])
            step = _slope(matrix, vectors, right, others, near) + 2 * _COST * matrix
            steps += 1
            mean = _MOMENTS[0] * mean + (1 - _MOMENTS[0]) * step
            square = _MOMENTS[1] * square + (1 - _MOMENTS[1]) * step**2
            rate = _RATE * np.sqrt(1 - _MOMENTS[1] ** steps) / (1 - _MOMENTS[0] ** steps)
            matrix -= rate * mean / (np.sqrt(square) + 1e-8)
    return matrix


def _drawn(draw: np.random.Generator, batch: Sequence[Asked]) -> tuple[Vectors, Vectors, Vectors]:
    """Return the vectors of questions, of a passage that answers each, and of passages drawn from
    the knowledge bases of some of them."""
    right = np.stack([one.passages.vectors[draw.choice(one.right)] for one in batch])
    several = [batch[at].passages.vectors for at in draw.integers(0, len(batch), 4)]
    others = [each[draw.integers(0, len(each), _RANDOM // len(several))] for each in several]
    return np.stack([one.vector for one in batch]), right, np.concatenate(others)


def _hard(one: Asked) -> Vectors:
    """Return the vectors of the passages nearest to a question that do not answer it, without those
    that say what a right one says in nearly the same words."""
    vectors = one.passages.vectors
    scores = vectors @ one.vector
    scores[one.right] = -np.inf
    nearest = np.argsort(-scores, kind="stable")[:_NEAREST]
    same = (vectors[nearest] @ vectors[one.right].T).max(axis=1) > _SAME
    return vectors[nearest[~same]] if not same.all() else vectors[nearest]


_SAME = 0.97  # cosine of a passage and its version in another edition, at least


def _slope(
    matrix: Vectors, asked: Vectors, right: Vectors, others: Vectors, near: Vectors
) -> Vectors:
    """Return the gradient of the mean cross entropy by the matrix, of a batch of questions: of each
    the right passage among those of the batch, the drawn ones and its own near ones."""
    turned = asked + asked @ matrix
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    turned = turned / lengths
    shared = np.concatenate([right, others])
    scores = (
        np.concatenate([turned @ shared.T, np.einsum("qd,qnd->qn", turned, near)], axis=1)
        * _SHARPNESS
    )
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[np.arange(len(asked)), np.arange(len(asked))] -= 1
    of_shared, of_near = chances[:, : len(shared)], chances[:, len(shared) :]
    pull = _SHARPNESS * (of_shared @ shared + np.einsum("qn,qnd->qd", of_near, near))
    pull = (pull - (pull * turned).sum(axis=1, keepdims=True) * turned) / lengths
    return np.asarray(asked.T @ pull / len(asked), np.float32)


def _shares(asked: Sequence[Asked], matrix: Vectors) -> tuple[float, float]:
    """Return of how many questions a right passage is the nearest, and among the nearest three."""
    places = []
    for one in asked:
        turned = one.vector + one.vector @ matrix
        scores = one.passages.vectors @ turned
        places.append(int((scores > scores[one.right].max()).sum()))
    found = np.array(places)
    return float((found < 1).mean()), float((found < 3).mean())


if __name__ == "__main__":
    main()
