"""A matrix as a picture: how often the things of a list refer to each other, as shaded cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from graphs.errors import DrawError
from graphs.picture.boxes import MARGIN, NARROW_WIDTH, PADDING, ROW, remark_groups, text_at
from graphs.picture.lettering import TextLine, ellipsized, text_line
from graphs.picture.picture import Picture, left_out_remark
from graphs.picture.scene import Command, Group, Said, Scene, Shape, Words, rectangle
from graphs.picture.styles import STEPS

# In pixels, by hand. Names are cut with …, so that the cells have most of the picture; larger names
# show more of a title, and leave fewer cells on a page.
_CELL, _GAP = 26.0, 2.0  # the side of a cell, in which one can point; between cells
_SIZE, _NARROW_SIZE = 11.0, 9.0  # of the characters of labels: legible, and less high than a cell
_NAMES, _NARROW_NAMES = 230.0, 104.0  # the widest label of a row; narrow, a third of the picture
_TOP = 130.0  # the longest label of a column, which runs upwards: half of a row's, as it is short
_NARROW_TOP = 70.0  # as _TOP, in the narrow picture, where characters are smaller


@dataclass(frozen=True, slots=True)
class MatrixItem:
    """A row and a column of a matrix.

    node: the id of its node.
    short: what stands at its column, such as a number. name: its name, at its row.
    """

    node: str
    short: str
    name: str


def matrix(
    items: Sequence[MatrixItem],
    counts: Mapping[tuple[str, str], int],
    title: Said,
    amount: str,
    of: int | None = None,
    remarks: Sequence[str | Said] = (),
) -> Picture:
    """Return a matrix as a picture: a cell for each row and column, darker for a greater number.
    Its `nodes` are the rows, its `edges` the cells that are not empty.

    items: the rows, and the columns, in order; DrawError if there are none.
    counts: {(node of the row, node of the column): number}; 0 for what is not there. Pairs with a
        node that is no row are left out.
    title: what it shows.
    amount: what a number of a cell says, such as `{number} citations`.
    of: how many items there are in all; None if these are all.
    remarks: to show below, besides how many are left out.

    >>> items = [MatrixItem("a", "1", "1 Play"), MatrixItem("b", "2", "2 Cards")]
    >>> matrix(items, {("a", "b"): 3}, Said("who cites whom"), "{number} citations")
    <a picture: nodes 2, edges 1>
    """
    if not items:
        raise DrawError("there is nothing to draw: no rows")
    left_out = (of or len(items)) - len(items)
    shown = [*([left_out_remark(left_out)] if left_out else ()), *remarks]
    ids = {item.node for item in items}
    inside = {pair: number for pair, number in counts.items() if number and ids.issuperset(pair)}
    scene = partial(_scene, tuple(items), inside, title, amount, shown)
    return Picture(scene, len(items), len(inside), left_out)


def shade_bounds(numbers: Sequence[int]) -> list[int]:
    """Return the greatest number of each shade, from the palest: as many cells in each as possible,
    and equal numbers in the same one. There are at most STEPS; zeros count as no cells, and without
    cells there is no shade.

    >>> shade_bounds([1, 1, 2, 3, 4, 5, 9, 20, 50, 90])
    [1, 3, 5, 20, 90]
    >>> shade_bounds([2, 2])
    [2]
    """
    ordered = sorted(number for number in numbers if number)
    bounds = {
        ordered[(len(ordered) * step - 1) // STEPS] for step in range(1, STEPS + 1) if ordered
    }
    return sorted(bounds)


def _scene(
    items: Sequence[MatrixItem],
    counts: Mapping[tuple[str, str], int],
    title: Said,
    amount: str,
    remarks: Sequence[str | Said],
    narrow: bool,
    words: Words,
) -> Scene:
    size = _NARROW_SIZE if narrow else _SIZE
    widest, highest = (_NARROW_NAMES, _NARROW_TOP) if narrow else (_NAMES, _TOP)
    names = [ellipsized(item.name, size, widest) for item in items]
    shorts = [ellipsized(item.short, size, highest) for item in items]
    left = MARGIN / 2 + max(name.width for name in names) + PADDING
    cell = _CELL
    if narrow:  # as large as fits; of very many rows the picture is wider than the page
        cell = max(size + 2, min(_CELL, (NARROW_WIDTH - left - 2) / len(items)))
    turned = any(short.width > cell - _GAP for short in shorts)
    top = 2 * PADDING + (max(short.width for short in shorts) if turned else size)
    grid = _Grid(left, top, cell, turned)
    bounds = shade_bounds(list(counts.values()))
    said = partial(_said, amount, words)
    groups = [*_labels(items, names, shorts, grid), *_cells(items, counts, said, bounds, grid)]
    bottom = top + len(items) * cell + PADDING
    right = max(left + len(items) * cell, NARROW_WIDTH - MARGIN)
    legend, bottom = _legend(bounds, said, MARGIN / 2, right, bottom)
    below, end = remark_groups(remarks, words, MARGIN / 2, right, bottom)
    groups += [*legend, *below]
    return Scene(right + MARGIN / 2, end + PADDING, groups, title.in_words(words))


def _said(amount: str, words: Words, number: int | str) -> str:
    """Return what a number says, or a range of numbers: `amount` in words, with commas between the
    thousands of a number; a range stands as it is."""
    return Said(amount, {"number": number}).in_words(words)


class _Grid(NamedTuple):
    """Where the cells are.

    left, top: the upper left corner of the first cell. cell: the side of each, with its gap.
    turned: whether the labels of the columns run upwards.
    """

    left: float
    top: float
    cell: float
    turned: bool


def _labels(
    items: Sequence[MatrixItem], names: Sequence[TextLine], shorts: Sequence[TextLine], grid: _Grid
) -> Iterator[Group]:
    """Yield the label of each row and of its column in turn, each of which may be a link."""
    above = grid.top - PADDING
    for index, item in enumerate(items):
        middle, short = (index + 0.5) * grid.cell, shorts[index]
        row = text_at(names[index], grid.left - PADDING, grid.top + middle, anchor="end")
        x = grid.left + middle
        column = text_at(short, x, above - short.size / 2, anchor="middle")
        if grid.turned:
            upright = column._replace(x=x + short.size * 0.36, y=above)
            column = upright._replace(anchor="start", turned=True)
        for label in (row, column):
            yield Group(("label-group",), [label], item.name, item.node)


def _cells(
    items: Sequence[MatrixItem],
    counts: Mapping[tuple[str, str], int],
    said: Callable[[int], str],
    bounds: Sequence[int],
    grid: _Grid,
) -> Iterator[Group]:
    """Yield the cells: the ground of all as one group, then those in `counts`, by the ids of row
    and column, with a title: both names, and what their number says.

    counts: by row and column, both among the items. bounds: the highest number of each shade but
        the darkest.
    """
    place = {item.node: index for index, item in enumerate(items)}
    side = grid.cell - _GAP

    def square(down: int, across: int) -> list[Command]:
        return rectangle(grid.left + across * grid.cell, grid.top + down * grid.cell, side, side)

    every = [square(down, across) for down in place.values() for across in place.values()]
    yield Group(_shade(0, bounds), [Shape([step for path in every for step in path], "outline")])
    for (row_node, column_node), number in sorted(counts.items()):
        down, across = place[row_node], place[column_node]
        title = f"{items[down].name} → {items[across].name}: {said(number)}"
        yield Group(_shade(number, bounds), [Shape(square(down, across), "outline")], title)


def _shade(number: int, bounds: Sequence[int]) -> tuple[str, str]:
    """Return the classes of a cell: the shade of its number, 0 for an empty one. The greatest
    numbers have the darkest shade, also if there are fewer shades than could be."""
    if not number:
        return ("cell", "step0")
    return ("cell", f"step{STEPS - len(bounds) + 1 + bisect_left(bounds, number)}")


def _legend(
    bounds: Sequence[int], said: Callable[[str], str], left: float, right: float, top: float
) -> tuple[list[Group], float]:
    """Return which shades stand for which numbers, the last one in words, and where that ends: at
    `top` if there are no shades."""
    groups: list[Group] = []
    x, y, least = left, top + ROW / 2, 1
    for bound in bounds:
        numbers = f"{least:,}–{bound:,}" if bound > least else f"{bound:,}"
        line = text_line(said(numbers) if bound == bounds[-1] else numbers, 10.5)
        if x > left and x + 20 + line.width > right:
            x, y = left, y + ROW
        sample = Shape(rectangle(x, y - 7, 14, 14), "outline")
        groups.append(Group(_shade(bound, bounds), [sample, text_at(line, x + 20, y)]))
        x, least = x + 20 + line.width + 14, bound + 1
    return groups, y + ROW / 2 if groups else top
