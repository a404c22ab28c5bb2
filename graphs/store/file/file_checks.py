"""Checks, when a file is opened, that it is a knowledge base of this version and nothing more: by
its header, and by the tables, indexes and views that it defines."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from graphs.errors import OlderFileError, StoreError
from graphs.store.file.schema import APPLICATION, EARLY_INDEXES, INDEXES, TABLES, VERSION
from graphs.store.file.sql_views import VIEWS

# By SQLite's file format: how a file begins, the length of its header in bytes, the three fractions
# of payload (no other values are allowed) and the number of the encoding UTF-8.
_MAGIC = b"SQLite format 3\0"
_HEADER_SIZE = 100
_FRACTIONS = bytes((64, 32, 32))
_UTF_8 = 1
# What SQLite keeps of its own, if it was compiled so; a file is as good without.
_STATISTICS = {
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
# The tables that SQLite's full-text search adds to its own. Where another version of SQLite words
# them otherwise, a file is compared with what that version makes, which takes some milliseconds.
_SEARCH_TABLES = """
CREATE TABLE 'search_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'name_gram_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'name_gram_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'name_gram_config'(k PRIMARY KEY, v) WITHOUT ROWID;
"""
# Of the names in a message, which a file may have made of any number and length: it stays a line or
# two. sansho's own names have 19 characters at most.
_MOST_NAMED = 3
_LONGEST_NAME = 40  # characters


def check_header(path: Path) -> None:
    """Raise StoreError unless a file begins as the SQLite file of a knowledge base of this version.

    What SQLite would do otherwise because of the header, such as to look for a write-ahead log, is
    refused. The error of an older version is an OlderFileError. Raises OSError if the file can't be
    read.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER_SIZE)
    if not header:
        raise StoreError(f"{path}: an empty file, no knowledge base")
    if len(header) < _HEADER_SIZE or not header.startswith(_MAGIC) or header[21:24] != _FRACTIONS:
        raise StoreError(f"{path}: not a knowledge base (file is not a database)")
    if _number(header, 68) != APPLICATION:
        raise StoreError(f"{path}: an SQLite file, but no knowledge base of sansho")
    _check_version(path, _number(header, 60))
    is_log, is_vacuumed = header[18:20] != b"\1\1", _number(header, 52) != 0
    if is_log or is_vacuumed or _number(header, 56) != _UTF_8:
        raise StoreError(
            f"{path}: not a knowledge base as sansho writes it (another program changed how SQLite "
            "keeps it); build it again"
        )


def check_schema(db: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError unless a file defines exactly the tables, indexes and views of this version:
    no trigger, no other view, nothing that computes a value. path: for the message."""
    rows = db.execute("SELECT rootpage, type, name, sql FROM sqlite_schema").fetchall()
    roots = [page for page, *_ in rows if page]
    if len(set(roots)) < len(roots):
        raise StoreError(f"{path}: damaged (two tables in one place); build it again")
    found = [tuple(row) for _, *row in rows if not (row[0] == "table" and row[2] in _STATISTICS)]
    expected = written_definitions()
    if len(found) == len(expected) and set(found) == expected:
        return
    expected = definitions_by_sqlite()
    if len(found) != len(expected) or set(found) != expected:
        raise StoreError(
            f"{path}: not a knowledge base of this version: {_differences(found, expected)}; "
            "build it again from its sources"
        )


def written_definitions() -> set[tuple[str, str, str]]:
    """Return (type, name, SQL) of all that a file of this version defines, as `sqlite_schema` has
    it, but for the tables of SQLite's statistics."""
    script = TABLES + VIEWS + _SEARCH_TABLES + EARLY_INDEXES + INDEXES
    statements = filter(None, (statement.strip() for statement in script.split(";\n")))
    found = set()
    for statement in statements:
        defined = statement.removeprefix("CREATE ").removeprefix("VIRTUAL ")
        kind, name, *_ = defined.split(" ", 2)
        found.add((kind.lower(), name.partition("(")[0].strip("'"), statement))
    return found


def definitions_by_sqlite() -> set[tuple[str, str, str]]:
    """Return the same as `written_definitions`, as this version of SQLite makes it, whose own
    tables may be worded otherwise."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(TABLES + VIEWS + EARLY_INDEXES + INDEXES)
        return set(db.execute("SELECT type, name, sql FROM sqlite_schema"))


def _check_version(path: Path, version: int) -> None:
    """Raise StoreError if a file has another version of the schema, OlderFileError if an older
    one."""
    if version > VERSION:
        raise StoreError(
            f"{path}: made by a newer sansho (schema {version}, this one reads "
            f"{VERSION}); upgrade sansho, or build it again"
        )
    if version < VERSION:
        raise OlderFileError(
            f"{path}: made by an older sansho (schema {version}, this one reads "
            f"{VERSION}); build it again from the same sources"
        )


def _number(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")


def _differences(found: Sequence[tuple[Any, ...]], expected: Collection[tuple[Any, ...]]) -> str:
    """Return in words how what a file defines differs from what it should: what it has too much, or
    else what it lacks, or else what it defines otherwise."""
    given, own = {row[1] for row in found}, {row[1] for row in expected}
    if strange := given - own:
        return f"it holds what is not sansho's: {_listed(strange)}"
    if missing := own - given:
        return f"it lacks {_listed(missing)}"
    return f"it defines otherwise: {_listed(row[1] for row in found if row not in expected)}"


def _listed(names: Iterable[object]) -> str:
    """Return the first three of some names by the alphabet, in quotation marks and with commas
    between them; … stands for others. Long names are cut."""
    ordered = sorted(map(str, names))
    shown = ", ".join(repr(name[:_LONGEST_NAME]) for name in ordered[:_MOST_NAMED])
    return f"{shown}, …" if len(ordered) > _MOST_NAMED else shown
