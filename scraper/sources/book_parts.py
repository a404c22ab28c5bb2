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
from scraper.rulebook.numbering import Key, number_at, number_key
from scraper.rulebook.title_page import FRONT_MATTER
from scraper.sources.files import open_file

_MOST = 60  # files of a folder that are looked at
_LARGEST = 400_000  # bytes of a part
_ENDINGS = (".md", ".markdown", ".txt")
_FRONT = 30  # lines in which a part may be dated
_FOR_LANGUAGE = 20_000  # characters
_DIGITS = re.compile(r"\d{1,4}", re.ASCII)
_FEWEST_NUMBERS = 2  # of a part
_FEWEST_OF_SECTION = 0.05  # of a part's numbers, for a section to be one of it
_FIRST = frozenset("0123456789IVX")  # a number may begin with
_SHOWN = 3  # names of files in a warning


def runs(files: Iterable[str | ReadWarning]) -> Iterator[list[str] | ReadWarning]:
    """Yield the paths of files one by one, but those of texts that may be parts of one book, as
    they are few in one folder, together; warnings as they are."""
    for (_, is_text), found in groupby(files, _place):
        waiting = list[str]()
        for file in found:
            if isinstance(file, ReadWarning):
                yield file
            elif is_text and len(waiting) <= _MOST:
                waiting.append(file)
            else:
                yield [file]
        if len(waiting) > _MOST:
            yield from ([file] for file in waiting)
        elif waiting:
            yield waiting


def _place(file: str | ReadWarning) -> tuple[str, bool]:
    """Return the folder of a file, and whether it may be a part of a book."""
    if isinstance(file, ReadWarning):
        return "", False
    return os.path.dirname(file), file.lower().endswith(_ENDINGS)  # noqa: PTH120


@dataclass(frozen=True, slots=True)
class Part:
    """A file that may be a part of a rulebook: its path and text, whether its numbers have
    hundreds, its sections, what it says of its edition, its language."""

    path: str
    text: str
    has_hundreds: bool
    sections: tuple[Key, ...]
    edition: str | None
    lang: str


def book_parts(paths: Sequence[str]) -> list[Part]:
    """Return which of some files are parts of one rulebook, in the order of their numbers; empty if
    they are not.

    They are if each goes on where another ends: no section is in two of them, no chapter is missing
    between them, and they name no two editions and are in one language. Where the names of files
    are numbered as their chapters are, those before and behind are parts, too: a title page, a
    glossary.

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
    """Return the parts of a book with the files without numbers that stand before and behind them,
    if the names of all are numbered."""
    places = [_place_in_name(part) for part in parts]
    if places != sorted(places) or places[0] < 0:
        return parts
    numbered = sorted((_place_in_name(file), file.path, file) for file in others)
    front = [file for place, _, file in numbered if 0 <= place < places[0]]
    back = [file for place, _, file in numbered if place > places[-1]]
    return [*front, *parts, *back]


def _place_in_name(part: Part) -> int:
    """Return the number that the name of a part's file begins with; -1 if it has none."""
    digits = _DIGITS.match(os.path.basename(part.path))  # noqa: PTH119
    return int(digits[0]) if digits else -1


def _part(path: str) -> Part | None:
    """Return what is seen of a file, without sections if it has no rules; None if it is no text."""
    try:
        with open_file(path) as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    if len(data) > _LARGEST:
        return None
    lines = [line.strip() for line in text.splitlines()]
    found = [number_at(line.lstrip("#*- "), n) for n, line in enumerate(lines)]
    numbered = [
        replace(number, key=number_key(number.number, {0}))  # a part may have but the chapter V
        for number in found
        if number and len(number.key) > 1 and not set(number.number[0]) - _FIRST
    ]
    rules = rule_lines(numbered, frozenset())
    counts = Counter(rule.key[:2] for rule in rules if len(rules) >= _FEWEST_NUMBERS)
    sections = sorted(key for key, n in counts.items() if n >= _FEWEST_OF_SECTION * len(rules))
    hundreds = sum(rule.number[:3].isdigit() for rule in rules)
    front = lines[: min(rules[0].line, _FRONT) if rules else _FRONT]
    edition = find_edition(front, (), text, "").name
    lang = detect_language(text[:_FOR_LANGUAGE])
    return Part(path, text, 2 * hundreds > len(rules), tuple(sections), edition, lang)


def joined(parts: Sequence[Part]) -> bytes:
    """Return the text of a book of its parts; only the first may state in lines of YAML in front
    what it is."""
    first, *rest = (part.text for part in parts)
    return "\n\n".join([first, *(FRONT_MATTER.sub("", text) for text in rest)]).encode()


def joined_warning(where: str, parts: Sequence[Part]) -> ReadWarning:
    """Return what is said of a book that is joined of several files."""
    names = [os.path.basename(part.path) for part in parts]  # noqa: PTH119
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    what = f"{len(names)} files whose numbers continue each other are read as one book ({shown})"
    return ReadWarning(where, what, ("edition",))
