"""Tells which nodes are the same thing in several editions: rules, and what stands on a rulebook's
pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from graphs.store.sql_batches import batches

_QUERY = (
    "SELECT n.key, coalesce(n.edition, g.edition), n.kind, n.game, n.lang, n.number, n.source, "
    "n.label, n.text, s.label FROM node n LEFT JOIN node g ON g.key = n.page "
    "LEFT JOIN node s ON s.key = n.section WHERE n.key IN ({marks})"
)


class InEdition(NamedTuple):
    """A node, split into what it is and in which edition.

    thing: equal for nodes that differ only by edition; they are in the same language.
    edition: its edition, or that of its page; None if it has none.
    """

    thing: tuple[object, ...]
    edition: str | None


def split_by_edition(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, InEdition]:
    """Return {key: what the node is, and its edition}; unknown keys are left out.

    Rules are the same by their number, and whatever stands on the pages of a rulebook by its
    section and text. A node without an edition is only the same as itself.
    """
    found: dict[int, InEdition] = {}
    for batch in batches(keys):
        marks = ",".join("?" * len(batch))
        for key, edition, *fields in db.execute(_QUERY.format(marks=marks), batch):
            found[key] = InEdition(_thing(key, fields) if edition else (key,), edition)
    return found


def _thing(key: int, fields: list[str | None]) -> tuple[object, ...]:
    """Return what a node of an edition has in common with the same node of another edition."""
    kind, game, lang, number, source, label, text, section = fields
    if kind == "rule":
        return kind, game, lang, number
    if kind == "edition":
        return kind, game
    return kind, lang, number, source, label, text, section
