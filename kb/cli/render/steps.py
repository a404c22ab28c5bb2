"""Prints procedures, for `sansho steps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import (
    bold,
    dim,
    print_notices,
    short,
)

if TYPE_CHECKING:
    from kb import Procedures


def print_procedures(result: Procedures, ref: str) -> None:
    """What is done in an order."""
    if not result.procedures:
        click.echo(f"No procedure belongs to {ref}.", err=True)
    for found in result.procedures:
        click.echo(f"{bold(short(found.node.label or ''))}  {dim(found.evidence.passage)}")
        for step in found.steps:
            click.echo(f"  {step.n}. {' '.join(step.text.split())}")
    print_notices({found.node.notice for found in result.procedures if found.node.notice})
