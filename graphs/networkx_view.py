"""The graph as networkx knows graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from graphs.model import Edge, Node

if TYPE_CHECKING:
    import networkx as nx


def as_networkx(
    nodes: Iterable[Node], edges: Iterable[Edge], dangling: bool = False
) -> nx.MultiDiGraph[str]:
    """Nodes and the edges between them, with their fields as attributes.

    An edge is keyed by its kind and the place of its words; it has its `kind`, `details`, and as
    evidence the `text`, the `passage`, `start` and `end`. Dangling edges are left out unless they
    are asked for: they say the `reason`, and lead to a node without a kind, named after what they
    want.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in nodes:
        fields = {key: value for key, value in node.as_json().items() if value is not None}
        graph.add_node(fields.pop("id"), **fields)
    for edge in edges:
        if edge.target is None and not dangling:
            continue
        target = edge.target or f"? {edge.target_label}"
        words = edge.evidence
        graph.add_edge(
            edge.source,
            target,
            key=f"{edge.kind} {words.passage}:{words.start}",
            kind=edge.kind,
            text=words.text,
            passage=words.passage,
            start=words.start,
            end=words.end,
            reason=edge.reason,
            details=edge.details,
        )
    return graph
