"""Learns vectors of words by which what answers a question is near to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kb.query.answers.word_vectors import WordVectors
from kb.query.near.encoders import Encoder

Vectors = NDArray[np.float32]

# By hand, on the questions that are fitted to; longer and wider fit what is fitted to alone.
_DIMENSION, _EPOCHS, _BATCH, _RATE = 64, 8, 32, 2e-3
_SHARPNESS = 15.0
_WRONG = 10  # candidates beside each question that do not answer it
_DROPPED = 0.3  # share of a question's words that are left out each time: so each must tell
_FEWEST = 3  # passages that a word is in
_MOMENTS = 0.9, 0.999  # of Adam
_WORDS_AT_ONCE = 64


class Vocabulary(NamedTuple):
    """Words with the vectors that they begin with, and how rare each is."""

    words: list[str]
    vectors: Vectors
    rarity: Vectors


@dataclass(frozen=True, slots=True)
class Example:
    """A question's words, its candidates' words, and which of these answer it, or may."""

    question: list[str]
    candidates: list[list[str]]
    right: NDArray[np.bool_]
    wrong: NDArray[np.bool_]


def vocabulary(passages: Iterable[str], encoder: Encoder) -> Vocabulary:
    """Return the words of some passages, without numbers, with what an encoder says of each, less
    the mean of its script and without all but the directions in which they differ most.

    passages: the stemmed normal forms of each.
    """
    counts, number = Counter[str](), 0
    for number, passage in enumerate(passages, 1):  # noqa: B007
        counts.update(set(passage.split()))
    words = sorted(
        word
        for word, count in counts.items()
        if count >= _FEWEST and any(map(str.isalpha, word)) and not any(map(str.isdigit, word))
    )
    parts = [words[at : at + _WORDS_AT_ONCE] for at in range(0, len(words), _WORDS_AT_ONCE)]
    vectors = np.concatenate([encoder.passages(part) for part in parts])
    is_latin = np.array([word.isascii() for word in words])
    for script in (is_latin, ~is_latin):
        vectors[script] -= vectors[script].mean(axis=0)
    directions = np.linalg.svd(vectors, full_matrices=False)[2][:_DIMENSION]
    vectors = vectors @ directions.T
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    rarity = np.log(1 + number / (1 + np.array([counts[word] for word in words])))
    return Vocabulary(words, vectors.astype(np.float32), rarity.astype(np.float32))


class _Model:
    """The numbers that are learnt, and the moments by which they are."""

    def __init__(self, start: Vocabulary) -> None:
        self.numbers = {
            "rows": start.vectors.copy(),
            "in_question": start.rarity.copy(),
            "in_passage": start.rarity.copy(),
            "turn": np.eye(start.vectors.shape[1], dtype=np.float32),
        }
        self._mean = {name: np.zeros_like(each) for name, each in self.numbers.items()}
        self._square = {name: np.zeros_like(each) for name, each in self.numbers.items()}
        self._steps = 0

    def step(self, slopes: dict[str, Vectors], rate: float) -> None:
        self._steps += 1
        first, second = _MOMENTS
        rate *= np.sqrt(1 - second**self._steps) / (1 - first**self._steps)
        for name, slope in slopes.items():
            self._mean[name] += (1 - first) * (slope - self._mean[name])
            self._square[name] += (1 - second) * (slope**2 - self._square[name])
            self.numbers[name] -= rate * self._mean[name] / (np.sqrt(self._square[name]) + 1e-8)


def learn(examples: Sequence[Example], start: Vocabulary) -> bytes:
    """Return the contents of `word_vectors.bin`: learnt by gradient descent on the cross entropy of
    a right candidate among wrong ones, its question's and those of other questions."""
    places = {word: at for at, word in enumerate(start.words)}
    model, draw = _Model(start), np.random.default_rng(0)
    known = [_Known(one, places) for one in examples]
    known = [one for one in known if one.question and one.right]
    for epoch in range(_EPOCHS):
        order = draw.permutation(len(known))
        for at in range(0, len(order), _BATCH):
            batch = [known[place] for place in order[at : at + _BATCH]]
            asked = [
                [word for word in one.question if draw.random() >= _DROPPED] or one.question
                for one in batch
            ]
            answers = [one.right[0] for one in batch]
            for one in batch:
                some = draw.permutation(len(one.wrong))[:_WRONG]
                answers += [one.wrong[place] for place in some]
            model.step(_slopes(model.numbers, asked, answers), _RATE * (1 - epoch / _EPOCHS))
    return _written(start.words, model.numbers)


class _Known:
    """An example with the places of its words; candidates without known words are left out."""

    def __init__(self, one: Example, places: dict[str, int]) -> None:
        def of(words: Iterable[str]) -> list[int]:
            return [places[word] for word in words if word in places]

        self.question = of(one.question)
        every = list(map(of, one.candidates))
        self.right = [each for each, is_right in zip(every, one.right, strict=True) if is_right]
        self.wrong = [each for each, is_wrong in zip(every, one.wrong, strict=True) if is_wrong]
        self.right, self.wrong = [*filter(None, self.right)], [*filter(None, self.wrong)]


def _slopes(
    numbers: dict[str, Vectors], asked: Sequence[list[int]], answers: Sequence[list[int]]
) -> dict[str, Vectors]:
    """Return the gradient of each part of the model; the first answers are those of the questions,
    in their order."""
    rows, turn = numbers["rows"], numbers["turn"]
    of_asked, of_answers = _Bags(asked), _Bags(answers)
    sums = of_asked.sums(rows, numbers["in_question"])
    question, question_length = _unit(sums @ turn)
    passage, passage_length = _unit(of_answers.sums(rows, numbers["in_passage"]))
    scores = _SHARPNESS * question @ passage.T
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[np.arange(len(asked)), np.arange(len(asked))] -= 1
    chances *= _SHARPNESS / len(asked)
    to_question = _through_unit(chances @ passage, question, question_length)
    to_passage = _through_unit(chances.T @ question, passage, passage_length)
    row_slope = np.zeros_like(rows)
    in_question = of_asked.spread(to_question @ turn.T, rows, numbers["in_question"], row_slope)
    in_passage = of_answers.spread(to_passage, rows, numbers["in_passage"], row_slope)
    return {
        "rows": row_slope, "in_question": in_question, "in_passage": in_passage,
        "turn": np.asarray(sums.T @ to_question, np.float32),
    }  # fmt: skip


class _Bags:
    """Lists of words, all in one."""

    def __init__(self, bags: Sequence[list[int]]) -> None:
        self._words = np.array([word for bag in bags for word in bag], np.int64)
        self._bag = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
        self._number = len(bags)

    def sums(self, rows: Vectors, weights: Vectors) -> Vectors:
        found = np.zeros((self._number, rows.shape[1]), np.float32)
        np.add.at(found, self._bag, rows[self._words] * weights[self._words, None])
        return found

    def spread(self, slope: Vectors, rows: Vectors, weights: Vectors, into: Vectors) -> Vectors:
        """Add the gradient by the rows of words to another, and return that by their weights."""
        of_word = slope[self._bag]
        np.add.at(into, self._words, of_word * weights[self._words, None])
        by_weight = np.zeros_like(weights)
        np.add.at(by_weight, self._words, (of_word * rows[self._words]).sum(axis=1))
        return by_weight


def _unit(vectors: Vectors) -> tuple[Vectors, Vectors]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.asarray(vectors / lengths, np.float32), np.asarray(lengths, np.float32)


def _through_unit(slope: Vectors, unit: Vectors, lengths: Vectors) -> Vectors:
    return np.asarray((slope - (slope * unit).sum(axis=1, keepdims=True) * unit) / lengths)


def _written(words: Sequence[str], numbers: dict[str, Vectors]) -> bytes:
    head = {
        "dimension": numbers["rows"].shape[1],
        "words": " ".join(words),
        **{
            name: [round(float(each), 2) for each in numbers[name]]
            for name in ("in_question", "in_passage")
        },
    }
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    tables = (_in_bytes(numbers["turn"]), _in_bytes(numbers["rows"]))
    return line + b"\n" + b"".join(tables)


def _in_bytes(table: Vectors) -> bytes:
    """Return a table in whole numbers: only the directions of its sums tell."""
    return np.round(table * (127 / np.abs(table).max())).astype(np.int8).tobytes()


def nearness(model: bytes, examples: Sequence[Example]) -> list[list[float]]:
    """Return how near the candidates of each question are to it, by learnt vectors."""
    vectors = WordVectors(model)
    return [
        vectors.nearness(vectors.places(one.question), map(vectors.places, one.candidates))
        for one in examples
    ]
