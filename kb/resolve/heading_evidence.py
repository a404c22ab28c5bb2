"""Tells headings of one number that translate each other from those that only share the number.

A translation may give a chapter another title than the original. Where the rules use both headings
as words, they must use them together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from graphs.writing.aligned_rules import StatedRule
from kb.language.fold import fold
from kb.resolve.aligned_texts import EnglishName, english_key

_FEWEST = 4  # rules that use a heading as a word, for it to tell anything
_LEAST_DICE = 0.3  # the share of two headings' uses that they have in common
_LONGEST = 6_000  # characters of a rule that are read


class HeadingEvidence:
    """Which rules of one game use which words, in Japanese and English.

    groups: the rules of one number and edition in each language.
    """

    def __init__(self, groups: Iterable[Sequence[StatedRule]]) -> None:
        self._japanese: dict[str, set[int]] = defaultdict(set)  # by two letters, folded
        self._english: dict[str, set[int]] = defaultdict(set)  # by stem
        for place, group in enumerate(groups):
            for rule in group:
                text = rule.text[rule.start : rule.start + _LONGEST]
                if rule.lang == "ja":
                    for pair in _letter_pairs(fold(text)):
                        self._japanese[pair].add(place)
                elif rule.lang == "en":
                    for stem in english_key(text):
                        self._english[stem].add(place)

    def speaks_against(self, japanese: str, english: str) -> bool:
        """Return whether rules use two headings often, and hardly ever together.

        >>> rules = [
        ...     [StatedRule("", "g", "1", "1", "ja", "", "", "札を引く。", 0, 5),
        ...      StatedRule("", "g", "1", "1", "en", "", "", text, 0, 12)]
        ...     for text in ["Draw a card.", "A condition.", "The card.", "Any condition."] * 9
        ... ]
        >>> evidence = HeadingEvidence([*rules, *[rule[:1] for rule in rules * 9]])
        >>> evidence.speaks_against("札を引く", "Conditions"), evidence.speaks_against("山", "Deck")
        (True, False)
        """
        ours = _common(self._japanese, _letter_pairs(fold(japanese)))
        theirs = _common(self._english, english_key(english))
        if min(len(ours), len(theirs)) < _FEWEST:
            return False
        return 2 * len(ours & theirs) < _LEAST_DICE * (len(ours) + len(theirs))


def _letter_pairs(text: str) -> set[str]:
    """Return what stands beside each other in a text; of a single letter, that letter."""
    return {one + other for one, other in pairwise(text)} or {text}


def _common(places: dict[str, set[int]], keys: Iterable[str] | EnglishName) -> set[int]:
    """Return the places that all of some keys have."""
    found = [places.get(key, set()) for key in keys]
    return set.intersection(*found) if found else set()
