"""Writes terms as CSV, one row a name; reads decisions from such a table or a hand-written one.

A spreadsheet takes a cell that begins with `=` or the like for a formula. Such cells get an
apostrophe before them, as OWASP advises, and lose it when they are read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import TextIOWrapper
from typing import BinaryIO

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.interchange.decision_values import (
    language_of,
    part_of_speech_of,
    refuse,
    shown_value,
    status_of,
)
from kb.interchange.lines_of_any_charset import text_lines
from kb.termbase.model import Concept, ConceptDefinition, ConceptName, Decision

COLUMNS = (
    "concept", "kind", "game", "lang", "name", "status", "why", "reading", "part_of_speech",
    "authority", "passage", "url", "edition", "definition", "definition_source", "context",
    "count", "score", "note",
)  # fmt: skip
# Characters, with the line breaks in its cells. A guard, as LONGEST_LINE of `text_lines`: a
# quotation mark that is not closed makes one row of the rest of a file.
_LONGEST_ROW = 1 << 20
_NEEDED = ("term", "lang", "name")
_KNOWN = ("term", *COLUMNS)
_DELIMITERS = ",\t;"  # what spreadsheets write in a .csv, by the country
# What begins a formula; in full width too, which a Japanese spreadsheet takes for the same.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
# With an apostrophe at least: that of `guarded`, or one that the cell had before.
_GUARDED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")


def write(concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None) -> int:
    """Write the names of concepts as CSV with a header, and return how many rows there are below.

    The file is UTF-8 with a byte order mark: without it Excel shows Japanese as nonsense. A
    definition stands in the row of the first name of its language, or of the concept if there is
    no name in that language. Characters that XML can't hold are left out, and names without others.

    langs: the languages whose names are written; None for all.
    """
    text = TextIOWrapper(out, encoding="utf-8-sig", newline="")
    try:
        table = csv.writer(text)
        table.writerow(COLUMNS)
        written = 0
        for concept in concepts:
            for row in _rows(concept, langs):
                table.writerow([guarded(xml_text(cell)) for cell in row])
                written += 1
        text.flush()
    finally:
        text.detach()
    return written


def _rows(concept: Concept, langs: tuple[str, str] | None) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each name of a concept, in the order of COLUMNS, a tuple a name in the
    order of the names; none for a name without text."""
    names = [
        name
        for name in concept.names
        if (langs is None or name.lang in langs) and xml_text(name.text).strip()
    ]
    definitions = _definitions_by_name(
        names, [item for item in concept.definitions if langs is None or item.lang in langs]
    )
    for name, defined in zip(names, definitions, strict=True):
        yield (
            concept.id, concept.kind, concept.game or "", name.lang, name.text, name.status,
            name.why, name.reading or "", name.part_of_speech or "", name.authority,
            name.passage or "", name.url or "", name.edition or "",
            "\n\n".join(item.text for item in defined),
            "\n\n".join(_source(item) for item in defined),
            name.context or "", str(name.count), "" if name.score is None else repr(name.score),
            name.note,
        )  # fmt: skip


def _definitions_by_name(
    names: Sequence[ConceptName], definitions: Iterable[ConceptDefinition]
) -> list[list[ConceptDefinition]]:
    """Return for each name the definitions that stand in its row: those of its language at the
    first name of that, those of other languages at the first of all; without names none stands
    anywhere."""
    first_of_lang = {name.lang: place for place, name in reversed(list(enumerate(names)))}
    found: list[list[ConceptDefinition]] = [[] for _ in names]
    for definition in definitions:
        if names:
            found[first_of_lang.get(definition.lang, 0)].append(definition)
    return found


def _source(definition: ConceptDefinition) -> str:
    """Return who gives a definition, as `authority, URL`; what is not known of the two is left
    out."""
    return ", ".join(filter(None, [definition.authority, definition.url]))


def guarded(cell: str) -> str:
    """Return a cell as no spreadsheet takes it for a formula: behind an apostrophe if it begins as
    one does, also behind apostrophes; otherwise as it is.

    >>> guarded("=1+1"), guarded("'=1"), guarded("引く")
    ("'=1+1", "''=1", '引く')
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unguarded(cell: str) -> str:
    """Return what `guarded` was given; what has no guard as it is.

    >>> _unguarded("'=1+1"), _unguarded("''=1"), _unguarded("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def read(file: BinaryIO, name: str) -> Iterator[Decision]:
    """Yield the decision that each row of a table states.

    The header names the columns, in any order and case: `term` (or `concept`), `lang` and `name`
    must be there; `status` (preferred if empty), `note`, `game`, `reading`, `part_of_speech` and
    `definition` may be; what else `write` writes is ignored. Columns are separated by commas, tabs
    or semicolons, as the header shows. Rows without any text are skipped.

    file: its charset is any that `text_lines` reads.
    name: of the file, for messages and `Decision.where`.

    Raises SourceError, with the line, for what can't be read or is missing.

    >>> from io import BytesIO
    >>> rows = "Term,Lang,Name,Status\\n引く,en,draw,prefer\\n".encode()
    >>> [(row.term, row.name, row.status) for row in read(BytesIO(rows), "mine.csv")]
    [('引く', 'draw', 'preferred')]
    """
    rows = _read_rows(file, name)
    header = next(rows, None)
    if header is None:
        raise SourceError(f"{name}: empty; the first line names the columns: term,lang,name,…")
    columns = _columns(header[1], f"{name}:{header[0]}")
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield _decision(columns, cells, f"{name}:{line}")


def is_header(line: str) -> bool:
    """Whether a line names the columns of a table of decisions.

    >>> is_header("term\\tlang\\tname"), is_header("引く\\tdraw\\tto take a card")
    (True, False)
    """
    found = {_column(cell) for cell in line.split(_delimiter(line), len(_KNOWN))}
    return found >= set(_NEEDED)


def _read_rows(file: BinaryIO, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line of each row, and its cells, without their guards; nothing
    for a file of blank lines. Raises SourceError for what is no CSV, or a row that is too long."""
    lines = _CountedLines(text_lines(file, name), name)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        return
    lines.put_back(first)
    table = csv.reader(lines, delimiter=_delimiter(first), strict=True)
    while True:
        line = lines.begin_row()
        try:
            cells = next(table, None)
        except csv.Error as error:
            raise SourceError(f"{name}:{line}: not CSV: {error}") from None
        if cells is None:
            return
        yield line, [_unguarded(cell) for cell in cells]


class _CountedLines:
    """The lines of a table, counted, with a bound on how many characters make up a row."""

    def __init__(self, lines: Iterator[str], name: str) -> None:
        self._lines = lines
        self._name = name
        self._again: list[str] = []
        self._number = 0
        self._row_began = 1
        self._row_size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        self._number += 1
        self._row_size += len(line)
        if self._row_size > _LONGEST_ROW:
            raise SourceError(
                f"{self._name}:{self._row_began}: a row longer than {_LONGEST_ROW} characters; "
                "is a quotation mark not closed?"
            )
        return line

    def put_back(self, line: str) -> None:
        """Give a line that was taken once more."""
        self._again.append(line)
        self._number -= 1

    def begin_row(self) -> int:
        """Return the number of the line that comes next, with which a row begins."""
        self._row_began, self._row_size = self._number + 1, 0
        return self._row_began


def _delimiter(header: str) -> str:
    """Return what separates the columns in a header: what gives most columns that are known, of
    equals the first of comma, tab and semicolon."""
    return max(
        _DELIMITERS,
        key=lambda sign: sum(_column(cell) in _KNOWN for cell in header.split(sign, len(_KNOWN))),
    )


def _column(cell: str) -> str:
    """Return the name of a column as it is looked up: in small letters, without quotation marks,
    `_` for blanks and hyphens; `concept` and `term` are both `term`."""
    name = re.sub(r"[\s-]+", "_", cell.strip().strip('"').lower())
    return "term" if name == "concept" else name


def _columns(header: Sequence[str], where: str) -> list[str]:
    """Return the names of the columns, without empty ones at the end. Raises SourceError if one is
    unknown (an empty one between others, too), missing or twice."""
    if not any(_column(cell) in _KNOWN for cell in header):
        raise SourceError(
            f"{where}: no names of columns; write them in the first line, at least "
            f"{', '.join(_NEEDED)}"
        )
    columns: list[str] = []
    for cell in _without_empty_end(header):
        column = _column(cell)
        if column not in _KNOWN:
            refuse("column", cell, _KNOWN, where)
        if column in columns:
            raise SourceError(f"{where}: the column {shown_value(cell)} is there twice; keep one")
        columns.append(column)
    if missing := [column for column in _NEEDED if column not in columns]:
        raise SourceError(
            f"{where}: no column {missing[0]}; the first line names the columns, "
            f"at least {', '.join(_NEEDED)}"
        )
    return columns


def _without_empty_end(cells: Sequence[str]) -> Sequence[str]:
    """Return cells without the empty ones at their end, which a spreadsheet may write."""
    used = (place for place in range(len(cells), 0, -1) if cells[place - 1].strip())
    return cells[: next(used, 0)]


def _decision(columns: Sequence[str], cells: Sequence[str], where: str) -> Decision:
    """Return the decision of a row, which may have fewer cells than there are columns. Raises
    SourceError if a value is missing or wrong, or a cell has no column."""
    if any(cell.strip() for cell in cells[len(columns) :]):
        raise SourceError(
            f"{where}: {len(cells)} cells, but the first line names {len(columns)} columns; "
            "put a cell with a comma in it in quotation marks"
        )
    row = dict(zip(columns, cells, strict=False))
    for column in _NEEDED:
        if not row.get(column, "").strip():
            raise SourceError(f"{where}: the column {column} is empty")
    status = status_of(row.get("status", "").strip() or "preferred", where)
    return Decision(
        row["term"].strip(),
        language_of(row["lang"], where),
        row["name"].strip(),
        status,
        row.get("note", ""),
        row.get("game", "").strip() or None,
        row.get("reading", "") or None,
        part_of_speech_of(row.get("part_of_speech", ""), where),
        row.get("definition", ""),
        where,
        is_proposed=status == "admitted" and row.get("why", "").strip() == "proposed",
    )
