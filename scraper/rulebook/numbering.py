"""Parses rule numbers, sorts them, and finds the lines of a rulebook that begin a rule.

A rulebook's way of numbering is not configured but inferred. Every line that begins with a number
is a candidate. The form that most candidates of a depth have is the usual form of that depth. The
rules are the heaviest chain of candidates whose numbers strictly increase.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Key = tuple[int, ...]  # what rule numbers are sorted by: see `number_key`
_DASHES = re.compile("[‐‑‒–−]")
_HEAD = re.compile(
    r"(?:第\s?(?P<chapter>\d{1,3}|[一二三四五六七八九十]{1,3})\s?[章部編](?P<after>[.．:：]?)(?P<space>\s*)(?=\S)"
    r"|(?P<number>\d{1,3}(?:[.．\-－‐‑‒–−]\d{1,3}){0,9}[a-zａ-ｚ]?)(?P<end>[.．]?)"
    r"(?:(?P<gap>\s+)(?=\S)|(?<=[.．])(?=[^\s\d])))"
)
_KANJI = "〇一二三四五六七八九十"
_SENTENCE_END = re.compile(r"[。．.!?！？:：;；…]['\"”’」』)）\]］】》]*$")
_LONGEST_HEADING = 80  # characters
_NOT_SUBRULES = (12, 15)  # the letters l and o: not used for subrules, as they look like digits


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line that begins with a number.

    line: the index of the line.
    number: the number as ids write it.
    key: what the number is sorted by.
    form: how the number is written: whether as a chapter (第7章), its separators, whether a dot
        or colon follows it, whether a space does.
    span: the start and end of the number in the line.
    start: where the text after the number starts in the line.
    """

    line: int
    number: str
    key: Key
    form: tuple[object, ...]
    span: tuple[int, int]
    start: int

    @property
    def depth(self) -> tuple[int, bool]:
        """The number of steps of the key, and whether the last step is a letter.

        The key of `121.2a` has the step 1 for its hundred, so that its depth is (4, True).
        """
        return len(self.key), self.number[-1:].isalpha()


def ends_sentence(text: str) -> bool:
    """Whether a text ends with the punctuation of a sentence, closing brackets ignored.

    Colon and ellipsis count as such; space at the end is ignored. False for an empty text.

    >>> ends_sentence("カードを引く。」"), ends_sentence("黄金律（ルール適用の原則）")
    (True, False)
    """
    return _SENTENCE_END.search(text.rstrip()[-12:]) is not None


def number_at(text: str, line: int = 0) -> NumberedLine | None:
    """Parse the number that a line begins with; None if it begins with no rule number.

    text: the line without indent, with text after the number (`1.` alone is no rule number).
    line: the index of the line, only passed on to the result.

    >>> [n and n.number for n in map(number_at, ("５－１－２　引く", "第7章 領域", "121.2a 引く"))]
    ['5-1-2', '7', '121.2a']
    >>> [n and n.number for n in map(number_at, ("第七章 領域", "第二十一部 付録"))]
    ['7', '21']
    >>> number_at("3枚のカード"), number_at("2025 年")
    (None, None)
    """
    match = _HEAD.match(text)
    if not match:
        return None
    group = "chapter" if match["chapter"] else "number"
    end, gap = match["after"] or match["end"], bool(match["space"] or match["gap"])
    number = _DASHES.sub("-", unicodedata.normalize("NFKC", _in_digits(match[group])))
    separators = tuple(sorted(set(re.sub(r"[0-9a-z]", "", number))))
    form = (group == "chapter", separators, bool(end), gap)
    return NumberedLine(line, number, number_key(number), form, match.span(group), match.end())


def _in_digits(number: str) -> str:
    """Return a number in digits; a number below a hundred may be written in kanji.

    A number that does not begin with a kanji is returned as it is, full-width digits included.
    """
    if number[0] not in _KANJI:
        return number
    tens, ten, ones = number.rpartition("十")
    return str((_KANJI.index(tens or "一") if ten else 0) * 10 + _KANJI.index(ones or "〇"))


def number_key(number: str) -> Key:
    """Return what a rule number is sorted by: its steps as integers, a letter as its position.

    A section of three digits gets its hundreds as the first step (121 is in chapter 1).

    number: a number in the form of `NumberedLine.number`, so not `第5章`. The key of an empty text
        is ().

    >>> number_key("5-1-2"), number_key("121.2a")
    ((5, 1, 2), (1, 121, 2, 1))
    """
    steps = [int(step) for step in re.findall(r"\d+", number)]
    if steps and steps[0] >= 100:
        steps.insert(0, steps[0] // 100)
    if number[-1:].isalpha():
        steps.append(ord(number[-1]) - ord("a") + 1)
    return tuple(steps)


def follows(before: Key, after: Key) -> bool:
    """Whether the key `after` comes directly after `before`, both as `number_key` gives them.

    That is its first child, its next sibling, or the next sibling of one of its ancestors. A first
    child ends in 1 or 0; letters may skip l and o. False for two equal keys.

    >>> follows((1, 2), (1, 2, 1)), follows((1, 2, 9), (1, 3)), follows((1, 2), (1, 4))
    (True, True, False)
    """
    if len(after) > len(before) and after[: len(before)] == before:
        return _are_first_steps(after, len(before))
    changed = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if changed is None:
        return False
    increase = after[changed] - before[changed]
    skips_letter = (
        increase == 2 and after[changed] - 1 in _NOT_SUBRULES and changed == len(after) - 1
    )
    return (increase == 1 or skips_letter) and _are_first_steps(after, changed + 1)


def _are_first_steps(key: Key, begin: int) -> bool:
    """Whether every step of a key from the index `begin` on is 0 or 1.

    A section of three digits is counted within its hundred (100 and 101 are first). True if the key
    has no step there.
    """
    for index in range(begin, len(key)):
        base = key[0] * 100 if index == 1 and key[1] >= 100 else 0
        if key[index] - base not in (0, 1):
            return False
    return True


def looks_like_heading(text: str) -> bool:
    """Whether a text has the shape of a heading: it is short and not a sentence.

    Short is at most 80 characters. True for an empty text.
    """
    return len(text) <= _LONGEST_HEADING and not ends_sentence(text)


def rule_lines(candidates: Sequence[NumberedLine], broken: frozenset[int]) -> list[NumberedLine]:
    """Return the candidates that begin a rule, in order; their keys strictly increase.

    candidates: what `number_at` returned for the lines, in the order of the lines.
    broken: the lines that continue a sentence of the line before, by `NumberedLine.line`.

    A number in an unusual form, or in a line that continues a sentence, must directly follow the
    number before it. A number to which both apply is not a rule.
    """
    forms: dict[tuple[int, bool], Counter[tuple[object, ...]]] = {}
    for candidate in candidates:
        forms.setdefault(candidate.depth, Counter())[candidate.form] += 1
    usual_forms = {depth: counts.most_common(1)[0][0] for depth, counts in forms.items()}
    weights = [
        1
        + 2 * (candidate.form == usual_forms[candidate.depth])
        + 3 * (candidate.line not in broken)
        for candidate in candidates
    ]
    kept: list[NumberedLine] = []
    for index in _heaviest_increasing([candidate.key for candidate in candidates], weights):
        candidate, weight = candidates[index], weights[index]
        is_next = bool(kept) and follows(kept[-1].key, candidate.key)
        if weight == 6 or (weight > 1 and is_next):
            kept.append(candidate)
    return kept


def _heaviest_increasing(keys: Sequence[Key], weights: Sequence[int]) -> list[int]:
    """Return the indices of the strictly increasing subsequence of keys with the most weight.

    The indices ascend. `weights` has a positive number for each key.

    A Fenwick tree over the ranks of the keys holds the best total weight up to each rank.
    """
    order = sorted(set(keys))
    best: list[tuple[int, int]] = [(0, -1)] * (
        len(order) + 1
    )  # total weight, index of the last key
    previous: list[int] = []  # of each key in its best chain
    for index, (key, weight) in enumerate(zip(keys, weights, strict=True)):
        rank = bisect_left(order, key)
        heaviest, node = (0, -1), rank
        while node > 0:
            heaviest = max(heaviest, best[node], key=lambda pair: pair[0])
            node -= node & -node
        previous.append(heaviest[1])
        node, total = rank + 1, heaviest[0] + weight
        while node <= len(order):
            if total > best[node][0]:
                best[node] = (total, index)
            node += node & -node
    node, last, total = len(order), -1, 0
    while node > 0:
        if best[node][0] > total:
            total, last = best[node]
        node -= node & -node
    chain = []
    while last >= 0:
        chain.append(last)
        last = previous[last]
    return chain[::-1]
