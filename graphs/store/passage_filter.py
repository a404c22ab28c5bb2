"""What narrows a search to some passages: a condition of the query itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graphs.model import EdgeKind

# A passage is `p`, the rule that it gives, if any, `r`.
_STATES = (
    "EXISTS (SELECT 1 FROM node k WHERE k.heading = p.key AND k.kind = ? "
    "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling'))"
)
_EDGES = (
    "FROM edge WHERE kind = ? AND target IN "
    "(SELECT key FROM node WHERE id IN (SELECT value FROM json_each(?)))"
)
_HAS_EDGE = (
    f"(coalesce(p.gives_rule, p.key) IN (SELECT source {_EDGES}) "
    f"OR p.key IN (SELECT passage {_EDGES}))"
)


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """Passages of a game, a source, an edition, a language; that give a rule or state what is of
    another kind (a ruling, an outcome…); whose section has an id that `section` takes. For each of
    `edges` they must have an edge of that kind to one of some nodes; the edges of a rule are those
    of the passages that give it."""

    game: str | None = None
    source: str | None = None
    edition: str | None = None
    lang: str | None = None
    kind: str | None = None
    section: Callable[[str], bool] | None = None
    edges: tuple[tuple[EdgeKind, tuple[str, ...]], ...] = ()

    def condition(self) -> tuple[str, list[str]]:
        """What stands behind WHERE, and its values; all but the section."""
        conditions = list(self._conditions())
        return (
            " AND ".join(condition for condition, _ in conditions) or "1",
            [value for _, values in conditions for value in values],
        )

    def _conditions(self) -> Iterator[tuple[str, list[str]]]:
        for column in ("game", "edition", "lang"):
            if value := getattr(self, column):
                yield f"coalesce(r.{column}, p.{column}) = ?", [value]
        if self.source:
            yield "p.source = ?", [self.source]
        if self.kind == "rule":
            yield "p.gives_rule IS NOT NULL", []
        elif self.kind:
            yield _STATES, [self.kind]
        for kind, ids in self.edges:
            yield _HAS_EDGE, [kind, json.dumps(ids)] * 2


ALL_PASSAGES = PassageFilter()
