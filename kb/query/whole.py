"""Questions on the knowledge base as a whole: the audit and the counts."""

from __future__ import annotations

from graphs.store import Store
from kb.results import Audit, Stats
from scraper.page import Warn, size


def audit(store: Store) -> Audit:
    """Add up where every character of every snapshot went.

    What is kept is counted in the stored passages themselves, not taken from the parser.
    """
    chars = sum(row[0] for row in store.table("SELECT chars FROM snapshot"))
    kept = sum(size(row[0]) for row in store.table("SELECT text FROM node WHERE kind = 'passage'"))
    left_out = store.table("SELECT reason, sum(chars) FROM left_out GROUP BY reason ORDER BY 2 DESC, 1")
    warnings = store.table("SELECT place, what FROM warning ORDER BY place, what")
    return Audit(
        chars, kept, dict(left_out), tuple(store.dangling()), tuple(Warn(*row) for row in warnings)
    )


def stats(store: Store) -> Stats:
    """Count nodes by what they are and where they come from, and edges by kind."""

    def counted(column: str) -> dict[str, int]:
        return dict(
            store.table(
                f"SELECT {column}, count(*) FROM node WHERE kind IS NOT NULL "
                f"AND {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
            )
        )

    edges = dict(store.table("SELECT kind, count(*) FROM link GROUP BY kind ORDER BY kind"))
    dangling = store.table("SELECT count(*) FROM edge WHERE target IS NULL")[0][0]
    return Stats(
        counted("kind"), counted("source"), counted("game"), counted("edition"), edges, dangling
    )
