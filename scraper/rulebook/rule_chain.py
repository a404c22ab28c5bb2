"""Finds the lines of a rulebook that begin a rule: the heaviest chain of ascending numbers.

A rulebook's way of numbering is not configured but inferred. Every line that begins with a number
is a candidate. The form that most candidates of a depth have is the usual form of that depth. The
rules are the heaviest chain of candidates whose numbers strictly increase.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from scraper.rulebook.numbering import Depth, Form, Key, NumberedLine, follows


def rule_lines(candidates: Sequence[NumberedLine], broken: frozenset[int]) -> list[NumberedLine]:
    """Return the candidates that begin a rule, in order; their keys strictly increase.

    candidates: what `number_at` returned for the lines, in the order of the lines.
    broken: the lines that continue a sentence of the line before, by `NumberedLine.line`.

    A number in an unusual form, or in a line that continues a sentence, must directly follow the
    number before it. A number to which both apply is not a rule.
    """
    usual_forms = _usual_forms(candidates)
    weights = [
        1
        + 2 * (candidate.form == usual_forms[candidate.depth])
        + 3 * (candidate.line not in broken)
        for candidate in candidates
    ]
    kept: list[NumberedLine] = []
    for index in _heaviest_increasing([candidate.key for candidate in candidates], weights):
        candidate, weight = candidates[index], weights[index]
        is_next = follows(kept[-1].key if kept else (), candidate.key)
        if weight == 6 or (weight > 1 and is_next):
            kept.append(candidate)
    return kept


def _usual_forms(candidates: Sequence[NumberedLine]) -> dict[Depth, Form]:
    """Return the form that most candidates of each depth have.

    Those with sub-rules decide, where a depth has any: a chapter's heading does, while the lines of
    a table or list may be more than the chapters, but have none.
    """
    forms: dict[Depth, Counter[Form]] = {}
    for candidate, following in zip_longest(candidates, candidates[1:]):
        has_sub_rules = following and following.key[: len(candidate.key)] == candidate.key
        counts = forms.setdefault(candidate.depth, Counter())
        counts[candidate.form] += len(candidates) if has_sub_rules else 1
    return {depth: counts.most_common(1)[0][0] for depth, counts in forms.items()}


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
