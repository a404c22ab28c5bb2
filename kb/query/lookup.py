"""Which nodes a person means by a number, a name or an id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from graphs.model import Node
from graphs.store import Store
from kb.fold import fold, plain
from kb.query.table import Table, Tabular, row

_RULE = re.compile(
    r"(?:rules?\s*|CR\s*[:：]?\s*)?(\d{1,4}(?:[.\-]\d{1,3})*[a-z]?)\.?", re.IGNORECASE
)
_ORDER = {"term": 0, "card": 1, "rule": 2, "page": 3, "edition": 4, "section": 5}


@dataclass(frozen=True, slots=True)
class Shown(Tabular):
    """The nodes that a reference names, the likeliest first; where there are none, names
    that begin alike."""

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()

    def table(self) -> Table:
        """A row a node, with all its names."""
        return Table(
            tuple(
                row(kind=node.kind, game=node.game, lang=node.lang, edition=node.edition,
                    number=node.number, label=node.label,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    text=node.text, id=node.id, notice=node.notice)
                for node in self.matches
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho show --json` prints it."""
        return {"matches": [node.as_json() for node in self.matches]}


def _is_homonym(node: Node) -> bool:
    """Whether a term's id tells it from another of its name: that other is meant first."""
    return node.kind == "term" and node.id.endswith(")") and node.label != node.id.split("/", 2)[2]


def find(
    store: Store,
    ref: str,
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
) -> list[Node]:
    """The nodes that `ref` names, the likeliest first.

    A node's id names that node alone; a rule's number the rule in every edition, newest
    first; anything else whatever has it among its names, terms before cards before rules
    before pages.
    """
    ref = ref.strip()
    exact = store.node(ref)
    if exact:
        return [exact]
    found: list[Node] = []
    if numbered := _RULE.fullmatch(plain(ref)):
        found = store.numbered(numbered[1].lower())
    if not found:
        found = sorted(
            store.labelled(fold(ref)),
            key=lambda node: (
                _ORDER.get(node.kind, 9),
                _is_homonym(node),
                node.label != ref,
                node.id,
            ),
        )
    return [
        node
        for node in found
        if (game is None or node.game == game)
        and (edition is None or node.edition == edition.removesuffix(".0"))
        and (lang is None or node.lang == lang)
    ]
