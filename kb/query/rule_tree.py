"""The rules of one edition and how they are nested, for comparing editions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from kb.language.typography import fold_typography
from scraper.rulebook.numbering import Key, number_key


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
        self.texts = {number: fold_typography(text) for number, text in texts.items()}
        self.key: dict[str, Key] = {number: number_key(number) for number in texts}
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

    def first_child(self, number: str) -> str | None:
        """Return the number of the first sub-rule of a rule, or None if it has none."""
        return next(iter(self.children.get(number, ())), None)
