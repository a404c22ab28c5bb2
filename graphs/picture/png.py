"""Paint a picture as PNG with matplotlib: the same shapes and texts that `svg` writes, in light.

Needs matplotlib and a font with Japanese characters: `pip install 'sansho[draw]'`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from graphs.errors import DrawError
from graphs.picture.scene import Scene, Shape, Text
from graphs.picture.styles import looks_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.ft2font import FT2Font

_DRAWING = Lock()  # matplotlib's settings and fonts are the whole process's
_DPI, _POINTS = 110, 0.75  # dots per inch; points of a pixel of the web
_UNKNOWN = "〓"  # what printers in Japan set for a character that they do not have
_SIMILAR = {"›": ">"}  # for characters that the font lacks


def png(scene: Scene) -> bytes:
    """Return a picture as the content of a PNG file; the same picture gives the same bytes.

    Raises DrawError if matplotlib or the font is not installed.
    """
    font_file()
    from matplotlib.figure import Figure

    with _DRAWING:
        size = scene.width * _POINTS / 72, scene.height * _POINTS / 72
        figure = Figure(size, facecolor="white")
        axes = figure.add_axes(
            (0.0, 0.0, 1.0, 1.0), xlim=(0.0, scene.width), ylim=(scene.height, 0.0)
        )
        axes.set_axis_off()
        for order, artist in enumerate(_artists(scene)):
            artist.set_zorder(order)
            axes.add_artist(artist)
        out = BytesIO()
        figure.savefig(out, format="png", dpi=_DPI, metadata={"Software": None})
        return out.getvalue()


def _artists(scene: Scene) -> Iterator[Artist]:
    """Yield what matplotlib paints for a picture, in order."""
    for group in scene.groups:
        for item in group.items:
            if isinstance(item, Shape):
                yield _patch(item, group.classes)
            else:
                yield _text(item, group.classes)


def _patch(shape: Shape, group: Collection[str]) -> Artist:
    """Return a line or an area; `group` has the classes of the group that it is in."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    looks = looks_of(group, (shape.part,))
    kinds = {"M": Outline.MOVETO, "L": Outline.LINETO, "C": Outline.CURVE4}
    points, codes = [], []
    for letter, ends in shape.path:
        points += list(ends) or [shape.path[0][1][0]]
        codes += [kinds[letter]] * len(ends) if ends else [Outline.CLOSEPOLY]
    width = float(looks.get("stroke-width", "1")) if "stroke" in looks else 0.0
    dashes = [float(length) / width for length in looks.get("stroke-dasharray", "").split()]
    style: dict[str, Any] = {"linestyle": (0, dashes)} if dashes else {}
    return PathPatch(
        Outline(points, codes),
        facecolor=looks.get("fill", "none"),
        edgecolor=looks.get("stroke", "none"),
        linewidth=width * _POINTS,
        capstyle="butt",
        **style,
    )


def _text(text: Text, group: Collection[str]) -> Artist:
    """Return a line of text; `group` has the classes of the group that it is in."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text as Lettering

    return Lettering(
        text.x,
        text.y,
        "".join(map(_glyph, text.text)),
        fontproperties=FontProperties(fname=font_file(), size=text.size * _POINTS),
        color=looks_of(group, (text.part,))["fill"],
        ha={"start": "left", "middle": "center", "end": "right"}[text.anchor],
        va="baseline",
        rotation=90.0 if text.turned else 0.0,
        rotation_mode="anchor",
        parse_math=False,
    )


@cache
def _glyph(character: str) -> str:
    """Return a character; if the font lacks it a similar one, or else 〓."""
    known = _face().get_char_index(ord(character))
    return character if known else _SIMILAR.get(character, _UNKNOWN)


@cache
def _face() -> FT2Font:
    """Return the font, loaded once."""
    from matplotlib.ft2font import FT2Font

    return FT2Font(font_file())


def font_file() -> str:
    """Return the path of the font's file.

    The package that has the font is not imported: that would set the font of all pictures.
    Raises DrawError if it, or matplotlib, is not installed.
    """
    spec = find_spec("matplotlib_fontja") if find_spec("matplotlib") else None
    if spec is None or not spec.origin:
        raise DrawError(
            "a PNG needs matplotlib and a font: pip install 'sansho[draw]'; an SVG needs nothing"
        )
    return str(Path(spec.origin).parent / "fonts" / "ipaexg.ttf")
