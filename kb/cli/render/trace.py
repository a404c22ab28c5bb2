"""Prints one rule in all editions, for `sansho trace`."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, print_notices

if TYPE_CHECKING:
    from kb import Trace


def print_trace(result: Trace, notice: str) -> None:
    """Print a rule's number in each edition, and its text where that is new or changed.

    The oldest entry is called `first here`, the others by their kind. An entry of the kind `same`
    or `moved` is printed without text, and so is one that has none.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    click.echo(dim(f"{result.game} · {result.lang}"))
    for index, entry in enumerate(result.history):
        kind = "first here" if not index else entry.kind
        click.echo(f"{bold(entry.edition)}  {entry.number}  {dim(kind)}")
        if entry.text is not None and entry.kind not in {"same", "moved"}:
            click.echo(indent(entry.text, "    "))
    print_notices({notice} if notice else set())
