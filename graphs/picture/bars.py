"""Counts as a picture: a table of bars, each of them made of parts of several kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from graphs.errors import DrawError
from graphs.picture.boxes import (
    LEGEND_SIZE,
    MARGIN,
    NARROW_WIDTH,
    PADDING,
    ROW,
    remark_groups,
    text_at,
)  # fmt: skip
from graphs.picture.lettering import ellipsized, text_line
from graphs.picture.picture import Picture
from graphs.picture.scene import (
    Group,
    Scene,
    Shape,
    Words,
    edition_date,
    kind_in_words,
    polyline,
    rectangle,
)  # fmt: skip
from graphs.picture.styles import CHANGE_HUES, NODE_STYLES, class_name

Counts = Mapping[str, Mapping[str, Mapping[str, int]]]

# In pixels, by hand: a page's width; the widest name of a row; the height of a row and of its bar;
# what is left free behind the longest bar, for its number.
_WIDTH, _NAMES, _NARROW_NAMES = 880.0, 210.0, 120.0
_HEIGHT, _BAR, _NUMBER = 28.0, 17.0, 48.0
_SIZE, _SMALL = 12.0, 12.0  # of the characters of names, and of numbers
_LEAST = 1.5  # the width of a part, however small its number is


def bars(counts: Counts, title: str, remarks: Sequence[str] = ()) -> Picture:
    """Return counts as a picture: a bar for each row and column, as long as the sum of its counts,
    with a part for each kind; all bars have one scale.

    counts: {name of a row: {name of a column: {kind: number}}}; rows and columns stand in this
        order, a column of eight digits as the date that it is. A kind is one of nodes, such as
        `rule`, or what becomes of a rule: `added`, `changed`, `renumbered`, `moved`, `removed`;
        for others, and without rows, DrawError.
    title: what it shows, for those who can't see it.
    remarks: what to say below it.

    >>> bars({"1 Zones": {"2025": {"added": 3, "changed": 1}, "2026": {}}}, "what changed")
    <a picture: nodes 1, edges 1>
    """
    cells = [cell for row in counts.values() for cell in row.values()]
    used = {kind for cell in cells for kind in cell}
    known = [*CHANGE_HUES, *NODE_STYLES]
    if unknown := sorted(used.difference(known)):
        raise DrawError(f"{unknown[0]} is no kind that has a colour; there are {', '.join(known)}")
    if not cells:
        raise DrawError("there is nothing to draw: no rows")
    kinds = [kind for kind in dict.fromkeys(known) if kind in used]
    scene = partial(_scene, counts, kinds, title, remarks)
    return Picture(scene, len(counts), sum(any(cell.values()) for cell in cells))


def _scene(
    counts: Counts,
    kinds: Sequence[str],
    title: str,
    remarks: Sequence[str],
    narrow: bool,
    words: Words,
) -> Scene:
    columns = [*dict.fromkeys(column for row in counts.values() for column in row)]
    blocks = [[column] for column in columns] if narrow else [columns]
    full = NARROW_WIDTH if narrow else _WIDTH
    names = [ellipsized(name, _SIZE, _NARROW_NAMES if narrow else _NAMES) for name in counts]
    left = MARGIN / 2 + max(name.width for name in names) + PADDING
    groups: list[Group] = []
    top = PADDING
    for block in blocks:  # beside each other; on a phone below each other
        column_width = (full - MARGIN / 2 - left) / len(block)
        for place, column in enumerate(block):
            heading = ellipsized(edition_date(column), _SIZE, column_width - PADDING)
            x = left + place * column_width
            groups.append(Group(("column",), [text_at(heading, x, top + _HEIGHT / 2)]))
            axis = polyline([(x, top + _HEIGHT), (x, top + (len(names) + 1) * _HEIGHT)])
            groups.append(Group(("axis-group",), [Shape(axis, "axis")]))
            groups += _bars(counts, column, kinds, words, (x, top + _HEIGHT), column_width)
        for place, name in enumerate(names, 1):
            y = top + (place + 0.5) * _HEIGHT
            label = text_at(name, left - PADDING, y, anchor="end")
            groups.append(Group(("label-group",), [label], [*counts][place - 1]))
        top += (len(names) + 1) * _HEIGHT + PADDING
    legend, bottom = _legend(kinds, words, full, top)
    below, end = remark_groups(remarks, words, MARGIN / 2, full - MARGIN / 2, bottom)
    return Scene(full, end + PADDING, [*groups, *legend, *below], title)


def _bars(
    counts: Counts,
    column: str,
    kinds: Sequence[str],
    words: Words,
    corner: tuple[float, float],
    width: float,
) -> Iterator[Group]:
    """Yield the bars of a column, from its upper left corner downwards, each with its number."""
    most = max(sum(cell.values()) for row in counts.values() for cell in row.values())
    scale = (width - _NUMBER) / max(most, 1)
    for place, (name, row) in enumerate(counts.items()):
        x, middle = corner[0], corner[1] + (place + 0.5) * _HEIGHT
        cell = row.get(column, {})
        for kind in kinds:
            if count := cell.get(kind):
                part = max(count * scale, _LEAST)
                path = rectangle(x, middle - _BAR / 2, part, _BAR)
                said = f"{name}, {column}: {count:,} {kind_in_words(kind, words)}"
                yield Group(_classes(kind), [Shape(path, "outline")], said)
                x += part
        number = sum(cell.values())
        total = text_line(f"{number:,}" if number else "·", _SMALL)
        yield Group(("total",), [text_at(total, x + 4, middle, "pale")])


def _legend(
    kinds: Sequence[str], words: Words, right: float, top: float
) -> tuple[list[Group], float]:
    """Return which colours stand for which kinds, and where that ends."""
    groups: list[Group] = []
    x, y = MARGIN / 2, top + ROW / 2
    for kind in kinds:
        line = text_line(kind_in_words(kind, words), LEGEND_SIZE)
        if x > MARGIN / 2 and x + 20 + line.width > right:
            x, y = MARGIN / 2, y + ROW
        sample = Shape(rectangle(x, y - 7, 14, 14), "outline")
        groups += [Group(_classes(kind), [sample]), Group(("legend",), [text_at(line, x + 20, y)])]
        x += 20 + line.width + 14
    return groups, y + ROW / 2


def _classes(kind: str) -> tuple[str, ...]:
    """Return the classes of a part, which give it the strong colour of its kind."""
    if kind in CHANGE_HUES:
        return ("mark", class_name(kind))
    return ("node", class_name(kind), "centre")
