"""Finds in a rulebook's text which lines continue the one before, and which only printing needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scraper.rulebook import page_layout
from scraper.rulebook.classified_lines import (
    ClassifiedLines,
    begins_item_or_example,
    classify_lines,
)
from scraper.rulebook.numbering import ends_sentence
from scraper.sites.rulebook_text import recognises

LARGEST = 5_000_000  # characters of a text that is read as a rulebook
# Further characters at which the lines of a rulebook are split; a form feed only begins a page.
_OTHER_ENDS = re.compile("[\v\x1c-\x1e\x85\u2028\u2029]|(?<=[^\n\f])\f+")
_TWO_COLUMNS = re.compile(r"\S[ \u3000]{3,}\S")
_PRINTING = (page_layout.PAGE_NUMBER, page_layout.RUNNING_HEAD)


@dataclass(frozen=True, slots=True)
class RulebookLines:
    """The lines of a rulebook, by their numbers from 1.

    continuing: those that continue the last line before that is not left out.
    left_out: page numbers, running heads, and contents in several columns.
    """

    continuing: frozenset[int]
    left_out: frozenset[int]


def rulebook_lines(text: str) -> RulebookLines | None:
    """Return how the lines of a rulebook belong together; None for other texts, and large ones.

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
    """Yield the indices of the lines that continue a paragraph, as the rulebook's parser has it."""
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
