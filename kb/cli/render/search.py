"""Prints the passages that a search found, for `sansho search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, dim, name_of, place_of, print_notices

if TYPE_CHECKING:
    from kb import Hits, Node


def print_hits(result: Hits, words: str, narrowed: bool) -> None:
    """The passages that a search found."""
    if not result.hits:
        print_no_passage(words, narrowed)
    for hit in result.hits:
        print_hit(hit.node, hit.snippet, hit.spans)
    print_notices({hit.node.notice for hit in result.hits if hit.node.notice})


def print_no_passage(words: str, narrowed: bool) -> None:
    click.echo(f"No {'such ' * narrowed}passage has {words}.", err=True)


def print_hit(node: Node, snippet: str, spans: tuple[tuple[int, int], ...]) -> None:
    shown, at = "", 0
    for start, end in spans:
        shown += snippet[at:start] + click.style(snippet[start:end], bold=True, fg="green")
        at = end
    name = name_of(node) if node.kind == "rule" else node.id
    where = place_of(node) if node.kind == "rule" else node.source or ""
    click.echo(f"{bold(name)}  {dim(where)}")
    click.echo("  " + (shown + snippet[at:]).replace("\n", " "))
