"""Says what became of each rule between two editions: same, moved, changed, renumbered…

A rule that an edition does not have is told from one that is not loaded by what is around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, repeat
from typing import Literal

from kb.language.word_diff import differences, typographic_differences
from kb.result import reported
from kb.rules.alignment import Alignment, longest_increasing
from kb.rules.change_kind_names import RENUMBERED, RuleChangeKind
from kb.rules.corrections_by_persons import BY_A_PERSON, NOT_CORRECTED, PairCorrections
from kb.rules.loaded_editions import WITHOUT_GAPS, Gaps
from kb.rules.similarity import CitedNumber, folded, split_at_numbers
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


_JOINTS = ".-‐‑‒–"  # between the steps of a rule number, and in a range
Span = tuple[int, int, int, int]  # start and end before, start and end after
NumberPair = tuple[str | None, str | None]  # of a rule, before and after; None where it is not


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule's number and text in one edition, and the examples below it, of which a history and a
    glossary have none."""

    number: str
    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What happened to a rule from one edition to another.

    kind: `added`; `split` (added as a rule of its own; most of its words were in another rule,
        `split_from`); `removed`; `merged` (removed as a rule of its own; most of its words are in
        another rule, `into`; or a new rule that has the words of such, `took_in`); `moved` (another
        number); `changed` (another text); `renumbered` (the same text but for the numbers of cited
        rules, which follow the rules that they cite); `moved+changed`; `moved+renumbered`;
        `typographic` (number and text are the same but for quotation marks, dashes, width, spaces
        and line ends, which count for no other kind); `examples` (only the examples below the rule
        are others: the texts are those); `not loaded` (one edition has no such rule, but what
        stands around it is not loaded either).
    before, after: the rule in each edition; None in the one that lacks it.
    into: the number after of the rule that a merged one is in; None for other kinds.
    split_from: the number before of the rule that a split one was part of; None for other kinds.
    took_in: the numbers before of the rules that were merged into it, be it new or not.

    >>> len(RuleChange("changed", RuleText("1", "Draw a card."), RuleText("1", "Draw it.")).spans)
    1
    """

    kind: RuleChangeKind
    before: RuleText | None
    after: RuleText | None
    into: str | None = None
    split_from: str | None = None
    took_in: tuple[str, ...] = ()

    @reported
    def spans(self) -> tuple[Span, ...]:
        """(start, end, start, end) of the words that differ, in the text before and in the text
        after, in order; empty if one edition lacks the rule, and if it only moved. Only a
        `typographic` change has spans of typography."""
        if not self.before or not self.after or self.kind == "moved":
            return ()
        return _differing_spans(self.kind, self.before.text, self.after.text)

    @property
    def other_examples(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The examples that only the edition before has, and those that only the one after has,
        each in order; what differs in typography alone counts as the same."""
        before, after = ((rule.examples if rule else ()) for rule in (self.before, self.after))
        known = set(map(folded, before)), set(map(folded, after))
        return (
            tuple(one for one in before if folded(one) not in known[1]),
            tuple(one for one in after if folded(one) not in known[0]),
        )


@dataclass(frozen=True, slots=True)
class KnownMatches:
    """Which rule of one edition became which of another.

    matches: {number before: number after}.
    merged: {number before: number after of the rule that it was merged into}.
    split: {number after: number before of the rule that it was split from}.
    """

    matches: Mapping[str, str]
    merged: Mapping[str, str]
    split: Mapping[str, str]


class EditionComparison:
    """Two editions of a rulebook, and which rule of the one became which of the other.

    old, new: the texts of each edition by number.
    """

    def __init__(
        self,
        old: Mapping[str, str],
        new: Mapping[str, str],
        old_gaps: Gaps = WITHOUT_GAPS,
        new_gaps: Gaps = WITHOUT_GAPS,
        known: KnownMatches | None = None,
        corrected: PairCorrections = NOT_CORRECTED,
    ) -> None:
        """old_gaps, new_gaps: what is not loaded of each edition.

        known: which rule became which, if that is known; else the editions are aligned.
        corrected: what a person says of that, which wins over the alignment.
        """
        self.old, self.new = old, new
        self._old_gaps, self._new_gaps = old_gaps, new_gaps
        self._known, self._corrected = known, corrected

    @cached_property
    def new_numbers(self) -> dict[str, str]:
        """{number before: number after} of the rules that both editions have.

        A rule is not taken for another one that is merely like it if each edition is known to have
        a rule of the other's number that is not loaded.
        """
        if self._known:
            return dict(self._known.matches)
        found = {
            before: after
            for before, after in self._alignment.matches().items()
            if before not in self._new_gaps.numbers
            or after not in self._old_gaps.numbers
            or folded(self.old[before]) == folded(self.new[after])
        }
        same = {
            before: after
            for before, after in self._corrected.same.items()
            if before in self.old and after in self.new
        }
        return replace(self._corrected, same=same).applied(found)

    @cached_property
    def old_numbers(self) -> dict[str, str]:
        """{number after: number before} of the rules that both editions have."""
        return {after: before for before, after in self.new_numbers.items()}

    def pairs(self) -> Iterator[NumberPair]:
        """Yield (number before, number after) of each rule, also of those that stayed the same.

        An added rule has no number before, a removed rule none after. The pairs are in the order
        of the numbers after; a removed rule is at the place of its old number.
        """
        removed = [(number_key(n), 0, n, None) for n in self.old if n not in self.new_numbers]
        present = [(number_key(n), 1, self.old_numbers.get(n), n) for n in self.new]
        for _, _, before, after in sorted([*removed, *present], key=lambda entry: entry[:2]):
            yield before, after

    def kind(self, before: str | None, after: str | None) -> RuleChangeKind | None:
        """Return what happened to a rule; None if it stayed the same to the letter.

        before, after: its number in each edition; None if it is not in that edition.

        >>> old = {"1": "Zones", "2": "Cards", "3": "See rule 2.", "4": "The “deck”"}
        >>> new = {"1": "Zones", "3": "See rule 5.", "4": 'The "deck"', "5": "Cards"}
        >>> compared = EditionComparison(old, new)
        >>> [compared.kind(b, a) for b, a in compared.pairs()]
        [None, 'renumbered', 'typographic', 'moved']
        """
        if before is None:
            new: RuleChangeKind = "merged" if after in self.took_in else "added"
            new = "split" if after in self.split else new
            return "not loaded" if after in self._not_loaded_before else new
        if after is None:
            gone: RuleChangeKind = "merged" if before in self.merged else "removed"
            return "not loaded" if before in self._not_loaded_after else gone
        text_change = self._text_change(self.old[before], self.new[after])
        if before == after:
            return text_change
        if text_change == "changed":
            return "moved+changed"
        return "moved+renumbered" if text_change == "renumbered" else "moved"

    @cached_property
    def merged(self) -> dict[str, str]:
        """{number before: number after of the rule that it was merged into, or, if it is in none,
        of the first of those that were split from it}."""
        if self._known:
            return dict(self._known.merged)
        found = self._alignment.merged(self.new_numbers)
        for new, old in self.split.items():
            if old not in self.new_numbers:
                found.setdefault(old, new)
        return {
            old: new for old, new in found.items() if (old, new) not in self._corrected.different
        }

    @cached_property
    def took_in(self) -> dict[str, tuple[str, ...]]:
        """{number after: numbers before of the rules that were merged into it}, without the one
        that it was split from."""
        found: dict[str, list[str]] = defaultdict(list)
        for old in sorted(self.merged.keys() - self._not_loaded_after, key=number_key):
            if self.split.get(self.merged[old]) != old:
                found[self.merged[old]].append(old)
        return {new: tuple(numbers) for new, numbers in found.items()}

    @cached_property
    def split(self) -> dict[str, str]:
        """{number after: number before of the rule that it was split from}."""
        if self._known:
            return dict(self._known.split)
        found = self._alignment.split(self.new_numbers)
        return {
            new: old for new, old in found.items() if (old, new) not in self._corrected.different
        }

    @cached_property
    def _alignment(self) -> Alignment:
        return Alignment(self.old, self.new)

    @cached_property
    def _not_loaded_before(self) -> frozenset[str]:
        """The numbers after of the rules whose place in the edition before is not loaded."""
        return _not_loaded(self.new, self.old, self.old_numbers, self._old_gaps)

    @cached_property
    def _not_loaded_after(self) -> frozenset[str]:
        """The numbers before of the rules whose place in the edition after is not loaded."""
        return _not_loaded(self.old, self.new, self.new_numbers, self._new_gaps)

    def grounds(self, before: str) -> tuple[str, float]:
        """Return by what a rule before was matched, one of `kb.rules.alignment.Grounds` or
        `correction`, and how sure that is, from 0 to 1. Raises KeyError for a rule without a match.
        """
        if before in self._corrected.same:
            return BY_A_PERSON, 1.0
        return self._alignment.grounds[before]

    def differ(self, before: str | None, after: str | None) -> bool:
        """Return whether the texts of a rule differ in more than typography; they do if only one
        edition has it.

        before, after: its number in each edition; None if it is not in that edition.
        """
        old = folded(self.old[before]) if before else None
        return old != (folded(self.new[after]) if after else None)

    def change(self, pair: NumberPair, kind: RuleChangeKind) -> RuleChange:
        """Return a change of a rule with its texts and the words that differ.

        pair: the rule's numbers, as `pairs` yields them; kind: what `kind` returned for them.
        """
        before, after = pair
        old_rule = RuleText(before, self.old[before]) if before else None
        new_rule = RuleText(after, self.new[after]) if after else None
        into = self.merged[before] if kind == "merged" and before else None
        split_from = self.split[after] if kind == "split" and after else None
        took_in = self.took_in.get(after or "", ())
        return RuleChange(kind, old_rule, new_rule, into, split_from, took_in)

    def _text_change(
        self, old_text: str, new_text: str
    ) -> Literal["changed", "renumbered", "typographic"] | None:
        """Return how the text of a rule changed; None if it is the same to the letter."""
        if old_text == new_text:
            return None
        old_text, new_text = folded(old_text), folded(new_text)
        if old_text == new_text:
            return "typographic"
        return "renumbered" if self._only_renumbered(old_text, new_text) else "changed"

    def _only_renumbered(self, old_text: str, new_text: str) -> bool:
        """Return whether two folded texts differ only in the numbers of cited rules, and each
        number before became the number after."""
        around, cited = split_at_numbers(old_text)
        new_around, new_cited = split_at_numbers(new_text)
        return around == new_around and all(map(self._is_successor, cited, new_cited))

    def _is_successor(self, old: CitedNumber, new: CitedNumber) -> bool:
        """Return whether a number in a text cites the same rule or rules as another one did.

        A number that stayed as it was does, unless its rule has another number now.
        """
        if old == new and not old.cites:
            return True
        ends, new_ends = self._ends(old), self._ends(new)
        return (
            new.cites
            and len(ends) == len(new_ends)
            and all(map(self._became, ends, new_ends, repeat(old == new)))
        )

    def _ends(self, cited: CitedNumber) -> list[str]:
        """Return the first and the last number of a range, or the number that a text cites, alone:
        of `103.2a-e` 103.2a and 103.2e. A number with dashes is a range unless a rule has it."""
        number = cited.number
        if cited.last:
            return [number, re.sub(r"(?:\d+|[a-z]+)$", "", number) + cited.last]
        is_rule = number in self.old or number in self.new
        return [number] if is_rule else number.split("-")  # 509-510, or the number 5-1-2

    def _became(self, before: str, after: str, unchanged: bool) -> bool:
        """Return whether the rule that one edition cites by a number is the one that the other
        edition cites by another.

        unchanged: whether the numbers are the same, so that they need not be rules of the editions.
        """
        old_number = before if before in self.old else self._old_by_key.get(number_key(before))
        new_number = self.new_numbers.get(old_number) if old_number else None
        if new_number is None:
            return unchanged
        return new_number == after or (
            after not in self.new and number_key(new_number) == number_key(after)
        )

    @cached_property
    def _old_by_key(self) -> dict[object, str]:
        return {number_key(number): number for number in self.old}


@lru_cache(1 << 12)  # a change is asked for its spans when it is shown, and more than once
def _differing_spans(kind: RuleChangeKind, before: str, after: str) -> tuple[Span, ...]:
    """Return the spans of a change from one text to another, in order; of renumbered citations
    those of the whole numbers. Empty if nothing differs."""
    compare = typographic_differences if kind == "typographic" else differences
    spans: Iterable[Span] = compare(before, after)
    return tuple(_whole_numbers(before, after, spans) if kind in RENUMBERED else spans)


def _not_loaded(
    here: Iterable[str], there: Iterable[str], match: Mapping[str, str], gaps: Gaps
) -> frozenset[str]:
    """Return the numbers of one edition (`here`) without a match whose place in the other one is
    not loaded; none if nothing is missing there.

    The arguments are those of `Surroundings`.
    """
    if not gaps:
        return frozenset()
    place = Surroundings(here, there, match, gaps)
    return frozenset(
        number for number in here if number not in match and not place.is_loaded(number)
    )


def _whole_numbers(old_text: str, new_text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the spans of renumbered citations, each widened to the whole number, each once."""
    return list(
        dict.fromkeys(
            (*_whole_number(old_text, start, end), *_whole_number(new_text, new_start, new_end))
            for start, end, new_start, new_end in spans
        )
    )


def _whole_number(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span widened to the whole rule number around it, without dots and dashes at its
    end."""
    while start and _is_of_number(text[start - 1]):
        start -= 1
    while end < len(text) and _is_of_number(text[end]):
        end += 1
    while end > start and text[end - 1] in _JOINTS:
        end -= 1
    return start, end


def _is_of_number(sign: str) -> bool:
    return sign in _JOINTS or (sign.isascii() and sign.isalnum())
