"""Reads the pages of a PDF with pdfium: the lines of each, in reading order.

pdfium gives the position of each character, but a file need not draw them in reading order. Here
characters become pieces of lines, which `scraper.rulebook.reading_order` puts in order.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from heapq import nlargest
from itertools import count
from math import isfinite
from typing import Any, NamedTuple

from scraper.errors import SourceError
from scraper.rulebook.reading_order import Box, in_order

# pdfium's sign for a hyphen at the end of a line, where a word may be broken.
HYPHEN = "\x02"
# pdfium sorts the texts of a line by inserting them one by one, which takes the square of their
# number where they are not drawn from left to right.
_MOST_TEXTS = 4_000  # of a page that are read at once; a printed one has 600
_MOST_PICTURES = 100  # of a page, the largest ones, that are looked at: each is held to each text
_SOFT_HYPHEN = "\xad"
_THIN = 3.0  # points that a drawn line is thick at most, as in `reading_order`
_NOT_TEXT = frozenset({"Cc", "Zl", "Zp"})  # categories of Unicode: controls, ends of lines


class PdfPage(NamedTuple):
    """What was read of a page.

    text: its lines in reading order, separated by line feeds; a hyphen at the end of a line is
        `HYPHEN`. Empty if the page has no text, or can't be read.
    problem: why it can't be read; empty if it can.
    page_count: how many pages the document has.
    seconds: the processor time that reading the page took.
    """

    text: str
    problem: str
    page_count: int
    seconds: float = 0.0


def pages_here(data: bytes, first: int) -> Generator[PdfPage, None, None]:
    """Yield the pages of a PDF one by one, read in this process.

    What pdfium takes for a page is not bounded, and a fault in it is a fault of this process:
    `pdf_process.pages_in_child` is the same with bounds.

    Raises SourceError if the document is broken or locked.

    data: the bytes of the file; first: the index of the page to begin with.
    """
    with opened(data) as document:
        for number in range(first, len(document)):
            yield read_page(document, number)


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """Open a PDF: give the document as pypdfium2 has it, whose length is the number of pages.

    It is closed at the end of the block. Raises SourceError if it is broken or locked, ImportError
    without pypdfium2.
    """
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data) as document:
            yield document
    except pypdfium2.PdfiumError as error:
        raise SourceError(f"a PDF that can't be read: {error}") from None


def read_page(document: Any, number: int) -> PdfPage:
    """Read a page; one that is broken has no text, but a problem.

    document: as `opened` gives it; number: the index of the page.
    """
    from pypdfium2 import PdfiumError

    began, text, problem = time.process_time(), "", ""
    try:
        with closing(document[number]) as page:
            text = _page_text(page)
    except PdfiumError as error:
        problem = f"can't be read ({error})"
    return PdfPage(text, problem, len(document), time.process_time() - began)


def _page_text(page: Any) -> str:
    """Return the text of one page, its lines in reading order, separated by line feeds.

    Empty if the page has none, or only white space.

    page: as pypdfium2 gives it.
    """
    boxes = [box for run in _runs(page) if (box := _bounding_box(run)).text.strip()]
    return "\n".join(in_order(boxes, _drawings(page, boxes) if boxes else []))


def _runs(page: Any) -> Iterator[list[Box]]:
    """Yield the characters of a page by pieces of lines, in the order in which the file draws them;
    a piece may be empty. Controls are left out; a place that is no number is 0.

    page: as pypdfium2 gives it.
    """
    from pypdfium2 import raw

    run: list[Box] = []
    drawn = count(1)
    for text_page in _text_pages(page):
        for index in range(text_page.count_chars()):
            character = chr(min(raw.FPDFText_GetUnicode(text_page, index), 0x10FFFF))
            if character in "\r\n\0":
                yield run
                run = []
            elif character == HYPHEN or unicodedata.category(character) not in _NOT_TEXT:
                sides = text_page.get_charbox(index, loose=True)
                left, bottom, right, top = (side if isfinite(side) else 0.0 for side in sides)
                box = Box(left, bottom, right, top, character, next(drawn))
                if run and not _continues_run(run[-1], box):
                    yield run
                    run = []
                run.append(box)
    yield run


def _text_pages(page: Any) -> Iterator[Any]:
    """Yield pdfium's text of a page: all of it, or of 4,000 texts after the other if it is drawn as
    more than these.

    page: as pypdfium2 gives it; more than 4,000 texts are none of them active afterwards.
    """
    from pypdfium2 import raw

    set_active = getattr(raw, "FPDFPageObj_SetIsActive", None)  # older versions lack it
    # pdfium's own handles: what pypdfium2 puts around them takes several times their memory.
    texts = [text.raw for text in page.get_objects(filter=(raw.FPDF_PAGEOBJ_TEXT,))]
    if len(texts) <= _MOST_TEXTS or set_active is None:
        yield page.get_textpage()
        return
    for text in texts:
        set_active(text, False)
    for start in range(0, len(texts), _MOST_TEXTS):
        for text in texts[start : start + _MOST_TEXTS]:
            set_active(text, True)
        with closing(page.get_textpage()) as text_page:
            yield text_page
        for text in texts[start : start + _MOST_TEXTS]:
            set_active(text, False)


def _continues_run(before: Box, box: Box) -> bool:
    """Whether a character is on the line of the one before it, and close to it.

    before, box: the boxes of two single characters; `box` is that of the later one. Two halves of a
        surrogate pair are always together.
    """
    if "\ud800" <= before.text < "\udc00" <= box.text < "\ue000":
        return True
    height = max(before.height, box.height)
    gap = box.left - before.right
    return abs(box.bottom - before.bottom) < height / 2 and -height / 2 < gap < height


def _bounding_box(run: Sequence[Box]) -> Box:
    """Return the box around a run of characters, with their text; of none it is all zeros. Half a
    surrogate pair becomes U+FFFD.

    Soft hyphens are not text, but for one at the end, where a word is broken.
    """
    text = "".join(box.text for box in run)
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if text.endswith(_SOFT_HYPHEN):
        text = text[:-1] + HYPHEN
    return Box(
        min((box.left for box in run), default=0.0),
        min((box.bottom for box in run), default=0.0),
        max((box.right for box in run), default=0.0),
        max((box.top for box in run), default=0.0),
        text.replace(_SOFT_HYPHEN, ""),
        run[0].drawn if run else 0,
    )


def _drawings(page: Any, boxes: Sequence[Box]) -> list[Box]:
    """Return the pictures and the horizontal lines on a page, without text.

    Pictures that text stands on are background and left out, and so are small ones (symbols in a
    line) and vertical lines (which stand where a gutter is). Lines come first, in the order in
    which they are drawn; then the pictures, at most 100, the highest first.

    page: as pypdfium2 gives it; boxes: its text, at least one.
    """
    from pypdfium2 import PdfiumError, raw

    kinds = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING,
             raw.FPDF_PAGEOBJ_FORM)  # fmt: skip
    line = max(box.height for box in boxes)
    rules, pictures = [], []
    for item in page.get_objects(filter=kinds, max_depth=1):
        try:
            left, bottom, right, top = item.get_bounds()
        except PdfiumError:
            continue
        box = Box(left, bottom, right, top, "")
        if not all(map(isfinite, (left, bottom, right, top))) or right - left <= _THIN:
            continue
        if top - bottom <= _THIN:
            rules.append(box)
        elif top - bottom > line:
            pictures.append(box)
    largest = nlargest(_MOST_PICTURES, pictures, key=lambda box: box.height)
    return rules + [box for box in largest if not any(_stands_on(text, box) for text in boxes)]


def _stands_on(text: Box, picture: Box) -> bool:
    """Whether the centre of a text is within a picture."""
    x = (text.left + text.right) / 2
    return picture.left < x < picture.right and picture.bottom < text.middle < picture.top
