"""Prints answers with their citations, for `sansho ask`."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, name_of, origin_of, print_notices

if TYPE_CHECKING:
    from kb import Answers


def print_answers(result: Answers) -> None:
    """Print the passages that answer a question, each with the rules that it cites and the reasons
    why it was chosen; without any, a message on standard error."""
    if not result.answers:
        click.echo("The pages do not say.", err=True)
    for answer in result.answers:
        if answer.rank > 1:
            click.echo()
        click.echo(f"{answer.rank}. {bold(name_of(answer.node))}  {dim(origin_of(answer.node))}")
        click.echo(indent(answer.passage.text or "", "   "))
        if cited := dict.fromkeys(edge.target_label for edge in answer.citations):
            click.echo(f"   cites {', '.join(cited)}")
        click.echo(dim(f"   {'; '.join(answer.why)}"))
        click.echo(dim(f"   {answer.passage.id}"))
    print_notices({answer.node.notice for answer in result.answers if answer.node.notice})
