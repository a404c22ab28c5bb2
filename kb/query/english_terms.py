"""Finds the names of terms in English texts, in which a build looks for no mentions."""

from __future__ import annotations

from collections import defaultdict
from weakref import WeakKeyDictionary

from graphs.store.reader import Store
from kb.language.english_finder import EnglishFinder, FoundName
from kb.query.answers.stop_words import ENGLISH_STOP_WORDS

# Made when a text is first read; of a game with 10,000 terms it takes a tenth of a second.
_FINDERS: WeakKeyDictionary[Store, dict[str | None, EnglishFinder]] = WeakKeyDictionary()


def english_terms(store: Store, text: str, game: str | None) -> list[FoundName]:
    """Return where an English text has names of terms of a game, in any common inflection, in
    order and without overlaps: of several names that begin at a word, the longest. Everyday
    words such as `if` are no names here.
    """
    finders = _FINDERS.get(store)
    if finders is None:
        names: dict[str | None, list[tuple[str, str]]] = defaultdict(list)
        for term, name, of_game in store.english_term_names():
            if name.casefold() not in ENGLISH_STOP_WORDS:
                names[of_game].append((term, name))
        finders = _FINDERS[store] = {of: EnglishFinder(found) for of, found in names.items()}
    return finders[game].find(text) if game in finders else []
