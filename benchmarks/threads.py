"""Whether a knowledge base answers several threads as it answers one, and how fast.

    python -m benchmarks.threads [FILE] [QUESTIONS] [THREADS]

Asks mixed questions, of the bundled sample unless a FILE is given: 1,000 in each of 8 threads. Each
thread asks all of them in another order. Every answer must be the one that a single thread gets.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import kb

_ASKED: tuple[tuple[str, Callable[[kb.KnowledgeBase, str], Any]], ...] = (
    ("show", lambda base, ref: base.show(ref)),
    ("refs", lambda base, ref: base.refs(ref)),
    ("path", lambda base, ref: base.path(ref, "121.4", most=1)),
    ("search", lambda base, ref: base.search(ref, most=5)),
    ("kwic", lambda base, ref: base.kwic(ref, most=5)),
    ("ask", lambda base, ref: base.ask(f"{ref}とは何ですか？", top=2)),
    ("compare", lambda base, ref: base.compare(ref)),
    ("steps", lambda base, ref: base.steps(ref)),
    ("outcomes", lambda base, ref: base.outcomes(ref)),
    ("trace", lambda base, ref: base.trace(ref)),
    ("cites", lambda base, ref: base.refs(ref, kinds=["cites"], direction="in")),
    ("page", lambda base, ref: base.parts(ref)),
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question: the name of what is asked, and what it is asked of."""

    asked: int
    ref: str

    def answer(self, base: kb.KnowledgeBase) -> str:
        """A hash of the answer; of an error, its message."""
        try:
            found = self.ask(base)
        except kb.ERRORS as error:
            return f"{type(error).__name__}: {error}"
        found = [node.as_json() for node in found] if isinstance(found, list) else found.as_json()
        return sha256(json.dumps(found, ensure_ascii=False, default=str).encode()).hexdigest()

    def ask(self, base: kb.KnowledgeBase) -> Any:
        """What the method returns."""
        return _ASKED[self.asked][1](base, self.ref)


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds alone and together, and the questions that were answered differently."""

    alone: float
    together: float
    different: list[Question]


def mixed_questions(file: Path, many: int) -> list[Question]:
    """So many different questions on names, numbers and pages of a file, always the same ones."""
    with sqlite3.connect(file) as db:
        names = [
            row[0]
            for row in db.execute(
                "SELECT DISTINCT coalesce(number, label) FROM node WHERE kind IN "
                "('term', 'card', 'rule', 'page') AND coalesce(number, label) <> '' ORDER BY 1"
            )
        ]
    rng = Random(1)
    every = [Question(asked, ref) for asked in range(len(_ASKED)) for ref in names]
    return rng.sample(every, min(many, len(every)))


def measure(base: kb.KnowledgeBase, questions: Sequence[Question], threads: int) -> Measured:
    """Ask all questions in one thread, then all of them in each of several at once."""
    began = time.perf_counter()
    expected = {question: question.answer(base) for question in questions}
    alone = time.perf_counter() - began

    def ask_all(seed: int) -> list[Question]:
        shuffled = Random(seed).sample(questions, len(questions))
        return [question for question in shuffled if question.answer(base) != expected[question]]

    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        different = [question for wrong in pool.map(ask_all, range(threads)) for question in wrong]
    return Measured(alone, time.perf_counter() - began, different)


def main(file: str = "", many: str = "1000", threads: str = "8") -> int:
    """Print the figures; the exit status is 1 if any answer was different."""
    with kb.open(file) if file else kb.sample() as base:
        questions = mixed_questions(base.file, int(many))
        measured = measure(base, questions, int(threads))
    asked = len(questions)
    print(f"one thread: {asked} questions, {asked / measured.alone:.0f} a second")
    together = asked * int(threads)
    rate = together / measured.together
    print(f"{threads} threads: {together} questions, {rate:.0f} a second")
    print(f"{len(measured.different)} answers are different")
    for question in measured.different[:10]:
        print(f"  {_ASKED[question.asked][0]} {question.ref}")
    return bool(measured.different)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
