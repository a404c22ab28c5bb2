"""Lists terms, filtered by game, source and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphs.model import Node
from graphs.store.claim_sources import count_terms, sources_of
from graphs.store.reader import Store
from kb.query.common_filters import Scope
from kb.query.list_result import ListResult
from kb.query.table_result import Table, table_row


@dataclass(frozen=True, slots=True, repr=False)
class Terms(ListResult[Node]):
    """A list of terms.

    terms: the terms, sorted by id.
    sources: the sources of the pages that give each term, by the term's id.
    games: how many terms there are of each game, whatever the filters.
    lang: the language in which they have a name, if one was asked for.
    """

    terms: tuple[Node, ...]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    games: Mapping[str, int] = field(default_factory=dict)
    lang: str | None = None

    @property
    def left_out(self) -> int:
        """How many terms the filters leave out.

        >>> Terms((), games={"mtg": 2, "ygo": 1}).left_out
        3
        """
        return max(0, sum(self.games.values()) - len(self.terms))

    _ITEM = "term"

    def _items(self) -> tuple[Node, ...]:
        return self.terms

    def table(self) -> Table:
        """Return a table with a row per term and all its names.

        The columns are `game`, `label`, `reading`, `names` (all different labels, joined with
        commas), `sources`, `term` (its id) and `notice`.
        """
        return Table(
            tuple(
                table_row(
                    game=node.game,
                    label=node.label,
                    reading=node.reading,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    sources=", ".join(self.sources.get(node.id, ())),
                    term=node.id,
                    notice=node.notice,
                )
                for node in self.terms
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho terms --json` prints: `terms`, a list of nodes as in
        `Node.as_json`; `sources`, {id: list of sources}; `games`, {game: number of its terms}; and
        `left_out`, how many terms the filters leave out."""
        return {
            "terms": [node.as_json() for node in self.terms],
            "sources": {node: list(sources) for node, sources in self.sources.items()},
            "games": dict(self.games),
            "left_out": self.left_out,
        }


def terms(store: Store, scope: Scope) -> Terms:
    """Return the terms of the scope's game and source that have a name in its language.

    The scope's edition is ignored; what is None filters nothing.
    """
    found = store.terms(scope.game, scope.source, scope.lang)
    sources = sources_of(store, (term.id for term in found))
    return Terms(tuple(found), sources, count_terms(store), scope.lang)
