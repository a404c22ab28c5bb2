"""Tells how near the words of passages are to those of a question, by vectors of single words.

People ask in other words than rules are written in. The vectors were learnt from questions with
known answers, beginning with what an encoder of sentences says of each word, by
`python -m benchmarks.fit_answers`; they are kept in `word_vectors.bin` beside this file, so that no
encoder and no other package is needed.

The file begins with a line of JSON: the words (stemmed normal forms), separated by spaces, and for
each how much it counts in a question and in a passage. Behind it stand two tables of whole numbers
from -127 to 127, a byte each: a square matrix that turns a question, and a row for each word.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import mul
from pathlib import Path

FILE = Path(__file__).with_name("word_vectors.bin")
# Of a passage that count, and of a question: most passages have fewer. By hand: a long passage
# speaks of many things at its end.
_MOST_WORDS = 80


class WordVectors:
    """The vectors of words, with what each counts."""

    def __init__(self, data: bytes) -> None:
        head, _, numbers = data.partition(b"\n")
        told = json.loads(head)
        self._places = {word: place for place, word in enumerate(told["words"].split(" "))}
        self._in_question, self._in_passage = told["in_question"], told["in_passage"]
        self.dimension: int = told["dimension"]
        rows = array("b", numbers)
        size = self.dimension
        self._columns = [rows[column : size * size : size] for column in range(size)]
        self._rows = rows[size * size :]

    def places(self, words: Iterable[str]) -> list[int]:
        """Return which of the known words some words are, each once, in their order; of more than
        80 words those of the first."""
        different = list(dict.fromkeys(words))[:_MOST_WORDS]
        return [self._places[word] for word in different if word in self._places]

    def nearness(self, question: Sequence[int], passages: Iterable[Sequence[int]]) -> list[float]:
        """Return the cosines of the sum of a question's words, turned, and the sums of passages'
        words; 0.0 for a passage, and for a question, without known words.

        question, passages: the words, as `places` gives them.
        """
        asked = self._sum(question, lambda word: self._row(word, self._in_question[word]))
        in_passage = cache(lambda word: self._row(word, self._in_passage[word]))
        turned = [sum(map(mul, asked, column)) for column in self._columns]
        length = math.hypot(*turned) or 1.0
        found = []
        for words in passages:
            vector = self._sum(words, in_passage)
            own = math.hypot(*vector) or 1.0
            found.append(sum(map(mul, turned, vector)) / (length * own))
        return found

    def _sum(self, words: Sequence[int], weighted: Callable[[int], list[float]]) -> list[float]:
        return list(map(sum, zip(*map(weighted, words), strict=True))) or [0.0] * self.dimension

    def _row(self, word: int, weight: float) -> list[float]:
        start = word * self.dimension
        return [weight * number for number in self._rows[start : start + self.dimension]]


@cache
def word_vectors() -> WordVectors:
    """Return the vectors that are kept beside this file; they are read once in a process."""
    return WordVectors(FILE.read_bytes())
