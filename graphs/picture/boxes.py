"""The boxes of a picture's nodes, the legend below them and the remarks: shapes and texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

from graphs.picture.layout import DrawnGraph
from graphs.picture.lettering import TextLine, text_line, title_of, wrapped
from graphs.picture.scene import (
    Command,
    Group,
    Said,
    Shape,
    Text,
    Words,
    kind_in_words,
    polygon,
    polyline,
    rectangle,
    rounded,
)
from graphs.picture.styles import EDGE_STYLES, NODE_STYLES, NOT_LOADED, UNDIRECTED, class_name

# Lengths in pixels, set by hand: by what a wide page of two dozen boxes has room for. Tests measure
# in two fonts that no text leaves its box or lies on another; nothing else depends on a number.
MARGIN, PADDING = 14.0, 7.0  # around the picture; around the text of a box
NARROW_WIDTH = 328.0  # of a narrow picture: a phone's page of 360 pixels without its margins of 16
COUNT_SIZE = 12.0  # of the number of edges at a line, as SMALL_SIZE
LEGEND_SIZE, ROW = 12.0, 20.0  # of the legend's characters, as SMALL_SIZE; the height of its rows
ARROW_HEAD = 8.0  # the length: about five times the width of most lines
# As parts of the size: of a line, so that kanji, which are 1 high, stand apart; from its middle
# downwards, half the height of capital letters (0.73 in Noto Sans CJK and in DejaVu Sans).
LINE_HEIGHT, _BASELINE = 1.3, 0.36
# What is cut off a box's corners, enough to tell its shape in the legend too; the largest radius of
# a pill, so that one of several lines of text is no circle.
_CORNER, _ROUND = 7.0, 18.0
_SAMPLE, _APART = 28.0, 16.0  # in the legend: a sample's width, with room for dashes; a gap
_REMARK_LINES = 4  # at most, of one remark: the notice of a source may be of any length


class Box(NamedTuple):
    """The box of a node; or a lane, an invisible box in which a line passes other boxes.

    x, y: the middle
    lines: the text; a lane has none
    kind: a key of NODE_STYLES
    """

    x: float
    y: float
    width: float
    height: float
    lines: Sequence[TextLine] = ()
    kind: str = NOT_LOADED
    highlighted: bool = False

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


def kind_of(fields: Mapping[str, Any]) -> str:
    """Return the kind of a node from its attributes, a key of NODE_STYLES; NOT_LOADED if they have
    none."""
    return fields.get("kind") or NOT_LOADED


def size_of(lines: Sequence[TextLine], kind: str) -> tuple[float, float]:
    """Return the (width, height) that the box of a node needs for its text, with room around it; a
    hexagon needs more width than other kinds."""
    width = max((line.width for line in lines), default=0.0) + 3 * PADDING
    height = sum(line.size * LINE_HEIGHT for line in lines) + 1.4 * PADDING
    pointed = NODE_STYLES[kind].shape == "hexagon"
    return width + _CORNER * pointed, height


def box_group(box: Box, fields: Mapping[str, Any], node: str) -> Group:
    """Return what is painted of a node: its outline and its text, with `title_of` as the title and
    the class `centre` if it is highlighted.

    fields: its attributes, as `as_networkx` gives them
    """
    classes = ("node", class_name(box.kind), *(("centre",) if box.highlighted else ()))
    outline = Shape(_outline(box), "outline")
    items: list[Shape | Text] = [outline, *box_texts_of(box.lines, box.x, box.y)]
    return Group(classes, items, title_of(fields, node), node)


def box_texts_of(lines: Sequence[TextLine], x: float, y: float) -> Iterator[Text]:
    """Yield lines of text around a middle, from the top; the first is the name, others are pale."""
    top = y - sum(line.size * LINE_HEIGHT for line in lines) / 2
    for number, line in enumerate(lines):
        height = line.size * LINE_HEIGHT
        part = "pale" if number else "label"
        yield text_at(line, x, top + height / 2, part, "middle")
        top += height


def text_at(line: TextLine, x: float, y: float, part: str = "label", anchor: str = "start") -> Text:
    """Return a line of text as a part of a picture; y is the middle of its height."""
    baseline = y + _BASELINE * line.size
    return Text(line.text, x, baseline, line.size, line.width, part, anchor, fitted=line.fitted)


def _outline(box: Box) -> list[Command]:
    """Return the path around a box, of the shape of its kind."""
    left, top, right, bottom = box.left, box.top, box.right, box.bottom
    cut = min(_CORNER, box.height / 3)
    shape = NODE_STYLES[box.kind].shape
    if radius := {"pill": _pill_radius(box), "round": 5.0}.get(shape):
        return rounded(left, top, box.width, box.height, radius)
    if shape == "cut":
        return polygon(
            [
                (left + cut, top), (right - cut, top), (right, top + cut), (right, bottom - cut),
                (right - cut, bottom), (left + cut, bottom), (left, bottom - cut),
                (left, top + cut),
            ]
        )  # fmt: skip
    if shape == "leaf":
        corner = [(right - cut, top), (right, top + cut)]
        return polygon([(left, top), *corner, (right, bottom), (left, bottom)])
    if shape == "hexagon":
        upper = [(left + cut, top), (right - cut, top), (right, box.y)]
        return polygon([*upper, (right - cut, bottom), (left + cut, bottom), (left, box.y)])
    return rectangle(left, top, box.width, box.height)


def _pill_radius(box: Box) -> float:
    """Return the radius of a pill's ends: half its height, at most _ROUND."""
    return min(box.height / 2, _ROUND)


def inset(box: Box, offset: float) -> float:
    """Return how far the outline is drawn in from the box's side, at a vertical offset from the
    middle of the box, up or down: for a pill by its round ends, for a hexagon by its slope, else 0.
    """
    half, distance = box.height / 2, abs(offset)
    shape = NODE_STYLES[box.kind].shape if box.lines else ""
    if shape == "pill":
        bent = max(0.0, distance - half + _pill_radius(box))
        return _pill_radius(box) - sqrt(max(0.0, _pill_radius(box) ** 2 - bent**2))
    return min(_CORNER, box.height / 3) * distance / half if shape == "hexagon" else 0.0


def arrow_head(x: float, y: float, dx: float, dy: float) -> Shape:
    """Return an arrow head whose tip is at (x, y); (dx, dy) is where it points, of length 1.

    It is a shape of its own and no SVG marker: a marker needs an id, and pictures that are in one
    web page would share theirs.
    """
    back_x, back_y, half = x - dx * ARROW_HEAD, y - dy * ARROW_HEAD, ARROW_HEAD * 0.42
    corners = [(x, y), (back_x - dy * half, back_y + dx * half)]
    return Shape(polygon([*corners, (back_x + dy * half, back_y - dx * half)]), "head")


# -- below the picture ------------------------------------------------------------------------


def footer(
    drawn: DrawnGraph,
    edge_kinds: Collection[str],
    remarks: Sequence[str | Said],
    left: float,
    right: float,
    top: float,
) -> tuple[list[Group], float]:
    """Return the legend of some kinds of nodes and edges with remarks below it, and where it ends.

    Kinds are in the order of NODE_STYLES, then of EDGE_STYLES; where a row is full, the next one
    begins below it.

    edge_kinds: keys of EDGE_STYLES, in any order
    left, right: the bounds of its rows; top: where it begins
    """
    groups: list[Group] = []
    x, y = left, top + ROW / 2
    for kind in [*NODE_STYLES, *EDGE_STYLES]:
        if kind not in (drawn.node_kinds if kind in NODE_STYLES else edge_kinds):
            continue
        name = text_line(kind_in_words(kind, drawn.words), LEGEND_SIZE)
        width = _SAMPLE + PADDING + name.width
        if x > left and x + width > right:
            x, y = left, y + ROW
        groups.append(_sample(kind, name, x, y))
        x += width + _APART
    end = y + ROW / 2 if groups else top
    below, end = remark_groups(remarks, drawn.words, left, right, end)
    return groups + below, end


def _sample(kind: str, name: TextLine, x: float, y: float) -> Group:
    """Return the entry of a kind in the legend: a small box or line, and its name."""
    label = text_at(name, x + _SAMPLE + PADDING, y)
    if kind in NODE_STYLES:
        box = Box(x + _SAMPLE / 2, y, _SAMPLE, 13.0, (), kind)
        return Group(("node", class_name(kind)), [Shape(_outline(box), "outline"), label])
    end = x + _SAMPLE - (0.0 if kind in UNDIRECTED else ARROW_HEAD)
    items: list[Shape | Text] = [Shape(polyline([(x, y), (end, y)]), "line"), label]
    if kind not in UNDIRECTED:
        items.append(arrow_head(x + _SAMPLE, y, 1.0, 0.0))
    return Group(("edge", class_name(kind)), items)


def remark_groups(
    remarks: Sequence[str | Said], words: Words, left: float, right: float, top: float
) -> tuple[list[Group], float]:
    """Return texts below each other, a group for each line, wrapped between two bounds, and where
    they end: at `top` if there are none. What is longer than _REMARK_LINES is cut with …."""
    groups: list[Group] = []
    for remark in remarks:
        text = remark if isinstance(remark, str) else remark.in_words(words)
        for line in wrapped(text, LEGEND_SIZE, right - left, _REMARK_LINES):
            groups.append(Group(("remark",), [text_at(line, left, top + ROW / 2, "pale")]))
            top += ROW
    return groups, top
