"""The numbers of a rulebook's rules: how it writes them, and which lines they begin.

No grammar is given beforehand. Every line that begins with a number is a candidate; how most
of the candidates of a depth are written is how this rulebook writes them; and the rules are
the heaviest chain of candidates whose numbers only ever go up.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Key = tuple[int, ...]
_DASHES = re.compile("[‐‑‒–−]")
_HEAD = re.compile(
    r"(?:第\s?(?P<chapter>\d{1,3}|[一二三四五六七八九十]{1,3})\s?[章部編](?P<after>[.．:：]?)(?P<space>\s*)(?=\S)"
    r"|(?P<number>\d{1,3}(?:[.．\-－‐‑‒–−]\d{1,3}){0,9}[a-zａ-ｚ]?)(?P<end>[.．]?)"
    r"(?:(?P<gap>\s+)(?=\S)|(?<=[.．])(?=[^\s\d])))"
)
_KANJI = "〇一二三四五六七八九十"
_SENTENCE_END = re.compile(r"[。．.!?！？:：;；…]['\"”’」』)）\]］】》]*$")
_LONGEST_HEADING = 80
_NOT_SUBRULES = (12, 15)  # the letters l and o, which look like digits


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line that begins with a number: where the number stands in it, where the text after it
    starts, and how it is written."""

    line: int
    number: str
    key: Key
    form: tuple[object, ...]
    span: tuple[int, int]
    start: int

    @property
    def depth(self) -> tuple[int, bool]:
        """How many steps the number has, and whether the last is a letter."""
        return len(self.key), self.number[-1:].isalpha()


def ends_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does.

    >>> ends_sentence("カードを引く。」"), ends_sentence("黄金律（ルール適用の原則）")
    (True, False)
    """
    return _SENTENCE_END.search(text.rstrip()[-12:]) is not None


def number_at(text: str, line: int = 0) -> NumberedLine | None:
    """The number that a line begins with, written as ids write it.

    >>> [n and n.number for n in map(number_at, ("５－１－２　引く", "第7章 領域", "121.2a 引く"))]
    ['5-1-2', '7', '121.2a']
    >>> [n and n.number for n in map(number_at, ("第七章 領域", "第二十一部 付録"))]
    ['7', '21']
    >>> number_at("3枚のカード"), number_at("2025 年")
    (None, None)
    """
    found = _HEAD.match(text)
    if not found:
        return None
    group = "chapter" if found["chapter"] else "number"
    end, gap = found["after"] or found["end"], bool(found["space"] or found["gap"])
    number = _DASHES.sub("-", unicodedata.normalize("NFKC", _in_digits(found[group])))
    marks = tuple(sorted(set(re.sub(r"[0-9a-z]", "", number))))
    form = (group == "chapter", marks, bool(end), gap)
    return NumberedLine(line, number, number_key(number), form, found.span(group), found.end())


def _in_digits(number: str) -> str:
    """A number below a hundred that may be written in kanji."""
    if number[0] not in _KANJI:
        return number
    tens, ten, ones = number.rpartition("十")
    return str((_KANJI.index(tens or "一") if ten else 0) * 10 + _KANJI.index(ones or "〇"))


def number_key(number: str) -> Key:
    """What a number is sorted by. A section of three digits stands under its hundreds.

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
    """Whether a number is the next after another: its first child, its next sibling, or the
    next sibling of an ancestor.

    >>> follows((1, 2), (1, 2, 1)), follows((1, 2, 9), (1, 3)), follows((1, 2), (1, 4))
    (True, True, False)
    """
    if len(after) > len(before) and after[: len(before)] == before:
        return _first(after, len(before))
    same = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if same is None:
        return False
    step = after[same] - before[same]
    skips = step == 2 and after[same] - 1 in _NOT_SUBRULES and same == len(after) - 1
    return (step == 1 or skips) and _first(after, same + 1)


def _first(key: Key, begin: int) -> bool:
    """Whether every step from a place on is the first of its kind."""
    for place in range(begin, len(key)):
        base = key[0] * 100 if place == 1 and key[1] >= 100 else 0
        if key[place] - base not in (0, 1):
            return False
    return True


def looks_like_heading(text: str) -> bool:
    """Whether a text is a heading by its shape: short, and no sentence."""
    return len(text) <= _LONGEST_HEADING and not ends_sentence(text)


def rule_lines(candidates: Sequence[NumberedLine], broken: frozenset[int]) -> list[NumberedLine]:
    """The candidates that are rules. `broken` holds the lines that go on with a sentence.

    A number that is written otherwise than its fellows, or stands where a sentence was
    broken, must be the very next one; one that is both is no rule.
    """
    forms: dict[tuple[int, bool], Counter[tuple[object, ...]]] = {}
    for one in candidates:
        forms.setdefault(one.depth, Counter())[one.form] += 1
    usual = {depth: tally.most_common(1)[0][0] for depth, tally in forms.items()}
    weights = [
        1 + 2 * (one.form == usual[one.depth]) + 3 * (one.line not in broken) for one in candidates
    ]
    kept: list[NumberedLine] = []
    for place in _heaviest_rise([one.key for one in candidates], weights):
        one, weight = candidates[place], weights[place]
        next_one = bool(kept) and follows(kept[-1].key, one.key)
        if weight == 6 or (weight > 1 and next_one):
            kept.append(one)
    return kept


def _heaviest_rise(keys: Sequence[Key], weights: Sequence[int]) -> list[int]:
    """The places of the heaviest strictly rising series of keys (a tree of best sums)."""
    order = sorted(set(keys))
    best: list[tuple[int, int]] = [(0, -1)] * (len(order) + 1)
    came: list[int] = []
    for place, (key, weight) in enumerate(zip(keys, weights, strict=True)):
        rank = bisect_left(order, key)
        top, at = (0, -1), rank
        while at > 0:
            top = max(top, best[at], key=lambda pair: pair[0])
            at -= at & -at
        came.append(top[1])
        at, total = rank + 1, top[0] + weight
        while at <= len(order):
            if total > best[at][0]:
                best[at] = (total, place)
            at += at & -at
    at, last, total = len(order), -1, 0
    while at > 0:
        if best[at][0] > total:
            total, last = best[at]
        at -= at & -at
    chain = []
    while last >= 0:
        chain.append(last)
        last = came[last]
    return chain[::-1]
