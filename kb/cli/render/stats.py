"""Prints the numbers of nodes and edges, for `sansho stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.text_output import cell, console, new_table, print_notices

if TYPE_CHECKING:
    from kb import Stats


def print_stats(result: Stats, notice: str) -> None:
    """Print a table of the numbers of nodes and edges, by kind, source, game and edition.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    groups = (
        ("nodes", result.kinds),
        ("edges", result.edges),
        ("sources", result.sources),
        ("games", result.games),
        ("editions", result.editions),
    )
    table = new_table("", "what", "how many")
    table.columns[2].justify = "right"
    for title, group in groups:
        for index, (name, number) in enumerate(group.items()):
            table.add_row(title if not index else "", cell(name), f"{number:,}")
    table.add_row("dangling", "edges", f"{result.dangling:,}")
    console().print(table)
    print_notices({notice} if notice else set())
