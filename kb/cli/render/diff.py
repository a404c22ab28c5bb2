"""Prints what changed between two editions, for `sansho diff`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, print_notices, short

if TYPE_CHECKING:
    from kb import Diff, RuleChange


def print_diff(result: Diff, notice: str) -> None:
    """Print each rule that changed, with the old and the new text, and how many rules changed and
    are the same.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    click.echo(bold(f"{result.before} → {result.after}") + dim(f"  {result.game} · {result.lang}"))
    for change in result.changes:
        _print_change(change)
    counts = Counter(change.kind for change in result.changes)
    summary = [f"{number} {kind}" for kind, number in sorted(counts.items())]
    click.echo(bold(", ".join([*summary, f"{result.same} same"])))
    print_notices({notice} if notice else set())


def _print_change(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and its texts with the differences marked.

    The old text follows `-`, the new one `+`; an added or removed rule has only one of them. Of a
    rule that only moved, the beginning of its text is printed. Two texts without a difference to
    mark are followed by a remark that only the width of letters differs.
    """
    before, after = change.before, change.after
    numbers = list(dict.fromkeys(rule.number for rule in (before, after) if rule))
    click.echo(f"{bold(' → '.join(numbers))}  {dim(change.kind)}")
    if change.kind == "moved" and after:
        click.echo(f"    {short(after.text)}")
        return
    # A span of a change is (start before, end before, start after, end after).
    for rule, sign, colour, first in ((before, "- ", "red", 0), (after, "+ ", "green", 2)):
        if rule:
            marked = _mark(rule.text, [span[first : first + 2] for span in change.spans], colour)
            click.echo(f"  {click.style(sign, fg=colour)}{marked}")
    if before and after and not change.spans:
        click.echo(dim("    (only the width of letters)"))


def _mark(text: str, spans: Iterable[tuple[int, ...]], colour: str) -> str:
    """Return a text on one line with some spans in brackets and in colour; the brackets show the
    spans where there is no colour.

    spans: (start, end) in the text, in order; empty ones are not marked.
    """
    marked, position = "", 0
    for start, end in spans:
        if start < end:
            difference = click.style(f"[{text[start:end]}]", bold=True, fg=colour)
            marked += text[position:start] + difference
            position = end
    return " ".join((marked + text[position:]).split())
