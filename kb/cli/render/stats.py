"""Prints what `sansho stats` counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.common import console, new_table, plain, print_notices

if TYPE_CHECKING:
    from kb import Stats


def print_stats(result: Stats, notice: str) -> None:
    """How much there is."""
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
        for place, (what, number) in enumerate(group.items()):
            table.add_row(title if not place else "", plain(what), f"{number:,}")
    table.add_row("dangling", "edges", f"{result.dangling:,}")
    console().print(table)
    print_notices({notice} if notice else set())
