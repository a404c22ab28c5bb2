"""Prints a concordance (KWIC), for `sansho kwic`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.search import print_no_passage
from kb.cli.render.text_output import bold, console, dim, name_of, print_notices

if TYPE_CHECKING:
    from kb import Concordance

# Widths are in terminal cells; a Japanese letter takes two.
_PLACE_WIDTH = 22  # the place at the end of a line
_RESERVED_WIDTH = 34  # the keyword, the place and the gaps
_MIN_CONTEXT_WIDTH = 10


def print_lines(result: Concordance, words: str, narrowed: bool, width: int) -> None:
    """Print a line per occurrence, with the words one below the other; if there is none, a message
    on standard error.

    words: the words that were looked for, as the person typed them.
    narrowed: whether there were filters.
    width: how many characters of context were asked for on each side; less is shown if the
        terminal is narrower.
    """
    if not result.lines:
        print_no_passage(words, narrowed)
        return
    from rich.cells import cell_len, set_cell_size

    available = (console().width - _RESERVED_WIDTH) // 2
    side = max(_MIN_CONTEXT_WIDTH, min(2 * width, available))
    for line in result.lines:
        left = line.left
        while cell_len(left) > side:
            left = left[1:]
        right = set_cell_size(line.right, side)
        gap = " " * (side - cell_len(left))
        place = dim(set_cell_size(name_of(line.node), _PLACE_WIDTH).rstrip())
        click.echo(f"{gap}{left} {bold(line.key)} {right} {place}")
    print_notices({line.node.notice for line in result.lines if line.node.notice})
