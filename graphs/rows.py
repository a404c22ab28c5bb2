"""The facts of one page as rows: made where the page is read, written where the graph is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from graphs.facts import Facts, Own
from graphs.model import Node

# What a node and a claim on a node both hold, in the order of the tables' columns.
SHARED = ("game source lang edition number label reading text url notice date details").split()
NONE = -1  # the place of a node that is not there
_PUBLIC = 2

Row = tuple[Any, ...]


class Rows(NamedTuple):
    """What one page puts into the graph, in plain tuples: they cross to another process at a
    fraction of what facts cost.

    Rows name nodes by their places in `ids`: first the passages of the page and then what is said
    in them (these are `private`: no other page names them), then the page and its sections (`own`
    in all), then what it only speaks of.
    """

    page: int
    ids: list[str]
    private: int
    own: int
    nodes: list[Row]
    claims: list[Row]
    labels: list[Row]
    edges: list[Row]


def rows_of(facts: Facts) -> Rows:
    """The rows of one page's facts.

    >>> from graphs.facts import Own
    >>> from graphs.model import Node
    >>> made = rows_of(Facts("w/P", [Own(Node("w/P", "page")), Own(Node("w/P¶1", "passage"))]))
    >>> made.ids, made.private, [row[0] for row in made.nodes]
    (['w/P¶1', 'w/P'], 1, [1, 0])
    """
    places: dict[str, int] = {}

    def place(node_id: str | None) -> int:
        return NONE if node_id is None else places.setdefault(node_id, len(places))

    for own in sorted(facts.nodes, key=_publicity):
        place(own.node.id)
    private = len({own.node.id for own in facts.nodes if _publicity(own) < _PUBLIC})
    owned = len(places)
    nodes = [
        (place(o.node.id), place(o.node.section), place(o.parent), place(o.speaks_for),
         place(o.heading), (o.node.kind, *_fields(o.node)))
        for o in facts.nodes
    ]  # fmt: skip
    claims = [(place(c.node.id), c.rank, (c.node.kind, *_fields(c.node))) for c in facts.claims]
    labels = [
        (place(c.node), c.label.lang, c.label.text, c.label.role, c.folded, place(c.passage))
        for c in facts.labels
    ]
    edges = [
        (w.kind, place(w.source), place(w.want), w.target_label, w.reason, place(w.passage),
         w.start, w.end, as_json(w.details))
        for w in facts.wants
    ]  # fmt: skip
    return Rows(places[facts.page], list(places), private, owned, nodes, claims, labels, edges)


def _publicity(own: Own) -> int:
    """Passages come first, so that their keys follow each other; last what links may lead to."""
    return {"passage": 0, "page": _PUBLIC, "section": _PUBLIC}.get(own.node.kind, 1)


def _fields(node: Node) -> tuple[str | None, ...]:
    """What every row of a node holds of it."""
    return (node.game, node.source, node.lang, node.edition, node.number, node.label, node.reading,
            node.text, node.url, node.notice, node.date, as_json(node.details))  # fmt: skip


def as_json(details: Mapping[str, object] | None) -> str | None:
    """Details as they are stored; None if there are none."""
    return json.dumps(details, ensure_ascii=False, sort_keys=True) if details else None
