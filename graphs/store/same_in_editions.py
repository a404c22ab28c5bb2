"""Tells which nodes are the same thing in several editions and languages: rules, and what stands on
a rulebook's pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphs.store.sql_batches import batches

_QUERY = (
    "SELECT n.key, coalesce(n.edition, g.edition), n.lang, n.kind, n.game, n.number, n.source, "
    "n.label, n.text, s.label FROM node n LEFT JOIN node g ON g.key = n.page "
    "LEFT JOIN node s ON s.key = n.section WHERE n.key IN ({marks})"
)


_NUMBERS = (
    "SELECT key, number FROM node WHERE key IN ({marks}) AND kind = 'rule' AND number NOT NULL"
)


class InEdition(NamedTuple):
    """A node, split into what it is, in which edition and in which language.

    thing: equal for nodes that differ only by edition, and for rules that differ only by edition
        and language.
    edition: its edition, or that of its page; None if it has none.
    lang: its language; None if it has none.
    """

    thing: tuple[object, ...]
    edition: str | None
    lang: str | None


def split_by_edition(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, InEdition]:
    """Return {key: what the node is, and its edition}; unknown keys are left out.

    Rules are the same by their number, in any language, and whatever stands on the pages of a
    rulebook by its section and text. A node without an edition is only the same as itself.
    """
    found: dict[int, InEdition] = {}
    for batch in batches(keys):
        marks = ",".join("?" * len(batch))
        for key, edition, lang, *fields in db.execute(_QUERY.format(marks=marks), batch):
            thing = _thing(fields, lang) if edition else (key,)
            found[key] = InEdition(thing, edition, lang)
    return found


def rule_numbers(db: sqlite3.Connection, keys: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield (key, number) of those of some nodes that are rules."""
    for batch in batches(keys):
        yield from db.execute(_NUMBERS.format(marks=",".join("?" * len(batch))), batch)


def _thing(fields: list[str | None], lang: str | None) -> tuple[object, ...]:
    """Return what a node of an edition has in common with the same node of another edition; a rule
    also with that of another language."""
    kind, game, number, source, label, text, section = fields
    if kind == "rule":
        return kind, game, number
    if kind == "edition":
        return kind, game
    return kind, lang, number, source, label, text, section
