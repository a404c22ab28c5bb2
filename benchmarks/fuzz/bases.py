"""Knowledge bases that somebody changed: all commands answer, or say in one line what is wrong.

The checksum at the end of the file is made right again, as somebody who means harm would do.
(`benchmarks.damaged_bases` damages files and asks whether it is noticed.)
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import kb
from benchmarks.fuzz import commands, hostile
from benchmarks.fuzz.case import Case, Piece
from graphs.store.checksum_trailer import append_trailer, drop_trailer

# What a command is asked; {out} is a file that it may write.
ASKED = (
    "show 引く", "show 121.4", "show dmwiki/手札", "refs 引く --depth 2", "path 引く 状況起因処理",
    "top --mentioned", "search カード", "kwic 手札",
    "ask 空のライブラリーから引こうとするとどうなる？",
    "compare 引く デッキ", "diff 20231117 20231117 --lang ja", "trace 121.4", "align ja en",
    "steps 引く", "outcomes 引く", "terms --lang ja", "export --out {out}.jsonl", "audit", "stats",
    "draw 引く --out {out}.dot",
)  # fmt: skip
_VALUES = (
    None,
    "",
    0,
    -1,
    2**63 - 1,
    -(2**63),
    1.5,
    1e308,
    b"\xff\xfe",
    b"",
    "[",
    "{}",
    "null",
    "x" * 10_000,
)


@cache
def whole() -> bytes:
    """Return the bytes of the bundled sample's knowledge base, without its checksum."""
    with kb.sample() as base, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        path.write_bytes(base.file.read_bytes())
        drop_trailer(path)
        return path.read_bytes()


@cache
def _columns() -> tuple[tuple[str, str], ...]:
    """Return (table, column) of every ordinary table of a knowledge base."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        path.write_bytes(whole())
        with closing(sqlite3.connect(path)) as db:
            tables = db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' "
                "AND name NOT LIKE 'sqlite%' ORDER BY name"
            ).fetchall()
            return tuple(
                (table, row[1])
                for (table,) in tables
                for row in db.execute(f'PRAGMA table_info("{table}")')
            )


@dataclass(frozen=True, slots=True)
class Bases:
    """Edits of the sample's knowledge base: bytes, and cells of tables.

    asked: the commands that are run on each.
    """

    name: str = "bases"
    cases: int = 1_000
    divisible: bool = False
    asked: tuple[str, ...] = ASKED

    def make(self, random: Random) -> Case:
        """Return 1 to 100 changes of bytes, or 1 to 10 of cells."""
        if random.random() < 0.5:
            size = len(whole())
            if random.random() < 0.1:
                return (Piece("truncate", str(random.randrange(size)).encode()),)
            first = random.choice((100, 4096, size, size, size))  # the header; the schema; anything
            return tuple(
                Piece("byte", f"{random.randrange(first)} {random.randrange(256)}".encode())
                for _ in range(random.choice((1, 1, 2, 10, 100)))
            )
        return tuple(_cell(random) for _ in range(random.choice((1, 1, 2, 10))))

    def check(self, case: Case) -> None:
        """Ask all commands."""
        with tempfile.TemporaryDirectory(prefix="sansho-fuzz-") as folder:
            path, out = Path(folder) / "x.db", Path(folder) / "out"
            path.write_bytes(whole())
            _edit(path, case)
            append_trailer(path)
            for asked in self.asked:
                words = asked.format(out=out).split()
                commands.run([*words, "--kb", str(path)])
                if asked.startswith(("show", "refs", "audit")):
                    commands.run([*words, "--kb", str(path), "--json"])

    def seconds(self, case: Case) -> float:
        """Return how long all commands together may take."""
        return 30


def _cell(random: Random) -> Piece:
    table, column = random.choice(_columns())
    value = random.choice((*_VALUES, hostile.text(random).encode("utf-8", "replace").decode()))
    edit = {"table": table, "column": column, "row": random.random(), "all": random.random() < 0.1,
            "value": value.hex() if isinstance(value, bytes) else value,
            "bytes": isinstance(value, bytes)}  # fmt: skip
    return Piece("cell", json.dumps(edit).encode())


def _edit(path: Path, case: Case) -> None:
    """Change bytes first, and then cells, as far as SQLite lets them be changed."""
    data = bytearray(path.read_bytes())
    for piece in case:
        if piece.name == "byte":
            place, value = map(int, piece.data.split())
            data[place] = value
        elif piece.name == "truncate":
            del data[int(piece.data) :]
    path.write_bytes(data)
    cells = [json.loads(piece.data) for piece in case if piece.name == "cell"]
    if not cells:
        return
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA foreign_keys = off")
        for cell in cells:
            _change_cell(db, cell)


def _change_cell(db: sqlite3.Connection, cell: dict[str, object]) -> None:
    value = bytes.fromhex(str(cell["value"])) if cell["bytes"] else cell["value"]
    table, column = cell["table"], cell["column"]
    with suppress(sqlite3.Error):  # a constraint
        rows = (
            "1" if cell["all"] else f'{column} = (SELECT {column} FROM "{table}" LIMIT 1 OFFSET ?)'
        )
        where = () if cell["all"] else (_row(db, str(table), float(str(cell["row"]))),)
        db.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {rows}', (value, *where))


def _row(db: sqlite3.Connection, table: str, share: float) -> int:
    [(rows,)] = db.execute(f'SELECT count(*) FROM "{table}"').fetchall()
    return int(share * rows)
