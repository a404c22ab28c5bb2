"""How a picture looks: boxes by the kind of node, lines by the kind of edge, a legend."""

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

_MARGIN, _PAD = 14.0, 6.0  # around the picture; around the letters of a box; all in points
_NARROWEST = 400.0  # the legend needs a place
_LEADING = 1.28  # from line to line, in times the size of the letters
_CORNER, _ROUND = 6.0, 22.0  # what is cut off a box, or at most rounded
_USED, _EACH = 0.7, 7.0  # edges come to so much of a box's side, and have that much each
_HEAD = 6.0  # the length of an arrow's head
_BULGE, _FLAT = 26.0, 8.0  # of a line between boxes of one column; the more, the further apart
_SMALL = 7.5  # the letters of the legend
_SAMPLE, _APART, _ROW = 24.0, 14.0, 15.0  # a sample in the legend, what is between two, its rows
_NOTICE = 3  # lines of a notice


class DrawnEdge(NamedTuple):
    """What is drawn between two nodes: the strongest of their edges, its cost, and how many there
    are."""

    source: str
    target: str
    kind: str
    cost: int
    number: int = 1


class NodeStyle(NamedTuple):
    """How nodes of a kind look. Shapes tell them apart where colours do not."""

    colour: str
    tint: str
    shape: str


class EdgeStyle(NamedTuple):
    """How edges of a kind look. Dashes tell them apart where colours do not."""

    colour: str
    dashes: str | tuple[float, tuple[float, ...]]
    width: float


# After the palette of Okabe and Ito, which people of all kinds of colour vision can tell apart.
_BLUE, _RED, _GREEN, _PURPLE = "#0072B2", "#C85200", "#00806A", "#A8508A"
_ORANGE, _SKY, _GREY, _BLACK = "#9A6A00", "#2E86B8", "#757575", "#333333"
_INK, _PALE = "#111111", "#5A5A5A"  # letters
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
UNDIRECTED = frozenset(
    {"same_concept", "close_concept", "translates"}
)  # said of both alike: no arrow


_Way = Sequence[tuple[str, int]]  # what a line comes to, each with its column
_Side = tuple[str, int]  # the left side (-1) of a box, or its right (1)


class _Box(NamedTuple):
    """The box of a node: its middle, its size, what it says, how it looks. One that says nothing
    is a lane, in which a line passes other boxes."""

    x: float
    y: float
    width: float
    height: float
    said: Sequence[TextLine]
    look: NodeStyle
    outstanding: bool = False
    column: Point = (0.0, 0.0)  # where its column ends, on the left and on the right


class _End(NamedTuple):
    """Where a line comes to a box: on its left side (-1) or its right (1). Before it bends it goes
    straight to where the column ends."""

    x: float
    y: float
    side: int
    column: float


def paint(
    nodes: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, int],
    lines: Sequence[DrawnEdge],
    outstanding: Collection[str],
    remark: str,
) -> Figure:
    """The picture of nodes, given with their fields, of which some stand out; of the lines between
    them; below it a legend, a remark, and what a reader must be told of the texts."""
    from matplotlib.figure import Figure

    ways = [list(_stops(place, line, columns)) for place, line in enumerate(lines)]
    boxes = _boxes(nodes, columns, ways, outstanding)
    artists = [part for node in nodes for part in (_outline(boxes[node]), *_letters(boxes[node]))]
    for line, hops in zip(lines, _hops(boxes, ways), strict=True):
        artists += _stroke(line.kind, hops, line.number)
    left, right, low, high = _bounds(boxes.values())
    spare = max(0.0, _NARROWEST - (right - left)) / 2
    left, right = left - spare, right + spare
    kinds = {fields.get("kind", _NOT_LOADED) for fields in nodes.values()}
    legend, low = _legend(kinds, {line.kind for line in lines}, left, right, low - 1.5 * _ROW)
    artists += legend
    notices = {fields["notice"] for fields in nodes.values() if fields.get("notice")}
    for text in [remark, *sorted(notices)]:
        for said in wrapped(text, _SMALL, right - left, _NOTICE):
            artists.append(_text(said, left, low, _PALE))
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


def _stops(place: int, line: DrawnEdge, columns: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """What a line comes to, and in which column: its nodes, and a lane of its own in each column
    between them, so that no box stands upon it."""
    begin, end = columns[line.source], columns[line.target]
    yield line.source, begin
    for column in range(begin + 1, end) or range(begin - 1, end, -1):
        yield f"\n{place} {column}", column  # no node is called so
    yield line.target, end


def _boxes(
    nodes: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, int],
    ways: Iterable[_Way],
    outstanding: Collection[str],
) -> dict[str, _Box]:
    """The boxes of nodes and lanes, high enough for the lines that come to their sides."""
    joined: dict[str, list[str]] = defaultdict(list)
    comes: Counter[tuple[str, int]] = Counter()
    column = {node: columns[node] for node in nodes}
    for way in ways:
        column |= dict(way)
        for (one, side), (other, opposite) in map(_facing, pairwise(way)):
            joined[one].append(other)
            joined[other].append(one)
            comes.update([(one, side), (other, opposite)])
    said = {node: box_lines(fields, node, node in outstanding) for node, fields in nodes.items()}
    sizes = {}
    for node, of_node in said.items():
        lowest = _EACH * max(comes[node, -1], comes[node, 1]) / _USED
        high = sum(line.size * _LEADING for line in of_node) + _PAD
        wide = max(line.width for line in of_node) + 3 * _PAD
        pointed = NODE_STYLES[nodes[node].get("kind", _NOT_LOADED)].shape == "hexagon"
        sizes[node] = wide + _CORNER * pointed, max(high, lowest)
    for lane in column.keys() - nodes.keys():
        beside = (sizes[node][0] for node in nodes if column[node] == column[lane])
        sizes[lane] = max(beside, default=0.0), _EACH
    middles = box_positions(column, sizes, joined)
    found = {
        name: _Box(
            *middles[name],
            *sizes[name],
            said.get(name, ()),
            NODE_STYLES[nodes.get(name, {}).get("kind", _NOT_LOADED)],
            name in outstanding,
        )
        for name in column
    }
    ends = {
        place: _bounds([found[name] for name in found if column[name] == place])[:2]
        for place in set(column.values())
    }
    return {name: box._replace(column=ends[column[name]]) for name, box in found.items()}


def _facing(hop: tuple[tuple[str, int], tuple[str, int]]) -> tuple[_Side, _Side]:
    """The sides on which two stops are joined: those that face each other, or, in one column, the
    outer ones."""
    (one, here), (other, there) = hop
    outer = 1 if here >= 0 else -1
    side = (there > here) - (there < here)
    return (one, side or outer), (other, -side or outer)


def _bounds(boxes: Collection[_Box]) -> tuple[float, float, float, float]:
    """Where some boxes end: left, right, low and high."""
    return (
        min(box.x - box.width / 2 for box in boxes),
        max(box.x + box.width / 2 for box in boxes),
        min(box.y - box.height / 2 for box in boxes),
        max(box.y + box.height / 2 for box in boxes),
    )


def _outline(box: _Box) -> Artist:
    """The shape of a box."""
    from matplotlib.patches import FancyBboxPatch, Polygon

    left, bottom = box.x - box.width / 2, box.y - box.height / 2
    right, top, c = left + box.width, bottom + box.height, min(_CORNER, box.height / 3)
    style: dict[str, Any] = {
        "facecolor": box.look.colour if box.outstanding else box.look.tint,
        "edgecolor": box.look.colour,
        "linestyle": "dashed" if box.look is NODE_STYLES[_NOT_LOADED] else "solid",
        "linewidth": 1.1,
        "zorder": 2,
    }
    if rounding := {"pill": _round(box), "round": 4.0, "box": 0.5}.get(box.look.shape):
        shape = f"round,pad=0,rounding_size={rounding}"
        return FancyBboxPatch((left, bottom), box.width, box.height, boxstyle=shape, **style)
    corners = {
        "cut": [
            (left + c, top),
            (right - c, top),
            (right, top - c),
            (right, bottom + c),
            (right - c, bottom),
            (left + c, bottom),
            (left, bottom + c),
            (left, top - c),
        ],
        "leaf": [(left, top), (right - c, top), (right, top - c), (right, bottom), (left, bottom)],
        "hexagon": [
            (left + c, top),
            (right - c, top),
            (right, box.y),
            (right - c, bottom),
            (left + c, bottom),
            (left, box.y),
        ],
    }
    return Polygon(corners[box.look.shape], closed=True, **style)


def _round(box: _Box) -> float:
    """The radius of a pill's ends."""
    return min(box.height / 2, _ROUND)


def _inset(box: _Box, away: float) -> float:
    """How far the side of a box is drawn in, at a distance from its middle."""
    half, away = box.height / 2, abs(away)
    if box.look.shape == "pill":
        bent = max(0.0, away - half + _round(box))
        return _round(box) - sqrt(_round(box) ** 2 - bent**2)
    return _CORNER * away / half if box.look.shape == "hexagon" else 0.0


def _letters(box: _Box) -> Iterator[Artist]:
    """What a box says: its name, and smaller what is beneath it."""
    top = box.y + sum(line.size * _LEADING for line in box.said) / 2
    for place, line in enumerate(box.said):
        colour = "white" if box.outstanding else _PALE if place else _INK
        high = line.size * _LEADING
        yield _text(line, box.x - line.width / 2, top - high / 2, colour)
        top -= high


def _text(line: TextLine, x: float, y: float, colour: str) -> Artist:
    """A line of text, by the middle of its left end."""
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


def _hops(boxes: Mapping[str, _Box], ways: Sequence[_Way]) -> Iterator[list[tuple[_End, _End]]]:
    """For each way from where to where it goes; lines that meet at a side come one below the
    other."""
    met: dict[_Side, list[tuple[float, int, _Side, _Side]]] = defaultdict(list)
    for place, way in enumerate(ways):
        for one, other in map(_facing, pairwise(way)):
            met[one].append((-boxes[other[0]].y, place, one, other))
            met[other].append((-boxes[one[0]].y, place, other, one))
    ends: dict[tuple[int, _Side, _Side], _End] = {}
    for (name, side), at in met.items():
        box = boxes[name]
        for order, (_, place, one, other) in enumerate(sorted(at)):
            down = _USED * box.height * ((order + 0.5) / len(at) - 0.5)
            x = box.x + side * (box.width / 2 - _inset(box, down))
            ends[place, one, other] = _End(x, box.y - down, side, box.column[side > 0])
    for place, way in enumerate(ways):
        hops = map(_facing, pairwise(way))
        yield [(ends[place, one, other], ends[place, other, one]) for one, other in hops]


def _stroke(kind: str, hops: Sequence[tuple[_End, _End]], number: int = 1) -> Iterator[Artist]:
    """An edge, which leaves and comes in level; and the head of its arrow, if it has one."""
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    stroke, tip = EDGE_STYLES[kind], hops[-1][1]
    if kind not in UNDIRECTED:
        x, half = tip.x + tip.side * _HEAD, _HEAD * 0.42
        yield Polygon(
            [(tip.x, tip.y), (x, tip.y + half), (x, tip.y - half)],
            closed=True,
            linewidth=0,
            facecolor=stroke.colour,
            zorder=3,
        )
        hops = [*hops[:-1], (hops[-1][0], tip._replace(x=x))]
    points = [(hops[0][0].x, hops[0][0].y)]
    codes: list[Any] = [Path.MOVETO]
    for start, end in hops:
        apart = abs(end.column - start.column) / 2
        reach = apart if start.side != end.side else _BULGE + abs(end.y - start.y) / _FLAT
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
        edgecolor=stroke.colour,
        zorder=1,
        linestyle=stroke.dashes,
        linewidth=stroke.width + 0.3 * log2(number),
        capstyle="butt",
    )


# -- below ------------------------------------------------------------------------------------


def _legend(
    nodes: Collection[str], edges: Collection[str], left: float, right: float, y: float
) -> tuple[list[Artist], float]:
    """What the shapes and the lines mean, in rows from a height on; and where they end."""
    artists: list[Artist] = []
    x = left
    for kind in [
        *(kind for kind in NODE_STYLES if kind in nodes),
        *(k for k in EDGE_STYLES if k in edges),
    ]:
        name = text_line(kind.replace("_", " "), _SMALL)
        width = _SAMPLE + _PAD + name.width
        if x > left and x + width > right:
            x, y = left, y - _ROW
        if kind in NODE_STYLES:
            artists.append(_outline(_Box(x + _SAMPLE / 2, y, _SAMPLE, 11, (), NODE_STYLES[kind])))
        else:
            ends = _End(x, y, 1, x), _End(x + _SAMPLE, y, -1, x + _SAMPLE)
            artists += _stroke(kind, [ends])
        artists.append(_text(name, x + _SAMPLE + _PAD, y, _INK))
        x += width + _APART
    return artists, y - _ROW
