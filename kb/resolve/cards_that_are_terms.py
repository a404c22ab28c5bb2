"""Merges cards that texts only name in both languages into the terms of the same name.

A text that writes `墓地/Graveyard` does not say whether it speaks of a card. If some page is about
the term, and none about such a card, it speaks of the term.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from graphs.writing.labels import NodeLabels, NodeName
from kb.extract.names_in_text import RANK
from kb.extract.page_context import NOTICE_RANK


def cards_that_are_terms(labels: NodeLabels) -> dict[str, str]:
    """Return {id of a card that texts only name: id of the term of that name}, sorted by key."""
    cards = labels.claimed_at_best("card", RANK, NOTICE_RANK)
    if not cards:
        return {}
    terms = {card: card.replace("/card/", "/term/", 1) for card in cards}
    names = [*labels.names_of("card", cards), *labels.names_of("term", terms.values())]
    return terms_of_cards(terms, names)


def terms_of_cards(terms: Mapping[str, str], names: Iterable[NodeName]) -> dict[str, str]:
    """Return those of some cards whose term exists, and has the same English name or none.

    terms: {id of a card: id that the term of that name has}.
    names: all names of the cards and of the terms that exist.

    >>> names = [
    ...     NodeName("g/card/山", "en", "preferred", "mount", "Mount"),
    ...     NodeName("g/term/山", "ja", "preferred", "山", "山"),
    ... ]
    >>> terms_of_cards({"g/card/山": "g/term/山", "g/card/川": "g/term/川"}, names)
    {'g/card/山': 'g/term/山'}
    """
    english: dict[str, set[str]] = defaultdict(set)
    named = set()
    for name in names:
        named.add(name.node)
        if name.lang == "en":
            english[name.node].add(name.folded)
    return {
        card: term
        for card, term in sorted(terms.items())
        if term in named and (not english[term] or english[term] & english[card])
    }
