"""Prints the result of an export, for `sansho export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kb import ExportReport


def print_export(result: ExportReport) -> None:
    """Print the file that was written and how many nodes and edges are in it."""
    click.echo(f"{result.out}: {result.nodes} nodes, {result.edges} edges ({result.format})")
