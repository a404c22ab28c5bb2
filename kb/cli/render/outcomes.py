"""Prints conditions and results, for `sansho outcomes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import (
    console,
    new_table,
    plain,
    print_notices,
    short,
)

if TYPE_CHECKING:
    from kb import Outcomes


def print_outcomes(result: Outcomes, ref: str) -> None:
    """What follows on which condition, as a table; a subject stands once."""
    if not result.outcomes:
        click.echo(f"No outcome is stated of {ref}.", err=True)
        return
    table = new_table("", "subject", "condition", "result", "modality")
    row = {found.node.id: n for n, found in enumerate(result.outcomes, 1)}
    before, page = "", ""
    for n, found in enumerate(result.outcomes, 1):
        if found.evidence.page != page:
            page = found.evidence.page
            table.add_row("", plain(page), style="dim")
            before = ""
        subject = found.subject if found.subject != before else ""
        before = found.subject
        said = found.modality
        if found.exception_to:
            to = row.get(found.exception_to)
            said += f", exception to {to if to else f'「{short(found.exception_to, 30)}」'}"
        table.add_row(str(n), *map(plain, (subject, found.condition, found.result, said)))
    console().print(table)
    print_notices({found.node.notice for found in result.outcomes if found.node.notice})
