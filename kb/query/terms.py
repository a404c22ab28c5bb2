"""The list of all terms, or of some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.scope import Scope
from kb.query.table_result import Table, TableResult, table_row


@dataclass(frozen=True, slots=True)
class Terms(TableResult):
    """Terms, in the order of their ids."""

    terms: tuple[Node, ...]

    def table(self) -> Table:
        """A row a term, with all its names."""
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
        """As `sansho terms --json` prints it."""
        return {"terms": [node.as_json() for node in self.terms]}


def terms(store: Store, scope: Scope) -> Terms:
    """All terms, or those of a game, of a source, with a name in a language."""
    return Terms(tuple(store.terms(scope.game, scope.source, scope.lang)))
