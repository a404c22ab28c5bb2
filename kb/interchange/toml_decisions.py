"""Reads decisions that a person wrote as TOML: a table `[[decision]]` each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

from kb.errors import SourceError
from kb.interchange.decision_values import (
    STATUS_OF_VERB,
    language_of,
    part_of_speech_of,
    refuse,
)
from kb.interchange.text_lines import text_lines
from kb.termbase.model import Decision
from scraper.sources.files import message

LARGEST = 1 << 18  # bytes
_LINE = re.compile(r"at line (\d+)")  # in the errors of tomllib
_MOST_POINTS = 50  # on a line; tomllib takes time by the square of the parts of a key
_FOR_ALL = ("game", "lang")
_TEXTS = ("term", "lang", "game", "note", "reading", "part_of_speech", "definition")
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?decision[\"']?[ \t]*\]\]", re.MULTILINE)


def read(file: BinaryIO, name: str) -> Iterator[Decision]:
    """Yield the decisions of a TOML file, in its order.

    Each table `[[decision]]` has `term` (the concept's id or any of its names), `lang` and at least
    one of `prefer`, `admit`, `deprecate` and `forbid`: a name, or a list of names. It may have
    `note`, `game`, `reading`, `part_of_speech` and `definition`. `game` and `lang` above the first
    table stand for all tables that have none.

    name: of the file, for messages and `Decision.where`.

    Raises SourceError, with the line where it can be told, if the file can't be read or a table
    can't be used.

    >>> from io import BytesIO
    >>> data = '[[decision]]\\nterm = "引く"\\nlang = "en"\\nforbid = ["pull", "tug"]\\n'.encode()
    >>> [(row.name, row.status, row.where) for row in read(BytesIO(data), "a.toml")]
    [('pull', 'forbidden', 'a.toml:1'), ('tug', 'forbidden', 'a.toml:1')]
    """
    text = _text(file, name)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number with too many digits
        found = _LINE.search(str(error))
        where = f"{name}:{found[1]}" if found else name
        raise SourceError(f"{where}: not TOML: {message(error)}") from None
    tables = document.pop("decision", None)
    for key in document:
        if key not in _FOR_ALL:
            refuse("key", key, (*_FOR_ALL, "[[decision]]"), name)
    if isinstance(tables, dict):
        raise SourceError(f"{name}: write [[decision]] for [decision], as there may be several")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SourceError(f"{name}: no table [[decision]] in it")
    for table, where in zip(tables, _places(text, name, len(tables)), strict=True):
        yield from _decisions(document | table, where)


def _text(file: BinaryIO, name: str) -> str:
    """Return the text of the file, with line breaks as TOML has them."""
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise SourceError(f"{name}: larger than 256 kB; write that many decisions as CSV")
    text = "".join(text_lines(BytesIO(data), name)).replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_POINTS:
            raise SourceError(
                f"{name}:{number}: more than {_MOST_POINTS} points on a line; write a long note "
                'in """, on several lines'
            )
    return text


def _places(text: str, name: str, count: int) -> list[str]:
    """Return the file and line of each table, or its number if the lines can't be told."""
    lines = [text.count("\n", 0, found.start()) + 1 for found in _HEADER.finditer(text)]
    if len(lines) == count:
        return [f"{name}:{line}" for line in lines]
    return [f"{name}: [[decision]] number {number}" for number in range(1, count + 1)]


def _decisions(table: dict[str, Any], where: str) -> Iterator[Decision]:
    """Yield the decision on each name of a table. Raises SourceError if it can't be used."""
    known = (*_TEXTS, *STATUS_OF_VERB)
    for key in table:
        if key not in known:
            refuse("key", key, known, where)
    texts = {key: _one_text(table, key, where) for key in _TEXTS}
    for key in ("term", "lang"):
        if not texts[key]:
            raise SourceError(f'{where}: {key} is missing; write {key} = "…"')
    names = [(verb, name) for verb in STATUS_OF_VERB for name in _names(table, verb, where)]
    if not names:
        verbs = ", ".join(STATUS_OF_VERB)
        raise SourceError(f'{where}: nothing is decided; write {verbs} = "…"')
    for verb, name in names:
        yield Decision(
            texts["term"],
            language_of(texts["lang"], where),
            name,
            STATUS_OF_VERB[verb],
            texts["note"],
            texts["game"] or None,
            texts["reading"] or None,
            part_of_speech_of(texts["part_of_speech"], where),
            texts["definition"],
            where,
        )


def _one_text(table: dict[str, Any], key: str, where: str) -> str:
    """Return the text under a key; empty if it is not there."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise SourceError(f'{where}: {key} is no text; write {key} = "…"')
    return value.strip()


def _names(table: dict[str, Any], verb: str, where: str) -> list[str]:
    """Return the names under a verb, which may be one text or a list of texts."""
    value = table.get(verb, [])
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(
        isinstance(name, str) and name.strip() for name in names
    ):
        raise SourceError(f'{where}: {verb} is no name; write {verb} = "…" or ["…", "…"]')
    return [name.strip() for name in names]
