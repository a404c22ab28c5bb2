"""Prints answers with their citations, for `sansho ask`."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, dim, name_of, place_of, print_notices

if TYPE_CHECKING:
    from kb import Answers


def print_answers(result: Answers) -> None:
    """The passages that answer a question, each with the rules that it cites, and why."""
    if not result.answers:
        click.echo("The pages do not say.", err=True)
    for one in result.answers:
        if one.rank > 1:
            click.echo()
        click.echo(f"{one.rank}. {bold(name_of(one.node))}  {dim(place_of(one.node))}")
        click.echo(indent(one.passage.text or "", "   "))
        if cited := dict.fromkeys(edge.target_label for edge in one.citations):
            click.echo(f"   cites {', '.join(cited)}")
        click.echo(dim(f"   {'; '.join(one.why)}"))
        click.echo(dim(f"   {one.passage.id}"))
    print_notices({one.node.notice for one in result.answers if one.node.notice})
