"""Measure, shorten and wrap the text of a picture in its Japanese font; compose boxes' lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from graphs.errors import DrawError
from graphs.networkx_view import structured

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties
    from matplotlib.ft2font import FT2Font

_UNKNOWN = "〓"  # what printers in Japan set for a character that they do not have
_WIDEST = 150.0  # points; the width of a line in a box
_NAME_SIZE, _SMALL_SIZE = 10.0, 7.2  # points; of the name in a box, and of what is below it
_HIGHLIGHT_SCALE = 1.4  # how many times larger the text of a highlighted node is
_HIGHLIGHT_LINES = 3  # lines of a highlighted node's text; others show one
_MEASURED_SIZE = 100  # points; the size at which characters are measured
_LONGEST = 80  # characters; no longer line is measured
_APOSTROPHE = re.compile("(?<=[A-Za-z])’(?=[A-Za-z])")  # is as wide as a kanji in this font


class TextLine(NamedTuple):
    """A line of text, the size of its characters, and its width, both in points."""

    text: str
    size: float
    width: float


def text_line(text: str, size: float) -> TextLine:
    """Return a text as one line; characters that the font lacks are replaced by 〓.

    White space and line breaks become single spaces, ’ between Latin letters becomes ', and the
    text is normalized to NFC. The size is in points.

    >>> text_line("引く\N{FISH}", 10)
    TextLine(text='引く〓', size=10, width=30.0)
    """
    plain = _APOSTROPHE.sub("'", normalize("NFC", " ".join(text.split())))
    glyphs = [_glyph(character) for character in plain]
    width = sum(advance for _, advance in glyphs) * size
    return TextLine("".join(character for character, _ in glyphs), size, width)


@cache
def _glyph(character: str) -> tuple[str, float]:
    """Return a character, or 〓 if the font lacks it, and its width as a multiple of its size."""
    face = _face()
    if not face.get_char_index(ord(character)):
        character = _UNKNOWN
    return character, face.load_char(ord(character)).linearHoriAdvance / 65536 / _MEASURED_SIZE


def ellipsized(text: str, size: float, widest: float, tail: bool = False) -> TextLine:
    """Return a text as one line, cut with … if it is wider than `widest` points.

    What stays is the beginning of the text, or its end if `tail` is set: less than 80 characters,
    and … alone if not even one fits.

    size: of the characters, in points

    >>> ellipsized("ライブラリーアウト", 10, 45).text
    'ライブ…'
    >>> ellipsized("ライブラリーアウト", 10, 45, tail=True).text
    '…アウト'
    """
    text = " ".join(text.split())
    line, kept = text_line(text, size), min(len(text), _LONGEST)
    while line.width > widest and kept:
        kept -= 1
        line = text_line("…" + text[len(text) - kept :] if tail else text[:kept] + "…", size)
    return line


def wrapped(text: str, size: float, widest: float, most: int) -> Iterator[TextLine]:
    """Yield a text as `most` lines or fewer, each no wider than `widest` points.

    The last line ends in … if the text is longer. An empty text gives no line.

    size: of the characters, in points

    >>> [line.text for line in wrapped("ライブラリーアウト", 10, 45, 2)]
    ['ライブ', 'ラリー…']
    """
    text = " ".join(text.split())
    for lines_left in reversed(range(most)):
        line = ellipsized(text, size, widest)
        if not text or line.width == 0:
            return
        if lines_left and line.text.endswith("…") and not text.endswith("…"):
            line = text_line(line.text[:-1], size)
        yield line
        text = text[len(line.text) :]


def box_lines(fields: Mapping[str, Any], node: str, highlighted: bool) -> list[TextLine]:
    """Return the lines of text in the box of a node: its name, and below it its text or its place.

    The name and the place are one line each. The text is one line, or up to three if the node is
    highlighted. The place is left out if the node is not highlighted and has a text,
    unless it is among the fields.

    fields: the attributes of the node, as in `as_networkx`, and `place`, if it is to be shown;
        without a kind if it is not loaded
    node: the id of the node
    highlighted: whether the text is larger, longer, and followed by the place
    """
    name, text, place = _box_texts(fields, node)
    scale = _HIGHLIGHT_SCALE if highlighted else 1.0
    small, widest = _SMALL_SIZE * scale, _WIDEST * scale
    lines = [ellipsized(name, _NAME_SIZE * scale, widest)]
    lines += wrapped(text, small, widest, _HIGHLIGHT_LINES if highlighted else 1)
    if place and (highlighted or not text or "place" in fields):
        lines.append(ellipsized(place, small, widest, tail=place == node))
    return lines


def _box_texts(fields: Mapping[str, Any], node: str) -> tuple[str, str, str]:
    """Return (name, text, place) of a node; the text is empty if the name shows it already, the
    place is a game, an edition, a source or an id.

    not loaded (no kind): the id without `? `; no text; `not loaded`
    passage, step, outcome, ruling: the label, or else the text or the id; no text; `place` or the
        id
    rule: number and label; if it has no label, the text without the number; `place`,
        or game · edition · lang
    others: the label or id; no text; the English name if it is not the label · game or source

    fields, node: as in `box_lines`
    """
    kind, label, text = (fields.get(name) or "" for name in ("kind", "label", "text"))
    if not kind:
        return node.removeprefix("? "), "", "not loaded"
    if kind in {"passage", "step", "outcome", "ruling"}:
        return label or text or node, "", fields.get("place") or node
    if kind == "rule":
        number = fields.get("number") or node
        names = ("place",) if "place" in fields else ("game", "edition", "lang")
        place = [fields.get(name) for name in names]
        rest = "" if label else re.sub(rf"^{re.escape(number)}\.?\s*", "", text)
        return f"{number} {label}", rest, " · ".join(filter(None, place))
    labels = structured(fields, "labels") or ()
    english = next((name["text"] for name in labels if name["lang"] == "en"), None)
    place = [english if english != label else None]
    place.append(fields.get("place") or fields.get("game") or fields.get("source"))
    return label or node, "", " · ".join(filter(None, place))


def font(size: float) -> FontProperties:
    """Return the font as matplotlib takes it, in a size in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=font_file(), size=size)


@cache
def _face() -> FT2Font:
    """Return the font, loaded once, for measuring characters; its size must not be changed."""
    from matplotlib.ft2font import FT2Font

    face = FT2Font(font_file())
    face.set_size(_MEASURED_SIZE, 72)
    return face


def font_file() -> str:
    """Return the path of the font's file.

    The package that has the font is not imported: that would set the font of all pictures.
    Raises DrawError if it, or matplotlib, is not installed.
    """
    spec = find_spec("matplotlib_fontja") if find_spec("matplotlib") else None
    if spec is None or not spec.origin:
        raise DrawError("a picture needs matplotlib and a font: pip install 'sansho[draw]'")
    return str(Path(spec.origin).parent / "fonts" / "ipaexg.ttf")
