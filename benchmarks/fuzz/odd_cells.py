"""Changes values in the tables of a knowledge base to such as no build writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz import hostile
from benchmarks.fuzz.case import Piece

_OFTEN = ("node", "edge", "label", "meta", "capture")  # which most look-ups read
_VALUES: tuple[object, ...] = (
    None, b"\xff\xfe", b"", b"text", "", "\0", "x" * 100_000, 0, 1, -1, 2**63 - 1, -(2**63), 0.5,
    float("inf"), 1e300, "nan", "１２", "{", "[]", "{}", "null", "[[[[[[[[[[1]]]]]]]]]]",
    "[" * 100_000, '{"a":' * 50_000, '{"examples": 1}', '{"wordings": [{}]}', '{"faces": [1]}',
    '{"card": {}}', '{"how": ["x"]}', '{"x": NaN}', '{"x": 1e999}', '{"x": ' + "9" * 5000 + "}",
    '{"text_start": "a"}', '{"text_start": -5}', '{"a": "\\ud800"}', "page", "rule", "term",
    "passage", "section", "outcome", "step", "procedure", "ruling", "card", "edition", "preferred",
    "reading", "cites", "mentions", "part_of", "redirects_to", "same_concept", "nonsense", "ja",
    "en", "20231117", "20240730", "99999999", "0", "121.4", "121.4.4.4.4.4.4.4.4", "1" * 5000, "…",
    "mtg/term/引く", "mtgwiki/引く", "mtgwiki/引く#ルール", "/etc/passwd", "../../x", "\x1b[2J",
    "\u202e", "http://[x", "file:///etc/passwd", "a#b#c¶", "¶", "#", "%", '"', "' OR 1=1 --",
)  # fmt: skip
_NAMES_IN_JSON = (
    "sets", "folder", "places", "hints", "sites", "examples", "wordings", "page", "text",
    "differs", "exception_to", "subject", "card", "game", "lang", "values",
)  # fmt: skip


def odd_cell(random: Random, columns: Sequence[tuple[str, str]]) -> Piece:
    """Return a change of one column in one row, or in some, to a hostile value, to JSON of any
    shape, or to what another row has, so that rows refer to themselves or to wrong ones.

    columns: (table, column) of all that may be changed.
    """
    often = [one for one in columns if one[0] in _OFTEN]
    table, column = random.choice((*columns, *often * 2))
    most = random.choice((20, 1_000, 10_000)) if random.random() < 0.7 else 1
    chance = random.random()
    if chance < 0.3:
        value: object = random.random()
        form = "of the row at"
    else:
        value = _any_json(random) if chance < 0.37 else hostile.text(random)
        value = random.choice(_VALUES) if chance > 0.47 else value
        form = "bytes" if isinstance(value, bytes) else "value"
        value = value.hex() if isinstance(value, bytes) else value
        if isinstance(value, str):
            value = value.encode("utf-8", "replace").decode()
    edit = {"table": table, "column": column, "rows": random.random(), "most": most, form: value}
    return Piece("cell", json.dumps(edit).encode())


def _any_json(random: Random) -> str:
    def some(depth: int) -> object:
        kind = random.randrange(6 if depth else 4)
        if kind == 4:
            return [some(depth - 1) for _ in range(random.randint(0, 3))]
        if kind == 5:
            return {
                random.choice(_NAMES_IN_JSON): some(depth - 1) for _ in range(random.randint(0, 5))
            }
        return (None, random.randint(-9, 9), "text", True)[kind]

    return json.dumps(some(4))


def change_cells(path: Path, cells: Sequence[Piece]) -> None:
    """Make some changes to a file without a checksum, as far as SQLite lets them be made.

    Every column takes every value, as if its bytes were written by hand; what the file defines is
    the same afterwards.
    """
    with closing(_writing(path)) as db:
        before = db.execute("SELECT sql, name FROM sqlite_schema").fetchall()
        _define(db, [(without_types(sql), name) for sql, name in before])
    with closing(_writing(path)) as db, suppress(sqlite3.DatabaseError):
        for cell in cells:
            with suppress(sqlite3.IntegrityError, sqlite3.OperationalError, OverflowError):
                _change(db, json.loads(cell.data))
    with closing(_writing(path)) as db:
        _define(db, before)


def _writing(path: Path) -> sqlite3.Connection:
    """Return a connection that writes without care for the disk."""
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "writable_schema = ON"):
        db.execute(f"PRAGMA {pragma}")
    return db


def _define(db: sqlite3.Connection, definitions: Sequence[tuple[str | None, str]]) -> None:
    db.executemany("UPDATE sqlite_schema SET sql = ? WHERE name = ?", definitions)


def without_types(sql: str | None) -> str | None:
    """Return the definition of a table whose columns take values of any type."""
    if not sql or not sql.startswith("CREATE TABLE") or "WITHOUT ROWID" in sql:
        return sql
    return sql.replace(" NOT NULL", "").replace(" TEXT", "").replace(" INTEGER,", ",")


def _change(db: sqlite3.Connection, cell: dict[str, Any]) -> None:
    table, column = cell["table"], cell["column"]
    keys = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")') if row[5]]
    key = ", ".join(f'"{name}"' for name in keys) or "rowid"
    rows = db.execute(f'SELECT {key} FROM "{table}"').fetchall()
    if not rows:
        return
    value = bytes.fromhex(cell["bytes"]) if "bytes" in cell else cell.get("value")
    if (place := cell.get("of the row at")) is not None:
        values = db.execute(f'SELECT "{column}" FROM "{table}"').fetchall()
        [value] = values[int(place * len(values))]
    where = " AND ".join(f'"{name}" IS ?' for name in keys) or "rowid = ?"
    picked = Random(cell["rows"]).sample(rows, min(len(rows), cell["most"]))
    db.executemany(
        f'UPDATE OR REPLACE "{table}" SET "{column}" = ? WHERE {where}',
        [(value, *row) for row in picked],
    )
