"""Prints the list of terms, for `sansho terms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import (
    bold,
    cell,
    console,
    counted,
    name_of,
    new_table,
    print_notices,
)

if TYPE_CHECKING:
    from kb import Terms


def print_terms(result: Terms, notice: str) -> None:
    """Print a table of terms with game, reading, source and their first English name, and how many
    there are; if there is none, a message on standard error.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    if not result.terms:
        click.echo("No such terms.", err=True)
        return
    table = new_table("game", "term", "reading", "English", "source")
    for term in result.terms:
        english = next((label.text for label in term.labels if label.lang == "en"), "")
        row = (term.game or "", name_of(term), term.reading or "", english, term.source or "")
        table.add_row(*map(cell, row))
    console().print(table)
    click.echo(bold(counted(len(result.terms), "term")))
    print_notices({notice} if notice else set())
