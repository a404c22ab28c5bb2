"""Finds what is wrong with the file of a graph: by its checksum, SQLite's own checks, and all rows:
every value, not every word.

Look-ups check the rows that they read only as far as they use them. When one of them fails all the
same, this tells whether the file or the program is at fault; a deep audit runs it, too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from graphs.errors import StoreError
from graphs.store.file.connection import ReadConnection
from graphs.store.file.file_checks import check_schema
from graphs.store.file.file_digest import DAMAGED, is_damaged
from graphs.store.file.row_checks import (
    EDGE_KINDS,
    NODE_KINDS,
    ROLES,
    RowError,
    check_form,
    check_node,
    parse_details,
    parse_json,
    parse_values,
)
from graphs.store.file.schema import TABLES
from graphs.store.file.untrusted_file import UntrustedConnection, one_line, open_untrusted
from graphs.store.reader import Store
from graphs.store.rule_versions import CHANGES

# Messages of SQLite's own check, which stops then. By hand: a damaged file may give thousands, and
# a few say as much.
_MOST_BY_SQLITE = 20
# What a build writes, in columns that are not free text.
_WORDS: Mapping[tuple[str, str], Iterable[str]] = {
    ("node", "kind"): NODE_KINDS,
    ("claim", "kind"): NODE_KINDS,
    ("edge", "kind"): EDGE_KINDS,
    ("edge_count", "kind"): EDGE_KINDS,
    ("rule_version", "change"): CHANGES,
    ("rule_version", "gone"): CHANGES,
    ("label", "role"): ROLES,
    ("label", "original_role"): ROLES,
}
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
        "merged": ("old", "new"),
        "spelling": ("node",),
        "passage_words": ("key",),
        "edge_count": ("target",),
        "rule_version": ("node", "rule", "before", "split_from", "merged_into"),
    },
    "part": {"capture": ("part",), "warning": ("part",)},
    "capture": {"left_out": ("capture",)},
}  # fmt: skip
# The columns that every node of a kind has a value in.
_ON_A_PAGE = ("source", "page", "position")
_STATED = (*_ON_A_PAGE, "parent", "heading")
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "page": _ON_A_PAGE,
    "section": (*_ON_A_PAGE, "parent"),
    "passage": (*_ON_A_PAGE, "text", "section", "parent"),
    "ruling": _STATED,
    "procedure": _STATED,
    "step": _STATED,
    "outcome": (*_STATED, "details"),
    "rule": ("game", "edition", "lang", "number"),
    "document": ("game", "edition", "lang", "number"),
}
_WITHOUT_ROW_IDS = (
    "meta", "spelling", "vocabulary", "cached_definition", "search_config", "name_gram_config",
    "edge_count",
)  # fmt: skip
_SEARCH_INDEX = "search_docsize"  # in which SQLite keeps the length of each indexed text
# The last evidence in each passage: its text is measured once, not for each edge.
_LAST_EVIDENCE = '(SELECT passage, max("end") AS last, rowid FROM edge GROUP BY passage)'
# (table and columns, what is wrong with a row t for which the condition holds, the condition).
_OTHERS = (
    ("node id", "an id that another node has, too",
     "EXISTS (SELECT 1 FROM node o WHERE o.id = t.id AND o.key < t.key)"),
    ("node details", "JSON of another shape", "no_details(details)"),
    ("claim details", "JSON of another shape", "no_details(details)"),
    ("edge details", "JSON of another shape", "no_details(details)"),
    ("meta value", "JSON of another shape",
     "key = 'most edges out' AND no_details(value)"),
    ("meta value", "values of another form", "key = 'values' AND no_values(value)"),
    ("meta value", "no JSON",
     "key IN ('built from', 'name lists', 'values', 'most edges out') AND no_json(value)"),
    ("edge start end", "no span of a text", 'NOT (0 <= start AND start <= "end")'),
    ("node id", "not that of a node of its kind and values",
     "kind NOT NULL AND no_node(id, kind, game, source, lang, edition, number)"),
    ("node number", "not that of the rule's id",
     "kind = 'rule' AND id <> game || '/cr/' || edition || '/' || lang || '/' || number"),
    ("node number", "not that of the section's id",
     "kind = 'document' AND id <> game || '/document/' || edition || '/' || lang || '/' || number"),
    ("node kind", "none, of a node that a page gives",
     "kind IS NULL AND (game NOT NULL OR number NOT NULL OR label NOT NULL OR text NOT NULL)"),
    ("book_steps steps", "no JSON", "no_json(steps)"),
    ("rule_version sure", "no share", "NOT (sure BETWEEN 0 AND 1)"),
    ("capture chars", "less than no characters", "chars < 0"),
    ("left_out chars", "less than no characters", "chars < 0"),
    ("capture chosen", "neither yes nor no", "chosen NOT IN (0, 1)"),
    ("label shown", "neither yes nor no", "shown <> 1"),
    ("page_rows ranges", "a list that is cut off", "length(ranges) % 8 OR length(ranges) < 72"),
    ("derived_label label", "leads nowhere",
     "NOT EXISTS (SELECT 1 FROM label l WHERE l.rowid = t.label)"),
    ("derived_edge edge", "leads nowhere",
     "NOT EXISTS (SELECT 1 FROM edge o WHERE o.rowid = t.edge)"),
    ("passage_words key", "is not in the search index",
     f"NOT EXISTS (SELECT 1 FROM {_SEARCH_INDEX} o WHERE o.id = key)"),
    (f"{_SEARCH_INDEX} id", "is no passage",
     "NOT EXISTS (SELECT 1 FROM passage_words o WHERE o.key = t.id)"),
)  # fmt: skip
# The columns whose values have a form (see `graphs.store.file.row_checks`).
_FORMED = {
    "node": ("date",),
    "claim": ("game", "source", "lang", "edition", "number", "date"),
    "book": ("game", "edition", "lang"),
    "label": ("lang",),
    "capture": ("fitness",),
}
_FULL_TEXT = ("search", "name_gram")
_ABOVE = (
    ("node parent", "SELECT key, parent FROM node WHERE parent NOT NULL"),
    ("edge target", "SELECT source, target FROM edge WHERE kind = 'part_of' AND target NOT NULL"),
)


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in the file of a knowledge base that is not as a build writes it.

    where: `file` as a whole, or a table and its columns.
    what: what is wrong, with the number of rows and one of them where it is in rows.
    """

    where: str
    what: str


def faults(db: ReadConnection | UntrustedConnection) -> Iterator[Damage]:
    """Yield what is wrong in a file, one entry for each check that fails; nothing if all is as
    sansho writes it.

    It takes a second or two for each 100 MB, and memory for the keys of the nodes.

    db: a connection to a file whose schema was checked. Of a ReadConnection, StoreError is raised
        where SQLite can't read the file; of another one, that is among the faults.
    """
    for name, (arguments, check) in _functions().items():
        db.create_function(name, arguments, partial(_is_refused, check), deterministic=True)
    for where, found in _checks(db):
        db.work.renew()
        try:
            yield from found
        except (sqlite3.Error, ValueError) as error:
            yield Damage(where, one_line(error))
            if db.work.is_exceeded:  # as where the pages of a table go in circles
                return


def _checks(db: sqlite3.Connection) -> Iterator[tuple[str, Iterator[Damage]]]:
    """Yield (table and columns, what is found wrong there), which is looked for when it is read."""
    yield "SQLite", _by_sqlite(db)
    for where, what, condition in _conditions():
        yield where, _in_rows(db, where.split()[0], where, what, condition)
    yield "edge start end", _in_rows(
        db, _LAST_EVIDENCE, "edge start end", "beyond the end of the text",
        "last > coalesce((SELECT length(text) FROM node p WHERE p.key = passage), 0)",
    )  # fmt: skip
    for where, query in _ABOVE:
        yield where, _circle(db, where, query)
    for table in _tables():
        yield table, _unreadable(db, table)
    for index in _FULL_TEXT:
        yield index, _full_text(db, index)


def _by_sqlite(db: sqlite3.Connection) -> Iterator[Damage]:
    """Yield what SQLite finds wrong with its pages, rows and indexes, _MOST_BY_SQLITE messages at
    most."""
    for (message,) in db.execute(f"PRAGMA integrity_check({_MOST_BY_SQLITE})"):
        if message != "ok":
            yield from (Damage("SQLite", one_line(line)) for line in str(message).splitlines())


def _conditions() -> Iterator[tuple[str, str, str]]:
    """Yield (table and columns, what is wrong with a row of it, what is true of such a row t)."""
    for table, columns in _tables().items():
        for column, types in columns.items():
            wrong = f'typeof("{column}") NOT IN ({_quoted(types)})'
            yield f'{table} "{column}"', "a value of a wrong type", wrong
    for (table, column), words in _WORDS.items():
        yield f"{table} {column}", "an unknown kind", f"{column} NOT IN ({_quoted(words)})"
    for target, tables in _REFERENCES.items():
        there = f"SELECT 1 FROM {target} o WHERE o.key"
        for table, names in tables.items():
            for name in names:
                wrong = f"t.{name} NOT NULL AND NOT EXISTS ({there} = t.{name})"
                yield f"{table} {name}", "leads nowhere", wrong
    for kind, names in _NEEDED.items():
        for name in names:
            yield f"node {name}", f"a {kind} without it", f"kind = '{kind}' AND {name} IS NULL"
    for table, names in _FORMED.items():
        for name in names:
            different = f"SELECT value FROM (SELECT DISTINCT {name} AS value FROM {table})"
            unformed = f"{name} IN ({different} WHERE no_{name}(value))"
            yield f"{table} {name}", "of another form", unformed
    yield from _OTHERS


def _in_rows(
    db: sqlite3.Connection, table: str, where: str, what: str, condition: str
) -> Iterator[Damage]:
    """Yield that a condition holds for rows of a table, for how many and for which first, if it
    does for any."""
    first = "NULL" if table in _WITHOUT_ROW_IDS else "min(t.rowid)"
    query = f"SELECT count(*), {first} FROM {table} t WHERE {condition}"
    [(number, row)] = db.execute(query).fetchall()
    if number:
        at = "" if row is None else f", the first is row {row}"
        yield Damage(where, f"{what}: {number:,} row{'s' * (number != 1)} no build writes{at}")


def _circle(db: sqlite3.Connection, where: str, query: str) -> Iterator[Damage]:
    """Yield that nodes are above each other in a circle, once, if any are.

    query: gives (node, the one above it).
    """
    above = dict(db.execute(query))
    sound: set[Any] = set()
    for node in above:
        chain: dict[Any, None] = {}
        while node in above and node not in sound and node not in chain:
            chain[node] = None
            node = above[node]
        if node in chain:
            yield Damage(where, "nodes that lead back to themselves")
            return
        sound.update(chain)


def _unreadable(db: sqlite3.Connection, table: str) -> Iterator[Damage]:
    """Read all values of a table, which raises an error of SQLite where a text is no UTF-8; yield
    nothing."""
    for _ in db.execute(f"SELECT * FROM {table}"):
        pass
    yield from ()


def _full_text(db: sqlite3.Connection, index: str) -> Iterator[Damage]:
    """Ask an index for a word, which fails where SQLite can't use it; yield that it is configured,
    which no build does."""
    config = f"{index}_config"
    yield from _in_rows(db, config, config, "a setting of the index", "k <> 'version'")
    db.execute(
        f"SELECT rowid FROM {index} WHERE {index} MATCH 'abc' ORDER BY rank LIMIT 1"
    ).fetchall()


@cache
def _tables() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
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
                column: (kind.lower(), *(() if must or in_key else ("null",)))
                for _, column, kind, must, _, in_key in db.execute(f"PRAGMA table_info({name})")
            }
            for (name,) in names
        }


def _functions() -> dict[str, tuple[int, Callable[..., object]]]:
    """Return {name of an SQL function: (number of its arguments, the check that it asks)}."""
    forms = {name for names in _FORMED.values() for name in names}
    return {
        "no_details": (1, partial(parse_details, what="")),
        "no_json": (1, partial(parse_json, what="")),
        "no_values": (1, partial(parse_values, what="")),
        "no_node": (7, check_node),
        **{f"no_{form}": (1, partial(check_form, form, what="")) for form in forms},
    }


def _is_refused(check: Callable[..., object], *stored: object) -> bool:
    """Whether a check of some values raises RowError, or can't be made of their types."""
    try:
        check(*stored)
    except (RowError, AttributeError, TypeError):
        return True
    return False


def _quoted(words: Iterable[str]) -> str:
    """Return words, of letters, as a list in SQL: in quotation marks, with commas between them, and
    in no order if they come in none."""
    return ", ".join(f"'{word}'" for word in words)


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
        try:
            Store(file).close()  # raises what is to be said of other files
        except StoreError as error:
            if not isinstance(error.__cause__, RowError):
                raise
    try:
        with closing(open_untrusted(file)) as db:
            check_schema(db, file)  # a view could give rows without end
            found += faults(db)
    except (sqlite3.Error, StoreError, ValueError) as error:
        found.append(Damage("file", one_line(error)))
    return tuple(found)
