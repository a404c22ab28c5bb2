"""Putting a page together from text that arrives piece by piece."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from scraper.page import Link, LinkKind, Page, Passage, PassageKind, Ruby, Section, Warn, size

_LAYOUT = re.compile(r"([ \t\r\n\f]+)")


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


@dataclass(slots=True, eq=False)
class Span:
    """A span that has begun. Its start is known once its first character arrives."""

    link: Link | None = None
    reading: list[str] | None = None
    start: int = -1
    end: int = -1


class Run:
    """A run of inline text: white space folded as a browser does, spans kept in step.

    A line end between Japanese characters joins them without a space.

    >>> run = Run()
    >>> run.text("  カードを\\n")
    >>> span = run.open_link("page", "引く"); run.text("引"); run.close(span)
    >>> run.text("く。 ")
    >>> p = run.passage("paragraph")
    >>> p.text, p.links[0].start, p.links[0].end
    ('カードを引く。', 4, 5)
    """

    __slots__ = ("_done", "_gap", "_length", "_open", "_parts", "verbatim")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._open: list[Span] = []
        self._done: list[Span] = []
        self.verbatim = False

    def text(self, data: str) -> None:
        """Add text as it stands in the markup."""
        if self.verbatim:
            self._put(data)
            return
        pieces = _LAYOUT.split(data)
        if len(pieces) == 1:
            self._join(data)
            return
        for place, piece in enumerate(pieces):
            if place % 2:
                self._gap += piece
            elif piece:
                self._join(piece)

    def _join(self, piece: str) -> None:
        if self._gap and self._parts:
            before = self._parts[-1][-1]
            joined = "\n" in self._gap and (_wide(before) or _wide(piece[0]))
            if before not in "\n\t" and not joined:
                self._put(" ", begins=False)
        self._gap = ""
        self._put(piece)

    def _put(self, piece: str, begins: bool = True) -> None:
        if begins and piece:
            for span in self._open:
                if span.start < 0:
                    span.start = self._length
        if piece:
            self._parts.append(piece)
            self._length += len(piece)

    def break_(self, mark: str = "\n") -> None:
        """A line break (or, between table cells, a tab, which needs no line breaks beside it)."""
        self._gap = ""
        last = self._parts[-1] if self._parts else ""
        if mark == "\t":
            if last == "\n":
                self._unbreak()
            self._put(mark, begins=False)
        elif last and last not in ("\n", "\t"):
            self._put(mark, begins=False)

    def _unbreak(self) -> None:
        """Take back the line break that was put last, also from the spans that end on it."""
        self._parts.pop()
        self._length -= 1
        for span in reversed(self._done):
            if span.end <= self._length:
                break
            span.end = self._length

    def open_link(self, kind: LinkKind, target: str, anchor: str = "") -> Span:
        """Begin a link; hand what comes back to `close`."""
        return self._begin(Span(link=Link(0, 0, kind, target, anchor)))

    def open_strong(self) -> Span:
        """Begin emphasised text."""
        return self._begin(Span())

    def open_ruby(self) -> Span:
        """Begin text with a reading, which `Span.reading` collects."""
        return self._begin(Span(reading=[]))

    def _begin(self, span: Span) -> Span:
        self._open.append(span)
        return span

    def close(self, span: Span) -> None:
        """End a span. One that held no text is dropped."""
        if span in self._open:
            self._open.remove(span)
            span.end = self._length
            if 0 <= span.start < span.end:
                self._done.append(span)

    def __bool__(self) -> bool:
        return any(not part.isspace() for part in reversed(self._parts))

    def passage(self, kind: PassageKind, **where: Any) -> Passage:
        """What has been collected, as a passage; the run is empty afterwards.

        Spans still open go on in the next passage.
        """
        whole = "".join(self._parts)
        text = whole.strip() if kind != "row" else whole.strip(" \n\r\u3000\xa0")
        shift = whole.find(text) if text else 0
        unfinished = [span for span in self._open if span.start >= 0]
        for span in unfinished:
            self._done.append(Span(span.link, span.reading, span.start, self._length))
            span.start = -1
        done = self._done
        self._parts, self._length, self._gap, self._done = [], 0, "", []
        if not done:
            return Passage(kind, text, **where)
        spans = sorted(
            (max(0, s.start - shift), min(len(text), s.end - shift), n, s)
            for n, s in enumerate(done)
        )
        spans = [found for found in spans if found[0] < found[1]]
        return Passage(
            kind,
            text,
            links=tuple(s.link.at(a, b) for a, b, _, s in spans if s.link),
            ruby=tuple(Ruby(a, b, "".join(s.reading)) for a, b, _, s in spans if s.reading),
            strong=tuple((a, b) for a, b, _, s in spans if s.link is None and s.reading is None),
            **where,
        )


class Composer:
    """Collects the sections, passages and omissions of one page."""

    def __init__(self, title: str = "") -> None:
        self.sections: list[Section] = [Section(title)]
        self.passages: list[Passage] = []
        self.left_out: Counter[str] = Counter()
        self.warnings: list[Warn] = []

    @property
    def section(self) -> int:
        """The section that is open."""
        return len(self.sections) - 1

    def leave_out(self, reason: str, text: str) -> None:
        """Count text that goes into no passage, under the reason why."""
        if text and (amount := size(text)):
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
        return self.add(replace(passage, kind="heading"))

    def page(self, **fields: Any) -> Page:
        """The finished page."""
        return Page(
            sections=tuple(self.sections),
            passages=tuple(self.passages),
            left_out=dict(sorted(self.left_out.items())),
            warnings=tuple(self.warnings),
            **fields,
        )
