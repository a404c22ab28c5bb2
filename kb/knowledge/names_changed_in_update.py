"""What of a graph must be resolved again in a second build, because pages changed.

`update_impact` says what resolving the change affects. `mark_passages` finds the passages in which
names that came or went may be mentioned: only those can mention a name whose words add up to it,
and a query of the full-text index finds these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from graphs.writing.names_and_merges import DefiningPassage, NodeLabels, NodeName
from graphs.writing.passage_annotations import PassageAnnotations
from kb.knowledge.compared_definitions import defining_passages
from kb.knowledge.names.mentions import NameLinker, search_keys, searchable_names, spellings
from kb.language.fold import fold
from kb.language.tokens import SPLIT_WORDS, Tokenizer, tokenizer

# From so many on all passages of a game are annotated again. By hand: each spelling is a query of
# the index, and so many of them take longer than to read the passages.
_MANY_SPELLINGS = 2000

# Looks pieces of text up among the words of all passages, and returns the words whose spelling or
# normal form, folded, is one of them: (spelling, normal form folded, normal form). The last is
# empty for a function word, as the search index has none.
WordLookup = Callable[[Sequence[str]], Iterable[tuple[str, str, str]]]


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

    `redefined` has the terms that changed pages define or defined, even if with the same words as
    before.

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
    """Return the name in a term's id, folded, with a qualifier if it has one; empty for the id of
    anything else.

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
    """Return whether none of some definitions contains a changed name, in any inflection or,
    folded, as a part of a word.

    True means that no name is mentioned; also if there are no names or definitions.
    """
    names = {name.text for name in changed}
    linker = NameLinker((name, key) for name in names for key in search_keys(name, tokenizer))
    return not any(
        any(linker.mentions(*tokenizer.entries(definition.text)))
        or any(fold(name) in fold(definition.text) for name in names)
        for definition in definitions
    )


def mark_passages(labels: NodeLabels, passages: PassageAnnotations) -> None:
    """Update the spellings that passages are searched for, and mark the passages that may hold
    one that is new or gone, so that they are annotated again.

    labels: those of the updated graph, which knows which names changed. Nothing is annotated
        here; passages whose links the update affects are marked, too.
    """
    folded = {name.folded for changed in labels.changed_names("term") for name in changed}
    before, now = (
        searchable_names(holders) for holders in labels.names_before_and_now("term", folded)
    )
    gone, new = ([*spellings(names, tokenizer())] for names in (before - now, now - before))
    passages.update_spellings(gone, new)
    changed = {(spelling.game, spelling.spelled) for spelling in (*gone, *new)}
    if len(changed) >= _MANY_SPELLINGS:
        for game in sorted({game for game, _ in changed}):
            passages.mark_matching(game, None)
    else:
        for game, spelled in sorted(changed):
            query = passages_with_name(spelled, passages.known_words)
            if query != "":
                passages.mark_matching(game, query)
    passages.mark_linked()


def passages_with_name(key: str, known_words: WordLookup) -> str | None:
    """Return a full-text query that finds every passage in which a name may be mentioned.

    It finds other passages, too. It is None if any passage may mention the name, and empty if
    none can.

    key: a search key of the name (`kb.knowledge.names.mentions.search_keys`). A mention is a
        sequence of words whose spellings or normal forms add up to it.
    known_words: looks strings up among the words that passages contain, and returns (spelling
        folded, normal form folded, normal form) of each word that has one of them as a folded
        form. The last is empty for a function word.

    >>> def known_words(pieces):
    ...     known = [("ひく", "引く", "引く"), ("カード", "カード", "カード"), ("を", "を", "")]
    ...     return [word for word in known if set(word[:2]) & set(pieces)]
    >>> passages_with_name("カードを引く", known_words)
    '("カード") AND ("引く")'
    >>> passages_with_name("札を引く", known_words)
    ''
    """
    pieces = sorted({key[i:j] for i in range(len(key)) for j in range(i, len(key) + 1)})
    normal: dict[str, set[str]] = defaultdict(set)
    for spelled, folded, form in known_words([piece for piece in pieces if piece]):
        normal[spelled].add(form)
        normal[folded].add(form)
    return _query(key, normal)


def name_queries(name: str, tokenizer: Tokenizer, known_words: WordLookup) -> Iterator[str | None]:
    """Yield full-text queries that together find every passage that may mention a name.

    There is one for each search key, and for an English name another, which also finds passages
    whose words have the same stems. As in `passages_with_name`, None means that any passage may
    mention the name, and an empty query that none can.

    name: as it is written, not folded; known_words: as in `passages_with_name`.
    """
    if name.isascii() and any(map(str.isalnum, name)):
        yield from _search_terms(name)
    for key in search_keys(name, tokenizer):
        yield passages_with_name(key, known_words)


def _query(key: str, normal: Mapping[str, set[str]]) -> str | None:
    """Return the query for a key, as `passages_with_name` does: None or empty, too.

    normal: {piece of the key that is a word's folded spelling or normal form: the normal forms of
        these words}; a form is empty for a function word.

    Each character of the key belongs to some word of a mention, so one of the words that may
    contain the character must be in the passage.
    """
    length = len(key)
    pieces = {(i, j) for i in range(length) for j in range(i + 1, length + 1) if key[i:j] in normal}
    # Words can make up key[:i] for each i in `prefixes`, and key[i:] for each i in `suffixes`.
    prefixes, suffixes = {0}, {length}
    for i, j in sorted(pieces):
        prefixes |= {j} if i in prefixes else set()
    for i, j in sorted(pieces, key=lambda piece: -piece[1]):
        suffixes |= {i} if j in suffixes else set()
    if 0 not in suffixes:
        return ""
    fitting = [(i, j) for i, j in pieces if i in prefixes and j in suffixes]
    clauses = set()
    for position in range(length):
        forms = {form for i, j in fitting if i <= position < j for form in normal[key[i:j]]}
        # A form without letters (a function word or sign) can't be searched for: no clause then.
        if all(any(map(str.isalnum, form)) for form in forms):
            clauses.add(frozenset(term for form in forms for term in _search_terms(form)))
    # A clause that contains another is implied by it.
    minimal = [clause for clause in clauses if not any(other < clause for other in clauses)]
    return " AND ".join(sorted(f"({' OR '.join(sorted(clause))})" for clause in minimal)) or None


def _search_terms(form: str) -> Iterator[str]:
    """Yield the quoted search terms for a normal form: itself, then each word of SPLIT_WORDS that
    it is a part of, as the index has that instead. Quotation marks in it are doubled."""
    for term in (form, *(whole for parts, whole in SPLIT_WORDS.items() if form in parts)):
        yield '"' + term.replace('"', '""') + '"'
