"""The graph as networkx knows graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphs.store import Store

if TYPE_CHECKING:
    import networkx as nx


def as_networkx(store: Store, dangling: bool = False) -> nx.MultiDiGraph[str]:
    """The graph with its nodes' and edges' fields as attributes.

    Edges are keyed by kind and evidence; dangling ones are left out unless asked for, and
    then lead to a node named after what they want.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in store.nodes():
        fields = {key: value for key, value in node.as_json().items() if value is not None}
        graph.add_node(fields.pop("id"), **fields)
    for edge in store.all_edges():
        if edge.target is None and not dangling:
            continue
        target = edge.target or f"? {edge.target_label}"
        words = edge.evidence
        graph.add_edge(
            edge.source, target, key=f"{edge.kind} {words.passage}:{words.start}",
            kind=edge.kind, text=words.text, passage=words.passage, reason=edge.reason,
        )  # fmt: skip
    return graph
