"""Stores how many edges lead to the nodes that very many lead to, and the most that lead out of
one."""

from __future__ import annotations

import json
import sqlite3

from graphs.store.edge_counts import CONTAINMENT, LEAST_STORED, MOST_OUT


def write_edge_counts(db: sqlite3.Connection) -> None:
    """Count the edges into each node by their kind, and those out of it, and store the large
    numbers, in place of those of the build before. The edges must be complete and indexed."""
    marks = ",".join("?" * len(CONTAINMENT))
    db.execute("DELETE FROM edge_count")
    db.execute(
        "INSERT INTO edge_count SELECT target, kind, count(*) FROM edge WHERE target IS NOT NULL "
        f"GROUP BY target, kind HAVING count(*) >= {LEAST_STORED} "
        f"AND kind NOT IN ({marks})",
        CONTAINMENT,
    )
    most_out = db.execute(
        "SELECT kind, max(number) FROM (SELECT kind, count(*) AS number FROM edge "
        f"WHERE kind NOT IN ({marks}) GROUP BY source, kind) GROUP BY kind ORDER BY kind",
        CONTAINMENT,
    )
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (MOST_OUT, json.dumps(dict(most_out))))
