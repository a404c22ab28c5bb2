"""Finds out what an update affects of what depends on all pages, so that the rest can stay.

Changed names affect everything, unless they belong to isolated terms, which share nothing with
other terms. Such a term comes with a link to a page that nothing else names, and goes with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from graphs.writing.labels import DefiningPassage, NodeLabels, NodeName
from graphs.writing.passage_annotations import PassageAnnotations
from kb.language.fold import fold
from kb.language.tokens import Tokenizer, tokenizer
from kb.resolve.mentions import NameLinker, search_keys
from kb.resolve.passages_to_search import name_queries
from kb.resolve.term_definitions import defining_passages


class Impact(NamedTuple):
    """What changed in an updated graph, as far as it matters for terms and concepts."""

    names_changed: bool  # some term has other names than before
    affects_synonyms: bool  # which terms of one game are one may be different
    affects_concepts: bool  # which terms of several games are one concept may be different
    redefined: Collection[str] = ()  # the terms that changed pages define
    definitions: Sequence[DefiningPassage] = ()  # the passages that define them now


EVERYTHING = Impact(True, True, True)


def update_impact(labels: NodeLabels, passages: PassageAnnotations) -> Impact:
    """Return what is affected by the names and definitions that differ from the old graph's.

    `redefined` has the terms that changed pages define, even if with the same words as before.

    Changed names affect everything, unless they belong to isolated terms. A changed definition
    affects concepts; an English one, which is the gloss of a sense, affects synonyms too.
    """
    names, before, now = labels.redefinitions("term")
    redefined = defining_passages(names, before) ^ defining_passages(names, now)
    changed = [name for names in labels.changed_names("term", original=True) for name in names]
    affects_synonyms = _affects_other_terms(changed, labels, passages, now) or any(
        lang == "en" for _, lang, _, _ in redefined
    )
    return Impact(
        names_changed=bool(changed),
        affects_synonyms=affects_synonyms,
        affects_concepts=affects_synonyms or bool(redefined),
        redefined={passage.node for passage in (*before, *now)},
        definitions=now,
    )


def _affects_other_terms(
    changed: Sequence[NodeName],
    labels: NodeLabels,
    passages: PassageAnnotations,
    definitions: Sequence[DefiningPassage],
) -> bool:
    """Whether changed names are shared with other terms, or may be found in any passage that was
    annotated before or in any of some definitions.

    changed: the names that were added or removed; if empty, the result is False.
    definitions: the passages that may define terms on changed pages now.
    """
    if not changed:
        return False
    folded = {name.folded for name in changed} | {name_in_id(name.node) for name in changed}
    holders = [name for names in labels.names_before_and_now("term", folded) for name in names]
    if not are_isolated(changed, labels.added_or_removed("term"), holders):
        return True
    texts = {name.text for name in changed}
    queries = (
        query for text in texts for query in name_queries(text, tokenizer(), passages.known_words)
    )
    return any(map(passages.any_match, queries)) or not none_mentioned_in(
        changed, definitions, tokenizer()
    )


def name_in_id(term: str) -> str:
    """Return the name in a term's id, folded.

    >>> name_in_id("g/term/ドロー")
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
        terms_by_name[name_in_id(term)].add(term)
    return all(len(sharers) == 1 for sharers in terms_by_name.values())


def none_mentioned_in(
    changed: Iterable[NodeName], definitions: Iterable[DefiningPassage], tokenizer: Tokenizer
) -> bool:
    """Return whether none of some definitions contains a changed name, in any inflection.

    True means that no name is mentioned; also if there are no names or definitions.
    """
    names = {name.text for name in changed}
    linker = NameLinker((name, key) for name in names for key in search_keys(name, tokenizer))
    return not any(
        any(linker.mentions(*tokenizer.entries(definition.text)))
        or any(fold(name) in fold(definition.text) for name in names)
        for definition in definitions
    )
