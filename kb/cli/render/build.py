"""Prints what a build gave and changed, for `sansho build`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, plain

if TYPE_CHECKING:
    from kb import Changed, Report

_SIGNS = {"added": "+", "removed": "−", "changed": "~"}
_NAMED = 12


def print_build(report: Report) -> None:
    """What a build gave."""
    nodes = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for kind, n in report.nodes.items())
    edges = ", ".join(f"{n} {kind}" for kind, n in report.edges.items())
    read = "" if report.changes is None else f" ({report.read} read, the others are as before)"
    click.echo(f"{bold(report.kb)}: {report.pages} pages in {report.seconds} s{read}")
    click.echo(f"  nodes  {nodes}")
    click.echo(f"  edges  {edges}; {report.dangling} dangling")
    if report.changes is not None:
        _changed(report.changes)
    for warn in report.warnings[:12]:
        click.echo(click.style(f"  ! {warn.where}: {warn.what}", fg="yellow"), err=True)
    if len(report.warnings) > 12:
        more = len(report.warnings) - 12
        click.echo(f"  ! {more} more; `sansho audit` lists them", err=True)


def _changed(changes: Changed) -> None:
    """What a build changed in the graph."""
    if not changes:
        click.echo("  changed  nothing")
    for lead, kinds in (("nodes", changes.nodes), ("edges", changes.edges)):
        said = (
            f"{kind} {' '.join(_SIGNS[what] + str(n) for what, n in sorted(how.items()))}"
            for kind, how in kinds.items()
        )
        if kinds:
            click.echo(f"  changed  {lead}: {', '.join(said)}")
    for what, kind, node in changes.named[:_NAMED]:
        click.echo(f"    {_SIGNS[what]} {kind} {plain(node)}")
    if len(changes.named) > _NAMED:
        click.echo(f"      and {len(changes.named) - _NAMED} more (--json lists the first hundred)")
