"""Shows progress on standard error while a build or a crawl runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import shortened, shortened_start
from kb.cli.render.output import echo, printable

if TYPE_CHECKING:
    from kb import BuildProgress, CrawlProgress

Say = Callable[[str], None]
_MAX_PLACE = 44  # columns of an address or a file's name
_SECONDS_BETWEEN_UPDATES = 0.1
_SECONDS_TO_ESTIMATE = 2.0  # that a phase must last before the rest of it is estimated


@contextmanager
def crawl_progress() -> Iterator[tuple[Say, Callable[[CrawlProgress], None] | None]]:
    """Give two functions for a crawl to call: one prints a message, the other moves a progress bar.
    Both write to standard error; the bar is there while the `with` block runs.

    The second is None unless standard error is a terminal.
    """
    if not sys.stderr.isatty():
        yield print_message, None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rest]}"),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, rest="")

        def advance(progress: CrawlProgress) -> None:
            rest = f"{_duration(progress.seconds)} left" if progress.seconds > 60 else ""
            bar.update(
                task,
                completed=progress.done,
                total=progress.known,
                rest=rest,
                description=shortened(printable(progress.url), _MAX_PLACE),
            )

        def print_above_bar(message: str) -> None:
            bar.console.print(f"sansho: {printable(message)}", markup=False)

        yield print_above_bar, advance


def print_message(message: str) -> None:
    """Print a message on standard error, after `sansho: `."""
    echo(f"sansho: {message}", err=True)


@contextmanager
def build_progress() -> Iterator[Callable[[BuildProgress], None] | None]:
    """Give a function for a build to call with its progress; a line on standard error shows the
    phase, how much of it is done, how long the rest may take, and what is being read.

    It is None unless standard error is a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TextColumn("[dim]{task.fields[place]}[/]"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, place="")
        shown = _PhaseLine(monotonic())

        def update(progress: BuildProgress) -> None:
            text = shown.text(progress, monotonic())
            if text is not None:
                place = shortened_start(printable(progress.place), _MAX_PLACE).replace("[", r"\[")
                bar.update(task, description=text, place=place)

        yield update


class _PhaseLine:
    """What the line of a build says: it changes ten times a second at most."""

    def __init__(self, now: float) -> None:
        """now: seconds on a clock that never goes back."""
        self._phase = ""
        self._began = self._last = now

    def text(self, progress: BuildProgress, now: float) -> str | None:
        """Return what to show; None to leave the line as it is.

        >>> from kb import BuildProgress
        >>> line = _PhaseLine(0)
        >>> line.text(BuildProgress("reading", 0, 400), 0.0)
        'reading 0 of 400'
        >>> line.text(BuildProgress("reading", 100, 400), 10.0)
        'reading 100 of 400, about 30 s left'
        """
        if progress.phase == self._phase and now - self._last < _SECONDS_BETWEEN_UPDATES:
            return None
        if progress.phase != self._phase:
            self._phase, self._began = progress.phase, now
        self._last = now
        return progress.phase + self._count(progress) + self._rest(progress, now - self._began)

    @staticmethod
    def _count(progress: BuildProgress) -> str:
        """Return how much is done, as far as that is known."""
        if progress.total is not None:
            return f" {progress.done:,} of {progress.total:,}"
        return f" {progress.done:,}" if progress.done else ""

    @staticmethod
    def _rest(progress: BuildProgress, seconds: float) -> str:
        """Return how long the rest of the phase may take, if that is worth telling.

        seconds: how long the phase has lasted.
        """
        if not progress.total or not progress.done or seconds < _SECONDS_TO_ESTIMATE:
            return ""
        rest = seconds * (progress.total - progress.done) / progress.done
        return f", about {_duration(rest)} left" if rest >= 1 else ""


def _duration(seconds: float) -> str:
    """Return a time in words, as exact as an estimate is.

    >>> _duration(12.3), _duration(400)
    ('12 s', '7 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
