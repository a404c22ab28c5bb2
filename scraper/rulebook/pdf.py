"""Extracts the text of a PDF, its lines in reading order.

pdfium gives the position of each character, but a file need not draw them in reading order. Here
characters become pieces of lines, which `scraper.rulebook.reading_order` puts in order.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from heapq import nlargest
from itertools import count, pairwise
from math import isfinite
from typing import Any

from scraper.errors import SourceError
from scraper.rulebook.reading_order import Box, in_order

MAGIC = b"%PDF-"
# A small file can have pages without end: many that are one and the same.
_MOST_PAGES = 200_000
_MOST_CHARACTERS = 50_000_000
# pdfium sorts the texts of a line by inserting them one by one, which takes the square of their
# number where they are not drawn from left to right.
_MOST_TEXTS = 4_000  # of a page that are read at once
_MOST_PICTURES = 100  # of a page, the largest ones, that are looked at
_HYPHEN, _SOFT_HYPHEN = "\x02", "\xad"  # the first is pdfium's, for one at the end of a line
_THIN = 3.0  # points that a drawn line is thick at most
_NOT_TEXT = frozenset({"Cc", "Zl", "Zp"})  # categories of Unicode: controls, ends of lines
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_WORD_BELOW = re.compile(r"\s*\n\s*(([^\W\d_]+)\S*)[ ]*")


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text of a PDF, its pages separated by form feeds, and what could not be read of it."""

    text: str
    problems: tuple[str, ...] = ()


def text_of(data: bytes) -> str:
    """Extract the text of a PDF, its pages separated by form feeds, their lines by line feeds.

    The same as the text of `read_pdf`, for whoever needs no problems.

    data: the bytes of the file.
    """
    return read_pdf(data).text


def read_pdf(data: bytes) -> PdfText:
    """Extract the text of a PDF, with what could not be read.

    A word that is broken at the end of a line is put together on the first of the two lines. Half a
    surrogate pair becomes U+FFFD; control characters are left out. A page that can't be read is
    empty, and a problem; so are pages beyond the first 200,000 or 50 million characters.

    Raises SourceError if it is broken, locked or without text, or if pypdfium2 is not installed.

    data: the bytes of the file.
    """
    try:
        import pypdfium2
    except ImportError:
        raise SourceError("a PDF; reading it needs pypdfium2: pip install 'sansho[pdf]'") from None
    try:
        with pypdfium2.PdfDocument(data) as document:
            pages, problems = _read_pages(document, pypdfium2.PdfiumError)
    except pypdfium2.PdfiumError as error:
        raise SourceError(f"a PDF that can't be read: {error}") from None
    if not any(pages):
        raise SourceError("; ".join(["a PDF without text (scanned?); not read", *problems]))
    return PdfText("\f".join(_join_broken_words(pages)), tuple(problems))


def _read_pages(document: Any, page_error: type[Exception]) -> tuple[list[str], list[str]]:
    """Return the text of each page of a document, and what could not be read.

    document: as pypdfium2 gives it; page_error: what it raises for a page that is broken.
    """
    pages: list[str] = []
    problems: list[str] = []
    count, size = len(document), 0
    for number in range(count):
        if number >= _MOST_PAGES or size >= _MOST_CHARACTERS:
            what = f"{_MOST_PAGES:,} pages" if number >= _MOST_PAGES else f"{size:,} characters"
            problems.append(f"only the first {what} are read; {count - number:,} pages left out")
            break
        try:
            with closing(document[number]) as page:
                pages.append(_page_text(page))
        except page_error as error:
            pages.append("")
            problems.append(f"page {number + 1} can't be read ({error}); left out")
        size += len(pages[-1])
    return pages, problems


def _page_text(page: Any) -> str:
    """Return the text of one page, its lines in reading order, separated by line feeds.

    page: the page as pypdfium2 gives it. It is empty text if the page has none.
    """
    boxes = [box for run in _runs(page) if (box := _bounding_box(run)).text.strip()]
    return "\n".join(in_order(boxes, _drawings(page, boxes) if boxes else []))


def _runs(page: Any) -> Iterator[list[Box]]:
    """Yield the characters of a page by pieces of lines, as they are drawn; a piece may be empty.

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
            elif character == _HYPHEN or unicodedata.category(character) not in _NOT_TEXT:
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
    texts = list(page.get_objects(filter=(raw.FPDF_PAGEOBJ_TEXT,)))
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
    """Return the box around a run of characters, with their text.

    Soft hyphens are not text, but for one at the end, where a word is broken.
    """
    text = "".join(box.text for box in run)
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if text.endswith(_SOFT_HYPHEN):
        text = text[:-1] + _HYPHEN
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
    line) and vertical lines (which stand where a gutter is).

    page: as pypdfium2 gives it; boxes: its text.
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


def _join_broken_words(pages: Sequence[str]) -> list[str]:
    """Put words together that are broken at the end of a line, on the first of the two lines.

    The hyphen is kept if the document has the word with it elsewhere, or if what follows begins
    with a capital letter; else it is left out.

    pages: the text of each page, with pdfium's mark for hyphens.
    """
    if not any(_HYPHEN in page for page in pages):
        return list(pages)
    words = Counter(word for page in pages for word in _WORD.findall(page))
    return ["".join(_without_marks(page.split(_HYPHEN), words)) for page in pages]


def _without_marks(pieces: Sequence[str], words: Mapping[str, int]) -> Iterator[str]:
    """Yield a text in parts, hyphens in place of pdfium's marks or nothing.

    pieces: the text between the marks; words: how often the document has each word.
    """
    yield pieces[0]
    for before, piece in pairwise(pieces):
        below = _WORD_BELOW.match(piece)
        start = _last_word(before)
        if below is None or not start:
            yield "-" + piece
            continue
        rest, end = below[1], below[2]
        whole, compound = words.get(start + end, 0), words.get(f"{start}-{end}", 0)
        is_compound = compound > whole or (not whole and not end[0].islower())
        yield "-" + rest if is_compound else rest
        following = piece[below.end() :]
        yield following if following.startswith("\n") or not following else "\n" + following


def _last_word(text: str) -> str:
    """Return the letters at the end of a text."""
    start = len(text)
    while start and text[start - 1].isalpha():
        start -= 1
    return text[start:]
