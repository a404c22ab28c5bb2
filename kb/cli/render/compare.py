"""Prints one concept in several games, for `sansho compare`."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, print_notices

if TYPE_CHECKING:
    from kb import Comparison


def print_comparison(result: Comparison) -> None:
    """Print a block per term: its names, its definition, and why it is the same concept as the term
    that was asked about (for a term of another game)."""
    for index, row in enumerate(result.rows):
        if index:
            click.echo()
        names = [name for name in (row.ja, row.reading, row.en) if name]
        click.echo(f"{bold(' / '.join(dict.fromkeys(names)))}  {dim(row.game or '')}")
        if row.definition:
            click.echo(indent(row.definition, "  "))
        if row.relation:
            click.echo(f"  {row.relation}: {row.basis}")
        click.echo(
            dim(f"  {row.term.id}" + (f" by {row.evidence.passage}" if row.evidence else ""))
        )
    print_notices({row.term.notice for row in result.rows if row.term.notice})
