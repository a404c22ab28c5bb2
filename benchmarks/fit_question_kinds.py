"""Fit which words of a question ask for which other question: what cites a rule, what changed.

    python -m benchmarks.fit_question_kinds [--apart]

learns `kb/query/answers/question_kinds.tsv` from the questions of `tests/gold/command_questions`
that are marked to be fitted to, and from the ordinary ones that rules answer, and writes it anew;
then prints how many of the others it tells, and how many ordinary ones it takes for another. The
same input gives the same table. Needs scikit-learn (the extra `bench`).

--apart     learn from all but a fifth of the questions, write nothing, and tell of these, too
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

import numpy as np

from kb.language.tokens import tokenizer
from kb.query.answers.other_questions import LIKELY, written_question
from kb.query.answers.question_kinds import ASKING, FILE, ORDINARY, kind_features
from tests import questions

# By hand: what occurs less often is the name of something, or chance.
_LEAST_QUESTIONS = 3
_LEAST_WEIGHT = 0.2  # smaller ones change no answer, and are most of it
_PENALTY = 5.0  # scikit-learn's C; from 1 to 30 the questions that were kept apart did not differ
_ORDINARY_WEIGHT = 0.5  # of an ordinary question: there are four times as many of these
_LEAST_ASKING = 4  # questions in which a word asks
_MOST_NAMING = 0.25  # of its occurrences, in names
_HEAD = """\
# What speaks for which kind of question, written by `python -m benchmarks.fit_question_kinds` from
# questions of this project's own. A feature a row: a word, two words, # and a part of a word, a
# string of Japanese characters, with N for the number of a rule, X for a name in quotation marks, @
# for a date, ^ and $ for the beginning and the end, or / and what words of asking speak of; then
# the kinds for which it speaks, with weights, over an ordinary question.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--apart", action="store_true")
    apart = parser.parse_args().apart
    cases = [case for case in questions.command_cases() if case["fitted"]]
    ordinary = [
        case["question"]
        for case in (*questions.cases(), *questions.training_cases())
        if questions.fitted_to(case)
    ]
    labelled = [(case["question"], case["want"]) for case in cases]
    nameless = {case["question"]: without_names(case) for case in cases}
    labelled += [(text, ORDINARY) for text in ordinary]
    learnt = [one for one in labelled if not (apart and _is_apart(one[0]))]
    model = Model(learnt, [nameless[text] for text, _ in learnt if text in nameless])
    if apart:
        model.tell("a fifth kept apart", [one for one in labelled if _is_apart(one[0])])
    else:
        FILE.write_text(_HEAD + "\n".join(model.rows(asking_words(cases))) + "\n", "utf-8")
    if tests := [case for case in questions.command_cases() if not case["fitted"]]:
        model.tell("never fitted to", [(case["question"], case["want"]) for case in tests])


def _is_apart(text: str) -> bool:
    return sha256(text.encode()).digest()[0] % 5 == 0


class Model:
    """A linear model of the kinds of questions, of which small weights are nothing.

    labelled: (text, kind). asking: texts without the names that they ask about: what is in these
        counts, since the words of names tell nothing.
    """

    def __init__(self, labelled: Sequence[tuple[str, str]], asking: Iterable[str]) -> None:
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression

        found = [_features(text) for text, _ in labelled]
        kinds = [kind for _, kind in labelled]
        often = Counter(each for text in asking for each in _features(text))
        self._kept = {each for each, number in often.items() if number >= _LEAST_QUESTIONS}
        self._columns = DictVectorizer()
        matrix = self._columns.fit_transform(map(self._row, found))
        weights = [_ORDINARY_WEIGHT if kind == ORDINARY else 1.0 for kind in kinds]
        fitted = LogisticRegression(C=_PENALTY, max_iter=500, fit_intercept=False)
        fitted.fit(matrix, kinds, sample_weight=weights)
        self._kinds = list(fitted.classes_)
        table = fitted.coef_ - fitted.coef_[self._kinds.index(ORDINARY)]
        self._table = np.where(np.abs(table) < _LEAST_WEIGHT, 0.0, table.round(2))

    def _row(self, features: Iterable[str]) -> dict[str, int]:
        return {each: 1 for each in features if each in self._kept}

    def rows(self, asking: Iterable[str]) -> list[str]:
        """Return the rows of the table, in order."""
        rows = [f"{ASKING}\t{' '.join(sorted(asking))}"]
        for column, feature in enumerate(self._columns.get_feature_names_out()):
            weights = zip(self._kinds, self._table[:, column], strict=True)
            if told := " ".join(f"{kind}={weight:g}" for kind, weight in weights if weight):
                rows.append(f"{feature}\t{told}")
        return sorted(rows)

    def tell(self, name: str, labelled: Sequence[tuple[str, str]]) -> None:
        """Print of how many questions the kind is right, and what others are taken for."""
        matrix = self._columns.transform([self._row(_features(text)) for text, _ in labelled])
        scores = np.exp(matrix @ self._table.T)
        shares = scores / scores.sum(axis=1, keepdims=True)
        right: Counter[str] = Counter()
        for (text, kind), share in zip(labelled, shares, strict=True):
            ordinary = self._kinds.index(ORDINARY)
            is_ordinary = share[ordinary] > 1 - LIKELY
            share[ordinary] = 0.0
            found = ORDINARY if is_ordinary else self._kinds[int(share.argmax())]
            right[kind] += found == kind
            if found != kind:
                print(f"  {kind} taken for {found} ({share.max():.2f}): {text}")
        of = Counter(kind for _, kind in labelled)
        print(name, ", ".join(f"{kind} {right[kind]} of {of[kind]}" for kind in sorted(of)))
        others = sum(of.values()) - of[ORDINARY]
        print(f"  in all but ordinary ones {sum(right.values()) - right[ORDINARY]} of {others}")


def _features(text: str) -> set[str]:
    return kind_features(written_question(text).text)


def asking_words(cases: Sequence[questions.Case]) -> list[str]:
    """Return the words of questions that are seldom in the names that these ask about."""
    asking: Counter[str] = Counter()
    naming: Counter[str] = Counter()
    for case in cases:
        for name in case["names"]:
            naming.update(_words(name))
        asking.update(_words(without_names(case)))
    return [
        word
        for word, number in asking.items()
        if number >= _LEAST_ASKING and naming[word] <= _MOST_NAMING * (number + naming[word])
    ]


def without_names(case: questions.Case) -> str:
    """Return a question with a space for each word that it asks about; numbers stay."""
    text: str = case["question"]
    for name in case["names"]:
        text = text if name[:1].isdigit() else text.replace(name, " ")
    return text


def _words(text: str) -> set[str]:
    return {text[token.start : token.end].lower() for token in tokenizer()(text)} - {" ", ""}


if __name__ == "__main__":
    main()
