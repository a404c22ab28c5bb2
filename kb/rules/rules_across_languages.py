"""Aligns the rules of a book with those of a translation: by number, and where that is another in
the one than in the other, by the lengths of the rules and by what both say in all languages.

A translation may lack a section or a rule, and number those behind it on; or lists that are in the
order of the alphabet may be in another order. The sections of a chapter are then matched by the
lengths of their rules, as sentences are by Gale and Church (1993), *A Program for Aligning
Sentences in Bilingual Corpora*; the rules of a section by these, the amounts that they state and
the headings that they name as well.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple, TypeVar

from scraper.rulebook.numbering import Key, number_key

Item = TypeVar("Item")

# Of a section that are compared, and pairs of rules that are compared in a book: guards, as the
# time grows with the pairs. The lengths of the first rules tell a section; a book beyond is taken
# as it is numbered from there on.
_MOST_RULES = 16
_MOST_WORK = 2_000_000
_FEWEST_MOVED = 2  # sections with other numbers, for a chapter to be numbered otherwise
# The costs were set by hand, against each other: what one language lacks costs about as much as a
# pair of which one is twice as long (`_STEEPNESS` times the logarithm of 2 is 1.4).
_RULE_SKIPPED = 1.2  # the cost of a rule that one language lacks
_SECTION_SKIPPED, _RULE_OF_IT_SKIPPED = 2.0, 0.3  # of a section, and each of its rules besides
_STEEPNESS, _SHORTEST = 2.0, 10  # of the cost of different lengths; characters that tell nothing
# Of books of different dates that are translations of nearly the same: the fewest pairs, their
# share of the rules, and how far the logarithms of their lengths' ratios are apart: 0.2 in six
# pairs of real books that are, 0.55 and more in those that are not.
_LEAST_PAIRS, _LEAST_SHARE, _MOST_SPREAD = 30, 0.9, 0.3
# The same of a single rule: 2.2 times as long; of one between such rules: 4 times. By hand.
_MOST_UNLIKE, _MOST_GROWN = 0.8, 1.4
# Of a matching, over the sections of equal numbers: how much less it must cost, and which share at
# most. By hand: less would renumber sections by chance.
_LEAST_GAIN, _MOST_SHARE = 5.0, 0.75
# Of the rules of a section: the cost of a rule that one language lacks, of what two don't both
# state, and of two that state nothing; and how much better a matching must be than that by numbers.
# Tried on 120 sections of three real books from which a rule or two were taken away: of 635 rules
# 612 are found again and 2 wrongly; by their numbers 234 and 401.
_ALONE, _UNLIKE_FEATURES, _NOTHING_SHARED, _LEAST_BETTER = 2.0, 1.5, 0.5, 1.0
_LEAST_PART, _LEAST_WHOLE = 0.5, 0.7  # of a section and a book, to be no fragment; by hand
# The most that a pair may cost that is sure, in a section numbered otherwise: as much as two that
# are as long and state nothing in common (`_UNLIKE_FEATURES`).
_SURELY_ALIKE = 1.5
_MOST_COMPARED = 10_000  # pairs of rules in a section: a guard; 100 rules in either language
# Names by which rules are compared, and characters of one: guards, as each is looked for in each
# rule; a longer heading is a sentence, which other rules don't repeat.
_MOST_NAMES, _LONGEST_HEADING = 400, 40
_STOPS = (".", "。", "!", "！")
_LEFT_OUT = (11, 14)  # before l and o, which look like digits: some books have no such letters
# What both languages state in signs: numbers, of which rules write small ones as words, quotation
# marks, brackets and that there is an example. `two` to `seven` but `six` are the usual amounts.
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_NUMBER_WORDS = {" two ": "2", " three ": "3", " four ": "4", " five ": "5", " seven ": "7"}
_SIGNS = {
    "quotation": re.compile("[“\"「『]"), "brackets": re.compile(r"[(\[]"),
    "example": re.compile(r"\bexamples?\b|例|beispiel|exemple|ejemplo|esempio|exemplo"),
}  # fmt: skip


class RulePair(NamedTuple):
    """The numbers of a rule in two languages.

    is_sure: False for a rule of a section that one language has more rules of, if the two are not
        much alike: it may be its neighbour that is the same.
    """

    number: str
    other: str
    is_sure: bool = True


def translated_rules(first: Mapping[str, str], second: Mapping[str, str]) -> list[RulePair]:
    """Return the rules that are in both of two languages, in the order of the first; each rule
    once, and none if they have nothing in common.

    first, second: the texts of the rules by number.

    Rules of one number are the same, but for chapters whose sections are not the same numbers in
    both: there sections whose rules are as long belong together, if that fits far better. A rule
    of such a chapter may be in one language alone, even if the other has its number.

    >>> translated_rules({"1.1": "引く。", "1.2": "置く。"}, {"1.1": "Draw.", "1.3": "Put."})
    [RulePair(number='1.1', other='1.1', is_sure=True)]
    """
    here, there = {number_key(one): one for one in first}, {number_key(one): one for one in second}
    sections, chapters = _shifted(first, second)
    matching = _Matching(_Book(here, first), _Book(there, second), sections, chapters)
    return [
        RulePair(number, there[other[0]], other[1])
        for key, number in here.items()
        if (other := matching.pairs.get(key)) and other[0] in there
    ]


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
    alike = [far <= _MOST_UNLIKE for far in unlike]
    keys = [(number_key(one), number_key(other)) for one, other, _ in pairs]
    # A heading may be a word in one language and a sentence in the other.
    above = {(one[:-1], other[:-1]) for (one, other), ok in zip(keys, alike, strict=True) if ok}
    return [
        pair
        for n, (pair, far) in enumerate(zip(pairs, unlike, strict=True))
        if alike[n]
        or keys[n] in above
        # Between siblings that are alike it is the same rule, of which one book says more.
        or (far <= _MOST_GROWN and 0 < n < len(pairs) - 1 and alike[n - 1] and alike[n + 1]
            and _is_between(pair, pairs[n - 1], pairs[n + 1]))
    ]  # fmt: skip


def _is_between(pair: RulePair, before: RulePair, after: RulePair) -> bool:
    """Whether the rules of a pair follow each those of another one directly, by their numbers, and
    are followed so by a third's, all siblings."""
    for number, previous, following in zip(pair[:2], before[:2], after[:2], strict=True):
        *above, last = number_key(number)
        if [number_key(previous), number_key(following)] != [
            (*above, last - 1),
            (*above, last + 1),
        ]:
            return False
    return True


def _shifted(
    first: Mapping[str, str], second: Mapping[str, str]
) -> tuple[dict[Key, Key], set[Key]]:
    """Return of the chapters in which any section moved: {key of a section in the first: its key in
    the second}, of those that are in both; and the keys of the chapters. Chapters beyond what may
    be compared are left out."""
    chapters, others = _chapters(first), _chapters(second)
    ratio = (sum(map(len, first.values())) or 1) / (sum(map(len, second.values())) or 1)
    sections: dict[Key, Key] = {}
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
            sections |= matched
    return sections, moved_in


class _Book:
    """The rules of a book as a tree, with what of their texts other languages have as well.

    rules: {key: number}. texts: by number.
    """

    def __init__(self, rules: Mapping[Key, str], texts: Mapping[str, str]) -> None:
        self._rules, self._texts = rules, texts
        self.names: list[str] = []  # headings, folded, in the order of those of the other book
        # Of what has no number of its own as well, as a chapter may have none in one language.
        self.below: dict[Key, list[Key]] = defaultdict(list)
        for node in sorted({key[:end] for key in rules for end in range(1, len(key) + 1)}):
            self.below[node[:-1]].append(node)
        self.size = len(rules)
        self.length = sum(map(len, texts.values())) or 1
        self.length_of = cache(self._length_of)  # of a rule with all that is below it, as the next
        self.features_of = cache(self._features_of)

    def heading(self, key: Key) -> str:
        """Return the heading of a rule, folded and without what is in brackets; empty if it has
        none that is a name: of up to 40 characters, without a full stop, above other rules."""
        text = self._text(key)
        if len(text) > _LONGEST_HEADING or text.endswith(_STOPS) or not self.below[key]:
            return ""
        return text.casefold().partition("(")[0].strip()

    def _text(self, key: Key) -> str:
        return self._texts.get(self._rules.get(key, ""), "")

    def _length_of(self, key: Key) -> int:
        return len(self._text(key)) + sum(map(self.length_of, self.below[key]))

    def _features_of(self, key: Key) -> frozenset[str | int]:
        text = unicodedata.normalize("NFKC", self._text(key)).casefold()
        numbers = _NUMBER.findall(text)
        words = (digit for word, digit in _NUMBER_WORDS.items() if word in text)
        signs = (sign for sign, pattern in _SIGNS.items() if pattern.search(text))
        named = (index for index, name in enumerate(self.names) if name in text)
        below = map(self.features_of, self.below[key])
        return frozenset((*numbers, *words, *signs, *named)).union(*below)


class _Matching:
    """Matches the rules of two books from the top of their trees down.

    pairs: {key in the first: (key in the second, whether that is sure)}.
    """

    def __init__(
        self, first: _Book, second: _Book, sections: Mapping[Key, Key], chapters: Collection[Key]
    ) -> None:
        """sections: {key in the first: key in the second} of the sections of some chapters."""
        self._first, self._second = first, second
        self._sections, self._chapters = sections, chapters
        self.pairs: dict[Key, tuple[Key, bool]] = {}
        self._weights: Mapping[str | int, float] = {}
        uneven = list(self._descend((), ()))
        self._name(uneven)
        while uneven:
            here, there = uneven.pop()
            uneven += self._match_uneven(here, there)

    def _descend(self, here: Key, there: Key) -> Iterator[tuple[Key, Key]]:
        """Pair the rules below two that are the same by their numbers; yield the rules of which one
        has more below it than the other, and that are numbered without gaps."""
        todo = [(here, there)]
        while todo:
            one, other = todo.pop()
            ours, theirs = self._first.below[one], self._second.below[other]
            if one in self._chapters:
                same = [(key, self._sections[key]) for key in ours if key in self._sections]
            else:
                same = _of_equal_numbers(one, other, ours, theirs)
                if one and self._are_uneven(ours, theirs):
                    yield one, other
                    continue
            for pair in same:
                self.pairs[pair[0]] = pair[1], True
                todo.append(pair)

    def _are_uneven(self, ours: Sequence[Key], theirs: Sequence[Key]) -> bool:
        """Whether one of two sections has more rules, and neither is a part of one: of a fragment
        the numbers are right, whatever it lacks."""
        sizes, books = (
            sorted(map(len, (ours, theirs))),
            sorted((self._first.size, self._second.size)),
        )
        return (
            _LEAST_PART * sizes[1] <= sizes[0] < sizes[1]
            and _LEAST_WHOLE * books[1] <= books[0]
            and _counts_on(ours)
            and _counts_on(theirs)
        )

    def _name(self, uneven: Collection[tuple[Key, Key]]) -> None:
        """Take the headings of the rules that are paired for names, by which others are compared;
        also of those that stand below uneven ones under equal numbers, as most are right."""
        pairs = {key: other for key, (other, _) in self.pairs.items()}
        for one, other in uneven:
            pairs |= dict(
                _of_equal_numbers(one, other, self._first.below[one], self._second.below[other])
            )
        names = {
            (ours, theirs)
            for key, other in pairs.items()
            if (ours := self._first.heading(key)) and (theirs := self._second.heading(other))
        }
        if uneven:
            for ours, theirs in sorted(names)[:_MOST_NAMES]:
                self._first.names.append(ours)
                self._second.names.append(theirs)
            counts = Counter(
                feature
                for one, other in uneven
                for book, above in ((self._first, one), (self._second, other))
                for key in book.below[above]
                for feature in book.features_of(key)
            )
            rules = sum(
                len(book.below[above])
                for pair in uneven
                for book, above in zip((self._first, self._second), pair, strict=True)
            )
            self._weights = {one: math.log(1 + rules / count) for one, count in counts.items()}

    def _match_uneven(self, one: Key, other: Key) -> Iterator[tuple[Key, Key]]:
        """Pair the rules below two, of which one has more; yield the uneven ones below them."""
        ours, theirs = self._first.below[one], self._second.below[other]
        same, is_renumbered = _of_equal_numbers(one, other, ours, theirs), False
        if len(ours) * len(theirs) <= _MOST_COMPARED:
            best, places = _match(ours, theirs, self._unlike, lambda _: _ALONE)
            by_number = sum(self._unlike(*pair) for pair in same)
            by_number += _ALONE * (len(ours) + len(theirs) - 2 * len(same))
            if is_renumbered := by_number - best >= _LEAST_BETTER:
                same = [(ours[i], theirs[j]) for i, j in places]
        for key, there in same:
            is_sure = not is_renumbered or self._unlike(key, there) <= _SURELY_ALIKE
            self.pairs[key] = there, is_sure
            yield from self._descend(key, there)

    def _unlike(self, one: Key, other: Key) -> float:
        """Return how unlike two rules are, with all that is below them: 0 if they are as long, as
        the books' lengths go, and state the same; else more, without a bound."""
        ratio = self._first.length / self._second.length
        size = self._first.length_of(one) / ratio + _SHORTEST
        other_size = self._second.length_of(other) + _SHORTEST
        ours, theirs = self._first.features_of(one), self._second.features_of(other)
        every, shared = self._weight(ours | theirs), self._weight(ours & theirs)
        share = shared / every if every else _NOTHING_SHARED
        return _STEEPNESS * abs(math.log(size / other_size)) + _UNLIKE_FEATURES * (1 - share)

    def _weight(self, features: Iterable[str | int]) -> float:
        return sum(self._weights.get(feature, 1.0) for feature in features)


def _of_equal_numbers(
    one: Key, other: Key, ours: Sequence[Key], theirs: Sequence[Key]
) -> list[tuple[Key, Key]]:
    """Return the pairs of rules below two (`one`, `other`) whose numbers go on equally behind
    theirs, in the order of `ours`."""
    by_end = {key[len(other) :]: key for key in theirs}
    return [(key, by_end[key[len(one) :]]) for key in ours if key[len(one) :] in by_end]


def _counts_on(keys: Sequence[Key]) -> bool:
    """Whether rules are numbered without gaps, from 0, 1 or a hundred on, all on one level: those
    of a fragment have gaps, and the numbers of the whole. keys: at least one."""
    places = [key[-1] for key in keys]
    return (
        len({len(key) for key in keys}) == 1
        and places[0] % 100 <= 1  # 701 is the first of its chapter as well
        and all(
            after == place + 1 or (place in _LEFT_OUT and after == place + 2)
            for place, after in pairwise(places)
        )
    )


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
    """Return (key of a section, the lengths of its first 16 rules) in order; a factor makes the
    lengths of two languages comparable."""
    return [
        (key, [factor * len(texts[number]) for number in numbers[:_MOST_RULES]])
        for key, numbers in sorted(sections.items())
    ]


def _rules(sections: Iterable[tuple[Key, list[float]]]) -> int:
    return sum(len(lengths) for _, lengths in sections)


def _match_sections(
    here: Sequence[tuple[Key, list[float]]], there: Sequence[tuple[Key, list[float]]]
) -> list[tuple[Key, Key]]:
    """Return (key here, key there) of the sections that are the same, in order: those of equal
    numbers, unless others fit far better. here, there: as `_lengths` returns them."""

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
    """Return the least cost of matching two sequences in order, and the indexes of the pairs, in
    order. Of equal costs a pair is preferred to items that stay alone.

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
