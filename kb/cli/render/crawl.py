"""Prints what a crawl fetched, for `sansho crawl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, counted

if TYPE_CHECKING:
    from kb import Crawled


def print_crawl(result: Crawled, into: str) -> None:
    """What a crawl gave."""
    click.echo(
        f"{bold(into)}: {counted(result.fetched, 'page')} fetched, {result.unchanged} unchanged"
    )
    for reason, number in result.skipped.items():
        click.echo(f"  {number:>5}  skipped: {reason}")
    for one in result.failed[:12]:
        click.echo(click.style(f"  ! {one.url}: {one.what}", fg="yellow"), err=True)
    if len(result.failed) > 12:
        click.echo(f"  ! {len(result.failed) - 12} more; --json lists them", err=True)
    if result.left:
        click.echo(
            f"  {counted(result.left, 'page')} known and not asked for yet: "
            "the same command (with a higher --max) goes on"
        )
