"""The letters of a picture: a font that has Japanese ones, and what a node's box says in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from graphs.errors import DrawError

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties
    from matplotlib.ft2font import FT2Font

_UNKNOWN = "〓"  # what printers in Japan set for a letter that they do not have
_WIDEST = 150.0  # points that a line in a box may take
_NAME, _BENEATH = 10.0, 7.2  # sizes in points
_LARGER = 1.4  # times as large is a node that stands out, and it shows
_LINES = 3  # so many lines of its text
_MEASURED = 100  # points at which letters are measured
_LONGEST = 80  # letters of a line, before it is measured
_APOSTROPHE = re.compile("(?<=[A-Za-z])’(?=[A-Za-z])")  # as wide as a kanji, in this font


class TextLine(NamedTuple):
    """A line of text: its letters, how large and how wide it is, in points."""

    text: str
    size: float
    width: float


def text_line(text: str, size: float) -> TextLine:
    """A text on one line; letters that the font lacks are replaced by 〓.

    >>> text_line("引く\N{FISH}", 10)
    TextLine(text='引く〓', size=10, width=30.0)
    """
    plain = _APOSTROPHE.sub("'", normalize("NFC", " ".join(text.split())))
    letters = [_letter(letter) for letter in plain]
    width = sum(wide for _, wide in letters) * size
    return TextLine("".join(letter for letter, _ in letters), size, width)


@cache
def _letter(letter: str) -> tuple[str, float]:
    """A letter, or what stands for it if the font lacks it; and its width in letters' sizes."""
    face = _face()
    if not face.get_char_index(ord(letter)):
        letter = _UNKNOWN
    return letter, face.load_char(ord(letter)).linearHoriAdvance / 65536 / _MEASURED


def ellipsized(text: str, size: float, widest: float, tail: bool = False) -> TextLine:
    """A text on one line; where it is wider than that its beginning stays, or its `tail`.

    >>> ellipsized("ライブラリーアウト", 10, 45).text
    'ライブ…'
    >>> ellipsized("ライブラリーアウト", 10, 45, tail=True).text
    '…アウト'
    """
    text = " ".join(text.split())
    line, kept = text_line(text, size), min(len(text), _LONGEST)
    while line.width > widest and kept:
        kept -= 1
        line = text_line("…" + text[-kept:] if tail else text[:kept] + "…", size)
    return line


def wrapped(text: str, size: float, widest: float, most: int) -> Iterator[TextLine]:
    """A text on so many lines at most; what is too long for them is cut.

    >>> [line.text for line in wrapped("ライブラリーアウト", 10, 45, 2)]
    ['ライブ', 'ラリー…']
    """
    text = " ".join(text.split())
    for left in reversed(range(most)):
        line = ellipsized(text, size, widest)
        if not text or line.width == 0:
            return
        if left and line.text.endswith("…") and not text.endswith("…"):
            line = text_line(line.text[:-1], size)
        yield line
        text = text[len(line.text) :]


def box_lines(fields: Mapping[str, Any], node: str, outstanding: bool) -> list[TextLine]:
    """What the box of a node says: its name; beneath it what it says, or where it stands."""
    name, text, place = _said(fields, node)
    scale = _LARGER if outstanding else 1.0
    small, widest = _BENEATH * scale, _WIDEST * scale
    found = [ellipsized(name, _NAME * scale, widest)]
    found += wrapped(text, small, widest, _LINES if outstanding else 1)
    if place and (outstanding or not text):
        found.append(ellipsized(place, small, widest, tail=place == node))
    return found


def _said(fields: Mapping[str, Any], node: str) -> tuple[str, str, str]:
    """A node's name, its text where that tells more, and where it stands."""
    kind, label, text = (fields.get(name) or "" for name in ("kind", "label", "text"))
    if not kind:
        return node.removeprefix("? "), "", "not loaded"
    if kind in {"passage", "step", "outcome", "ruling"}:
        return label or text or node, "", node
    if kind == "rule":
        number = fields.get("number") or node
        place = [fields.get(name) for name in ("game", "edition", "lang")]
        said = "" if label else re.sub(rf"^{re.escape(number)}\.?\s*", "", text)
        return f"{number} {label}", said, " · ".join(filter(None, place))
    english = next((n["text"] for n in fields.get("labels", ()) if n["lang"] == "en"), None)
    place = [english if english != label else None, fields.get("game") or fields.get("source")]
    return label or node, "", " · ".join(filter(None, place))


def font(size: float) -> FontProperties:
    """The font as matplotlib takes it."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=font_file(), size=size)


@cache
def _face() -> FT2Font:
    from matplotlib.ft2font import FT2Font

    face = FT2Font(font_file())
    face.set_size(_MEASURED, 72)
    return face


def font_file() -> str:
    """The font's file; its package is not loaded, for that would set the font of all pictures.

    Raises DrawError where it, or matplotlib, is not installed.
    """
    found = find_spec("matplotlib_fontja") if find_spec("matplotlib") else None
    if found is None or not found.origin:
        raise DrawError("a picture needs matplotlib and a font: pip install 'sansho[draw]'")
    return str(Path(found.origin).parent / "fonts" / "ipaexg.ttf")
