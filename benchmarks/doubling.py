"""How the time of parsers, extractors, builds and questions grows with a repeated text.

    python -m benchmarks.doubling [KIND …] [--cells WORD] [--size N] [--all]

For each of forty kinds of repeated text (`benchmarks.repeated_text`):

- in each place of each form of document (`benchmarks.text_places`): parses it, and extracts claims
  from its pages;
- builds a knowledge base from pages, and rulebooks in two editions and two languages, with it, and
  asks that each question (`benchmarks.text_bases`);
- types it as the words, the reference or the question, in each question of the sample.

Prints each cell that takes more than 2.3 times the time of the processor for twice the size, and
each that takes more than 50 ms for a thousand characters; at the end the worst cell of each kind.
Cells are places and questions. Forty kinds take about ten minutes of one core; `--all` takes all
kinds, in more than an hour.
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
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import kb
from benchmarks.repeated_text import MOST_DIFFERENT, kinds, text
from benchmarks.text_bases import ABOUT_TEXT, TIMES, TYPED, Asked, write_sources
from benchmarks.text_places import PARSED, Place
from graphs.writing.page_claims import rows_in_pieces
from kb.knowledge import extract
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
        """Milliseconds for a thousand characters of all places in which the text stands."""
        places = TIMES if self.what.startswith(("base", "build")) else 1
        return 1e6 * self.seconds / self.size / places


class TooLong(BaseException):
    """A measurement takes longer than any that is worth waiting for.

    No Exception: a build goes on after one that a page causes.
    """


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
        return lambda: [
            next(rows_in_pieces([extract(page, tokenizer())])) for page in pages if page.name
        ]

    return work


class _Bases:
    """Knowledge bases that were built from a kind of text, by its size; kept in a folder."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind = kind
        self._folder = folder
        self._open: dict[int, kb.KnowledgeBase] = {}

    def building(self, size: int, run: int) -> Callable[[], object]:
        """Write the sources of a base; return what builds it."""
        sources = self._folder / f"{size}-{run}"
        sources.mkdir()
        write_sources(sources, text(self._kind, size, run))
        return lambda: kb.build([sources], sources / "x.db", game="mtg", workers=1)

    def asking(self, asked: Asked) -> Work:
        """Return the work of a question about the text."""

        def work(size: int, _: int) -> Callable[[], object]:
            if size not in self._open:
                built = self._folder / f"asked-{size}.db"
                (sources := self._folder / f"asked-{size}").mkdir(exist_ok=True)
                write_sources(sources, text(self._kind, size))
                seconds(lambda: kb.build([sources], built, game="mtg", workers=1))
                self._open[size] = kb.open(built)
                self._open[size].search("引く")
            return _answer(asked, self._open[size], text(self._kind, 8))

        return work

    def close(self) -> None:
        for base in self._open.values():
            base.close()


def _typing(kind: str, base: kb.KnowledgeBase, asked: Asked) -> Work:
    return lambda size, run: _answer(asked, base, text(kind, size, run))


def _answer(asked: Asked, base: kb.KnowledgeBase, typed: str) -> Callable[[], object]:
    """Return what asks a question, which may name nothing, or be refused."""

    def answer() -> object:
        try:
            return asked(base, typed)
        except kb.QuestionError:
            return None

    return answer


def _about_bases(kind: str, word: str, size: int) -> Iterator[Cell]:
    """Yield what is measured of builds and their questions, in cells with a word in their names."""
    with TemporaryDirectory() as folder:
        bases = _Bases(kind, Path(folder))
        if word in "build":
            yield measure(kind, "build", bases.building, size)
        for name, asked in ABOUT_TEXT.items():
            if word in (what := f"base {name}"):
                yield measure(kind, what, bases.asking(asked), size)
        bases.close()


def cells(kind: str, word: str, size: int, sample: kb.KnowledgeBase) -> Iterator[Cell]:
    """Yield what is measured of a kind of text, in all cells with a word in their names.

    size: characters to begin with; in a build, where the text stands in many places, a quarter.
    """
    for name, place in PARSED.items():
        if word in (what := f"parse {name}"):
            yield measure(kind, what, _parsing(kind, place), size)
        if word in (what := f"extract {name}"):
            yield measure(kind, what, _extracting(kind, place), size)
    yield from _about_bases(kind, word, size // 4)
    for name, asked in TYPED.items():
        if word in (what := f"type {name}"):
            yield measure(kind, what, _typing(kind, sample, asked), size)


def _line(cell: Cell) -> str:
    return (
        f"{cell.kind!r:24} {cell.what:34} {cell.size:>8} {1000 * cell.seconds:9.1f} ms "
        f"{cell.per_kilobyte:8.2f} ms/kB  ratio {cell.ratio:.2f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--cells", default="", help="only cells with this word in their names")
    parser.add_argument("--size", type=int, default=8_000, help="characters to begin with")
    parser.add_argument("--all", action="store_true", help="all kinds, not only forty")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGVTALRM, _give_up)
    tokenizer()
    worst: list[Cell] = []
    with kb.sample() as sample:
        sample.ask("引くとは？")
        _caches()
        gc.freeze()
        for kind in given.kinds or (kinds() if given.all else MOST_DIFFERENT):
            measured = list(cells(kind, given.cells, given.size, sample))
            for cell in measured:
                if cell.ratio > LIMIT or cell.per_kilobyte > _SLOW:
                    print(_line(cell), flush=True)
            grown = [cell for cell in measured if not math.isnan(cell.ratio)]
            worst.append(max(grown or measured, key=lambda cell: (cell.ratio, cell.seconds)))
            print(f"  {kind}: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    print("\nThe worst cell of each kind (no ratio: linear, or less than 30 ms):")
    print("\n".join(map(_line, worst)))


if __name__ == "__main__":
    main()
