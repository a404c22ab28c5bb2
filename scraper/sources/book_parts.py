"""Finds the files of a folder that are parts of one rulebook, such as a chapter each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from scraper.page import ReadWarning
from scraper.rulebook.edition import find_edition
from scraper.rulebook.languages import detect_language
from scraper.rulebook.numbering import Key, levels, number_at
from scraper.rulebook.title_page import FRONT_MATTER
from scraper.sources.files import open_file

_MOST = 60  # files of a folder that are looked at
_LARGEST = 400_000  # bytes of a part
_ENDINGS = (".md", ".markdown", ".txt")
_FRONT = 30  # lines in which a part may be dated
_FOR_LANGUAGE = 20_000  # characters
_FEWEST_NUMBERS = 2  # of a part
_FEWEST_OF_SECTION = 0.05  # of a part's numbers, for a section to be one of it
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
    between them, and they name no two editions and are in one language.

    paths: of files in one folder.
    """
    if len(paths) < 2:
        return []
    parts = sorted(filter(None, map(_part, paths)), key=lambda part: part.sections)
    if len(parts) < 2 or len({(part.has_hundreds, part.lang) for part in parts}) > 1:
        return []
    if len({part.edition for part in parts if part.edition}) > 1:
        return []
    ascends = all(
        before.sections[-1] < after.sections[0]
        and after.sections[0][0] - before.sections[-1][0] <= 1
        for before, after in pairwise(parts)
    )
    return parts if ascends else []


def _part(path: str) -> Part | None:
    """Return what is seen of a file; None if it is no part of a rulebook."""
    try:
        with open_file(path) as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    if len(data) > _LARGEST:
        return None
    lines = [line.strip() for line in text.splitlines()]
    numbered = [number for line in lines if (number := number_at(line.lstrip("#*- ")))]
    numbers = [number for number in numbered if len(number.key) > 1 and number.number[0].isdigit()]
    if len(numbers) < _FEWEST_NUMBERS:
        return None
    counts = Counter(number.key[:2] for number in numbers)
    sections = sorted(key for key, n in counts.items() if n >= _FEWEST_OF_SECTION * len(numbers))
    hundreds = sum(len(levels(number.number)[0]) > 2 for number in numbers)
    edition = find_edition(lines[:_FRONT], (), text, "").name
    lang = detect_language(text[:_FOR_LANGUAGE])
    return Part(path, text, 2 * hundreds > len(numbers), tuple(sections), edition, lang)


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
