"""Prints what changed between two editions, for `sansho diff`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, dim, print_notices, short

if TYPE_CHECKING:
    from kb import Diff, RuleChange


def print_diff(result: Diff, notice: str) -> None:
    """What changed between two editions."""
    click.echo(bold(f"{result.before} → {result.after}") + dim(f"  {result.game} · {result.lang}"))
    for change in result.changes:
        _changed(change)
    counts = Counter(change.kind for change in result.changes)
    said = [f"{number} {kind}" for kind, number in sorted(counts.items())]
    click.echo(bold(", ".join([*said, f"{result.same} same"])))
    print_notices({notice} if notice else set())


def _changed(change: RuleChange) -> None:
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
