"""Puts the columns of printed pages one below the other, in texts that have them side by side, as
`pdftotext -layout` writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from scraper.rulebook.numbering import levels, number_at
from scraper.rulebook.page_layout import width

_WIDE_SPACE = re.compile(r"\S {2,}(?=\S)")
_GAP = re.compile(r"^ +(?=\S)|(?<=\S) {2,}(?=\S)")
_WIDEST = 240  # characters of a page's lines; where they are longer, each is a paragraph
_FEWEST_LINES = 12  # of a page that has columns
_FEWEST_BESIDE, _FEWEST_ON_FURTHER = 6, 2  # lines of both columns; on pages of a book with columns
_MIDDLE = (0.25, 0.75)  # of the page's width, where the right column begins
_LOOKED_AT = 200  # lines of a page, which has fewer in print; a text without form feeds is one
_GUTTER = 2  # columns of spaces
_DRIFT = 4  # columns that a gutter may seem moved, as quotation marks are wide in some fonts only
_SHIFTED = 8  # columns from the gutter of one page to that of another: margins turn with the leaf
_CROSSED, _HEADS = 0.12, 2  # of the lines with text on both sides, and heads, run through
_PROSE, _FURTHER_PROSE = (
    20,
    8,
)  # columns of the median line of a column: those of a table are shorter
_CANDIDATES = 6  # places where text begins most often, at one of which the right column does
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
    pages = [[_cells(line) for line in page.splitlines()] for page in text.split("\f")]
    gutters = [_gutter(page, _FEWEST_BESIDE, _PROSE) for page in pages]
    sure = [gutter for gutter in gutters if gutter]
    halves = [_columns(page, gutter) for page, gutter in zip(pages, gutters, strict=True)]
    begun = sum(_begins_rule(line) for half in halves if half for line in half[2])
    if begun < _FEWEST_NUMBERS:
        return text
    for n, page in enumerate(pages):
        if not halves[n]:  # a page of contents, or the last, which have fewer and shorter lines
            gutter = _gutter(page, _FEWEST_ON_FURTHER, _FURTHER_PROSE)
            if gutter and min(abs(gutter - known) for known in sure) <= _SHIFTED:
                halves[n] = _columns(page, gutter)
    return "\f".join(
        "\n".join(line for part in half or (page,) for line in part).replace("\0", "")
        for page, half in zip(pages, halves, strict=True)
    )


def _cells(line: str) -> str:
    """Return a line with a NUL behind each full-width character, so that its indices are the
    columns of a printed page."""
    if line.isascii():
        return line
    return "".join(sign + "\0" if width(sign) > 1 else sign for sign in line.replace("\0", ""))


def _begins_rule(line: str) -> bool:
    number = number_at(line.replace("\0", "").strip())
    return number is not None and len(levels(number.number)) > 1


def _columns(lines: Sequence[str], gutter: int | None) -> tuple[Sequence[str], ...] | None:
    """Return the lines above two columns, those of the left and the right one, and those below;
    None without a gutter.

    lines: those of a page, as `_cells` gives them.
    """
    if gutter is None:
        return None
    cuts = [_cut(line, gutter) for line in lines]
    inside = [n for n, cut in enumerate(cuts) if cut and lines[n].strip()]
    begin, end = inside[0], inside[-1] + 1
    # A head may have a wide space where the gutter is; it stands alone, above a blank line.
    while begin < end - 1 and not lines[begin + 1].strip():
        begin += 2
    while begin < end and not lines[begin].strip():
        begin += 1
    while end > begin + 1 and not lines[end - 2].strip():  # and so does a page's number
        end -= 2
    left, right = [], []
    for line, cut in zip(lines[begin:end], cuts[begin:end], strict=True):
        before, behind = cut or (len(line), len(line))
        left.append(line[:before].rstrip())
        right.append(line[behind:].rstrip())
    return lines[:begin], left, right, lines[end:]


def _cut(line: str, gutter: int) -> tuple[int, int] | None:
    """Return where the left part of a line ends and the right one begins; None if it runs over
    both columns."""
    drift = _DRIFT if "\0" in line else 0
    if len(line.rstrip()) <= gutter - _GUTTER + drift:
        return len(line), len(line)
    for gap in _GAP.finditer(line):
        if gap.start() <= gutter + drift - _GUTTER and gap.end() >= gutter - drift:
            return gap.start(), max(gap.start(), min(gap.end(), gutter))
    return None


def _gutter(lines: Sequence[str], fewest: int, prose: int) -> int | None:
    """Return where the right one of two columns of prose begins; None without columns.

    fewest: lines that have text in both columns; prose: columns of the median line of each.
    """
    filled = [line for line in lines if line.strip()][:_LOOKED_AT]
    extent = max(map(len, filled), default=0)
    if len(filled) < _FEWEST_LINES or extent > _WIDEST:
        return None
    drift = _DRIFT if any("\0" in line for line in filled) else 0
    begins = Counter(
        gap.end()
        for line in filled
        for gap in _GAP.finditer(line)
        if _MIDDLE[0] * extent <= gap.end() <= _MIDDLE[1] * extent
    )
    # The first that fits: behind the numbers of a column there is a space as wide.
    usual = sorted(gutter for gutter, _ in begins.most_common(_CANDIDATES))
    for first in usual:
        near = (each for each in usual if first <= each <= first + 2 * drift)
        gutter = max(near, key=begins.__getitem__)
        cuts = [(line, _cut(line, gutter)) for line in filled]
        crossing = sum(cut is None for _, cut in cuts)
        beside = [
            (line[: cut[0]].strip(), line[cut[1] :].strip())
            for line, cut in cuts
            if cut and cut[0] < cut[1] < len(line) and line[: cut[0]].strip()
        ]
        most = _CROSSED * (len(beside) + crossing) + _HEADS
        if len(beside) < fewest or crossing > most:
            continue
        if min(median(map(len, column)) for column in zip(*beside, strict=True)) >= prose:
            return gutter
    return None
