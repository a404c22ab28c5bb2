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


class Written(NamedTuple):
    """A line of text: its letters, how large and how wide it is, in points."""

    text: str
    size: float
    width: float


def written(text: str, size: float) -> Written:
    """A text on one line; letters that the font lacks are replaced by 〓.

    >>> written("引く\N{FISH}", 10)
    Written(text='引く〓', size=10, width=30.0)
    """
    plain = _APOSTROPHE.sub("'", normalize("NFC", " ".join(text.split())))
    letters = [_letter(letter) for letter in plain]
    width = sum(wide for _, wide in letters) * size
    return Written("".join(letter for letter, _ in letters), size, width)


@cache
def _letter(letter: str) -> tuple[str, float]:
    """A letter, or what stands for it if the font lacks it; and its width in letters' sizes."""
    face = _face()
    if not face.get_char_index(ord(letter)):
        letter = _UNKNOWN
    return letter, face.load_char(ord(letter)).linearHoriAdvance / 65536 / _MEASURED


def cut(text: str, size: float, widest: float, tail: bool = False) -> Written:
    """A text on one line; where it is wider than that its beginning stays, or its `tail`.

    >>> cut("ライブラリーアウト", 10, 45).text, cut("ライブラリーアウト", 10, 45, tail=True).text
    ('ライブ…', '…アウト')
    """
    text = " ".join(text.split())
    line, kept = written(text, size), min(len(text), _LONGEST)
    while line.width > widest and kept:
        kept -= 1
        line = written("…" + text[-kept:] if tail else text[:kept] + "…", size)
    return line


def wrapped(text: str, size: float, widest: float, most: int) -> Iterator[Written]:
    """A text on so many lines at most; what is too long for them is cut.

    >>> [line.text for line in wrapped("ライブラリーアウト", 10, 45, 2)]
    ['ライブ', 'ラリー…']
    """
    text = " ".join(text.split())
    for left in reversed(range(most)):
        line = cut(text, size, widest)
        if not text or line.width == 0:
            return
        if left and line.text.endswith("…") and not text.endswith("…"):
            line = written(line.text[:-1], size)
        yield line
        text = text[len(line.text) :]


def lines_of(fields: Mapping[str, Any], node: str, outstanding: bool) -> list[Written]:
    """What the box of a node says: its name; beneath it what it says, or where it stands."""
    name, text, place = _said(fields, node)
    scale = _LARGER if outstanding else 1.0
    small, widest = _BENEATH * scale, _WIDEST * scale
    found = [cut(name, _NAME * scale, widest)]
    found += wrapped(text, small, widest, _LINES if outstanding else 1)
    if place and (outstanding or not text):
        found.append(cut(place, small, widest, tail=place == node))
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
