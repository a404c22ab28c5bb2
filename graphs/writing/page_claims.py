"""Claims, which say what one page states of nodes, labels and edges, and their conversion to rows.

A worker process hands the rows to the writer. Claims are named tuples, as a page makes hundreds:
these cost a third of what dataclasses do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from graphs.model import EdgeKind, Label, Node


class NodeClaim(NamedTuple):
    """A statement of one page that a term, rule, card or edition exists, with its description.

    Several pages may claim the same node. The claim with the lowest (rank, page) describes it,
    so the order in which pages are read does not matter.

    node: the node as this page describes it
    rank: how little authority the page has on the node; 0 is the most
    """

    node: Node
    rank: int = 0


class LabelClaim(NamedTuple):
    """A statement of one page that a node has a name.

    node: the id of the node
    label: the name, with its language and role
    folded: the name as it is looked up
    passage: the id of the passage that gives the name; None if no single passage does
    """

    node: str
    label: Label
    folded: str
    passage: str | None = None


class EdgeClaim(NamedTuple):
    """An edge as one page states it.

    source: the id of the node that the edge starts from
    target: the id of the node that the edge aims at, whether or not any page gives that node
    target_label: what to call the target where it is not loaded
    passage: the id of the passage that is the evidence
    start, end: the span of the evidence in the passage's text
    reason: why the target is missing, for the case that it is
    details: what only this kind of edge has, by name
    """

    kind: EdgeKind
    source: str
    target: str
    target_label: str
    passage: str
    start: int
    end: int
    reason: str = ""
    details: Mapping[str, Any] | None = None


class PageNode(NamedTuple):
    """A node that belongs to one page: the page, a section, a passage, or what a passage states.

    node: the node itself
    parent: the id of the node that it is part of
    gives_rule: the id of the rule whose text a passage gives; citations and mentions in the
        passage then start from the rule
    heading: the id of the passage that shows the node: the heading of a section, or the passage
        that states a procedure, a step, an outcome or a ruling
    """

    node: Node
    parent: str | None = None
    gives_rule: str | None = None
    heading: str | None = None


@dataclass(slots=True)
class PageClaims:
    """Everything that one page puts into the graph.

    page: the id of the page
    parts: the nodes that belong to the page, a container before what is in it
    nodes: claims on nodes that other pages may claim too
    labels: the names that the page gives to nodes
    edges: the edges that the page states
    problems: what readers of the build must be told, such as that a plug-in failed
    """

    page: str
    parts: list[PageNode] = field(default_factory=list)
    nodes: list[NodeClaim] = field(default_factory=list)
    labels: list[LabelClaim] = field(default_factory=list)
    edges: list[EdgeClaim] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


# The columns behind `kind` that the tables `node` and `claim` share, in their order.
SHARED_COLUMNS = (
    "game source lang edition number label reading text url notice date details"
).split()
# The index in PageRows.ids that stands for None: whoever looks up indexes in a list puts a None at
# its end.
NO_NODE = -1
_PUBLIC = 2  # the sort key of the page and its sections; passages have 0, what they state has 1

Row = tuple[Any, ...]
_Item = TypeVar("_Item")


class PageRows(NamedTuple):
    """The rows of one page, in plain tuples: pickling these costs a fraction of pickling claims.

    Rows name a node by its index in `ids`, or by NO_NODE. What is called values below is the
    node's kind and SHARED_COLUMNS. The rows of a huge page come in several pieces: then an index
    counts through the `ids` of all of them, and only the first has nodes.

    page: the index of the page itself
    ids: the ids of all nodes that the rows name: first the passages and what is stated in them,
        then the page and its sections, then nodes that the page only refers to
    private: the number of ids of passages and what is stated in them; no other page names these
    owned: the number of ids of nodes that belong to the page: those and the page and its sections
    nodes: (node, section, parent, gives_rule, heading, values) of each node of the page
    claims: (node, rank, values) of each claim on a node
    labels: (node, lang, text, role, folded, passage) of each name
    edges: (kind, source, target, target_label, reason, passage, start, end, details as JSON)
    """

    page: int
    ids: list[str]
    private: int
    owned: int
    nodes: list[Row]
    claims: list[Row]
    labels: list[Row]
    edges: list[Row]


def rows_in_pieces(pieces: Iterable[PageClaims]) -> Iterator[PageRows]:
    """Yield the rows of the claims of one page, which may come in several pieces.

    They are taken out of the pieces: of a huge page, claims and rows would take too much memory.
    The first piece has all nodes of the page (`parts`), itself among them; else KeyError.

    >>> page, passage = Node("w/P", "page"), Node("w/P¶1", "passage")
    >>> [rows] = rows_in_pieces([PageClaims("w/P", [PageNode(page), PageNode(passage)])])
    >>> rows.ids, rows.private, [row[0] for row in rows.nodes]
    (['w/P¶1', 'w/P'], 1, [1, 0])
    """
    indexes: dict[str, int] = {}
    new: list[str] = []

    def index(node_id: str | None) -> int:
        if node_id is None:
            return NO_NODE
        known = indexes.get(node_id)
        if known is None:
            known = indexes[node_id] = len(indexes)
            new.append(node_id)
        return known

    private = owned = 0
    for claims in pieces:
        if claims.parts:
            for part in sorted(claims.parts, key=_publicity):
                index(part.node.id)
            private = len({part.node.id for part in claims.parts if _publicity(part) < _PUBLIC})
            owned = len(indexes)
        rows = PageRows(indexes[claims.page], new, private, owned, [], [], [], [])
        _add_rows(rows, claims, index)
        yield rows
        new = []


def _add_rows(rows: PageRows, claims: PageClaims, index: Callable[[str | None], int]) -> None:
    """Move claims to the rows, but for ids. index: returns the index of an id."""
    rows.nodes.extend(
        (
            index(part.node.id),
            index(part.node.section),
            index(part.parent),
            index(part.gives_rule),
            index(part.heading),
            (part.node.kind, *_shared_values(part.node)),
        )
        for part in _emptied(claims.parts)
    )
    rows.claims.extend(
        (index(claim.node.id), claim.rank, (claim.node.kind, *_shared_values(claim.node)))
        for claim in _emptied(claims.nodes)
    )
    rows.labels.extend(
        (
            index(claim.node),
            claim.label.lang,
            claim.label.text,
            claim.label.role,
            claim.folded,
            index(claim.passage),
        )
        for claim in _emptied(claims.labels)
    )
    rows.edges.extend(
        (
            edge.kind,
            index(edge.source),
            index(edge.target),
            edge.target_label,
            edge.reason,
            index(edge.passage),
            edge.start,
            edge.end,
            details_as_json(edge.details),
        )
        for edge in _emptied(claims.edges)
    )


def _emptied(items: list[_Item]) -> Iterator[_Item]:
    """Yield the items of a list in their order, and take each out of it."""
    items.reverse()
    while items:
        yield items.pop()


def _publicity(part: PageNode) -> int:
    """Return the sort key of a page's node: 0 for passages, so that their keys are consecutive; 1
    for what is stated in them; _PUBLIC for the page and its sections, which other pages may link
    to."""
    return {"passage": 0, "page": _PUBLIC, "section": _PUBLIC}.get(part.node.kind, 1)


def _shared_values(node: Node) -> tuple[str | None, ...]:
    """Return the values of SHARED_COLUMNS for a node."""
    return (
        node.game,
        node.source,
        node.lang,
        node.edition,
        node.number,
        node.label,
        node.reading,
        node.text,
        node.url,
        node.notice,
        node.date,
        details_as_json(node.details),
    )


def details_as_json(details: Mapping[str, object] | None) -> str | None:
    """Return details as JSON, as they are stored; None if there are none.

    >>> details_as_json({"to": "引く", "by": 1}), details_as_json({})
    ('{"by": 1, "to": "引く"}', None)
    """
    return json.dumps(details, ensure_ascii=False, sort_keys=True) if details else None
