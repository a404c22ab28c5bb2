"""Lists terms, filtered by game, source and language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.common_filters import Scope
from kb.query.list_result import ListResult
from kb.query.table_result import Table, table_row


@dataclass(frozen=True, slots=True, repr=False)
class Terms(ListResult[Node]):
    """A list of terms, sorted by id."""

    terms: tuple[Node, ...]

    _ITEM = "term"

    def _items(self) -> tuple[Node, ...]:
        return self.terms

    def table(self) -> Table:
        """Return a table with a row per term and all its names.

        The columns are `game`, `label`, `reading`, `names` (all different labels, joined with
        commas), `term` (its id) and `notice`.
        """
        return Table(
            tuple(
                table_row(
                    game=node.game,
                    label=node.label,
                    reading=node.reading,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    term=node.id,
                    notice=node.notice,
                )
                for node in self.terms
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho terms --json` prints: `terms`, a list of nodes as in
        `Node.as_json`."""
        return {"terms": [node.as_json() for node in self.terms]}


def terms(store: Store, scope: Scope) -> Terms:
    """Return the terms of the scope's game and source that have a name in its language.

    The scope's edition is ignored; what is None filters nothing.
    """
    return Terms(tuple(store.terms(scope.game, scope.source, scope.lang)))
