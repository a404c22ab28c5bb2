"""Measures of ranked answers to questions with known answers, and a table of them by class."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST = 10  # answers that count
UNANSWERABLE, SEVERAL = "unanswerable", "several"

# What an answer stands for: the ids of its passage, of the rule that it gives, and of their copies.
Entry = frozenset[str]


class Mean(NamedTuple):
    """The mean of some values and its standard error; both are nan if there are no values."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Result:
    """The answers that a system gave to one question.

    system: the name of the system.
    of: the class of the question, the set that it is from, and its part: `seen` or `held out`.
    right: the ids each of which answers the question; none if it is unanswerable.
    needed: for a question of several rules, the ids of which each set must be met by one.
    entries: the answers, best first; none if the system refused to answer.
    """

    system: str
    of: tuple[str, str, str]
    right: frozenset[str]
    needed: tuple[frozenset[str], ...]
    entries: tuple[Entry, ...]


def place(entries: Sequence[Entry], right: Collection[str]) -> int | None:
    """Return where the first right answer stands among the first ten, from 1; None if nowhere.

    >>> place([frozenset("a"), frozenset("bc")], {"c"})
    2
    """
    wanted = set(right)
    return next((at for at, entry in enumerate(entries[:MOST], 1) if entry & wanted), None)


def reciprocal_rank(entries: Sequence[Entry], right: Collection[str]) -> float:
    """Return 1 by the place of the first right answer, 0 if it is not among the first ten.

    >>> reciprocal_rank([frozenset("a"), frozenset("bc")], {"c"})
    0.5
    """
    return 1 / (place(entries, right) or math.inf)


def ndcg(entries: Sequence[Entry], right: Collection[str]) -> float:
    """Return the normalised discounted cumulative gain of the first ten answers, from 0 to 1.

    An answer gains 1 if it stands for a right id that no answer before it stands for. Right ids
    that one answer stands for together count once, in the ideal order, too.

    >>> ndcg([frozenset("a"), frozenset("bc")], {"b", "c"}), ndcg([frozenset("ab")], {"a", "b"})
    (0.6309297535714575, 1.0)
    """
    left, gained, together = set(right), 0.0, 0
    for at, entry in enumerate(entries[:MOST], 1):
        if found := entry & left:
            gained += 1 / math.log2(1 + at)
            together += len(found) - 1
            left -= found
    ideal = sum(1 / math.log2(1 + at) for at in range(1, 1 + min(MOST, len(right) - together)))
    return gained / ideal if ideal else 0.0


def share_of_needed(entries: Sequence[Entry], needed: Sequence[Collection[str]]) -> float:
    """Return the share of what a question needs that is among the first ten answers.

    needed: sets of ids; an answer that stands for one id of a set meets it.

    >>> share_of_needed([frozenset("a"), frozenset("b")], [{"a", "x"}, {"y"}])
    0.5
    """
    found = frozenset[str]().union(*entries[:MOST])
    return sum(not found.isdisjoint(ids) for ids in needed) / len(needed)


def mean(values: Iterable[float]) -> Mean:
    """Return the mean of some values and its standard error.

    The error is the values' standard deviation by the root of their number; for shares, whose
    values are 0 or 1, this is the binomial one.

    >>> mean([1, 0, 1, 0])
    Mean(value=0.5, error=0.25)
    """
    known = list(values)
    if not known:
        return Mean(math.nan, math.nan)
    middle = sum(known) / len(known)
    variance = sum((value - middle) ** 2 for value in known) / len(known)
    return Mean(middle, math.sqrt(variance / len(known)))


MEASURES: Mapping[str, Callable[[Result], float]] = {
    "first": lambda result: place(result.entries, result.right) == 1,
    "three": lambda result: (place(result.entries, result.right) or math.inf) <= 3,
    "MRR": lambda result: reciprocal_rank(result.entries, result.right),
    "nDCG@10": lambda result: ndcg(result.entries, result.right),
    "needed": lambda result: share_of_needed(result.entries, result.needed),
    "nothing": lambda result: not result.entries,
}
RANKING = ("first", "three", "MRR", "nDCG@10")
ALL = "all answerable"  # by one passage: without questions of several rules
_CLASSES = (
    "everyday-ja", "everyday-en", "ja-to-en", "en-to-ja", "definition", "near-miss",
    ALL, SEVERAL, UNANSWERABLE,
)  # fmt: skip
_LEGEND = """\
first, three: share with a right answer first, among the first three. MRR, nDCG@10: of the first
ten answers. needed: share of the rules needed that are among ten. nothing: share answered with
nothing. ±: one standard error of the mean (of shares: binomial). all answerable: by one passage."""


def measures_of(name: str) -> tuple[str, ...]:
    """Return the names of the measures of a class of questions."""
    if name == UNANSWERABLE:
        return ("nothing",)
    return ("needed", "nothing") if name == SEVERAL else (*RANKING, "nothing")


def groups(results: Iterable[Result]) -> dict[tuple[str, str, str], list[Result]]:
    """Return results by class, set and part, in the order of the table.

    Each is also counted in the set `both`, and, if one passage answers it, in the class
    `all answerable`.
    """
    found: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        name, of_set, part = result.of
        names = (name,) if name in (SEVERAL, UNANSWERABLE) else (name, ALL)
        for key in [(one, which, part) for one in names for which in (of_set, "both")]:
            found.setdefault(key, []).append(result)
    order = {name: at for at, name in enumerate(_CLASSES)}
    return {
        key: found[key]
        for key in sorted(
            found, key=lambda key: (order.get(key[0], -1), key[0], key[2] != "seen", key[1])
        )
        if key[1] != "both" or len({which for name, which, part in found if name == key[0]}) > 2
    }


def table(results: Iterable[Result]) -> list[str]:
    """Return the lines of a table of results: a line a class, set, part and system.

    The held-out part is only counted, never listed.
    """
    rows = groups(results)
    systems = list(dict.fromkeys(one.system for found in rows.values() for one in found))
    width = max(map(len, systems), default=0)
    head = f"{'class':15} {'part':8} {'set':6} {'number':>6} {'system':{width}}"
    lines = [_LEGEND, "", head + "".join(f" {name:>10} " for name in MEASURES)]
    for (name, of_set, part), found in rows.items():
        for system in systems:
            own = [result for result in found if result.system == system]
            lines.append(
                f"{name:15} {part:8} {of_set:6} {len(own):6} {system:{width}}"
                + _cells(own, measures_of(name))
            )
    return lines


def _cells(results: Sequence[Result], names: Collection[str]) -> str:
    """Return the cells of a line: each measure with its standard error, or nothing."""
    cells = []
    for name, measure in MEASURES.items():
        value, error = mean(measure(result) for result in results) if name in names else (0, 0)
        cells.append(f" {value:.3f} ±{error:.3f}" if name in names else " " * 13)
    return "".join(cells).rstrip()
