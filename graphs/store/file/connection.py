"""Opens the SQLite file of a graph for reading, once for each thread, and asks it in batches."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar
from weakref import WeakSet, ref

from graphs.errors import StoreError
from graphs.store.file.file_checks import check_header
from graphs.store.file.file_digest import refuse_damaged
from graphs.store.file.untrusted_file import WorkLimit, address, one_line, restrict
from graphs.time_limit import check_time

Value = TypeVar("Value")
# Older SQLite takes 999 parameters; some queries use each value twice, and have a few others.
_BATCH_SIZE = 400


def batches(values: Iterable[Value], size: int = _BATCH_SIZE) -> Iterator[list[Value]]:
    """Yield the values in their order, in lists of at most `size`; none if there are no values.

    >>> [len(batch) for batch in batches(range(402))]
    [400, 2]
    """
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch


def rows_of(
    db: sqlite3.Connection, query: str, values: Iterable[Any], behind: Sequence[Any] = ()
) -> Iterator[Any]:
    """Yield the rows of a query for some values, those of each batch by themselves.

    query: has `({marks})` in the place of the values. behind: of the parameters that follow them.

    >>> with sqlite3.connect(":memory:") as db:
    ...     list(rows_of(db, "SELECT ? IN ({marks})", ["a"], ["b"]))
    [(0,)]
    """
    for batch in batches(values):
        marks = ",".join("?" * len(batch))
        yield from db.execute(query.replace("{marks}", marks), [*batch, *behind])


_LONGEST_SHOWN = 200  # characters of a path in a message, which a person reads: two lines or three
# That an iteration reads before another thread may close the connection. By hand: fewer take the
# lock more often, of more the last ones are read in vain by who wants only the first.
_ROWS_AT_ONCE = 500
# That are kept of one query within `ReadConnection.remembering`, and of all together. By hand: a
# page asks for some hundred rows; longer answers are lists that nobody asks for twice.
_MOST_ROWS, _MOST_KEPT = 1_000, 5_000


class ReadConnections:
    """The connections to one file: each thread gets its own when it first asks for it.

    SQLite answers several threads at the same time only over several connections. The connection of
    a thread that has ended is closed by itself, all others by `close`.

    is_closed: whether `close` was called.
    """

    def __init__(self, path: Path) -> None:
        """Open the file for this thread.

        Raises StoreError if it is a damaged one or no knowledge base of this version, and
        sqlite3.OperationalError or OSError if it can't be opened.
        """
        self._path = path
        self._of_thread = threading.local()
        self._open: WeakSet[ReadConnection] = WeakSet()
        self._lock = threading.Lock()
        self.is_closed = False
        self._identity = _identity(path)
        refuse_damaged(path)
        check_header(path)
        self._first = self._connect()  # kept open: the identity of the file can't be used again

    def get(self) -> ReadConnection:
        """Return the connection of the thread that calls.

        Raises StoreError after `close`, and in a thread that comes after the file was replaced by a
        new build: it would read another graph than the threads before it.
        """
        if self.is_closed:
            raise _closed(self._path)
        lease: _Lease = getattr(self._of_thread, "lease", None) or self._connect()
        return lease.connection

    def close(self) -> None:
        """Close the connections of all threads. A query that runs at the moment in another thread
        raises StoreError there, as every later one does."""
        with self._lock:
            self.is_closed = True
            for connection in list(self._open):
                connection.close()

    def _connect(self) -> _Lease:
        """Open the file for this thread."""
        with self._lock:
            if self.is_closed:
                raise _closed(self._path)
            if _identity(self._path) != self._identity:
                raise StoreError(
                    f"{self._path}: was built again since it was opened; open it again"
                )
            connection = ReadConnection(self._path)
            self._open.add(connection)
        lease = self._of_thread.lease = _Lease(connection)
        return lease


class Memory:
    """What was read within `ReadConnection.remembering`, where other questions find parts of it.

    keys: of ids. nodes: by their ids, as the store makes them. passages: by their keys, the rows
        that edges rest on.
    """

    def __init__(self) -> None:
        self.keys: dict[str, int] = {}
        self.nodes: dict[str, Any] = {}
        self.passages: dict[int, tuple[Any, ...]] = {}


class ReadConnection(sqlite3.Connection):
    """A read-only connection to a file that one thread uses and any thread may close.

    Its queries raise StoreError instead of the errors of sqlite3, and when they do more work than
    `work` allows.
    """

    def __init__(self, path: Path) -> None:
        """Open a file; raises sqlite3.OperationalError if that is impossible."""
        # Python would refuse `close` from other threads. Nothing else is called from them, and not
        # while a query runs.
        super().__init__(address(path), uri=True, check_same_thread=False)
        self.work = restrict(self, path)
        self.running = _RunningQuery(path, self.work)
        self.lease: ref[_Lease] | None = None
        self._known: dict[tuple[object, ...], list[Any]] | None = None
        self._kept = 0
        self.memory: Memory | None = None

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run a query and return the cursor with its rows; raises OutOfTimeError where the time
        limit of the work is over."""
        check_time()
        if self._known is None:
            return self._cursor(_ReadCursor).execute(sql, parameters)
        question = (sql, *parameters)
        cursor = self._cursor(_KnownRows)
        if question in self._known:
            cursor.rows = iter(self._known[question])
            return cursor
        asked = self._cursor(_ReadCursor).execute(sql, parameters)
        first = asked.fetchmany(_MOST_ROWS)
        is_all = len(first) < _MOST_ROWS
        if is_all and self._kept < _MOST_KEPT:
            self._known[question] = first
            self._kept += len(first)
        cursor.rows = iter(first) if is_all else chain(first, asked)
        return cursor

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Within, in this thread, a query that was run before is answered with the rows that it had
        then, and so are nodes, keys and passages: the file does not change while it is open."""
        if self._known is not None:  # within another one
            yield
            return
        self._known, self._kept, self.memory = {}, 0, Memory()
        try:
            yield
        finally:
            self._known = self.memory = None

    def _cursor(self, kind: type[_Cursor]) -> _Cursor:
        with self.running:
            cursor = self.cursor(kind)
        cursor.lease = self.lease() if self.lease else None
        return cursor

    def close(self) -> None:
        """Close the connection, from any thread; a query that runs is interrupted. Closing twice is
        allowed."""
        if not self.running.is_closed:
            self.running.is_closed = True
            with suppress(sqlite3.ProgrammingError):  # Python 3.13 has closed it at its own end
                self.interrupt()
            with self.running.lock:
                super().close()


class _Lease:
    """What a thread and the cursors hold of a connection: the last of them to go closes it.

    A connection itself goes much later, when Python looks for objects that refer to each other.
    """

    def __init__(self, connection: ReadConnection) -> None:
        self.connection = connection
        self._process = os.getpid()
        connection.lease = ref(self)

    def __del__(self) -> None:
        # In the child of a fork another thread, which is not there, may hold the lock for ever.
        if os.getpid() == self._process:
            self.connection.close()


class _ReadCursor(sqlite3.Cursor):
    """A cursor whose connection is not closed while SQLite looks for its rows."""

    connection: ReadConnection
    lease: _Lease | None = None

    def execute(self, sql: str, parameters: Any = (), /) -> _ReadCursor:
        with self.connection.running:
            super().execute(sql, parameters)
        return self

    def fetchone(self) -> Any:
        with self.connection.running:
            return super().fetchone()

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        with self.connection.running:
            return super().fetchmany(size)

    def fetchall(self) -> list[Any]:
        with self.connection.running:
            return super().fetchall()

    def __next__(self) -> Any:
        with self.connection.running:
            return super().__next__()

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        while rows := self.fetchmany(_ROWS_AT_ONCE):
            yield from rows


class _KnownRows(_ReadCursor):
    """A cursor over rows that were read before, and those of another cursor behind them."""

    rows: Iterator[Any]

    def fetchone(self) -> Any:
        return next(self.rows, None)

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        return list(islice(self.rows, size))

    def fetchall(self) -> list[Any]:
        return list(self.rows)

    def __next__(self) -> Any:
        return next(self.rows)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        return self.rows


_Cursor = TypeVar("_Cursor", bound=_ReadCursor)


class _RunningQuery:
    """A context manager around all that a connection asks of SQLite: it keeps other threads from
    closing the connection, and makes StoreErrors of SQLite's errors."""

    def __init__(self, path: Path, work: WorkLimit) -> None:
        self._path = path
        self._work = work
        self.lock = threading.RLock()
        self.is_closed = False

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.lock.release()
        # Python decodes even SQLite's own messages, which quote the names of a file's tables.
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):
            if self.is_closed:
                raise _closed(self._path) from None
            check_time()
            if self._work.is_exceeded:
                raise StoreError(
                    f"{self._path}: a question took more than {self._work.most:,} steps: the file "
                    "is not as sansho makes it; build it again from its sources"
                ) from None
            raise StoreError(
                f"{self._path}: damaged ({one_line(error)}); build it again"
            ) from error


def refuse_what_is_no_file(path: Path) -> None:
    """Raise StoreError unless there is a file that may be opened, as far as one can tell: if there
    is nothing, a folder or a device, or if nobody may look. What the file holds isn't looked at."""
    try:
        if path.is_file():
            return
        what = "a folder, no knowledge base" if path.is_dir() else "no knowledge base there"
    except OSError as error:
        raise StoreError(f"{_shortened(path)}: can't be opened ({error.strerror})") from None
    raise StoreError(f"{_shortened(path)}: {what}; name its file, or build one")


def _shortened(path: Path) -> str:
    """Return a path for a message, cut with … beyond _LONGEST_SHOWN characters."""
    return f"{path}" if len(str(path)) <= _LONGEST_SHOWN else f"{str(path)[:_LONGEST_SHOWN]}…"


def _identity(path: Path) -> tuple[int, int]:
    """Return what tells a file from another one that takes its place: its device and inode; zeros
    if there is none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _closed(path: Path) -> StoreError:
    """Return (not raise) the error for a question after `close`."""
    return StoreError(f"{path}: this knowledge base is closed; open it again")
