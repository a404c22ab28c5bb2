"""Loads the thesaurus: groups of words that stand for one another in questions.

The groups are in `thesaurus.tsv` beside this file, one a row. Only questions are widened by them,
never a text; what single terms are called, in either language, is in the graph.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from kb.language.tokens import normal_forms, tokenizer

_SEPARATOR = re.compile(r"\s*[,、]\s*")


def related_words(form: str) -> frozenset[str]:
    """The words, or phrases, that stand for a word or phrase in questions.

    A row of the thesaurus in two languages gives a word its translations, a row in one language
    the other words of the row. All are in normal forms, the words of a phrase separated by
    spaces. The form itself is not among them; empty if it is in no row.

    form: the word or phrase in normal forms, too: an inflected word finds nothing.

    >>> {"負ける", "lose"} <= related_words("敗北")
    True
    """
    return _groups().get(form, frozenset())


@cache
def longest_phrase() -> int:
    """The number of words (tokens, joined by spaces in normal forms) in the longest phrase."""
    return max(form.count(" ") + 1 for form in _groups())


def read_rows(lines: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The Japanese and the English words of each row of the table, as they are written there.
    Raises ValueError, which quotes the row, for a row with fewer than two words.

    lines: the lines of the table, with the header first; lines that begin with `#` are skipped.

    >>> list(read_rows(["# why", "japanese\\tenglish\\tcomment", "負ける、敗北\\tlose, loses\\t"]))
    [(['負ける', '敗北'], ['lose', 'loses'])]
    """
    table = csv.DictReader(
        (line for line in lines if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    for row in table:
        sides = [
            [word for word in _SEPARATOR.split((row[name] or "").strip()) if word]
            for name in ("japanese", "english")
        ]
        if sum(map(len, sides)) < 2:
            raise ValueError(f"a group of one word: {row}")
        yield sides[0], sides[1]


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """For each word or phrase what stands for it, in normal forms: its translations, or the other
    words of its row if the row has words of one language only.

    A form in several rows gets the words of all of them. No form stands for itself; empty forms are
    left out.
    """
    found: dict[str, set[str]] = defaultdict(set)
    text = Path(__file__).with_name("thesaurus.tsv").read_text(encoding="utf-8")
    for japanese, english in read_rows(text.splitlines()):
        ours, theirs = ({_normal_form(word) for word in side} for side in (japanese, english))
        if not ours or not theirs:
            ours = theirs = ours | theirs
        for form in ours:
            found[form] |= theirs - {form, ""}
        for form in theirs:
            found[form] |= ours - {form, ""}
    return {form: frozenset(others) for form, others in found.items() if form}


def _normal_form(phrase: str) -> str:
    """The normal forms of a phrase's content words, joined by spaces."""
    return " ".join(form for form, _, _ in normal_forms(tokenizer()(phrase)))
