"""Prints one rule in all editions, for `sansho trace`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, print_notices
from kb.cli.render.wrapped_text import wrapped

if TYPE_CHECKING:
    from kb import RuleChange, Trace, TraceEntry

_INDENT = "    "
_MOST_NAMED = 12  # sub-rules that are named; of more, the rest is counted
_WITHOUT_TEXT = frozenset(("same", "moved", "renumbered", "moved+renumbered"))


def print_trace(result: Trace, notice: str) -> None:
    """Print a rule's number in each edition, its text where that is new or changed, and which of
    its sub-rules changed.

    The oldest entry is called `first here`, the others by their kind. An entry whose text is the
    same as before, or that has none, is printed without it.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    click.echo(dim(f"{result.game} · {result.lang}"))
    for index, entry in enumerate(result.history):
        kind = _own_change(entry) if index else "first here"
        click.echo(f"{bold(entry.edition)}  {entry.number}  {dim(kind)}")
        if entry.text is not None and kind not in _WITHOUT_TEXT and kind != "text same":
            click.echo(wrapped(entry.text, _INDENT))
        if entry.sub_rules:
            click.echo(wrapped(_sub_rules(entry.sub_rules), _INDENT))
    print_notices({notice} if notice else set())


def _own_change(entry: TraceEntry) -> str:
    """Return what happened to the rule itself; `text same` if only its sub-rules changed."""
    kinds = [kind for kind in entry.kind.split("+") if kind != "sub-rules"]
    return "+".join(kinds) or "text same"


def _sub_rules(changes: tuple[RuleChange, ...]) -> str:
    """Return what happened to sub-rules, in one line: each that was added, removed or changed by
    its number, and how many only moved or were renumbered."""
    named = [
        f"{rule.number} {change.kind}"
        for change in changes
        if (rule := change.after or change.before) and change.kind not in _WITHOUT_TEXT
    ]
    counts = Counter(change.kind for change in changes if change.kind in _WITHOUT_TEXT)
    more = len(named) - _MOST_NAMED
    parts = named[:_MOST_NAMED] + [f"{more} more"] * (more > 0)
    return ", ".join([*parts, *(f"{number} {kind}" for kind, number in counts.items())])
