"""Write the questions that were asked before, with the rules that answer them.

    python -m benchmarks.write_asked_before [--folder DIR]

writes `kb/query/answers/asked_before.tsv` from the questions that were written to fit to: the words
of each, and the keys of the rules that answer it, if any does. None of those that measure is there.

--folder DIR    keep the knowledge bases in this folder
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from kb.query.answers.asked_before import FILE, question_words, rule_key
from tests import questions

_HEAD = """\
# Questions that were asked before, written by `python -m benchmarks.write_asked_before` from
# questions of this project's own: the words of each, stemmed normal forms, and the keys of the
# rules that answer it, if any does, as `asked_before.py` makes them.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path)
    if folder := parser.parse_args().folder:
        questions.keep_bases(folder)
    rows = sorted(set(_rows()))
    FILE.write_text(_HEAD + "".join(f"{row}\n" for row in rows), "utf-8")
    print(f"{len(rows):,} questions in {FILE}")


def _rows() -> Iterator[str]:
    for case in filter(questions.fitted_to, questions.training_cases()):
        store = questions.base(case["kb"])._store
        store.begin_question()
        texts = store.passages.plain_texts(store.passages_giving(case["answers"]))
        keys = dict.fromkeys(map(rule_key, texts.values()))
        if words := question_words(case["question"]):
            yield f"{' '.join(words)}\t{' '.join(keys)}"


if __name__ == "__main__":
    main()
