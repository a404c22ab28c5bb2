"""Runs a reader of strangers' bytes in a process of its own, with bounds for its memory and time.

pdfium and Arrow read such bytes in C++, and a fault in them ends their process. A small file can
make them, and Python's own `zipfile` and `tarfile`, take gigabytes or hours. Here they run in a
child, so that only what it reads is lost.

The child gets the bytes through its standard input, and writes what it has read to its standard
output as soon as it is read. It ends when its parent does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import subprocess

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Seconds from one look to the next. By hand: less takes time, more leaves the child behind for so
# long when its parent has ended.
_LOOK_FOR_PARENT = 0.2
# Bytes, for the thread that looks, which calls little; the usual 8 MB would be of the memory that
# the process may have.
_STACK = 1 << 18
# Seconds of processor time in which that thread should have looked: far more than
# `_LOOK_FOR_PARENT`, as it waits for its turn while a library computes.
_STUCK = 5
_NO_MEMORY = 3  # exit code; Python's own are 1 and 2
# Python's own modules come first, so that no file in the current folder is taken for one of them.
_ISOLATED = ("-I", "-S", "-c")
_START = (
    "import sys; at = sys.argv.index('--'); sys.path += sys.argv[at + 1:]; "
    "from scraper.reader_process import serve; serve(*sys.argv[1:at])"
)

# What a reader gives: an object as JSON can have it, and bytes.
Frame = tuple[dict[str, Any], bytes]
Reader = Callable[..., Iterable[Frame]]


class ReaderDiedError(Exception):
    """Raised when a child dies, or can't be started; the message says of what ("takes too much
    memory", say).

    last: the object of the last frame that it gave; empty if it gave none.
    """

    def __init__(self, why: str, last: dict[str, Any]) -> None:
        super().__init__(why)
        self.last = last


def read_in_child(
    reader: Reader,
    arguments: Sequence[object],
    given: bytes | IO[bytes],
    memory: int,
    seconds: int,
    library: str,
) -> Generator[Frame, None, None]:
    """Yield the frames that a reader yields in a child process, which has ended afterwards.

    Raises ReaderDiedError if the process takes too much memory or time, crashes, or can't be
    started.

    reader: a function of a module, called with a binary file and the arguments. What it raises is
        a crash, but for MemoryError.
    arguments: as JSON can have them.
    given: what the reader's file has: bytes, or a file that is open, at its beginning.
    memory: bytes of private memory that the process may have; seconds: its processor time, unless
        the reader calls `allow` for more.
    library: what reads the bytes, as the message of an error names it.
    """
    last: dict[str, Any] = {}
    with _child(reader, json.dumps(arguments), given, memory, seconds) as child:
        assert child.stdout
        for frame in _frames(child.stdout):
            last = frame[0]
            yield frame
        if code := child.wait():
            raise ReaderDiedError(_cause(code, seconds, library), last)


@contextmanager
def _child(
    reader: Reader, arguments: str, given: bytes | IO[bytes], memory: int, seconds: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that runs `serve`; at the end of the block it is killed."""
    import subprocess  # which only the parent needs

    # An interrupt from the keyboard is to reach the parent alone.
    group: dict[str, Any] = {"process_group": 0}
    if sys.platform == "win32":
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    numbers = map(str, (memory, seconds, os.getpid()))
    request = [reader.__module__, reader.__name__, arguments, *numbers]
    # Not the current folder, which is empty text in `sys.path`.
    path = [str(Path(__file__).parents[1]), *(entry for entry in sys.path if entry)]
    try:
        child = subprocess.Popen(
            [sys.executable, *_ISOLATED, _START, *request, "--", *path],
            stdin=subprocess.PIPE if isinstance(given, bytes) else given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **group,
        )
    except OSError as error:
        why = f"needs a process, which can't be started: {error.strerror or error}"
        raise ReaderDiedError(why, {}) from error
    try:
        if child.stdin and isinstance(given, bytes):
            with suppress(OSError), child.stdin:  # if it has died already, its output ends, too
                child.stdin.write(given)
        yield child
    finally:
        child.kill()
        child.wait()
        if child.stdout:
            child.stdout.close()


def _frames(output: IO[bytes]) -> Iterator[Frame]:
    """Yield the frames that a child writes, until it ends, even in the middle of one."""
    while line := output.readline():
        try:
            size, message = json.loads(line)
        except ValueError:
            return
        body = output.read(size)
        if len(body) < size:
            return
        yield message, body


def _cause(code: int, seconds: int, library: str) -> str:
    """Return what a child died of, as "takes too much memory": the time that was up, the memory,
    or a crash. Libraries may crash themselves where they get no memory.

    code: its exit code, negative for a signal.
    """
    if code < 0 and code == -getattr(signal, "SIGXCPU", 0):
        return f"takes more than {seconds} seconds"
    if code == _NO_MEMORY:
        return "takes too much memory"
    how = signal.strsignal(-code) if code < 0 else f"exit code {code}"
    return f"takes too much memory or crashes {library} ({how})"


def serve(
    module: str, name: str, arguments: str, memory: str, seconds: str, parent: str
) -> NoReturn:
    """Run as the child: read standard input, write frames to standard output.

    A frame is a line of JSON, the number of its bytes and its object, and these bytes. Exits with 0
    if the reader came to its end. The arguments are those of `read_in_child`, as text.

    parent: the process to end with.
    """
    threading.stack_size(_STACK)
    threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing that a library prints may get among the frames.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    code = 1
    try:
        reader: Reader = getattr(import_module(module), name)
        _bound(int(memory))
        allow(int(seconds))
        for message, body in reader(sys.stdin.buffer, *json.loads(arguments)):
            output.write(json.dumps((len(body), message)).encode() + b"\n")
            output.write(body)  # by itself, as it may be large
            output.flush()
        code = 0
    except MemoryError:
        code = _NO_MEMORY
    finally:
        os._exit(code)  # nothing is printed of an error


def _bound(memory: int) -> None:
    """Let this process have so many bytes of private memory, and leave no file where it crashes."""
    if resource:
        _lower(resource.RLIMIT_DATA, memory)
        _lower(resource.RLIMIT_CORE, 0)


def allow(seconds: int) -> None:
    """Let the system end this process after so many more seconds of processor time."""
    if resource:
        _lower(resource.RLIMIT_CPU, int(time.process_time()) + 1 + seconds)


def _lower(kind: int, limit: int) -> None:
    """Set a limit of this process, or a lower one if it may have no more; nothing where the system
    does not have it."""
    most = resource.getrlimit(kind)[1]
    wanted = limit if most == resource.RLIM_INFINITY else min(limit, most)
    with suppress(OSError, ValueError):  # a system that does not have that limit
        resource.setrlimit(kind, (wanted, most))


def _watch(parent: int) -> NoReturn:
    """Exit when the parent has ended: then the system gives this process another one.

    The system ends this process, too, if it computes on and on and this thread never gets its turn.
    CPython 3.11 does so where it handles an error and has not even the memory for the number of an
    instruction: it asks for it again for ever, with 16 calls to the kernel each time.
    """
    while True:
        try:
            if resource:
                signal.setitimer(signal.ITIMER_PROF, _STUCK)
            if os.getppid() != parent:
                os._exit(1)
            time.sleep(_LOOK_FOR_PARENT)
        except MemoryError:  # `suppress` would need more
            pass
