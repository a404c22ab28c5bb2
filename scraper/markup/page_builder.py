"""Builds passages from pieces of text (`TextRun`), and a page from passages (`PageBuilder`)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from scraper.markup.size_limits import (
    JOINED,
    LONGEST_PASSAGE,
    LONGEST_TITLE,
    MOST_PASSAGES,
    in_pieces,
)
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

# Marks for the end of a line and of a table's cell. No text contains them: they are halves of
# surrogate pairs.
_BREAK, _CELL = "\ud800", "\ud801"
_MARKS = frozenset((_BREAK, _CELL))
_WHITE_SPACE = " \t\r\n\f" + _BREAK + _CELL
# White space that is not shown as it is: all but a single space or mark. The pattern begins with
# one set of characters, which `re` finds four times as fast as one of two alternatives.
_GAP = re.compile(f"[{_WHITE_SPACE}](?:[{_WHITE_SPACE}]+|(?<=[\\t\\r\\n\\f]))")
_VERBATIM_GAP = re.compile(f"[{_BREAK}{_CELL}]{{2,}}")
# What is removed at the ends of a passage: all white space; of a row all but the marks of cells,
# and if it is verbatim all but tabs, too.
_BLANK = "".join(filter(str.isspace, map(chr, range(0x10000)))) + _BREAK + _CELL
_BLANK_OF_ROW = " \n\r\f\t\u3000\xa0" + _BREAK
_BLANK_OF_VERBATIM_ROW = " \n\r\u3000\xa0" + _BREAK
_NO_GAP: list[int] = []
_MOST_OPEN = 16  # links, readings and emphasis in each other, a guard: pages have two


def _is_full_width(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


class LinkTarget(NamedTuple):
    """What an element links to; the fields are those of `scraper.page.Link`."""

    kind: LinkKind
    target: str = ""
    anchor: str = ""


@dataclass(slots=True, eq=False)
class OpenSpan:
    """A link, ruby or emphasis that has begun in a `TextRun`.

    start, end: its pieces as a slice of all pieces that the run has collected; `end` is -1 until
        the span is closed.
    link: what a link leads to; None for ruby and emphasis.
    reading: the parts of the reading of a ruby; None for links and emphasis.
    """

    start: int
    link: LinkTarget | None = None
    reading: list[str] | None = None
    end: int = -1


class TextRun:
    """Collects inline text and the spans in it, and makes a passage of them.

    White space is folded as a browser does, and the spans are moved accordingly. A line end
    between Japanese characters joins them without a space.

    pieces: the text so far, piece by piece; empty if there is none.
    text: the method that adds a piece of text, with its white space as in the markup.
    verbatim: whether white space is kept as it is, as in `pre`.

    >>> run = TextRun()
    >>> run.text("  カードを\\n")
    >>> span = run.open(LinkTarget("page", "引く")); run.text("引"); run.close(span)
    >>> run.text("く。 ")
    >>> p = run.passage("paragraph")
    >>> p.text, p.links[0].start, p.links[0].end
    ('カードを引く。', 4, 5)
    """

    __slots__ = ("_done", "_open", "pieces", "text", "verbatim")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._open: list[OpenSpan] = []
        self._done: list[OpenSpan] = []
        self.text = self.pieces.append
        self.verbatim = False

    def line(self) -> None:
        """End the line; several line ends in a row make one, and none stays at the ends."""
        self.pieces.append(_BREAK)

    def cell(self) -> None:
        """End the cell of a table: call it between two cells, not after the last one."""
        self.pieces.append(_CELL)

    def open(self, link: LinkTarget) -> OpenSpan:
        """Begin a link to a target, and return the span that `close` takes."""
        return self._add(OpenSpan(len(self.pieces), link))

    def open_strong(self) -> OpenSpan:
        """Begin emphasised text, and return the span that `close` takes."""
        return self._add(OpenSpan(len(self.pieces)))

    def open_ruby(self) -> OpenSpan:
        """Begin text with a reading, and return the span that `close` takes."""
        return self._add(OpenSpan(len(self.pieces), None, []))

    def _add(self, span: OpenSpan) -> OpenSpan:
        """Begin a span, and return it.

        Where too many are in each other, the outermost ends here: each passage has all spans that
        are open, so their number must not grow with the page.
        """
        self._open.append(span)
        if len(self._open) > _MOST_OPEN:
            self.close(self._open[0])
        return span

    def reading(self, text: str) -> None:
        """Add text, without its white space, to the reading of the innermost ruby that is open.

        It is no part of the passage's text. It is dropped if no ruby is open.
        """
        for span in reversed(self._open):
            if span.reading is not None:
                span.reading.append("".join(text.split()))
                return

    def close(self, span: OpenSpan) -> None:
        """End a span; it is dropped if it has no text. One that has ended before stays as it is.

        Spans may be closed in any order.
        """
        if self._open and self._open[-1] is span:
            self._open.pop()
        elif span in self._open:
            self._open.remove(span)
        else:
            return
        span.end = len(self.pieces)
        if span.start < span.end:
            self._done.append(span)

    def __bool__(self) -> bool:
        """Whether the run has any text but white space."""
        for piece in self.pieces:  # noqa: SIM110  # hot path: any() takes twice the time
            if not piece.isspace() and piece not in _MARKS:
                return True
        return False

    def drop(self) -> None:
        """Discard the collected text, whatever it is, and the closed spans. Open spans stay open.

        For text that is only white space; else call `passage`.
        """
        self.pieces.clear()
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
        row_heads: int = 0,
    ) -> Passage:
        """Return the text that has been collected as a passage, and empty the run.

        White space is folded (unless `verbatim`) and removed at both ends, where a `row` keeps its
        tabs. The text is empty if there is nothing else. An open span is in this passage as far as
        it goes, and continues in the next one; a ruby without a reading is left out.

        The arguments are fields of the passage: see `scraper.page.Passage`.
        """
        raw = "".join(self.pieces)
        if kind != "row":
            shown = raw.strip(_BLANK)
        else:
            shown = raw.strip(_BLANK_OF_VERBATIM_ROW if self.verbatim else _BLANK_OF_ROW)
        text, ends, shifts = shown, _NO_GAP, _NO_GAP
        if "  " in shown or not shown.isprintable():  # one in five has a gap or a mark
            text, ends, shifts = _fold(shown, _VERBATIM_GAP if self.verbatim else _GAP)
        spans = self._located_spans() if self._done or self._open else None
        self.drop()
        # Passages are made without keywords, which would take twice the time.
        if not spans:
            fields = (kind, text, section, block, depth, ordinal, parent, head, (), (), (), None)
            return Passage(*fields, row_heads)
        links, ruby, strong = [], [], []
        lead, size = raw.find(shown), len(text)
        for start, end, _, span in spans:
            if raw[start] in _WHITE_SPACE or raw[end - 1] in _WHITE_SPACE:
                start, end = _without_white_space(raw, start, end)
            start -= lead
            end -= lead
            if ends:
                start += shifts[n - 1] if (n := bisect_right(ends, start)) else 0
                end += shifts[n - 1] if (n := bisect_right(ends, end)) else 0
            if start < 0:
                start = 0
            if end > size:
                end = size
            if start >= end or text[start:end].isspace():
                continue
            if span.link is not None:
                links.append(Link(start, end, *span.link))
            elif span.reading is None:
                strong.append((start, end))
            elif span.reading:
                ruby.append(Ruby(start, end, "".join(span.reading)))
        marked = tuple(links), tuple(ruby), tuple(strong)
        place = section, block, depth, ordinal, parent, head
        return Passage(kind, text, *place, *marked, None, row_heads)

    def _located_spans(self) -> list[tuple[int, int, int, OpenSpan]]:
        """Return (start, end, number, span) of the closed and the open spans, sorted by that.

        The offsets are those in the text before folding; spans without text are left out. A span
        that is open ends with the text. The number only keeps the order of spans with one place.
        """
        spans = self._done
        if self._open:
            last = len(self.pieces)
            spans = spans + [OpenSpan(s.start, s.link, s.reading, last) for s in self._open]
        offsets = list(accumulate(map(len, self.pieces), initial=0))
        located = [
            (start, end, number, span)
            for number, span in enumerate(spans)
            if (start := offsets[span.start]) < (end := offsets[span.end])
        ]
        located.sort()
        return located


def _fold(shown: str, gaps: re.Pattern[str]) -> tuple[str, list[int], list[int]]:
    """Return a text with its gaps as a browser shows them, and its marks as "\\n" and tab.

    shown: the text with marks, without the white space at its ends that is not shown.
    gaps: what is white space to be folded.

    Also return, for each gap, where it ended before folding, and how far the text behind it has
    moved in all.
    """
    pieces: list[str] = []
    ends: list[int] = []
    shifts: list[int] = []
    done = shift = 0
    for gap in gaps.finditer(shown):
        start, end = gap.span()
        displayed = _displayed_gap(shown, start, end)
        pieces += shown[done:start], displayed
        done = end
        shift += len(displayed) - (end - start)
        ends.append(end)
        shifts.append(shift)
    whole = "".join([*pieces, shown[done:]]) if pieces else shown
    return whole.replace(_BREAK, "\n").replace(_CELL, "\t"), ends, shifts


def _displayed_gap(shown: str, start: int, end: int) -> str:
    """Return what a browser shows for a gap of white space and marks.

    A tab for each cell mark, so an empty cell gives one more; else a line end if it has a line
    mark; else a space, or nothing for a line end in the markup next to a full-width character.

    shown: the whole text before folding, with marks; only a gap with a cell mark is at its ends.
    start, end: the offsets of the gap in it.
    """
    gap = shown[start:end]
    if cells := gap.count(_CELL):
        return "\t" * cells
    if _BREAK in gap:
        return "\n"
    joins = "\n" in gap and (_is_full_width(shown[start - 1]) or _is_full_width(shown[end]))
    return "" if joins else " "


def _without_white_space(raw: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a text without the white space and marks at its ends.

    If there is nothing else in it, both offsets are the same.
    """
    text = raw[start:end]
    shown = text.lstrip(_WHITE_SPACE)
    start += len(text) - len(shown)
    return start, start + len(shown.rstrip(_WHITE_SPACE))


class PageBuilder:
    """Collects the sections, passages, omissions and warnings of one page.

    sections, passages, warnings: the fields of the page.
    left_out: the number of characters that are in no passage, by reason.
    """

    def __init__(self, title: str = "", most: int = MOST_PASSAGES) -> None:
        """Begin a page. Of more passages than `most` the text is put together in larger ones."""
        self._most = most
        self.sections: list[Section] = [Section(title)]
        self.passages: list[Passage] = []
        self.left_out: Counter[str] = Counter()
        self.warnings: list[ReadWarning] = []

    @property
    def section(self) -> int:
        """The index in `sections` of the section that is open; 0 before the first heading."""
        return len(self.sections) - 1

    def leave_out(self, reason: str, text: str) -> None:
        """Count the characters of a text that is in no passage, but not white space; what has
        nothing else gives no reason.

        reason: what they are counted under, such as `page frame`.
        """
        if text and (amount := text_size(text)):
            self.left_out[reason] += amount

    def add(self, passage: Passage) -> int:
        """Add a passage to the section that is open, and return its index in `passages`.

        The passage's own `section` is replaced. One that is too long becomes several, of which the
        first one's index is returned; when there are the most that a page may have, the text is
        put together with that of others, without its links.
        """
        if len(passage.text) > LONGEST_PASSAGE:
            return self._add_in_pieces(passage)
        if len(self.passages) >= self._most:
            return self._add_text(passage.text)
        if passage.section != self.section:
            passage = replace(passage, section=self.section)
        self.passages.append(passage)
        return len(self.passages) - 1

    def _add_in_pieces(self, passage: Passage) -> int:
        """Add a passage that is too long, in pieces; return the index of the first. The page gets
        one warning for all such passages."""
        self._warn_once(
            f"a passage of {len(passage.text):,} characters; passages of more than "
            f"{LONGEST_PASSAGE:,} are kept in pieces"
        )
        indexes = [self.add(piece) for piece in in_pieces(passage)]
        return indexes[0]  # there is one: no passage is blank

    def _add_text(self, text: str) -> int:
        """Add text to a page with the most passages: on a line of its own to its last passage, or
        as another one if that is one of its own, or full; return that one's index."""
        self._warn_once(
            f"more than {self._most:,} passages; what follows is put together in larger ones, "
            "without links"
        )
        last = self.passages[-1]
        if len(self.passages) == self._most or len(last.text) + len(text) >= JOINED:
            self.passages.append(Passage("paragraph", text, self.section))
        else:
            self.passages[-1] = Passage("paragraph", f"{last.text}\n{text}", last.section)
        return len(self.passages) - 1

    def _warn_once(self, what: str) -> None:
        """Add a warning of a limit, unless there is one of the page that begins with the same nine
        characters: one for each limit."""
        start = what[:9]
        if not any(w.where == "page" and w.what.startswith(start) for w in self.warnings):
            self.warnings.append(ReadWarning("page", what))

    def heading(self, passage: Passage, level: int, anchor: str = "") -> int:
        """Open a section with its heading, and return the index of the heading in `passages`.

        passage: the heading, of any kind; its text is the title of the section.
        level: 1 for the highest (h1). The section is nested in the nearest one before it with a
            smaller level.
        anchor: the site's stable anchor of the heading, or empty.

        In a page with the most passages it is only text.
        """
        if len(self.passages) >= self._most:
            return self.add(passage)
        parent: int | None = len(self.sections) - 1 or None
        while parent is not None and self.sections[parent].level >= level:
            parent = self.sections[parent].parent
        title = passage.text
        if len(title) > LONGEST_TITLE:
            title = title[:LONGEST_TITLE]
            self._warn_once(
                f"titles of sections of more than {LONGEST_TITLE:,} characters are cut there; the "
                "headings have all of them"
            )
        self.sections.append(Section(title, level, anchor, parent))
        return self.add(passage if passage.kind == "heading" else replace(passage, kind="heading"))

    def page(self, **fields: Any) -> Page:
        """Return the finished page.

        fields: the fields of `scraper.page.Page` that the builder does not collect: at least
            `source`, `name` and `url`; also `title`, which is not taken from the builder.
        """
        return Page(
            sections=tuple(self.sections),
            passages=tuple(self.passages),
            left_out=dict(sorted(self.left_out.items())),
            warnings=tuple(self.warnings),
            **fields,
        )
