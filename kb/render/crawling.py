"""A crawl, while it runs and when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kb.render.pieces import bold, many, short

if TYPE_CHECKING:
    from kb import Crawled, Headway

Say = Callable[[str], None]


@contextmanager
def watched() -> Iterator[tuple[Say, Callable[[Headway], None] | None]]:
    """What tells a person of a crawl under way, on standard error; with a bar if one looks."""
    if not sys.stderr.isatty():
        yield _say, None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rest]}"),
               TextColumn("{task.description}", markup=False))  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, rest="")

        def tell(step: Headway) -> None:
            minutes = f"{step.seconds / 60:.0f} min left" if step.seconds > 60 else ""
            bar.update(task, completed=step.done, total=step.known, rest=minutes,
                       description=short(step.url, 60))  # fmt: skip

        yield (lambda text: bar.console.print(f"sansho: {text}", markup=False)), tell


def _say(text: str) -> None:
    click.echo(f"sansho: {text}", err=True)


def crawled(result: Crawled, into: str) -> None:
    """What a crawl gave."""
    click.echo(f"{bold(into)}: {many(result.fetched, 'page')} fetched, "
               f"{result.unchanged} unchanged")  # fmt: skip
    for reason, number in result.skipped.items():
        click.echo(f"  {number:>5}  skipped: {reason}")
    for one in result.failed[:12]:
        click.echo(click.style(f"  ! {one.url}: {one.what}", fg="yellow"), err=True)
    if len(result.failed) > 12:
        click.echo(f"  ! {len(result.failed) - 12} more; --json lists them", err=True)
    if result.left:
        click.echo(f"  {many(result.left, 'page')} known and not asked for yet: "
                   "the same command (with a higher --max) goes on")  # fmt: skip
