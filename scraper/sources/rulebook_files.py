"""Finds the files of a folder that are parts of one rulebook, such as a chapter each."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from scraper.page import ReadWarning
from scraper.rulebook.classified_lines import rule_lines
from scraper.rulebook.edition import find_edition
from scraper.rulebook.languages import detect_language
from scraper.rulebook.numbering import (
    Key,
    doubtful_number_at,
    ends_sentence,
    number_at,
    number_key,
)
from scraper.rulebook.page_layout import is_contents_heading
from scraper.rulebook.part_headings import part_of_heading
from scraper.rulebook.title_page import FRONT_MATTER, names_rules
from scraper.sources.files import open_file

# The sizes here are set by hand: guards, so that a folder of pages is not read twice, which parts
# of books stay well below.
_MOST = 60  # files of a folder that are looked at; a book has one for a chapter, some ten or twenty
_LARGEST = 400_000  # bytes of a part; a whole book has 940,000 at most, a chapter far fewer
_ENDINGS = (".md", ".markdown", ".txt")
_FRONT = 30  # lines in which a part may be dated; a date further down is one of its rules
_FOR_LANGUAGE = 20_000  # characters; a language shows in far fewer
_DIGITS = re.compile(r"\d{1,4}", re.ASCII)  # in front of a file's name; longer ones are dates
_FEWEST_NUMBERS = 2  # of a part; one number may be an amount
# Of a part's numbers, for a section to be one of it; fewer are amounts, or cited rules, that begin
# lines.
_FEWEST_OF_SECTION = 0.05
_FIRST = frozenset("0123456789IVX")  # a number may begin with
_SHOWN = 3  # names of files in a warning, which is one line


def runs(files: Iterable[str | ReadWarning]) -> Iterator[list[str] | ReadWarning]:
    """Yield the paths of files one by one, but those of texts that may be parts of one book, as
    they are few in one folder, together; warnings as they are."""
    for (_, is_text), found in groupby(files, _place):
        waiting, are_few = list[str](), True
        for file in found:
            if isinstance(file, ReadWarning):
                yield file
            elif is_text and are_few:
                waiting.append(file)
                if len(waiting) > _MOST:
                    yield from ([each] for each in waiting)
                    waiting, are_few = [], False
            else:
                yield [file]
        if waiting:
            yield waiting


def _place(file: str | ReadWarning) -> tuple[str, bool]:
    """Return the folder of a file, and whether it may be a part of a book, by its ending. Of a
    warning: empty, false."""
    if isinstance(file, ReadWarning):
        return "", False
    return os.path.dirname(file), file.lower().endswith(_ENDINGS)  # noqa: PTH120


@dataclass(frozen=True, slots=True)
class Part:
    """A file that may be a part of a rulebook: its path and text, its first line, whether its
    numbers have hundreds, its sections, what it says of its edition, its language."""

    path: str
    text: str
    head: str
    has_hundreds: bool
    sections: tuple[Key, ...]
    edition: str | None
    lang: str


def book_parts(paths: Sequence[str]) -> list[Part]:
    """Return which of some files are parts of one rulebook, in the order of their numbers; empty if
    they are not.

    They are if each goes on where another ends: no section is in two of them, no chapter is missing
    between them, they name no two editions, are in one language, and number alike (all by hundreds,
    or none). Files that can't be read, are no UTF-8 or too large for a part are ignored. A title
    page, a glossary and a history are parts, too: by their first line, or, where the names of files
    are numbered as their chapters are, by their place among them.

    paths: of files in one folder.
    """
    if len(paths) < 2:
        return []
    files = list(filter(None, map(_part, paths)))
    parts = sorted((file for file in files if file.sections), key=lambda part: part.sections)
    if len(parts) < 2 or len({(part.has_hundreds, part.lang) for part in parts}) > 1:
        return []
    ascends = all(
        before.sections[-1] < after.sections[0]
        and after.sections[0][0] - before.sections[-1][0] <= 1
        for before, after in pairwise(parts)
    )
    if not ascends:
        return []
    parts = _with_front_and_back(parts, [file for file in files if not file.sections])
    return parts if len({part.edition for part in parts if part.edition}) < 2 else []


def _with_front_and_back(parts: list[Part], others: Sequence[Part]) -> list[Part]:
    """Return the parts of a book with the files without rules that stand before and behind them;
    what is neither a title page nor a glossary or the like is left out."""
    places = [_place_in_name(part) for part in parts]
    is_numbered = places[0] >= 0 and places == sorted(places)
    front, back = list[Part](), list[Part]()
    for file in sorted(others, key=lambda file: (_place_in_name(file), file.path)):
        place = _place_in_name(file)
        if place > places[-1] if is_numbered and place >= 0 else part_of_heading(file.head):
            back.append(file)
        elif place < places[0] if is_numbered and place >= 0 else names_rules(file.head):
            front.append(file)
    return [*front, *parts, *back]


def _place_in_name(part: Part) -> int:
    """Return the number, of four digits at most, that the name of a part's file begins with; -1 if
    it has none."""
    digits = _DIGITS.match(os.path.basename(part.path))  # noqa: PTH119
    return int(digits[0]) if digits else -1


def _part(path: str) -> Part | None:
    """Return what is seen of a file, without sections if it has no rules, or is a glossary or the
    like; None if it can't be read, is no UTF-8, or is larger than a part may be."""
    try:
        with open_file(path) as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    if len(data) > _LARGEST:
        return None
    lines = [line.strip() for line in text.splitlines()]
    head = next((line for line in FRONT_MATTER.sub("", text).splitlines() if line.strip()), "")
    contents = next((n for n, line in enumerate(lines) if is_contents_heading(line)), len(lines))
    if any(map(ends_sentence, lines[contents:])):  # text stands below them
        contents = len(lines)
    found = [
        number_at(text, n) or doubtful_number_at(text, n)
        for n, line in enumerate(lines[:contents])
        for text in (line.lstrip("#*- "),)
    ]
    numbered = [
        replace(number, key=number_key(number.number, {0}))  # a part may have but the chapter V
        for number in found
        if number and len(number.key) > 1 and not set(number.number[0]) - _FIRST
    ]
    rules = rule_lines(numbered, frozenset())
    counts = Counter(rule.key[:2] for rule in rules if len(rules) >= _FEWEST_NUMBERS)
    often = (key for key, n in counts.items() if n >= _FEWEST_OF_SECTION * len(rules))
    sections = list[Key]()
    for key in sorted(often):
        if counts[key] > 1 or not sections or key[0] - sections[-1][0] <= 1:
            sections.append(key)  # else an amount that begins a line
    hundreds = sum(rule.number[:3].isdigit() for rule in rules)
    front = lines[: min(rules[0].line, _FRONT) if rules else _FRONT]
    edition = find_edition(front, (), text, "").name
    lang = detect_language(text[:_FOR_LANGUAGE])
    if part := part_of_heading(head):
        sections = []  # the numbers in a history are those of rules that stand elsewhere
        edition = None if part == "history" else edition
    return Part(path, text, head, 2 * hundreds > len(rules), tuple(sections), edition, lang)


def joined(parts: Sequence[Part]) -> bytes:
    """Return the text of a book of its parts, in UTF-8, with a blank line between two; only the
    first keeps its lines of YAML in front. parts: at least one."""
    first, *rest = (part.text for part in parts)
    return "\n\n".join([first, *(FRONT_MATTER.sub("", text) for text in rest)]).encode()


def joined_warning(where: str, parts: Sequence[Part]) -> ReadWarning:
    """Return the warning of a book that is joined of several files, with the first of their
    names."""
    names = [os.path.basename(part.path) for part in parts]  # noqa: PTH119
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    what = f"{len(names)} files whose numbers continue each other are read as one book ({shown})"
    return ReadWarning(where, what, ("edition",))
