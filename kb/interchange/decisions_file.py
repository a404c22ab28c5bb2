"""Reads a person's decisions on names from a file of any format that has them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from kb.errors import SourceError
from kb.interchange import csv_terms, omegat, tmx
from kb.interchange.decision_values import (
    STATUS_OF_VERB,
    language_of,
    part_of_speech_of,
    refuse,
    shown_value,
)
from kb.interchange.lines_of_any_charset import text_lines
from kb.language.nearest_value import shown
from kb.termbase.model import Decision
from scraper.sources.files import message, open_file

# A guard of memory, as what was decided before is kept to find contradictions; any number this
# large would do: the largest list of names at hand has 33,000 cards.
MOST_DECISIONS = 2_000_000
_GLOSSARIES = (".tsv", ".txt", ".tab", ".utf8")
# Bytes: a guard of time and memory, as tomllib reads a text whole and slowly. By hand: some
# thousand decisions, more than a person writes as tables; CSV takes more.
LARGEST_TOML = 1 << 18
_LINE = re.compile(r"at line (\d+)")  # in the errors of tomllib
# On a line; tomllib takes time by the square of the parts of a key. By hand: no key has any here,
# but a note of several sentences may stand on a line.
_MOST_POINTS = 50
_FOR_ALL = ("game", "lang")
_TEXTS = ("term", "lang", "game", "note", "reading", "part_of_speech", "definition")
# `[[decision]]` at the beginning of a line, as TOML may have it: with blanks and quotation marks.
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?decision[\"']?[ \t]*\]\]", re.MULTILINE)


def read_decisions(path: str | Path, langs: tuple[str, str] | None = None) -> Iterator[Decision]:
    """Yield the decisions of a file, in its order; the suffix tells the format. Names that an
    export of sansho gives as only proposed are decided by nobody, and are left out.

    `.toml` and `.csv` are written by hand (`_read_toml` and `csv_terms` say how); `.csv` is
    also what `csv_terms` writes. `.txt`, `.utf8`, `.tab` and `.tsv` are glossaries of OmegaT, or
    tables like the CSV if their first line names its columns; `.tbx` is TBX of 2008 or 2019;
    `.tmx` is a memory of terms.

    langs: source and target language. A glossary of OmegaT does not say its languages; in other
        files None stands for those that they say.

    Raises SourceError, with the line, if the file can't be read or a value in it is wrong. In what
    is written by hand it is raised, too, if one decision contradicts another: two preferred names
    for a concept in one language, or two statuses for a name. In a termbase of another tool two
    entries may have one name; the second preferred name is admitted then.
    """
    name = str(path)
    try:
        with open_file(path) as opened, BufferedReader(opened) as file:
            for number, decision in enumerate(_read(file, name, langs)):
                if number == MOST_DECISIONS:
                    raise SourceError(f"{name}: more than {MOST_DECISIONS} decisions; not read")
                if not decision.is_proposed:
                    yield decision
    except OSError as error:
        raise SourceError(f"{name}: can't be read: {message(error)}") from None


def _read(file: BinaryIO, name: str, langs: tuple[str, str] | None) -> Iterator[Decision]:
    """Return the decisions of an open file, read as its suffix says, those that are only proposed
    among them. Raises SourceError for a suffix of no format."""
    suffix = Path(name).suffix.lower()
    if suffix == ".toml":
        return _without_contradictions(_read_toml(file, name))
    if suffix == ".csv":
        return _without_contradictions(csv_terms.read(file, name))
    if suffix in _GLOSSARIES:
        return _read_table(file, name, langs)
    if suffix == ".tbx":
        from kb.interchange import tbx

        return _with_one_preferred(tbx.read(file, name))
    if suffix == ".tmx":
        return tmx.read(file, name, langs)
    raise SourceError(
        f"{name}: no format of decisions is known by the suffix {shown(suffix)}; "
        f"there are: .toml .csv {' '.join(_GLOSSARIES)} .tbx .tmx"
    )


def _read_table(file: BinaryIO, name: str, langs: tuple[str, str] | None) -> Iterator[Decision]:
    """Return the decisions of a table with named columns, or else of a glossary of OmegaT, for
    which SourceError is raised if `langs` is None."""
    with closing(text_lines(file, name)) as lines:
        first = next((line for line in lines if line.strip()), "")
    file.seek(0)
    if csv_terms.is_header(first):
        return _without_contradictions(csv_terms.read(file, name))
    if langs is None:
        raise SourceError(
            f"{name}: a glossary of OmegaT does not say its languages; give both, such as ja,en"
        )
    return omegat.read(file, name, langs)


def _with_one_preferred(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Yield decisions; of several preferred names of a concept in a language, the first is kept so
    and others are admitted."""
    preferred: dict[tuple[str | None, str, str], str] = {}
    for decision in decisions:
        if decision.status == "preferred":
            concept = (decision.game, decision.term, decision.lang)
            if preferred.setdefault(concept, decision.name) != decision.name:
                decision = replace(decision, status="admitted")
        yield decision


def _without_contradictions(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Yield decisions; raise SourceError at the first that contradicts one before it."""
    preferred: dict[tuple[str | None, str, str], Decision] = {}
    decided: dict[tuple[str | None, str, str, str], Decision] = {}
    for decision in decisions:
        concept = (decision.game, decision.term, decision.lang)
        same_name = decided.setdefault((*concept, decision.name), decision)
        if same_name.status != decision.status:
            raise _contradiction(decision, same_name)
        if decision.status == "preferred":
            first = preferred.setdefault(concept, decision)
            if first.name != decision.name:
                raise _contradiction(decision, first)
        yield decision


def _contradiction(decision: Decision, earlier: Decision) -> SourceError:
    """Return the error for a decision that contradicts an earlier one."""
    return SourceError(
        f"{decision.where}: {shown_value(decision.name)} is {decision.status} for "
        f"{shown_value(decision.term)} ({decision.lang}), but {earlier.where} says "
        f"{shown_value(earlier.name)} is {earlier.status}; keep one"
    )


def _read_toml(file: BinaryIO, name: str) -> Iterator[Decision]:
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
    >>> [(row.name, row.status, row.where) for row in _read_toml(BytesIO(data), "a.toml")]
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
    """Return the text of the file, with line breaks as TOML has them. Raises SourceError if it is
    larger than 256 kB, has a line with over 50 points, or is in no charset that is read."""
    data = file.read(LARGEST_TOML + 1)
    if len(data) > LARGEST_TOML:
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
    """Return `file:line` of each table, in their order; the file and the table's number if the
    lines can't be told, as headers stand in texts or are written otherwise. count: of the
    tables."""
    lines = [text.count("\n", 0, found.start()) + 1 for found in _HEADER.finditer(text)]
    if len(lines) == count:
        return [f"{name}:{line}" for line in lines]
    return [f"{name}: [[decision]] number {number}" for number in range(1, count + 1)]


def _decisions(table: dict[str, Any], where: str) -> Iterator[Decision]:
    """Yield the decision on each name of a table, those to prefer first, then to admit, deprecate
    and forbid. Raises SourceError if it has an unknown key, no term, language or name, or a value
    that is wrong."""
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
    """Return the text under a key, without white space around it; empty if it is not there. Raises
    SourceError if it is no text."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise SourceError(f'{where}: {key} is no text; write {key} = "…"')
    return value.strip()


def _names(table: dict[str, Any], verb: str, where: str) -> list[str]:
    """Return the names under a verb, which may be one text or a list of texts, without white space
    around them; none if it is not there. Raises SourceError for anything else, and an empty
    name."""
    value = table.get(verb, [])
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(
        isinstance(name, str) and name.strip() for name in names
    ):
        raise SourceError(f'{where}: {verb} is no name; write {verb} = "…" or ["…", "…"]')
    return [name.strip() for name in names]
