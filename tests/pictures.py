"""Measures pictures: where the texts of an SVG stand in real fonts, and what they lie on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import reportlab
from freetype import FT_LOAD_NO_SCALE, Face
from lxml import etree
from noto_cjk_sans_jp_regular import FONT_PATH

SVG = "{http://www.w3.org/2000/svg}"
_UP, _DOWN = 0.8, 0.2  # of characters, from the baseline, as parts of their size


@dataclass(frozen=True, slots=True)
class Area:
    """A text or an outline, and where it is."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Area) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def is_in(self, other: Area) -> bool:
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom


def parsed(svg: str) -> etree._Element:
    """The root of an SVG, which must be XML without anything that a parser would have to load."""
    assert "<!" not in svg
    return etree.fromstring(svg)


def texts(root: etree._Element) -> list[str]:
    """All texts that are shown, without titles and styles."""
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def faults(svg: str) -> list[str]:
    """What is wrong with the texts of a picture: those that lie on each other, that leave the page
    or the box of their node."""
    root = parsed(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    page = Area("page", 0, 0, width, height)
    found = []
    areas: list[Area] = []
    for group in root:
        boxes = [_text_area(text) for text in group.iter(f"{SVG}text")]
        areas += boxes
        found += [f"{box.text!r} leaves the page" for box in boxes if not box.is_in(page)]
        if group.get("class", "").startswith(("node", "entry")) and len(boxes) > 0:
            outline = _outline_area(next(group.iter(f"{SVG}path")))
            if outline.right - outline.left > 40:  # not of the legend
                found += [f"{box.text!r} leaves its box" for box in boxes if not box.is_in(outline)]
    found += [f"{a.text!r} lies on {b.text!r}" for a, b in combinations(areas, 2) if a.overlaps(b)]
    return found


def outlines(svg: str) -> Iterator[Area]:
    """The outlines of the boxes of nodes."""
    for group in parsed(svg):
        if group.get("class", "").startswith("node"):
            area = _outline_area(next(group.iter(f"{SVG}path")))
            if area.right - area.left > 40:
                yield area


def _text_area(element: etree._Element) -> Area:
    text, size = element.text or "", float(element.attrib["font-size"])
    width = width_in_fonts(text) * size
    if "textLength" in element.attrib:
        width = float(element.attrib["textLength"])
    x, y = float(element.attrib["x"]), float(element.attrib["y"])
    back = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")]
    left, top, bottom = x - back * width, y - _UP * size, y + _DOWN * size
    if "transform" in element.attrib:  # turned around (x, y), to run upwards
        return Area(text, x - _UP * size, y - (1 - back) * width, x + _DOWN * size, y)
    return Area(text, left, top, left + width, bottom)


def _outline_area(path: etree._Element) -> Area:
    data = path.attrib["d"]
    for letter in "MLCZ":
        data = data.replace(letter, " ")
    numbers = [float(number) for number in data.split()]
    across, down = numbers[::2], numbers[1::2]
    return Area("outline", min(across), min(down), max(across), max(down))


def width_in_fonts(text: str) -> float:
    """How wide a text is in the wider one of a Japanese and a Latin font, as a part of its size."""
    return sum(_width(character) for character in text)


@cache
def _width(character: str) -> float:
    known = [face for face in _faces() if face.get_char_index(ord(character))]
    return max((_advance(face, character) for face in known), default=1.0)


def _advance(face: Face, character: str) -> float:
    face.load_char(character, FT_LOAD_NO_SCALE)
    return face.glyph.advance.x / face.units_per_EM


@cache
def _faces() -> tuple[Face, ...]:
    """Noto Sans CJK, and Vera, whose Latin letters are those of DejaVu Sans."""
    vera = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    return Face(str(FONT_PATH)), Face(str(vera))
