"""Audits a build: characters kept, left out and lost; dangling edges; read warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Edge
from graphs.store.reader import Store
from kb.building.same_names import same_names
from kb.building.unknown_games import unknown_games
from scraper.page import ReadWarning, text_size


@dataclass(frozen=True, slots=True)
class Audit:
    """What became of every character of the sources, and what could not be resolved or read.

    Characters are counted without white space: `chars` is the sum of `kept`, all of `left_out`
    and `lost`.

    chars: characters in the sources.
    kept: characters in passages.
    left_out: characters left out, by reason.
    dangling: the edges whose target is not loaded.
    warnings: what could not be read.
    """

    chars: int
    kept: int
    left_out: Mapping[str, int]
    dangling: tuple[Edge, ...]
    warnings: tuple[ReadWarning, ...]

    @property
    def lost(self) -> int:
        """The number of characters that are neither kept nor left out for a reason; 0 if all is
        well."""
        return self.chars - self.kept - sum(self.left_out.values())

    def as_json(self) -> dict[str, Any]:
        """Return {"text", "dangling", "warnings"}, the object that `sansho audit --json` prints.

        `text` is {"chars", "kept", "left_out": {reason: characters}, "lost"}; `dangling` has the
        edges as `Edge.as_json` gives them; a warning is {"where", "what"}.
        """
        text = {
            "chars": self.chars,
            "kept": self.kept,
            "left_out": dict(self.left_out),
            "lost": self.lost,
        }
        return {
            "text": text,
            "dangling": [edge.as_json() for edge in self.dangling],
            "warnings": [asdict(warning) for warning in self.warnings],
        }


def audit(store: Store) -> Audit:
    """Return the audit of a knowledge base.

    Kept characters are counted in the stored passages themselves, not reported by the parser.
    The warnings begin with those on wikis of no known game and on files of one name.
    """
    passages = store.table("SELECT text FROM node WHERE kind = 'passage'")
    provenance = store.provenance
    return Audit(
        provenance.chars(),
        sum(text_size(text) for (text,) in passages),
        provenance.left_out(),
        tuple(store.dangling()),
        (
            *unknown_games(store),
            *same_names(store),
            *(ReadWarning(*row) for row in provenance.warnings()),
        ),
    )
