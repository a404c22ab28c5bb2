"""Write a picture as SVG: real text, no fonts, no scripts; styles by class.

Elements are made with lxml, which escapes all that they hold: text of pages can't become markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lxml import etree

from graphs.picture.lettering import shown_characters
from graphs.picture.scene import Command, Group, Scene, Shape, Text, rectangle
from graphs.picture.styles import ROOT, picture_css

Links = Mapping[str, str] | Callable[[str], str | None]
_SVG = "http://www.w3.org/2000/svg"
# An address may lead to a page of the same site, or by HTTP elsewhere; it may not run anything.
_ADDRESS = re.compile(r"(https?://|[/?#.]|[^:/?#\\\s]+([/?#]|$))", re.IGNORECASE)

# A picture by itself shrinks with its page, and on paper: what is wider would be cut off.
_FITTING = f".{ROOT} {{ max-width: 100%; height: auto; }}\n"
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")  # the glyphs of kanji depend on the language


def svg(scene: Scene, links: Links | None = None, standalone: bool = False) -> str:
    """Return a picture as the text of an SVG element.

    links: the address of each node, by its id, or a function that returns it; nodes without one
        are no links. An address of another scheme than `http` and `https` is ignored.
    standalone: whether it is a file by itself, with a stylesheet and a background; otherwise it is
        a part of a web page that has `picture_css` in its stylesheet. It has no inline styles.
    """
    attributes = {"aria-label": shown_characters(scene.title)} if not standalone else {}
    width, height = _number(scene.width), _number(scene.height)
    root = etree.Element(
        f"{{{_SVG}}}svg",
        {
            "class": ROOT,
            "viewBox": f"0 0 {width} {height}",
            "width": width,
            "height": height,
            "role": "img" if links is None else "group",
            **attributes,  # a title would show wherever one points
        },
        nsmap={None: _SVG},  # type: ignore[dict-item]
    )
    if standalone:
        _add_title(root, scene.title)
        _add(root, "style").text = picture_css() + _FITTING
        whole = Shape(rectangle(0.0, 0.0, scene.width, scene.height), "background")
        _add_shape(root, whole)
    address = links if callable(links) else (links or {}).get
    for group in scene.groups:
        _add_group(root, group, address)
    return etree.tostring(root, encoding="unicode") + "\n" * standalone


def _add(
    parent: etree._Element, name: str, attributes: Mapping[str, str] | None = None
) -> etree._Element:
    return etree.SubElement(parent, f"{{{_SVG}}}{name}", dict(attributes or {}))


def _add_group(root: etree._Element, group: Group, address: Callable[[str], str | None]) -> None:
    """Add a group of parts, as a link if it stands for a node that has an address."""
    link = None if group.node is None else address(group.node)
    attributes = {"class": " ".join(group.classes)}
    if link and _ADDRESS.match(link):
        attributes["href"] = shown_characters(link)
        element = _add(root, "a", attributes)
    else:
        element = _add(root, "g", attributes)
    _add_title(element, group.title)
    for item in group.items:
        if isinstance(item, Shape):
            _add_shape(element, item)
        else:
            _add_text(element, item)


def _add_title(element: etree._Element, title: str) -> None:
    if title:
        _add(element, "title").text = "\n".join(
            shown_characters(line) for line in title.split("\n")
        )


def _add_shape(element: etree._Element, shape: Shape) -> None:
    _add(element, "path", {"class": shape.part, "d": path_data(shape.path)})


def _add_text(element: etree._Element, text: Text) -> None:
    x, y = _number(text.x), _number(text.y)
    attributes = {"class": text.part, "x": x, "y": y, "font-size": _number(text.size)}
    if text.anchor != "start":
        attributes["text-anchor"] = text.anchor
    if text.turned:
        attributes["transform"] = f"rotate(-90 {x} {y})"
    if not text.text.isascii() and _JAPANESE.search(text.text):
        attributes["lang"] = "ja"
    if text.fitted:
        attributes["textLength"] = _number(text.width)
        attributes["lengthAdjust"] = "spacingAndGlyphs"
    _add(element, "text", attributes).text = shown_characters(text.text)


def path_data(path: Sequence[Command]) -> str:
    """Return a path as SVG has it.

    >>> path_data([("M", ((0, 1.25),)), ("L", ((2, 3),)), ("Z", ())])
    'M0 1.2L2 3Z'
    """
    return "".join(
        letter + " ".join(f"{_number(x)} {_number(y)}" for x, y in points)
        for letter, points in path
    )


def _number(value: float) -> str:
    """Return a length with one digit behind the point, or none if that is 0.

    >>> _number(12.04), _number(-0.04), _number(7.25)
    ('12', '0', '7.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
