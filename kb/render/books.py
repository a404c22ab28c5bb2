"""Rulebooks: editions, a rule through them, two languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.render.pieces import bold, console, dim, many, new_table, plain, short, tell_notices

if TYPE_CHECKING:
    from kb import Alignment, Change, Diff, Problem, Trace


def differences(result: Diff, notice: str) -> None:
    """What changed between two editions."""
    click.echo(bold(f"{result.before} → {result.after}") + dim(f"  {result.game} · {result.lang}"))
    for change in result.changes:
        _changed(change)
    counts = Counter(change.kind for change in result.changes)
    said = [f"{number} {kind}" for kind, number in sorted(counts.items())]
    click.echo(bold(", ".join([*said, f"{result.same} same"])))
    tell_notices({notice} if notice else set())


def _changed(change: Change) -> None:
    """A rule: its numbers, what became of it, and its text with what differs marked."""
    before, after = change.before, change.after
    numbers = list(dict.fromkeys(side.number for side in (before, after) if side))
    click.echo(f"{bold(' → '.join(numbers))}  {dim(change.kind)}")
    if change.kind == "moved" and after:
        click.echo(f"    {short(after.text)}")
        return
    sides = ((before, "- ", "red", 0), (after, "+ ", "green", 2))
    for side, sign, colour, at in sides:
        if side:
            marked = _marked(side.text, [span[at : at + 2] for span in change.spans], colour)
            click.echo(f"  {click.style(sign, fg=colour)}{marked}")
    if before and after and not change.spans:
        click.echo(dim("    (only the width of letters)"))


def _marked(text: str, spans: Iterable[tuple[int, ...]], colour: str) -> str:
    """A text with what differs in colour; brackets serve where there is none."""
    shown, at = "", 0
    for start, end in spans:
        if start < end:
            shown += text[at:start] + click.style(f"[{text[start:end]}]", bold=True, fg=colour)
            at = end
    return " ".join((shown + text[at:]).split())


def history(result: Trace, notice: str) -> None:
    """One rule through the editions."""
    click.echo(dim(f"{result.game} · {result.lang}"))
    for place, one in enumerate(result.history):
        kind = "first here" if not place else one.kind
        click.echo(f"{bold(one.edition)}  {one.number}  {dim(kind)}")
        if one.text is not None and one.kind not in {"same", "moved"}:
            click.echo(indent(one.text, "    "))
    tell_notices({notice} if notice else set())


def aligned(result: Alignment, notice: str) -> None:
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
        click.echo(f"! {edition}: {len(numbers)} rules in {lang} alone: "
                   f"{', '.join(numbers[:20])}{more}")  # fmt: skip
    click.echo(bold(f"{many(len(result.pairs), 'pair')}, {many(len(result.problems), 'problem')}"))
    tell_notices({notice} if notice else set())


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
