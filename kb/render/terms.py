"""What is stated on terms: one concept in several games, orders, outcomes, lists."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.render.pieces import (
    bold,
    console,
    dim,
    many,
    name_of,
    new_table,
    plain,
    short,
    tell_notices,
)

if TYPE_CHECKING:
    from kb import Comparison, Outcomes, Procedures, Terms


def compared(result: Comparison) -> None:
    """One concept, a game a block: its names, how it is defined, why it is the same."""
    for place, row in enumerate(result.rows):
        if place:
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
    tell_notices({row.term.notice for row in result.rows if row.term.notice})


def procedures(result: Procedures, ref: str) -> None:
    """What is done in an order."""
    if not result.procedures:
        click.echo(f"No procedure belongs to {ref}.", err=True)
    for found in result.procedures:
        click.echo(f"{bold(short(found.node.label or ''))}  {dim(found.evidence.passage)}")
        for step in found.steps:
            click.echo(f"  {step.n}. {' '.join(step.text.split())}")
    tell_notices({found.node.notice for found in result.procedures if found.node.notice})


def stated(result: Outcomes, ref: str) -> None:
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
    tell_notices({found.node.notice for found in result.outcomes if found.node.notice})


def glossary(result: Terms, notice: str) -> None:
    """All terms: name, reading, English."""
    if not result.terms:
        click.echo("No such terms.", err=True)
        return
    table = new_table("game", "term", "reading", "English", "source")
    for term in result.terms:
        english = next((label.text for label in term.labels if label.lang == "en"), "")
        row = (term.game or "", name_of(term), term.reading or "", english, term.source or "")
        table.add_row(*map(plain, row))
    console().print(table)
    click.echo(bold(many(len(result.terms), "term")))
    tell_notices({notice} if notice else set())
