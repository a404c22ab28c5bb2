"""Prints two languages side by side, for `sansho align`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, console, counted, new_table, plain, print_notices

if TYPE_CHECKING:
    from kb import Alignment, Problem


def print_alignment(result: Alignment, notice: str) -> None:
    """Two languages side by side, then what does not agree."""
    table = new_table("rule", *result.langs)
    edition = ""
    for pair in result.pairs:
        if f"{pair.game} {pair.edition}" != edition:
            edition = f"{pair.game} {pair.edition}"
            table.add_row(plain(edition))
        table.add_row(pair.number, *(plain(pair.texts[lang]) for lang in result.langs))
    if result.pairs:
        console().print(table)
    missing, other = _by_kind(result.problems)
    for problem in other:
        click.echo(f"! {problem.edition} {problem.number}: {problem.what}")
    for (edition, lang), numbers in missing.items():
        more = f" and {len(numbers) - 20} more" if len(numbers) > 20 else ""
        click.echo(
            f"! {edition}: {len(numbers)} rules in {lang} alone: {', '.join(numbers[:20])}{more}"
        )
    click.echo(
        bold(f"{counted(len(result.pairs), 'pair')}, {counted(len(result.problems), 'problem')}")
    )
    print_notices({notice} if notice else set())


def _by_kind(
    problems: Iterable[Problem],
) -> tuple[dict[tuple[str, str], list[str]], list[Problem]]:
    """The missing rules together, by edition and the language that has them; other problems."""
    missing: dict[tuple[str, str], list[str]] = {}
    other = []
    for problem in problems:
        if problem.kind == "missing":
            missing.setdefault((problem.edition, "".join(problem.only)), []).append(problem.number)
        else:
            other.append(problem)
    return missing, other
