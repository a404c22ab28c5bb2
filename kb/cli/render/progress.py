"""Progress lines and bars on standard error while a build or a crawl runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kb.cli.render.common import short

if TYPE_CHECKING:
    from kb import Headway

Say = Callable[[str], None]


@contextmanager
def crawl_progress() -> Iterator[tuple[Say, Callable[[Headway], None] | None]]:
    """What tells a person of a crawl under way, on standard error; with a bar if one looks."""
    if not sys.stderr.isatty():
        yield _say, None
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

        def tell(step: Headway) -> None:
            minutes = f"{step.seconds / 60:.0f} min left" if step.seconds > 60 else ""
            bar.update(
                task,
                completed=step.done,
                total=step.known,
                rest=minutes,
                description=short(step.url, 60),
            )

        yield (lambda text: bar.console.print(f"sansho: {text}", markup=False)), tell


def _say(text: str) -> None:
    click.echo(f"sansho: {text}", err=True)


@contextmanager
def build_progress() -> Iterator[Callable[[str], None] | None]:
    """A progress line on standard error while a build runs, if a person is looking."""
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

        def tell(place: str) -> None:
            bar.update(task, advance=1, description=short(place, 60))

        yield tell
