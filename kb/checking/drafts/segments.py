"""Makes the segments of a draft: of its blocks of text, or of the units of a bilingual file.

The text of a segment is put together from pieces of a file, and keeps where each stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from kb.checking.draft import Place, Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.ignore_comments import (
    IgnoreComment,
    IgnoredKinds,
    TextComments,
    parse_comment,
    warnings_of,
)
from kb.interchange.xml_events import TextPiece, XmlEvent
from scraper.markup.size_limits import pieces_of

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


_LONGEST_ID = 200  # characters of an id, for display; the rest is cut, as it may be of any length
# Characters of a segment; a longer one is cut, or not checked. A guard of time, as some checks take
# more than the length; the longest rule of Magic has 2,811.
LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph of a file.

    text, places: as for `Segment`. start, end: where it stands in the file's text, markup included.
    """

    text: str
    places: tuple[Place, ...]
    start: int
    end: int


def block_of(built: SegmentText, start: int, end: int) -> Block | None:
    """Return the block of a text that is complete; None if it has neither letter nor digit."""
    text = built.text()
    if not any(map(str.isalnum, text)):
        return None
    return Block(text, tuple(built.places), start, end)


def segments_of(
    file: DraftFile,
    blocks: Iterable[Block | None],
    comments: list[IgnoreComment],
    warnings: list[str],
) -> Iterator[Segment]:
    """Yield the segments of a file, in order, numbered from 1; a block that is too long is several.
    None among the blocks is left out.

    comments: those of the file for sansho, in their order.
    warnings: to which warnings are added.
    """
    warnings += warnings_of(file.path, comments)
    ignored = TextComments(file.text, comments)
    numbers = count(1)
    for block in blocks:
        if block is None:
            continue
        kinds = ignored.kinds(block.start, block.end)
        for text, places in _pieces(block):
            line = places[0][1]
            yield Segment(str(next(numbers)), line, text, places=places, ignored=kinds)


def _pieces(block: Block) -> Iterator[tuple[str, tuple[Place, ...]]]:
    """Yield (text, places) of a block, or of pieces of a longer one than `LONGEST`, in order."""
    if len(block.text) <= LONGEST:
        yield block.text, block.places
        return
    whole = Segment("", block.places[0][1], block.text, places=block.places)
    for start, end in pieces_of(block.text, LONGEST):
        later = [(at - start, line, col) for at, line, col in block.places if start < at < end]
        yield block.text[start:end], ((0, *whole.place(start)), *later)


@dataclass(frozen=True, slots=True)
class Unit:
    """A source text and its translation, as a file gives them.

    id: empty, or not unique, if the file does no better. line: where it begins.
    source: empty if there is none. target: None, or empty, if it isn't translated.
    skipped: why it is not to be checked, in words that follow a number; empty if it is.
    """

    id: str
    line: int
    source: str
    target: SegmentText | None
    source_lang: str | None = None
    target_lang: str | None = None
    skipped: str = ""


_UNTRANSLATED = "have no translation"
_TOO_LONG = f"are longer than {LONGEST:,} characters"


def segments_of_units(
    path: str,
    units: Iterable[Unit | IgnoreComment],
    warnings: list[str],
    target_lang: str | None = None,
) -> Iterator[Segment]:
    """Yield a segment for each unit that has a translation, in order; an id that comes again, or is
    empty, gets `#` and its number among them.

    units: with the comments for sansho where they stand in the file.
    warnings: gets a line for each reason why units aren't checked, and what comments are wrong.
    target_lang: of units that don't give it.
    """
    ignored, comments = IgnoredKinds(), []
    left_out: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for unit in units:
        if isinstance(unit, IgnoreComment):
            comments.append(unit)
            ignored.read(unit)
            continue
        kinds = ignored.take()
        target = unit.target.text() if unit.target else ""
        reason = unit.skipped or _left_out(unit.source, target)
        if reason:
            left_out[reason] += 1
            continue
        places = tuple(unit.target.places) if unit.target else ()
        name = unit.id[:_LONGEST_ID]
        seen[name] += 1
        yield Segment(
            id=name if name and seen[name] == 1 else f"{name}#{seen[name]}",
            line=places[0][1] if places else unit.line,
            target=target,
            target_lang=unit.target_lang or target_lang,
            source=unit.source or None,
            source_lang=unit.source_lang,
            places=places,
            ignored=kinds,
        )
    warnings += [f"{path}: units that {why} and aren't checked: {n}" for why, n in left_out.items()]
    warnings += warnings_of(path, comments)


def units_and_comments(
    events: Iterable[XmlEvent],
    take: Callable[[XmlEvent], Iterable[Unit | IgnoreComment]],
) -> Iterator[Unit | IgnoreComment]:
    """Yield what a reader makes of the events of a file, with the comments for sansho.

    A comment at the end of the line on which a unit ends comes before that unit, as it is about it.

    take: returns the units, and the comments in notes, that an event completes.
    """
    held: Unit | None = None  # it may have a comment behind it
    held_line = 0
    for event in events:
        if event.kind == "comment":
            comment = parse_comment(event.text)
            if comment and held and event.ends_line and event.line == held_line:
                yield comment
                comment = None
            if held and (comment or event.line == held_line):
                yield held
                held = None
            if comment:
                yield comment
            continue
        for item in take(event):
            if held:
                yield held
                held = None
            if isinstance(item, Unit):
                held, held_line = item, event.line
            else:
                yield item
    if held:
        yield held


def _left_out(source: str, target: str) -> str:
    """Return why a unit isn't checked, for `Unit.skipped`: that it has no translation, or that
    either text is too long; empty if it is checked."""
    if not target.strip():
        return _UNTRANSLATED
    return _TOO_LONG if max(len(source), len(target)) > LONGEST else ""
