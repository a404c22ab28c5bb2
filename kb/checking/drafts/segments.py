"""Makes the segments of a draft: of its blocks of text, or of the units of a bilingual file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from kb.checking.draft import Place, Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.segment_places import SegmentText
from kb.checking.ignore_comments import (
    IgnoreComment,
    IgnoredKinds,
    TextComments,
    parse_comment,
    warnings_of,
)
from kb.interchange.xml_events import XmlEvent
from scraper.markup.size_limits import pieces_of

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
