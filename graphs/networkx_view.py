"""Converts nodes and edges to a networkx graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from graphs.model import Edge, Node

if TYPE_CHECKING:
    import networkx as nx


def as_networkx(
    nodes: Iterable[Node], edges: Iterable[Edge], dangling: bool = False
) -> nx.MultiDiGraph[str]:
    """Return a multigraph of the nodes, by id, and the edges between them.

    A node's attributes are its fields as in `Node.as_json`, without those that are None. An
    edge's attributes are `kind`, `reason`, `details` and, from its evidence, `text`, `passage`,
    `start` and `end`; its key is made of its kind, passage and start.

    Dangling edges are left out unless `dangling` is set. Then each leads to a node that has no
    attributes and is called `? ` and the edge's target label. The end of an edge that is not
    among `nodes` is added by its id, without attributes.

    >>> graph = as_networkx([Node("mtg/term/引く", "term", game="mtg")], [])
    >>> graph.nodes["mtg/term/引く"]
    {'kind': 'term', 'game': 'mtg', 'labels': (), 'named_by': []}
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in nodes:
        attributes = {key: value for key, value in node.as_json().items() if value is not None}
        graph.add_node(attributes.pop("id"), **attributes)
    for edge in edges:
        if edge.target is None and not dangling:
            continue
        target = edge.target or f"? {edge.target_label}"
        evidence = edge.evidence
        graph.add_edge(
            edge.source,
            target,
            key=f"{edge.kind} {evidence.passage}:{evidence.start}",
            kind=edge.kind,
            text=evidence.text,
            passage=evidence.passage,
            start=evidence.start,
            end=evidence.end,
            reason=edge.reason,
            details=edge.details,
        )
    return graph
