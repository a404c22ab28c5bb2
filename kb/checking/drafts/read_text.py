"""Reads a draft in plain text: a segment is a line, or a paragraph where lines were wrapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from unicodedata import east_asian_width

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.segments import Block, SegmentText, block_of, segments_of
from kb.checking.ignore_comments import IgnoreComment, comments_in
from scraper.rulebook import page_layout
from scraper.rulebook.classified_lines import (
    ClassifiedLines,
    begins_item_or_example,
    classify_lines,
)
from scraper.rulebook.numbering import ends_sentence, number_at
from scraper.sites.rulebook_text import recognises

# By hand: laxer joins lines that are a segment each, stricter leaves wrapped sentences in pieces.
_WIDEST_WRAPPED = 130  # columns of a text whose lines were wrapped: people wrap at 72 to 120
_NARROWEST_WRAPPED = 30
_OTHERS = 50  # one line of so many may be longer: an address can't be wrapped
_FULL_SHARE = 0.7  # of the lines before another that are full, in a text that was wrapped
_FEWEST_FULL = 2
_SENTENCES_SHARE = 0.5  # of full lines that end a sentence; if more do, each line is one
_LINES_LOOKED_AT = 5_000  # a guard of time; a text is wrapped from its beginning
_SLACK = 4  # columns that a full line may lack: signs that must not begin a line, two full-width
_FIRST_WORD = re.compile(r"[!-~\u00c0-\u024f]+|\S")
_ITEM = re.compile(r"(?:[-*+]\s|[•・●■◆※○◎▼▶]|[(（]\w{1,4}[)）]|\d{1,3}[.)、．]|[例注]\d*[：:])\s*")
# Characters of a text that is read as a rulebook: a guard of time and memory; the longest has
# 940,000.
LARGEST = 5_000_000
# Further characters at which the lines of a rulebook are split; a form feed only begins a page.
_OTHER_ENDS = re.compile("[\v\x1c-\x1e\x85\u2028\u2029]|(?<=[^\n\f])\f+")
_TWO_COLUMNS = re.compile(r"\S[ \u3000]{3,}\S")  # of contents: justified lines have fewer spaces
_PRINTING = (page_layout.PAGE_NUMBER, page_layout.RUNNING_HEAD)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text, without comments and white space at its ends.

    number: from 1. text: what it says, from column `column` on. whole: the line as it stands there.
    start, end: in the whole text; the end is that of the line, comments included.
    """

    number: int
    text: str
    column: int
    whole: str
    start: int
    end: int


_Joined = Callable[[_Line, _Line], bool]


def read(file: DraftFile, warnings: list[str]) -> Iterator[Segment]:
    """Yield the segments of a text, in order, without languages: its lines, or paragraphs where
    lines were wrapped, in a rulebook as its parser has them.

    warnings: gets a line on what of a rulebook isn't checked.
    """
    comments = comments_in(file.text, is_plain=True)
    layout = rulebook_lines(_without(file.text, comments))
    if layout and layout.left_out:
        count = len(layout.left_out)
        what = "page numbers, running heads and contents in columns that aren't checked"
        warnings.append(f"{file.path}: {what}: {count}")
    if layout:
        joined: _Joined = partial(_goes_on_in_rulebook, layout.continuing)
    else:
        joined = partial(_goes_on_in_wrapped, wrap_width(file.text))
    lines = _lines(file.text, comments, layout.left_out if layout else frozenset())
    yield from segments_of(file, _blocks(lines, joined), comments, warnings)


def wrap_width(text: str) -> int | None:
    """Return the columns at which the lines of a text were wrapped; None if they were not.

    Lines were wrapped if nearly all that another line follows directly are so long that its first
    word would have been too much, and their ends aren't those of sentences.

    >>> text = "A line that was wrapped at a width of\\nforty columns as programs do it, with\\n"
    >>> wrap_width(text + "more of it in this line, and the end.")
    37
    >>> wrap_width("Draw a card.\\nDiscard two cards of your choice.\\nShuffle.")
    """
    lines = [line.rstrip() for line in islice(iter_lines(text), _LINES_LOOKED_AT)]
    widths = [_columns(line) if len(line) <= _WIDEST_WRAPPED else 999 for line in lines]
    widths_in_order = sorted(widths) or [0]
    width = widths_in_order[-1 - len(widths) // _OTHERS]
    if not _NARROWEST_WRAPPED <= width <= _WIDEST_WRAPPED:
        return None
    followed = [
        (line, _is_full(line, following, width))
        for line, following in pairwise(lines)
        if line.strip() and _may_go_on(line, following)
    ]
    full = [line for line, is_full in followed if is_full]
    if len(full) < max(_FEWEST_FULL, _FULL_SHARE * len(followed)):
        return None
    return width if sum(map(ends_sentence, full)) <= _SENTENCES_SHARE * len(full) else None


def iter_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text without their line feeds; none behind the last line feed."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    if start < len(text):
        yield text[start:]


def _without(text: str, comments: list[IgnoreComment]) -> str:
    """Return a text with spaces in place of comments, of the same length and with the same lines.

    comments: in order."""
    pieces, done = [], 0
    for comment in comments:
        pieces.append(text[done : comment.start])
        hidden = text[max(done, comment.start) : comment.end]
        pieces.append(re.sub(r"[^\n]", " ", hidden))
        done = max(done, comment.end)
    return "".join([*pieces, text[done:]])


def _goes_on_in_rulebook(continuing: frozenset[int], before: _Line, line: _Line) -> bool:
    """Whether a line of a rulebook continues the one before."""
    return line.number in continuing and line.number != before.number


def _goes_on_in_wrapped(width: int | None, before: _Line, line: _Line) -> bool:
    """Whether a line continues the one before, in a text whose lines were wrapped at a width."""
    return (
        width is not None
        and before.number == line.number - 1
        and _may_go_on(before.whole, line.whole)
        and _is_full(before.text, line.text, width - before.column)
    )


def _blocks(lines: Iterable[_Line], joined: _Joined) -> Iterator[Block | None]:
    """Yield the paragraphs of a text, or its lines where none continues another; None for what has
    neither letter nor digit."""
    built, start, before = SegmentText(), 0, None
    for line in lines:
        if before is not None and joined(before, line):
            built.add_gap("\n", before.number, before.column + len(before.text))
        else:
            if before is not None:
                yield block_of(built, start, before.end)
            built, start = SegmentText(), line.start
        built.add(line.text, line.number, line.column)
        before = line
    if before is not None:
        yield block_of(built, start, before.end)


def _lines(text: str, comments: list[IgnoreComment], left_out: frozenset[int]) -> Iterator[_Line]:
    """Yield the lines of a text that say something, comments for sansho left out.

    What stands on both sides of a comment in the middle of a line is two lines.

    left_out: the numbers of further lines to leave out.
    """
    start = index = 0
    for number, whole in enumerate(iter_lines(text), 1):
        end = start + len(whole)
        begin = start
        while index < len(comments) and comments[index].start < end:
            yield from _part(whole, number, start, begin, comments[index].start)
            begin = max(begin, comments[index].end)
            if comments[index].end > end:
                break
            index += 1
        if number not in left_out:
            yield from _part(whole, number, start, begin, end)
        start = end + 1


def _part(whole: str, number: int, line_start: int, begin: int, end: int) -> Iterator[_Line]:
    """Yield the part of a line from `begin` to `end`, offsets in the whole text, if it is not
    blank."""
    part = whole[max(begin - line_start, 0) : max(end - line_start, 0)]
    said = part.strip()
    if said:
        column = begin - line_start + len(part) - len(part.lstrip())
        yield _Line(number, said, column, whole, begin, line_start + len(whole))


def _columns(text: str) -> int:
    """Return the columns that a text takes on a screen: two for each full-width character."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _is_full(line: str, following: str, width: int) -> bool:
    """Whether the first word of the following line would not have fitted at a line's end.

    width: the most columns of a line.
    """
    if len(line) > 2 * width:
        return False
    word = _FIRST_WORD.match(following.lstrip())
    needed = _columns(word[0]) if word else 0
    spaced = needed > 0 and word is not None and word[0].isascii() and line[-1:].isascii()
    slack = 0 if spaced else _SLACK
    return _columns(line) + spaced + needed + slack > width


def _may_go_on(before: str, line: str) -> bool:
    """Whether a line may go on with what the line before it says: it is no item, no rule, and not
    indented further, but for what stands below the text of an item."""
    said = line.strip()
    if not said or _ITEM.match(said) or number_at(said[:100]):
        return False
    indent, outer = len(line) - len(line.lstrip()), len(before) - len(before.lstrip())
    item = _ITEM.match(before.lstrip())
    return indent <= outer or (item is not None and indent == outer + item.end())


@dataclass(frozen=True, slots=True)
class RulebookLines:
    """The lines of a rulebook, by their numbers from 1.

    continuing: those that continue the last line before that is not left out.
    left_out: page numbers, running heads, and contents in several columns.
    """

    continuing: frozenset[int]
    left_out: frozenset[int]


def rulebook_lines(text: str) -> RulebookLines | None:
    """Return how the lines of a rulebook belong together; None for other texts, for such of more
    than 5,000,000 characters, and where its lines can't be told from those of the file.

    >>> rules = "\\n".join(f"100.{n}. A player draws a card." for n in range(1, 9))
    >>> rulebook_lines(rules)
    RulebookLines(continuing=frozenset(), left_out=frozenset())
    """
    if len(text) > LARGEST or not recognises(text, ""):
        return None
    same_size = _OTHER_ENDS.sub(lambda found: " " * len(found[0]), text)
    source = classify_lines(same_size)
    if abs(len(source.lines) - text.count("\n")) > 1:  # lines would not be those of the text
        return None
    printing = {n + 1 for n, reason in source.omitted.items() if reason in _PRINTING}
    printing |= {
        n + 1
        for n, reason in source.omitted.items()
        if reason == page_layout.CONTENTS and _TWO_COLUMNS.search(source.lines[n])
    }
    continuing = {n + 1 for n in _continuing(source)} if source.edge else ()
    return RulebookLines(frozenset(continuing), frozenset(printing))


def _continuing(source: ClassifiedLines) -> Iterator[int]:
    """Yield the indices, in order, of the lines that continue a paragraph, as the rulebook's parser
    has it. source: with an edge, as texts of wrapped lines have."""
    assert source.edge is not None
    last, is_open = "", False  # the line before; whether a paragraph may go on
    blank = turned = in_rules = False
    heading = -1  # the line of the last rule that may be a heading
    before = -1
    for n, line in enumerate(source.lines):
        if n in source.omitted:
            turned = True
            is_open = is_open and source.omitted[n] != page_layout.CONTENTS
            continue
        if not line.strip():
            blank = True
            continue
        follows_heading = heading == before
        if n in source.parts:
            is_open, in_rules = False, False
        elif n in source.glossaries:
            if is_open and all(piece.continues for piece in source.glossaries[n]):
                yield n
            is_open, in_rules = True, False
        elif n in source.rules:
            is_open, in_rules = True, True
            heading = n if n in source.headings else heading
        elif is_open and not begins_item_or_example(line.strip()):
            goes_on = in_rules and not ends_sentence(last) and not follows_heading
            if turned:
                goes_on = not ends_sentence(last)
            elif blank:
                goes_on = False
            elif not goes_on:
                goes_on = page_layout.is_full(last, line, source.edge)
            if goes_on:
                yield n
        else:
            is_open = True
        last, before, blank, turned = line, n, False, False
