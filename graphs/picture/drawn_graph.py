"""What is drawn of a graph: the nodes and edges that were selected, which layouts put in place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphs.picture.lettering import box_texts, ellipsized


class DrawnEdge(NamedTuple):
    """The line between two nodes, which stands for all edges between them.

    source, target, kind: those of the strongest edge; the kind is a key of EDGE_STYLES
    cost: the cost of the strongest edge
    number: how many edges there are
    """

    source: str
    target: str
    kind: str
    cost: int
    number: int = 1


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """The nodes and edges of a picture, before they have places.

    nodes: {id: attributes, as in `as_networkx`} of each node, without a kind if it is not loaded;
        nearest to the centre first
    predecessors: {id: the node over which it is reached from the centre}, in the same order; a
        node in the centre is its own
    columns: {id: the column of the node}, numbered from left to right; may be negative
    edges: one line for each connected pair of nodes
    highlighted: the ids of nodes to be shown larger and filled with their colour
    remarks: texts to show below the legend: what is left out, notices
    """

    nodes: Mapping[str, Mapping[str, Any]]
    predecessors: Mapping[str, str]
    columns: Mapping[str, int]
    edges: Sequence[DrawnEdge]
    highlighted: Collection[str]
    remarks: Sequence[str]

    @property
    def node_kinds(self) -> set[str]:
        """The kinds of the nodes, as keys of NODE_STYLES."""
        return {fields.get("kind") or "not loaded" for fields in self.nodes.values()}

    @property
    def edge_kinds(self) -> set[str]:
        """The kinds of the edges."""
        return {edge.kind for edge in self.edges}

    @property
    def title(self) -> str:
        """What the picture shows, in words."""
        return f"{self.name(next(iter(self.nodes)))} and what is connected with it"

    def name(self, node: str) -> str:
        """Return the name of a node, on one line, shortened."""
        return ellipsized(box_texts(self.nodes[node], node)[0], 1.0, 40.0).text

    def edge_title(self, edge: DrawnEdge) -> str:
        """Return an edge in words."""
        times = f" (the strongest of {edge.number} edges)" if edge.number > 1 else ""
        words = edge.kind.replace("_", " ")
        return f"{self.name(edge.source)} – {words} → {self.name(edge.target)}{times}"
