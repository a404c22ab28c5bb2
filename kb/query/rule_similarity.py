"""Measures how alike the rules of two editions are, by their words, rare ones counting more."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import log

from kb.query.cited_numbers import mask_numbers
from kb.query.rule_tree import RuleTree
from scraper.rulebook.numbering import number_key

_TOKEN = re.compile(r"[a-z0-9#']+|\w")
# Candidates for a rule: the few that share most of its rarest features. A feature that more
# rules have than `_COMMON` is not looked up.
_RAREST, _COMMON, _CANDIDATES = 16, 40, 6


class RuleSimilarity:
    """The similarity of rules: the share of features (words and pairs of words) that they have in
    common, rare features counting more.

    Rules of one kind are worded alike ("X is a static ability"), so a feature that many rules
    have shows little. The numbers of cited rules do not count: they change although nothing is
    reworded.
    """

    def __init__(self, before: RuleTree, after: RuleTree, right: Iterable[str]) -> None:
        """right: the numbers after that are candidates."""
        old_features = {number: _features(text) for number, text in before.texts.items()}
        new_features = {number: _features(text) for number, text in after.texts.items()}
        self._old, self._new = old_features, new_features
        frequencies = Counter(
            feature
            for by_number in (old_features, new_features)
            for features in by_number.values()
            for feature in features
        )
        rules = len(old_features) + len(new_features)
        self._weight = {feature: log(1 + rules / count) for feature, count in frequencies.items()}
        self._cache: dict[tuple[str, str], float] = {}
        self._numbers_with: dict[str, list[str]] = defaultdict(list)
        for number in right:
            for feature in new_features[number]:
                self._numbers_with[feature].append(number)

    def __call__(self, old: str, new: str) -> float:
        """Return the similarity of a rule before and a rule after, from 0 to 1.

        old, new: the number of the rule before, and of the rule after.

        It is twice the weight of the shared features divided by the
        weight of both rules' features, 0 if neither has any. Results are cached.
        """
        if (old, new) not in self._cache:
            ours, theirs = self._old[old], self._new[new]
            total = self._sum(ours) + self._sum(theirs)
            self._cache[old, new] = 2 * self._sum(ours & theirs) / total if total else 0.0
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
        ranked = sorted(votes, key=lambda new: (-votes[new], number_key(new)))
        return ranked[:_CANDIDATES]

    def _sum(self, features: Mapping[str, int]) -> float:
        """Return the total weight of some features, each as often as it occurs."""
        return sum(self._weight[feature] * count for feature, count in features.items())


def _features(text: str) -> Counter[str]:
    """Return the features of a text with their counts: its words (in Japanese its characters)
    and the pairs of adjacent words, without the numbers of cited rules.

    text: with its typography folded.

    The text is lower-cased, and punctuation is skipped. A cited number counts as the word `#`. The
    key of a pair is both words with a space between.
    """
    tokens = _TOKEN.findall(mask_numbers(text).casefold())
    return Counter(tokens) + Counter(f"{first} {second}" for first, second in pairwise(tokens))
