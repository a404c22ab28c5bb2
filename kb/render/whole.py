"""The knowledge base as a whole: built, counted, audited, written out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kb.render.pieces import bold, console, new_table, plain, short, tell_notices

if TYPE_CHECKING:
    from kb import Audit, Changed, Exported, Report, Stats

_SIGNS = {"added": "+", "removed": "−", "changed": "~"}
_NAMED = 12


@contextmanager
def progress() -> Iterator[Callable[[str], None] | None]:
    """A progress line on standard error while a build runs, if a person is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:.0f} files"), TimeElapsedColumn(),
               TextColumn("{task.description}"))  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(place: str) -> None:
            bar.update(task, advance=1, description=short(place, 60))

        yield tell


def built(report: Report) -> None:
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
        said = (f"{kind} {' '.join(_SIGNS[what] + str(n) for what, n in sorted(how.items()))}"
                for kind, how in kinds.items())  # fmt: skip
        if kinds:
            click.echo(f"  changed  {lead}: {', '.join(said)}")
    for what, kind, node in changes.named[:_NAMED]:
        click.echo(f"    {_SIGNS[what]} {kind} {plain(node)}")
    if len(changes.named) > _NAMED:
        click.echo(f"      and {len(changes.named) - _NAMED} more (--json lists the first hundred)")


def counts(result: Stats, notice: str) -> None:
    """How much there is."""
    groups = (("nodes", result.kinds), ("edges", result.edges), ("sources", result.sources),
              ("games", result.games), ("editions", result.editions))  # fmt: skip
    table = new_table("", "what", "how many")
    table.columns[2].justify = "right"
    for title, group in groups:
        for place, (what, number) in enumerate(group.items()):
            table.add_row(title if not place else "", plain(what), f"{number:,}")
    table.add_row("dangling", "edges", f"{result.dangling:,}")
    console().print(table)
    tell_notices({notice} if notice else set())


def audited(result: Audit) -> None:
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


def exported(result: Exported) -> None:
    """What an export wrote."""
    click.echo(f"{result.out}: {result.nodes} nodes, {result.edges} edges ({result.format})")
