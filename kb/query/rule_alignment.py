"""Which rule of one edition is which of another: by number, by text, by neighbours."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from math import log

from scraper.rulebook.numbering import Key, number_key

_CITED = re.compile(r"\d{1,4}(?:[.\-]\d{1,3})+(?:[a-z]\b)?(?:[-–][a-z]\b)?|\b\d{3}[a-z]?\b")
_TOKEN = re.compile(r"[a-z0-9#'’]+|\w")
_MOST_PAIRS = 10_000  # pairs of equal texts that are weighed; more of them go by their order
_RAREST, _COMMON, _CANDIDATES = 16, 40, 6
_EVERYWHERE, _IN_PLACE = 0.5, 0.33  # how much alike two texts must be
_SURE = 0.75
_HEADING = 0.2  # at its place, of a rule whose sub-rules are the same ones
_ROUNDS = (
    (_SURE, _SURE),
    (_EVERYWHERE, _EVERYWHERE),
    (_EVERYWHERE, _IN_PLACE),
    (_EVERYWHERE, _IN_PLACE),
)
_AGREED = 0.1  # what the same place adds to likeness


def one_line(text: str) -> str:
    """A text as it is compared: how its white space runs does not count."""
    return " ".join(text.split())


def is_under(number: str, above: str) -> bool:
    """Whether a rule is another one, or one of its sub-rules.

    >>> is_under("121.2a", "121"), is_under("121.2a", "1"), is_under("121.20", "121.2")
    (True, True, False)
    """
    key = number_key(above)
    return number_key(number)[: len(key)] == key


def align_rules(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """The number that each rule of an edition has in another one; both are texts by number.

    First whatever kept number and text, then equal texts elsewhere, then texts that are alike.
    A rule that is not there has no counterpart.

    >>> old = {"1": "Zones", "1.1": "A deck is a pile of cards.", "1.2": "A hand is hidden."}
    >>> new = {"1": "Zones", "1.1": "Zones are places.", "1.2": old["1.1"], "1.3": old["1.2"]}
    >>> align_rules(old, new)
    {'1': '1', '1.1': '1.2', '1.2': '1.3'}
    """
    matching = _Matching(_Book(before), _Book(after))
    matching.by_number_and_text()
    matching.by_text()
    matching.by_likeness()
    return {n: matching.image[n] for n in matching.before.numbers if n in matching.image}


class _Book:
    """The rules of one edition: their order, their parents, their siblings."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = {number: one_line(text) for number, text in texts.items()}
        self.numbers = sorted(self.texts, key=number_key)
        self.place = {number: place for place, number in enumerate(self.numbers)}
        self.by_key: dict[Key, str] = {number_key(number): number for number in self.numbers}
        self.children: dict[str | None, list[str]] = defaultdict(list)
        self.parent: dict[str, str | None] = {}
        self.rank: dict[str, int] = {}
        for number in self.numbers:
            parent = self._above(number)
            self.parent[number] = parent
            self.rank[number] = len(self.children[parent])
            self.children[parent].append(number)

    def _above(self, number: str) -> str | None:
        """The nearest rule that is there and that a rule is part of."""
        key = number_key(number)[:-1]
        while key and key not in self.by_key:
            key = key[:-1]
        return self.by_key.get(key)

    def sibling(self, number: str, step: int) -> str | None:
        """The sibling before (-1) or behind (1) a rule."""
        siblings, place = self.children[self.parent[number]], self.rank[number] + step
        return siblings[place] if 0 <= place < len(siblings) else None

    def first_child(self, number: str) -> str | None:
        """The first sub-rule of a rule."""
        return next(iter(self.children.get(number, ())), None)


class _Matching:
    """The counterparts found so far, in both directions."""

    def __init__(self, before: _Book, after: _Book) -> None:
        self.before, self.after = before, after
        self.image: dict[str, str] = {}
        self.origin: dict[str, str] = {}

    def by_number_and_text(self) -> None:
        """What kept its number and its text."""
        for number, text in self.before.texts.items():
            if self.after.texts.get(number) == text:
                self._join(number, number)

    def by_text(self) -> None:
        """What kept its text alone: one of a kind first, then by the neighbours."""
        old, new = self._left_by_text(self.before), self._left_by_text(self.after)
        several = []
        for text in old.keys() & new.keys():
            if len(old[text]) == len(new[text]) == 1:
                self._join(old[text][0], new[text][0])
            else:
                several.append((old[text], new[text]))
        # What stands above others goes first: its counterpart says where they are.
        several.sort(
            key=lambda group: (len(number_key(group[0][0])), self.before.place[group[0][0]])
        )
        for ours, theirs in several:
            self._by_neighbours(ours, theirs)

    def by_likeness(self) -> None:
        """What was reworded: surest first, so that what is sure tells where its like may be."""
        left = [number for number in self.before.numbers if number not in self.image]
        right = [number for number in self.after.numbers if number not in self.origin]
        if not left or not right:
            return
        likeness = _Likeness(self.before, self.after, right)
        elsewhere = {number: likeness.candidates(number) for number in left}
        order = self.before.place
        for everywhere, in_place in _ROUNDS:
            open_ = {number: elsewhere[number] for number in left if number not in self.image}
            found = list(self._proposed(open_, likeness, everywhere, in_place))
            for _, number, other in sorted(found, key=lambda f: (-f[0], order[f[1]], f[2])):
                if number not in self.image and other not in self.origin:
                    self._join(number, other)

    def _proposed(
        self,
        open_: Mapping[str, list[str]],
        likeness: _Likeness,
        everywhere: float,
        in_place: float,
    ) -> Iterator[tuple[float, str, str]]:
        """(how good, rule, counterpart) of the rules that are still open, where alike enough."""
        for number, elsewhere in open_.items():
            here = set(self._places(number))
            for other in {*here, *elsewhere}:
                if other in self.origin:
                    continue
                needed = in_place if other in here else everywhere
                if other in here and self._same_children(number, other):
                    needed = min(needed, _HEADING)
                if (alike := likeness(number, other)) >= needed:
                    agreed = (other in here) + self._same_parent(number, other)
                    yield alike + _AGREED * agreed, number, other

    # -- where a counterpart may be ---------------------------------------------------------

    def _places(self, number: str) -> Iterator[str]:
        """The numbers at which a rule is looked for first: its own under its parent's
        counterpart, and the ones beside the counterparts of its siblings."""
        parent = self.before.parent[number]
        above = parent and self.image.get(parent, parent if parent not in self.origin else None)
        if above or not parent:
            own = number_key(number)[len(number_key(parent)) if parent else 0 :]
            key = (number_key(above) if above else ()) + own
            if key in self.after.by_key:
                yield self.after.by_key[key]
        for step in (-1, 1):
            sibling = self.before.sibling(number, step)
            if sibling in self.image:
                beside = self.after.sibling(self.image[sibling], -step)
                if beside:
                    yield beside

    def _same_parent(self, number: str, other: str) -> bool:
        return self._agree(self.before.parent[number], self.after.parent[other])

    def _same_children(self, number: str, other: str) -> bool:
        first = self.before.first_child(number)
        return first is not None and self._agree(first, self.after.first_child(other))

    def _agree(self, number: str | None, other: str | None) -> bool:
        return self.image.get(number) == other if number else other is None

    def _by_neighbours(self, ours: list[str], theirs: list[str]) -> None:
        """Join rules of one text: those that agree most in parent, siblings and sub-rules."""
        if len(ours) * len(theirs) > _MOST_PAIRS:
            for number, other in zip(ours, theirs, strict=False):
                self._join(number, other)
            return
        pairs = [
            (-self._agreement(number, other), self._distance(number, other), at, number, other)
            for at, number in enumerate(ours)
            for other in theirs
        ]
        for *_, number, other in sorted(pairs):
            if number not in self.image and other not in self.origin:
                self._join(number, other)

    def _agreement(self, number: str, other: str) -> int:
        before, after = self.before, self.after
        around = [
            (before.first_child(number), after.first_child(other)),
            (before.sibling(number, -1), after.sibling(other, -1)),
            (before.sibling(number, 1), after.sibling(other, 1)),
        ]
        known = sum(1 for a, b in around if a and b and self.image.get(a) == b)
        return known + 2 * self._same_parent(number, other)

    def _distance(self, number: str, other: str) -> int:
        """How far from where it would stand had nothing been put in since the last match."""
        at = start = self.before.place[number]
        while at >= 0 and self.before.numbers[at] not in self.image and start - at < 50:
            at -= 1
        anchor = self.image.get(self.before.numbers[at]) if at >= 0 else None
        expected = start - at + (self.after.place[anchor] if anchor else at)
        return abs(self.after.place[other] - expected)

    def _left_by_text(self, book: _Book) -> dict[str, list[str]]:
        known = self.image if book is self.before else self.origin
        found: dict[str, list[str]] = defaultdict(list)
        for number in book.numbers:
            if number not in known:
                found[book.texts[number]].append(number)
        return found

    def _join(self, number: str, other: str) -> None:
        self.image[number], self.origin[other] = other, number


class _Likeness:
    """How much alike rules are: the share of what they say in common, the rare counting most.

    Rules of one kind are worded alike ("X is a static ability"), so what all of them say tells
    little. Numbers of rules do not count: they change with no word reworded.
    """

    def __init__(self, before: _Book, after: _Book, right: Iterable[str]) -> None:
        old = {number: _pieces(text) for number, text in before.texts.items()}
        new = {number: _pieces(text) for number, text in after.texts.items()}
        self._old, self._new = old, new
        said_by = Counter(piece for book in (old, new) for said in book.values() for piece in said)
        rules = len(old) + len(new)
        self._weight = {piece: log(1 + rules / times) for piece, times in said_by.items()}
        self._known: dict[tuple[str, str], float] = {}
        self._holders: dict[str, list[str]] = defaultdict(list)
        for number in right:
            for piece in new[number]:
                self._holders[piece].append(number)

    def __call__(self, number: str, other: str) -> float:
        """How much alike a rule of the one edition and one of the other are, from 0 to 1."""
        if (number, other) not in self._known:
            ours, theirs = self._old[number], self._new[other]
            whole = self._sum(ours) + self._sum(theirs)
            self._known[number, other] = 2 * self._sum(ours & theirs) / whole if whole else 0.0
        return self._known[number, other]

    def candidates(self, number: str) -> list[str]:
        """The rules that share most of the rarest that a rule says."""
        held = [piece for piece in self._old[number] if len(self._holders.get(piece, ())) > 0]
        held.sort(key=lambda piece: (len(self._holders[piece]), piece))
        votes: Counter[str] = Counter()
        for piece in held[:_RAREST]:
            if len(self._holders[piece]) <= _COMMON:
                for other in self._holders[piece]:
                    votes[other] += 1
        ranked = sorted(votes, key=lambda other: (-votes[other], number_key(other)))
        return ranked[:_CANDIDATES]

    def _sum(self, said: Mapping[str, int]) -> float:
        return sum(self._weight[piece] * times for piece, times in said.items())


def _pieces(text: str) -> Counter[str]:
    """The words of a text, or the letters of Japanese, and the pairs of them."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    tokens = _TOKEN.findall(_CITED.sub("#", plain))
    return Counter(tokens) + Counter(f"{a} {b}" for a, b in pairwise(tokens))
