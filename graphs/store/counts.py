"""Counts references: how many edges of a kind lead to each node."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import NamedTuple

from graphs.model import EdgeKind
from graphs.store.row_checks import check_form, check_texts, record
from graphs.store.sql_batches import batches

# The index alone is read, not the edges.
_ALL = (
    "SELECT target, count(*) FROM edge INDEXED BY edge_target "
    "WHERE target IS NOT NULL AND kind = ? GROUP BY target ORDER BY 2 DESC"
)
# The joins are CROSS JOINs because SQLite would begin with all edges.
# The sources of edges: the rules of editions, and all that stands on the pages that give these.
_FROM_EDITIONS = (
    "WITH RECURSIVE start (key) AS (SELECT key FROM node WHERE kind IN ('page', 'rule') "
    "AND edition NOT NULL AND (game, edition) IN (VALUES {editions})), "
    "source (key) AS (SELECT key FROM start "
    "UNION SELECT n.key FROM source s CROSS JOIN node n ON n.parent = s.key) "
    "SELECT e.target, count(*) FROM source s "
    "CROSS JOIN edge e ON e.source = s.key AND e.kind = ? AND e.target NOT NULL GROUP BY 1"
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


def count_references(db: sqlite3.Connection, kind: EdgeKind) -> dict[int, int]:
    """Return {key: number of edges of a kind that lead to it} of the nodes to which any leads, the
    greatest number first."""
    return dict(db.execute(_ALL, (kind,)).fetchall())


def count_from_editions(
    db: sqlite3.Connection, kind: EdgeKind, editions: Collection[tuple[str, str]]
) -> dict[int, int]:
    """Return {key: number of edges of a kind that lead to it} of edges from the rules of some
    editions and from what else stands on the pages that give them.

    editions: (game, edition) of each; none give an empty result.
    """
    if not editions:
        return {}
    query = _FROM_EDITIONS.format(editions=",".join(["(?, ?)"] * len(editions)))
    values = [value for pair in editions for value in pair]
    return dict(db.execute(query, [*values, kind]).fetchall())


def count_rules(db: sqlite3.Connection) -> list[tuple[str, str, str | None, int]]:
    """Return (game, edition, language, number of rules) of the editions of which rules are loaded,
    in no order."""
    rows = db.execute(
        "SELECT game, edition, lang, count(*) FROM node WHERE kind = 'rule' "
        "AND game IS NOT NULL AND edition IS NOT NULL GROUP BY 1, 2, 3"
    ).fetchall()
    for row in rows:
        for name, value in zip(("game", "edition", "lang"), row[:3], strict=True):
            check_texts((value,), "a rule")
            check_form(name, value, "a rule")
    return rows


def targets(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Target]:
    """Return {key: node} of some keys; keys that no node has are left out."""
    found: dict[int, Target] = {}
    for batch in batches(keys):
        marks = ",".join("?" * len(batch))
        for row in db.execute(_TARGETS.format(marks=marks), batch):
            found[row[0]] = record(Target, row)
    return found
