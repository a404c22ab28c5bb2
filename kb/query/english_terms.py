"""Finds the names of terms in English texts, in which a build looks for no mentions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from graphs.store.reader import Store
from kb.language.english_finder import EnglishFinder, FoundName
from kb.query.answers.stop_words import ENGLISH_STOP_WORDS

_MOST_USES = 20_000  # edges to a term that are counted


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is known of the terms of a knowledge base.

    finders: of their names, by game. uses: how many edges lead to a term, of those that were asked
        for.
    """

    finders: dict[str | None, EnglishFinder]
    uses: dict[str, int] = field(default_factory=dict)


# Made when a text is first read; of a game with 10,000 terms it takes a tenth of a second.
_TERMS: WeakKeyDictionary[Store, _Terms] = WeakKeyDictionary()


def english_terms(store: Store, text: str, game: str | None) -> list[FoundName]:
    """Return where an English text has names of terms of a game, in any common inflection, in
    order and without overlaps: of several names that begin at a word, the longest. Of terms that
    have one name, the one that most refers to comes first. Everyday words such as `if` are no names
    here.
    """
    terms = _TERMS.get(store)
    if terms is None:
        names: dict[str | None, list[tuple[str, str]]] = defaultdict(list)
        for term, name, of_game in store.english_term_names():
            if name.casefold() not in ENGLISH_STOP_WORDS:
                names[of_game].append((term, name))
        terms = _TERMS[store] = _Terms({of: EnglishFinder(each) for of, each in names.items()})
    found = terms.finders[game].find(text) if game in terms.finders else []
    return [_most_used_first(store, terms.uses, each) for each in found]


def _most_used_first(store: Store, uses: dict[str, int], found: FoundName) -> FoundName:
    """Return a name with its terms sorted by how often they are referred to, then by id.

    uses: the numbers that are known; those that are looked up are added.
    """
    if len(found.concepts) < 2:
        return found
    uses |= store.uses(set(found.concepts) - uses.keys(), _MOST_USES)
    ranked = sorted(found.concepts, key=lambda term: (-uses[term], term))
    return found._replace(concepts=tuple(ranked))
