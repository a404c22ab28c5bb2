"""Makes segments of the blocks of a text, with what comments tell to ignore in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from kb.checking.draft import Place, Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.segment_text import SegmentText
from kb.checking.ignore_comments import IgnoreComment, TextComments, warnings_of
from scraper.markup.size_limits import pieces_of

LONGEST = 20_000  # characters of a segment; a longer one is cut, or not checked


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
    """Yield the segments of a file, numbered from 1; a block that is too long is several.

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
    """Yield the text and places of each piece of a block that is not too long."""
    if len(block.text) <= LONGEST:
        yield block.text, block.places
        return
    whole = Segment("", block.places[0][1], block.text, places=block.places)
    for start, end in pieces_of(block.text, LONGEST):
        later = [(at - start, line, col) for at, line, col in block.places if start < at < end]
        yield block.text[start:end], ((0, *whole.place(start)), *later)
