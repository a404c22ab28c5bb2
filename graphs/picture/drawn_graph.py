"""What is drawn of a graph: the nodes and edges that were selected, which layouts put in place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphs.picture.lettering import box_texts, ellipsized
from graphs.picture.said import Said, Words, kind_in_words


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
    remarks: to show below the legend: what is left out, notices
    words: the words for what the picture says
    """

    nodes: Mapping[str, Mapping[str, Any]]
    predecessors: Mapping[str, str]
    columns: Mapping[str, int]
    edges: Sequence[DrawnEdge]
    highlighted: Collection[str]
    remarks: Sequence[str | Said]
    words: Words

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
        name = self.name(next(iter(self.nodes)))
        return Said("{name} and what is connected with it", {"name": name}).in_words(self.words)

    def name(self, node: str) -> str:
        """Return the name of a node, on one line, shortened."""
        return ellipsized(box_texts(self.nodes[node], node)[0], 1.0, 40.0).text

    def edge_title(self, edge: DrawnEdge) -> str:
        """Return an edge in words."""
        times = Said(" (the strongest of {number} edges)", {"number": str(edge.number)})
        more = times.in_words(self.words) if edge.number > 1 else ""
        kind = kind_in_words(edge.kind, self.words)
        return f"{self.name(edge.source)} – {kind} → {self.name(edge.target)}{more}"
