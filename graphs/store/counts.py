"""Counts references: how many edges of a kind lead to each node."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from graphs.model import EdgeKind
from graphs.store.sql_batches import batches

# The index alone is read, not the edges.
_ALL = (
    "SELECT target, count(*) FROM edge INDEXED BY edge_target "
    "WHERE target IS NOT NULL AND kind = ? GROUP BY target ORDER BY 2 DESC"
)
# The joins are CROSS JOINs because SQLite would begin with all edges.
_BY_RULES_OF_EDITION = (
    "SELECT e.target, count(*) FROM node r "
    "CROSS JOIN edge e ON e.source = r.key AND e.kind = ? AND e.target IS NOT NULL "
    "WHERE r.kind = 'rule' AND r.edition = ? GROUP BY e.target ORDER BY 2 DESC"
)
_TARGETS = "SELECT key, id, kind, game, source, lang, edition FROM node WHERE key IN ({marks})"


class Target(NamedTuple):
    """A node that edges lead to, with the fields that filters need."""

    key: int
    id: str
    kind: str
    game: str | None
    source: str | None
    lang: str | None
    edition: str | None


def count_references(
    db: sqlite3.Connection, kind: EdgeKind, edition: str | None = None
) -> list[tuple[int, int]]:
    """Return (key, number of edges of a kind that lead to it) of the nodes to which any leads, the
    greatest number first.

    edition: count only edges from the rules of this edition; None for all edges.
    """
    if edition is None:
        return db.execute(_ALL, (kind,)).fetchall()
    return db.execute(_BY_RULES_OF_EDITION, (kind, edition)).fetchall()


def count_rules(db: sqlite3.Connection) -> list[tuple[str, str, str | None, int]]:
    """Return (game, edition, language, number of rules) of the editions of which rules are loaded,
    in no order."""
    return db.execute(
        "SELECT game, edition, lang, count(*) FROM node WHERE kind = 'rule' "
        "AND game IS NOT NULL AND edition IS NOT NULL GROUP BY 1, 2, 3"
    ).fetchall()


def targets(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Target]:
    """Return {key: node} of some keys; keys that no node has are left out."""
    found: dict[int, Target] = {}
    for batch in batches(keys):
        marks = ",".join("?" * len(batch))
        for row in db.execute(_TARGETS.format(marks=marks), batch):
            found[row[0]] = Target(*row)
    return found
