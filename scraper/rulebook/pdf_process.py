"""Reads the pages of a PDF in a process of its own, with bounds for its memory and time.

pdfium reads the bytes of strangers in C++. A small page can make it take gigabytes, and a fault in
it ends its process: then only the page is lost.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import IO

from scraper.errors import SourceError
from scraper.reader_process import Frame, allow, read_in_child
from scraper.rulebook.pdf_pages import PdfPage, opened, read_page

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
