"""Takes the pictures of the explorer that README and the documents show.

    python -m tests.explorer_pictures [FOLDER]

writes them as PNG into docs/pictures, or another folder: of the bundled sample, in light colours.
Needs the browser of the tests.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import ViewportSize

import kb
from kb.web.app import create_app
from tests.conftest import ROOT
from tests.explorer import PHONE, WIDE, Visitor, chromium, serving

_LARGEST = 150_000  # bytes of a picture
_COLOURS = 64  # are enough for text and boxes, and make a file a third as large
_RULE = "/en/node/mtg/cr/20231117/ja/121.4"
# {name: (what is shown, at which size)}
PICTURES: dict[str, tuple[str, ViewportSize]] = {
    "front": ("/en/", {**WIDE, "height": 760}),
    "rule": (_RULE, {**WIDE, "height": 820}),
    "neighbours": ("/en/draw?ref=mtg/term/引く&most=14", {**WIDE, "height": 940}),
    "editions": ("/en/diff?before=20231117&after=20240730", {**WIDE, "height": 560}),
    "phone": (_RULE, PHONE),
}


def take(folder: Path) -> None:
    """Write all pictures into a folder; fails if anything is amiss in a page."""
    folder.mkdir(parents=True, exist_ok=True)
    with kb.sample() as base, chromium() as browser:
        served = kb.ReopenedBase(base.file)
        with serving(create_app(served)) as server:
            visit = Visitor(browser, server)
            for name, (address, size) in PICTURES.items():
                page = visit(address, viewport=size, color_scheme="light")
                picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                few = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
                path = folder / f"{name}.png"
                few.save(path, optimize=True)
                size_written = path.stat().st_size
                assert size_written < _LARGEST, f"{path}: {size_written:,} bytes"
                print(f"{path}  {size_written:,} bytes")
            visit.close()
        served.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "pictures")
