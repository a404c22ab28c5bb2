"""Suggests rules, terms, cards and pages while a person types."""

from __future__ import annotations

from dataclasses import dataclass

from graphs.edition_order import edition_key
from graphs.model import Node
from graphs.store.reader import Store
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_names import names_beginning, similar_names
from kb.result import ListResult, columns

_LONGEST = 100  # characters of what is typed: a guard, as in `find_names`
# Names that begin so; with fewer, names that are only alike are suggested, too. By hand: with more,
# what a slip may mean is pushed down a list that answers each key.
_FEWEST = 3
_MOST_NUMBERS = 60  # that begin so: a bound, as it answers each key


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that a person may mean.

    name: its name, or the number of a rule.
    how: how the name is like what was typed: `number`, `beginning`, or as
        `kb.query.lookup.find_names.SimilarName` says it.
    node: of a rule in several editions the newest.
    """

    name: str
    how: str
    node: Node


@dataclass(frozen=True, slots=True, repr=False)
class Suggestions(ListResult[Suggestion], items="suggestions", item="suggestion"):
    """What a person may mean who is typing, the likeliest first."""

    suggestions: tuple[Suggestion, ...]

    _COLUMNS = columns("name kind=node.kind game=node.game id=node.id")


def suggest(store: Store, typed: str, scope: Scope, most: int) -> Suggestions:
    """Return what a person may mean who has typed the beginning of a number or name, perhaps with
    slips, in kana or in romaji; nothing for white space.

    Rules by their numbers come first, then names that begin so, then, if these are fewer than
    three, names that are alike. A node comes once.

    scope: leaves out nodes without these values. most: at most how many.
    """
    typed = " ".join(typed.split())[:_LONGEST]
    if not typed:
        return Suggestions(())
    found = _numbered(store, typed, scope, most) if typed[0].isdigit() else []
    if len(found) < most:
        names = names_beginning(store, typed, scope, most)
        found += [Suggestion(each.name, "beginning", node) for each in names for node in each.nodes]
    if len(found) < min(_FEWEST, most):
        alike = similar_names(store, typed, scope, most)
        found += [Suggestion(each.name, each.how, node) for each in alike for node in each.nodes]
    first = {each.node.id: each for each in reversed(found)}
    return Suggestions(tuple(reversed(first.values()))[:most])


def _numbered(store: Store, typed: str, scope: Scope, most: int) -> list[Suggestion]:
    """Return the rules whose number begins as what was typed, each number and game once, in its
    newest edition; by number. They are among the first 60 numbers of the game, before the
    rest of the scope counts."""
    newest: dict[tuple[str | None, str | None], Node] = {}
    for node in store.rules_numbered(typed, _MOST_NUMBERS, scope.game):
        if scope.includes(node):
            key = node.game, node.number
            newest[key] = max(node, newest.get(key, node), key=lambda one: edition_key(one.edition))
    return [Suggestion(node.number or "", "number", node) for node in newest.values()][:most]
