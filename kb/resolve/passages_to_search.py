"""Finds the passages to search for mentions again in an update, when names come or go.

Of all passages only those can mention a name whose words add up to it. A query of the full-text
index finds these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from graphs.writing.labels import NodeLabels
from graphs.writing.passage_annotations import PassageAnnotations
from kb.language.tokens import SPLIT_WORDS, Tokenizer, tokenizer
from kb.resolve.mentions import search_keys, searchable_names, spellings

_MANY_SPELLINGS = 2000  # beyond this all passages of a game are annotated again

# Looks pieces of text up among the words of all passages, and returns the words whose spelling or
# normal form, folded, is one of them: (spelling, normal form folded, normal form). The last is
# empty for a function word, as the search index has none.
WordLookup = Callable[[Sequence[str]], Iterable[tuple[str, str, str]]]


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

    key: a search key of the name (`kb.resolve.mentions.search_keys`). A mention is a sequence of
        words whose spellings or normal forms add up to it.
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
    """The query for a key, as `passages_with_name` returns it.

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
    """The quoted search terms for a normal form: itself, and a word of SPLIT_WORDS it is part of,
    as the index has that instead."""
    for term in (form, *(whole for parts, whole in SPLIT_WORDS.items() if form in parts)):
        yield '"' + term.replace('"', '""') + '"'
