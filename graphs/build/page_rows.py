"""The facts of one page as rows: made where the page is read, written where the graph is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from graphs.build.claims import PageClaims, PageNode
from graphs.model import Node

# What a node and a claim on a node both hold, in the order of the tables' columns.
SHARED = ("game source lang edition number label reading text url notice date details").split()
NONE = -1  # the place of a node that is not there
_PUBLIC = 2

Row = tuple[Any, ...]


class PageRows(NamedTuple):
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


def page_rows(claims: PageClaims) -> PageRows:
    """The rows of one page's facts.

    >>> from graphs.build.claims import PageNode
    >>> from graphs.model import Node
    >>> made = page_rows(PageClaims("w/P", [PageNode(Node("w/P", "page")), PageNode(Node("w/P¶1", "passage"))]))
    >>> made.ids, made.private, [row[0] for row in made.nodes]
    (['w/P¶1', 'w/P'], 1, [1, 0])
    """
    places: dict[str, int] = {}

    def place(node_id: str | None) -> int:
        return NONE if node_id is None else places.setdefault(node_id, len(places))

    for own in sorted(claims.parts, key=_publicity):
        place(own.node.id)
    private = len({own.node.id for own in claims.parts if _publicity(own) < _PUBLIC})
    owned = len(places)
    nodes = [
        (place(o.node.id), place(o.node.section), place(o.parent), place(o.gives_rule),
         place(o.heading), (o.node.kind, *_fields(o.node)))
        for o in claims.parts
    ]
    shared = [(place(c.node.id), c.rank, (c.node.kind, *_fields(c.node))) for c in claims.nodes]
    labels = [
        (place(c.node), c.label.lang, c.label.text, c.label.role, c.folded, place(c.passage))
        for c in claims.labels
    ]
    edges = [
        (w.kind, place(w.source), place(w.target), w.target_label, w.reason, place(w.passage),
         w.start, w.end, details_as_json(w.details))
        for w in claims.edges
    ]
    return PageRows(places[claims.page], list(places), private, owned, nodes, shared, labels, edges)


def _publicity(own: PageNode) -> int:
    """Passages come first, so that their keys follow each other; last what links may lead to."""
    return {"passage": 0, "page": _PUBLIC, "section": _PUBLIC}.get(own.node.kind, 1)


def _fields(node: Node) -> tuple[str | None, ...]:
    """What every row of a node holds of it."""
    return (node.game, node.source, node.lang, node.edition, node.number, node.label, node.reading,
            node.text, node.url, node.notice, node.date, details_as_json(node.details))


def details_as_json(details: Mapping[str, object] | None) -> str | None:
    """Details as they are stored; None if there are none."""
    return json.dumps(details, ensure_ascii=False, sort_keys=True) if details else None
