"""The wide layout of a graph: the centre in the middle, its neighbours in columns beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from graphs.picture.boxes import (
    ARROW_HEAD,
    COUNT_SIZE,
    MARGIN,
    Box,
    arrow_head,
    box_group,
    footer,
    inset,
    kind_of,
    size_of,
    text_at,
)
from graphs.picture.layout import DrawnEdge, DrawnGraph, box_positions
from graphs.picture.lettering import box_lines, text_line
from graphs.picture.scene import Command, Group, Point, Scene, Shape, Text
from graphs.picture.styles import UNDIRECTED, class_name

_NARROWEST = 420.0  # the least width of a picture: the legend needs it, for some kinds in a row
# Lengths in pixels, by hand.
# The part of a box's side that edges meet, which leaves its corners free; what each needs there,
# and one with a count, which stands above it.
_USED, _EDGE_SPACE, _COUNT_SPACE = 0.74, 8.0, 13.0
# How far a line runs level below the number of edges: room for two digits beside the arrow head.
_COUNT_WIDTH = 30.0
# How far an edge between boxes of one column bulges: at least _BULGE, so that it is seen beside the
# arrow head, and more by the distance of the boxes divided by _FLATNESS, so that edges of different
# lengths do not lie on each other, and only those of over 600 pixels reach the next column.
_BULGE, _FLATNESS = 28.0, 8.0

_Route = Sequence[tuple[str, int]]  # the boxes that a line passes, each with its column
_Side = tuple[str, int]  # the name of a box, and -1 for its left side or 1 for its right


class _End:
    """Where a line meets a box. From there it runs straight to the end of the column.

    x, y: the point on the box's outline
    side: -1 on the left of the box, 1 on the right
    column: the x at which the column ends on this side
    """

    __slots__ = ("column", "side", "x", "y")

    def __init__(self, x: float, y: float, side: int, column: float) -> None:
        self.x, self.y, self.side, self.column = x, y, side, column


def wide_scene(drawn: DrawnGraph) -> Scene:
    """Return a graph as a picture for a wide page, with a legend and remarks below."""
    routes = [list(_route(number, edge, drawn.columns)) for number, edge in enumerate(drawn.edges)]
    boxes, column_ends = _boxes(drawn, routes)
    segments = list(_segments(boxes, column_ends, routes))
    counted = _counted_ends(drawn.edges, routes)
    for number, which in counted.items():
        counted_end = segments[number][which][which]
        counted_end.column += counted_end.side * _COUNT_WIDTH
    groups = [
        _edge_group(drawn, edge, ends, counted.get(number))
        for number, (edge, ends) in enumerate(zip(drawn.edges, segments, strict=True))
    ]
    groups += [box_group(boxes[node], fields, node) for node, fields in drawn.nodes.items()]
    left, right, top, bottom = _bounds(boxes.values(), segments)
    spare = max(0.0, _NARROWEST - (right - left)) / 2
    left, right = left - spare, right + spare
    below, end = footer(drawn, drawn.edge_kinds, drawn.remarks, left, right, bottom + MARGIN)
    size = right - left + 2 * MARGIN, end - top + 2 * MARGIN
    return Scene(*size, groups + below, drawn.title).moved(MARGIN - left, MARGIN - top)


# -- boxes ------------------------------------------------------------------------------------


def _route(number: int, edge: DrawnEdge, columns: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield (name, column) of the boxes that a line passes: its nodes, and in each column between
    them a lane of its own, so that no box covers it.

    number: the number of the line, for the names of its lanes
    """
    first, last = columns[edge.source], columns[edge.target]
    yield edge.source, first
    for column in range(first + 1, last) or range(first - 1, last, -1):
        yield f"\n{number} {column}", column  # no node has such an id
    yield edge.target, last


def _boxes(
    drawn: DrawnGraph, routes: Sequence[_Route]
) -> tuple[dict[str, Box], dict[str, tuple[float, float]]]:
    """Return the boxes of nodes and lanes by name, high enough for the lines that meet them; and
    for each the left and the right end of its column.

    The boxes of a column are as wide as the widest needs for its text, and each is as high as its
    text needs, or higher. A lane has no text.

    routes: (name, column) of each box and lane that a line passes, in order
    """
    joined: dict[str, list[str]] = defaultdict(list)
    space: Counter[_Side] = Counter()
    column = {node: drawn.columns[node] for node in drawn.nodes}
    for edge, route in zip(drawn.edges, routes, strict=True):
        column |= dict(route)
        for (start, start_side), (end, end_side) in map(_facing_sides, pairwise(route)):
            joined[start].append(end)
            joined[end].append(start)
            for side in ((start, start_side), (end, end_side)):
                space[side] += int(_COUNT_SPACE if edge.number > 1 else _EDGE_SPACE)
    texts = {
        node: box_lines(fields, node, node in drawn.highlighted)
        for node, fields in drawn.nodes.items()
    }
    sizes = {}
    for node, lines in texts.items():
        width, height = size_of(lines, kind_of(drawn.nodes[node]))
        sizes[node] = width, max(height, max(space[node, -1], space[node, 1]) / _USED)
    widest = dict.fromkeys(column.values(), 0.0)
    for node, (width, _) in sizes.items():
        widest[column[node]] = max(widest[column[node]], width)
    sizes = {node: (widest[column[node]], height) for node, (_, height) in sizes.items()}
    sizes |= {lane: (widest[column[lane]], _EDGE_SPACE) for lane in column if lane not in sizes}
    middles = box_positions(column, sizes, joined, drawn.predecessors)
    boxes = {
        name: Box(
            *middles[name],
            *sizes[name],
            texts.get(name, ()),
            kind_of(drawn.nodes.get(name, {})),
            name in drawn.highlighted,
        )
        for name in column
    }
    ends = {}
    for index in set(column.values()):
        inside = [boxes[name] for name in boxes if column[name] == index]
        ends[index] = min(box.left for box in inside), max(box.right for box in inside)
    return boxes, {name: ends[column[name]] for name in boxes}


def _facing_sides(pair: tuple[tuple[str, int], tuple[str, int]]) -> tuple[_Side, _Side]:
    """Return the sides on which a line joins two boxes, given as (name, column): those that face
    each other or, if they are in the same column, the outer ones.

    >>> _facing_sides((("a", 0), ("b", 1)))
    (('a', 1), ('b', -1))
    """
    (start, start_column), (end, end_column) = pair
    outer = 1 if start_column >= 0 else -1
    side = (end_column > start_column) - (end_column < start_column)
    return (start, side or outer), (end, -side or outer)


def _bounds(
    boxes: Collection[Box], segments: Iterable[Sequence[tuple[_End, _End]]]
) -> tuple[float, float, float, float]:
    """Return (left, right, top, bottom): the bounds of some boxes, and of lines that bulge."""
    bulges = [
        start.column + start.side * _reach(start, end)
        for route in segments
        for start, end in route
        if start.side == end.side
    ]
    return (
        min([*(box.left for box in boxes), *bulges]),
        max([*(box.right for box in boxes), *bulges]),
        min(box.top for box in boxes),
        max(box.bottom for box in boxes),
    )


# -- edges ------------------------------------------------------------------------------------


def _segments(
    boxes: Mapping[str, Box],
    column_ends: Mapping[str, tuple[float, float]],
    routes: Sequence[_Route],
) -> Iterator[list[tuple[_End, _End]]]:
    """Yield the (start, end) of each segment of each route, from box to box.

    Lines that meet the same side of a box are placed one below the other, in the order of the
    heights that they come from.

    boxes: {name: box} of all nodes and lanes on the routes
    column_ends: {name: the left and the right end of its column}
    """
    meeting: dict[_Side, list[tuple[float, int, _Side, _Side]]] = defaultdict(list)
    for number, route in enumerate(routes):
        for start, end in map(_facing_sides, pairwise(route)):
            meeting[start].append((boxes[end[0]].y, number, start, end))
            meeting[end].append((boxes[start[0]].y, number, end, start))
    ends: dict[tuple[int, _Side, _Side], _End] = {}
    for (name, side), lines in meeting.items():
        box = boxes[name]
        for order, (_, number, near, far) in enumerate(sorted(lines)):
            offset = _USED * box.height * ((order + 0.5) / len(lines) - 0.5)
            x = box.x + side * (box.width / 2 - inset(box, offset))
            ends[number, near, far] = _End(x, box.y + offset, side, column_ends[name][side > 0])
    for number, route in enumerate(routes):
        pairs = map(_facing_sides, pairwise(route))
        yield [(ends[number, start, end], ends[number, end, start]) for start, end in pairs]


def _counted_ends(edges: Sequence[DrawnEdge], routes: Sequence[_Route]) -> dict[int, int]:
    """Return {number of a line: 0 or -1}: at which end of a line that stands for several edges
    their number is written: where fewer lines meet the box, at its source if they are as many.
    Lines that stand for one edge are left out."""
    meeting = Counter(
        side for route in routes for pair in pairwise(route) for side in _facing_sides(pair)
    )
    found = {}
    for number, (edge, route) in enumerate(zip(edges, routes, strict=True)):
        if edge.number > 1:
            first = _facing_sides((route[0], route[1]))[0]
            last = _facing_sides((route[-2], route[-1]))[1]
            found[number] = 0 if meeting[first] <= meeting[last] else -1
    return found


def _edge_group(
    drawn: DrawnGraph, edge: DrawnEdge, ends: Sequence[tuple[_End, _End]], counted: int | None
) -> Group:
    """Return what is painted of an edge: its line, its arrow head, and how many edges it stands
    for.

    ends: (start, end) of each segment, from the edge's source to its target
    counted: where its number is written: 0 at its source, -1 at its target; None nowhere
    """
    tip = ends[-1][1]
    items: list[Shape | Text] = []
    tip_x = tip.x
    if edge.kind not in UNDIRECTED:
        items.append(arrow_head(tip.x, tip.y, -tip.side, 0.0))
        tip_x += tip.side * ARROW_HEAD
    items.insert(0, Shape(_curve(ends, tip_x), "line"))
    if counted is not None:
        at = ends[0][0] if counted == 0 else tip
        line = text_line(f"×{edge.number}", COUNT_SIZE)
        x = at.column - at.side * (_COUNT_WIDTH - ARROW_HEAD - 1)
        anchor = "start" if at.side > 0 else "end"
        items.append(text_at(line, x, at.y - COUNT_SIZE * 0.6, "pale", anchor))
    return Group(("edge", class_name(edge.kind)), items, drawn.edge_title(edge))


def _curve(ends: Sequence[tuple[_End, _End]], tip_x: float) -> list[Command]:
    """Return the path of a line, which meets boxes level; it ends at `tip_x`."""
    first = ends[0][0]
    path: list[Command] = [("M", ((first.x, first.y),))]
    for start, end in ends:
        reach = _reach(start, end)
        points: tuple[Point, ...] = (
            (start.column + start.side * reach, start.y),
            (end.column + end.side * reach, end.y),
            (end.column, end.y),
        )
        end_x = tip_x if end is ends[-1][1] else end.x
        path += [("L", ((start.column, start.y),)), ("C", points), ("L", ((end_x, end.y),))]
    return path


def _reach(start: _End, end: _End) -> float:
    """Return how far a line runs level behind the ends of columns before it bends."""
    if start.side == end.side:
        return _BULGE + abs(end.y - start.y) / _FLATNESS
    return abs(end.column - start.column) / 2
