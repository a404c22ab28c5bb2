"""Tells a rule that an edition does not have from one that is not loaded, by what is around it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise

from kb.rules.loaded_editions import Gaps
from kb.rules.ordered_matching import longest_increasing
from scraper.rulebook.numbering import Key, follows, number_key

# The share of a section's rules that the other edition must have. By hand: lower takes what a
# fragment lacks for removed, higher says of most rules of a part that nobody can tell.
_DENSE = 0.75


class Surroundings:
    """Which places of an edition are loaded, seen from another one.

    A rule that has no counterpart in an edition was removed from it (or added since) if what stood
    around it is loaded; else nobody can say.
    """

    def __init__(
        self, here: Iterable[str], there: Iterable[str], match: Mapping[str, str], gaps: Gaps
    ) -> None:
        """here: the numbers of the edition that has the rules.

        there: the numbers of the edition that may lack them.
        match: {number here: number there} of the rules that both have.
        gaps: what is not loaded of `there`.
        """
        self._match, self._gaps = _in_order(match), gaps
        self._matched = frozenset(match)
        self._here = sorted(here, key=number_key)
        self._there = sorted(there, key=number_key)
        self._place = {number: index for index, number in enumerate(self._here)}

    def is_loaded(self, number: str) -> bool:
        """Return whether the place is loaded where a rule without a counterpart would stand.

        number: of the rule in `here`, or KeyError is raised; it must not be in `match`.

        It is if no number is known to be missing between the counterparts of the rules around it,
        nor its own; and, in an edition that may lack more, if these counterparts stand side by
        side, or if most rules around it in its section have counterparts.
        """
        index = self._place[number]
        before, after = self._before[index], self._after[index]
        if number in self._gaps.numbers or self._is_missing_between(before, after):
            return False
        if not self._gaps.others:
            return True
        if before is None or after is None:
            return False
        return self._are_joined(self._match[before], self._match[after]) or self._is_dense(
            number, before, after
        )

    @cached_property
    def _before(self) -> list[str | None]:
        """For each rule here, in order, the nearest one before it that has a counterpart, or
        None."""
        return self._last_matched(self._here)

    @cached_property
    def _after(self) -> list[str | None]:
        """For each rule here, in order, the nearest one behind it that has a counterpart, or
        None."""
        return self._last_matched(reversed(self._here))[::-1]

    def _last_matched(self, numbers: Iterable[str]) -> list[str | None]:
        """Return for each of some numbers here, in the order given, the last one before it that has
        a counterpart; None if there is none."""
        last: list[str | None] = []
        matched = None
        for number in numbers:
            last.append(matched)
            matched = number if number in self._match else matched
        return last

    @cached_property
    def _missing_keys(self) -> list[Key]:
        return sorted(map(number_key, self._gaps.numbers))

    def _is_missing_between(self, before: str | None, after: str | None) -> bool:
        """Return whether a rule that is known not to be loaded stands between the counterparts of
        two rules here; None is the beginning or the end of the book."""
        keys = self._missing_keys
        first = bisect_right(keys, number_key(self._match[before])) if before else 0
        last = bisect_right(keys, number_key(self._match[after])) if after else len(keys)
        return first != last

    @cached_property
    def _has_gap_behind(self) -> dict[str, bool]:
        """{number there: whether the next one that is loaded does not follow it}; True for the
        last."""
        keys = list(map(number_key, self._there))
        gaps = [not follows(key, following) for key, following in pairwise(keys)]
        return dict(zip(self._there, [*gaps, True], strict=True))

    @cached_property
    def _has_gap_before(self) -> dict[str, bool]:
        """{number there: whether it does not follow the one before it that is loaded}; True for the
        first."""
        gaps = (self._has_gap_behind[number] for number in self._there[:-1])
        return dict(zip(self._there, (True, *gaps), strict=True))

    def _are_joined(self, before: str, after: str) -> bool:
        """Return whether the numbering goes on behind one rule there and up to another."""
        return not self._has_gap_behind[before] and not self._has_gap_before[after]

    def _is_dense(self, number: str, before: str, after: str) -> bool:
        """Return whether a rule stands within a section or rule most of which has counterparts, and
        so have the rules before and behind it there; or if it alone of its section's neighbours
        has none.

        number, before, after: in `here`.
        """
        key, before_key, after_key = map(number_key, (number, before, after))
        if key[:2] == before_key[:2] == after_key[:2] and self._is_one_rule_between(before, after):
            return True
        return any(
            before_key[:level] == after_key[:level] == key[:level]
            and self._matched_below[key[:level]] >= _DENSE * self._all_below[key[:level]]
            for level in range(len(key) - 1, 0, -1)
        )

    def _is_one_rule_between(self, before: str, after: str) -> bool:
        """Return whether between two rules here stands one rule, with its sub-rules or without."""
        first = number_key(self._here[self._place[before] + 1])
        last = number_key(self._here[self._place[after] - 1])
        return last[: len(first)] == first

    @cached_property
    def _all_below(self) -> Counter[Key]:
        """How many rules here are below each beginning of a key, the rule itself included."""
        return _count_below(self._here)

    @cached_property
    def _matched_below(self) -> Counter[Key]:
        return _count_below(self._matched)


def _in_order(match: Mapping[str, str]) -> dict[str, str]:
    """Return as many of the matches as stand in the same order in both editions, in that order.

    The others moved to another place, or are chance likenesses; what is around them says nothing.
    """
    numbers = sorted(match, key=number_key)
    keys = [number_key(match[number]) for number in numbers]
    place = {key: index for index, key in enumerate(sorted(keys))}
    return {
        numbers[index]: match[numbers[index]]
        for index in longest_increasing([place[key] for key in keys])
    }


def _count_below(numbers: Iterable[str]) -> Counter[Key]:
    keys = map(number_key, numbers)
    return Counter(key[:level] for key in keys for level in range(1, len(key) + 1))
