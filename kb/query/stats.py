"""Counts nodes by kind, source, game and edition, and edges by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store


@dataclass(frozen=True, slots=True)
class Stats:
    """How many nodes and edges a knowledge base has.

    kinds, sources, games, editions: the number of nodes, by the value of that field.
    edges: the number of edges by kind, dangling edges included.
    dangling: the number of dangling edges.
    """

    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    games: Mapping[str, int]
    editions: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho stats --json` prints: the fields of `Stats` by name."""
        return asdict(self)


def stats(store: Store) -> Stats:
    """Return the number of nodes and edges in a knowledge base.

    Nodes without a source, game or edition are not counted by that field.
    """

    def count_by(column: str) -> dict[str, int]:
        return dict(
            store.table(
                f"SELECT {column}, count(*) FROM node WHERE kind IS NOT NULL "
                f"AND {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
            )
        )

    kinds, edges, dangling = store.counts()
    return Stats(kinds, count_by("source"), count_by("game"), count_by("edition"), edges, dangling)
