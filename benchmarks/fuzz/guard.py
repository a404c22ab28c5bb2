"""Bounds of a case: its processor time, its memory, and silence."""

from __future__ import annotations

import contextlib
import io
import resource
import signal
import warnings
from collections.abc import Iterator
from types import FrameType

from benchmarks.fuzz.case import Failure

MEMORY = 6 << 30  # bytes of address space that a worker may have
_EXPECTED = (DeprecationWarning, PendingDeprecationWarning, ResourceWarning)


class OverTimeError(BaseException):
    """A case took more processor time than it may. No `except Exception` takes it for its own."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise OverTimeError where the program is when so much processor time has passed."""

    def over(_: int, __: FrameType | None) -> None:
        raise OverTimeError(f"more than {seconds:.1f} s of processor time")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again, if a callback took the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Fail if anything is printed or warned of."""
    printed = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        yield
    if printed.getvalue():
        raise Failure("something printed", printed.getvalue()[:500])
    for warning in caught:
        if not issubclass(warning.category, _EXPECTED):
            raise Failure(f"{warning.category.__name__} warned", str(warning.message)[:500])


def bound_memory() -> None:
    """Have MemoryError raised in this process before the machine has none left."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
