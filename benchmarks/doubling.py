"""How the time of every parser and extractor grows when a repeated text gets twice as long.

    python -m benchmarks.doubling [KIND …] [--places WORD] [--size N] [--quick]

For each kind of repeated text (`benchmarks.repeated_text`) in each place of each form of document
(`benchmarks.text_places`): parses it, and extracts claims from its pages. Prints each cell that
takes more than 2.3 times the time of the processor for twice the size, and each that takes more
than 50 ms for a thousand characters. All kinds take about an hour of
one core; `--quick` takes every tenth.
"""

from __future__ import annotations

import argparse
import gc
import math
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper, cache
from types import FrameType
from typing import Any

from benchmarks.repeated_text import kinds, text
from benchmarks.text_places import PARSED, Place
from graphs.writing.page_rows import page_rows
from kb.extract import extract
from kb.language.tokens import tokenizer
from scraper import read_pages

LIMIT = 2.3  # times the time for twice the size
_CLOCK = 0.005  # seconds that the clock of the processor may be wrong by
_MEASURABLE = 0.03  # seconds of the processor
_LONGEST = 10.0  # seconds of the processor, after which a measurement is given up
_SLOW = 50.0  # milliseconds a kB, from which a cell is listed

Work = Callable[[int, int], Callable[[], object]]  # by size and run: what is to be measured


@dataclass(frozen=True, slots=True)
class Cell:
    """What was measured of one kind of text in one place.

    size: characters of the smaller text; seconds: its time.
    ratio: how many times as long the text of twice the size takes; not a number if it is plain that
        it grows no more than linearly, or takes no time worth measuring.
    """

    kind: str
    what: str
    size: int
    seconds: float
    ratio: float

    @property
    def per_kilobyte(self) -> float:
        """Milliseconds for a thousand characters."""
        return 1e6 * self.seconds / self.size


class TooLong(Exception):
    """A measurement takes longer than any that is worth waiting for."""


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise TooLong


@cache
def _caches() -> list[Any]:
    """Return the caches of functions of the project that keep only so many results."""
    return [
        thing
        for thing in gc.get_objects()
        if isinstance(thing, _lru_cache_wrapper)
        and thing.__module__.partition(".")[0] in {"kb", "graphs", "scraper"}
        and thing.cache_parameters()["maxsize"] is not None
    ]


def seconds(work: Callable[[], object]) -> float:
    """Return the time of the processor that a piece of work takes, without the collector."""
    for cached in _caches():
        cached.cache_clear()
    gc.collect()
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST)
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()


def measure(kind: str, what: str, work: Work, size: int) -> Cell:
    """Measure a cell; its ratio is infinite if the longer text takes too long.

    A text and one four times as long are measured once; only if that looks worse than linear, or
    takes long, is the time for twice the size measured, five times.

    size: characters of the shortest text.
    """
    longest = 4 * size
    took = 0.0
    try:
        once, took = seconds(work(size, 0)), seconds(work(longest, 1))
        if took <= max(_MEASURABLE, LIMIT**2 * 0.9 * once):
            return Cell(kind, what, longest, took, math.nan)
        while took < 3 * _MEASURABLE:
            longest *= 2
            took = seconds(work(longest, 2))
        ratios = [_ratio(work, longest // 2, 3 * n) for n in range(1, 6)]
        return Cell(kind, what, longest, took, statistics.median(ratios))
    except TooLong:
        return Cell(kind, what, longest, took or _LONGEST, float("inf"))


def _ratio(work: Work, size: int, run: int) -> float:
    """Return how many times as long the work takes for twice the size."""
    once = seconds(work(size, run + 1))
    return seconds(work(2 * size, run + 2)) / max(once, _CLOCK)


def _parsing(kind: str, place: Place) -> Work:
    def work(size: int, run: int) -> Callable[[], object]:
        snapshot = place(text(kind, size, run))
        return lambda: read_pages(snapshot)

    return work


def _extracting(kind: str, place: Place) -> Work:
    def work(size: int, run: int) -> Callable[[], object]:
        pages, _ = read_pages(place(text(kind, size, run)))
        return lambda: [page_rows(extract(page, tokenizer())) for page in pages if page.name]

    return work


def cells(chosen: Sequence[str], places: Sequence[str], size: int) -> Iterator[Cell]:
    """Yield what is measured of each kind in each place."""
    for kind in chosen:
        for name in places:
            place = PARSED[name]
            yield measure(kind, f"parse {name}", _parsing(kind, place), size)
            yield measure(kind, f"extract {name}", _extracting(kind, place), size)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--places", default="", help="only places with this word")
    parser.add_argument("--size", type=int, default=8_000, help="characters to begin with")
    parser.add_argument("--quick", action="store_true", help="only every tenth kind")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGVTALRM, _give_up)
    _caches()
    gc.freeze()
    chosen = given.kinds or kinds()[:: 10 if given.quick else 1]
    places = [name for name in PARSED if given.places in name]
    tokenizer()
    for kind in chosen:
        for cell in cells([kind], places, given.size):
            if cell.ratio > LIMIT or cell.per_kilobyte > _SLOW:
                print(
                    f"{cell.kind!r:24} {cell.what:34} {cell.size:>8} {1000 * cell.seconds:9.1f} ms "
                    f"{cell.per_kilobyte:8.2f} ms/kB  ratio {cell.ratio:.2f}",
                    flush=True,
                )
        print(f"  {kind}: {time.process_time():.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
