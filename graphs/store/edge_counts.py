"""How many edges lead to nodes: counted beside the edges where they are many, else when asked.

To count the edges of a node reads the index once for each; so of a node with tens of thousands the
number is stored, and any node takes the same time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from graphs.model import EdgeKind
from graphs.store.file.connection import rows_of
from graphs.store.file.row_checks import check_columns

# Edges of a kind into a node; fewer are counted as quickly as looked up. By hand: lower stores more
# rows, higher lets more be counted for each node on a path.
LEAST_STORED = 64
CONTAINMENT = ("part_of", "quotes")  # stands in columns of `node`, too, and is not stored
MOST_OUT = "most edges out"  # the key in the table `meta`


def stored_counts(
    db: sqlite3.Connection, keys: Iterable[int], kind: EdgeKind | None = None
) -> Iterator[tuple[int, EdgeKind, int]]:
    """Yield (key, kind, number) of the edges into some nodes, where the number is stored (from
    LEAST_STORED on), in no order; only of one kind, if it is given. RowError if the file holds
    something else."""
    of_kind = " AND kind = ?" if kind else ""
    query = (
        "SELECT target, kind, number FROM edge_count "
        f"WHERE target IN ({{marks}}){of_kind} AND number > 0"
    )
    rows = rows_of(db, query, list(keys), [kind] if kind else [])
    yield from check_columns(rows, (int, str, int), "counts")
