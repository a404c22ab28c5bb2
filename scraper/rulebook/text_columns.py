"""Puts the columns of printed pages one below the other, in texts that have them side by side, as
`pdftotext -layout` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from scraper.rulebook.numbering import levels, number_at

_WIDE_SPACE = re.compile(r"\S {2,}(?=\S)")
_WIDEST = 240  # characters of a page's lines; where they are longer, each is a paragraph
_FEWEST_LINES = 12  # of a page that has columns
_MIDDLE = (0.3, 0.7)  # of the page's width, where the gutter is
_LOOKED_AT = 200  # lines of a page, which has fewer in print; a text without form feeds is one
_GUTTER = 2  # columns of spaces
_CROSSED = 0.12  # of the lines that have text on both sides: heads and rulers run through
_PROSE = 20  # characters of the median line of a column: those of a table are shorter
_FEWEST_NUMBERS = 2  # rules that begin in the right column of the book


def in_reading_order(text: str) -> str:
    """Return a text with the right column of each page below its left one, if pages have two and
    rules begin in both; else the text itself. What runs over both stays above or below them.

    text: pages are divided by form feeds.

    >>> left, right = "Cards are drawn from a deck. Then", "A player who can't draw has lost, but"
    >>> page = [f"{left:40}{n}.1 {right}" for n in range(1, 14)]
    >>> in_reading_order("\\n".join(page)).splitlines()[12:14] == [left, f"1.1 {right}"]
    True
    """
    if len(_WIDE_SPACE.findall(text)) < _FEWEST_LINES:
        return text
    pages = text.split("\f")
    halves = [_columns(page.splitlines()) for page in pages]
    begun = sum(_begins_rule(line) for half in halves if half for line in half[2])
    if begun < _FEWEST_NUMBERS:
        return text
    return "\f".join(
        "\n".join(line for part in half for line in part) if half else page
        for page, half in zip(pages, halves, strict=True)
    )


def _begins_rule(line: str) -> bool:
    number = number_at(line.strip())
    return number is not None and len(levels(number.number)) > 1


def _columns(lines: Sequence[str]) -> tuple[Sequence[str], ...] | None:
    """Return the lines above two columns, those of the left and the right one, and those below;
    None if a page has no columns."""
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if len(filled) < _FEWEST_LINES:
        return None
    gutter = _gutter([lines[n] for n in filled[:_LOOKED_AT]])
    if gutter is None:
        return None
    inside = [n for n in filled if not lines[n][gutter - _GUTTER : gutter].strip()]
    inside = [n for n in inside if lines[n][gutter:].strip() or len(lines[n].strip()) < gutter]
    begin, end = inside[0], inside[-1] + 1
    # A head may have a wide space where the gutter is; it stands alone, above a blank line.
    while begin < end - 1 and not lines[begin + 1].strip():
        begin += 2
    while begin < end and not lines[begin].strip():
        begin += 1
    left, right = [], []
    for line in lines[begin:end]:
        crosses = bool(line[gutter - _GUTTER : gutter].strip())
        left.append(line.rstrip() if crosses else line[:gutter].rstrip())
        right.append("" if crosses else line[gutter:].rstrip())
    return lines[:begin], left, right, lines[end:]


def _gutter(lines: Sequence[str]) -> int | None:
    """Return where the right one of two columns of prose begins; None without columns."""
    width = max(map(len, lines))
    if width > _WIDEST:
        return None
    for column in _middle_first(int(_MIDDLE[0] * width), int(_MIDDLE[1] * width)):
        both = [line for line in lines if line[:column].strip() and line[column:].strip()]
        beside = [line for line in both if not line[column - _GUTTER : column].strip()]
        if len(beside) < max(_FEWEST_LINES // 2, (1 - _CROSSED) * len(both)):
            continue
        left = median(len(line[:column].strip()) for line in beside)
        right = median(len(line[column:].strip()) for line in beside)
        if min(left, right) >= _PROSE and any(line[column] != " " for line in beside):
            return column
    return None


def _middle_first(low: int, high: int) -> Iterator[int]:
    """Yield the columns from `low` to `high`, the middle first."""
    yield from sorted(range(low, high + 1), key=lambda column: abs(2 * column - low - high))
