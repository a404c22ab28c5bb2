"""Tells what kind of question a text asks in words: which rules cite one, what changed, what a term
is called in English, how many there are; or what only the text of a rule answers.

Each word, each pair of words and each string of Japanese characters speaks for some kinds. How much
was learnt from questions written for it, by `python -m benchmarks.fit_question_kinds`, which writes
`question_kinds.tsv` beside this file: a feature a row, with the kinds and the weights of each.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

FILE = Path(__file__).with_suffix(".tsv")
ORDINARY = "none"  # the kind of those that the text of a rule answers
ASKING = "!asking"  # begins the row of words that ask and name nothing
_CONSTANT = "constant"  # a feature that every text has
# The number of a rule, or of a part of the book where a word says so.
RULE_NUMBER = re.compile(
    r"(?<![a-z0-9_.@-])(?:§|rule |cr ?|section |chapter |part )?"
    r"(\d{3}|\d{1,4}(?:\.\d{1,3})+[a-z]?)(?![\d%])(?!\.\d)"
    r"|(?:section |chapter |part )(\d{1,4})(?!\d)|第(\d{1,4})[章節条項]|(?<!\d)(\d{1,2})章"
    r"|(?<!\d)(\d{4})番",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[a-z][a-z'&-]*|[NX@]|\d+|[?→]")
_JAPANESE = re.compile(r"(?:[^\x00-\x7f]|[NX@])+\$?")
# What stands in quotation marks is a name, X.
QUOTED = re.compile(r"[「『“\"《]([^」』”\"》]+)[」』”\"》]|(?<!\w)['‘]([^'’]+)['’](?!\w)")
# What stands beside the first number or name tells its part: Nを引用, Nが引用, what does N cite.
_BESIDE = re.compile(
    r"(?:(?P<before>[a-z]+) )?[NX]"
    r"(?: ?(?P<behind>[a-z]+)|[番章条節]?(?P<particle>って|から|まで|[をがはにのとへで])?)"
)
# By hand: parts of words of four and five letters are the same in a word with a slip; strings of up
# to four characters hold a Japanese word and its particle.
_LONGEST_STRING, _PARTS, _SHORTEST_PARTED = 4, (4, 5), 6
_SHORT, _MIDDLING = 20, 50  # characters of a text: keywords, a sentence


def question_kinds(text: str) -> list[tuple[str, float]]:
    """Return (kind, probability) of all kinds of questions, the likeliest first; `ORDINARY` is one.

    text: a question in the form of NFKC, without names of games, with @ for each date.
    """
    sums: dict[str, float] = defaultdict(float)
    table = _rows()
    for feature in kind_features(text):
        for weight in table.get(feature, "").split():
            kind, _, value = weight.partition("=")
            sums[kind] += float(value)
    powers = {kind: math.exp(value) for kind, value in sums.items()} | {ORDINARY: 1.0}
    whole = sum(powers.values())
    return sorted(
        ((kind, power / whole) for kind, power in powers.items()), key=lambda one: -one[1]
    )


def kind_features(text: str) -> set[str]:
    """Return what speaks for one kind of question or another in a text: as for `question_kinds`.

    >>> sorted(kind_features("who cites 704?"))[:5]
    ['/cite', '/cite:_', '/cite:cites_', '/cite<N', '/cite=1']
    """
    masked, numbers = RULE_NUMBER.subn("N", QUOTED.sub("X", text.lower()))
    words = ["^", *_TOKEN.findall(masked), "$"]
    length = "short" if len(text) < _SHORT else "middling" if len(text) < _MIDDLING else "long"
    return {
        _CONSTANT,
        f"={min(numbers, 3)}",
        f"={length}",
        *words[1:-1],
        *map(" ".join, pairwise(words)),
        *chain.from_iterable(_parts(word) for word in words if len(word) >= _SHORTEST_PARTED),
        *_strings(masked),
        *_subjects(masked, numbers),
    }


def _subjects(text: str, numbers: int) -> Iterator[str]:
    """Yield what the words of asking in a text speak of: alone, by twos, before or behind the first
    number, with how many numbers, and with what stands beside the first number or name."""
    found = {one: pattern.search(text) for one, pattern in _words_of_asking().items()}
    places = {one: match.start() for one, match in found.items() if match}
    beside = _beside(text)
    yield from beside
    for one, place in places.items():
        yield f"/{one}"
        yield f"/{one}={min(numbers, 2)}"
        yield from (f"/{one}/{other}" for other in places if one < other)
        if numbers:
            yield f"/{one}{'<' if place < text.find('N') else '>'}N"
        for each in beside:
            yield f"/{one}:{each}"
            if "passive" in places:
                yield f"/{one}/passive:{each}"


def _beside(text: str) -> list[str]:
    """Return what stands before and behind the first number or name in quotation marks."""
    match = _BESIDE.search(text)
    if not match:
        return []
    return [f"{match['before'] or ''}_", f"_{match['behind'] or match['particle'] or ''}"]


@cache
def _words_of_asking() -> Mapping[str, re.Pattern[str]]:
    patterns: dict[str, list[str]] = defaultdict(list)
    for line in FILE.with_name("question_words.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            one, words = line.split("\t")
            patterns[one] += map(_pattern, words.split())
    return {one: re.compile("|".join(words)) for one, words in patterns.items()}


def _pattern(word: str) -> str:
    """Return an expression for a word of the table: an English one stands alone."""
    bare = re.escape(word.removesuffix("*"))
    ends = r"[a-z'-]*" if word.endswith("*") else ""
    return rf"(?<![a-z]){bare}{ends}(?![a-z])" if word.isascii() else bare


def _parts(word: str) -> Iterator[str]:
    """Yield the parts of an English word, of four and five letters, with # before each."""
    whole = f"<{word}>"
    for length in _PARTS:
        for start in range(len(whole) - length + 1):
            yield f"#{whole[start : start + length]}"


def _strings(text: str) -> Iterator[str]:
    """Yield the strings of one to four characters of the Japanese words of a text."""
    for run in _JAPANESE.findall(f"{text}$"):
        for length in range(1, _LONGEST_STRING + 1):
            strings = (run[start : start + length] for start in range(len(run) - length + 1))
            yield from (each for each in strings if not each.isascii())


@cache
def _rows() -> Mapping[str, str]:
    """Return {feature: its kinds with their weights}; few are looked up, and only these read."""
    lines = FILE.read_text("utf-8").splitlines()
    rows = (line.rpartition("\t") for line in lines if not line.startswith("# "))
    return {feature: value for feature, _, value in rows}


@cache
def asking_words() -> frozenset[str]:
    """Return the words, in small letters, with which people ask such questions and which seldom
    name what they ask about: `edition`, 引用."""
    return frozenset(_rows().get(ASKING, "").split(" "))
