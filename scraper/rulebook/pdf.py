"""Extracts the text of a PDF, its lines in reading order even if a page has two columns.

pdfium gives the position of each character, but a file need not draw them in reading order. A
page is split at the gutter between its columns. Lines that cross the gutter (a heading, a running
head) separate what is above them from what is below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scraper.errors import SourceError

MAGIC = b"%PDF-"
_MOST_PAGES = 5_000
_GUTTER_POSITIONS = range(25, 76)  # where a gutter may be, in hundredths of the width
_MOST_CROSSING = 0.2  # of all boxes that may cross a gutter
_NARROWEST = 0.25  # of the width that a column has at least; a narrower one is of numbers
_FEWEST_LINES = 4  # in a column


@dataclass(frozen=True, slots=True)
class Box:
    """A text and its rectangle, in points from the page's lower left corner."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def height(self) -> float:
        """The height of the rectangle."""
        return self.top - self.bottom


def text_of(data: bytes) -> str:
    """Extract the text of a PDF, its pages separated by form feeds, their lines by line feeds.

    Only the first 5,000 pages are read. Raises SourceError if it is broken, locked or without text,
    or if pypdfium2 is not installed.

    data: the bytes of the file.
    """
    try:
        import pypdfium2
    except ImportError:
        raise SourceError("a PDF; reading it needs pypdfium2: pip install 'sansho[pdf]'") from None
    try:
        document = pypdfium2.PdfDocument(data)
        pages = [_page_text(document[n]) for n in range(min(len(document), _MOST_PAGES))]
    except pypdfium2.PdfiumError as error:
        raise SourceError(f"a PDF that can't be read: {error}") from None
    if not any(pages):
        raise SourceError("a PDF without text (scanned?); not read")
    return "\f".join(pages)


def _page_text(page: Any) -> str:
    """Return the text of one page, its lines in reading order, separated by line feeds.

    page: the page as pypdfium2 gives it. It is empty text if the page has none.
    """
    from pypdfium2 import raw

    text_page = page.get_textpage()
    runs: list[list[Box]] = [[]]
    for index in range(text_page.count_chars()):
        character = chr(raw.FPDFText_GetUnicode(text_page, index))
        left, bottom, right, top = text_page.get_charbox(index, loose=True)
        box = Box(left, bottom, right, top, character)
        if character in "\r\n\0" or (runs[-1] and not _continues_run(runs[-1][-1], box)):
            runs.append([])
        if character not in "\r\n\0":
            runs[-1].append(box)
    boxes = map(_bounding_box, runs)
    return "\n".join(in_order([box for box in boxes if box.text.strip()]))


def _continues_run(before: Box, box: Box) -> bool:
    """Whether a character is on the line of the one before it, and close to it.

    before, box: the boxes of two single characters; `box` is that of the later one.
    """
    height = max(before.height, box.height)
    gap = box.left - before.right
    return abs(box.bottom - before.bottom) < height / 2 and -height / 2 < gap < height


def _bounding_box(run: Sequence[Box]) -> Box:
    """Return the box around a run of characters, with their text."""
    return Box(
        min((box.left for box in run), default=0.0),
        min((box.bottom for box in run), default=0.0),
        max((box.right for box in run), default=0.0),
        max((box.top for box in run), default=0.0),
        "".join(box.text for box in run),
    )


def in_order(boxes: Sequence[Box]) -> list[str]:
    """Return the lines of a page in reading order: column after column.

    Without a gutter these are all lines from the top down. With one, each box that crosses it is a
    line of its own; the columns above it come before it, those below it after it.

    boxes: the pieces of text, in any order; those side by side in a column become one line.

    >>> left = [Box(0, y, 90, y + 9, f"l{y}") for y in (30, 20, 10, 0)]
    >>> right = [Box(110, y, 200, y + 9, f"r{y}") for y in (30, 20, 10, 0)]
    >>> in_order([Box(0, 50, 200, 59, "head"), *right, *left])
    ['head', 'l30', 'l20', 'l10', 'l0', 'r30', 'r20', 'r10', 'r0']
    """
    gutter = _find_gutter(boxes)
    if gutter is None:
        return list(_join_to_lines(boxes))
    lines: list[str] = []
    band: list[Box] = []  # the boxes between two lines that cross the gutter
    for box in sorted(boxes, key=lambda box: -box.top):
        if box.left < gutter < box.right:
            lines += [*_columns(band, gutter), box.text]
            band = []
        else:
            band.append(box)
    return lines + _columns(band, gutter)


def _columns(band: Sequence[Box], gutter: float) -> list[str]:
    """Return the lines of the left column, then those of the right one.

    band: boxes that do not cross the gutter.
    gutter: its x coordinate.
    """
    left = [box for box in band if box.right <= gutter]
    right = [box for box in band if box.right > gutter]
    return in_order(left) + in_order(right)


def _find_gutter(boxes: Sequence[Box]) -> float | None:
    """Return the x coordinate of the gutter between two columns; None if there is one column.

    It is where the fewest boxes cross, provided that these are few and that both sides have
    enough lines and width.
    """
    if len(boxes) < 2 * _FEWEST_LINES:
        return None
    start, end = min(box.left for box in boxes), max(box.right for box in boxes)
    best: tuple[int, float, float] | None = None  # boxes that cross, distance from the centre, x
    for position in _GUTTER_POSITIONS:
        x = start + (end - start) * position / 100
        crossing = sum(box.left < x < box.right for box in boxes)
        off_centre = abs(position - 50)
        if best is None or (crossing, off_centre) < best[:2]:
            best = crossing, off_centre, x
    assert best is not None
    crossing, _, x = best
    sides = [[box for box in boxes if box.right <= x], [box for box in boxes if box.left >= x]]
    if crossing > _MOST_CROSSING * len(boxes):
        return None
    for side in sides:
        right_ends = sorted(box.right for box in side)
        width = right_ends[len(right_ends) * 9 // 10] - min(box.left for box in side) if side else 0
        if len(list(_join_to_lines(side))) < _FEWEST_LINES or width < _NARROWEST * (end - start):
            return None
    return x


def _join_to_lines(boxes: Iterable[Box]) -> Iterator[str]:
    """Yield the lines that boxes side by side make, from the top down."""
    line: list[Box] = []
    for box in sorted(boxes, key=lambda box: (-box.top, box.left)):
        if line and (box.top + box.bottom) / 2 < min(other.bottom for other in line):
            yield _line_text(line)
            line = []
        line.append(box)
    if line:
        yield _line_text(line)


def _line_text(line: list[Box]) -> str:
    """Return the text of a line, with a space wherever a gap between boxes has room for one.

    line: its boxes, at least one; sorted in place from left to right.
    """
    line.sort(key=lambda box: box.left)
    text = line[0].text
    for before, box in pairwise(line):
        has_gap = box.left - before.right > 0.25 * min(before.height, box.height)
        text += (" " if has_gap and not text.endswith(" ") else "") + box.text
    return text
