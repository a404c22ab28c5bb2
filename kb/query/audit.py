"""Where every character of the sources went, which edges dangle, what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Edge
from graphs.store.reader import Store
from scraper.page import ReadWarning, text_size


@dataclass(frozen=True, slots=True)
class Audit:
    """Where every character went, white space not counted: `chars` is the sum of `kept`,
    all of `left_out`, and `lost`. And which edges dangle, and what could not be read."""

    chars: int
    kept: int
    left_out: Mapping[str, int]
    dangling: tuple[Edge, ...]
    warnings: tuple[ReadWarning, ...]

    @property
    def lost(self) -> int:
        """Characters in no passage and under no reason."""
        return self.chars - self.kept - sum(self.left_out.values())

    def as_json(self) -> dict[str, Any]:
        """As `sansho audit --json` prints it."""
        text = {
            "chars": self.chars,
            "kept": self.kept,
            "left_out": dict(self.left_out),
            "lost": self.lost,
        }
        return {
            "text": text,
            "dangling": [edge.as_json() for edge in self.dangling],
            "warnings": [asdict(warn) for warn in self.warnings],
        }


def audit(store: Store) -> Audit:
    """Add up where every character of every snapshot went.

    What is kept is counted in the stored passages themselves, not taken from the parser.
    """
    passages = store.table("SELECT text FROM node WHERE kind = 'passage'")
    provenance = store.provenance
    return Audit(
        provenance.chars(),
        sum(text_size(text) for (text,) in passages),
        provenance.left_out(),
        tuple(store.dangling()),
        tuple(ReadWarning(*row) for row in provenance.warnings()),
    )
