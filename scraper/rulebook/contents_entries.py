"""Finds the entries of a table of contents that name rules which the book itself does not have.

A part of a rulebook may come with the contents of the whole: its headings are stated nowhere else.
An entry counts only if it is surely one: a number and a heading, whole, in the order of numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from scraper.rulebook.numbering import (
    Key,
    NumberedLine,
    ends_sentence,
    number_at,
    number_key,
    roman_levels,
)
from scraper.rulebook.page_layout import is_contents_heading, is_page_number
from scraper.rulebook.part_headings import part_of_heading

_LONGEST = 200  # characters of a line; those of five games' contents have at most 142, with dots
_MOST = 2_000  # entries, to bound time: the longest of these contents have 170 lines
# A leader is four signs long, so that neither `...` nor a number's dots are one.
_LEADER = re.compile(r"(?:[.．…‥・·･_–—─-][ \u3000]?){4,}|…{2,}")
_OF_LEADER = frozenset(".．…‥・·･_–—─-=~〜")
_CELLS = re.compile(r"\s{2,}|\t")
_PAGE_AT_END = re.compile(r"(?<=\S)\s+(?:\d{1,4}|[ivxl]{1,6})$", re.IGNORECASE)
_FEWEST = 3  # entries of a table of contents; by hand: two lines in order may stand anywhere
# Of the entries that end with a number: then it is a page's. By hand: parts may lack a page, while
# where headings themselves end with numbers (`Level 2`) few do.
_USUAL_SHARE = 0.8
_NO_LINE: tuple[int, str, NumberedLine | None] = (-1, "", None)
# A number after the first: behind a space, at the end, or with its mark.
_WORD = re.compile(r"(?<!\S)[^\s\W]|(?<!\S)[(（\[【〔§]")
_SECOND_NUMBER = re.compile(r"(?<!\S)\d+$|\d\s?[.．、)）:：]|\d[-.‐–−－]\d|[|｜]")


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """An entry of a table of contents, without what leads to a page.

    line: the index of the line.
    number: the number of the rule that it names, as ids write it.
    heading: the text behind the number.
    text: the number and the heading, with a single space, if any, between them.
    rest: what else is in the line: dots and the number of a page.
    """

    line: int
    number: str
    heading: str
    text: str
    rest: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the contents that begins with a number; `complete` if nothing continues it."""

    number: NumberedLine
    line: str
    complete: bool

    @property
    def key(self) -> Key:
        """What the number is sorted by."""
        return self.number.key


def unstated_entries(
    lines: Sequence[str],
    contents: Iterable[int],
    rules: Mapping[int, NumberedLine],
    others: Container[int],
) -> dict[int, ContentsEntry]:
    """Return the entries of a table of contents whose headings the book does not have, by line.

    Left out are lines with several entries, entries that may go on in the next line, that are out
    of order, or that end like a sentence; and the headings of parts that are not rules. Empty if
    fewer than three lines begin with a number. The book has a heading if a rule has its number, or
    any short line its words; where several entries have the words, a line with the number and
    them. At most `_MOST` entries are looked for.

    contents: the lines of tables of contents. Those below a rule, and of which there are hardly
        any, are rows of other tables with dots.
    rules: the lines of the book that begin a rule. others: the lines that are no text of the rules:
        what is left out, and the glossary.

    >>> lines = ["1. Game", "2. Zones .... 7", "3. Cards  4. Ends", "1. Game", "1.1 Draw."]
    >>> rules = {n: number_at(lines[n], n) for n in (3, 4)}
    >>> [(n, e.text, e.rest) for n, e in unstated_entries(lines, range(3), rules, range(3)).items()]
    [(1, '2. Zones', ' .... 7')]
    """
    entries = _numbered_entries(lines, _main_contents(lines, sorted(contents), rules))
    if len(entries) < _FEWEST:
        return {}
    stated = {rule.key for rule in rules.values()} | {rule.number for rule in rules.values()}
    missing = [e for e in entries if e.key not in stated and e.number.number not in stated]
    if not missing:
        return {}
    ends_in_pages, sure = _end_in_pages(entries), _in_order(entries)
    parsed = (_parse(e, ends_in_pages) for e in missing if e.complete and e.number.line in sure)
    found = list(islice((e for e in parsed if e and not part_of_heading(e.text)), _MOST))
    headings = Counter(_compact(entry.heading) for entry in found)
    body = _texts(lines, rules, others)
    return {
        entry.line: entry
        for entry in found
        if _compact(entry.text) not in body
        and (headings[heading := _compact(entry.heading)] > 1 or heading not in body)
    }


def _main_contents(
    lines: Sequence[str], contents: Sequence[int], rules: Mapping[int, NumberedLine]
) -> list[int]:
    """Return the lines of the contents from their heading to the next rule; from the beginning of
    the book, if they have none."""
    start = next((n for n in contents if is_contents_heading(lines[n])), 0)
    end = min((n for n in rules if n > start), default=len(lines))
    return [n for n in contents if start <= n < end]


def _numbered_entries(lines: Sequence[str], contents: Sequence[int]) -> list[_Entry]:
    """Return the lines of the contents that begin with a number, in order, without those longer
    than any entry.

    One is complete if the next line is blank, or no contents, or begins with a number, or if dots
    end it.
    """
    found = ((n, lines[n].strip()) for n in contents)
    numbered = [(n, text, number_at(text[:_LONGEST], n)) for n, text in found]
    entries = []
    for (n, text, number), (next_line, following, next_number) in pairwise([*numbered, _NO_LINE]):
        if number is None or len(text) > _LONGEST:
            continue
        complete = (
            next_number is not None
            or next_line != n + 1
            or not following
            or _LEADER.search(text) is not None
            or part_of_heading(_LEADER.split(following)[0]) is not None
        )
        entries.append(_Entry(number, text, complete))
    roman = roman_levels(entry.number.number for entry in entries)
    if not roman:
        return entries
    keys = [number_key(entry.number.number, roman) for entry in entries]
    return [
        replace(entry, number=replace(entry.number, key=key))
        for entry, key in zip(entries, keys, strict=True)
    ]


def _in_order(entries: Sequence[_Entry]) -> set[int]:
    """Return the indices of the lines whose numbers are above that of the entry before and below
    that of the entry after, and come once."""
    counts = Counter(entry.key for entry in entries)
    unordered = {n for n, pair in enumerate(pairwise(entries)) if pair[0].key >= pair[1].key}
    return {
        entry.number.line
        for n, entry in enumerate(entries)
        if n not in unordered and n - 1 not in unordered and counts[entry.key] == 1
    }


def _end_in_pages(entries: Sequence[_Entry]) -> bool:
    """Whether the numbers at the end of entries are those of pages: four in five have one, and
    three at least."""
    ending = sum(_PAGE_AT_END.search(entry.line) is not None for entry in entries)
    return ending >= max(_FEWEST, _USUAL_SHARE * len(entries))


def _parse(entry: _Entry, ends_in_page: bool) -> ContentsEntry | None:
    """Return the number and heading of a line; None if it may have several, or none, or if the
    heading ends like a sentence, or what follows dots or wide space is no number of a page.

    ends_in_page: whether a number behind a space at the end is that of a page.
    """
    line, start = entry.line, entry.number.start
    end = len(line)
    behind = _LEADER.search(line, start) or _CELLS.search(line, start)
    if behind:
        page_number = line[behind.end() :].strip()
        if page_number and not is_page_number(page_number):
            return None
        end = behind.start()
    elif ends_in_page and (page := _PAGE_AT_END.search(line, start)):
        end = page.start()
    heading = line[start:end].rstrip()
    if not heading or heading[-1] in _OF_LEADER or ends_sentence(heading) or _has_number(heading):
        return None
    number = line[:start].rstrip()
    gap = " " if number != line[:start] else ""
    rest = line[start + len(heading) :]
    written = entry.number
    return ContentsEntry(written.line, written.number, heading, number + gap + heading, rest)


def _has_number(heading: str) -> bool:
    """Whether the number of another entry may be in a heading: a word that begins as rules do, a
    number at the end, with a mark or a hyphen, or the bar of a table."""
    if _SECOND_NUMBER.search(heading):
        return True
    return any(number_at(heading[word.start() :]) for word in _WORD.finditer(heading))


def _texts(
    lines: Sequence[str], rules: Mapping[int, NumberedLine], others: Container[int]
) -> set[str]:
    """Return the lines of the book outside `others`, as `_compact` gives them, up to 200
    characters; those that begin a rule also without the number."""
    texts = set()
    for n, line in enumerate(lines):
        text = line.strip()
        if len(text) <= _LONGEST and n not in others:
            texts.add(_compact(text))
            if n in rules:
                texts.add(_compact(text[rules[n].start :]))
    return texts


def _compact(text: str) -> str:
    """Return a text without any white space, in small letters: headings are often in capitals."""
    return "".join(text.split()).casefold()
