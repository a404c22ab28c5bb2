"""Prints the result of a build and what it changed, for `sansho build`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, cell, counted

if TYPE_CHECKING:
    from kb import BuildReport, GraphChanges

_SIGNS = {"added": "+", "removed": "−", "changed": "~"}
_MAX_NAMED = 12  # changed nodes that are listed
_MAX_WARNINGS = 12


def print_build(report: BuildReport) -> None:
    """Print the number of pages, nodes and edges and, on standard error, the first 12 warnings.

    If the report has `changes` (those of an update), print also how many files were read and what
    changed.
    """
    nodes = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for kind, n in report.nodes.items())
    edges = ", ".join(f"{n} {kind}" for kind, n in report.edges.items())
    read = "" if report.changes is None else f" ({report.read} read, the others are as before)"
    click.echo(f"{bold(report.kb)}: {counted(report.pages, 'page')} in {report.seconds} s{read}")
    click.echo(f"  nodes  {nodes}")
    click.echo(f"  edges  {edges}; {report.dangling} dangling")
    if report.changes is not None:
        _print_changes(report.changes)
    for warning in report.warnings[:_MAX_WARNINGS]:
        click.echo(click.style(f"  ! {warning.where}: {warning.what}", fg="yellow"), err=True)
    if len(report.warnings) > _MAX_WARNINGS:
        more = len(report.warnings) - _MAX_WARNINGS
        click.echo(f"  ! {more} more; `sansho audit` lists them", err=True)


def _print_changes(changes: GraphChanges) -> None:
    """Print how many nodes and edges of each kind were added (`+`), removed (`−`) and changed
    (`~`), and the first 12 of these nodes, with the same signs; `nothing` if nothing changed."""
    if not changes:
        click.echo("  changed  nothing")
    for title, kinds in (("nodes", changes.nodes), ("edges", changes.edges)):
        counts = (
            f"{kind} "
            + " ".join(_SIGNS[change] + str(number) for change, number in sorted(numbers.items()))
            for kind, numbers in kinds.items()
        )
        if kinds:
            click.echo(f"  changed  {title}: {', '.join(counts)}")
    for change, kind, node_id in changes.named[:_MAX_NAMED]:
        # A cell drops control characters, which an id may have.
        click.echo(f"    {_SIGNS[change]} {kind} {cell(node_id)}")
    if len(changes.named) > _MAX_NAMED:
        more = len(changes.named) - _MAX_NAMED
        click.echo(f"      and {more} more (--json lists the first hundred)")
