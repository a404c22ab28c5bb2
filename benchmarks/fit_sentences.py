"""Fit how much each feature of a sentence counts when the one that decides a question is chosen.

    python -m benchmarks.fit_sentences [--folder DIR] [--penalty 0.003]

learns the weights of `kb.query.answers.sentence_features.SentenceFeatures` from the questions that
name the words that decide, but a third of them and all on Force of Will, and prints them as they go
into `weights.tsv`, then how often the sentence that they choose has these words: in the
passages of several sentences, and in all. Right passages alone are looked at, whatever `ask` finds.
The same input gives the same weights. Needs NumPy (the extra `bench`).

--folder DIR    keep the knowledge bases in this folder
--penalty L     how much large weights cost
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.ranking_fit import Candidates, Vector, best_first, fit_ranking, written
from kb.query.answers.deciding_sentence import (
    deciding_sentence,
    possible_sentences,
)
from kb.query.answers.question import parse_question
from kb.query.answers.sentence_features import SentenceFeatures, sentence_features
from kb.query.answers.shortlist import term_frequencies, with_aligned_words
from kb.query.answers.term_weights import weighted_terms
from tests import questions

_HELD_OUT_GAME = "force-of-will"  # of no other rulebook's family: how new books will be read


@dataclass(frozen=True, slots=True)
class Labelled:
    """A right passage of a question, with its sentences.

    case: the question.
    lang: the passage's language, `ja` or `en`.
    candidates: the features of its sentences, and which have the words that decide.
    marked: whether the sentence that is chosen now has them.
    """

    case: questions.Case
    lang: str
    candidates: Candidates
    marked: bool

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is learned from it."""
        is_other_game = self.case.get("game") == _HELD_OUT_GAME
        return is_other_game or questions.held_out(self.case) or questions.is_kept_apart(self.case)


def main() -> None:
    """Print the weights, and how often the sentences are right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="keep knowledge bases here")
    parser.add_argument("--penalty", type=float, default=0.003, help="on large weights")
    words = parser.parse_args()
    if words.folder:
        questions.keep_bases(words.folder)
    found = list(_labelled([*questions.cases(), *questions.training_cases()]))
    weights = fit_ranking(
        [one.candidates for one in found if _is_open(one) and not one.is_held_out], words.penalty
    )
    print(written("sentence", SentenceFeatures._fields, weights))
    print(*_figures(found, weights), sep="\n")


def _labelled(cases: Iterable[questions.Case]) -> Iterator[Labelled]:
    """Yield the passages that answer questions and have the words that decide, each text once a
    question."""
    for case in cases:
        if not case.get("words") or not case["answers"]:
            continue
        store = questions.base(case["kb"])._store
        store.begin_question()
        question = with_aligned_words(store, parse_question(store, case["question"]))
        frequencies = term_frequencies(store, question)
        first = store.passages.first_passage_giving(case["answers"])
        passages = store.passages.lookup(first.get(one, one) for one in case["answers"])
        nodes = store.get(passages)
        texts = {nodes[key].text or "": passage for key, passage in sorted(passages.items())}
        for text, passage in texts.items():
            lang, number = "en" if passage.lang == "en" else "ja", passage.number or ""
            spans = possible_sentences(text, number)
            right = [_has(text, case["words"], span) for span in spans]
            if any(right):
                terms = weighted_terms(question, frequencies, lang)
                rows = sentence_features([text[slice(*span)] for span in spans], question, terms)
                marked = _has(text, case["words"], deciding_sentence(text, number, question, terms))
                yield Labelled(
                    case, lang, Candidates(np.array(rows, float), np.array(right)), marked
                )


def _has(text: str, words: str, span: tuple[int, int]) -> bool:
    """Return whether a part of some words stands within a span of a text."""
    return text.find(words, max(0, span[0] - len(words) + 1), span[1] + len(words) - 1) >= 0


def _is_open(one: Labelled) -> bool:
    return len(one.candidates.right) > 1


def _figures(found: Iterable[Labelled], weights: Vector) -> Iterator[str]:
    """Yield a line a group of passages: how many there are, and in what share the sentence is
    right that these weights choose, and that is chosen now."""
    groups: dict[tuple[str, ...], list[tuple[bool, bool]]] = defaultdict(list)
    for one in found:
        fitted = bool(one.candidates.right[best_first(one.candidates.features, weights)[0]])
        part = "held out" if one.is_held_out else "seen"
        for of in ("all", *(["several sentences"] if _is_open(one) else [])):
            for lang in ("", f"{one.case['lang']} of {one.lang}"):
                groups[part, of, lang].append((fitted, one.marked))
            if one.case.get("game") == _HELD_OUT_GAME:
                groups[part, of, _HELD_OUT_GAME].append((fitted, one.marked))
    for name, results in sorted(groups.items()):
        new, old = np.mean(results, axis=0)
        yield f"{' '.join(name):45} {len(results):5}  fitted {new:.3f}  now {old:.3f}"


if __name__ == "__main__":
    main()
