"""Breaks text into lines by its width in a terminal, as Japanese and English are broken."""

from __future__ import annotations

import re
import unicodedata

# What stays together on a line: a word with the signs at it, or a wide character with the
# opening signs before it and the closing ones behind it. By the rules of Japanese typesetting an
# opening sign ends no line, and a closing one, a small kana or a mark of repetition begins none.
_OPENING = "（「『【〔《〈［｛([{“‘"
_CLOSING = (
    "、。，．・：；？！）」』】〕》〉］｝ー…々ゝゞ)]}”’,.;:?!"
    + "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
)
# From the radicals to the ideographs, with kana and punctuation but not the wide space (U+3000),
# where a line may end; further ideographs; full-width forms. Hangul has spaces between its words.
_WIDE = r"\u2e80-\u2fff\u3001-\u9fff\uf900-\ufaff\uff00-\uffef"
_UNIT = re.compile(
    rf"[{re.escape(_OPENING)}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)(?: ?[{re.escape(_CLOSING)}])*"
    rf"|[{re.escape(_OPENING)}]+"
)
_INVISIBLE = {"Mn", "Me", "Cf"}  # Unicode categories of characters without a width


def cell_width(text: str) -> int:
    """Return how many columns a text takes in a terminal.

    >>> cell_width("札 a")
    4
    """
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in _INVISIBLE:
        return 0
    return 1 + (unicodedata.east_asian_width(character) in "WF")


def break_lines(text: str, width: int, first_width: int | None = None) -> list[tuple[int, int]]:
    """Return the start and end of each line into which a text is broken, in order; none for a text
    without any but white space. The spaces around a line are in none.

    text: its line ends are kept; lines without any text are left out.
    width: of a line, in columns; what can't be broken and is wider is broken anywhere.
    first_width: of the first line, if that is another.

    >>> [("a bc d"[start:end]) for start, end in break_lines("a bc d", 4)]
    ['a bc', 'd']
    """
    lines: list[tuple[int, int]] = []
    for paragraph in re.finditer(r"\S[^\n]*", text):
        start = end = paragraph.start()
        columns = 0
        for unit_start, unit_end in _units(
            text, *paragraph.span(), min(width, first_width or width)
        ):
            room = width if lines or first_width is None else first_width
            added = cell_width(text[end:unit_end])
            if columns and columns + added > room:
                lines.append((start, end))
                start, columns, added = unit_start, 0, cell_width(text[unit_start:unit_end])
            columns += added
            end = unit_end
        if end > start:
            lines.append((start, end))
    return lines


def _units(text: str, start: int, end: int, width: int) -> list[tuple[int, int]]:
    """Return the start and end of each piece of text[start:end] that stays on one line, in order
    and without the spaces between; none is wider than `width`, unless it is a single character."""
    units = []
    for match in _UNIT.finditer(text, start, end):
        piece_start, columns = match.start(), 0
        if cell_width(match[0]) > width:
            for position in range(match.start(), match.end()):
                character_width = _character_width(text[position])
                if columns + character_width > width:
                    units.append((piece_start, position))
                    piece_start, columns = position, 0
                columns += character_width
        units.append((piece_start, match.end()))
    return units


def shortened(text: str, columns: int) -> str:
    """Return a text on one line, cut off with `…` if it is wider than some columns.

    >>> shortened("引く（ドロー）", 8)
    '引く（…'
    """
    text = " ".join(text.split())
    if cell_width(text) <= columns:
        return text
    room = columns - 1
    for position, character in enumerate(text):
        room -= _character_width(character)
        if room < 0:
            return text[:position].rstrip() + "…"
    return text


def shortened_start(text: str, columns: int) -> str:
    """Return the end of a text on one line, after `…` if it is wider than some columns.

    >>> shortened_start("通常のドロー", 8)
    '…ドロー'
    """
    text = " ".join(text.split())
    if cell_width(text) <= columns:
        return text
    return shortened(text[::-1], columns)[::-1]
