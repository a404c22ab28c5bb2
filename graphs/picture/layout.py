"""What is drawn of a graph, the column of each node, and where its box is in the wide layout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from graphs.picture.lettering import box_texts, ellipsized
from graphs.picture.scene import Point, Said, Words, kind_in_words

Size = tuple[float, float]  # (width, height)
# In pixels, by hand: between the boxes of a column; between columns, with room for the counts at
# both ends of a line (`wide._COUNT_WIDTH`) and for its bend.
GAP, BETWEEN = 11.0, 104.0
# Boxes that one side may have more than the other before some are moved. By hand: lower makes both
# sides equal, but more boxes stand on the side that says the wrong direction.
_UNEVEN = 4


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
        """The kinds of the nodes, as keys of NODE_STYLES: `not loaded` for those without one."""
        return {fields.get("kind") or "not loaded" for fields in self.nodes.values()}

    @property
    def edge_kinds(self) -> set[str]:
        """The kinds of the edges."""
        return {edge.kind for edge in self.edges}

    @property
    def title(self) -> str:
        """What the picture shows, in words: the name of its first node, and what is connected."""
        name = self.name(next(iter(self.nodes)))
        return Said("{name} and what is connected with it", {"name": name}).in_words(self.words)

    def name(self, node: str) -> str:
        """Return the name of a node as its box has it (`box_texts`), on one line, cut with … where
        it is longer than 40 full-width characters."""
        return ellipsized(box_texts(self.nodes[node], node)[0], 1.0, 40.0).text

    def edge_title(self, edge: DrawnEdge) -> str:
        """Return an edge in words: `source – kind → target`, and how many edges it stands for if
        there are several."""
        times = Said(" (the strongest of {number} edges)", {"number": str(edge.number)})
        more = times.in_words(self.words) if edge.number > 1 else ""
        kind = kind_in_words(edge.kind, self.words)
        return f"{self.name(edge.source)} – {kind} → {self.name(edge.target)}{more}"


def columns_around(predecessors: Mapping[str, str], outward: Collection[str]) -> dict[str, int]:
    """Return the column of each node: 0 is the centre, 1, 2… are right of it, -1, -2… left.

    A node stands one column further out than its predecessor. The neighbours of the centre stand
    on the right if they are in `outward`, otherwise on the left; but if one side would have over
    _UNEVEN nodes more than the other, some of its neighbours move over, the last ones first.

    predecessors: {node: the node over which it is reached from the centre}; a node comes after its
        predecessor. A node that is its own predecessor is in the centre; there may be several.
    outward: the neighbours to which the centre leads

    >>> columns_around({"a": "a", "b": "a", "c": "a", "d": "c"}, {"b"})
    {'a': 0, 'b': 1, 'c': -1, 'd': -2}
    """
    centre = [node for node, predecessor in predecessors.items() if node == predecessor]
    others = [node for node, predecessor in predecessors.items() if node != predecessor]
    columns = dict.fromkeys(centre, 0)
    branch_size = dict.fromkeys(others, 1)  # the node and all that are reached over it
    for node in reversed(others):
        if predecessors[node] not in columns:
            branch_size[predecessors[node]] += branch_size[node]
    neighbours = [node for node in others if predecessors[node] in columns]
    columns |= {node: 1 if node in outward else -1 for node in neighbours}
    excess = sum(columns[node] * branch_size[node] for node in neighbours)  # right minus left
    for node in reversed(neighbours):
        if columns[node] * excess > 0 and branch_size[node] + _UNEVEN <= abs(excess):
            excess -= 2 * columns[node] * branch_size[node]
            columns[node] *= -1
    for node in others:
        inner = columns[predecessors[node]]
        columns.setdefault(node, inner + (1 if inner > 0 else -1))
    return {node: columns[node] for node in predecessors}


def box_positions(
    columns: Mapping[str, int],
    sizes: Mapping[str, Size],
    joined: Mapping[str, Collection[str]],
    predecessors: Mapping[str, str] | None = None,
) -> dict[str, Point]:
    """Return the (x, y) of the middle of each node's box; x grows to the right, y downwards.

    The boxes of a column stand below each other, each as near as possible to the level of those
    further in that it is joined to. They are sorted by the level of their predecessors, so that
    those with the same one stand together, then by that of all that they are joined to; boxes on
    the same level keep the order of `columns`.

    columns: {node: its column}, as `columns_around` returns
    sizes: {node: (width, height) of its box}
    joined: {node: the nodes that it has an edge to or from}; has every node
    predecessors: {node: the node over which it is reached}, as for `columns_around`

    >>> box_positions({"a": 0, "b": 1}, {"a": (40, 20), "b": (60, 20)}, {"a": ["b"], "b": ["a"]})
    {'a': (0.0, 0.0), 'b': (154.0, 0.0)}
    """
    stacks: dict[int, list[str]] = defaultdict(list)
    for node, column in columns.items():
        stacks[column].append(node)
    positions: dict[str, Point] = {}
    side_end = {1: 0.0, -1: 0.0}  # how far the columns of each side reach from the centre
    for column in sorted(stacks, key=lambda column: (abs(column), column)):
        side = 1 if column >= 0 else -1
        levels = {
            node: fmean(
                [positions[inner][1] for inner in joined[node] if inner in positions] or [0.0]
            )
            for node in stacks[column]
        }
        column_width = max(sizes[node][0] for node in levels)
        column_height = sum(sizes[node][1] for node in levels) + GAP * (len(levels) - 1)
        column_start = side_end[side] + BETWEEN if column else -column_width / 2
        top = fmean(levels.values()) - column_height / 2
        parents = {node: positions.get((predecessors or {}).get(node, "")) for node in levels}
        sorted_by = {
            node: (parent[1] if parent else levels[node], levels[node])
            for node, parent in parents.items()
        }
        for node in sorted(levels, key=sorted_by.__getitem__):
            width, height = sizes[node]
            positions[node] = side * (column_start + width / 2), top + height / 2
            top += height + GAP
        side_end[side] = column_start + column_width
        if not column:
            side_end[-1] = side_end[1]
    return positions
