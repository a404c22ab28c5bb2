"""The dataclasses of a check: a draft, its segments, and what is found wrong with them.

Here is also which parts of a source and its translation can be held against each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from kb.reason import Reason
from kb.result import reported

# What begins examples and remarks that a translation may leave out, or put elsewhere.
_EXAMPLE = re.compile(
    r"(?:(?<=[.!?。）)”」])|\n|^)\s*(?:e\.g\.|Examples?\b\s*[:：]|For example\b|例\s*[:：、]"
    r"|例えば|See (?:also )?rule|参照[:：]|詳細については)"
)


def comparable_parts(source: str, target: str) -> tuple[str, str]:
    """Return two texts without the examples and remarks at their ends that only one of them has:
    from `e.g.`, `Example:`, `See rule`, 例：, 参照： and the like on. If both have some, or
    neither, they are returned as they are; what remains may be empty.

    >>> comparable_parts("Draw a card. e.g., “Draw two.”", "カードを引く。")
    ('Draw a card.', 'カードを引く。')
    """
    ends = [_EXAMPLE.search(text) for text in (source, target)]
    if bool(ends[0]) == bool(ends[1]):
        return source, target
    source_end, target_end = (found.start() if found else None for found in ends)
    return source[:source_end].rstrip(), target[:target_end].rstrip()


Kind = Literal[
    "missing-term",  # a term of the source whose approved name the target lacks
    "missing-text",  # a sentence of the source, or half of it, that the target seems to lack
    "inconsistent-term",  # one term is translated in two ways
    "merged-terms",  # the name of another term of the game stands for a term
    "deprecated-term",  # a name that is no longer used
    "forbidden-term",  # a name that a decision forbids
    "other-game-term",  # a name that only another game uses
    "opposite",  # a word in place of its opposite, or a negation that was lost or added
    "number",  # a number or count that was changed or lost
    "rule-number",  # the number of a rule that was changed or lost
    "moved-citation",  # the rule cited is another one in the edition meant
    "card-name",  # a card's name that is not as printed
    "spelling",  # a spelling that departs from the house's
]
KINDS: tuple[str, ...] = get_args(Kind)
Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a draft that is checked as one: a line, a paragraph or a translation unit.

    id: unique and stable in the file: its number from 1, or the id that the file gives the unit.
    line: of the target's beginning in the file, from 1.
    target: the draft's text; line breaks in the middle of a paragraph are spaces, or nothing in
        Japanese.
    target_lang: such as `en`; None if unknown.
    source, source_lang: the text that the target translates; None if the file doesn't give it.
    places: (offset in the target, line, column) where a new piece of the file begins, in order;
        from one to the next, both offset and column count characters. Columns are from 0. Empty if
        the places aren't known.
    ignored: the kinds of findings that a comment in the file tells to ignore; None for all kinds.
    """

    id: str
    line: int
    target: str
    target_lang: str | None = None
    source: str | None = None
    source_lang: str | None = None
    places: tuple[Place, ...] = ()
    ignored: frozenset[str] | None = frozenset()

    def place(self, offset: int) -> tuple[int, int]:
        """Return (line from 1, column from 0) of a character of the target.

        offset: in the target, from 0 to its length. Where places aren't known, the column is the
            offset and the line that of the segment.

        >>> Segment("1", 4, "Draw a card.", places=((0, 4, 2), (7, 5, 0))).place(9)
        (5, 2)
        >>> Segment("1", 4, "Draw a card.").place(9)
        (4, 9)
        """
        index = bisect_right(self.places, offset, key=lambda place: place[0])
        if not index:
            return self.line, offset
        begin, line, column = self.places[index - 1]
        return line, column + offset - begin

    def span(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Return where a span of the target stands: first line, start, last line and end.

        start, end: offsets in the target. The start and end returned are columns; the end is that
            behind the last character.

        >>> Segment("1", 4, "Draw a card.", places=((0, 4, 2), (7, 5, 0))).span(5, 11)
        (4, 7, 5, 4)
        """
        line, column = self.place(start)
        if end <= start:
            return line, column, line, column
        last_line, last_column = self.place(end - 1)
        return line, column, last_line, last_column + 1

    def ignores(self, kind: str) -> bool:
        """Whether a comment in the file tells to ignore findings of a kind in this segment."""
        return self.ignored is None or kind in self.ignored


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as it is read.

    path: of the file, as it was given.
    format: `text`, `markdown`, `html`, `xliff`, `tmx`, `csv` or `pair`.
    segments: read while they are taken, once. Taking one raises SourceError where the file is
        broken.
    warnings: what wasn't read, or not paired, a line each; complete when all segments are taken.
    """

    path: str
    format: str
    segments: Iterator[Segment]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a draft that departs from the termbase or the source.

    line, start, end: where it is; `start` is a column of `line`, `end` of `end_line`, both in
        characters from 0, the end excluded. Where the segment's places aren't known, they are
        offsets in the segment.
    end_line: the last line; that of the beginning unless the words go on in a further line.
    text: the words of the draft; empty if something is missing.
    kind: one of `Kind`.
    expected: what should stand there; None if nothing certain can be said.
    term: the id of the concept; None if it is about none.
    giver: who says so: a page, an edition, a decisions file; None if it needs none.
    said: what is wrong; None if the kind says it all.
    segment: the id of the segment.
    suggestion: what `text` can be replaced by; None without one.
    source_text: the words of the source that it rests on; None if it doesn't.
    segment_text: the whole target of the segment, by which the finding is known again.
    """

    line: int
    start: int
    end: int
    text: str
    kind: str
    expected: str | None = None
    term: str | None = None
    giver: Reason | None = None
    said: Reason | None = None
    segment: str = ""
    suggestion: str | None = None
    source_text: str | None = None
    segment_text: str = ""
    end_line: int | None = None

    @reported
    def authority(self) -> str | None:
        """Who says so, in words; None if it needs nobody."""
        return str(self.giver) if self.giver else None

    @reported
    def message(self) -> str:
        """What is wrong, in one sentence; empty if the kind says it all."""
        return str(self.said) if self.said else ""


def given_by(authority: str) -> Reason | None:
    """Return that somebody says so, by name; None for an empty name."""
    return Reason("said", text=authority) if authority else None


def finding_at(
    segment: Segment,
    start: int,
    end: int,
    kind: Kind,
    said: Reason,
    *,
    expected: str | None = None,
    term: str | None = None,
    giver: Reason | None = None,
    suggestion: str | None = None,
    source_text: str | None = None,
) -> Finding:
    """Return the finding about a span of a segment's target, with its place in the file.

    start, end: offsets in the target; the same for what is missing. The others are as for
        `Finding`.

    >>> segment = Segment("1", 4, "Draw a card.", places=((0, 4, 2),))
    >>> found = finding_at(segment, 0, 4, "forbidden-term", Reason("is_forbidden", written="Draw"))
    >>> found.line, found.start, found.end, found.text, found.message
    (4, 2, 6, 'Draw', '“Draw” is forbidden')
    """
    line, first, last_line, last = segment.span(start, end)
    return Finding(
        line=line,
        start=first,
        end=last,
        text=segment.target[start:end],
        kind=kind,
        expected=expected,
        term=term,
        giver=giver,
        said=said,
        segment=segment.id,
        suggestion=suggestion,
        source_text=source_text,
        segment_text=segment.target,
        end_line=last_line,
    )
