"""How much there is in a knowledge base: nodes by kind, source, game and edition; edges by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store


@dataclass(frozen=True, slots=True)
class Stats:
    """How much there is: nodes by kind, source, game and edition, edges by kind."""

    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    games: Mapping[str, int]
    editions: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int

    def as_json(self) -> dict[str, Any]:
        """As `sansho stats --json` prints it."""
        return asdict(self)


def stats(store: Store) -> Stats:
    """Count nodes by what they are and where they come from, and edges by kind."""

    def counted(column: str) -> dict[str, int]:
        return dict(
            store.table(
                f"SELECT {column}, count(*) FROM node WHERE kind IS NOT NULL "
                f"AND {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
            )
        )

    kinds, edges, dangling = store.counts()
    return Stats(kinds, counted("source"), counted("game"), counted("edition"), edges, dangling)
