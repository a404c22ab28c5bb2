"""Ends the process on SIGINT, SIGTERM and SIGHUP, with nothing left behind.

The handler does not raise an exception, which could hit any code in any state, a cleanup too. It
runs what modules have registered with `atexit` (temporary files, locks, worker processes, the line
of progress), and then the process dies of the signal, as a shell expects it.

It also says what the operating system refused, and where.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn


def describe(error: OSError) -> str:
    """Return what failed and why, for a person; `the system: …` where the error names no file.

    >>> describe(FileNotFoundError(2, "No such file", "x.db"))
    'x.db: No such file'
    """
    if error.filename is None and not _has_current_folder():
        return "the current folder is no longer there; change to another"
    return f"{error.filename or 'the system'}: {error.strerror or error}"


def _has_current_folder() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_last_words: list[Callable[[], str]] = []


def end_on_signals() -> None:
    """Handle the signals that end a program, but not those that whoever started it has ignored
    (`nohup`, a shell's background job)."""
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


@contextmanager
def last_words(message: Callable[[], str]) -> Iterator[None]:
    """Let a message be printed on standard error if a signal ends the process in this block.

    message: called at that moment, after all was cleaned up. Of nested blocks the innermost speaks.
    """
    _last_words.append(message)
    try:
        yield
    finally:
        _last_words.pop()


@contextmanager
def interrupts_as_exceptions() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt in this block, for libraries that catch it."""
    before = signal.getsignal(signal.SIGINT)
    if before is not _end:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """Clean up by what is registered with `atexit`, whatever that raises, say the last words of the
    innermost block, and die of a signal."""
    for other in _numbers():
        signal.signal(other, signal.SIG_IGN)  # nothing disturbs the cleanup
    with suppress(BaseException):
        atexit._run_exitfuncs()
    if _last_words:
        _say(f"sansho: {_last_words[-1]()}\n")
    signal.signal(number, signal.SIG_DFL)
    if sys.platform != "win32":  # where the exit code would be the number itself: 2 for SIGINT
        os.kill(os.getpid(), number)
    os._exit(128 + number)  # where that signal does not end a process at once


def _say(line: str) -> None:
    """Write a line to standard error, past its buffer, which may be in use at this moment."""
    with suppress(OSError):
        os.write(2, line.encode("utf-8", "backslashreplace"))
