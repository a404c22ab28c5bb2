"""Opens an SQLite file that anybody may have made: read-only, with limits on what a query may do.

Whoever made the file may have made it in order to harm. These connections run no code of the file
(`trusted_schema`), read no file beside it, write nothing, and give up a question whose work is far
beyond what any honest file needs. What the file holds is not checked here, but by
`graphs.store.file.file_checks` (its tables) and where rows are read.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from graphs.time_limit import is_out_of_time

# The work of one question, in steps of SQLite's virtual machine. The dearest question of all needs
# less than 0.2 steps for each byte of an honest file (`python -m benchmarks.query_work`), a
# hundredth of this.
# A `count(*)` of a whole table, without WHERE and GROUP BY, is a single step that nothing ends, and
# a forged table can name the same page in many places: no query has one.
_STEPS_A_BYTE = 20
# Of a small file, where what a question takes does not depend on its size: a few seconds, which no
# honest one takes and anybody can wait.
_LEAST_STEPS = 50_000_000
# Some milliseconds: soon enough for a time limit, and too seldom to cost anything.
_STEPS_BETWEEN_LOOKS = 100_000
# A text can't be longer than the file that it is in, unless its pages go in a circle. What people
# type, and what a query puts together of several rows, may be longer than a small file.
_LEAST_LONGEST_VALUE = 64_000_000  # bytes
# Characters of a message of SQLite, which may quote what the file names at any length; its own
# words have some dozens.
_LONGEST_MESSAGE = 200
_PRAGMAS = (
    "trusted_schema = OFF",  # views and indexes of the file call no function with side effects
    "query_only = ON",
    "cell_size_check = ON",  # a damaged page is noticed when it is read
    "mmap_size = 0",  # a file that is cut off while it is read is an error, not a signal
)
# Guards, as low as reading allows, where SQLite's own are far higher: no other file is attached,
# nothing runs a trigger or a thread. sansho's own patterns have some dozens of characters, its
# queries put a few SELECTs together, and its views are programs of fewer than 150 operations.
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 100_000),
)


class WorkLimit:
    """How much work SQLite may still do for a question; a progress handler of a connection.

    most: the steps of SQLite's virtual machine that a question may take.
    """

    def __init__(self, size: int) -> None:
        """size: of the file, in bytes."""
        self.most = max(_LEAST_STEPS, size * _STEPS_A_BYTE)
        self._left = self.most

    def renew(self) -> None:
        """Begin to count for another question."""
        self._left = self.most

    @property
    def is_exceeded(self) -> bool:
        """Whether more was done than is allowed."""
        return self._left < 0

    def __call__(self) -> bool:
        """Count what was done since the last call; return whether SQLite must stop."""
        self._left -= _STEPS_BETWEEN_LOOKS
        return self._left < 0 or is_out_of_time()


def address(path: Path) -> str:
    """Return the URI by which SQLite opens a file read-only and nothing beside it.

    A journal or a write-ahead log that lies beside the file is not looked at: sansho replaces
    files and never writes into one, so whatever lies there is not its own.
    """
    return path.absolute().as_uri() + "?mode=ro&immutable=1"


def restrict(db: sqlite3.Connection, path: Path) -> WorkLimit:
    """Switch off, for a connection to a file, whatever reading does not need; return the limit of
    the work of its questions."""
    for pragma in _PRAGMAS:
        sqlite3.Connection.execute(db, f"PRAGMA {pragma}")
    for limit, most in _LIMITS:
        db.setlimit(limit, most)
    size = path.stat().st_size
    longest = min(max(size, _LEAST_LONGEST_VALUE), db.getlimit(sqlite3.SQLITE_LIMIT_LENGTH))
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
    work = WorkLimit(size)
    db.set_progress_handler(work, _STEPS_BETWEEN_LOOKS)
    return work


class UntrustedConnection(sqlite3.Connection):
    """A connection to a file of any version of sansho.

    work: how much it may still do.
    """

    work: WorkLimit


def open_untrusted(path: Path) -> UntrustedConnection:
    """Return a connection to a file of any version of sansho; close it. Whoever reads by it catches
    sqlite3.Error, and asks `has_tables` before.

    Raises sqlite3.Error if the file can't be opened.
    """
    db = sqlite3.connect(address(path), uri=True, factory=UntrustedConnection)
    try:
        db.work = restrict(db, path)
    except BaseException:
        db.close()
        raise
    return db


def one_line(message: object) -> str:
    """Return a message of SQLite on one line, without the text of the file that it may quote, and
    cut with … beyond _LONGEST_MESSAGE characters.

    >>> one_line("Could not decode to UTF-8 column 'text' with text 'a\\nb'")
    "Could not decode to UTF-8 column 'text'"
    """
    text = " ".join(str(message).partition(" with text '")[0].split())
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def has_tables(db: sqlite3.Connection, *names: str) -> bool:
    """Whether a file has tables of these names: tables that hold rows, not views that can give any
    number of them, nor virtual tables.

    >>> db = sqlite3.connect(":memory:")
    >>> _ = db.execute("CREATE TABLE a (b)"), db.execute("CREATE VIEW c AS SELECT b FROM a")
    >>> has_tables(db, "a"), has_tables(db, "a", "c")
    (True, False)
    """
    marks = ",".join("?" * len(names))
    [found] = db.execute(
        f"SELECT count(*) FROM sqlite_schema WHERE name IN ({marks}) AND type = 'table' "
        "AND rootpage > 0",
        names,
    ).fetchone()
    return bool(found == len(names))
