"""The Picture class: what notebooks show and `save` writes, as SVG or PNG."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from lxml import etree

from graphs.errors import DrawError, StoreError
from graphs.picture.lettering import UNKNOWN, shown_characters
from graphs.picture.scene import Command, Group, Said, Scene, Shape, Text, Words, rectangle
from graphs.picture.styles import ROOT, picture_css
from graphs.store.file.atomic_file import open_output

FORMATS = ("svg", "png")
# Dots of the image for a pixel of the web: 110 to an inch, where the web has 96. By hand: more are
# sharper in print and make larger files.
_ZOOM = 110 / 96
_OPENING = Lock()  # FreeType opens one font at a time


# -- SVG ----------------------------------------------------------------------------------------
# Write a picture as SVG: real text, no fonts, no scripts; styles by class.
#
# Elements are made with lxml, which escapes all that they hold: text of pages can't become markup.

Links = Mapping[str, str] | Callable[[str], str | None]
_SVG = "http://www.w3.org/2000/svg"
# An address may lead to a page of the same site, or by HTTP elsewhere; it may not run anything.
_ADDRESS = re.compile(r"(https?://|[/?#.]|[^:/?#\\\s]+([/?#]|$))", re.IGNORECASE)

# A picture by itself shrinks with its page, and on paper: what is wider would be cut off.
_FITTING = f".{ROOT} {{ max-width: 100%; height: auto; }}\n"
# Kana and kanji: the glyphs of kanji depend on the language.
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


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
    """Add a group of parts, as a link if it stands for a node that has an address of a web page;
    any other address is ignored."""
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


# -- the picture ---------------------------------------------------------------------------------
class LeftOut(Protocol):
    """Something that is left out, with its fields for JSON."""

    def as_json(self) -> dict[str, str]:
        """Return the fields by their names."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture of a graph, a rule's history or a matrix. Notebooks display it; `svg` returns it
    for a web page, and `save` writes it to a file.

    scene: makes the picture; takes whether it is for a narrow page, and the words for what it says
    nodes, edges: how many nodes and edges are drawn
    left_out: how many nodes of the graph are not drawn
    also: what else is left out, because it is not in the graph
    """

    scene: Callable[[bool, Words], Scene]
    nodes: int
    edges: int
    left_out: int = 0
    also: Sequence[LeftOut] = ()

    def __repr__(self) -> str:
        more = f"; {left_out_remark(self.left_out).in_words({})}" if self.left_out else ""
        return f"<a picture: nodes {self.nodes}, edges {self.edges}{more}>"

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(
        self,
        links: Links | None = None,
        narrow: bool = False,
        standalone: bool = True,
        words: Words | None = None,
    ) -> str:
        """Return the picture as the text of an SVG element. Its letters are real text, in the
        fonts that the reader has; the same graph gives the same text.

        links: the address of each node by its id, as a mapping or as a function that returns None
            for no address. Nodes with an address are links; only those of web pages (relative, or
            `http` and `https`) are taken. Without it there are no links.
        narrow: for a page as wide as a phone's: 328 pixels, one thing below the other.
        standalone: with a stylesheet and a background, for a file by itself. If False, for a web
            page that has the rules of `picture_css` in its own stylesheet: there are no inline
            styles.
        words: other words for those of the picture, such as `{"cites": "参照"}` for its legend, and
            for its sentences, with the names of values in braces; what it lacks, and None, stays
            English.

        >>> from networkx import MultiDiGraph
        >>> from graphs.picture.draw import draw
        >>> graph = MultiDiGraph()
        >>> graph.add_node("mtg/term/引く", kind="term", label="引く")
        >>> '<a class="node term centre" href="/引く">' in draw(graph).svg(lambda node: "/引く")
        True
        """
        return svg(self.scene(narrow, words or {}), links, standalone)

    def as_json(self) -> dict[str, Any]:
        """Return `{"nodes", "edges", "left_out", "also"}`, as `sansho draw --json` prints them.

        The first three are numbers, `also` is a list; the picture itself is not included.
        """
        also = [each.as_json() for each in self.also]
        return {
            "nodes": self.nodes, "edges": self.edges, "left_out": self.left_out, "also": also,
        }  # fmt: skip

    def as_bytes(self, form: str) -> bytes:
        """Return the content of an image file; `form` is `svg` or `png`.

        It has no date in it: the same graph gives the same bytes. Raises DrawError if a PNG is
        asked for and what it needs is not installed: the renderer and the font.
        """
        if form == "svg":
            return self.svg().encode()

        return png(self.scene(False, {}))

    def save(self, out: str | Path) -> None:
        """Write the picture to a file, in the format of the file's suffix: `.svg` or `.png`.

        An existing file is replaced when the new one is complete. Raises DrawError if the suffix
        is another, if the file can't be written, or as `as_bytes`.
        """
        content = self.as_bytes(form_of(out))
        try:
            with open_output(out) as output:
                output.write(content)
        except StoreError as error:
            raise DrawError(str(error)) from error


def form_of(out: str | Path) -> str:
    """Return the image format of a file name, from its suffix.

    Raises DrawError if it is not one of FORMATS.

    out: the name or the path of a file, which need not exist; the suffix in any case

    >>> form_of("引く.SVG")
    'svg'
    """
    form = Path(out).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise DrawError(f"{out}: a picture is .{' or .'.join(FORMATS)}; name the file so")
    return form


def left_out_remark(left_out: int) -> Said:
    """Return a sentence that says how many nodes are left out."""
    if left_out == 1:
        return Said("1 more node is left out")
    return Said("{left_out} more nodes are left out", {"left_out": str(left_out)})


def png(scene: Scene) -> bytes:
    """Return a picture as the content of a PNG file: its SVG, in light and in Noto Sans CJK JP,
    rendered by resvg. Characters that the font lacks become 〓.

    The system's fonts are not used, so that the same picture gives the same bytes everywhere.

    Raises DrawError if the renderer or the font is not installed.
    """
    try:
        from freetype import Face
        from noto_cjk_sans_jp_regular import FONT_PATH
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise DrawError(
            "a PNG needs a renderer and a font: pip install 'sansho[draw]'; an SVG needs nothing"
        ) from error
    text, font = svg(scene, standalone=True), str(FONT_PATH)
    with _OPENING:
        face = Face(font)
        lacking = {
            ord(character): UNKNOWN
            for character in set(text)
            if not (character.isascii() or face.get_char_index(character))
        }
    shown = text.translate(lacking)
    return svg_to_bytes(shown, skip_system_fonts=True, font_files=[font], zoom=_ZOOM)
