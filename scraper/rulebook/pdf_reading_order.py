"""Puts the pieces of text on a printed page into reading order: bands, columns, tables, lines.

A page is cut into rows where white space goes across it, and rows that leave the same gutter free
make a band of columns. A heading, a figure or a drawn line across the gutter ends the band. Columns
are read one after the other, each in the same way. What stands in columns may as well be a table,
whose rows are lines: there the cells stand side by side, and few of them fill their column.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import median

from scraper.rulebook.page_layout import join_lines

# All by hand; the tests have page layouts of each kind. At which a gutter is looked for, evenly
# across a region: so close (2 points on a page) that one falls into the narrowest gutter, which is
# 3.5 points beside lines of 10. A hundred, 5 points apart, would step over it.
_POSITIONS = 240
# Of the width of a region that a column has at least: six columns at most. Narrower are bullets and
# the numbers of rules; a column of these may take a quarter beside one of text that is wider.
_NARROWEST = 0.15
_NARROWEST_BESIDE_WIDER = 0.25  # the same where columns are of unequal width
_UNEQUAL = 1.6  # times as wide as the narrowest: columns of unequal width; ragged ones differ less
_GUTTER = 0.35  # of a line's height that a gutter is wide at least; a comma may hang into it
_FEWEST_LINES = 4  # in a column, unless the page has others at the same gutter
_SAME = 0.05  # of the width of a region, in which gutters are the same: ragged lines move them
# Of the lines of a table's column that have a line beside them at least: cells may have two lines.
_ALIGNED = 0.8
# Of the lines of running text that fill their column at least: the last lines of paragraphs don't,
# nor does ragged text; in a table hardly any do.
_FULL_LINES = 0.35
_GAP = 0.6  # of a line's height between the text above and a heading: more than between its lines
_LEVEL = 3  # lines that one column may end below the other above a heading
_APART = 2  # lines of white space at a running head or foot; a blank line is less
_FEWEST_RULES = 4  # drawn lines that make a table: two rows and its head; boxes have two
_THIN = 3.0  # points that a drawn line is thick at most, as in `pdf_pages`; text is higher
_PIECES = 1.0  # points that pieces of a drawn line may be apart, each, where they don't quite meet
_PAGE_NUMBER = re.compile(r"\W*(?:page|p\.)?\W*(?:\d{1,4}|[ivxl]{1,6})(?:\W{1,3}\d{1,4})?\W*", re.I)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points from the page's lower left corner, with its text.

    text: empty for what is drawn: a picture, a line of a table.
    drawn: its place in the order in which the file draws the page.
    """

    left: float
    bottom: float
    right: float
    top: float
    text: str
    drawn: int = 0

    @property
    def height(self) -> float:
        """The height of the rectangle."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """The y coordinate of its centre."""
        return (self.top + self.bottom) / 2

    @property
    def margin(self) -> float:
        """How far its bottom and top may be within a line above or below.

        Boxes of adjacent lines may overlap. A drawn line may consist of pieces that do not.
        """
        return self.height / 4 if self.text or self.height > _THIN else -_PIECES


@dataclass(frozen=True, slots=True)
class _Row:
    """What stands between two stretches of white space that go across a region.

    first_right, last_left: where the first of its boxes ends, and where the last begins.
    free: the positions at which no box of the row stands, as bits.
    """

    boxes: list[Box]
    top: float
    bottom: float
    first_right: float
    last_left: float
    free: int

    @property
    def height(self) -> float:
        """The height of the row."""
        return self.top - self.bottom

    @property
    def is_rule(self) -> bool:
        """Whether it is only drawn lines, and one of them is longer than these are thick."""
        return (
            not any(box.text for box in self.boxes)
            and self.height <= 2 * _THIN
            and any(box.right - box.left > _THIN for box in self.boxes)
        )


@dataclass(frozen=True, slots=True)
class _Region:
    """The part of a page that is being put in order: its sides, and the height of its lines."""

    left: float
    right: float
    line: float

    @property
    def width(self) -> float:
        """The width of the region."""
        return self.right - self.left

    def x(self, position: float) -> float:
        """Return the x coordinate of a position."""
        return self.left + self.width * position / _POSITIONS


@dataclass(frozen=True, slots=True)
class _Band:
    """Rows that leave the same gutters free: rows[start:end], and where the gutters are.

    gutters: their x coordinates, ascending.
    """

    start: int
    end: int
    gutters: tuple[float, ...]


def in_order(boxes: Sequence[Box], drawings: Sequence[Box] = ()) -> list[str]:
    """Return the lines of a page in reading order: band after band, in each column after column.
    Empty if there is no text.

    boxes: the pieces of text, in any order; those side by side in a column become one line. The
        cells of a table's row become one line too.
    drawings: pictures and drawn lines, without text. They end a column as a heading across it does.

    >>> left = [Box(0, y, 90, y + 9, f"l{y}") for y in (30, 20, 10, 0)]
    >>> right = [Box(110, y, 200, y + 9, f"r{y}") for y in (30, 20, 10, 5)]
    >>> in_order([Box(0, 50, 200, 59, "head"), *right, *left])
    ['head', 'l30', 'l20', 'l10', 'l0', 'r30', 'r20', 'r10', 'r5']
    """
    if not boxes:
        return []
    rows, region = _cut_into_rows(boxes, drawings)
    start, end = _body(rows, region)
    head, body, foot = rows[:start], rows[start:end], rows[end:]
    return [*_plain_lines(head), *_lines_of_rows(body, region), *_plain_lines(foot)]


def _lines_of_rows(rows: Sequence[_Row], region: _Region) -> list[str]:
    """Return the lines of rows in reading order: bands, and as plain lines what is between them."""
    lines: list[str] = []
    done = 0
    for band in _find_bands(rows, region):
        lines += _plain_lines(rows[done : band.start])
        lines += _lines_of_band(rows, band, region)
        done = band.end
    return lines + _plain_lines(rows[done:])


def _body(rows: Sequence[_Row], region: _Region) -> tuple[int, int]:
    """Return where a page begins and ends without its running head and foot, as (start, end).

    These are a single line each, and wide white space is between them and the rest. It is wider
    above a foot on the left alone, which may be the last line of a column. Of less than three rows
    none is a head or foot.
    """
    start, end = 0, len(rows)
    if end < 3:
        return start, end
    lines = [row.height < 2 * region.line for row in (rows[0], rows[-1])]
    if lines[0] and rows[0].bottom - rows[1].top >= _APART * region.line:
        start = 1
    at_left = all(box.right < region.x(_POSITIONS / 2) for box in rows[-1].boxes)
    wide = (_APART + at_left) * region.line
    if lines[1] and rows[-2].bottom - rows[-1].top >= wide:
        end -= 1
    return start, end


def _cut_into_rows(boxes: Sequence[Box], drawings: Sequence[Box]) -> tuple[list[_Row], _Region]:
    """Cut a region where white space goes across it: return its rows from the top down, and itself.

    boxes: its text, at least one; drawings: what else is in it.
    """
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    region = _Region(left, right, median(box.height for box in boxes) or 1.0)
    groups: list[list[Box]] = []
    lowest = 0.0
    for box in sorted([*boxes, *drawings], key=lambda box: (box.margin - box.top, box.left)):
        if not groups or box.top - box.margin < lowest:
            groups.append([])
            lowest = box.bottom + box.margin
        groups[-1].append(box)
        lowest = min(lowest, box.bottom + box.margin)
    rows = [
        _Row(
            group,
            max(box.top for box in group),
            min(box.bottom for box in group),
            min(box.right for box in group),
            max(box.left for box in group),
            _free_positions(group, region),
        )
        for group in groups
    ]
    return rows, region


def _free_positions(boxes: Sequence[Box], region: _Region) -> int:
    """Return the positions where a gutter may go through a row, as bits.

    They are those in its gaps, if wide enough, and at its sides: the lowest bit is the position 0.
    """
    free, end = 0, float("-inf")
    gutter = _GUTTER * region.line
    infinite = Box(float("inf"), 0, float("inf"), 0, "")
    for box in [*sorted(boxes, key=attrgetter("left")), infinite]:
        if box.left - end >= gutter:
            free |= _positions_between(end, box.left, region)
        end = max(end, box.right)
    return free


def _positions_between(start: float, end: float, region: _Region) -> int:
    """Return the positions between two x coordinates that a gutter may have, as bits; 0 if there
    are none, or they are outside the region."""
    if region.width <= 0:
        return 0
    start, end = max(start, region.left), min(end, region.right)
    if start >= end:
        return 0
    first = int((start - region.left) / region.width * _POSITIONS) + 1
    last = int((end - region.left) / region.width * _POSITIONS)
    return (1 << (last + 1)) - (1 << first) if last >= first else 0


def _find_bands(rows: Sequence[_Row], region: _Region) -> list[_Band]:
    """Return the bands of columns in the rows of a region, from the top down.

    For each position of a gutter, the rows are a candidate that leave it free one after the other.
    Of those that overlap, the one with the most text on both sides of the gutter is taken. The rows
    of a table are in none.
    """
    candidates: dict[tuple[int, int], float] = {}
    for position in _distinct_positions(rows):
        for start, end in _rows_free_at(rows, position):
            x = region.x(position)
            left = [n for n in range(start, end) if rows[n].first_right <= x]
            right = [n for n in range(start, end) if rows[n].last_left >= x]
            if left and right:
                score = min(sum(rows[n].height for n in side) for side in (left, right))
                span = _first_row(rows, left[0], right[0], region.line), end
                candidates[span] = max(score, candidates.get(span, 0.0))
    order = sorted(candidates, key=lambda span: (-candidates[span], span[0] - span[1]))
    bands: list[_Band] = []
    in_bands, in_tables = bytearray(len(rows)), bytearray(len(rows))
    for fewest in (_FEWEST_LINES, 1):
        known = {round(x / region.width / _SAME) for band in bands for x in band.gutters}
        for start, end in order:
            if in_bands.find(1, start, end) >= 0 or in_tables.find(0, start, end) < 0:
                continue
            gutters = _gutters(rows[start:end], region, fewest)
            if gutters is None:
                in_tables[start:end] = b"\1" * (end - start)
            elif gutters and (
                fewest > 1 or known.issuperset(round(x / region.width / _SAME) for x in gutters)
            ):
                in_bands[start:end] = b"\1" * (end - start)
                bands.append(_Band(start, end, gutters))
    return sorted(bands, key=attrgetter("start"))


def _distinct_positions(rows: Iterable[_Row]) -> list[int]:
    """Return the positions, ascending, of which each is free in other rows than the one before it:
    those between are like it."""
    changes = 0
    for row in rows:
        changes |= row.free ^ row.free << 1
    return [position for position in range(_POSITIONS) if changes >> position & 1]


def _first_row(rows: Sequence[_Row], left: int, right: int, line: float) -> int:
    """Return the index of the row where a band begins.

    It is where both columns have begun. Rows of the right column above it are another matter if
    white space is between; rows of the left column are read before the right one anyway.

    left, right: the indices of the first rows of the two columns.
    """
    first = max(left, right)
    if right < left:
        is_apart = rows[left - 1].bottom - rows[left].top >= line
        return left if is_apart else right
    while first > left and rows[first - 1].bottom < rows[right].top:
        first -= 1
    return first


def _rows_free_at(rows: Sequence[_Row], position: int) -> Iterator[tuple[int, int]]:
    """Yield the longest runs of rows that are free at a position, from the top down, as (start,
    end), the end excluded."""
    for is_free, run in groupby(range(len(rows)), lambda n: rows[n].free >> position & 1):
        if is_free:
            indices = list(run)
            yield indices[0], indices[-1] + 1


def _gutters(rows: Sequence[_Row], region: _Region, fewest: int) -> tuple[float, ...] | None:
    """Return the x coordinates of the gutters between the columns of rows; None if it is a table.

    It is empty if there are no columns, or if one has too few lines.

    fewest: how many lines a column has at least.
    """
    common = -1
    for row in rows:
        common &= row.free
    strips = [
        (region.x(bits[0]), region.x(bits[-1]))
        for is_free, run in groupby(range(_POSITIONS), lambda n: common >> n & 1)
        if is_free and (bits := list(run))
    ]
    texts = [box for row in rows for box in row.boxes if box.text]
    columns = _columns(texts, [(start + end) / 2 for start, end in strips])
    wide, tails = _merge_narrow(columns, region)
    if len(wide) < 2:
        return ()
    lines = [list(_join_to_lines(column)) for column in wide]
    if min(map(len, lines)) < fewest:
        return ()
    if _is_table(wide, lines, tails, region):
        return None
    return tuple(
        (max(box.right for box in before) + min(box.left for box in after)) / 2
        for before, after in pairwise(wide)
    )


def _columns(boxes: Iterable[Box], gutters: Sequence[float]) -> list[list[Box]]:
    """Distribute boxes, by their centres, on the columns between gutters, from left to right; a
    column may be empty."""
    columns: list[list[Box]] = [[] for _ in range(len(gutters) + 1)]
    for box in boxes:
        columns[bisect_left(gutters, (box.left + box.right) / 2)].append(box)
    return columns


def _merge_narrow(
    columns: Sequence[list[Box]], region: _Region
) -> tuple[list[list[Box]], list[int]]:
    """Join narrow columns (bullets, numbers of rules, page numbers) to the nearer neighbour.

    Return the columns, and how many narrow ones each has been joined with on its right. Both are
    empty if all are narrow.
    """
    wide: list[list[Box]] = []
    tails: list[int] = []
    held: list[Box] = []  # narrow ones that belong to the next column
    for column, following in pairwise([*filter(None, columns), None]):
        assert column is not None
        left, right = min(b.left for b in column), max(b.right for b in column)
        if right - left >= _NARROWEST * region.width:
            wide.append(held + column)
            tails.append(0)
            held = []
            continue
        before = left - max(b.right for b in wide[-1]) if wide else float("inf")
        after = min(b.left for b in following) - right if following else float("inf")
        if all(box.text.strip().isdigit() for box in column):
            before /= 4  # page numbers
        if wide and not held and before <= after:
            wide[-1] = wide[-1] + column
            tails[-1] += 1
        else:
            held = held + column
    if held and wide:
        wide[-1] = wide[-1] + held
        tails[-1] += 1
    return wide, tails


def _is_table(
    columns: Sequence[Sequence[Box]],
    lines: Sequence[Sequence[list[Box]]],
    tails: Sequence[int],
    region: _Region,
) -> bool:
    """Whether columns are those of a table rather than of running text.

    The lines of a table stand beside each other, and most do not fill their column. Where columns
    are equally wide that is also true of two lists: then what the file draws row after row is a
    table, what it draws column after column is not.

    columns: their boxes; lines: the same by lines; tails: as `_merge_narrow` returns them.
    """
    extents = [(min(b.left for b in c), max(b.right for b in c)) for c in columns]
    widths = [right - left for left, right in extents]
    unequal = max(widths) > _UNEQUAL * min(widths)
    aligned = min(_aligned(before, after, region.line) for before, after in pairwise(lines))
    if aligned < _ALIGNED:
        return unequal and min(widths) < _NARROWEST_BESIDE_WIDER * region.width
    if len(set(tails)) > 1:
        return True
    fullness = min(
        sum(max(b.right for b in line) >= left + 0.9 * (right - left) for line in column)
        / len(column)
        for column, (left, right) in zip(lines, extents, strict=True)
    )
    if unequal:
        narrow = min(widths) < _NARROWEST_BESIDE_WIDER * region.width
        return narrow or fullness < _FULL_LINES
    if fullness >= _FULL_LINES:
        return False
    order = sorted((box.drawn, n) for n, column in enumerate(columns) for box in column)
    changes = sum(before != after for (_, before), (_, after) in pairwise(order))
    return changes >= min(map(len, lines))


def _aligned(one: Sequence[list[Box]], other: Sequence[list[Box]], line: float) -> float:
    """Return how many of the lines of a column have a line beside them, from 0 to 1.

    It is of the column with fewer lines; neither may be empty. line: the height of a line.
    """
    fewer, more = sorted((one, other), key=len)
    heights = sorted(boxes[0].middle for boxes in more)
    count = 0
    for boxes in fewer:
        middle = boxes[0].middle
        n = bisect_left(heights, middle)
        count += any(abs(y - middle) < 0.3 * line for y in heights[max(0, n - 1) : n + 1])
    return count / len(fewer)


def _lines_of_band(rows: Sequence[_Row], band: _Band, region: _Region) -> list[str]:
    """Return the lines of a band in reading order.

    A heading between two parts of the band has both columns above it read first.
    """
    lines: list[str] = []
    cuts = [band.start, *_headings(rows, band, region), band.end]
    for start, end in pairwise(cuts):
        boxes = [box for row in rows[start:end] for box in row.boxes]
        for column in _columns(boxes, band.gutters):
            texts = [box for box in column if box.text]
            if texts:
                drawings = [box for box in column if not box.text]
                lines += _lines_of_rows(*_cut_into_rows(texts, drawings))
    return lines


def _headings(rows: Sequence[_Row], band: _Band, region: _Region) -> list[int]:
    """Return the indices of the rows that begin a new part of a band.

    Such a row has text in the first column alone, with white space above it across the band; and
    the columns above have ended side by side. If they are resumed below it, it stands in the white
    space between; else that above it is wider than any between the paragraphs of both columns. A
    page number always begins a new part.
    """
    sides = [_sides(row, band.gutters[0]) for row in rows[band.start : band.end]]
    resumed = _next_rows([right for _, right in sides])
    found: list[int] = []
    ends: list[float | None] = [None, None]  # where the text of the two sides has ended so far
    widest = 0.0  # white space between the lines of a side, in this part
    for n, side in enumerate(sides):
        left, right = side
        if n and left and not right and ends[0] is not None and ends[1] is not None:
            above = min(ends[0], ends[1])
            gap = above - left.top
            is_level = ends[1] - above < _LEVEL * region.line
            below = sides[following][1] if (following := resumed[n]) is not None else None
            if below and left.bottom - below.top < _LEVEL * region.line:
                begins = is_level and gap >= _GAP * region.line and below.top <= left.bottom
            else:
                begins = is_level and gap >= region.line and gap > 1.3 * widest
                is_last = band.start + n == len(rows) - 1
                begins = begins or (
                    is_last and gap >= _GAP * region.line and _is_page_number(left.text)
                )
            if begins:
                found.append(band.start + n)
                ends, widest = [None, None], 0.0
        for index, box in enumerate(side):
            if box:
                end = ends[index]
                widest = max(widest, end - box.top) if end is not None else widest
                ends[index] = box.bottom if end is None else min(end, box.bottom)
    return found


def _sides(row: _Row, x: float) -> tuple[Box | None, Box | None]:
    """Return what a row has of text left and right of an x coordinate, as one box each; None for a
    side without. What crosses it is on the right."""
    left = [box for box in row.boxes if box.text and box.right <= x]
    right = [box for box in row.boxes if box.text and box.right > x]
    return around(left, " ") if left else None, around(right, " ") if right else None


def around(boxes: Sequence[Box], separator: str) -> Box:
    """Return the box around boxes, at least one, with their texts in their order; it is drawn when
    the first of them is."""
    return Box(
        min(box.left for box in boxes),
        min(box.bottom for box in boxes),
        max(box.right for box in boxes),
        max(box.top for box in boxes),
        separator.join(box.text for box in boxes),
        boxes[0].drawn,
    )


def _next_rows(boxes: Sequence[Box | None]) -> list[int | None]:
    """Return for each row the index of the next one below it that has a box; None if there is
    none."""
    following: list[int | None] = []
    found = None
    for n in range(len(boxes) - 1, -1, -1):
        following.append(found)
        found = n if boxes[n] else found
    return following[::-1]


def _is_page_number(text: str) -> bool:
    """Whether a text is nothing but a page number, also roman, with signs or `Page` before it."""
    return len(text) < 24 and bool(_PAGE_NUMBER.fullmatch(text))


def _plain_lines(rows: Sequence[_Row]) -> list[str]:
    """Return the lines of rows that are no columns, from the top down.

    A row of a table is one line if drawn lines show where it begins and ends.
    """
    lines: list[str] = []
    is_drawn_table = sum(row.is_rule for row in rows) >= _FEWEST_RULES
    held: list[Box] = []  # since the last drawn line
    above: _Row | None = None  # that line
    for row in rows:
        if is_drawn_table and row.is_rule:
            lines += _lines_between(held, above, row)
            held, above = [], row
        else:
            held += [box for box in row.boxes if box.text]
    return lines + [_line_text(line) for line in _join_to_lines(held)]


def _lines_between(boxes: Sequence[Box], above: _Row | None, below: _Row) -> list[str]:
    """Return the lines of text between two drawn lines: a single one if it is a table's row, that
    is if both lines are as wide as it is, and it has two cells or more. None above: no row."""
    if above is not None and boxes and all(_spans(rule, boxes) for rule in (above, below)):
        cells = list(_cells(boxes))
        if len(cells) > 1:
            texts = [join_lines([_line_text(line) for line in _join_to_lines(c)]) for c in cells]
            return [" ".join(texts)]
    return [_line_text(line) for line in _join_to_lines(boxes)]


def _spans(rule: _Row, boxes: Iterable[Box]) -> bool:
    """Whether a drawn line is as wide as all boxes together, or wider."""
    left, right = min(b.left for b in rule.boxes), max(b.right for b in rule.boxes)
    return all(left - _THIN <= box.left and box.right <= right + _THIN for box in boxes)


def _cells(boxes: Iterable[Box]) -> Iterator[list[Box]]:
    """Yield the boxes between vertical white space that is wider than half a line, from left to
    right."""
    cell: list[Box] = []
    end = 0.0
    for box in sorted(boxes, key=attrgetter("left")):
        if cell and box.left - end > 0.5 * box.height:
            yield cell
            cell, end = [], box.right
        end = max(end, box.right) if cell else box.right
        cell.append(box)
    if cell:
        yield cell


def _join_to_lines(boxes: Iterable[Box]) -> Iterator[list[Box]]:
    """Yield the boxes of each line from left to right, the lines from the top down."""
    line: list[Box] = []
    lowest = 0.0
    for box in sorted(boxes, key=lambda box: (-box.top, box.left)):
        if line and box.middle < lowest:
            yield sorted(line, key=attrgetter("left"))
            line = []
        lowest = min(lowest, box.bottom) if line else box.bottom
        line.append(box)
    if line:
        yield sorted(line, key=attrgetter("left"))


def _line_text(line: Sequence[Box]) -> str:
    """Return the text of a line, with a space wherever a gap between boxes has room for one.

    line: its boxes from left to right, at least one.
    """
    parts = [line[0].text]
    for before, box in pairwise(line):
        has_gap = box.left - before.right > 0.25 * min(before.height, box.height)
        if has_gap and not parts[-1].endswith(" "):
            parts.append(" ")
        parts.append(box.text)
    return "".join(parts)
