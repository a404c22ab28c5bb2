"""Render a picture as PNG: the SVG that `svg` writes, in light and in Noto Sans CJK JP, by resvg.

The system's fonts are not used, so that the same picture gives the same bytes everywhere. What it
needs comes with `pip install 'sansho[draw]'`.
"""

from __future__ import annotations

from threading import Lock

from graphs.errors import DrawError
from graphs.picture.lettering import UNKNOWN
from graphs.picture.scene import Scene
from graphs.picture.svg import svg

_ZOOM = 110 / 96  # dots of the image for a pixel of the web
_OPENING = Lock()  # FreeType opens one font at a time


def png(scene: Scene) -> bytes:
    """Return a picture as the content of a PNG file; characters that the font lacks become 〓.

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
