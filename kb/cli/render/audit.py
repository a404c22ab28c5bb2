"""Prints where every character went, for `sansho audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import console, new_table, plain

if TYPE_CHECKING:
    from kb import Audit


def print_audit(result: Audit) -> None:
    """Where every character went."""
    table = new_table("characters", "how many")
    table.columns[1].justify = "right"
    table.add_row("kept in passages", f"{result.kept:,}")
    for reason, number in result.left_out.items():
        table.add_row(plain(f"left out: {reason}"), f"{number:,}")
    table.add_row("lost", f"{result.lost:,}")
    table.add_row("in all", f"{result.chars:,}")
    console().print(table)
    reasons: dict[str, int] = {}
    for edge in result.dangling:
        key = f"{edge.kind} → {edge.target_label}"
        reasons[key] = reasons.get(key, 0) + 1
    click.echo(f"{len(result.dangling)} edges dangle, to {len(reasons)} targets:")
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    for key, number in ranked[:20]:
        click.echo(f"  {number:>4}  {key}")
    if len(ranked) > 20:
        click.echo(f"        and {len(ranked) - 20} more (--json lists every one with its reason)")
    for warn in result.warnings:
        click.echo(click.style(f"! {warn.where}: {warn.what}", fg="yellow"))
