"""Puts the columns of printed pages one below the other, in texts that have them side by side, as
`pdftotext -layout` writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median

from scraper.rulebook.numbering import levels, number_at
from scraper.rulebook.page_layout import width

_WIDE_SPACE = re.compile(r"\S {2,}(?=\S)")
_GAP = re.compile(r"^ +(?=\S)|(?<=\S) {2,}(?=\S)")
_CELL_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
# All by hand, where no reason is beside them; the tests have such pages.
_WIDEST = 240  # characters of a page's lines; where they are longer, each is a paragraph
_FEWEST_LINES = 12  # of a page that has columns, or of a text; of less it is no matter
# Lines of both columns; on pages of a book with columns, where the gutter is known about.
_FEWEST_BESIDE, _FEWEST_ON_FURTHER = 6, 2
_BESIDE_SHARE = 0.25  # of a page's lines; a table in a text without columns has less
_MIDDLE = (0.25, 0.75)  # of the page's width, where the right column begins
_LOOKED_AT = 200  # lines of a page, which has fewer in print; a text without form feeds is one
_GUTTER = 2  # columns of spaces: one is between words
_DRIFT = 4  # columns that a gutter may seem moved, as quotation marks are wide in some fonts only
_SHIFTED = 8  # columns from the gutter of one page to that of another: margins turn with the leaf
_CROSSED, _HEADS = 0.12, 2  # of the lines with text on both sides, and heads, run through at most
# Columns of the median line of a column: those of a table are shorter.
# On further pages there are entries of contents as well.
_PROSE, _FURTHER_PROSE = 20, 8
_CANDIDATES = 6  # places where text begins most often, at one of which the right column does
_FEWEST_NUMBERS = 2  # rules that begin in the right column of the book: one may be a citation
_CELLS = 4  # of a row of a table: two columns have their number apart from their text, too
_Halves = list[tuple[str, str]]  # lines of a band: their left and right parts


def in_reading_order(text: str) -> str:
    """Return a text with the right column of each page below its left one, if pages have two and
    rules begin in the right one; else the text itself. What runs over both parts the columns above
    it from those below. Lines in columns lose the space at their ends, those of the right one also
    the gutter.

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
    begun = sum(
        _begins_rule(right)
        for page, gutter in zip(pages, gutters, strict=True)
        if gutter
        for band in _bands(page, gutter)
        for _, right in band
    )
    if begun < _FEWEST_NUMBERS:
        return text
    for n, page in enumerate(pages):
        if not gutters[n]:  # a page of contents, or the last, which have fewer and shorter lines
            gutter = _gutter(page, _FEWEST_ON_FURTHER, _FURTHER_PROSE)
            if gutter and min(abs(gutter - known) for known in sure) <= _SHIFTED:
                gutters[n] = gutter
    return "\f".join(
        "\n".join(_one_column(page, gutter)).replace("\0", "")
        for page, gutter in zip(pages, gutters, strict=True)
    )


class _Cells(dict[int, str]):
    """A cache of what stands for a character: itself, with a NUL behind it if it is full width."""

    def __missing__(self, code: int) -> str:
        sign = chr(code) if code else ""
        self[code] = sign + "\0" if width(sign) > 1 else sign
        return self[code]


_CELLS_OF = _Cells()


def _cells(line: str) -> str:
    """Return a line with a NUL behind each full-width character, so that its indices are the
    columns of a printed page."""
    return line if line.isascii() else line.translate(_CELLS_OF)


def _begins_rule(line: str) -> bool:
    number = number_at(line.replace("\0", "").strip())
    return number is not None and len(levels(number.number)) > 1


def _one_column(page: Sequence[str], gutter: int | None) -> Iterator[str]:
    """Yield the lines of a page in reading order; as they are without a gutter. Blank lines of a
    right column are left out."""
    if gutter is None:
        yield from page
        return
    for band in _bands(page, gutter):
        yield from (left for left, _ in band)
        yield from (right for _, right in band if right)


def _bands(page: Sequence[str], gutter: int) -> Iterator[_Halves]:
    """Yield the parts of a page from top to bottom: lines in two columns, or lines that run over
    both, which have no right part. Both parts are without space at their end; either may be empty.

    page: its lines, as `_cells` gives them.
    """
    cuts = [_cut(line, gutter) for line in page]
    wide = _lines_over_both(page, cuts)
    for is_wide, found in groupby(range(len(page)), wide.__getitem__):
        band: _Halves = []
        for n in found:
            cut = None if is_wide else cuts[n]
            before, behind = cut or (len(page[n]), len(page[n]))
            band.append((page[n][:before].rstrip(), page[n][behind:].rstrip()))
        yield band


def _lines_over_both(page: Sequence[str], cuts: Sequence[tuple[int, int] | None]) -> list[bool]:
    """Return for each line of a page whether it runs over both columns.

    Blocks of lines do if most of them cross the gutter or are rows of a table, or if some cross and
    none has a right part; so do a line that stands alone at the top or bottom of a page whose other
    lines do not, and a heading above both columns.

    cuts: what `_cut` returns for the lines.
    """
    filled = [bool(line.strip("\0 ")) for line in page]
    blocks = [
        list(found)
        for is_filled, found in groupby(range(len(page)), filled.__getitem__)
        if is_filled
    ]
    over = []
    for block in blocks:
        crossing = sum(cuts[n] is None or _is_row(page[n]) for n in block)
        is_alone = all(cuts[n] is None or _is_left(page[n], cuts[n]) for n in block)
        over.append(2 * crossing > len(block) or (crossing > 0 and is_alone))
    # A running head or a page number stands alone, but so does each line of a text in double space.
    if len(blocks) > 2 and any(len(block) > 1 for block in blocks):
        for place in (0, len(blocks) - 1):
            over[place] = over[place] or len(blocks[place]) == 1
    goes_on = False  # whether the right column has text below
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        is_heading = len(block) == 1 and _is_left(page[block[0]], cuts[block[0]])
        over[place] = over[place] or (is_heading and goes_on)
        if not over[place]:
            goes_on |= not all(cuts[n] is None or _is_left(page[n], cuts[n]) for n in block)
    wide = [False] * len(page)
    for block, is_over in zip(blocks, over, strict=True):
        for n in block:
            wide[n] = is_over
    for n, is_filled in enumerate(filled):  # blank lines belong to what stands above them
        if not is_filled and n:
            wide[n] = wide[n - 1]
    return wide


def _is_left(line: str, cut: tuple[int, int] | None) -> bool:
    """Whether a line has text in the left column alone; not if it runs over both."""
    return cut is not None and not line[cut[1] :].strip() and bool(line[: cut[0]].strip())


def _is_row(line: str) -> bool:
    """Whether a line is a row of a table: it has four cells, three spaces or more between them."""
    return len(_CELL_GAP.findall(line)) >= _CELLS - 1


def _cut(line: str, gutter: int) -> tuple[int, int] | None:
    """Return where the left part of a line ends and the right one begins; None if it runs over
    both columns. Both are the end of a line that does not reach the gutter."""
    drift = _DRIFT if "\0" in line else 0
    if len(line.rstrip()) <= gutter - _GUTTER + drift:
        return len(line), len(line)
    for gap in _GAP.finditer(line):
        if gap.start() <= gutter + drift - _GUTTER and gap.end() >= gutter - drift:
            return gap.start(), max(gap.start(), min(gap.end(), gutter))
    return None


def _gutter(lines: Sequence[str], fewest: int, prose: int) -> int | None:
    """Return where the right one of two columns of prose begins; None without columns. Of several
    places it is the one that the fewest lines cross, of these the first.

    fewest: lines that have text in both columns; prose: columns of the median line of each.
    """
    page = lines[:_LOOKED_AT]
    filled = [line for line in page if line.strip()]
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
    fitting: list[tuple[int, int]] = []  # lines that cross it, and the gutter
    usual = sorted(gutter for gutter, _ in begins.most_common(_CANDIDATES))
    for first in usual:
        near = (each for each in usual if first <= each <= first + 2 * drift)
        gutter = max(near, key=begins.__getitem__)
        cuts = [_cut(line, gutter) for line in page]
        wide = _lines_over_both(page, cuts)
        inside = [(line, cut) for line, cut, over in zip(page, cuts, wide, strict=True) if not over]
        crossing = sum(cut is None for _, cut in inside)
        beside = [
            (line[: cut[0]].strip(), line[cut[1] :].strip())
            for line, cut in inside
            if cut and cut[0] < cut[1] < len(line) and line[: cut[0]].strip()
        ]
        most = _CROSSED * (len(beside) + crossing) + _HEADS
        if len(beside) < max(fewest, _BESIDE_SHARE * len(filled)) or crossing > most:
            continue
        if min(median(map(len, column)) for column in zip(*beside, strict=True)) >= prose:
            fitting.append((crossing, gutter))
    # Of several the first: behind the numbers of a column there is a space as wide.
    return min(fitting, default=(0, None))[1]
