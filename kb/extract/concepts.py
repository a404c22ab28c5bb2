"""One concept, one node: terms that are known by their English names alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphs.write import Named


def merged(named: Iterable[Named]) -> dict[str, str]:
    """For each term that has an English name only, the Japanese term of its game that has that
    name too. Where there are several (カウンター and 打ち消す are both `counter`) none is taken.

    >>> draw = [("mtg/term/引く", "mtg", "ja", "引く"), ("mtg/term/引く", "mtg", "en", "draw"),
    ...         ("mtg/term/Draw", "mtg", "en", "draw")]
    >>> merged(Named(*row) for row in draw)
    {'mtg/term/Draw': 'mtg/term/引く'}
    """
    japanese: set[str] = set()
    english: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in named:
        if name.lang == "ja":
            japanese.add(name.node)
        elif name.lang == "en":
            english[name.game, name.folded].add(name.node)
    found: dict[str, set[str]] = defaultdict(set)
    for nodes in english.values():
        for node in nodes - japanese:
            found[node] |= nodes & japanese
    return {node: others.pop() for node, others in sorted(found.items()) if len(others) == 1}
