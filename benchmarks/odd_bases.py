"""Asks every command of knowledge bases in which some values are not as sansho writes them.

    python -m benchmarks.odd_bases [--mutants N] [--seed S] [--bytes] [FILE]

Each mutant is a copy of a knowledge base (by default the bundled sample) with one to five values of
random tables replaced by hostile ones, or with `--bytes` some bytes. Every command must answer, or
say in one line what is wrong, with exit code 0, 1 or 2, and in time. What does not is printed with
the seed of its mutant; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sqlite3
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from click.testing import CliRunner

import kb
from graphs.store.checksum_trailer import append_trailer, drop_trailer
from kb.cli.group import main as command_line

_SECONDS = 20  # that a command may take
COMMANDS = (
    "show 引く", "show 121.4", "show 手札", "show 121.6 --tree", "show mtgwiki/引く --tree",
    "show なし", "show デッキ", "show https://example.org/a", "show 702",
    "refs 引く --depth 2", "refs 704 --direction in --kind cites --with-parts --depth 3",
    "refs 引く --all", "refs mtgwiki/ライブラリー", "path 引く 状況起因処理",
    "path 121.2a 616.1g --max 3", "top", "top --mentioned --kind term --max 5",
    "top --linked --lang ja", "top --under 121", "search カードを引かれた",
    "search カード --mentions 引く --cites 121", "search --kind rule --section ルール",
    "search ありえない言葉", "kwic 手札", "kwic 引く --game mtg --sort right",
    "ask 空のライブラリーから引こうとするとどうなる？", "ask ドローとは", "ask 'What is a draw?'",
    "compare 引く", "compare デッキ", "diff 20231117 20240730", "diff 20231117 20231117 --lang ja",
    "trace 121.4", "align ja en", "steps 引く", "steps ドロー", "outcomes 引く",
    "outcomes 通常のドロー", "terms", "terms --game ygo --lang ja", "audit",
    "audit --dangling links_to", "stats", "export --out {out}.jsonl", "draw 引く --out {out}.svg",
)  # fmt: skip
_BUILDS = ("build --again --replace", "build {pages} --replace", "build {pages} --add --replace")
HOSTILE: tuple[object, ...] = (
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


class TookTooLong(BaseException):
    """A command took longer than it may."""


def mutate_values(db: sqlite3.Connection, chance: random.Random) -> list[str]:
    """Replace one to five values of a knowledge base by hostile ones, by others of the same column,
    or by keys of other rows; return what was done."""
    tables = [
        name
        for (name,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
        )
    ]
    done = []
    for _ in range(chance.randint(1, 5)):
        table = chance.choice([*tables, *["node", "edge", "label", "meta", "capture"] * 5])
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        keys = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
        column = chance.choice(columns)
        key = ",".join(f'"{name}"' for name in keys) if keys else "rowid"
        rows = db.execute(f"SELECT {key} FROM {table}").fetchall()
        if not rows:
            continue
        many = chance.random() < 0.7  # of a single row most questions see nothing
        picked = chance.sample(
            rows, min(len(rows), chance.choice((20, 1000, 10_000)) if many else 1)
        )
        value = _value(db, table, column, chance)
        where = " AND ".join(f'"{name}" IS ?' for name in keys) if keys else "rowid = ?"
        try:
            db.executemany(
                f'UPDATE OR REPLACE {table} SET "{column}" = ? WHERE {where}',
                [(value, *row) for row in picked],
            )
            done.append(f"{table}.{column} = {str(value)[:40]!r} × {len(picked)}")
        except (sqlite3.Error, OverflowError):
            continue
    return done


def _value(db: sqlite3.Connection, table: str, column: str, chance: random.Random) -> object:
    """Return a value to put in the place of another."""
    if chance.random() < 0.3:  # one that is there, so that rows refer to themselves or to others
        rows = db.execute(f'SELECT "{column}" FROM {table}').fetchall()
        return chance.choice(rows)[0]
    if chance.random() < 0.1:
        return _bent(chance)
    return chance.choice(HOSTILE)


def _bent(chance: random.Random) -> str:
    """Return JSON of some random shape."""
    names = ("sets", "folder", "places", "hints", "sites", "examples", "wordings", "page", "text",
             "differs", "exception_to", "subject", "card", "game", "lang", "values")  # fmt: skip

    def some(depth: int) -> object:
        kind = chance.randrange(6 if depth else 4)
        if kind == 4:
            return [some(depth - 1) for _ in range(chance.randint(0, 3))]
        if kind == 5:
            return {chance.choice(names): some(depth - 1) for _ in range(chance.randint(0, 5))}
        return (None, chance.randint(-9, 9), "text", True)[kind]

    return json.dumps(some(4))


def _writing(path: Path) -> sqlite3.Connection:
    """Return a connection that writes without care for the disk."""
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF"):
        db.execute(f"PRAGMA {pragma}")
    return db


def without_constraints(path: Path) -> None:
    """Let every column of a file take every value, as someone who writes its bytes can; the file
    defines the same afterwards as before when `with_constraints` was called."""
    with closing(_writing(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_schema SET sql = replace(replace(sql, ' NOT NULL', ''), ' TEXT', '') "
            "WHERE type = 'table' AND rootpage > 0 AND sql NOT LIKE '%WITHOUT ROWID%'"
        )
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, ' INTEGER,', ',') WHERE name IN "
                   "('node', 'claim', 'label', 'edge', 'left_out')")  # fmt: skip


def with_constraints(path: Path, whole: Path) -> None:
    """Let a file define what a whole one defines."""
    with closing(sqlite3.connect(whole)) as db:
        definitions = db.execute("SELECT sql, name FROM sqlite_schema").fetchall()
    with closing(_writing(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.executemany("UPDATE sqlite_schema SET sql = ? WHERE name = ?", definitions)


def make_mutant(whole: Path, path: Path, chance: random.Random, of_bytes: bool) -> list[str]:
    """Write a mutant of a knowledge base; return what is odd in it."""
    shutil.copyfile(whole, path)
    if of_bytes:
        content = bytearray(path.read_bytes())
        for _ in range(chance.choice((1, 3, 10, 100))):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content)
        drop_trailer(path)
        append_trailer(path)
        return ["bytes"]
    drop_trailer(path)
    without_constraints(path)
    with closing(_writing(path)) as db:
        done = mutate_values(db, chance)
    with_constraints(path, whole)
    append_trailer(path)  # an attacker's checksum is right
    return done


@contextmanager
def _in_time(seconds: int) -> Iterator[None]:
    """Raise TookTooLong if the block takes more processor time."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def what_fails(
    path: Path, commands: Sequence[str], folder: Path, chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield (command, what it did instead) of the commands that neither answer nor say in a line
    why not."""
    places = {"out": folder / "out", "pages": folder / "pages"}
    for command in commands:
        words = [word.strip("'").format(**places) for word in command.split(" ")]
        if command.startswith("ask '"):
            words = ["ask", command[5:-1]]
        form = chance.choice(([], ["--json"]))
        try:
            with _in_time(_SECONDS):
                result = CliRunner().invoke(command_line, [*words, *form, "--kb", str(path)])
        except TookTooLong:
            yield command, "took too long"
            continue
        error = result.exception
        if error is not None and not isinstance(error, SystemExit):
            yield command, _place_of(error)
        elif result.exit_code not in (0, 1, 2):
            yield command, f"exit code {result.exit_code}"
        elif result.exit_code == 2 and result.stderr.count("\n") > 1:
            yield command, f"says {result.stderr[:300]!r}"


def _place_of(error: BaseException) -> str:
    """Return the type of an error and the last places in this program that it came through."""
    frames = [
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "/kb/" in frame.filename or "/graphs/" in frame.filename
    ]
    return f"{type(error).__name__}: {str(error)[:60]} at {' < '.join(frames[:-4:-1])}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make mutants and ask them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bytes", action="store_true")
    parser.add_argument("--builds", action="store_true", help="build on the mutants instead")
    given = parser.parse_args(arguments)
    met: Counter[str] = Counter()
    first: dict[str, str] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        pages = Path(kb.__file__).parent / "sample"
        shutil.copytree(pages, folder / "pages")
        whole = given.file or folder / "whole.db"
        if not given.file:
            kb.build([folder / "pages"], whole)
        for seed in range(given.seed, given.seed + given.mutants):
            mutant = folder / "mutant.db"
            chance = random.Random(seed)
            done = make_mutant(whole, mutant, chance, given.bytes)
            for commands in [[build] for build in _BUILDS] if given.builds else [COMMANDS]:
                tried = folder / "tried.db"
                shutil.copyfile(mutant, tried)
                for command, what in what_fails(tried, commands, folder, chance):
                    met[what] += 1
                    first.setdefault(what, f"seed {seed}: {command} ({'; '.join(done)})")
    for what, times in met.most_common():
        print(f"{times:5} {what}\n      {first[what]}")
    print(f"{given.mutants} mutants, {sum(met.values())} failures of {len(met)} kinds")
    return 1 if met else 0


if __name__ == "__main__":
    sys.exit(main())
