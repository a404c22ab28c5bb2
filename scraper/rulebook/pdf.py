"""The text of a printed page: lines in the order in which they are read.

pdfium says which words stand where; the order that a file draws them in is not that of
reading. A page is split at the gutter between its columns, what crosses the gutter (a
heading, a running head) parting what is above it from what is below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scraper.errors import SourceError

MAGIC = b"%PDF-"
_MOST_PAGES = 5_000
_MIDDLE = range(25, 76)  # where a gutter may stand, in hundredths of the width
_CROSSING = 0.2  # of the boxes may cross a gutter
_NARROWEST = 0.25  # of the width that a column has; what is narrower is a column of numbers
_FEWEST = 4  # lines in a column


@dataclass(frozen=True, slots=True)
class Box:
    """Words and where they stand, in points from the page's lower left corner."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def height(self) -> float:
        """How high the line is."""
        return self.top - self.bottom


def text_of(data: bytes) -> str:
    """The text of a PDF, its pages set apart by form feeds.

    Raises SourceError where it is broken, locked or holds no text, or where pypdfium2 is not
    installed.
    """
    try:
        import pypdfium2
    except ImportError:
        raise SourceError("a PDF; reading it needs pypdfium2: pip install 'sansho[pdf]'") from None
    try:
        document = pypdfium2.PdfDocument(data)
        pages = [_page(document[n]) for n in range(min(len(document), _MOST_PAGES))]
    except pypdfium2.PdfiumError as error:
        raise SourceError(f"a PDF that can't be read: {error}") from None
    if not any(pages):
        raise SourceError("a PDF without text (scanned?); not read")
    return "\f".join(pages)


def _page(page: Any) -> str:
    """The text of one page: its letters taken together to the runs that they are drawn in."""
    from pypdfium2 import raw

    words = page.get_textpage()
    runs: list[list[Box]] = [[]]
    for n in range(words.count_chars()):
        letter = chr(raw.FPDFText_GetUnicode(words, n))
        left, bottom, right, top = words.get_charbox(n, loose=True)
        box = Box(left, bottom, right, top, letter)
        if letter in "\r\n\0" or (runs[-1] and not _goes_on(runs[-1][-1], box)):
            runs.append([])
        if letter not in "\r\n\0":
            runs[-1].append(box)
    boxes = map(_box, runs)
    return "\n".join(in_order([box for box in boxes if box.text.strip()]))


def _goes_on(before: Box, box: Box) -> bool:
    """Whether a letter stands on the line of the one before, and not far from it."""
    height = max(before.height, box.height)
    apart = box.left - before.right
    return abs(box.bottom - before.bottom) < height / 2 and -height / 2 < apart < height


def _box(run: Sequence[Box]) -> Box:
    return Box(
        min((box.left for box in run), default=0.0),
        min((box.bottom for box in run), default=0.0),
        max((box.right for box in run), default=0.0),
        max((box.top for box in run), default=0.0),
        "".join(box.text for box in run),
    )


def in_order(boxes: Sequence[Box]) -> list[str]:
    """The lines of a page as they are read: column after column.

    >>> left = [Box(0, y, 90, y + 9, f"l{y}") for y in (30, 20, 10, 0)]
    >>> right = [Box(110, y, 200, y + 9, f"r{y}") for y in (30, 20, 10, 0)]
    >>> in_order([Box(0, 50, 200, 59, "head"), *right, *left])
    ['head', 'l30', 'l20', 'l10', 'l0', 'r30', 'r20', 'r10', 'r0']
    """
    gutter = _gutter(boxes)
    if gutter is None:
        return list(_lines(boxes))
    lines: list[str] = []
    band: list[Box] = []
    for box in sorted(boxes, key=lambda box: -box.top):
        if box.left < gutter < box.right:
            lines += [*_columns(band, gutter), box.text]
            band = []
        else:
            band.append(box)
    return lines + _columns(band, gutter)


def _columns(band: Sequence[Box], gutter: float) -> list[str]:
    left = [box for box in band if box.right <= gutter]
    right = [box for box in band if box.right > gutter]
    return in_order(left) + in_order(right)


def _gutter(boxes: Sequence[Box]) -> float | None:
    """Where the column on the left ends: the place that the fewest boxes cross, if they are
    few and there are lines enough on both sides."""
    if len(boxes) < 2 * _FEWEST:
        return None
    start, end = min(box.left for box in boxes), max(box.right for box in boxes)
    best: tuple[int, float, float] | None = None
    for place in _MIDDLE:
        x = start + (end - start) * place / 100
        crossing = sum(box.left < x < box.right for box in boxes)
        off_centre = abs(place - 50)
        if best is None or (crossing, off_centre) < best[:2]:
            best = crossing, off_centre, x
    assert best is not None
    crossing, _, x = best
    sides = [[box for box in boxes if box.right <= x], [box for box in boxes if box.left >= x]]
    if crossing > _CROSSING * len(boxes):
        return None
    for side in sides:
        ends = sorted(box.right for box in side)
        wide = ends[len(ends) * 9 // 10] - min(box.left for box in side) if side else 0
        if len(list(_lines(side))) < _FEWEST or wide < _NARROWEST * (end - start):
            return None
    return x


def _lines(boxes: Iterable[Box]) -> Iterator[str]:
    """Boxes side by side joined to lines, from the top down."""
    line: list[Box] = []
    for box in sorted(boxes, key=lambda box: (-box.top, box.left)):
        if line and (box.top + box.bottom) / 2 < min(other.bottom for other in line):
            yield _joined(line)
            line = []
        line.append(box)
    if line:
        yield _joined(line)


def _joined(line: list[Box]) -> str:
    """The words of a line; where there is room for a letter between two, a space is."""
    line.sort(key=lambda box: box.left)
    text = line[0].text
    for before, box in pairwise(line):
        apart = box.left - before.right > 0.25 * min(before.height, box.height)
        text += (" " if apart and not text.endswith(" ") else "") + box.text
    return text
