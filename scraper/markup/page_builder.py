"""Putting a page together from text that arrives piece by piece."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from typing import Any

from scraper.page import (
    Link,
    LinkKind,
    Page,
    Passage,
    PassageKind,
    ReadWarning,
    Ruby,
    Section,
    text_size,
)

# Marks for the end of a line and of a table's cell: no text holds half of a surrogate pair.
_BREAK, _CELL = "\ud800", "\ud801"
_MARKS = frozenset((_BREAK, _CELL))
_LAYOUT = " \t\r\n\f" + _BREAK + _CELL
# Gaps that are not shown as they stand: all but a space, a mark or a run of cells alone.
_GAP = re.compile(f"[{_LAYOUT}]{{2,}}|[\\t\\r\\n\\f]")
_VERBATIM_GAP = re.compile(f"[{_BREAK}{_CELL}]{{2,}}")


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


@dataclass(slots=True, eq=False)
class OpenSpan:
    """A span that has begun: what it is, and its pieces of what has been collected."""

    start: int
    link: tuple[LinkKind, str, str] | None = None
    reading: list[str] | None = None
    end: int = -1


class TextRun:
    """A run of inline text: white space folded as a browser does, spans kept in step.

    A line end between Japanese characters joins them without a space.

    >>> run = TextRun()
    >>> run.text("  カードを\\n")
    >>> span = run.open_link("page", "引く"); run.text("引"); run.close(span)
    >>> run.text("く。 ")
    >>> p = run.passage("paragraph")
    >>> p.text, p.links[0].start, p.links[0].end
    ('カードを引く。', 4, 5)
    """

    __slots__ = ("_done", "_open", "_pieces", "text", "verbatim")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: list[OpenSpan] = []
        self._done: list[OpenSpan] = []
        self.text = self._pieces.append  # text as it stands in the markup
        self.verbatim = False

    def line(self) -> None:
        """End the line."""
        self._pieces.append(_BREAK)

    def cell(self) -> None:
        """End the cell of a table."""
        self._pieces.append(_CELL)

    def open_link(self, kind: LinkKind, target: str, anchor: str = "") -> OpenSpan:
        """Begin a link; hand what comes back to `close`."""
        span = OpenSpan(len(self._pieces), (kind, target, anchor))
        self._open.append(span)
        return span

    def open_strong(self) -> OpenSpan:
        """Begin emphasised text."""
        span = OpenSpan(len(self._pieces))
        self._open.append(span)
        return span

    def open_ruby(self) -> OpenSpan:
        """Begin text with a reading."""
        span = OpenSpan(len(self._pieces), None, [])
        self._open.append(span)
        return span

    def reading(self, text: str) -> None:
        """Add to the reading of the innermost ruby that is open."""
        for span in reversed(self._open):
            if span.reading is not None:
                span.reading.append("".join(text.split()))
                return

    def close(self, span: OpenSpan) -> None:
        """End a span. One that held no text is dropped."""
        self._open.remove(span)
        span.end = len(self._pieces)
        if span.start < span.end:
            self._done.append(span)

    def __bool__(self) -> bool:
        for piece in self._pieces:  # noqa: SIM110  # asked at every block: any() costs twice
            if piece not in _MARKS and not piece.isspace():
                return True
        return False

    def drop(self) -> None:
        """Forget what has been collected where it is no more than layout."""
        self._pieces.clear()
        self._done.clear()
        for span in self._open:
            span.start = 0

    def passage(
        self,
        kind: PassageKind,
        section: int = 0,
        block: int = 0,
        depth: int = 0,
        ordinal: int | None = None,
        parent: int | None = None,
        head: bool = False,
    ) -> Passage:
        """What has been collected, as a passage; the run is empty afterwards.

        The fields are those of a passage. Spans still open go on in the next passage.
        """
        where = (section, block, depth, ordinal, parent, head)
        raw = "".join(self._pieces)
        whole, ends, shifts = _folded(raw, _VERBATIM_GAP if self.verbatim else _GAP)
        text = whole.strip() if kind != "row" else whole.strip(" \n\r\u3000\xa0")
        spans = self._spans()
        self.drop()
        if not spans:
            return Passage(kind, text, *where)  # by name costs twice the time
        lead = whole.find(text)
        links, ruby, strong = [], [], []
        for start, end, span in _places(raw, spans, ends, shifts):
            start, end = max(0, start - lead), min(len(text), end - lead)
            if start >= end:
                continue
            if span.link is not None:
                links.append(Link(start, end, *span.link))
            elif span.reading is None:
                strong.append((start, end))
            elif span.reading:
                ruby.append(Ruby(start, end, "".join(span.reading)))
        return Passage(kind, text, *where, tuple(links), tuple(ruby), tuple(strong))

    def _spans(self) -> list[tuple[int, int, OpenSpan]]:
        """The spans that have ended or go on, and where they stand in the collected text."""
        spans = self._done
        if self._open:
            end = len(self._pieces)
            spans = spans + [OpenSpan(s.start, s.link, s.reading, end) for s in self._open]
        if not spans:
            return []
        at = list(accumulate(map(len, self._pieces), initial=0))
        return sorted(((at[s.start], at[s.end], s) for s in spans), key=itemgetter(0, 1))


def _folded(raw: str, gaps: re.Pattern[str]) -> tuple[str, list[int], list[int]]:
    """Text with its gaps as they are shown; where each ended, and how far what follows moves."""
    pieces: list[str] = []
    ends: list[int] = []
    shifts: list[int] = []
    at = 0
    for gap in gaps.finditer(raw):
        start, end = gap.span()
        shown = _shown(raw, start, end)
        pieces += raw[at:start], shown
        at = end
        ends.append(end)
        shifts.append((shifts[-1] if shifts else 0) + len(shown) - (end - start))
    whole = "".join([*pieces, raw[at:]]) if pieces else raw
    return whole.replace(_BREAK, "\n").replace(_CELL, "\t"), ends, shifts


def _shown(raw: str, start: int, end: int) -> str:
    """What a browser shows of a gap; an empty cell is a tab more."""
    gap = raw[start:end]
    if cells := gap.count(_CELL):
        return "\t" * cells
    if start == 0 or end == len(raw):
        return ""
    if _BREAK in gap:
        return "\n"
    return "" if "\n" in gap and (_wide(raw[start - 1]) or _wide(raw[end])) else " "


def _places(
    raw: str, spans: list[tuple[int, int, OpenSpan]], ends: list[int], shifts: list[int]
) -> Iterator[tuple[int, int, OpenSpan]]:
    """Where spans are once gaps are folded; none begins or ends in a gap."""
    for start, end, span in spans:
        held = raw[start:end]
        inner = held.strip(_LAYOUT)
        if not inner:
            continue
        if inner is not held:
            start += held.find(inner)
            end = start + len(inner)
        if ends:
            start += shifts[n - 1] if (n := bisect_right(ends, start)) else 0
            end += shifts[n - 1] if (n := bisect_right(ends, end)) else 0
        yield start, end, span


class PageBuilder:
    """Collects the sections, passages and omissions of one page."""

    def __init__(self, title: str = "") -> None:
        self.sections: list[Section] = [Section(title)]
        self.passages: list[Passage] = []
        self.left_out: Counter[str] = Counter()
        self.warnings: list[ReadWarning] = []

    @property
    def section(self) -> int:
        """The section that is open."""
        return len(self.sections) - 1

    def leave_out(self, reason: str, text: str) -> None:
        """Count text that goes into no passage, under the reason why."""
        if text and (amount := text_size(text)):
            self.left_out[reason] += amount

    def add(self, passage: Passage) -> int:
        """Add a passage to the section that is open; gives its place in the page."""
        if passage.section != self.section:
            passage = replace(passage, section=self.section)
        self.passages.append(passage)
        return len(self.passages) - 1

    def heading(self, passage: Passage, level: int, anchor: str = "") -> int:
        """Open a section with its heading."""
        parent: int | None = len(self.sections) - 1 or None
        while parent is not None and self.sections[parent].level >= level:
            parent = self.sections[parent].parent
        self.sections.append(Section(passage.text, level, anchor, parent))
        return self.add(passage if passage.kind == "heading" else replace(passage, kind="heading"))

    def page(self, **fields: Any) -> Page:
        """The finished page."""
        return Page(
            sections=tuple(self.sections),
            passages=tuple(self.passages),
            left_out=dict(sorted(self.left_out.items())),
            warnings=tuple(self.warnings),
            **fields,
        )
