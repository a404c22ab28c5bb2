"""Knowledge bases that somebody changed: all commands answer, or say in one line what is wrong.

The checksum at the end of the file is made right again, as somebody who means harm would do.
(`benchmarks.damaged_bases` damages files and asks whether it is noticed.)
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import kb
from benchmarks.fuzz import commands
from benchmarks.fuzz.case import Case, Piece, size_of
from benchmarks.fuzz.odd_cells import change_cells, odd_cell
from graphs.store.file.schema import append_trailer, drop_trailer

# What a file is asked; {out} is a file that may be written, {pages} a folder of pages.
ASKED = (
    "show 引く", "show 121.4", "show 手札", "show 121.6 --tree", "show mtgwiki/引く --tree",
    "show なし", "show デッキ", "show https://example.org/a", "show 702", "show dmwiki/手札",
    "refs 引く --depth 2", "refs 704 --direction in --kind cites --with-parts --depth 3",
    "refs 引く --all", "refs mtgwiki/ライブラリー", "path 引く 状況起因処理",
    "path 121.2a 616.1g --max 3", "top", "top --mentioned --kind term --max 5",
    "top --linked --lang ja", "top --under 121", "search カードを引かれた",
    "search カード --mentions 引く --cites 121", "search --kind rule --section ルール",
    "search ありえない言葉", "kwic 手札", "kwic 引く --game mtg --sort right",
    "ask 空のライブラリーから引こうとするとどうなる？", "ask ドローとは", "ask What is a draw?",
    "compare 引く", "compare 引く デッキ", "diff 20231117 20240730",
    "diff 20231117 20231117 --lang ja", "trace 121.4", "align ja en", "steps 引く", "steps ドロー",
    "outcomes 引く", "outcomes 通常のドロー", "terms", "terms --game ygo --lang ja", "audit",
    "audit --dangling links_to", "audit --deep", "stats", "export --out {out}.jsonl",
    "draw 引く --out {out}.svg",
)  # fmt: skip
BUILT = ("build --again --replace", "build {pages} --replace", "build {pages} --add --replace")


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

    asked: the commands that are run, each on a copy of its own.
    """

    name: str = "bases"
    cases: int = 1_000
    divisible: bool = False
    asked: tuple[str, ...] = ASKED

    def make(self, random: Random) -> Case:
        """Return 1 to 100 changes of bytes, or 1 to 10 of cells."""
        if random.random() < 0.3:
            size = len(whole())
            if random.random() < 0.1:
                return (Piece("truncate", str(random.randrange(size)).encode()),)
            first = random.choice((100, 4096, size, size, size))  # the header; the schema; anything
            return tuple(
                Piece("byte", f"{random.randrange(first)} {random.randrange(256)}".encode())
                for _ in range(random.choice((1, 1, 2, 10, 100)))
            )
        changes = random.choice((1, 1, 2, 3, 5, 10))
        return tuple(odd_cell(random, _columns()) for _ in range(changes))

    def check(self, case: Case) -> None:
        """Run all commands; one that is refused says so in one line, but for a build,
        which says what it reads before."""
        with tempfile.TemporaryDirectory(prefix="sansho-fuzz-") as folder:
            path, out, pages = (Path(folder) / name for name in ("x.db", "out", "pages"))
            path.write_bytes(whole())
            _edit(path, case)
            append_trailer(path)
            changed = path.read_bytes()
            if built := self.asked is BUILT:
                shutil.copytree(Path(kb.__file__).parent / "sample", pages)
            for number, asked in enumerate(self.asked):
                path.write_bytes(changed)
                command, *rest = asked.format(out=out, pages=pages).split(" ", 1)
                words = rest if command == "ask" else " ".join(rest).split()
                form = ["--json"] * ((number + size_of(case)) % 2)
                commands.run([command, *words, *form, "--kb", str(path)], one_line=not built)

    def seconds(self, case: Case) -> float:
        """Return how long all commands together may take."""
        return 60


def _edit(path: Path, case: Case) -> None:
    """Change bytes first, and then cells."""
    data = bytearray(path.read_bytes())
    for piece in case:
        if piece.name == "byte":
            place, value = map(int, piece.data.split())
            data[place] = value
        elif piece.name == "truncate":
            del data[int(piece.data) :]
    path.write_bytes(data)
    if cells := [piece for piece in case if piece.name == "cell"]:
        change_cells(path, cells)
