"""Prints procedures step by step, for `sansho steps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, print_notices, short

if TYPE_CHECKING:
    from kb import Procedures


def print_procedures(result: Procedures, ref: str) -> None:
    """Print procedures, each with its numbered steps; if there is none, a message on standard
    error.

    ref: the reference that they belong to, as the person typed it.
    """
    if not result.procedures:
        click.echo(f"No procedure belongs to {ref}.", err=True)
    for procedure in result.procedures:
        title = bold(short(procedure.node.label or ""))
        click.echo(f"{title}  {dim(procedure.evidence.passage)}")
        for step in procedure.steps:
            click.echo(f"  {step.n}. {' '.join(step.text.split())}")
    notices = {procedure.node.notice for procedure in result.procedures}
    print_notices({notice for notice in notices if notice})
