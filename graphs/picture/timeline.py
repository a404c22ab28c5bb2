"""A history as a picture: editions on a line, a box for each stretch of the same text, and a mark
with words where something happened.

Wide, the editions stand beside each other, in several rows if they are many; narrow, below each
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from graphs.picture.boxes import LINE_HEIGHT, MARGIN, NARROW_WIDTH, PADDING, box_texts_of, text_at
from graphs.picture.lettering import TextLine, ellipsized, wrapped
from graphs.picture.picture import LeftOut, Picture
from graphs.picture.scene import (
    Group,
    Said,
    Scene,
    Shape,
    Text,
    Words,
    comma,
    edition_date,
    kind_in_words,
    polygon,
    polyline,
    rectangle,
)
from graphs.picture.styles import class_name

# In pixels, by hand; tests measure in two fonts that no text leaves its box or lies on another. A
# column holds a date and a word for what happened, and nine of them, 1,060 pixels, fit on a page.
_COLUMN, _MOST_COLUMNS = 116.0, 9  # the width of an edition's column; how many stand in a row
_BOX, _GAP = 72.0, 10.0  # the height of a stretch's box, for a name and three lines; between boxes
# From box to axis; below the axis, for a date and three lines of words; between rows.
_AXIS, _WORDS, _BETWEEN = 18.0, 70.0, 14.0
# Sizes of characters, the smallest that are legible for what there is most of; of a line of words.
_NAME, _SMALL, _WORD, _WORD_LINE = 13.0, 12.0, 12.0, 15.0
# In the narrow picture: the width of dates, a third of it; the height of an edition, for a date and
# two lines of words.
_DATES, _STEP = 104.0, 48.0
_MOST_LINES = 4  # of a text, however high its box is: the beginning tells which text it is
_CALM = frozenset({"same", "sub-rules"})  # kinds of entries with the text of the one before


class TimelineEntry(NamedTuple):
    """What something was in one edition.

    when: the edition.
    kinds: what happened to it since the edition before, as keys of CHANGE_HUES; at least one.
    node: the id of its node; None if it has none there.
    name: its number or name there.
    text: its text there; None if it has none.
    """

    when: str
    kinds: tuple[str, ...]
    node: str | None
    name: str
    text: str | None


def timeline(
    entries: Sequence[TimelineEntry], title: Said, also: Sequence[LeftOut] = ()
) -> Picture:
    """Return a history as a picture. Its `nodes` are the entries, its `edges` the steps between
    them.

    entries: the oldest first; at least one.
    title: what it is the history of.

    >>> entries = [
    ...     TimelineEntry("2023", ("added",), "x/2023/1", "1", "Play."),
    ...     TimelineEntry("2024", ("same",), "x/2024/1", "1", "Play."),
    ... ]
    >>> timeline(entries, Said("rule 1"))
    <a picture: nodes 2, edges 1>
    """
    scene = partial(_scene, tuple(entries), title)
    return Picture(scene, len(entries), len(entries) - 1, also=also)


def _scene(entries: Sequence[TimelineEntry], title: Said, narrow: bool, words: Words) -> Scene:
    layout = _narrow if narrow else _wide
    return layout(entries, title.in_words(words), words)


def _stretches(entries: Sequence[TimelineEntry]) -> Iterator[tuple[int, int]]:
    """Yield (first, end) of the entries that have the same text, one behind the other, end
    excluded; together they are all entries. One behind an entry without a text begins anew."""
    starts = [
        index
        for index, entry in enumerate(entries)
        if not index or not _CALM.issuperset(entry.kinds) or entries[index - 1].text is None
    ]
    yield from pairwise([*starts, len(entries)])


# -- wide -------------------------------------------------------------------------------------


def _wide(entries: Sequence[TimelineEntry], title: str, words: Words) -> Scene:
    groups: list[Group] = []
    columns = min(len(entries), _MOST_COLUMNS)
    row_height = _BOX + _AXIS + _WORDS + _BETWEEN
    for first in range(0, len(entries), columns):
        row = range(first, min(first + columns, len(entries)))
        top = MARGIN + first // columns * row_height
        right = MARGIN + len(row) * _COLUMN - _GAP
        right += MARGIN - 2 if row.stop < len(entries) else 0  # the line goes on in the next row
        y = top + _BOX + _AXIS
        axis = Shape(polyline([(MARGIN, y), (right, y)]), "axis")
        groups.append(Group(("axis-group",), [axis]))
        for start, end in _stretches(entries):
            shown = range(max(start, row.start), min(end, row.stop))
            if shown:
                left = MARGIN + (shown.start - first) * _COLUMN
                width = len(shown) * _COLUMN - _GAP
                before = "… " * (shown.start > start)
                groups.append(_stretch(entries[start], words, left, top, width, _BOX, before))
        groups += [
            _mark(entries[index], words, MARGIN + (index - first + 0.5) * _COLUMN - _GAP / 2, top)
            for index in row
        ]
    rows = -(-len(entries) // columns)
    bottom = MARGIN + rows * row_height - _BETWEEN
    return Scene(columns * _COLUMN - _GAP + 2 * MARGIN, bottom + MARGIN / 2, groups, title)


def _stretch(
    entry: TimelineEntry,
    words: Words,
    left: float,
    top: float,
    width: float,
    height: float,
    before: str = "",
) -> Group:
    """Return the box of a stretch of the same text.

    entry: its first one. before: what is written before its name. What became of it stands in place
        of a text that it has not.
    """
    kind = entry.kinds[0]
    widest = width - 2 * PADDING
    lines = [ellipsized(before + entry.name, _NAME, widest)]
    most = int((height - _NAME * LINE_HEIGHT - PADDING) / (_SMALL * LINE_HEIGHT))
    text = entry.text or kind_in_words(kind, words)
    lines += wrapped(text, _SMALL, widest, min(max(1, most), _MOST_LINES))
    items: list[Shape | Text] = [Shape(rectangle(left, top, width, height), "outline")]
    items += box_texts_of(lines, left + width / 2, top + height / 2)
    return Group(("entry", class_name(kind)), items, _title(entry, words), entry.node)


def _mark(entry: TimelineEntry, words: Words, x: float, top: float) -> Group:
    """Return the mark of an edition on the line, with its date and what happened below it."""
    y = top + _BOX + _AXIS
    items: list[Shape | Text] = [
        _sign(entry, x, y),
        text_at(
            ellipsized(edition_date(entry.when), _SMALL, _COLUMN - _GAP),
            x,
            y + 18,
            "label",
            "middle",
        ),
    ]
    for number, line in enumerate(_happened(entry, words, _COLUMN - _GAP, 3)):
        items.append(text_at(line, x, y + 33 + _WORD_LINE * number, "pale", "middle"))
    return Group(("mark", class_name(entry.kinds[0])), items, _title(entry, words), entry.node)


def _sign(entry: TimelineEntry, x: float, y: float) -> Shape:
    """Return the mark itself: a small square where the text is the `same` and nothing happened but
    to sub-rules, else a diamond."""
    if _CALM.issuperset(entry.kinds) and "same" in entry.kinds:
        return Shape(rectangle(x - 3, y - 3, 6, 6), "outline")
    return Shape(polygon([(x, y - 7), (x + 7, y), (x, y + 7), (x - 7, y)]), "outline")


def _happened(entry: TimelineEntry, words: Words, widest: float, most: int) -> list[TextLine]:
    """Return what happened in words, a line each, `most` lines at most: what is too much stands on
    the last one, with commas. A line that is too wide is cut with …."""
    kinds = [kind_in_words(kind, words) for kind in entry.kinds]
    lines = [*kinds[: most - 1], comma(words).join(kinds[most - 1 :])]
    return [ellipsized(line, _WORD, widest) for line in lines if line]


def _title(entry: TimelineEntry, words: Words) -> str:
    kinds = comma(words).join(kind_in_words(kind, words) for kind in entry.kinds)
    lines = [f"{edition_date(entry.when)}: {entry.name} ({kinds})"]
    text = " ".join((entry.text or "").split())
    return "\n".join([*lines, text[:240] + "…" * (len(text) > 240)] if text else lines)


# -- narrow -----------------------------------------------------------------------------------


def _narrow(entries: Sequence[TimelineEntry], title: str, words: Words) -> Scene:
    groups: list[Group] = []
    x, top = _DATES, 6.0
    middles = [top + _STEP * 0.6 + _STEP * index for index in range(len(entries))]
    if len(entries) > 1:
        axis = polyline([(x, middles[0]), (x, middles[-1])])
        groups.append(Group(("axis-group",), [Shape(axis, "axis")]))
    for start, end in _stretches(entries):
        height = _STEP * (end - start) - 6
        above = middles[start] - _STEP / 2 + 3
        groups.append(_stretch(entries[start], words, x + 16, above, NARROW_WIDTH - x - 20, height))
    for entry, y in zip(entries, middles, strict=True):
        items: list[Shape | Text] = [_sign(entry, x, y)]
        happened = _happened(entry, words, x - 18, 2)
        high = y - _WORD_LINE * len(happened) / 2
        items.append(
            text_at(
                ellipsized(edition_date(entry.when), _SMALL, x - 18), x - 12, high, anchor="end"
            )
        )
        for number, line in enumerate(happened, 1):
            items.append(text_at(line, x - 12, high + _WORD_LINE * number, "pale", "end"))
        classes = ("mark", class_name(entry.kinds[0]))
        groups.append(Group(classes, items, _title(entry, words), entry.node))
    return Scene(NARROW_WIDTH, middles[-1] + _STEP * 0.6 + 6, groups, title)
