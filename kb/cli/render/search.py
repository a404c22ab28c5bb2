"""Prints the passages that a search found, for `sansho search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, name_of, origin_of, print_notices

if TYPE_CHECKING:
    from kb import Hits, Node


def print_hits(result: Hits, words: str, narrowed: bool) -> None:
    """Print the passages that a search found, with the words in them highlighted; if there is none,
    a message on standard error.

    words: the words that were searched for, as the person typed them.
    narrowed: whether there were filters.
    """
    if not result.hits:
        print_no_passage(words, narrowed)
    for hit in result.hits:
        _print_hit(hit.node, hit.snippet, hit.spans)
    print_notices({hit.node.notice for hit in result.hits if hit.node.notice})


def print_no_passage(words: str, narrowed: bool) -> None:
    """Print, on standard error, that no passage has these words.

    narrowed: whether there were filters; then other passages may have them.
    """
    click.echo(f"No {'such ' * narrowed}passage has {words}.", err=True)


def _print_hit(node: Node, snippet: str, spans: tuple[tuple[int, int], ...]) -> None:
    """Print a node's name and a snippet of its text with some spans highlighted.

    A rule has its number, heading and origin above the snippet; any other node its id and source.

    spans: (start, end) in the snippet, in order.
    """
    marked, position = "", 0
    for start, end in spans:
        marked += snippet[position:start] + click.style(snippet[start:end], bold=True, fg="green")
        position = end
    name = name_of(node) if node.kind == "rule" else node.id
    origin = origin_of(node) if node.kind == "rule" else node.source or ""
    click.echo(f"{bold(name)}  {dim(origin)}")
    click.echo("  " + (marked + snippet[position:]).replace("\n", " "))
