"""Tests whether terms that were added or removed share nothing with other terms.

Such a term comes with a link to a page that nothing else names, and goes with the link. As it
affects no other term, an update need not resolve the others again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from graphs.writing.labels import DefiningPassage, NodeName
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.resolve.mentions import NameLinker, search_keys


def own_name(term: str) -> str:
    """Return the name in a term's id, folded.

    >>> own_name("g/term/ドロー")
    'どろー'
    """
    return fold(term.partition("/term/")[2])


def are_isolated(
    changed: Collection[NodeName], flipped: Collection[str], holders: Iterable[NodeName]
) -> bool:
    """Return whether changed names belong to terms that share no name with any other term.

    changed: the names that were added or removed.
    flipped: the ids of the terms that were added or removed.
    holders: the names of every term that had or has one of the changed names, or the name in the
        id of their terms.

    False too if a changed name belongs to a term that is neither added nor removed, or is a
    redirect.

    >>> new = NodeName("g/term/山", "ja", "preferred", "山", "山")
    >>> are_isolated([new], ["g/term/山"], [new])
    True
    >>> are_isolated([new], ["g/term/山"], [new, NodeName("h/term/岳", "ja", "alias", "山", "山")])
    False
    """
    terms = {name.node for name in changed}
    if not terms.issubset(flipped) or any(name.role == "redirect" for name in changed):
        return False
    terms_by_name: dict[str, set[str]] = defaultdict(set)
    for name in holders:
        terms_by_name[name.folded].add(name.node)
    for term in terms:
        terms_by_name[own_name(term)].add(term)
    return all(len(sharers) == 1 for sharers in terms_by_name.values())


def unmentioned(
    changed: Iterable[NodeName], definitions: Iterable[DefiningPassage], tokenizer: Tokenizer
) -> bool:
    """Return whether none of some definitions contains a changed name, in any inflection."""
    names = {name.text for name in changed}
    linker = NameLinker((name, key) for name in names for key in search_keys(name, tokenizer))
    return not any(
        any(linker.mentions(*tokenizer.entries(definition.text)))
        or any(fold(name) in fold(definition.text) for name in names)
        for definition in definitions
    )
