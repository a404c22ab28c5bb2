"""The nodes that a reference names, and the captures that their pages were read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.building.capture_fitness import unfitness
from kb.language.fold import fold
from kb.query.lookup import find
from kb.query.scope import Scope
from kb.query.table_result import Table, TableResult, table_row


@dataclass(frozen=True, slots=True)
class Capture:
    """Something that was read of a page: the file, its URL, when it was taken (as its manifest or
    server says; empty if neither does), its form, and why the page is not taken from it; that is
    empty for the one that it is taken from."""

    place: str
    url: str
    taken: str
    form: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Shown(TableResult):
    """The nodes that a reference names, the likeliest first; where there are none, names
    that begin alike. And what was read of the pages among them, the fittest first."""

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()
    captures: Mapping[str, tuple[Capture, ...]] = field(default_factory=dict)

    def table(self) -> Table:
        """A row a node, with all its names."""
        return Table(
            tuple(
                table_row(
                    kind=node.kind,
                    game=node.game,
                    lang=node.lang,
                    edition=node.edition,
                    number=node.number,
                    label=node.label,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    text=node.text,
                    id=node.id,
                    notice=node.notice,
                )
                for node in self.matches
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho show --json` prints it."""
        captures = {page: [asdict(one) for one in found] for page, found in self.captures.items()}
        matches = [node.as_json() for node in self.matches]
        return {"matches": matches, "captures": captures} if captures else {"matches": matches}


def show(store: Store, ref: str, scope: Scope) -> Shown:
    """The nodes that `ref` names, and the captures of the pages among them."""
    found = find(store, ref, scope)
    if not found:
        return Shown((), tuple(store.near(fold(ref))))
    captures = {node.id: _captures(store, node.id) for node in found if node.kind == "page"}
    return Shown(tuple(found), captures=captures)


def _captures(store: Store, page: str) -> tuple[Capture, ...]:
    found = [taken for _, taken in store.provenance.captures(page)]
    best = next((one.fitness for one in found if one.chosen), "")
    return tuple(
        Capture(one.place, one.url, one.taken, one.form, unfitness(one.fitness, best))
        for one in found
    )
