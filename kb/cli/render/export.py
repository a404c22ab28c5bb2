"""Prints the result of an export, for `sansho export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import bold, counted, dim, echo

if TYPE_CHECKING:
    from kb import ExportReport


def print_export(result: ExportReport) -> None:
    """Print the file that was written and how many nodes and edges are in it."""
    echo(
        bold(result.out),
        f"  {counted(result.nodes, 'node')}, {counted(result.edges, 'edge')}",
        dim(f" in {result.format}"),
    )
