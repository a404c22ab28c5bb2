"""Shows progress on standard error while a build or a crawl runs."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from kb.cli.render import output
from kb.cli.render.output import shortened_start

if TYPE_CHECKING:
    from kb import BuildProgress, CrawlProgress

Progress = TypeVar("Progress")
_ROOMS = ("scraper", "graphs", "kb")
# Columns of a file's name: phase, numbers and time before it take up to about 36, which makes a
# line of 80.
_MAX_PLACE = 44
_SECONDS_BETWEEN_UPDATES = 0.1  # by hand: faster can’t be read, and takes time; slower looks stuck
# That a phase must last before the rest of it is estimated. By hand: the first files say little of
# the rest, and a shorter phase needs no estimate.
_SECONDS_TO_ESTIMATE = 2.0


def print_message(message: str) -> None:
    """Print a message on standard error, after `sansho: `."""
    output.echo(f"sansho: {message}", err=True)


class _TerminalHandler(logging.Handler):
    """Prints what is logged on standard error, a line each."""

    def emit(self, record: logging.LogRecord) -> None:
        output.echo(" ".join(record.getMessage().split()), err=True)


@contextmanager
def logged(verbose: bool) -> Iterator[None]:
    """Print on standard error what the rooms log meanwhile: why a line begins no rule, and the
    like. verbose: if False, nothing is printed."""
    if not verbose:
        yield
        return
    handler, rooms = _TerminalHandler(), [logging.getLogger(name) for name in _ROOMS]
    for room in rooms:
        room.setLevel(logging.DEBUG)
        room.addHandler(handler)
    try:
        yield
    finally:
        for room in rooms:
            room.setLevel(logging.NOTSET)
            room.removeHandler(handler)


def build_progress() -> AbstractContextManager[Callable[[BuildProgress], None] | None]:
    """Give a function for a build to call with its progress; a line on standard error shows the
    phase, how much of it is done, how long the rest may take, and what is being read.

    It is None unless standard error is a terminal on which a line can be rewritten.
    """
    line = _PhaseLine(monotonic())
    return _progress_line(lambda progress: line.text(progress, monotonic()))


def crawl_progress() -> AbstractContextManager[Callable[[CrawlProgress], None] | None]:
    """Give a function for a crawl to call with its progress, as `build_progress` does; the line
    shows how many pages are done, the least time for the rest, and the next address."""
    return _progress_line(_crawl_line)


@contextmanager
def _progress_line(
    text: Callable[[Progress], str | None],
) -> Iterator[Callable[[Progress], None] | None]:
    """Give a function that shows progress as a line, which is erased when the block or the process
    ends. text: returns the line; None to leave it as it is."""

    def show(progress: Progress) -> None:
        line = text(progress)
        if line is not None:
            output.rewrite_progress(line)

    if not output.is_screen(err=True):
        yield None
        return
    atexit.register(output.erase_progress)  # which runs after signals, too
    try:
        yield show
    finally:
        output.erase_progress()
        atexit.unregister(output.erase_progress)


def _crawl_line(progress: CrawlProgress) -> str:
    """Return the line for a crawl; without the time left if that is a minute or less.

    >>> from kb import CrawlProgress
    >>> _crawl_line(CrawlProgress(3, 400, 397.0, "http://a.jp/x"))
    '3 of 400, 7 min left: http://a.jp/x'
    """
    rest = f", {duration(progress.seconds)} left" if progress.seconds > 60 else ""
    return f"{progress.done:,} of {progress.known:,}{rest}: {progress.url}"


class _PhaseLine:
    """What the line of a build says: it changes ten times a second at most."""

    def __init__(self, now: float) -> None:
        """now: seconds on a clock that never goes back."""
        self._phase = ""
        self._began = self._last = now

    def text(self, progress: BuildProgress, now: float) -> str | None:
        """Return the line; None to leave it as it is: less than a tenth of a second after the last
        one of the same phase.

        >>> from kb import BuildProgress
        >>> line = _PhaseLine(0)
        >>> line.text(BuildProgress("reading", 0, 400), 0.0)
        'reading 0 of 400'
        >>> line.text(BuildProgress("reading", 100, 400, "a.html"), 10.0)
        'reading 100 of 400, about 30 s left: a.html'
        """
        if progress.phase == self._phase and now - self._last < _SECONDS_BETWEEN_UPDATES:
            return None
        if progress.phase != self._phase:
            self._phase, self._began = progress.phase, now
        self._last = now
        text = progress.phase + self._count(progress) + self._rest(progress, now - self._began)
        place = shortened_start(progress.place, _MAX_PLACE)
        return f"{text}: {place}" if place else text

    @staticmethod
    def _count(progress: BuildProgress) -> str:
        """Return how much is done behind a space, as ` 100 of 400`, or ` 100` where nobody knows of
        how many; empty if that is none."""
        if progress.total is not None:
            return f" {progress.done:,} of {progress.total:,}"
        return f" {progress.done:,}" if progress.done else ""

    @staticmethod
    def _rest(progress: BuildProgress, seconds: float) -> str:
        """Return how long the rest of the phase may take, as `, about 30 s left`; empty if that is
        not known, in the first two seconds, and below one second.

        seconds: how long the phase has lasted.
        """
        if not progress.total or not progress.done or seconds < _SECONDS_TO_ESTIMATE:
            return ""
        rest = seconds * (progress.total - progress.done) / progress.done
        return f", about {duration(rest)} left" if rest >= 1 else ""


def duration(seconds: float) -> str:
    """Return a time in words, as exact as an estimate is: from 100 s on in minutes.

    >>> duration(12.3), duration(400)
    ('12 s', '7 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
