"""How pictures look: one table of rules by class, for light and dark, as a stylesheet.

Every part of a picture has classes and no colours of its own. `picture_css` gives the rules as a
stylesheet, for an SVG by itself and for a web page that has pictures in it. Each combination of
text and ground has a contrast of 4.5 or more, each line and outline one of 3 or more, in light and
in dark: what WCAG 2 asks for at level AA. A test holds every kind to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

NOT_LOADED = "not loaded"
ROOT = "sansho-picture"  # the class of the whole picture: no rule applies outside of one
# Fonts that have Japanese, of the systems that readers have; no font is in the file.
FONTS = (
    '"Hiragino Sans", "Noto Sans CJK JP", "Noto Sans JP", "Yu Gothic", "Meiryo", '
    '"IPAexGothic", "IPAPGothic", "Droid Sans Fallback", sans-serif'
)

Looks = dict[str, str]  # properties as a stylesheet names them: fill, stroke, stroke-width…


class Hue(NamedTuple):
    """A colour in several strengths.

    strong: of lines and filled grounds, in light; white text on it can be read
    tint: of grounds in light; dark text on it can be read
    bright: of lines in dark
    shade: of grounds in dark; bright text on it can be read
    """

    strong: str
    tint: str
    bright: str
    shade: str


# After the palette of Okabe and Ito, which can be told apart with any kind of colour vision; darker
# or brighter as the contrasts need it.
_BLUE = Hue("#0072B2", "#DFEDF7", "#5BB4EA", "#12303F")
_RED = Hue("#C04E00", "#FCE9DE", "#F08A45", "#3D2314")
_GREEN = Hue("#007A65", "#DFF3EC", "#3DBD9E", "#10332B")
_PURPLE = Hue("#A04A88", "#F6E6F0", "#D98CC4", "#38203A")
_ORANGE = Hue("#8F6200", "#FBF1DA", "#DDA83B", "#362A10")
_SKY = Hue("#21739F", "#E4F2FA", "#79BCE0", "#16303D")
_GREY = Hue("#6A6A6A", "#F4F4F4", "#A8A8A8", "#2B2D30")
_BLACK = Hue("#333333", "#ECECEC", "#D0D0D0", "#333538")
_PAPER, _NIGHT = "#FFFFFF", "#16181C"
_INK, _PALE, _LIGHT_INK, _LIGHT_PALE = "#111111", "#555555", "#F0F0F0", "#B9B9B9"


class NodeStyle(NamedTuple):
    """How the boxes of a kind of node look. Shapes differ for those who can't tell colours apart.

    shape: "pill", "box", "round" (a box with rounded corners), "cut", "leaf" or "hexagon"
    """

    hue: Hue
    shape: str


class EdgeStyle(NamedTuple):
    """How the lines of a kind of edge look. Dashes differ for those who can't tell colours apart.

    dashes: the lengths of dashes and of the gaps between them, in turn; empty for a solid line
    width: the width of the line
    """

    hue: Hue
    dashes: tuple[float, ...]
    width: float


NODE_STYLES: Mapping[str, NodeStyle] = {
    "term": NodeStyle(_BLUE, "pill"),
    "rule": NodeStyle(_RED, "box"),
    "document": NodeStyle(_RED, "box"),
    "card": NodeStyle(_PURPLE, "cut"),
    "page": NodeStyle(_GREEN, "leaf"),
    "section": NodeStyle(_GREEN, "leaf"),
    "passage": NodeStyle(_GREY, "round"),
    "ruling": NodeStyle(_ORANGE, "hexagon"),
    "outcome": NodeStyle(_SKY, "hexagon"),
    "procedure": NodeStyle(_SKY, "cut"),
    "step": NodeStyle(_SKY, "round"),
    "edition": NodeStyle(_BLACK, "box"),
    NOT_LOADED: NodeStyle(_GREY, "box"),
}
# In the order of the legend, which is also that of neighbours that are equally near. Widths and
# dashes in pixels, by hand: what says more is thicker and less broken.
EDGE_STYLES: Mapping[str, EdgeStyle] = {
    "cites": EdgeStyle(_RED, (), 1.7),
    "defines": EdgeStyle(_BLUE, (), 1.7),
    "same_concept": EdgeStyle(_PURPLE, (), 3.0),
    "close_concept": EdgeStyle(_PURPLE, (6, 3), 2.6),
    "redirects_to": EdgeStyle(_GREEN, (9, 3, 2, 3), 1.6),
    "quotes": EdgeStyle(_ORANGE, (8, 3), 1.7),
    "succeeds": EdgeStyle(_SKY, (), 1.7),
    "translates": EdgeStyle(_SKY, (8, 3), 1.7),
    "part_of": EdgeStyle(_BLACK, (), 1.1),
    "links_to": EdgeStyle(_GREEN, (4, 2.5), 1.4),
    "mentions": EdgeStyle(_GREY, (1.5, 2.5), 1.5),
}
UNDIRECTED = frozenset({"same_concept", "close_concept", "translates"})  # drawn without an arrow
# What became of a rule in an edition, in the order of a legend; a box may be of several kinds.
CHANGE_HUES: Mapping[str, Hue] = {
    "first": _GREEN,
    "added": _GREEN,
    "split": _GREEN,
    "same": _GREY,
    "changed": _RED,
    "sub-rules": _ORANGE,
    "renumbered": _SKY,
    "moved": _PURPLE,
    "removed": _BLACK,
    "merged": _BLACK,
    "not loaded": _GREY,
}
# Shades of a matrix, from the palest: as many as the grounds below, of one hue that grows darker
# (in dark, brighter). By hand: of more, neighbours are hard to tell apart.
STEPS = 5
_STEP_GROUNDS = ("#FBE3D4", "#F3BC9A", "#E08B57", "#C04E00", "#7E3200")
_STEP_GROUNDS_DARK = ("#3D2314", "#6B3514", "#A04A10", "#DE7A38", "#FFC59C")


class Rule(NamedTuple):
    """How a part of a picture looks.

    group: the classes that the group around the part must have, in any order
    part: the class that the part must have; empty for all parts
    light, dark: the properties; those in dark are added to those in light, or replace them
    """

    group: tuple[str, ...]
    part: str
    light: Looks
    dark: Looks


def class_name(kind: str) -> str:
    """Return the class of a kind of node or edge: hyphens stand for its spaces.

    >>> class_name("not loaded")
    'not-loaded'
    """
    return kind.replace(" ", "-")


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules, those of parts of all kinds first; of rules for the same property of a
    part, the last one counts."""
    return (*_general_rules(), *_kind_rules(), *_step_rules())


def _general_rules() -> Iterator[Rule]:
    yield Rule((), "background", {"fill": _PAPER}, {"fill": _NIGHT})
    yield Rule((), "label", {"fill": _INK}, {"fill": _LIGHT_INK})
    yield Rule((), "pale", {"fill": _PALE}, {"fill": _LIGHT_PALE})
    yield Rule((), "axis", {"stroke": _PALE, "fill": "none"}, {"stroke": _LIGHT_PALE})
    yield Rule((), "line", {"fill": "none"}, {})


def _kind_rules() -> Iterator[Rule]:
    for kind, node in NODE_STYLES.items():
        yield from _box_rules("node", class_name(kind), node.hue)
    for kind, edge in EDGE_STYLES.items():
        group = ("edge", class_name(kind))
        line = {"stroke": edge.hue.strong, "stroke-width": f"{edge.width:g}"}
        if edge.dashes:
            line["stroke-dasharray"] = " ".join(f"{length:g}" for length in edge.dashes)
        yield Rule(group, "line", line, {"stroke": edge.hue.bright})
        yield Rule(group, "head", {"fill": edge.hue.strong}, {"fill": edge.hue.bright})
    for kind, hue in CHANGE_HUES.items():
        yield from _box_rules("entry", class_name(kind), hue)
        mark = ("mark", class_name(kind))
        yield Rule(mark, "outline", {"fill": hue.strong}, {"fill": hue.bright})


def _box_rules(what: str, kind: str, hue: Hue) -> Iterator[Rule]:
    """Yield the rules of boxes of a kind; one in the centre is filled with the strong colour."""
    outline = {"fill": hue.tint, "stroke": hue.strong, "stroke-width": "1.2"}
    if kind == class_name(NOT_LOADED):
        outline |= {"stroke-dasharray": "4 3"}
    yield Rule((what, kind), "outline", outline, {"fill": hue.shade, "stroke": hue.bright})
    filled = {"fill": hue.strong}
    yield Rule((what, kind, "centre"), "outline", filled, filled)
    for part in ("label", "pale"):
        yield Rule((what, kind, "centre"), part, {"fill": _PAPER}, {"fill": _PAPER})


def _step_rules() -> Iterator[Rule]:
    for step, (light, dark) in enumerate(zip(_STEP_GROUNDS, _STEP_GROUNDS_DARK, strict=True), 1):
        yield Rule(("cell", f"step{step}"), "outline", {"fill": light}, {"fill": dark})
    yield Rule(("cell", "step0"), "outline", {"fill": "#F4F4F4"}, {"fill": "#212429"})


@cache
def picture_css() -> str:
    """Return the stylesheet of pictures: light and, where the reader prefers that, dark.

    Its rules apply within elements of the class `sansho-picture` only, so that it can be a part of
    a web page's own stylesheet. Sizes are not in it: the layout was made for those that are in
    the picture.

    >>> picture_css().splitlines()[0].startswith(".sansho-picture text")
    True
    """
    lines = [
        f".{ROOT} text {{ font-family: {FONTS}; }}",
        f".{ROOT} a {{ cursor: pointer; text-decoration: none; }}",
        f".{ROOT} a[class]:hover .outline, .{ROOT} a[class]:focus .outline {{ stroke-width: 3; }}",
        *(_css(rule, rule.light) for rule in rules() if rule.light),
        "@media (prefers-color-scheme: dark) {",
        *("  " + _css(rule, rule.dark) for rule in rules() if rule.dark),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _css(rule: Rule, looks: Looks) -> str:
    group = "".join(f".{name}" for name in rule.group)
    selector = " ".join(part for part in (f".{ROOT}", group, f".{rule.part}") if part)
    properties = " ".join(f"{name}: {value};" for name, value in looks.items())
    return f"{selector} {{ {properties} }}"
