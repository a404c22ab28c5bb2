"""Processes that tests start: a person can interrupt them, whoever runs the tests. And none, where
one for each PDF would take most of the time."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from scraper.rulebook import pdf


def interruptible() -> dict[str, Any]:
    """Arguments for `subprocess` that restore the default action of SIGINT and SIGHUP in the child:
    a shell that runs the tests in the background, or nohup, has them ignored, and children inherit
    that."""
    return {"preexec_fn": _restore}


def _restore() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def pdfs_read_here() -> Iterator[None]:
    """Read PDFs in this process, without bounds of memory and time, and raise what is raised."""
    with patch.object(pdf, "pages_in_child", _pages_here):
        yield


def _pages_here(data: bytes, first: int) -> Generator[pdf.PdfPage, None, None]:
    with pdf.opened(data) as document:
        for number in range(first, len(document)):
            yield pdf.read_page(document, number)
