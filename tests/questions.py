"""How well questions are answered, against questions written from reading the pages.

    python -m tests.questions [--show]

prints, a kind of question, how often the right passage comes first and among the first three, and
how often a question that the pages do not answer is answered with nothing. A third is held out:
`--show` prints the mistakes in the others only.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kb
from tests.conftest import SHARED

QUESTIONS = Path(__file__).parent / "gold" / "questions.jsonl"
SOURCES = (
    "seeds", "pages/mw119", "pages/puki147euc", "pages/wisdom-guild",
    "corpora/mtg-cr-en/MagicCompRules_20231117.txt",
)  # fmt: skip
Case = dict[str, Any]


def cases() -> Iterator[Case]:
    """The questions; those on pages that are not here are left out."""
    for line in QUESTIONS.read_text("utf-8").splitlines():
        case = json.loads(line)
        if case["kb"] == "sample" or SHARED.is_dir():
            yield case


def held_out(case: Case) -> bool:
    """Whether a question is of the third that nobody tunes to."""
    return int(sha256(case["question"].encode()).hexdigest(), 16) % 3 == 0


@cache
def base(name: str) -> kb.KnowledgeBase:
    """The knowledge base that a question is asked of."""
    if name == "sample":
        return kb.sample()
    path = Path(_folder().name) / "kb.db"
    kb.build([SHARED / source for source in SOURCES], path)
    return kb.open(path)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="sansho-questions-")


def place(case: Case) -> int | None:
    """Where the first right answer stands, from 1; None if it is not there. For a question that
    has no answer: 0 if none is given."""
    answers = base(case["kb"]).ask(case["question"], top=10).answers
    if not case["answers"]:
        return None if answers else 0
    right = set(case["answers"])
    for one in answers:
        if right & {one.node.id, one.passage.id}:
            return one.rank
    return None


def needed(case: Case) -> float:
    """How much of what a question needs is among the first ten answers; `instead` of a rule
    another may do."""
    answers = base(case["kb"]).ask(case["question"], top=10).answers
    found = {node for one in answers for node in (one.node.id, one.passage.id)}
    others = case.get("instead", {})
    return sum(bool({one, *others.get(one, ())} & found) for one in case["needed"]) / len(
        case["needed"]
    )


def group(case: Case) -> str:
    """What a question is counted with."""
    if case["kind"] == "several":
        return "several"
    if not case["answers"]:
        return "unanswerable"
    if case["kb"] == "rulebook" and case["kind"] == "definition":
        return "definitions"
    return "questions"


def measured() -> dict[tuple[str, bool], list[tuple[Case, float | None]]]:
    """Each question with its result, by group and by whether it is held out."""
    found: dict[tuple[str, bool], list[tuple[Case, float | None]]] = defaultdict(list)
    for case in cases():
        result = needed(case) if group(case) == "several" else place(case)
        found[group(case), held_out(case)].append((case, result))
    return found


def figures(name: str, results: list[tuple[Case, float | None]]) -> str:
    """A line of the table."""
    of = [result for _, result in results]
    if not of:
        return "-"
    if name == "several":
        return f"{sum(r or 0 for r in of) / len(of):.3f} of the rules needed ({len(of)})"
    if name == "unanswerable":
        return f"{sum(r == 0 for r in of) / len(of):.3f} answered with nothing ({len(of)})"
    first, three = (sum(r is not None and r <= n for r in of) / len(of) for n in (1, 3))
    return f"{first:.3f} first, {three:.3f} among three ({len(of)})"


def main(show: bool) -> None:
    """Print the table."""
    found = measured()
    for name in ("questions", "unanswerable", "definitions", "several"):
        print(
            f"{name:13} {figures(name, found[name, False]):45} "
            f"held out: {figures(name, found[name, True])}"
        )
        for case, result in found[name, False] if show else ():
            if result is None or (result > 1 if name != "several" else result < 1):
                print("   ", result, case["id"], case["question"], *case["answers"][:2])


if __name__ == "__main__":
    main("--show" in sys.argv)
