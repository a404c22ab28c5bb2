"""How the time of a piece of work grows with its size."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

MOST = 2.3  # times the time for twice the size; a square would take four times
_CLOCK = 0.04  # seconds that the clock may be wrong by


def grows_linearly(work: Callable[[int], object], size: int) -> bool:
    """Whether twice the size takes about twice the time of the processor.

    Measured again where it seems not to be so: the machine may have been disturbed. Of the size
    itself the shorter of two runs counts, as one that was disturbed would hide a square; of twice
    the size one is enough.
    """
    work(size // 10)
    return any(
        _seconds(work, 2 * size) <= MOST * min(_seconds(work, size) for _ in range(2)) + _CLOCK
        for _ in range(8)
    )


def _seconds(work: Callable[[int], object], size: int) -> float:
    """The time of a run, without the collector, whose cost is that of all tests' objects."""
    gc.disable()
    try:
        began = time.process_time()
        work(size)
        return time.process_time() - began
    finally:
        gc.enable()
