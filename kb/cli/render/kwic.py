"""Prints a concordance (KWIC), for `sansho kwic`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width, shortened, shortened_start
from kb.cli.render.output import (
    counted,
    dim,
    echo,
    end_of_result,
    marked,
    printable,
    text_width,
)
from kb.cli.render.search import print_no_passage

if TYPE_CHECKING:
    from kb import Concordance, ConcordanceLine

# Widths are in columns of the terminal; a Japanese letter takes two.
_MAX_PLACE = 24  # the place at the end of a line
_MAX_KEY = 24
_MIN_CONTEXT = 8
_MOST_COUNTED = 50_000  # passages; a concordance counts no further


def print_lines(result: Concordance, words: str, narrowed: bool) -> None:
    """Print a line per occurrence, with the words one below the other; if there is none, a message
    on standard error.

    words: the words that were looked for, as the person typed them; empty if the filters say it.
    narrowed: whether there were filters.
    """
    if not result.lines:
        print_no_passage(words, narrowed)
        return
    editions = {line.place.edition for line in result.lines if line.place.edition}
    places = [printable(_place(line, len(editions) > 1)) for line in result.lines]
    place_width = min(_MAX_PLACE, text_width() // 4, max(map(cell_width, places)))
    for line, place in zip(result.lines, places, strict=True):
        _print_line(line, shortened(place, place_width), place_width)
    if (count := max(map(_editions, result.lines))) > 1:
        echo()
        echo(
            dim(f"×{count}: same words in {count} editions; --each-edition prints a line for each")
        )
    end_of_result(
        sums=_sum(result),
        cut=result.more and f"{result.more} shows more",
        notices=(line.node.notice for line in result.lines),
    )


def _print_line(line: ConcordanceLine, place: str, place_width: int) -> None:
    """Print the context to the left, the words, the context to the right, and the place.

    The context on each side has half of the room: the words begin in the same column on each line.
    """
    room = text_width() - place_width - 2
    side = max(_MIN_CONTEXT, room // 2 - 4)
    left = shortened_start(printable(line.left), side)
    key = shortened(printable(line.key), _MAX_KEY)
    gap = side - cell_width(left)
    right_room = max(_MIN_CONTEXT, room - side - 2 - cell_width(key))
    right = shortened(printable(line.right), right_room)
    padding = right_room - cell_width(right) + 2
    before = [left, " "] if left else []
    indent = gap if left else gap + 1
    echo(*before, marked(key), " ", right, " " * padding, dim(place), indent=indent, hang=0)


def _place(line: ConcordanceLine, several_editions: bool) -> str:
    """Return the place of a line in a few words, and how many editions have it, if several do.

    several_editions: whether to tell the editions of lines apart.
    """
    place = line.place
    name = place.number or (place.section if place.edition else place.page)
    if place.edition and several_editions:
        name = f"{name} {place.edition}"
    count = _editions(line)
    return f"{name} ×{count}" if count > 1 else name


def _editions(line: ConcordanceLine) -> int:
    """Return how many editions have the words of a line; 1 for a page without an edition."""
    return len({line.place.edition, *(other.edition for other in line.same)})


def _sum(result: Concordance) -> str:
    """Return how many lines there are here, and in how many passages."""
    lines = counted(len(result.lines), "line")
    passages = counted(result.total, "passage")
    if result.total >= _MOST_COUNTED:
        passages = f"more than {passages}"
    if result.more:
        return f"the first {lines}; {passages} have such lines"
    return f"{lines} in {passages}"
