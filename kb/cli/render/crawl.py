"""Prints the result of a crawl, for `sansho crawl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, counted

if TYPE_CHECKING:
    from kb import CrawlReport

_MAX_FAILURES = 12


def print_crawl(result: CrawlReport, into: str) -> None:
    """Print how many pages were fetched, are unchanged, were skipped (by reason) and are left to
    fetch, and on standard error the first 12 that failed.

    into: the folder or WARC file that the pages are kept in, as it was given.
    """
    click.echo(
        f"{bold(into)}: {counted(result.fetched, 'page')} fetched, {result.unchanged} unchanged"
    )
    for reason, number in result.skipped.items():
        click.echo(f"  {number:>5}  skipped: {reason}")
    for failure in result.failed[:_MAX_FAILURES]:
        click.echo(click.style(f"  ! {failure.url}: {failure.what}", fg="yellow"), err=True)
    if len(result.failed) > _MAX_FAILURES:
        more = len(result.failed) - _MAX_FAILURES
        click.echo(f"  ! {more} more; --json lists them", err=True)
    if result.left:
        click.echo(
            f"  {counted(result.left, 'page')} known and not fetched yet: "
            "the same command (with a higher --max) goes on"
        )
