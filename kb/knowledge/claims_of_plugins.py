"""Checks what a plug-in claims of a page, before it is written among what others claim."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from graphs.model import Node
from graphs.store.file.row_checks import (
    EDGE_KINDS,
    ROLES,
    check_form,
    check_node,
    check_one_of,
    parse_details,
)
from graphs.writing.page_claims import EdgeClaim, LabelClaim, NodeClaim, PageClaims, PageNode
from kb.knowledge.prepared_page import PageContext

Sizes = Mapping[str, int]

_TYPES: Mapping[str, type] = {
    "parts": PageNode, "nodes": NodeClaim, "labels": LabelClaim, "edges": EdgeClaim,
}  # fmt: skip


def sizes(claims: PageClaims) -> Sizes:
    """Return how many claims of each sort there are."""
    return {name: len(getattr(claims, name)) for name in _TYPES}


def drop_added(claims: PageClaims, before: Sizes) -> None:
    """Remove what was added since there were so many."""
    for name, number in before.items():
        del getattr(claims, name)[number:]


def check_added(context: PageContext, claims: PageClaims, before: Sizes) -> None:
    """Raise TypeError, ValueError or RowError, whose message says what, unless all that was added
    since there were so many claims can be stored and read back: kinds and roles that there are, ids
    and dates of their forms, details that are flat, spans within the text of their passages.

    A file with anything else would be taken for damaged.
    """
    for name, kind in _TYPES.items():
        for added in getattr(claims, name)[before[name] :]:
            if not isinstance(added, kind):
                raise TypeError(f"not a {kind.__name__} but {type(added).__name__}")
    known = {part.node.id for part in claims.parts[: before["parts"]]}
    for part in claims.parts[before["parts"] :]:
        if part.node.id in known:
            raise ValueError(f"the id {part.node.id!r} is another part's")
        if part.parent not in known or part.heading not in (None, *context.passage_ids):
            raise ValueError(f"{part.node.id!r} has no parent or heading on the page")
        known.add(part.node.id)
    added_nodes = (part.node for part in claims.parts[before["parts"] :])
    for node in (*added_nodes, *(claim.node for claim in claims.nodes[before["nodes"] :])):
        _check_node(node)
    for label in claims.labels[before["labels"] :]:
        check_one_of(label.label.role, ROLES, f"a name of {label.node}")
        check_form("lang", label.label.lang, f"a name of {label.node}")
        _check_texts(label.node, label.label.text, label.folded)
    _check_edges(context, claims.edges[before["edges"] :])


def _check_node(node: Node) -> None:
    check_node(node.id, node.kind, node.game, node.source, node.lang, node.edition, node.number)
    check_form("date", node.date, f"the node {node.id!r}")
    if node.kind == "rule" and not node.edition:
        raise ValueError(f"the rule {node.id!r} has no edition")
    _check_texts(*(value for value in (node.label, node.text, node.url) if value is not None))
    _check_details(node.details, f"the node {node.id!r}")


def _check_edges(context: PageContext, edges: Iterable[EdgeClaim]) -> None:
    texts = dict(
        zip(context.passage_ids, (each.text for each in context.page.passages), strict=True)
    )
    for edge in edges:
        check_one_of(edge.kind, EDGE_KINDS, "an edge")
        _check_texts(edge.source, edge.target, edge.target_label, edge.reason)
        text = texts.get(edge.passage)
        if text is None or not 0 <= edge.start <= edge.end <= len(text):
            raise ValueError(f"the edge to {edge.target!r} rests on no words of {edge.passage!r}")
        _check_details(edge.details, f"the edge to {edge.target!r}")


def _check_texts(*values: Any) -> None:
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"not a text but {type(value).__name__}: {str(value)[:40]!r}")


def _check_details(details: Mapping[str, Any] | None, what: str) -> None:
    if details is not None:
        parse_details(json.dumps(dict(details)), what)
