"""Prints the paths between two nodes, for `sansho path`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import (
    bold,
    counted,
    dim,
    name_of,
    place_of,
    print_notices,
    short,
)

if TYPE_CHECKING:
    from kb import Edge, Node, Paths

_AROUND = 24  # characters on each side of words that are shown where they stand


def print_paths(result: Paths, start: str, end: str) -> None:
    """The paths between two nodes."""
    if not result.paths:
        click.echo(f"No path from {start} to {end}.", err=True)
    from kb import Node

    notices: set[str] = set()
    for place, (way, cost) in enumerate(zip(result.paths, result.costs, strict=True), 1):
        click.echo(bold(f"{place}. {counted(len(way) // 2, 'step')}") + dim(f", cost {cost}"))
        before: Node | None = None
        for step in way:
            if isinstance(step, Node):
                click.echo(f"  {name_of(step)}  {dim(place_of(step))}")
                before = step
                notices |= {step.notice} if step.notice else set()
            else:
                _step(step, before)
    print_notices(notices)


def _step(edge: Edge, before: Node | None) -> None:
    forward = before is not None and edge.source == before.id
    arrow = f"──{edge.kind}──▶" if forward else f"◀──{edge.kind}──"
    words = f"「{short(edge.evidence.text, 60)}」"
    click.echo(f"    {arrow} {words}  {dim(edge.evidence.passage)}")
