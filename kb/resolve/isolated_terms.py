"""Terms that come or go and have nothing in common with any other: a link to a page that nobody
named before gives such a one, and is taken away again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from graphs.build.labels import DefiningPassage, NodeName
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.resolve.mentions import NameLinker, search_keys


def own_name(term: str) -> str:
    """What a term's id calls it, as names are looked up."""
    return fold(term.partition("/term/")[2])


def are_isolated(
    changed: Collection[NodeName], flipped: Collection[str], called: Iterable[NodeName]
) -> bool:
    """Whether names that changed are of terms that have nothing in common with others.

    changed: names that are new or gone; flipped: the terms that are there now and were not before,
    or the other way; called: every term that had or has one of these names, or is called so by its
    id.

    >>> new = NodeName("g/term/山", "ja", "preferred", "山", "山")
    >>> are_isolated([new], ["g/term/山"], [new])
    True
    >>> are_isolated([new], ["g/term/山"], [new, NodeName("h/term/岳", "ja", "alias", "山", "山")])
    False
    """
    terms = {name.node for name in changed}
    if not terms.issubset(flipped) or any(name.role == "redirect" for name in changed):
        return False
    holders: dict[str, set[str]] = defaultdict(set)
    for name in called:
        holders[name.folded].add(name.node)
    for term in terms:
        holders[own_name(term)].add(term)
    return all(len(nodes) == 1 for nodes in holders.values())


def unmentioned(
    changed: Iterable[NodeName], definitions: Iterable[DefiningPassage], words: Tokenizer
) -> bool:
    """Whether none of some definitions speaks of the terms whose names changed."""
    names = {name.text for name in changed}
    linker = NameLinker((name, way) for name in names for way in search_keys(name, words))
    return not any(
        any(linker.mentions(*words.entries(one.text)))
        or any(fold(name) in fold(one.text) for name in names)
        for one in definitions
    )
