"""Prints a concordance, for `sansho kwic`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.common import bold, console, dim, name_of, print_notices
from kb.cli.render.search import print_no_passage

if TYPE_CHECKING:
    from kb import Concordance

_PLACE_WIDTH = 22  # terminal cells for the place at the end of a line
_OTHER_WIDTH = 34  # cells for the keyword, the place and the gaps


def print_lines(result: Concordance, words: str, narrowed: bool, width: int) -> None:
    """A line a place, the words one below the other."""
    if not result.lines:
        print_no_passage(words, narrowed)
        return
    from rich.cells import cell_len, set_cell_size

    # Japanese letters take two cells of a terminal: the keys stand below each other by cells.
    side = max(10, min(2 * width, (console().width - _OTHER_WIDTH) // 2))
    for line in result.lines:
        left = line.left
        while cell_len(left) > side:
            left = left[1:]
        right = set_cell_size(line.right, side)
        gap = " " * (side - cell_len(left))
        place = dim(set_cell_size(name_of(line.node), _PLACE_WIDTH).rstrip())
        click.echo(f"{gap}{left} {bold(line.key)} {right} {place}")
    print_notices({line.node.notice for line in result.lines if line.node.notice})
