"""Finds sections of a rulebook that have other numbers in one language than in another.

A translation may lack a section, and number those behind it on; or lists that are in the order of
the alphabet may be in another order. The sections of a chapter are then matched by the lengths of
their rules, as sentences are by Gale and Church (1993), *A Program for Aligning Sentences in
Bilingual Corpora*.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scraper.rulebook.numbering import Key, number_key

Item = TypeVar("Item")

_MOST_RULES = 16  # of a section that are compared
_MOST_WORK = 2_000_000  # pairs of rules that are compared in a book
_FEWEST_MOVED = 2
_RULE_SKIPPED = 1.2  # the cost of a rule that one language lacks
_SECTION_SKIPPED, _RULE_OF_IT_SKIPPED = 2.0, 0.3  # of a section, and each of its rules besides
_STEEPNESS, _SHORTEST = 2.0, 10  # of the cost of different lengths; characters that tell nothing
_LEAST_GAIN, _MOST_SHARE = 5.0, 0.75  # of a matching, over the sections of equal numbers


@dataclass(frozen=True, slots=True)
class Shifts:
    """The sections whose numbers differ.

    sections: (number in the first language, number in the second) of each that moved.
    match: {number in the first: number in the second} of all rules that are the same in the
        chapters where any section moved.
    uncertain: those of these rules, by their numbers in the first, whose sections moved and have
        more rules in one language: which of them are the same is not sure.
    chapters: the keys of these chapters. A rule there that is not in `match` is in one language
        alone, even if the other has its number.
    """

    sections: tuple[tuple[str, str], ...] = ()
    match: Mapping[str, str] = field(default_factory=dict)
    uncertain: frozenset[str] = frozenset()
    chapters: frozenset[Key] = frozenset()

    def is_in_chapter(self, number: str) -> bool:
        """Return whether a rule is in a chapter where any section moved."""
        key = number_key(number)
        return any(key[:end] in self.chapters for end in range(1, len(key)))


def shifted_sections(first: Mapping[str, str], second: Mapping[str, str]) -> Shifts:
    """Return which sections of a rulebook have other numbers in the second of two languages.

    first, second: the texts of the rules by number.

    Only chapters are looked at whose sections are not the same numbers in both.
    """
    chapters, others = _chapters(first), _chapters(second)
    ratio = (sum(map(len, first.values())) or 1) / (sum(map(len, second.values())) or 1)
    sections: list[tuple[str, str]] = []
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
        moved = [(one, other) for one, other in matched if one != other]
        if len(moved) >= _FEWEST_MOVED:
            moved_in.add(chapter)
            sections += ((here[one][0], there[other][0]) for one, other in moved)
            for one, other in matched:
                match |= _same_rules(here[one], there[other], len(one))
                if one != other and len(here[one]) != len(there[other]):
                    uncertain.update(here[one])
    return Shifts(tuple(sections), match, frozenset(uncertain), frozenset(moved_in))


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


def paired_numbers(first: Mapping[str, str], second: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (number in the first language, number in the second) of the rules that are the same,
    in the order of the first.

    first, second: the texts of the rules by number.

    >>> paired_numbers({"1.1": "引く。", "1.2": "置く。"}, {"1.1": "Draw.", "1.3": "Put."})
    [('1.1', '1.1')]
    """
    shifts = shifted_sections(first, second)
    pairs = []
    for number in first:
        other = shifts.match.get(number, "") if shifts.is_in_chapter(number) else number
        if other in second:
            pairs.append((number, other))
    return pairs
