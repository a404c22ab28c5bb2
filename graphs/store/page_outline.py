"""Reads the headings of a page's sections."""

from __future__ import annotations

from graphs.store.reader import Store
from graphs.store.sql_batches import batches


def section_headings(store: Store, page: str) -> list[tuple[int, str]]:
    """Return (level, heading) of the sections of a page, given by its id, in its order.

    Sections that are in no other have level 1. Empty for an unknown id.
    """
    # One query for each level: for a recursive one SQLite reads the index of all parents.
    found: list[tuple[int, int, str]] = []  # position, level, heading
    parents, level = store.keys([page]), 0
    seen = set(parents)  # a damaged file may go in circles
    while parents:
        level += 1
        rows: list[tuple[int, int, str | None]] = []
        for batch in batches(parents):
            marks = ",".join("?" * len(batch))
            rows += store.db.execute(
                f"SELECT key, position, label FROM node WHERE parent IN ({marks}) "
                "AND +kind = 'section'",
                batch,
            )
        found += [(position, level, label) for _, position, label in rows if label]
        parents = [key for key, _, _ in rows if key not in seen]
        seen.update(parents)
    return [(level, label) for _, level, label in sorted(found)]
