"""Wraps text to the terminal's width with an indent, marks in it, and Japanese at its width."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Sequence

_NARROWEST, _WIDEST = 40, 100  # columns
# What stays together on a line: a word with the signs at it, or a wide character with the
# opening signs before and the closing ones behind it.
_OPENING, _CLOSING = "（「『【〔《([{“‘", "、。，．・：；？！）」』】〕》ー…)]}”’,.;:?!"
_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffee"
_UNIT = re.compile(
    rf"[{re.escape(_OPENING)}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{re.escape(_CLOSING)}]*"
    rf"|[{re.escape(_OPENING)}]+"
)


def text_width() -> int:
    """Return how many columns text is wrapped to: the terminal's, at least 40 and at most 100; 80
    where there is no terminal."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def wrapped(
    text: str,
    indent: str,
    *,
    first: str | None = None,
    marks: Sequence[tuple[int, int]] = (),
    style: Callable[[str], str] = str,
) -> str:
    """Return a text as lines that fit the terminal, each behind an indent.

    text: its line ends are kept. indent: stands before each line. first: stands before the first
        line, with the width of the indent; None for the indent.
    marks: (start, end) of spans of the text, in order, that are put in `style`.
    style: makes terminal text of what is marked; it must not change the width.

    >>> print(wrapped("a b", "  ", first="- "))
    - a b
    """
    lines = []
    for start, end in _paragraphs(text):
        lines += [
            indent + _marked(text, *line, marks, style)
            for line in _lines(text, start, end, text_width() - cell_width(indent))
        ]
    if first is not None:
        lines = lines or [indent]
        lines[0] = first + lines[0][len(indent) :]
    return "\n".join(lines)


def cell_width(text: str) -> int:
    """Return how many columns a text takes in a terminal.

    >>> cell_width("札 a")
    4
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in text
    )


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line of a text that is not blank."""
    for match in re.finditer(r"\S[^\n]*", text):
        yield match.span()


def _lines(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line into which text[start:end] is broken.

    width: of a line in columns; only a unit that is longer makes a line that is.
    """
    line_start = line_end = start
    columns = 0
    for match in _UNIT.finditer(text, start, end):
        unit = cell_width(text[line_end : match.end()])
        if columns + unit > width and columns:
            yield line_start, line_end
            line_start, columns, unit = match.start(), 0, cell_width(match[0])
        columns += unit
        line_end = match.end()
    if line_end > line_start:
        yield line_start, line_end


def _marked(
    text: str,
    start: int,
    end: int,
    marks: Sequence[tuple[int, int]],
    style: Callable[[str], str],
) -> str:
    """Return text[start:end] with what is marked in it styled; white space as single spaces."""
    parts = []
    for mark_start, mark_end in marks:
        if mark_start < end and mark_end > start and mark_start < mark_end:
            first, last = max(mark_start, start), min(mark_end, end)
            parts += [text[start:first], style(text[first:last])]
            start = last
    return " ".join(("".join(parts) + text[start:end]).split(" "))
