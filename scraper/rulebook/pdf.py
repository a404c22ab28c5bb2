"""Extracts the text of a PDF, in a process of its own, with bounds for its memory and time.

pdfium reads the bytes of strangers in C++. A small page can make it take gigabytes, and a fault in
it ends its process: then only the page is lost.

pdfium gives the position of each character, but a file need not draw them in reading order. Here
characters become pieces of lines, which `scraper.rulebook.pdf_reading_order` puts in order.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from heapq import nlargest
from importlib.util import find_spec
from itertools import count, pairwise
from math import isfinite
from typing import IO, Any, NamedTuple

from scraper.errors import SourceError
from scraper.reader_process import Frame, ReaderDiedError, allow, read_in_child
from scraper.rulebook.pdf_reading_order import Box, around, in_order

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
    boxes = [box for run in _runs(page) if run and (box := _bounding_box(run)).text.strip()]
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
    """Return the box around a run of characters, at least one, with their text. Half a surrogate
    pair becomes U+FFFD.

    Soft hyphens are not text, but for one at the end, where a word is broken.
    """
    box = around(run, "")
    text = box.text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if text.endswith(_SOFT_HYPHEN):
        text = text[:-1] + HYPHEN
    return replace(box, text=text.replace(_SOFT_HYPHEN, ""))


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


# Private memory that a child may have: at least, for each byte of the file, at most. Printed
# rulebooks take 20 MB in all; a hostile page of 20 MB took 1 GB and more.
BASE_MEMORY, MEMORY_A_BYTE, MOST_MEMORY = 128 << 20, 10, 1 << 30
PAGE_SECONDS = 30  # processor time of a page, a guard: a printed one takes 0.02 to 0.1 seconds


def pages_in_child(data: bytes, first: int) -> Generator[PdfPage, None, None]:
    """Yield the pages of a PDF one by one and in order, read in a child process, which has ended
    afterwards.

    Raises SourceError if the document is broken or locked; ReaderDiedError if the process takes too
    much memory or time, crashes, or can't be started: its `last` has the `page_count`, if that was
    known.

    data: the bytes of the file; first: the index of the page to begin with.
    """
    memory = min(BASE_MEMORY + MEMORY_A_BYTE * len(data), MOST_MEMORY)
    arguments = (first, PAGE_SECONDS)
    for message, _ in read_in_child(
        frames_of_pages, arguments, data, memory, PAGE_SECONDS, "pdfium"
    ):
        if "error" in message:
            raise SourceError(message["error"])
        if "text" in message:
            yield PdfPage(**message)


def frames_of_pages(file: IO[bytes], first: int, seconds: int) -> Iterator[Frame]:
    """Yield the `page_count` of a PDF, and then the fields of each `PdfPage`; or `error`, with the
    message of a SourceError. To be run in a child.

    first: the index of the page to begin with; seconds: the processor time of a page.
    """
    try:
        with opened(file.read()) as document:
            yield {"page_count": len(document)}, b""
            for number in range(first, len(document)):
                allow(seconds)
                yield read_page(document, number)._asdict(), b""
    except SourceError as error:
        yield {"error": str(error)}, b""
    except ImportError as error:
        yield {"error": f"a PDF; pypdfium2, which reads it, can't be loaded: {error}"}, b""


MAGIC = b"%PDF-"
# A small file can have pages without end: many that are one and the same. A printed
# rulebook has 33 pages of at most 3,700 characters: any bounds as far above would do.
_MOST_PAGES = 200_000
_MOST_CHARACTERS = 50_000_000
# Processor time of all pages, a guard. Printed rulebooks take 0.5 to 1 second for each MB.
_BASE_SECONDS, _SECONDS_A_MB = 120, 60
# That read a PDF, each after the last one has died: a broken page takes two, and a file of broken
# pages must not start a process for each. By hand.
_MOST_PROCESSES = 8
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_WORD_BELOW = re.compile(r"\s*\n\s*(([^\W\d_]+)\S*)[ ]*")


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text of a PDF, its pages separated by form feeds, and what could not be read of it."""

    text: str
    problems: tuple[str, ...] = ()


def read_pdf(data: bytes) -> PdfText:
    """Extract the text of a PDF, with what could not be read.

    A word that is broken at the end of a line is put together on the first of the two lines. Half a
    surrogate pair becomes U+FFFD; control characters are left out. A page that can't be read is
    empty, and a problem; so is one that takes too much memory or time, or crashes pdfium, which
    runs in a process of its own. Pages beyond the first 200,000 or 50 million characters are left
    out, and so are those behind a page at which the eighth of such processes dies, or by which all
    have taken two minutes of processor time and another for each MB, which is a problem, too.

    Raises SourceError if it is broken, locked or without text, if opening it takes too much memory
    or time, or if pypdfium2 is not installed.

    data: the bytes of the file.
    """
    if find_spec("pypdfium2") is None:
        raise SourceError("a PDF; reading it needs pypdfium2: pip install 'sansho[pdf]'")
    pages, problems = _read_pages(data)
    if not any(pages):
        raise SourceError("; ".join(["a PDF without text (scanned?); not read", *problems]))
    return PdfText("\f".join(_join_broken_words(pages)), tuple(problems))


def _read_pages(data: bytes) -> tuple[list[str], list[str]]:
    """Return the text of each page of a PDF, empty for one that can't be read, and what could not
    be read: a sentence without full stop for each such page, and one for all that are left out."""
    pages: list[str] = []
    problems: list[str] = []
    count, size, seconds = 0, 0, 0.0
    most_seconds = _BASE_SECONDS + _SECONDS_A_MB * len(data) / (1 << 20)
    with closing(_pages(data)) as read:
        for page in read:
            pages.append(page.text)
            if page.problem:
                problems.append(f"page {len(pages)} {page.problem}; left out")
            count, size, seconds = page.page_count, size + len(page.text), seconds + page.seconds
            if len(pages) >= _MOST_PAGES or size >= _MOST_CHARACTERS or seconds >= most_seconds:
                break
    if len(pages) < count:
        what = f"{size:,} characters" if size >= _MOST_CHARACTERS else f"{len(pages):,} pages"
        why = f", which took {most_seconds:.0f} seconds," if seconds >= most_seconds else ""
        left_out = f"{count - len(pages):,} pages left out"
        problems.append(f"only the first {what}{why} are read; {left_out}")
    return pages, problems


def _pages(data: bytes) -> Generator[PdfPage, None, None]:
    """Yield the pages of a PDF. Where a child dies, another one begins with the same page, as the
    pages before may have taken the memory. If it dies there, too, the page has no text, but a
    problem. What the last child does not come to is missing.

    Raises SourceError if the document can't be read.
    """
    done = 0
    for _ in range(_MOST_PROCESSES):
        first = done
        try:
            with closing(pages_in_child(data, first)) as pages:
                for page in pages:
                    done += 1
                    yield page
            return
        except ReaderDiedError as death:
            count = death.last.get("page_count", 0)
            if not count:
                raise SourceError(f"a PDF that can't be read: opening it {death}") from None
            if done == first:
                done += 1
                yield PdfPage("", str(death), count)
            if done == count:
                return


def _join_broken_words(pages: Sequence[str]) -> list[str]:
    """Put words together that are broken at the end of a line, on the first of the two lines.

    The hyphen is kept if the document has the word with it elsewhere, more often than without, or,
    if it has neither, if what follows is no small letter; else it is left out.

    pages: the text of each page, with pdfium's mark for hyphens.
    """
    if not any(HYPHEN in page for page in pages):
        return list(pages)
    words = Counter(word for page in pages for word in _WORD.findall(page))
    return ["".join(_without_marks(page.split(HYPHEN), words)) for page in pages]


def _without_marks(pieces: Sequence[str], words: Mapping[str, int]) -> Iterator[str]:
    """Yield a text in parts, to be joined, with hyphens in place of pdfium's marks or nothing. A
    mark is a hyphen if no word stands before it, or none in the next line behind it.

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
    """Return the letters at the end of a text; empty if it ends in none."""
    start = len(text)
    while start and text[start - 1].isalpha():
        start -= 1
    return text[start:]
