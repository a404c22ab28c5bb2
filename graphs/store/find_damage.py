"""Finds what is wrong with the file of a graph: its checksum, SQLite's own checks, and its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import get_args

from graphs.errors import StoreError
from graphs.model import EdgeKind, NodeKind, Role
from graphs.store.file_checks import check_schema
from graphs.store.file_digest import DAMAGED, is_damaged
from graphs.store.reader import Store
from graphs.store.schema import TABLES
from graphs.store.untrusted_file import UntrustedConnection, open_untrusted
from graphs.store.validation import faults

_MOST_FAULTS = 20  # of rows that are read as look-ups read them
_MOST_BY_SQLITE = 20  # messages of SQLite's own check
_LONGEST = 200  # characters of a message of SQLite, which may quote a row
_SEARCH_INDEX = "search_docsize"  # in which SQLite keeps the length of each indexed text

# The columns that hold the key of another row: {table with the key: {table: columns}}.
_REFERENCES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "node": {
        "node": ("page", "section", "parent", "gives_rule", "heading"),
        "claim": ("node", "page", "original_node"),
        "label": ("node", "page", "passage", "original_node"),
        "edge": (
            "source", "wanted", "target", "passage", "original_source", "original_wanted",
        ),
        "page_rows": ("page",),
        "merged": ("new",),
        "spelling": ("node",),
        "passage_words": ("key",),
    },
    "part": {"capture": ("part",), "warning": ("part",)},
    "capture": {"left_out": ("capture",)},
}  # fmt: skip
_WORDS: Mapping[tuple[str, str], Iterable[str]] = {
    ("node", "kind"): get_args(NodeKind),
    ("claim", "kind"): get_args(NodeKind),
    ("edge", "kind"): get_args(EdgeKind),
    ("label", "role"): get_args(Role),
    ("label", "original_role"): get_args(Role),
}
_JSON = {"node": "details", "claim": "details", "edge": "details"}


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in the file of a knowledge base that is not as a build writes it.

    where: `file` as a whole, or a table and its columns.
    what: what is wrong, with the number of rows and one of them where it is in rows.
    """

    where: str
    what: str


def find_damage(file: Path) -> tuple[Damage, ...]:
    """Return what is wrong with the file of a knowledge base; nothing if it is whole.

    The whole file is read, so that its checksum, and SQLite's own check of its pages, tell any
    change since it was built. Where it was made right again, or to say what is damaged, the rows
    are checked: types, words of closed vocabularies, keys of other rows, spans of texts, JSON, and
    whether the search index has the same passages as the texts.

    Raises StoreError if there is no file, or none of this version of sansho.

    """
    found: list[Damage] = []
    if is_damaged(file):
        found.append(Damage("file", DAMAGED))
    else:
        Store(file).close()  # raises what is to be said of other files
    try:
        with closing(open_untrusted(file)) as db:
            check_schema(db, file)  # a view could give rows without end
            found += _by_sqlite(db)
            found += _in_rows(db)
        if not found:
            with Store(file) as store:
                found += [Damage("rows", what) for what in islice(faults(store), _MOST_FAULTS)]
    except StoreError as error:
        found.append(Damage("file", _shortened(error)))
    except (sqlite3.Error, ValueError) as error:
        found.append(Damage("file", _shortened(error)))
    return tuple(found)


def _by_sqlite(db: UntrustedConnection) -> Iterator[Damage]:
    """Yield what SQLite finds wrong with its pages, rows and indexes."""
    for (message,) in db.execute(f"PRAGMA integrity_check({_MOST_BY_SQLITE})"):
        if message != "ok":
            yield from (Damage("SQLite", _shortened(line)) for line in str(message).splitlines())


def _in_rows(db: UntrustedConnection) -> Iterator[Damage]:
    """Yield what is wrong with rows, one entry for each check that fails."""
    for where, condition in _conditions():
        table = where.split()[0]
        try:
            number, first = _count(db, table, condition)
        except (sqlite3.Error, ValueError) as error:
            yield Damage(where, _shortened(error))
            continue
        if number:
            at = f", the first in row {first}" if first is not None else ""
            yield Damage(where, f"{number:,} row{'s' * (number != 1)} no build writes{at}")
    for table in _tables():
        db.work.renew()
        try:
            for _ in db.execute(f"SELECT * FROM {table}"):
                pass
        except (sqlite3.Error, ValueError) as error:  # such as text that is no UTF-8
            yield Damage(table, _shortened(error))


def _conditions() -> Iterator[tuple[str, str]]:
    """Yield (table and columns, what is true of a row t of it that no build writes)."""
    for table, columns in _tables().items():
        for column, types in columns.items():
            yield f"{table} {column}", f"typeof({column}) NOT IN ({_quoted(types)})"
    for (table, column), words in _WORDS.items():
        yield f"{table} {column}", f"{column} NOT IN ({_quoted(words)})"
    for target, tables in _REFERENCES.items():
        for table, names in tables.items():
            for column in names:
                yield (
                    f"{table} {column}",
                    f"{column} NOT NULL AND NOT EXISTS "
                    f"(SELECT 1 FROM {target} o WHERE o.key = t.{column})",
                )
    yield (
        "edge start end",
        'NOT (0 <= start AND start <= "end" AND "end" <= '
        "(SELECT length(text) FROM node p WHERE p.key = t.passage))",
    )
    for table, column in _JSON.items():
        yield f"{table} {column}", f"{column} <> '' AND NOT json_valid({column})"
    yield "meta value", "key IN ('values', 'built from') AND NOT json_valid(value)"
    yield "derived_edge edge", "NOT EXISTS (SELECT 1 FROM edge o WHERE o.rowid = t.edge)"
    yield (
        "passage_words key",
        f"NOT EXISTS (SELECT 1 FROM {_SEARCH_INDEX} o WHERE o.id = t.key)",
    )
    yield (
        f"{_SEARCH_INDEX} id",
        "NOT EXISTS (SELECT 1 FROM passage_words o WHERE o.key = t.id)",
    )


def _count(db: UntrustedConnection, table: str, condition: str) -> tuple[int, int | None]:
    """Return how many rows of a table fulfil a condition, and the row id of the first of them; None
    if there is none, or the rows have no ids."""
    has_rowid = table not in ("meta", "spelling", "vocabulary", "cached_definition")
    first = "min(t.rowid)" if has_rowid else "NULL"
    db.work.renew()
    row = db.execute(f"SELECT count(*), {first} FROM {table} t WHERE {condition}").fetchone()
    return int(row[0]), row[1]


def _tables() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return {table: {column: types that SQLite may give of its values}} of the tables whose rows
    sansho writes itself."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(TABLES)
        names = db.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
            "AND name NOT LIKE 'sqlite%' ORDER BY name"
        ).fetchall()
        return {
            name: {
                f'"{column}"': (kind.lower(), *(() if must else ("null",)))
                for _, column, kind, must, *_ in db.execute(f"PRAGMA table_info({name})")
            }
            for (name,) in names
        }


def _quoted(words: Iterable[str]) -> str:
    """Return words, of letters, as a list in SQL."""
    return ", ".join(f"'{word}'" for word in words)


def _shortened(message: object) -> str:
    """Return the beginning of a message that may quote what is in the file."""
    text = " ".join(str(message).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
