"""Prints what was kept, left out, dangling and unreadable, for `sansho audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import cell, console, new_table

if TYPE_CHECKING:
    from kb import Audit

_MAX_TARGETS = 20


def print_audit(result: Audit) -> None:
    """Print a table of characters, the most frequent targets of dangling edges, and all
    warnings."""
    table = new_table("characters", "how many")
    table.columns[1].justify = "right"
    table.add_row("kept in passages", f"{result.kept:,}")
    for reason, number in result.left_out.items():
        table.add_row(cell(f"left out: {reason}"), f"{number:,}")
    table.add_row("lost", f"{result.lost:,}")
    table.add_row("in all", f"{result.chars:,}")
    console().print(table)
    _print_dangling(result)
    for warning in result.warnings:
        click.echo(click.style(f"! {warning.where}: {warning.what}", fg="yellow"))


def _print_dangling(result: Audit) -> None:
    """Print how many dangling edges there are to each target, for the 20 most frequent targets.
    Edges of different kinds to one target are counted apart."""
    targets: dict[str, int] = {}
    for edge in result.dangling:
        target = f"{edge.kind} → {edge.target_label}"
        targets[target] = targets.get(target, 0) + 1
    click.echo(f"{len(result.dangling)} edges dangle, to {len(targets)} targets:")
    ranked = sorted(targets.items(), key=lambda item: (-item[1], item[0]))
    for target, number in ranked[:_MAX_TARGETS]:
        click.echo(f"  {number:>4}  {target}")
    if len(ranked) > _MAX_TARGETS:
        more = len(ranked) - _MAX_TARGETS
        click.echo(f"        and {more} more (--json lists every one with its reason)")
