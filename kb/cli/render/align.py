"""Prints the rules of two languages side by side, for `sansho align`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, cell, console, counted, new_table, print_notices

if TYPE_CHECKING:
    from kb import Alignment, Problem

_MAX_NUMBERS = 20  # of missing rules that are listed


def print_alignment(result: Alignment, notice: str) -> None:
    """Print a table of rules in two languages, then where the languages differ.

    The table has a row with game and edition above the rules of each. Rules that only one language
    has are listed by their numbers, at most 20 for an edition and language; each other problem has
    a line of its own before them.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    table = new_table("rule", *result.langs)
    heading = ""
    for pair in result.pairs:
        if f"{pair.game} {pair.edition}" != heading:
            heading = f"{pair.game} {pair.edition}"
            table.add_row(cell(heading))
        table.add_row(pair.number, *(cell(pair.texts[lang]) for lang in result.langs))
    if result.pairs:
        console().print(table)
    missing, others = _group_problems(result.problems)
    for problem in others:
        click.echo(f"! {problem.edition} {problem.number}: {problem.what}")
    for (edition, lang), numbers in missing.items():
        left_out = len(numbers) - _MAX_NUMBERS
        more = f" and {left_out} more" if left_out > 0 else ""
        click.echo(
            f"! {edition}: {len(numbers)} rules in {lang} alone: "
            f"{', '.join(numbers[:_MAX_NUMBERS])}{more}"
        )
    click.echo(
        bold(f"{counted(len(result.pairs), 'pair')}, {counted(len(result.problems), 'problem')}")
    )
    print_notices({notice} if notice else set())


def _group_problems(
    problems: Iterable[Problem],
) -> tuple[dict[tuple[str, str], list[str]], list[Problem]]:
    """Return the rules that one language lacks as {(edition, the language that has them): numbers},
    and a list of the other problems. Both are in the order of `problems`."""
    missing: dict[tuple[str, str], list[str]] = {}
    others = []
    for problem in problems:
        if problem.kind == "missing":
            missing.setdefault((problem.edition, "".join(problem.only)), []).append(problem.number)
        else:
            others.append(problem)
    return missing, others
