"""Prints the size of a picture, for `sansho draw`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import counted

if TYPE_CHECKING:
    from kb import Picture


def print_picture(result: Picture, out: str) -> None:
    """Print how many nodes and edges a picture shows, and how many nodes it leaves out.

    out: the file that the picture was saved in; it is only named, not written.
    """
    more = f"; {counted(result.left_out, 'more node')} left out" if result.left_out else ""
    click.echo(f"{out}: {counted(result.nodes, 'node')}, {counted(result.edges, 'edge')}{more}")
