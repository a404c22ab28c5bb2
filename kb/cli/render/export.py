"""Prints what an export wrote, for `sansho export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kb import Exported


def print_export(result: Exported) -> None:
    """What an export wrote."""
    click.echo(f"{result.out}: {result.nodes} nodes, {result.edges} edges ({result.format})")
