"""Puts the text of a segment together from pieces of a file, and keeps where each stands."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.checking.draft import Place
from kb.interchange.xml_events import TextPiece

# Kana, Han, their punctuation and full-width forms: written without spaces.
_UNSPACED = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_UNSPACED_SIGN = re.compile(f"[{_UNSPACED}]")
_SPACED_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
# Characters on both sides of a line break that show how the text is written: part of a line, as
# names in the other script are shorter.
_BESIDE = 40
# Other white space, such as the ideographic space, is kept as it is.
_COLLAPSED = re.compile(r"[ \t\n\f]*[\t\n\f][ \t\n\f]*|  +")


class LinePlaces:
    """Finds the line and column of an offset in a text, fast where offsets go up.

    >>> LinePlaces("引く\\nドロー").place(4)
    (2, 1)
    """

    def __init__(self, text: str, line: int = 1) -> None:
        """text: its lines end with line feeds. line: the number of its first line."""
        self.text = text
        self._offset, self._line = 0, line

    def place(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of a character: the line from the first line's number on, the
        column from 0."""
        if offset >= self._offset:
            self._line += self.text.count("\n", self._offset, offset)
        else:
            self._line -= self.text.count("\n", offset, self._offset)
        self._offset = offset
        return self._line, offset - self.text.rfind("\n", 0, offset) - 1


class SegmentText:
    """A text under construction, and where its pieces stand in the file.

    >>> built = SegmentText()
    >>> built.add("カードを", 1, 2)
    >>> built.add_gap("\\n", 1, 6)
    >>> built.add("引く。", 2, 0)
    >>> built.text(), built.places
    ('カードを引く。', [(0, 1, 2), (4, 2, 0)])
    """

    def __init__(self, pieces: Iterable[TextPiece] = ()) -> None:
        """pieces: of a format in which any white space is one space."""
        self.places: list[Place] = []
        self.length = 0
        self._pieces: list[str] = []
        self._gap: tuple[str, int, int] | None = None
        for piece in pieces:
            add = self.add_gap if piece.is_gap else self.add_collapsed
            add(piece.text, piece.line, piece.column)

    def text(self) -> str:
        """Return the text as it is now, without white space at its end."""
        return "".join(self._pieces)

    def add(self, text: str, line: int, column: int) -> None:
        """Add text that stands in one line of the file, or several with the line breaks in it.

        line, column: where its first character stands.
        """
        if not text:
            return
        if self._gap is not None and self.length:
            self._add_space(text)
        self._gap = None
        if not self.places or self._continued() != (line, column):
            self.places.append((self.length, line, column))
        self._pieces.append(text)
        self.length += len(text)

    def add_gap(self, space: str, line: int, column: int) -> None:
        """Add white space, which is one space if text follows, and nothing at either end or if a
        line of Japanese or Chinese breaks there.

        space: as it stands in the file. line, column: where it begins.
        """
        if self._gap is None:
            self._gap = space, line, column
        elif "\n" in space and "\n" not in self._gap[0]:
            self._gap = "\n", *self._gap[1:]

    def add_collapsed(self, text: str, line: int, column: int) -> None:
        """Add text of a format in which any white space is one space.

        line, column: where its first character stands; line breaks in the text are those of the
            file.
        """
        done = 0
        for gap in _COLLAPSED.finditer(text):
            line, column = self._add_piece(text[done : gap.start()], line, column)
            self.add_gap(gap[0], line, column)
            breaks = gap[0].count("\n")
            line += breaks
            column = len(gap[0]) - gap[0].rfind("\n") - 1 if breaks else column + len(gap[0])
            done = gap.end()
        self._add_piece(text[done:], line, column)

    def _add_piece(self, text: str, line: int, column: int) -> tuple[int, int]:
        """Add text of one line, with a single space at either end as a gap; return the line and
        column behind it."""
        end = line, column + len(text)
        if text.startswith(" "):
            self.add_gap(" ", line, column)
            text, column = text[1:], column + 1
        inner = text.removesuffix(" ")
        self.add(inner, line, column)
        if inner != text:
            self.add_gap(" ", line, column + len(inner))
        return end

    def _add_space(self, following: str) -> None:
        """Add the space of the gap, if there is to be one before the text that follows."""
        assert self._gap is not None
        space, line, column = self._gap
        self._gap = None
        if "\n" in space and not is_spaced(self._pieces[-1], following):
            return
        self.add(" ", line, column)

    def _continued(self) -> tuple[int, int]:
        """Return where the next character stands if it follows directly in the file."""
        offset, line, column = self.places[-1]
        return line, column + self.length - offset


def is_spaced(before: str, after: str) -> bool:
    """Whether a line break between two texts stands for a space, as it does not in Japanese, nor
    behind a hyphen within a word. Between scripts, whichever has most letters around decides, of
    which one of Japanese counts twice.

    >>> is_spaced("draw a", "card"), is_spaced("カードを", "3枚引く"), is_spaced("face-", "down")
    (True, False, False)
    """
    before, after = before[-_BESIDE:], after[:_BESIDE]
    if before.endswith("-") and before[-2:-1].isalpha() and after[:1].islower():
        return False
    if not _UNSPACED_SIGN.match(before[-1:] or " ") and not _UNSPACED_SIGN.match(after):
        return True
    both = before + after
    return 2 * len(_UNSPACED_SIGN.findall(both)) < len(_SPACED_LETTER.findall(both))
