"""A picture before it is written: shapes and texts at their places, each with its classes.

`svg` writes a scene as SVG which `png` renders. Lengths are pixels as the web has them; x grows to
the right and y downwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Point = tuple[float, float]
Command = tuple[str, tuple[Point, ...]]  # as in an SVG path: M, L or C with its points; Z


class Shape(NamedTuple):
    """A line or an area.

    path: where it runs
    part: its class, such as `outline`, `line`, `head`
    """

    path: Sequence[Command]
    part: str


class Text(NamedTuple):
    """A line of text.

    x, y: the left end, the middle or the right end of its baseline, as `anchor` says
    size: of its characters
    width: what it is wide at most
    part: its class: `label` or `pale`
    anchor: "start", "middle" or "end"
    turned: whether it runs upwards, turned around (x, y)
    fitted: whether it must be fitted into its width, because no one knows how wide a font draws it
    """

    text: str
    x: float
    y: float
    size: float
    width: float
    part: str = "label"
    anchor: str = "start"
    turned: bool = False
    fitted: bool = False


class Group(NamedTuple):
    """What belongs together: the parts of a node's box, or of an edge.

    classes: such as `node`, `term`, `centre`
    items: in the order in which they are painted
    title: a text that a reader sees when pointing at it; may be empty
    node: the id of the node that it stands for, which may be a link; None if it stands for none
    """

    classes: tuple[str, ...]
    items: Sequence[Shape | Text]
    title: str = ""
    node: str | None = None


class Scene(NamedTuple):
    """A whole picture.

    width, height: its size; its upper left corner is (0, 0)
    groups: in the order in which they are painted
    title: what it shows, for those who can't see it
    """

    width: float
    height: float
    groups: Sequence[Group]
    title: str

    def moved(self, dx: float, dy: float) -> Scene:
        """Return the picture with all that is in it moved; its size stays."""
        return self._replace(groups=[_moved(group, dx, dy) for group in self.groups])


def _moved(group: Group, dx: float, dy: float) -> Group:
    """Return a group, moved."""
    items: list[Shape | Text] = []
    for item in group.items:
        if isinstance(item, Text):
            items.append(item._replace(x=item.x + dx, y=item.y + dy))
        else:
            path = [
                (letter, tuple((x + dx, y + dy) for x, y in points)) for letter, points in item.path
            ]
            items.append(item._replace(path=path))
    return group._replace(items=items)


def rectangle(x: float, y: float, width: float, height: float) -> list[Command]:
    """Return the path of a rectangle; (x, y) is its upper left corner.

    >>> rectangle(0, 0, 2, 1)[-2:]
    [('L', ((0, 1),)), ('Z', ())]
    """
    return polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])


def polygon(corners: Sequence[Point]) -> list[Command]:
    """Return the closed path around some corners, of which there must be one."""
    return [*polyline(corners), ("Z", ())]


def polyline(points: Iterable[Point]) -> list[Command]:
    """Return the path from point to point in straight lines. Raises ValueError without points."""
    first, *others = points
    return [("M", (first,)), *(("L", (point,)) for point in others)]


def rounded(x: float, y: float, width: float, height: float, radius: float) -> list[Command]:
    """Return the path of a rectangle with round corners; (x, y) would be its upper left corner."""
    right, bottom, bend = x + width, y + height, radius * 0.45  # a quarter of a circle, nearly
    return [
        ("M", ((x + radius, y),)),
        ("L", ((right - radius, y),)),
        ("C", ((right - bend, y), (right, y + bend), (right, y + radius))),
        ("L", ((right, bottom - radius),)),
        ("C", ((right, bottom - bend), (right - bend, bottom), (right - radius, bottom))),
        ("L", ((x + radius, bottom),)),
        ("C", ((x + bend, bottom), (x, bottom - bend), (x, bottom - radius))),
        ("L", ((x, y + radius),)),
        ("C", ((x, y + bend), (x + bend, y), (x + radius, y))),
        ("Z", ()),
    ]
