"""Questions on the knowledge base as a whole: the audit and the counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Edge
from graphs.store import Store
from scraper.page import Warn, size


@dataclass(frozen=True, slots=True)
class Audit:
    """Where every character went, white space not counted: `chars` is the sum of `kept`,
    all of `left_out`, and `lost`. And which edges dangle, and what could not be read."""

    chars: int
    kept: int
    left_out: Mapping[str, int]
    dangling: tuple[Edge, ...]
    warnings: tuple[Warn, ...]

    @property
    def lost(self) -> int:
        """Characters in no passage and under no reason."""
        return self.chars - self.kept - sum(self.left_out.values())

    def as_json(self) -> dict[str, Any]:
        """As `sansho audit --json` prints it."""
        text = {
            "chars": self.chars, "kept": self.kept, "left_out": dict(self.left_out),
            "lost": self.lost,
        }  # fmt: skip
        return {
            "text": text,
            "dangling": [edge.as_json() for edge in self.dangling],
            "warnings": [asdict(warn) for warn in self.warnings],
        }


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


def audit(store: Store) -> Audit:
    """Add up where every character of every snapshot went.

    What is kept is counted in the stored passages themselves, not taken from the parser.
    """
    passages = store.table("SELECT text FROM node WHERE kind = 'passage'")
    ledger = store.ledger
    return Audit(
        ledger.chars(), sum(size(text) for (text,) in passages), ledger.left_out(),
        tuple(store.dangling()), tuple(Warn(*row) for row in ledger.warnings()),
    )  # fmt: skip


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
