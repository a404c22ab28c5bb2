"""Paint a picture with matplotlib: boxes, edges and a legend, styled by kind of node and edge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log2, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from graphs.picture.layout import Point, box_positions
from graphs.picture.lettering import TextLine, box_lines, font, text_line, wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

# All lengths are in points, unless a comment says otherwise.
_MARGIN, _PADDING = 14.0, 6.0  # around the picture; around the text of a box
_NARROWEST = 400.0  # the least width of a picture: the legend needs it
_LINE_HEIGHT = 1.28  # as a multiple of the size of the characters
_CORNER, _ROUND = 6.0, 22.0  # what is cut off a box's corners; the largest radius of a pill
_USED, _EDGE_SPACE = 0.7, 7.0  # the part of a box's side that edges meet; what each needs there
_ARROW_HEAD = 6.0  # the length
# How far an edge between boxes of one column bulges: at least _BULGE, and more by the distance of
# the boxes divided by _FLATNESS.
_BULGE, _FLATNESS = 26.0, 8.0
_SMALL = 7.5  # the size of the legend's characters
_SAMPLE, _APART, _ROW = 24.0, 14.0, 15.0  # in the legend: a sample's width, a gap, a row's height
_NOTICE_LINES = 3  # at most, of one notice


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


class NodeStyle(NamedTuple):
    """How the boxes of a kind of node look. Shapes differ for those who can't tell colours apart.

    colour: of the outline, and of the background if the node is highlighted
    tint: the background otherwise
    shape: "pill", "box", "round" (a box with rounded corners), "cut", "leaf" or "hexagon"
    """

    colour: str
    tint: str
    shape: str


class EdgeStyle(NamedTuple):
    """How the lines of a kind of edge look. Dashes differ for those who can't tell colours apart.

    colour: the colour of the line
    dashes: "solid", or dashes as matplotlib takes them
    width: the width of the line of a single edge
    """

    colour: str
    dashes: str | tuple[float, tuple[float, ...]]
    width: float


# After the palette of Okabe and Ito, which can be told apart with any kind of colour vision.
_BLUE, _RED, _GREEN, _PURPLE = "#0072B2", "#C85200", "#00806A", "#A8508A"
_ORANGE, _SKY, _GREY, _BLACK = "#9A6A00", "#2E86B8", "#757575", "#333333"
_INK, _PALE = "#111111", "#5A5A5A"  # of text
_NOT_LOADED = "not loaded"
NODE_STYLES: Mapping[str, NodeStyle] = {
    "term": NodeStyle(_BLUE, "#DFEDF7", "pill"),
    "rule": NodeStyle(_RED, "#FCE9DE", "box"),
    "card": NodeStyle(_PURPLE, "#F6E6F0", "cut"),
    "page": NodeStyle(_GREEN, "#DFF3EC", "leaf"),
    "section": NodeStyle(_GREEN, "#F2FAF7", "leaf"),
    "passage": NodeStyle(_GREY, "#F6F6F6", "round"),
    "ruling": NodeStyle(_ORANGE, "#FBF1DA", "hexagon"),
    "outcome": NodeStyle(_SKY, "#E4F2FA", "hexagon"),
    "procedure": NodeStyle(_SKY, "#E4F2FA", "cut"),
    "step": NodeStyle(_SKY, "#F3F9FD", "round"),
    "edition": NodeStyle(_BLACK, "#ECECEC", "box"),
    _NOT_LOADED: NodeStyle(_GREY, "#FFFFFF", "box"),
}
EDGE_STYLES: Mapping[str, EdgeStyle] = {
    "cites": EdgeStyle(_RED, "solid", 1.5),
    "defines": EdgeStyle(_BLUE, "solid", 1.5),
    "same_concept": EdgeStyle(_PURPLE, "solid", 2.8),
    "close_concept": EdgeStyle(_PURPLE, (0, (2.5, 1.2)), 2.4),
    "redirects_to": EdgeStyle(_GREEN, (0, (6, 1.5, 1, 1.5)), 1.4),
    "quotes": EdgeStyle(_ORANGE, (0, (5, 1.5)), 1.5),
    "succeeds": EdgeStyle(_SKY, "solid", 1.5),
    "translates": EdgeStyle(_SKY, (0, (5, 1.5)), 1.5),
    "part_of": EdgeStyle(_BLACK, "solid", 0.9),
    "links_to": EdgeStyle(_GREEN, (0, (3, 1.5)), 1.1),
    "mentions": EdgeStyle(_GREY, (0, (1, 1.4)), 1.2),
}
UNDIRECTED = frozenset({"same_concept", "close_concept", "translates"})  # drawn without an arrow


_Route = Sequence[tuple[str, int]]  # the boxes that a line passes, each with its column
_Side = tuple[str, int]  # the name of a box, and -1 for its left side or 1 for its right


class _Box(NamedTuple):
    """The box of a node; or a lane, an invisible box in which a line passes other boxes.

    x, y: the middle
    width, height: the size
    lines: the text; a lane has none
    style: the style of the node's kind
    highlighted: whether the box is filled with its colour
    column: the left and the right end of its column
    """

    x: float
    y: float
    width: float
    height: float
    lines: Sequence[TextLine]
    style: NodeStyle
    highlighted: bool = False
    column: Point = (0.0, 0.0)


class _End(NamedTuple):
    """Where a line meets a box. From there it runs straight to the end of the column.

    x, y: the point on the box's outline
    side: -1 on the left of the box, 1 on the right
    column: the x at which the column ends on this side
    """

    x: float
    y: float
    side: int
    column: float


def paint(
    nodes: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, int],
    edges: Sequence[DrawnEdge],
    highlighted: Collection[str],
    remark: str,
) -> Figure:
    """Return a figure of nodes and edges; below them are a legend, a remark and notices.

    nodes: {id: attributes, as in `as_networkx`} of each node, without a kind if it is not loaded
    columns: {id: the column of the node}, numbered from left to right; may be negative
    edges: one line for each connected pair of nodes
    highlighted: the ids of nodes to be shown larger and filled with their colour
    remark: a text to show below the legend; may be empty
    """
    from matplotlib.figure import Figure

    routes = [list(_route(number, edge, columns)) for number, edge in enumerate(edges)]
    boxes = _boxes(nodes, columns, routes, highlighted)
    artists = [
        artist for node in nodes for artist in (_outline(boxes[node]), *_box_text(boxes[node]))
    ]
    for edge, segments in zip(edges, _segments(boxes, routes), strict=True):
        artists += _stroke(edge.kind, segments, edge.number)
    left, right, low, high = _bounds(boxes.values())
    spare = max(0.0, _NARROWEST - (right - left)) / 2
    left, right = left - spare, right + spare
    node_kinds = {fields.get("kind", _NOT_LOADED) for fields in nodes.values()}
    edge_kinds = {edge.kind for edge in edges}
    legend, low = _legend(node_kinds, edge_kinds, left, right, low - 1.5 * _ROW)
    artists += legend
    notices = {fields["notice"] for fields in nodes.values() if fields.get("notice")}
    for text in [remark, *sorted(notices)]:
        for line in wrapped(text, _SMALL, right - left, _NOTICE_LINES):
            artists.append(_text(line, left, low, _PALE))
            low -= _ROW
    figure = Figure(((right - left + 2 * _MARGIN) / 72, (high - low + _MARGIN) / 72))
    axes = figure.add_axes(
        (0.0, 0.0, 1.0, 1.0), xlim=(left - _MARGIN, right + _MARGIN), ylim=(low, high + _MARGIN)
    )
    axes.set_axis_off()
    for artist in artists:
        axes.add_artist(artist)
    return figure


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
    nodes: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, int],
    routes: Iterable[_Route],
    highlighted: Collection[str],
) -> dict[str, _Box]:
    """Return the boxes of nodes and lanes by name, high enough for the lines that meet them.

    A node's box is as large as its text needs, or higher. A lane is as wide as the widest of its
    column's node boxes, and has no text.

    nodes: {id: fields} of the nodes, as in `box_lines`
    columns: {id: column}, of at least these nodes
    routes: (name, column) of each box and lane that a line passes, in order
    highlighted: the ids of the nodes that are highlighted
    """
    joined: dict[str, list[str]] = defaultdict(list)
    lines_at: Counter[_Side] = Counter()
    column = {node: columns[node] for node in nodes}
    for route in routes:
        column |= dict(route)
        for (start, start_side), (end, end_side) in map(_facing_sides, pairwise(route)):
            joined[start].append(end)
            joined[end].append(start)
            lines_at.update([(start, start_side), (end, end_side)])
    texts = {node: box_lines(fields, node, node in highlighted) for node, fields in nodes.items()}
    sizes = {}
    for node, lines in texts.items():
        needed = _EDGE_SPACE * max(lines_at[node, -1], lines_at[node, 1]) / _USED
        height = sum(line.size * _LINE_HEIGHT for line in lines) + _PADDING
        width = max(line.width for line in lines) + 3 * _PADDING
        pointed = NODE_STYLES[nodes[node].get("kind", _NOT_LOADED)].shape == "hexagon"
        sizes[node] = width + _CORNER * pointed, max(height, needed)
    for lane in column.keys() - nodes.keys():
        widths = (sizes[node][0] for node in nodes if column[node] == column[lane])
        sizes[lane] = max(widths, default=0.0), _EDGE_SPACE
    middles = box_positions(column, sizes, joined)
    boxes = {
        name: _Box(
            *middles[name],
            *sizes[name],
            texts.get(name, ()),
            NODE_STYLES[nodes.get(name, {}).get("kind", _NOT_LOADED)],
            name in highlighted,
        )
        for name in column
    }
    column_ends = {
        index: _bounds([boxes[name] for name in boxes if column[name] == index])[:2]
        for index in set(column.values())
    }
    return {name: box._replace(column=column_ends[column[name]]) for name, box in boxes.items()}


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


def _bounds(boxes: Collection[_Box]) -> tuple[float, float, float, float]:
    """Return (left, right, low, high): the bounds of some boxes together."""
    return (
        min(box.x - box.width / 2 for box in boxes),
        max(box.x + box.width / 2 for box in boxes),
        min(box.y - box.height / 2 for box in boxes),
        max(box.y + box.height / 2 for box in boxes),
    )


def _outline(box: _Box) -> Artist:
    """Return the shape of a box.

    It has the shape and the colours of the box's style: filled with the colour if the box is
    highlighted, otherwise with the tint; its line is dashed for a node that is not loaded.
    """
    from matplotlib.patches import FancyBboxPatch, Polygon

    left, bottom = box.x - box.width / 2, box.y - box.height / 2
    right, top, cut = left + box.width, bottom + box.height, min(_CORNER, box.height / 3)
    style: dict[str, Any] = {
        "facecolor": box.style.colour if box.highlighted else box.style.tint,
        "edgecolor": box.style.colour,
        "linestyle": "dashed" if box.style is NODE_STYLES[_NOT_LOADED] else "solid",
        "linewidth": 1.1,
        "zorder": 2,
    }
    if rounding := {"pill": _pill_radius(box), "round": 4.0, "box": 0.5}.get(box.style.shape):
        shape = f"round,pad=0,rounding_size={rounding}"
        return FancyBboxPatch((left, bottom), box.width, box.height, boxstyle=shape, **style)
    corners = {
        "cut": [
            (left + cut, top),
            (right - cut, top),
            (right, top - cut),
            (right, bottom + cut),
            (right - cut, bottom),
            (left + cut, bottom),
            (left, bottom + cut),
            (left, top - cut),
        ],
        "leaf": [
            (left, top),
            (right - cut, top),
            (right, top - cut),
            (right, bottom),
            (left, bottom),
        ],
        "hexagon": [
            (left + cut, top),
            (right - cut, top),
            (right, box.y),
            (right - cut, bottom),
            (left + cut, bottom),
            (left, box.y),
        ],
    }
    return Polygon(corners[box.style.shape], closed=True, **style)


def _pill_radius(box: _Box) -> float:
    """Return the radius of a pill's ends."""
    return min(box.height / 2, _ROUND)


def _inset(box: _Box, offset: float) -> float:
    """Return how far the outline is drawn in from the box's side, at a vertical offset from the
    middle of the box: for a pill by its round ends, for a hexagon by its slope, else 0."""
    half, distance = box.height / 2, abs(offset)
    if box.style.shape == "pill":
        bent = max(0.0, distance - half + _pill_radius(box))
        return _pill_radius(box) - sqrt(_pill_radius(box) ** 2 - bent**2)
    return _CORNER * distance / half if box.style.shape == "hexagon" else 0.0


def _box_text(box: _Box) -> Iterator[Artist]:
    """Yield the lines of text in a box, from the top; the first is the name.

    In a highlighted box all are white; otherwise the name is dark and the others are paler.
    """
    top = box.y + sum(line.size * _LINE_HEIGHT for line in box.lines) / 2
    for number, line in enumerate(box.lines):
        colour = "white" if box.highlighted else _PALE if number else _INK
        height = line.size * _LINE_HEIGHT
        yield _text(line, box.x - line.width / 2, top - height / 2, colour)
        top -= height


def _text(line: TextLine, x: float, y: float, colour: str) -> Artist:
    """Return a line of text; (x, y) is the middle of its left end."""
    from matplotlib.text import Text

    return Text(
        x,
        y,
        line.text,
        fontproperties=font(line.size),
        color=colour,
        zorder=4,
        va="center_baseline",
        parse_math=False,
    )


# -- edges ------------------------------------------------------------------------------------


def _segments(
    boxes: Mapping[str, _Box], routes: Sequence[_Route]
) -> Iterator[list[tuple[_End, _End]]]:
    """Yield the (start, end) of each segment of each route, from box to box.

    Lines that meet the same side of a box are placed one below the other, in the order of the
    heights that they come from.

    boxes: {name: box} of all nodes and lanes on the routes
    """
    meeting: dict[_Side, list[tuple[float, int, _Side, _Side]]] = defaultdict(list)
    for number, route in enumerate(routes):
        for start, end in map(_facing_sides, pairwise(route)):
            meeting[start].append((-boxes[end[0]].y, number, start, end))
            meeting[end].append((-boxes[start[0]].y, number, end, start))
    ends: dict[tuple[int, _Side, _Side], _End] = {}
    for (name, side), lines in meeting.items():
        box = boxes[name]
        for order, (_, number, near, far) in enumerate(sorted(lines)):
            offset = _USED * box.height * ((order + 0.5) / len(lines) - 0.5)  # downwards
            x = box.x + side * (box.width / 2 - _inset(box, offset))
            ends[number, near, far] = _End(x, box.y - offset, side, box.column[side > 0])
    for number, route in enumerate(routes):
        pairs = map(_facing_sides, pairwise(route))
        yield [(ends[number, start, end], ends[number, end, start]) for start, end in pairs]


def _stroke(kind: str, segments: Sequence[tuple[_End, _End]], number: int = 1) -> Iterator[Artist]:
    """Yield an edge's arrow head, if its kind has one, and its line, which meets boxes level.

    kind: a key of EDGE_STYLES
    segments: (start, end) of each segment, from the edge's source to its target
    number: how many edges the line stands for; it is wider for more
    """
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    style, tip = EDGE_STYLES[kind], segments[-1][1]
    if kind not in UNDIRECTED:
        x, half = tip.x + tip.side * _ARROW_HEAD, _ARROW_HEAD * 0.42
        yield Polygon(
            [(tip.x, tip.y), (x, tip.y + half), (x, tip.y - half)],
            closed=True,
            linewidth=0,
            facecolor=style.colour,
            zorder=3,
        )
        segments = [*segments[:-1], (segments[-1][0], tip._replace(x=x))]
    points = [(segments[0][0].x, segments[0][0].y)]
    codes: list[Any] = [Path.MOVETO]
    for start, end in segments:
        halfway = abs(end.column - start.column) / 2
        same_side = start.side == end.side
        reach = _BULGE + abs(end.y - start.y) / _FLATNESS if same_side else halfway
        points += [
            (start.column, start.y),
            (start.column + start.side * reach, start.y),
            (end.column + end.side * reach, end.y),
            (end.column, end.y),
            (end.x, end.y),
        ]
        codes += [Path.LINETO, *[Path.CURVE4] * 3, Path.LINETO]
    yield PathPatch(
        Path(points, codes),
        facecolor="none",
        edgecolor=style.colour,
        zorder=1,
        linestyle=style.dashes,
        linewidth=style.width + 0.3 * log2(number),
        capstyle="butt",
    )


# -- legend -----------------------------------------------------------------------------------


def _legend(
    node_kinds: Collection[str], edge_kinds: Collection[str], left: float, right: float, y: float
) -> tuple[list[Artist], float]:
    """Return the legend of some kinds of nodes and edges, and the y of the row below it.

    Kinds are in the order of NODE_STYLES, then of EDGE_STYLES; where a row is full, the next one
    begins below it.

    node_kinds, edge_kinds: keys of NODE_STYLES and of EDGE_STYLES, in any order; others are ignored
    left, right: the bounds of its rows
    y: the middle of its first row
    """
    artists: list[Artist] = []
    x = left
    for kind in [
        *(kind for kind in NODE_STYLES if kind in node_kinds),
        *(kind for kind in EDGE_STYLES if kind in edge_kinds),
    ]:
        name = text_line(kind.replace("_", " "), _SMALL)
        width = _SAMPLE + _PADDING + name.width
        if x > left and x + width > right:
            x, y = left, y - _ROW
        if kind in NODE_STYLES:
            artists.append(_outline(_Box(x + _SAMPLE / 2, y, _SAMPLE, 11, (), NODE_STYLES[kind])))
        else:
            segment = _End(x, y, 1, x), _End(x + _SAMPLE, y, -1, x + _SAMPLE)
            artists += _stroke(kind, [segment])
        artists.append(_text(name, x + _SAMPLE + _PADDING, y, _INK))
        x += width + _APART
    return artists, y - _ROW
