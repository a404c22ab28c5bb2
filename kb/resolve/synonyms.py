"""One concept, one node: terms that are known by their English names or by redirects alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from graphs.build.labels import NodeName
from kb.language.fold import fold

_Key = tuple[str, str]  # a game and a folded name


def synonymous_terms(
    named: Iterable[NodeName], acts: Callable[[str], bool | None] = lambda node: None
) -> dict[str, str]:
    """For terms that are others under another name, those others.

    A term with an English name only is the Japanese term of its game that has that name too; one
    that a redirect names is what the redirect leads to, also over several. Where there are several
    to choose from (カウンター and 打ち消す are both `counter`), or several with one English name
    (the senses of an entry), what `acts` knows of both decides: a verb is the sense that is an
    action, a noun the one that is none. Where that leaves more than one, none is taken.

    >>> draw = [
    ...     ("mtg/term/引く", "ja", "preferred", "引く"),
    ...     ("mtg/term/引く", "en", "preferred", "draw"),
    ...     ("mtg/term/Draw", "en", "preferred", "draw"),
    ...     ("mtg/term/引く", "ja", "redirect", "どろー"),
    ...     ("mtg/term/ドロー", "ja", "preferred", "どろー"),
    ... ]
    >>> synonymous_terms(NodeName(*row) for row in draw)
    {'mtg/term/Draw': 'mtg/term/引く', 'mtg/term/ドロー': 'mtg/term/引く'}
    """
    terms: set[str] = set()
    japanese: set[str] = set()
    english: dict[_Key, set[str]] = defaultdict(set)
    redirected: dict[_Key, set[str]] = defaultdict(set)
    for name in named:
        game, mark, _ = name.node.partition("/term/")
        if not mark:
            continue
        terms.add(name.node)
        if name.role == "redirect":
            redirected[game, name.folded].add(name.node)
        elif name.role == "preferred" and name.lang == "ja":
            japanese.add(name.node)
        elif name.role == "preferred" and name.lang == "en":
            english[game, name.folded].add(name.node)
    found: dict[str, set[str]] = defaultdict(set)
    for nodes in english.values():
        others, ours = nodes - japanese, nodes & japanese
        if len(others) == 1:
            found[others.pop()] |= ours
            continue
        senses = {node: acts(node) for node in others}
        alike = Counter(senses.values())
        for node, action in senses.items():
            if action is not None and alike[action] == 1:
                found[node] |= {one for one in ours if acts(one) is action}
    for node in terms:
        game, _, own = node.partition("/term/")
        found[node] |= redirected.get((game, fold(own)), set()) - {node}
    one = {node: next(iter(others)) for node, others in found.items() if len(others) == 1}
    return {node: last for node in sorted(one) if (last := _last(node, one)) != node}


def _last(node: str, one: dict[str, str]) -> str:
    """Where a chain ends; a circle leads nowhere."""
    seen = {node}
    end = node
    while (following := one.get(end)) is not None:
        if following in seen:
            return node
        seen.add(following)
        end = following
    return end
