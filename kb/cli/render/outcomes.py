"""Prints conditions and results as a table, for `sansho outcomes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import cell, console, new_table, print_notices, short

if TYPE_CHECKING:
    from kb import Outcomes

_MAX_EXCEPTION = 30  # characters of the statement that an outcome is an exception to


def print_outcomes(result: Outcomes, ref: str) -> None:
    """Print a numbered table of outcomes by page; a subject is not repeated on the next row. If
    there is none, print a message on standard error.

    An exception names the row of the statement that it is an exception to; if that is not in the
    table, the beginning of its words, or its id.

    ref: what the outcomes were asked for, as the person typed it.
    """
    if not result.outcomes:
        click.echo(f"No outcome is stated for {ref}.", err=True)
        return
    table = new_table("", "subject", "condition", "result", "modality")
    row_numbers = {outcome.node.id: n for n, outcome in enumerate(result.outcomes, 1)}
    last_subject, page = "", ""
    for number, outcome in enumerate(result.outcomes, 1):
        if outcome.evidence.page != page:
            page = outcome.evidence.page
            table.add_row("", cell(page), style="dim")
            last_subject = ""
        subject = outcome.subject if outcome.subject != last_subject else ""
        last_subject = outcome.subject
        modality = outcome.modality
        if outcome.exception_to:
            row = row_numbers.get(outcome.exception_to)
            statement = row if row else f"「{short(outcome.exception_to, _MAX_EXCEPTION)}」"
            modality += f", exception to {statement}"
        table.add_row(
            str(number), *map(cell, (subject, outcome.condition, outcome.result, modality))
        )
    console().print(table)
    print_notices({outcome.node.notice for outcome in result.outcomes if outcome.node.notice})
