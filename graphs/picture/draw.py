"""Draws the surroundings of a node as a picture: selects nodes and edges, and puts them in places.

`lettering` says what is written in the boxes, `svg` and `png` write the picture. The wide layout
has the centre in the middle, and its neighbours in columns beside it. The narrow one, for phones,
has the centre on top, and its neighbours below each other. There, what a box is reached from stands
above it and further left. Lines run down on the left of the boxes that they lead to, one for each
kind and direction; those of the first group are the nearest to the boxes, so that no lines cross.
Edges besides those run on the right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from graphs.errors import DrawError
from graphs.model import EdgeKind
from graphs.networkx_view import structured
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
from graphs.picture.layout import GAP, DrawnEdge, DrawnGraph, box_positions, columns_around
from graphs.picture.lettering import box_lines, text_line
from graphs.picture.picture import Picture, left_out_remark
from graphs.picture.scene import (
    Command,
    Group,
    Point,
    Said,
    Scene,
    Shape,
    Text,
    Words,
    kind_in_words,
    polyline,
)
from graphs.picture.styles import EDGE_STYLES, NOT_LOADED, UNDIRECTED, class_name
from graphs.sort_orders import NaturalKey, natural_key
from graphs.walks import COST

if TYPE_CHECKING:
    import networkx as nx

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


# What a dangling edge costs more than others of its kind, so that of equal ones those to nodes that
# are loaded are drawn first. By hand: less than what a link costs more than a citation (`COST`).
_DANGLING_COST = 2


def draw(
    graph: nx.MultiDiGraph[str],
    centre: str | Iterable[str] | None = None,
    most: int = 24,
    columns: Mapping[str, int] | None = None,
    remarks: Iterable[str | Said] = (),
) -> Picture:
    """Return a picture of a graph as `KnowledgeBase.graph` and the results' `graph` return it.

    centre: the id of the node in the middle, or the ids of several, which the graph has; if None or
        empty, the node with the most edges, of several the first by id. Ignored if there are
        `columns`.
    most: how many nodes are drawn at most, 1 or more: those that the strongest edges connect to the
        centre, or to the starts. Nodes that no edges connect to these are never drawn.
    columns: {id: column} of every node, from left to right: starts are in column 0 and ends in
        the last one. If None, the centre is in the middle, nodes that lead to it are on its left,
        and nodes that it leads to on its right.

    remarks: to show below the picture, between how many nodes are left out and the notices of those
        that are shown; empty ones are left out.

    Raises DrawError if the graph is empty.

    >>> from networkx import MultiDiGraph
    >>> graph = MultiDiGraph()
    >>> graph.add_nodes_from([("a", {"kind": "rule"}), ("b", {"kind": "rule"})])
    >>> key = graph.add_edge("a", "b", kind="cites")
    >>> draw(graph)
    <a picture: nodes 2, edges 1>
    """
    if not graph:
        raise DrawError("there is nothing to draw: no node")
    strongest = _strongest_edges(graph)
    if columns is None:
        centres = [centre] if isinstance(centre, str) else list(centre or ())
        highlighted = set(centres or [max(sorted(graph), key=graph.degree)])
        predecessors = _nearest_nodes(strongest, highlighted, most)
        columns = columns_around(predecessors, _outward_nodes(strongest, highlighted))
    else:
        highlighted = {node for node in graph if columns[node] in (0, max(columns.values()))}
        starts = {node for node in graph if not columns[node]}
        predecessors = _nearest_nodes(strongest, starts, most)
    edges = [edge for edge in strongest if {edge.source, edge.target} <= predecessors.keys()]
    left_out = len(graph) - len(predecessors)
    nodes = {node: graph.nodes[node] for node in predecessors}
    notices = {fields["notice"] for fields in nodes.values() if fields.get("notice")}
    more = [left_out_remark(left_out)] if left_out else []
    shown = [remark for remark in (*more, *remarks, *sorted(notices)) if remark]
    drawn = DrawnGraph(nodes, predecessors, columns, edges, highlighted, shown, {})
    return Picture(partial(_scene, drawn), len(predecessors), len(edges), left_out)


def _scene(drawn: DrawnGraph, narrow: bool, words: Words) -> Scene:
    """Return a graph as a picture, for a narrow page or a wide one."""
    not_loaded = {"place": kind_in_words(NOT_LOADED, words)}
    nodes = {
        node: {**fields, **(_worded(fields, words) if fields.get("kind") else not_loaded)}
        for node, fields in drawn.nodes.items()
    }
    worded = replace(drawn, nodes=nodes, words=words)
    return narrow_scene(worded) if narrow else wide_scene(worded)


def _worded(fields: Mapping[str, Any], words: Words) -> Mapping[str, str]:
    """Return the fields of a node that say where it is from, as `words` calls games, languages,
    sources and sections; what it lacks stays."""
    known = {name: fields[name] for name in _WHERE if fields.get(name)}
    return {
        name: " · ".join(words.get(part, part) for part in value.split(" · "))
        for name, value in known.items()
    }


_WHERE = ("game", "lang", "source", "place")


def _strongest_edges(graph: nx.MultiDiGraph[str]) -> list[DrawnEdge]:
    """Return, for each pair of connected nodes, the edge that costs least and how many there are;
    of edges that cost the same, the first by its kind's name, then by its source.

    Both directions count together. An edge costs what its kind costs in a path, and more if its
    target is not loaded. The kind of a `same_concept` whose relation is `close` is given as
    `close_concept`. Edges from a node to itself are ignored.

    graph: as `draw` takes it; a node without a `kind` counts as not loaded
    """
    strongest: dict[frozenset[str], DrawnEdge] = {}
    for source, target, data in graph.edges(data=True):
        if source != target:
            kind: EdgeKind = data["kind"]
            cost = COST[kind] + _DANGLING_COST * ("kind" not in graph.nodes[target])
            close = (structured(data, "details") or {}).get("relation") == "close"
            edge = DrawnEdge(source, target, "close_concept" if close else kind, cost)
            pair = frozenset((source, target))
            known = strongest.get(pair, edge._replace(number=0))
            best = min(known, edge, key=lambda edge: (edge.cost, edge.kind, edge.source))
            strongest[pair] = best._replace(number=known.number + 1)
    return list(strongest.values())


def _outward_nodes(edges: Iterable[DrawnEdge], centre: Collection[str]) -> set[str]:
    """Return the nodes to which edges lead from the centre; an undirected edge leads both ways.

    centre: the ids of one or more nodes
    """
    undirected = {
        edge.source for edge in edges if edge.target in centre and edge.kind in UNDIRECTED
    }
    return undirected | {edge.target for edge in edges if edge.source in centre}


def _nearest_nodes(edges: Iterable[DrawnEdge], starts: Iterable[str], most: int) -> dict[str, str]:
    """Return {node: its predecessor on the cheapest way from any start} of the nearest nodes.

    Nodes are sorted by what the way costs, then by the kind of the last edge, in the order of
    EDGE_STYLES, then by name. Of ways that are equal in the first two, the one whose last edge
    stands for more edges is taken. A start is its own predecessor. There are `most` nodes at most,
    starts included; edges are followed in both directions, and nodes that none connects to a start
    are left out.
    """
    edges_at: dict[str, list[DrawnEdge]] = defaultdict(list)
    for edge in edges:
        edges_at[edge.source].append(edge)
        edges_at[edge.target].append(edge)
    kinds = list(EDGE_STYLES)
    # (cost, kind of the last edge, minus the number of edges, sortable name, node, predecessor)
    queue = sorted((0, 0, 0, natural_key(start), start, start) for start in starts)
    reached: dict[str, tuple[int, int, NaturalKey, str]] = {}
    while queue and len(reached) < most:
        cost, kind, _, name, node, predecessor = heappop(queue)
        if node not in reached:
            reached[node] = cost, kind, name, predecessor
            for edge in edges_at[node]:
                other = edge.target if edge.source == node else edge.source
                rank = kinds.index(edge.kind), -edge.number, natural_key(other)
                heappush(queue, (cost + edge.cost, *rank, other, node))
    return {
        node: reached[node][-1] for node in sorted(reached, key=lambda node: reached[node][:-1])
    }
