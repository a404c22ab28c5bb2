"""Matches items of two sequences without crossing: the chain of pairs with the highest score."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
# Pairs that are compared; of longer sequences only the ends. A guard, as time and memory grow with
# it: 63 rules on either side, of a gap between rules that match.
_MOST_CELLS = 4000


def best_chain(
    left: Sequence[Item], right: Sequence[Item], score: Callable[[Item, Item], float]
) -> list[tuple[Item, Item]]:
    """Return pairs of an item of each sequence, in order, whose scores add up to most.

    Both items of a pair come after those of the pair before. Items may stay alone, and a pair with
    a score of 0 is not in the result; scores are 0 or more. Of chains that add up to the same, the
    one whose pairs stand later is taken. If there are more than 4,000 possible pairs, an item is
    compared only with those that are as near the beginning or the end as it is.

    >>> best_chain("abc", "xbca", lambda one, other: float(one == other))
    [('b', 'b'), ('c', 'c')]
    """
    if len(left) * len(right) > _MOST_CELLS:
        return _as_near_the_ends(left, right, score)
    # totals[i][j]: the highest sum for left[i:] and right[j:].
    totals = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    scores = [[score(one, other) for other in right] for one in left]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            alone = max(totals[i + 1][j], totals[i][j + 1])
            totals[i][j] = max(alone, scores[i][j] and scores[i][j] + totals[i + 1][j + 1])
    chain, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if totals[i][j] == totals[i + 1][j]:
            i += 1
        elif totals[i][j] == totals[i][j + 1]:
            j += 1
        else:
            chain.append((left[i], right[j]))
            i, j = i + 1, j + 1
    return chain


def _as_near_the_ends(
    left: Sequence[Item], right: Sequence[Item], score: Callable[[Item, Item], float]
) -> list[tuple[Item, Item]]:
    """Return the pairs with a score above 0 of items that are as far from the beginning as one
    another, in the first half of the shorter sequence, or as far from the end."""
    shorter = min(len(left), len(right))
    first = shorter // 2
    last = shorter - first
    near = [*zip(left[:first], right[:first], strict=True)]
    near += zip(left[len(left) - last :], right[len(right) - last :], strict=True)
    return [(one, other) for one, other in near if score(one, other)]


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of the longest strictly increasing subsequence of some integers, in order;
    of several, one that ends with the least value. Empty for none.

    >>> longest_increasing([3, 1, 2, 0, 4])
    [1, 2, 4]
    """
    tails: list[int] = []  # the smallest last value of a subsequence of each length
    last: list[int] = []  # its index
    previous: list[int] = []
    for index, value in enumerate(values):
        length = bisect_left(tails, value)
        previous.append(last[length - 1] if length else -1)
        tails[length : length + 1] = [value]
        last[length : length + 1] = [index]
    chain, index = [], last[-1] if last else -1
    while index >= 0:
        chain.append(index)
        index = previous[index]
    return chain[::-1]
