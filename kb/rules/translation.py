"""Aligns the rules of a book with those of a translation: by number, and where sections have other
numbers in the one than in the other, by the lengths of their rules.

A translation may lack a section, and number those behind it on; or lists that are in the order of
the alphabet may be in another order. The sections of a chapter are then matched by the lengths of
their rules, as sentences are by Gale and Church (1993), *A Program for Aligning Sentences in
Bilingual Corpora*.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple, TypeVar

from scraper.rulebook.numbering import Key, number_key

Item = TypeVar("Item")

_MOST_RULES = 16  # of a section that are compared
_MOST_WORK = 2_000_000  # pairs of rules that are compared in a book
_FEWEST_MOVED = 2
_RULE_SKIPPED = 1.2  # the cost of a rule that one language lacks
_SECTION_SKIPPED, _RULE_OF_IT_SKIPPED = 2.0, 0.3  # of a section, and each of its rules besides
_STEEPNESS, _SHORTEST = 2.0, 10  # of the cost of different lengths; characters that tell nothing
# Of books of different dates that are translations of nearly the same: the fewest pairs, their
# share of the rules, and how far the logarithms of their lengths' ratios are apart: 0.2 in six
# pairs of real books that are, 0.55 and more in those that are not.
_LEAST_PAIRS, _LEAST_SHARE, _MOST_SPREAD = 30, 0.9, 0.3
_MOST_UNLIKE = 0.8  # the same of a single rule
_LEAST_GAIN, _MOST_SHARE = 5.0, 0.75  # of a matching, over the sections of equal numbers


class RulePair(NamedTuple):
    """The numbers of a rule in two languages.

    is_sure: False for a rule of a section that has another number in the second language, and more
        rules in one of them: it may be its neighbour that is the same.
    """

    number: str
    other: str
    is_sure: bool = True


def translated_rules(first: Mapping[str, str], second: Mapping[str, str]) -> list[RulePair]:
    """Return the rules that are in both of two languages, in the order of the first.

    first, second: the texts of the rules by number.

    Rules of one number are the same, but for chapters whose sections are not the same numbers in
    both: there sections whose rules are as long belong together, if that fits far better. A rule
    of such a chapter may be in one language alone, even if the other has its number.

    >>> translated_rules({"1.1": "引く。", "1.2": "置く。"}, {"1.1": "Draw.", "1.3": "Put."})
    [RulePair(number='1.1', other='1.1', is_sure=True)]
    """
    match, uncertain, moved_in = _shifted(first, second)
    of_key = {number_key(number): number for number in second}
    found = []
    for number in first:
        key = number_key(number)
        in_moved = any(key[:end] in moved_in for end in range(1, len(key)))
        other = match.get(number) if in_moved else of_key.get(key)
        if other:
            found.append(RulePair(number, other, number not in uncertain))
    return found


def near_translations(first: Mapping[str, str], second: Mapping[str, str]) -> list[RulePair]:
    """Return the rules that are in both of two books in different languages and of different dates,
    as `translated_rules` does; none if the books are no translations of nearly the same.

    They are if most rules have a counterpart, and the lengths of counterparts are much alike; a
    rule whose counterpart is much longer or shorter than usual is left out: another has its number.
    """
    pairs = translated_rules(first, second)
    if len(pairs) < max(_LEAST_PAIRS, _LEAST_SHARE * min(len(first), len(second))):
        return []
    ratios = [
        math.log((len(first[one]) + _SHORTEST) / (len(second[other]) + _SHORTEST))
        for one, other, _ in pairs
    ]
    usual = median(ratios)
    unlike = [abs(ratio - usual) for ratio in ratios]
    if fmean(unlike) > _MOST_SPREAD:
        return []
    return [pair for pair, far in zip(pairs, unlike, strict=True) if far <= _MOST_UNLIKE]


def _shifted(
    first: Mapping[str, str], second: Mapping[str, str]
) -> tuple[dict[str, str], set[str], set[Key]]:
    """Return of the chapters in which any section moved: {number in the first: number in the
    second} of the rules that are the same; those of these of which that is not sure; and the keys
    of the chapters."""
    chapters, others = _chapters(first), _chapters(second)
    ratio = (sum(map(len, first.values())) or 1) / (sum(map(len, second.values())) or 1)
    match: dict[str, str] = {}
    uncertain: set[str] = set()
    moved_in: set[Key] = set()
    work = 0
    for chapter in sorted(chapters.keys() & others.keys()):
        here, there = chapters[chapter], others[chapter]
        if here.keys() == there.keys():
            continue
        lengths, other_lengths = _lengths(here, first, 1 / ratio), _lengths(there, second, 1.0)
        work += _rules(lengths) * _rules(other_lengths)
        if work > _MOST_WORK:
            break
        matched = _match_sections(lengths, other_lengths)
        if sum(one != other for one, other in matched) >= _FEWEST_MOVED:
            moved_in.add(chapter)
            for one, other in matched:
                match |= _same_rules(here[one], there[other], len(one))
                if one != other and len(here[one]) != len(there[other]):
                    uncertain.update(here[one])
    return match, uncertain, moved_in


def _chapters(rules: Mapping[str, str]) -> dict[Key, dict[Key, list[str]]]:
    """Return {key of a chapter: {key of a section: its rules, itself first}}, of sections that have
    a heading and rules."""
    by_key = {number_key(number): number for number in rules}
    chapters: dict[Key, dict[Key, list[str]]] = defaultdict(dict)
    for key in sorted(by_key):
        for end in range(2, len(key)):
            if key[:end] in by_key:
                section = chapters[key[: end - 1]].setdefault(key[:end], [by_key[key[:end]]])
                section.append(by_key[key])
    return chapters


def _lengths(
    sections: Mapping[Key, Sequence[str]], texts: Mapping[str, str], factor: float
) -> list[tuple[Key, list[float]]]:
    """Return (key of a section, the lengths of its rules) in order; a factor makes the lengths of
    two languages comparable."""
    return [
        (key, [factor * len(texts[number]) for number in numbers[:_MOST_RULES]])
        for key, numbers in sorted(sections.items())
    ]


def _rules(sections: Iterable[tuple[Key, list[float]]]) -> int:
    return sum(len(lengths) for _, lengths in sections)


def _match_sections(
    here: Sequence[tuple[Key, list[float]]], there: Sequence[tuple[Key, list[float]]]
) -> list[tuple[Key, Key]]:
    """Return the sections that are the same; those of equal numbers, unless others fit far
    better."""

    def of_pair(one: tuple[Key, list[float]], other: tuple[Key, list[float]]) -> float:
        return _match(one[1], other[1], _of_lengths, lambda _: _RULE_SKIPPED)[0]

    def of_one(one: tuple[Key, list[float]]) -> float:
        return _SECTION_SKIPPED + _RULE_OF_IT_SKIPPED * len(one[1])

    best, pairs = _match(here, there, of_pair, of_one)
    known = dict(there)
    same = [(key, key) for key, _ in here if key in known]
    paired = {key for key, _ in same}
    cost = sum(of_pair((key, lengths), (key, known[key])) for key, lengths in here if key in known)
    cost += sum(of_one(one) for one in (*here, *there) if one[0] not in paired)
    if cost - best < _LEAST_GAIN or best > _MOST_SHARE * cost:
        return same
    return [(here[i][0], there[j][0]) for i, j in pairs]


def _of_lengths(one: float, other: float) -> float:
    return _STEEPNESS * abs(math.log((one + _SHORTEST) / (other + _SHORTEST)))


def _match(
    first: Sequence[Item],
    second: Sequence[Item],
    of_pair: Callable[[Item, Item], float],
    of_one: Callable[[Item], float],
) -> tuple[float, list[tuple[int, int]]]:
    """Return the least cost of matching two sequences in order, and the indexes of the pairs.

    of_pair: the cost of a pair; of_one: that of an item without counterpart.
    """
    rows = [[0.0]]
    for other in second:
        rows[0].append(rows[0][-1] + of_one(other))
    steps: list[list[int]] = []  # 0: a pair; 1, 2: an item of the first, of the second alone
    for one in first:
        above, row, taken = rows[-1], [rows[-1][0] + of_one(one)], [1]
        for index, other in enumerate(second, 1):
            costs = (
                above[index - 1] + of_pair(one, other),
                above[index] + of_one(one),
                row[index - 1] + of_one(other),
            )
            taken.append(costs.index(min(costs)))
            row.append(min(costs))
        rows.append(row)
        steps.append(taken)
    pairs, i, j = [], len(first), len(second)
    while i and j:
        step = steps[i - 1][j]
        if step == 0:
            pairs.append((i - 1, j - 1))
        i, j = i - (step != 2), j - (step != 1)
    return rows[-1][-1], pairs[::-1]


def _same_rules(here: Sequence[str], there: Sequence[str], level: int) -> dict[str, str]:
    """Return {number: other number} of the rules that have equal numbers within their section.

    level: how many levels the section's number has.
    """
    others = {number_key(number)[level:]: number for number in there}
    return {number: others[end] for number in here if (end := number_key(number)[level:]) in others}
