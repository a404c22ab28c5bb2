"""Reads the pages of a PDF in a process of its own, with bounds for its memory and time.

pdfium reads the bytes of strangers in C++. A small page can make it take gigabytes, and a fault in
it ends its process. Here it is a child, so that only the page is lost.

The child gets the file through its standard input, and writes a line of JSON for each page, as
soon as it is read. It ends when its parent does.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from scraper.errors import SourceError
from scraper.rulebook.pdf_pages import PdfPage, opened, read_page

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Private memory that a child may have. Printed rulebooks take 20 MB in all.
BASE_MEMORY, MEMORY_A_BYTE, MOST_MEMORY = 128 << 20, 10, 1 << 30
PAGE_SECONDS = 30  # processor time of a page, which takes 0.02 seconds if people can read it
_LOOK_FOR_PARENT = 0.2  # seconds from one look to the next
_STACK = 1 << 18  # bytes, for the thread that looks
_NO_MEMORY = 3  # exit code
# Python's own modules come first, so that no file in the current folder is taken for one of them.
_ISOLATED = ("-I", "-S", "-c")
_START = (
    "import sys; at = sys.argv.index('--'); sys.path += sys.argv[at + 1:]; "
    "from scraper.rulebook.pdf_process import serve; serve(*map(int, sys.argv[1:at]))"
)


class ReaderDiedError(Exception):
    """Raised when the process that reads a PDF dies; the message says of what, of a page that
    "takes too much memory", say.

    count: how many pages the document has; 0 if it died before that was known.
    """

    def __init__(self, why: str, count: int) -> None:
        super().__init__(why)
        self.count = count


def pages_in_child(data: bytes, first: int) -> Generator[PdfPage, None, None]:
    """Yield the pages of a PDF one by one, read in a child process, which has ended afterwards.

    Raises SourceError if the document is broken or locked, or if no process can be started;
    ReaderDiedError if the process takes too much memory or time, or crashes.

    data: the bytes of the file; first: the index of the page to begin with.
    """
    with _child(data, first) as child:
        assert child.stdin and child.stdout
        with suppress(OSError):  # if it has died already, its output ends, too
            child.stdin.write(data)
            child.stdin.flush()
        count, number = 0, first
        for message in _messages(child.stdout):
            if "error" in message:
                raise SourceError(message["error"])
            count = message["page_count"]
            if "text" in message:
                number += 1
                yield PdfPage(**message)
        code = child.wait()
        if code or number < count:
            raise ReaderDiedError(_cause(code), count)


@contextmanager
def _child(data: bytes, first: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that runs `serve`; at the end of the block it is killed."""
    memory = min(BASE_MEMORY + MEMORY_A_BYTE * len(data), MOST_MEMORY)
    request = [str(number) for number in (len(data), first, memory, PAGE_SECONDS)]
    # Not the current folder, which is empty text in `sys.path`.
    path = [str(Path(__file__).parents[2]), *(entry for entry in sys.path if entry)]
    command = [sys.executable, *_ISOLATED, _START, *request, "--", *path]
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **_own_process_group(),
        )
    except OSError as error:
        reason = error.strerror or error
        raise SourceError(f"a PDF; a process to read it can't be started: {reason}") from error
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe:
                with suppress(OSError):  # closing flushes what was still to be sent
                    pipe.close()


def _own_process_group() -> dict[str, Any]:
    """Arguments of Popen by which an interrupt from the keyboard reaches the parent alone."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def _messages(lines: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield what a child writes, until it ends, even in the middle of a line."""
    with suppress(ValueError):
        for line in lines:
            yield json.loads(line)


def _cause(code: int) -> str:
    """Return what a child died of. pdfium crashes itself where it gets no memory.

    code: its exit code, negative for a signal.
    """
    if code < 0 and code == -getattr(signal, "SIGXCPU", 0):
        return f"takes more than {PAGE_SECONDS} seconds"
    if code == _NO_MEMORY:
        return "takes too much memory"
    how = signal.strsignal(-code) if code < 0 else f"exit code {code}"
    return f"takes too much memory or crashes pdfium ({how})"


def serve(size: int, first: int, memory: int, seconds: int) -> NoReturn:
    """Run as the child: read a PDF from standard input, write its pages to standard output.

    Each line is an object of JSON: the fields of a `PdfPage`, or `error` with the message of a
    SourceError. The first has nothing but the `page_count`. Exits with 0 if all pages were written.

    size: of the file in bytes; first: the index of the page to begin with; memory: private bytes
        that this process may have; seconds: the processor time of a page.
    """
    threading.stack_size(_STACK)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing that pdfium prints may get among the pages.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    code = 1
    try:
        _bound(memory)
        code = _write_pages(sys.stdin.buffer.read(size), first, seconds, lines)
    finally:
        os._exit(code)  # nothing is printed of an error


def _write_pages(data: bytes, first: int, seconds: int, lines: IO[bytes]) -> int:
    """Write the pages of a PDF as `serve` does; return the exit code."""
    try:
        _allow(seconds)
        with opened(data) as document:
            _write({"page_count": len(document)}, lines)
            for number in range(first, len(document)):
                _allow(seconds)
                _write(read_page(document, number)._asdict(), lines)
    except SourceError as error:
        _write({"error": str(error)}, lines)
    except ImportError as error:
        _write({"error": f"a PDF; pypdfium2, which reads it, can't be loaded: {error}"}, lines)
    except MemoryError:
        return _NO_MEMORY
    return 0


def _write(message: dict[str, Any], lines: IO[bytes]) -> None:
    lines.write(json.dumps(message).encode() + b"\n")
    lines.flush()


def _bound(memory: int) -> None:
    """Let this process have so many bytes of private memory, and leave no file where it crashes."""
    if resource:
        _lower(resource.RLIMIT_DATA, memory)
        _lower(resource.RLIMIT_CORE, 0)


def _allow(seconds: int) -> None:
    """Let the system end this process after so many more seconds of processor time."""
    if resource:
        _lower(resource.RLIMIT_CPU, int(time.process_time()) + 1 + seconds)


def _lower(kind: int, limit: int) -> None:
    """Set a limit of this process, or a lower one if it may have no more."""
    most = resource.getrlimit(kind)[1]
    wanted = limit if most == resource.RLIM_INFINITY else min(limit, most)
    with suppress(OSError, ValueError):  # a system that does not have that limit
        resource.setrlimit(kind, (wanted, most))


def _end_with_parent(parent: int) -> NoReturn:
    """Exit when the parent has ended: then the system gives this process another one."""
    while os.getppid() == parent:
        time.sleep(_LOOK_FOR_PARENT)
    os._exit(1)
