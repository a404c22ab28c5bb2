"""Shows progress on standard error while a build or a crawl runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import short

if TYPE_CHECKING:
    from kb import CrawlProgress

Say = Callable[[str], None]
_MAX_PLACE = 60  # characters of an address or a file's name


@contextmanager
def crawl_progress() -> Iterator[tuple[Say, Callable[[CrawlProgress], None] | None]]:
    """Give two functions for a crawl to call: one prints a message, the other moves a progress bar.
    Both write to standard error; the bar is there while the `with` block runs.

    The second is None unless standard error is a terminal.
    """
    if not sys.stderr.isatty():
        yield _print_message, None
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
            rest = f"{progress.seconds / 60:.0f} min left" if progress.seconds > 60 else ""
            bar.update(
                task,
                completed=progress.done,
                total=progress.known,
                rest=rest,
                description=short(progress.url, _MAX_PLACE),
            )

        def print_above_bar(message: str) -> None:
            bar.console.print(f"sansho: {message}", markup=False)

        yield print_above_bar, advance


def _print_message(message: str) -> None:
    """Print a message on standard error, after `sansho: `."""
    click.echo(f"sansho: {message}", err=True)


@contextmanager
def build_progress() -> Iterator[Callable[[str], None] | None]:
    """Give a function for a build to call with the place of each file that it reads; it counts the
    files in a progress line. It is None unless standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:.0f} files"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(place: str) -> None:
            bar.update(task, advance=1, description=short(place, _MAX_PLACE))

        yield advance
