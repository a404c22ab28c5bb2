"""Prints one rule through the editions, for `sansho trace`."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, dim, print_notices

if TYPE_CHECKING:
    from kb import Trace


def print_trace(result: Trace, notice: str) -> None:
    """One rule through the editions."""
    click.echo(dim(f"{result.game} · {result.lang}"))
    for place, one in enumerate(result.history):
        kind = "first here" if not place else one.kind
        click.echo(f"{bold(one.edition)}  {one.number}  {dim(kind)}")
        if one.text is not None and one.kind not in {"same", "moved"}:
            click.echo(indent(one.text, "    "))
    print_notices({notice} if notice else set())
