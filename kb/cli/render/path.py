"""Prints the paths between two nodes, for `sansho path`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, counted, dim, name_of, origin_of, print_notices, short

if TYPE_CHECKING:
    from kb import Edge, Node, Paths

_MAX_WORDS = 60  # characters of an edge's evidence


def print_paths(result: Paths, start: str, end: str) -> None:
    """Print each path as its nodes with the edges between them, the cheapest path first; if there
    is none, a message on standard error.

    start, end: the references that were given, as the person typed them.
    """
    if not result.paths:
        click.echo(f"No path from {start} to {end}.", err=True)
    from kb import Node

    notices: set[str] = set()
    for rank, (path, cost) in enumerate(zip(result.paths, result.costs, strict=True), 1):
        click.echo(bold(f"{rank}. {counted(len(path) // 2, 'step')}") + dim(f", cost {cost}"))
        last_node: Node | None = None
        for step in path:
            if isinstance(step, Node):
                click.echo(f"  {name_of(step)}  {dim(origin_of(step))}")
                last_node = step
                notices |= {step.notice} if step.notice else set()
            else:
                _print_edge(step, last_node)
    print_notices(notices)


def _print_edge(edge: Edge, last_node: Node | None) -> None:
    """Print an edge with its evidence, and an arrow that points to its target.

    last_node: the node above the edge, which may be its source or its target.
    """
    forward = last_node is not None and edge.source == last_node.id
    arrow = f"──{edge.kind}──▶" if forward else f"◀──{edge.kind}──"
    words = f"「{short(edge.evidence.text, _MAX_WORDS)}」"
    click.echo(f"    {arrow} {words}  {dim(edge.evidence.passage)}")
