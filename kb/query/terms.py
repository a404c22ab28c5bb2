"""Lists terms, filtered by game, source and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphs.model import Node
from graphs.store.claim_sources import count_terms, sources_of
from graphs.store.reader import Store
from kb.language.fold import fold, is_japanese
from kb.language.name_keys import KANA, MADE, kana_of_key
from kb.query.common_filters import Scope
from kb.query.list_result import ListResult
from kb.query.table_result import Table, table_row


@dataclass(frozen=True, slots=True, repr=False)
class Terms(ListResult[Node]):
    """A list of terms.

    terms: the terms, by game and in the order of their readings (五十音順); behind them those in
        Latin letters, and those that begin with none.
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
    readings = store.names.exact_keys((KANA, MADE))
    found = sorted(
        store.terms(scope.game, scope.source, scope.lang),
        key=lambda term: (term.game or "", *_reading_order(term, readings), term.id),
    )
    sources = sources_of(store, (term.id for term in found))
    return Terms(tuple(found), sources, count_terms(store), scope.lang)


def _reading_order(term: Node, readings: Mapping[str, str]) -> tuple[int, str]:
    """Return what sorts a term among those of its game: by its reading, which its pages give or
    Sudachi makes; a name without one, in Latin letters, comes behind those with one."""
    label = term.label or ""
    reading = fold(term.reading) if term.reading else kana_of_key(readings.get(label, ""))
    reading = reading or fold(label)
    first = next(iter(reading), "")
    return (0 if is_japanese(first) else 1 if first.isalpha() else 2), reading
