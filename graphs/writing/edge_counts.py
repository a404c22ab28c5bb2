"""Stores how many edges lead to the nodes that very many lead to."""

from __future__ import annotations

import sqlite3

from graphs.store.edge_counts import CONTAINMENT, LEAST_STORED


def write_edge_counts(db: sqlite3.Connection) -> None:
    """Count the edges into each node by their kind, and store the large numbers, in place of those
    of the build before. The edges must be complete and indexed by their target."""
    db.execute("DELETE FROM edge_count")
    db.execute(
        "INSERT INTO edge_count SELECT target, kind, count(*) FROM edge WHERE target IS NOT NULL "
        f"GROUP BY target, kind HAVING count(*) >= {LEAST_STORED} "
        f"AND kind NOT IN ({','.join('?' * len(CONTAINMENT))})",
        CONTAINMENT,
    )
