"""Reads the concepts that drafts are checked against: a game's terms, its cards, other games'."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.common_filters import Scope
from kb.termbase.concepts import concepts
from kb.termbase.model import Concept, ConceptName, Reason, Status

_SURE = 22.0  # the least score of a proposed name: that of two rules that have it and no other
_REASONS: dict[str, Reason] = {
    "preferred": "title", "alias": "alias", "redirect": "redirect",
    "abbreviation": "abbreviation",
}  # fmt: skip


def names_only(nodes: Iterable[Node]) -> Iterator[Concept]:
    """Yield terms or cards as concepts that have nothing but their names: readings are left out,
    and what only lists of names call a term.

    nodes: of any games.
    """
    for node in nodes:
        names = tuple(
            ConceptName(label.lang, label.text, _status(label.role), _REASONS[label.role])
            for label in node.labels
            if label.role in _REASONS
        )
        if names:
            yield Concept(node.id, node.game, names, "card" if node.kind == "card" else "term")


def other_games_terms(store: Store, game: str) -> Iterator[Concept]:
    """Yield the terms of all games but one."""
    yield from names_only(node for node in store.terms(None, None, None) if node.game != game)


def cards_of(store: Store, game: str) -> Iterator[Concept]:
    """Yield the cards of a game, but for names of lists that may be names of terms as well."""
    cards = names_only(node for node in store.nodes("card") if node.game == game)
    yield from (card for card in cards if any(name.status == "preferred" for name in card.names))


def _status(role: str) -> Status:
    return "preferred" if role == "preferred" else "admitted"


def without_listed_names(concepts: Iterable[Concept]) -> Iterator[Concept]:
    """Yield concepts without what only lists of names call them, but for those that a person
    decides on; a concept without other names is left out."""
    for concept in concepts:
        if any(name.why == "decision" for name in concept.names):
            yield concept
        elif names := tuple(name for name in concept.names if name.why != "list"):
            yield replace(concept, names=names)


def game_terms(store: Store, game: str) -> Iterator[Concept]:
    """Yield the terms of a game as the termbase has them, without names that little speaks for, and
    without notes on readings: of a name that a person decides on, the person's note is shown."""
    for concept in concepts(store, Scope(game=game)):
        sure = (name for name in concept.names if (name.score or _SURE) >= _SURE)
        names = tuple(replace(name, note="") for name in sure)
        if names:
            yield replace(concept, names=names)
