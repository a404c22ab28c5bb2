"""Prints what a picture shows, for `sansho draw`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import counted

if TYPE_CHECKING:
    from kb import Picture

_AROUND = 24  # characters on each side of words that are shown where they stand


def print_picture(result: Picture, out: str) -> None:
    """What a picture shows, and where it is."""
    more = f"; {counted(result.left_out, 'more node')} left out" if result.left_out else ""
    click.echo(f"{out}: {counted(result.nodes, 'node')}, {counted(result.edges, 'edge')}{more}")
