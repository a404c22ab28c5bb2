"""A picture before it is written: shapes and texts at their places, each with its classes.

`svg` writes a scene as SVG which `png` renders. Lengths are pixels as the web has them; x grows to
the right and y downwards.

What pictures say in words of their own is here, too: sentences, which a web page may have in its
language, and the dates of editions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

# A word of eight digits that could begin with a year, as in the names of editions; month and day
# are not looked at.
_DATE = re.compile(r"(?<!\w)((?:19|20)\d\d)(\d\d)(\d\d)(?!\w)")


def edition_date(editions: str | None) -> str:
    """Return an edition, or several with commas between them, with those of eight digits as dates,
    also behind the name of a document: `mtr-2025-01-01`. All else stays; None gives an empty text.

    >>> edition_date("20231117, 20240730"), edition_date("2.1"), edition_date(None)
    ('2023-11-17, 2024-07-30', '2.1', '')
    """
    return _DATE.sub(r"\1-\2-\3", editions or "")


Words = Mapping[str, str]


class Said(NamedTuple):
    """A sentence with the values of its places.

    sentence: in English, with the names of values in braces.
    values: texts, numbers, and tuples of what is said, which commas part; `kind` is one of edges,
        `game` and `lang` are ids, which `words` may name.

    >>> Said("{left_out} more nodes are left out", {"left_out": 1200}).in_words({})
    '1,200 more nodes are left out'
    """

    sentence: str
    values: Mapping[str, object] = {}

    def in_words(self, words: Words) -> str:
        """Return the sentence as `words` has it, in English if it has it not, with its values in
        their places; each value is put into words itself. Raises KeyError for a place without a
        value."""
        values = {
            name: kind_in_words(str(value), words)
            if name == "kind"
            else words.get(str(value), str(value))
            if name in ("game", "lang")
            else _in_words(value, words)
            for name, value in self.values.items()
        }
        return words.get(self.sentence, self.sentence).format(**values)


def _in_words(value: object, words: Words) -> str:
    if isinstance(value, Said):
        return value.in_words(words)
    if isinstance(value, tuple):
        return comma(words).join(_in_words(each, words) for each in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def comma(words: Words) -> str:
    """Return what stands between the parts of a list: a comma and a space, unless `words` has
    something else for these."""
    return words.get(", ", ", ")


def kind_in_words(kind: str, words: Words) -> str:
    """Return the name of a kind of nodes or edges, or of what became of a rule: as `words` has it,
    or else the kind with spaces for its underscores."""
    return words.get(kind, kind.replace("_", " "))


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
