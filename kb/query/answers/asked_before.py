"""Tells which rules were asked for before in words like those of a question, and how like it is to
those that no rule answers.

People ask in other words than rules are written in, and in much the same words as each other. The
questions that were written for this project, with their answers, are kept in `asked_before.tsv`
beside this file, by `python -m benchmarks.write_asked_before`: the words of one in a row, and the
keys of the rules that answer it, if any does: prices, dates and advice are asked for, too.

A key is made of a rule's own words, so that a rule is known in each edition that has it in the same
words, under whatever number, and nothing of its text is kept here.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from heapq import heappushpop
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from kb.language.tokens import stem, tokenizer

FILE = Path(__file__).with_suffix(".tsv")
_NO_LETTER = re.compile(r"[\W\d_]+")
# By hand: of fewer one alone decides, and there are more than ten times as many that are answered.
_LIKEST_ANSWERED, _LIKEST_IN_VAIN = 5, 3
_MOST_KEPT = 8  # questions: ranking and refusing ask for the same one
_KEY_BYTES = 6  # by chance two of a million rules share a key once in 500 bases


def rule_key(text: str) -> str:
    """Return the key of a rule's text: of its letters alone, since numbers change by edition.

    >>> rule_key("121.1. Draw a card.") == rule_key("120.1 Draw a card")
    True
    """
    letters = _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).lower())
    return blake2b(letters.encode(), digest_size=_KEY_BYTES).hexdigest()


def question_words(text: str) -> list[str]:
    """Return the words of a question that count, each once: stemmed normal forms."""
    entries = tokenizer().entries(text)[0]
    words = (entry.normal.lower() for entry in entries if entry.spelled and not entry.function)
    return list(dict.fromkeys(map(stem, words)))


class AskedBefore(NamedTuple):
    """How like a question is to those that were asked before, each from 0 to 1.

    rules: {key of a rule: how like it is to the likest that was asked for it}, without those of 0.
    answered, in_vain: the mean of the likest of those that rules answer, and that none does.
    """

    rules: Mapping[str, float]
    answered: float
    in_vain: float


@lru_cache(_MOST_KEPT)
def asked_before(text: str) -> AskedBefore:
    """Return how like a question is to those that were asked before: the cosine of their words,
    each weighted by how seldom it is asked."""
    questions, places, weights = _questions()
    asked = {word: weights.get(word, weights[""]) for word in question_words(text)}
    length = math.hypot(*asked.values()) or 1.0
    common: dict[int, float] = defaultdict(float)
    for word, weight in asked.items():
        for place in places.get(word, ()):
            common[place] += weight * weight
    rules: dict[str, float] = defaultdict(float)
    answered, in_vain = [0.0] * _LIKEST_ANSWERED, [0.0] * _LIKEST_IN_VAIN
    for place, value in common.items():
        own, keys = questions[place]
        likeness = value / (length * own)
        heappushpop(answered if keys else in_vain, likeness)
        for key in keys:
            rules[key] = max(rules[key], likeness)
    return AskedBefore(rules, fmean(answered), fmean(in_vain))


@cache
def _questions() -> tuple[
    Sequence[tuple[float, Sequence[str]]], Mapping[str, Sequence[int]], Mapping[str, float]
]:
    """Return the questions, each as the length of its words' vector and the keys of its rules;
    {word: the places of its questions}; and {word: its weight}, with "" for any other word."""
    lines = FILE.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("# ")]
    words = [row[0].split(" ") for row in rows]
    often = Counter(word for each in words for word in each)
    weights = {word: math.log((len(rows) + 1) / (number + 0.5)) for word, number in often.items()}
    places: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(words):
        for word in each:
            places[word].append(place)
    lengths = (math.hypot(*(weights[word] for word in each)) for each in words)
    questions = [(length, row[1].split()) for length, row in zip(lengths, rows, strict=True)]
    return questions, places, weights | {"": math.log((len(rows) + 1) / 0.5)}
