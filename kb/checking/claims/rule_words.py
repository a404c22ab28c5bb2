"""The words of an edition's rules: how much each tells, which rules have it, and which of them some
words are most likely of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from math import log

from graphs.model import Node
from kb.language.tokens import stem
from scraper.rulebook.numbering import parent_number, with_numbers_above

# By hand, as those of `other_subjects`.
_COMMON = 0.75  # a word of more rules than all to this power tells nothing: 410 of Magic's 3,050
_ALIKE = 0.9  # share of the best rule's weight with which others may be meant as well
_LARGEST_SECTION = 14  # rules that count as one, too; more have too many words
_LONGEST_RULE = 150  # words; more is a list of names
_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[一-鿿]{2,}|[ァ-ヺー]{2,}")
_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?:[.-]\w+)*")


def words_of(text: str) -> set[str]:
    """Return the stems of the words of a text; of Japanese runs of kanji, and of katakana.

    >>> sorted(words_of("Creatures attack; 引く"))
    ['attack', 'creatur']
    """
    return set(map(_stem, _WORD.findall(text)))


@lru_cache(1 << 15)
def _stem(word: str) -> str:
    return stem(word.lower())


class RuleWords:
    """The words of the rules of an edition.

    weights: {word: how much it tells}, without those of many rules. languages: of the rules.
    """

    def __init__(self, rules: Iterable[Node]) -> None:
        self._own: dict[str, set[str]] = defaultdict(set)
        self._headings: dict[str, set[str]] = {}
        self._cites: dict[str, set[str]] = defaultdict(set)
        self._below: dict[str, list[str]] = defaultdict(list)
        self.languages: set[str | None] = set()
        counts: Counter[str] = Counter()
        total = 0
        for total, rule in enumerate(rules, 1):  # noqa: B007
            number, words = rule.number or "", words_of(rule.text or "")
            counts.update(words)
            self.languages.add(rule.lang)
            self._own[number] |= words
            self._cites[number].update(one.rstrip(".") for one in _NUMBER.findall(rule.text or ""))
            if rule.label:
                self._headings.setdefault(number, set()).update(words_of(rule.label))
        common = total**_COMMON
        self.weights = {word: log(common / n) for word, n in counts.items() if n < common}
        self._above = {number: with_numbers_above(number) for number in self._own}
        for number, above in self._above.items():
            for one in above[1:]:
                self._below[one].append(number)
        self._sections = {number: self._words_of_section(number) for number in self._headings}
        self._likely = lru_cache(1024)(self._find_likely)  # comments are alike
        self._having: dict[str, list[str]] = defaultdict(list)
        for number, own in self._own.items():
            if len(own) <= _LONGEST_RULE:
                for word in self._told(number) & self.weights.keys():
                    self._having[word].append(number)

    def weight(self, words: Iterable[str]) -> float:
        """Return how much words tell together."""
        return sum(self.weights.get(word, 0.0) for word in words)

    def above(self, number: str) -> Sequence[str]:
        """Return a number and those of the rules above it, the nearest first."""
        return self._above.get(number) or with_numbers_above(number)

    def section(self, number: str) -> str:
        """Return the nearest rule with a heading, at a number or above it, else the outermost."""
        above = self.above(number)
        return next((one for one in above if one in self._headings), above[-1])

    def heading(self, number: str) -> Set[str]:
        """Return the words of the heading of a rule's section that tell something."""
        return self._headings.get(self.section(number), set()) & self.weights.keys()

    def named(self, label: Set[str], beside: str) -> str | None:
        """Return the section beside another that some words name: all of its heading, with a word
        more at most; None without one, or with several."""
        found = [
            one
            for one, heading in self._headings.items()
            if heading and heading <= label and len(label) <= len(heading) + 1
            if parent_number(one) == parent_number(beside) and one != beside
        ]
        return found[0] if len(found) == 1 else None

    def _words_of_section(self, number: str) -> set[str]:
        """Return the words of a rule with a heading and of a few below it; of others none."""
        below = self._below.get(number, ())
        if not 1 < len(below) <= _LARGEST_SECTION or any(one in self._headings for one in below):
            return set()
        return self._own[number].union(*(self._own[one] for one in below))

    def _told(self, number: str) -> set[str]:
        """Return the words of a rule, or of a small section as a whole, and the headings above."""
        own = self._sections.get(number) or self._own.get(number, set())
        return own.union(*(self._headings.get(one, ()) for one in self.above(number)))

    def around(self, number: str, said: Set[str]) -> Set[str]:
        """Return which words a rule and the rules above and below it have."""
        rules = (*self.above(number), *self._below.get(number, ()))
        own = (said & self._own[one] for one in rules if one in self._own)
        return set(said & self.heading(number)).union(*own)

    def of_rule(self, number: str, said: Set[str]) -> Set[str]:
        """Return which words a rule, or a small section as a whole, and the headings above have."""
        return said & self._told(number)

    def rivals(self, number: str, said: Set[str], least: float) -> list[str]:
        """Return the rules that have most of some words, or nearly as much, without those around a
        number: those of its section first, rules before sections, then what the words name.

        least: weight that they have at least.
        """
        own = {*self.above(number), *self._below.get(number, ())}
        likely = self._likely(frozenset(said), least)
        found = {one: weight for one, weight in likely.items() if one not in own}
        least = _ALIKE * max(found.values(), default=0.0)
        section = self.section(number)

        def order(one: str) -> tuple[object, ...]:
            named = self.weight(self.heading(one) & said)
            is_section = bool(self._sections.get(one))
            return self.section(one) != section, is_section, -named, -found[one], one

        return sorted((one for one, weight in found.items() if weight >= least), key=order)

    def _find_likely(self, said: frozenset[str], least: float) -> dict[str, float]:
        """Return {number: weight} of the rules that have so much of some words; of sections only
        those whose heading has one."""
        weights: dict[str, float] = defaultdict(float)
        for word in said:
            weight = self.weights[word]
            for one in self._having[word]:
                weights[one] += weight
        return {
            one: weight
            for one, weight in weights.items()
            if weight >= least and (not self._sections.get(one) or self._headings[one] & said)
        }

    def refers(self, number: str, to: str) -> bool:
        """Whether a rule cites another, or one below it; no sister also one above within it."""
        cited = self._cites.get(number, set())
        is_sister = parent_number(number) == parent_number(to)
        above = [to] if is_sister else [one for one in self.above(to) if "." in one]
        return not cited.isdisjoint(above) or any(
            one.startswith(to) and not one[len(to) :][:1].isdigit() for one in cited
        )
