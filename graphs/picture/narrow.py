"""The narrow layout of a graph, for phones: the centre on top, its neighbours below each other.

What a box is reached from stands above it and further left. Lines run down on the left of the boxes
that they lead to, one for each kind and direction; those of the first group are the nearest to the
boxes, so that no lines cross. Edges besides those run on the right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphs.picture.boxes import (
    ARROW_HEAD,
    COUNT_SIZE,
    MARGIN,
    NARROW_WIDTH,
    PADDING,
    Box,
    arrow_head,
    box_group,
    footer,
    inset,
    kind_of,
    size_of,
    text_at,
)
from graphs.picture.captions import Said
from graphs.picture.layout import GAP, DrawnEdge, DrawnGraph
from graphs.picture.lettering import box_lines, text_line
from graphs.picture.scene import Command, Group, Scene, Shape, Text, polyline
from graphs.picture.styles import EDGE_STYLES, UNDIRECTED, class_name

# By hand, in pixels: as little as keeps lines apart, as each step inwards takes it from the boxes.
_EDGE = 4.0  # left and right of all boxes
# Between two lines that run down; from the last one to the boxes, with room for an arrow head.
_LANE, _BRANCH = 9.0, 20.0
# The width that a box has at least, for eight full-width characters of a name; deeper ones make the
# picture wider.
_LEAST_BOX = 150.0
# Between lines on the right; more than 6, which take a sixth of the picture, are not drawn.
_SIDE_LANE, _MOST_SIDE_LANES = 8.0, 6


class _Branch(NamedTuple):
    """A node that is reached from another one.

    edge: the line between them
    outward: whether it leads to the node, and not from it; True if it has no direction
    """

    node: str
    edge: DrawnEdge
    outward: bool

    @property
    def group(self) -> tuple[int, bool]:
        """The place of its kind in EDGE_STYLES, and whether it leads from the node: groups are in
        this order, and those of a group share a line."""
        return list(EDGE_STYLES).index(self.edge.kind), not self.outward


def narrow_scene(drawn: DrawnGraph) -> Scene:
    """Return a graph as a picture for a narrow page, with a legend and remarks below."""
    branches, besides = _branches(drawn)
    lefts = _left_ends(drawn, branches)
    side_lanes = _side_lanes(list(lefts), besides)
    gutter = _EDGE + (_SIDE_LANE * (1 + max(side_lanes.values())) if side_lanes else 0.0)
    right = max(NARROW_WIDTH, max(lefts.values()) + _LEAST_BOX + gutter) - gutter
    boxes = _stacked(drawn, lefts, right)
    groups: list[Group] = []
    for node, below in branches.items():
        groups += _tree_lines(drawn, boxes, node, below)
    groups += [
        _side_line(drawn, boxes, edge, right + _SIDE_LANE * (lane + 1))
        for edge, lane in side_lanes.items()
    ]
    groups += [box_group(boxes[node], drawn.nodes[node], node) for node in boxes]
    missing = len(besides) - len(side_lanes)
    besides_these = Said("{missing} lines besides are not drawn", {"missing": str(missing)})
    remarks = [*([besides_these] if missing else ()), *drawn.remarks]
    bottom = max(box.bottom for box in boxes.values()) + MARGIN
    kinds = {edge.kind for edge in drawn.edges if edge not in besides or edge in side_lanes}
    below_all, end = footer(drawn, kinds, remarks, _EDGE, right + gutter - _EDGE, bottom)
    return Scene(right + gutter, end + _EDGE, groups + below_all, drawn.title)


def _branches(drawn: DrawnGraph) -> tuple[dict[str, list[_Branch]], list[DrawnEdge]]:
    """Return {node: what is reached from it, in the order of groups} and the edges besides."""
    by_pair = {frozenset((edge.source, edge.target)): edge for edge in drawn.edges}
    branches: dict[str, list[_Branch]] = {node: [] for node in drawn.nodes}
    used = set()
    for node, predecessor in drawn.predecessors.items():
        if node != predecessor:
            edge = by_pair[frozenset((node, predecessor))]
            used.add(edge)
            outward = edge.target == node or edge.kind in UNDIRECTED
            branches[predecessor].append(_Branch(node, edge, outward))
    for below in branches.values():
        below.sort(key=lambda branch: branch.group)
    return branches, [edge for edge in drawn.edges if edge not in used]


def _lanes(below: Sequence[_Branch]) -> dict[tuple[int, bool], int]:
    """Return {group: its lane} of what is reached from a node: 0 is the nearest to the boxes."""
    return {group: lane for lane, group in enumerate(sorted({one.group for one in below}))}


def _left_ends(drawn: DrawnGraph, branches: dict[str, list[_Branch]]) -> dict[str, float]:
    """Return {node: the left end of its box} in the order from top to bottom: behind each node
    what is reached from it, in the order of `branches`, further right."""
    lefts: dict[str, float] = {}
    waiting = [
        (node, _EDGE)
        for node, predecessor in reversed(list(drawn.predecessors.items()))
        if node == predecessor
    ]
    while waiting:
        node, left = waiting.pop()
        lefts[node] = left
        below = branches[node]
        indent = left + _BRANCH + _LANE * max(1, len(_lanes(below)))
        waiting += [(branch.node, indent) for branch in reversed(below)]
    return lefts


def _stacked(drawn: DrawnGraph, lefts: dict[str, float], right: float) -> dict[str, Box]:
    """Return the boxes of nodes, below each other, from their left ends to the same right end."""
    boxes = {}
    top = _EDGE
    for node, left in lefts.items():
        fields, highlighted = drawn.nodes[node], node in drawn.highlighted
        kind = kind_of(fields)
        lines = box_lines(fields, node, highlighted, right - left - 5 * PADDING)
        height = size_of(lines, kind)[1]
        boxes[node] = Box(
            (left + right) / 2, top + height / 2, right - left, height, lines, kind, highlighted
        )
        top += height + GAP
    return boxes


def _tree_lines(
    drawn: DrawnGraph, boxes: dict[str, Box], node: str, below: Sequence[_Branch]
) -> Iterator[Group]:
    """Yield the lines from a node to what is reached from it, the last first. An undirected line
    has no arrow head; those of a group that lead up to the node share one."""
    above, lanes = boxes[node], _lanes(below)
    heads = set()
    for branch in reversed(below):
        box, edge = boxes[branch.node], branch.edge
        x = box.left - _BRANCH - _LANE * lanes[branch.group] + _LANE / 2
        start, end = above.bottom, box.left + inset(box, 0.0)
        items: list[Shape | Text] = []
        if edge.kind not in UNDIRECTED and branch.outward:
            items.append(arrow_head(end, box.y, 1.0, 0.0))
            end -= ARROW_HEAD
        elif edge.kind not in UNDIRECTED:
            if branch.group not in heads:
                items.append(arrow_head(x, start, 0.0, -1.0))
            start += ARROW_HEAD
        heads.add(branch.group)
        items.insert(0, Shape(_bent(x, start, end, box.y), "line"))
        if edge.number > 1:
            items.append(_count(edge, box.left - ARROW_HEAD - 1, box.y))
        yield Group(("edge", class_name(edge.kind)), items, drawn.edge_title(edge))


def _bent(x: float, top: float, end: float, y: float) -> list[Command]:
    """Return the path down from (x, top) and, around a corner, level to (end, y)."""
    corner = min(6.0, y - top, end - x)
    bend: Command = ("C", ((x, y), (x, y), (x + corner, y)))
    return [*polyline([(x, top), (x, y - corner)]), bend, ("L", ((end, y),))]


def _count(edge: DrawnEdge, x: float, y: float) -> Text:
    """Return how many edges a line stands for, as `×3`, above it; x is the right end."""
    line = text_line(f"×{edge.number}", COUNT_SIZE)
    return text_at(line, x, y - COUNT_SIZE * 0.6, "pale", "end")


def _side_lanes(order: Sequence[str], edges: Sequence[DrawnEdge]) -> dict[DrawnEdge, int]:
    """Return {edge: its lane on the right} of edges between boxes, so that none lie on each other.

    0 is the nearest to the boxes. The shortest edges come first; those for which none of the
    _MOST_SIDE_LANES is free are left out.

    order: the nodes from top to bottom
    """
    place = {node: index for index, node in enumerate(order)}
    taken: dict[int, list[tuple[int, int]]] = defaultdict(list)
    lanes: dict[DrawnEdge, int] = {}
    spans = {edge: sorted((place[edge.source], place[edge.target])) for edge in edges}
    for edge in sorted(edges, key=lambda edge: (spans[edge][1] - spans[edge][0], spans[edge])):
        first, last = spans[edge]
        for lane in range(_MOST_SIDE_LANES):
            if all(last < start or end < first for start, end in taken[lane]):
                taken[lane].append((first, last))
                lanes[edge] = lane
                break
    return lanes


def _side_line(drawn: DrawnGraph, boxes: dict[str, Box], edge: DrawnEdge, x: float) -> Group:
    """Return an edge between two boxes that runs on the right of them at x."""
    source, target = boxes[edge.source], boxes[edge.target]
    down = 1 if target.y > source.y else -1
    start_y, end_y = source.y + down * source.height / 5, target.y - down * target.height / 5
    start_x = source.right - inset(source, start_y - source.y)
    end_x = target.right - inset(target, end_y - target.y)
    items: list[Shape | Text] = []
    if edge.kind not in UNDIRECTED:
        items.append(arrow_head(end_x, end_y, -1.0, 0.0))
        end_x += ARROW_HEAD
    corner = 5.0 * down
    path: list[Command] = [
        *polyline([(start_x, start_y), (x - 5.0, start_y)]),
        ("C", ((x, start_y), (x, start_y), (x, start_y + corner))),
        ("L", ((x, end_y - corner),)),
        ("C", ((x, end_y), (x, end_y), (max(x - 5.0, end_x), end_y))),
        ("L", ((end_x, end_y),)),
    ]
    items.insert(0, Shape(path, "line"))
    return Group(("edge", class_name(edge.kind)), items, drawn.edge_title(edge))
