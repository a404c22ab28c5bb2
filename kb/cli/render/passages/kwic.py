"""Prints a concordance (KWIC), for `sansho kwic`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width, shortened, shortened_start
from kb.cli.render.output import (
    counted,
    dim,
    echo,
    end_of_result,
    marked,
    printable,
    some_of,
    text_width,
)
from kb.cli.render.passages.search import print_no_passage

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
        print_no_passage(result, words, narrowed)
        return
    named = _distinguished(result.lines)
    places = [printable(_place(line, named)) for line in result.lines]
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
        cut=result.more,
        left_out=result.also,
        notices=(line.node.notice for line in result.lines),
    )


def _print_line(line: ConcordanceLine, place: str, place_width: int) -> None:
    """Print the context to the left, the words, the context to the right, and the place.

    The context on each side has half of the room: the words begin in the same column on each line.
    """
    room = text_width() - place_width - 2
    side = max(_MIN_CONTEXT, room // 2 - 4)
    left = ("…" if line.cut[0] else "") + printable(line.left).lstrip()
    left = shortened_start(left.rstrip(), side)
    key = shortened(printable(line.key), _MAX_KEY)
    gap = side - cell_width(left)
    right_room = max(_MIN_CONTEXT, room - side - 2 - cell_width(key))
    right = printable(line.right).strip() + ("…" if line.cut[1] else "")
    right = shortened(right, right_room)
    padding = right_room - cell_width(right) + 2
    before = [left, " "] if left else []
    indent = gap if left else gap + 1
    echo(*before, marked(key), " ", right, " " * padding, dim(place), indent=indent, hang=0)


def _distinguished(lines: Iterable[ConcordanceLine]) -> frozenset[str]:
    """Return in what the places of lines differ: `game`, `lang` and `edition`."""
    values: dict[str, set[str]] = {"game": set(), "lang": set(), "edition": set()}
    for line in lines:
        for name, known in values.items():
            known.add(getattr(line.place, name))
    return frozenset(name for name, known in values.items() if len(known - {""}) > 1)


def _place(line: ConcordanceLine, named: Collection[str]) -> str:
    """Return the place of a line in a few words, and how many editions have it, if several do.

    named: which of `game`, `lang` and `edition` tell the places of lines apart.
    """
    place = line.place
    name = place.number or (place.section if place.edition else place.page)
    game = place.game if "game" in named else ""
    lang = place.lang if "lang" in named else ""
    edition = place.edition if "edition" in named else ""
    count = f"×{_editions(line)}" if _editions(line) > 1 else ""
    return " ".join(filter(None, (game, lang, name, edition, count)))


def _editions(line: ConcordanceLine) -> int:
    """Return how many editions have the words of a line; 1 for a page without an edition."""
    return len({line.place.edition, *(other.edition for other in line.same)})


def _sum(result: Concordance) -> str:
    """Return how many lines there are here and in all, and in how many passages."""
    shown = len(result.lines)
    number = result.total - result.older
    known = number < _MOST_COUNTED
    passages = counted(number, "passage")
    passages = passages if known else f"more than {passages}"
    editions = f" ({result.total:,} with older editions)" if result.older and known else ""
    if result.more or result.before:
        lines = counted(result.line_total, "line") if result.line_total else "the lines"
        return f"{some_of(result.before, shown)} of {lines} in {passages}{editions}"
    return f"{counted(shown, 'line')} in {passages}{editions}"
