"""Measures how alike the rules of two editions are, by their words, rare ones counting more.

So are the numbers in a rule's text that may cite other rules. Finding them is coarser than
`kb.language.citations.citation_grammar`, which says what a text cites: here the text of one edition
is held against that of another, and what changed in step with the rules was one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from math import log
from typing import NamedTuple

from kb.language.typography import fold_typography
from scraper.rulebook.numbering import Key, number_key

# `704.5k`, `107.5.a`, `103.1.a.(1)`, `903`, `5-1-2`, `A-1-01`: any depth. A dash in a number with
# dots is that of a range: `103.2a-e`, `510.1-2`. Dashes must be folded. At most 12 steps are read,
# so that the pattern takes bounded time; real numbers have up to five or six.
_STEP = r"(?:\.\d{1,4}|\.[a-z](?![A-Za-z])|\.?\((?:\d{1,2}|[a-z]|[ivx]{2,4})\))"
_END = r"(?:(?<=\))|(?![A-Za-z0-9]|\.\d))"
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9.])"
    rf"(?:(?:[A-Z]-)?\d{{1,4}}(?:-\d{{1,4}}){{1,12}}[a-z]?{_END}"
    rf"|(?:[A-Z][.\-]?)?\d{{1,4}}{_STEP}{{0,12}}[a-z]{{0,2}}{_END}"
    r"(?P<last>-(?:[a-z]{1,2}|\d{1,3})(?![A-Za-z0-9]|\.\d))?)"
)
_PLAIN = re.compile(r"\d+")
# What shows that a plain number, such as 7 or 704, cites: a word before it, or what follows.
_LEAD = re.compile(
    r"(?:\b(?:rules?|sections?|chapters?|parts?|see|cr)|ルール|規則|规则|規定|第|参照)[ :.]?$",
    re.IGNORECASE,
)
_TRAIL = re.compile(r",\"|〔|[章節条項]")
# What stands between two numbers of which the second cites because the first does.
_JOINT = re.compile(r"[ ,、・/~\-]*(?:and|or|to|と|や|及び|または|から|和|或|至)? ?$")


class CitedNumber(NamedTuple):
    """A number in a text that may cite a rule.

    number: the number, the first one of a range such as `103.2a-e`.
    last: the letter or number at the end of such a range; empty if there is none.
    cites: whether it looks like a citation even if no rule had this number: it has several steps,
        or it stands where rules are cited. Of `100 cards` it does not.
    """

    number: str
    last: str
    cites: bool


def split_at_numbers(text: str) -> tuple[list[str], list[CitedNumber]]:
    """Return the text around the numbers that may cite, and these numbers, in order.

    text: a text whose typography is folded (`kb.language.typography.fold_typography`).

    The first list has one item more than the second.

    >>> split_at_numbers("See rules 103.2a-e and 7. Draw 2.")[1]
    ... # doctest: +NORMALIZE_WHITESPACE
    [CitedNumber(number='103.2a', last='e', cites=True),
     CitedNumber(number='7', last='', cites=True),
     CitedNumber(number='2', last='', cites=False)]
    """
    around: list[str] = []
    numbers: list[CitedNumber] = []
    position = 0
    for match in _NUMBER.finditer(text):
        between = text[position : match.start()]
        last = match["last"] or ""
        number = match[0][: len(match[0]) - len(last)]
        joined = bool(numbers) and numbers[-1].cites and _JOINT.fullmatch(between) is not None
        cites = (
            not _PLAIN.fullmatch(number)
            or joined
            or _LEAD.search(between[-16:]) is not None
            or _TRAIL.match(text, match.end()) is not None
        )
        around.append(between)
        numbers.append(CitedNumber(number, last[1:], cites))
        position = match.end()
    around.append(text[position:])
    return around, numbers


def mask_numbers(text: str, mask: str = "#") -> str:
    """Return a text with a sign in place of each number that may cite: of several steps, or of
    three digits or four.

    text: as for `split_at_numbers`.

    >>> mask_numbers("See rule 614.1a, A-1-01, or 903. Draw 2 cards.")
    'See rule #, #, or #. Draw 2 cards.'
    """
    return _NUMBER.sub(lambda match: match[0] if _is_small(match[0]) else mask, text)


def _is_small(number: str) -> bool:
    """Return whether a number is a plain one of one or two digits: an amount rather than a rule."""
    return len(number) < 3 and number.isdigit()


_TOKEN = re.compile(r"[a-z0-9#']+|\w")  # a word in Latin letters, or one character of any other
_ENDING = re.compile(r"(?<=[a-z]{3})(?:'s|s'|e?s|e?d|ing|e)$")  # of an English word
_LONGEST_HEADING = 60  # characters: 99 of 100 sections of rulebooks have up to 42, sentences more
# Candidates for a rule: the few that share most of its rarest features. A feature that more
# rules have than `_COMMON` is not looked up. By hand, for time: each candidate is compared word by
# word; with fewer, the rule that is meant is not among them where many are worded alike.
_RAREST, _COMMON, _CANDIDATES = 16, 40, 6
# Between the same neighbours: the least score; the words that the shorter text must have for its
# being contained in the other to count; what it counts that the first words are the same. Set by
# hand, as those of `alignment`: little is enough there, as two rules in one gap are likely one.
_IN_PLACE, _CONTAINED = 0.25, 6
_BEGINNING, _BEGINNING_BONUS = 6, 0.15


# A book is compared with two others, which have most of its texts and numbers.
folded = lru_cache(1 << 13)(fold_typography)
key_of = lru_cache(1 << 14)(number_key)


class RuleTree:
    """The rules of one edition and how they are nested.

    texts: text by number, with its typography folded.
    key: the sort key of each number.
    numbers: all numbers, sorted.
    position: the index of each number in `numbers`.
    by_key: number by its sort key.
    children: the numbers directly below each number; below None are those at the top.
    parent: the nearest number above each number that the edition has, or None.
    rank: the index of each number among its siblings.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = {number: folded(text) for number, text in texts.items()}
        self.key: dict[str, Key] = {number: key_of(number) for number in texts}
        self.numbers = sorted(self.key, key=self.key.__getitem__)
        self.position = {number: index for index, number in enumerate(self.numbers)}
        self.by_key = {self.key[number]: number for number in self.numbers}
        self.children: dict[str | None, list[str]] = defaultdict(list)
        self.parent: dict[str, str | None] = {}
        self.rank: dict[str, int] = {}
        for number in self.numbers:
            parent = self._find_parent(number)
            self.parent[number] = parent
            self.rank[number] = len(self.children[parent])
            self.children[parent].append(number)

    def _find_parent(self, number: str) -> str | None:
        """Return the nearest number above a number that the edition has, or None.

        The number itself doesn't count: for `121.2a` that is `121.2`, or else `121`.
        """
        key = self.key[number][:-1]
        while key and key not in self.by_key:
            key = key[:-1]
        return self.by_key.get(key)

    def sibling(self, number: str, step: int) -> str | None:
        """Return the number of the sibling before or after a rule, or None.

        number: a rule of this edition.
        step: -1 for the sibling before it, 1 for the one after it.
        """
        siblings, index = self.children[self.parent[number]], self.rank[number] + step
        return siblings[index] if 0 <= index < len(siblings) else None

    @cached_property
    def features(self) -> dict[str, Counter[str]]:
        """{number of a rule: its words and pairs of words, with their counts}, for all rules."""
        return {number: _features(text) for number, text in self.texts.items()}

    @cached_property
    def frequencies(self) -> Counter[str]:
        """How many rules have each feature."""
        return Counter(chain.from_iterable(self.features.values()))

    def is_heading(self, number: str) -> bool:
        """Return whether the text of a rule is a heading: of up to 60 characters, and without a
        full stop, colon, ! or ? at its end. An empty text is none."""
        text = self.texts[number]
        return len(text) <= _LONGEST_HEADING and text[-1:] not in ".。:!?"

    def first_child(self, number: str) -> str | None:
        """Return the number of the first sub-rule of a rule, or None if it has none."""
        return next(iter(self.children.get(number, ())), None)


class _Weights(dict[str, float]):
    """How much each feature shows, the more the rarer it is; worked out when it is looked up."""

    def __init__(self, frequencies: Mapping[str, int], rules: int) -> None:
        super().__init__()
        self._frequencies, self._rules = frequencies, rules

    def __missing__(self, feature: str) -> float:
        return self.setdefault(feature, log(1 + self._rules / self._frequencies[feature]))


class RuleSimilarity:
    """The similarity of rules: the share of features (words and pairs of words) that they have in
    common, rare features counting more.

    Rules of one kind are worded alike ("X is a static ability"), so a feature that many rules
    have shows little. The numbers of cited rules do not count: they change although nothing is
    reworded.
    """

    def __init__(
        self, before: RuleTree, after: RuleTree, left: Iterable[str], right: Iterable[str]
    ) -> None:
        """left, right: the numbers before that are compared, and those after that are candidates
        for them."""
        self._before, self._after = before, after
        self._words_of: dict[str, list[str]] = {}
        self._old = {number: _features(before.texts[number]) for number in left}
        self._new = after.features
        frequencies = after.frequencies.copy()
        for features in self._old.values():
            frequencies.update(features.keys())
        self._weight = _Weights(frequencies, len(self._old) + len(self._new))
        self._old_weight = _TotalWeights(self._old, self._weight)
        self._new_weight = _TotalWeights(self._new, self._weight)
        self._cache: dict[tuple[str, str], tuple[float, float]] = {}
        self._numbers_with: dict[str, list[str]] = defaultdict(list)
        looked_up = set().union(*self._old.values())
        for number in right:
            for feature in looked_up.intersection(self._new[number]):
                self._numbers_with[feature].append(number)

    def __call__(self, old: str, new: str) -> float:
        """Return the similarity of a rule before and a rule after, from 0 to 1.

        old, new: the number of the rule before, and of the rule after.

        It is twice the weight of the shared features divided by the weight of both rules'
        features, 0 if neither has any.
        """
        return self._compare(old, new)[0]

    def containment(self, old: str, new: str) -> float:
        """Return how much of the shorter of two rules is in the longer one, from 0 to 1: the weight
        of the shared features divided by that of the shorter rule's. old, new: as above."""
        return self._compare(old, new)[1]

    def coverage(self, old: str, new: str, without: str | None = None) -> float:
        """Return how much of an old rule is in a new one, as a share of all of the old one, from 0
        to 1; of what another old rule, `without`, has not, if that is given."""
        ours = self._old[old]
        counted = ours - _features(self._before.texts[without]) if without else ours
        whole = self._old_weight[old]
        return self._shared(counted, self._new[new]) / whole if whole else 0.0

    def gain(self, old: str, new: str, without: str | None = None) -> float:
        """Return how much of what a new rule has, and another old rule, `without`, has not, is in
        an old one, from 0 to 1; 0 if it has nothing more."""
        theirs = self._new[new]
        gained = theirs - _features(self._before.texts[without]) if without else theirs
        whole = self._shared(gained, gained)
        return self._shared(gained, self._old[old]) / whole if whole else 0.0

    def words(self, old: str) -> int:
        """Return how many words an old rule has; of Japanese, characters."""
        return len(self._words(self._before, old))

    def in_place(self, old: str, new: str) -> float:
        """Return how much speaks for two rules between the same neighbours being one, 0 if too
        little: their similarity, that one may be contained in the other, that both begin alike.
        old, new: as above."""
        score = self(old, new)
        words, new_words = self._words(self._before, old), self._words(self._after, new)
        if min(len(words), len(new_words)) >= _CONTAINED:
            score = (score + self.containment(old, new)) / 2
        if words[:_BEGINNING] == new_words[:_BEGINNING] and len(words) >= _BEGINNING:
            score += _BEGINNING_BONUS
        return score if score >= _IN_PLACE else 0.0

    def _words(self, tree: RuleTree, number: str) -> list[str]:
        """Return the words of a rule of one of the editions. Results are cached."""
        text = tree.texts[number]
        if text not in self._words_of:
            self._words_of[text] = _words(text)
        return self._words_of[text]

    def _compare(self, old: str, new: str) -> tuple[float, float]:
        """Return the similarity and the containment of two rules, each from 0 to 1, and 0 where a
        text has no features. Results are cached."""
        if (old, new) not in self._cache:
            ours, theirs = self._old[old], self._new[new]
            shared = self._shared(ours, theirs)
            weights = self._old_weight[old], self._new_weight[new]
            self._cache[old, new] = (
                2 * shared / sum(weights) if sum(weights) else 0.0,
                shared / min(weights) if min(weights) else 0.0,
            )
        return self._cache[old, new]

    def candidates(self, old: str) -> list[str]:
        """Return the few new numbers that share most of the rarest features of an old rule, the
        best first; only numbers in `right`, matched since or not.

        At most `_CANDIDATES`; features that more than `_COMMON` rules have are not looked up. The
        list is empty if no rare feature is shared.
        """
        shared = [
            feature for feature in self._old[old] if len(self._numbers_with.get(feature, ())) > 0
        ]
        shared.sort(key=lambda feature: (len(self._numbers_with[feature]), feature))
        votes: Counter[str] = Counter()
        for feature in shared[:_RAREST]:
            if len(self._numbers_with[feature]) <= _COMMON:
                for new in self._numbers_with[feature]:
                    votes[new] += 1
        ranked = sorted(votes, key=lambda new: (-votes[new], self._after.key[new]))
        return ranked[:_CANDIDATES]

    def _shared(self, ours: Mapping[str, int], theirs: Mapping[str, int]) -> float:
        """Return the total weight of the features that two texts have, each as often as both have
        it. Always added up in the same order, as a sum of floats depends on it."""
        weight = self._weight
        return sum(
            [  # a list, as this is most of the time of an alignment
                weight[feature] * (count if count < theirs[feature] else theirs[feature])
                for feature, count in ours.items()
                if feature in theirs
            ]
        )


class _TotalWeights(dict[str, float]):
    """The weight of all features of each rule, by number; worked out when it is looked up."""

    def __init__(self, features: Mapping[str, Mapping[str, int]], weight: _Weights) -> None:
        super().__init__()
        self._features, self._weight = features, weight

    def __missing__(self, number: str) -> float:
        features = self._features[number].items()
        return self.setdefault(number, sum([self._weight[f] * count for f, count in features]))


@lru_cache(1 << 13)  # editions have most of their texts in common
def _features(text: str) -> Counter[str]:
    """Return the features of a text with their counts: its words (in Japanese its characters)
    and the pairs of adjacent words.

    text: with its typography folded. The key of a pair is both words with a space between.
    """
    words = _words(text)
    return Counter([*words, *(f"{first} {second}" for first, second in pairwise(words))])


def _words(text: str) -> list[str]:
    """Return the words of a text, in Japanese its characters, in lower case without punctuation; a
    number that may cite a rule as the word `#`.

    text: with its typography folded.
    """
    return [_ENDING.sub("", word) for word in _TOKEN.findall(mask_numbers(text).casefold())]
