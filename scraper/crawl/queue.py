"""The queue of a crawl, its rounds and its last captures, kept in one SQLite file.

This file is the authority: whatever is written to a manifest or an archive is first entered here
as pending, so that a write that a crash interrupts is repeated in the same way.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scraper.errors import SourceError

_SCHEMA = """
create table if not exists job (
    id integer primary key, command text unique, round integer, began text, previous text,
    finished integer);
create table if not exists queue (
    job integer, key text, url text, origin text, kind text, depth integer, state text,
    what text default '', hops integer default 0, tries integer default 0,
    round integer default 0, id integer primary key, unique (job, kind, key));
create index if not exists queue_next on queue (job, state, tries, depth, id);
create table if not exists page (
    key text, source integer, url text, place text, content_type text, validators text,
    robots text, primary key (key, source));
create table if not exists known (name text primary key, value text);
create table if not exists plan (what text, done integer);
"""
WAITING, FETCHED, UNCHANGED, SKIPPED, FAILED, MOVED, ALIAS = (
    "waiting", "fetched", "unchanged", "skipped", "failed", "moved", "alias",
)  # fmt: skip
_VISITED = {FETCHED, UNCHANGED, MOVED}
LISTS = {"list", "changes"}  # the kinds of rows that are not pages
OTHER_ADDRESS = "another address of a page"


@dataclass(frozen=True, slots=True)
class Job:
    """One crawl command and its current round.

    id: its key in the database.
    round: the number of the round, counted from 1.
    began: when the round began, in ISO 8601.
    previous: when the round before it began, in ISO 8601; empty in the first round.
    finished: whether the round is over: nothing waits, or the limit of pages is reached.
    """

    id: int
    round: int
    began: str
    previous: str
    finished: bool


@dataclass(frozen=True, slots=True)
class QueueRow:
    """An address in the queue that is to be visited.

    id: its key in the database.
    key: what all addresses of the same page have in common (see `scraper.crawl.urls.key`).
    url: the address to ask for.
    origin: its scheme, host and port.
    kind: `page`, `source` (a wiki's source text), `probe` (a page that is only read to find its
        source), `list` (a list of all pages) or `changes` (a list of recent changes).
    depth: how many links it is away from the start.
    hops: how many redirects led to it; for `changes`, how many parts of the list come before it.
    """

    id: int
    key: str
    url: str
    origin: str
    kind: str
    depth: int
    hops: int


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """The last capture of a page.

    url: the address that it was fetched from.
    place: where the page store keeps it (a file's name, or an offset in a WARC file).
    content_type: the Content-Type header of the answer.
    validators: the headers of a conditional request that asks whether the page has changed.
    robots: the values of the X-Robots-Tag headers that were sent last.
    """

    url: str
    place: str
    content_type: str
    validators: Mapping[str, str]
    robots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An address that is to be put into the queue; the fields are those of a `QueueRow`."""

    key: str
    url: str
    origin: str
    kind: str
    depth: int
    hops: int = 0


def damaged_message(path: Path, error: Exception) -> str:
    """Return the error message for a database file that can't be read."""
    return (
        f"{path}: what is remembered of earlier crawls can't be read ({error}); delete that "
        "file to begin anew: what was fetched stays"
    )


class CrawlQueue:
    """The database of all crawls into one folder or archive.

    Raises SourceError if the file at `path` is not such a database.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.executescript(_SCHEMA)
            columns = {name for _, name, *_ in self._db.execute("pragma table_info(page)")}
            if "robots" not in columns:  # made by an earlier version
                self._execute("alter table page add column robots text")
        except sqlite3.DatabaseError as error:
            raise SourceError(damaged_message(path, error)) from None

    def close(self) -> None:
        """Close the database file."""
        self._db.close()

    def roll_back(self) -> None:
        """Take back what the transaction that is open, if any, has written."""
        if self._db.in_transaction:
            self._db.execute("rollback")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the statements of a `with` block in one transaction."""
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self.roll_back()
            raise
        self._db.execute("commit")

    # -- commands and their rounds ------------------------------------------------------------

    def job(self, command: str) -> Job | None:
        """Return the job of a command, or None if it has never been run.

        command: any text that tells crawls apart; the same text continues the same crawl.
        """
        row = self._query_row(
            "select id, round, began, previous, finished from job where command = ?", command
        )
        return Job(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def begin(self, command: str, now: str) -> Job:
        """Begin the first round of a command, or the next one, and return the job in it.

        No address is queued; whether the last round is over is not checked.

        command: the text that `job` takes.
        now: the time in ISO 8601.
        """
        old = self.job(command)
        if old is None:
            self._execute(
                "insert into job (command, round, began, previous, finished) "
                "values (?, 1, ?, '', 0)",
                command,
                now,
            )
        else:
            self._execute(
                "update job set round = round + 1, previous = began, began = ?, finished = 0 "
                "where id = ?",
                now,
                old.id,
            )
        job = self.job(command)
        assert job is not None
        return job

    def finish(self, job: Job, finished: bool = True) -> None:
        """Mark the round of a job as over (`finished`), or as not over.

        `job` itself does not change; `CrawlQueue.job` returns the new one.
        """
        self._execute("update job set finished = ? where id = ?", int(finished), job.id)

    # -- the queue ----------------------------------------------------------------------------

    def enqueue(self, job: Job, entries: Iterable[QueueEntry]) -> None:
        """Put addresses into the queue, to be visited.

        If the job has an entry's key and kind already, only the smaller depth is kept: the address
        stays the old one, and what was visited is not visited again (see `requeue`).

        entries: keys may be repeated in them, with the same effect.
        """
        self._db.executemany(
            "insert into queue (job, key, url, origin, kind, depth, hops, state) "
            "values (?, ?, ?, ?, ?, ?, ?, 'waiting') on conflict (job, kind, key) do update "
            "set depth = min(depth, excluded.depth)",
            [(job.id, e.key, e.url, e.origin, e.kind, e.depth, e.hops) for e in entries],
        )

    def requeue(self, job: Job, key: str | None = None, kind: str = "page") -> None:
        """Queue all rows of a kind, or the one with a key, to be visited again in this round.

        Rows that were visited in this round already, aliases, and rows skipped as other addresses
        of a page are not queued again. Nothing happens if no row has the key.

        job: in the round in which the rows are to be visited again.
        key: as in `QueueRow`; None for all rows of the kind.
        kind: as in `QueueRow`.
        """
        self._execute(
            "update queue set state = 'waiting', tries = 0 where job = ? and kind = ? "
            "and state not in ('alias', 'waiting') and what <> ? and round < ? "
            "and (? is null or key = ?)",
            job.id,
            kind,
            OTHER_ADDRESS,
            job.round,
            key,
            key,
        )

    def forget(self, job: Job, kind: str) -> None:
        """Delete all rows of a kind, whatever their state.

        So lists of this kind are read again from the start once they are queued anew.

        kind: as in `QueueRow`.
        """
        self._execute("delete from queue where job = ? and kind = ?", job.id, kind)

    def retry(self, job: Job) -> None:
        """Queue the addresses that failed, in whatever round, to be tried again.

        They come after those that were tried less often.
        """
        self._execute(
            "update queue set state = 'waiting', tries = tries + 1 "
            "where job = ? and state = 'failed'",
            job.id,
        )

    def end_retries(self, job: Job) -> None:
        """Mark the addresses that wait to be tried again as failed: see `retry`."""
        self._execute(
            "update queue set state = 'failed' where job = ? and state = 'waiting' and tries > 0",
            job.id,
        )

    def next(self, job: Job, closed: Iterable[str], lists: bool) -> QueueRow | None:
        """Return the next address to visit; None if none waits that may be visited.

        Lists of changes come first, then lists of all pages, then the addresses that were tried
        least often, and of these the ones that are the fewest links away from the start. The row
        stays in the queue, and is returned again until `record_result` changes its state.

        closed: the origins (as in `QueueRow`) that are not to be asked.
        lists: whether lists may be returned.
        """
        closed_origins = json.dumps(sorted(closed))
        for kinds in (["('changes')", "('list')"] if lists else []) + ["('page','source','probe')"]:
            row = self._query_row(
                "select id, key, url, origin, kind, depth, hops from queue where job = ? and "
                f"state = 'waiting' and kind in {kinds} "
                "and origin not in (select value from json_each(?)) "
                "order by tries, depth, id limit 1",
                job.id,
                closed_origins,
            )
            if row:
                return QueueRow(*row)
        return None

    def record_result(self, job: Job, row: QueueRow, state: str, what: str = "") -> None:
        """Record the result of a visit in the current round of the job.

        job: in the round that the visit belongs to.
        row: only its `id` matters.
        state: one of the constants of this module, such as `FETCHED` or `SKIPPED`.
        what: the reason of a skip or failure; the key of the target for `MOVED`; else empty.
        """
        self._execute(
            "update queue set state = ?, what = ?, round = ? where id = ?",
            state,
            what,
            job.round,
            row.id,
        )

    def change_address(self, row: QueueRow, url: str, origin: str) -> None:
        """Change the address of a row after a redirect that leads to the same page.

        The row counts one hop more, and waits on. `row` itself does not change.

        url, origin: the new ones; the row keeps its key.
        """
        self._execute(
            "update queue set url = ?, origin = ?, hops = hops + 1 where id = ?",
            url,
            origin,
            row.id,
        )

    def claim_key(self, job: Job, row: QueueRow, key: str) -> bool:
        """Whether the page of a row has been visited under another key already, in any round.

        Writes, too: if that key is not in the queue or still waits, it becomes an alias of the
        row's own key, and is not visited any more. Visits that failed or were skipped don't count.

        row: of the page that was fetched, under its own key.
        key: the other key, as it is known now that the page was fetched.
        """
        existing = self._row(job, row.kind, key)
        if existing and existing[1] == ALIAS and existing[2] != row.key:
            owner = self._row(job, row.kind, existing[2])
            if owner and owner[1] in _VISITED:
                return True
        if existing is None:
            self._execute(
                "insert into queue (job, key, url, origin, kind, depth, state, what) "
                "values (?, ?, ?, ?, ?, ?, 'alias', ?)",
                job.id,
                key,
                row.url,
                row.origin,
                row.kind,
                row.depth,
                row.key,
            )
        elif existing[1] in {WAITING, ALIAS}:
            self._execute(
                "update queue set state = 'alias', what = ? where id = ?", row.key, existing[0]
            )
        return existing is not None and existing[1] in _VISITED

    def result_this_round(self, job: Job, kind: str, key: str) -> tuple[str, str]:
        """Return the state and the remark of a key's row, whether it is a redirect or not.

        Both are empty if it was not visited in this round. The remark of a redirect (`MOVED`) is
        the key that it leads to, that of a skip or failure its reason.

        job: in the round that counts as this one.
        kind, key: as in `QueueRow`.
        """
        row = self._row(job, kind, key)
        return (row[1], row[2]) if row and row[3] == job.round else ("", "")

    def _row(self, job: Job, kind: str, key: str) -> tuple[Any, ...] | None:
        """Return (id, state, remark, round) of a key's row; None if there is none."""
        sql = "select id, state, what, round from queue where job = ? and kind = ? and key = ?"
        return self._query_row(sql, job.id, kind, key)

    def counts(self, job: Job) -> dict[tuple[str, str], int]:
        """Return the number of pages visited in this round, by (state, remark).

        The remark is the `what` of `record_result`. Lists and aliases are not counted. A page that
        failed and is to be tried again counts under the state `waiting`.

        job: in the round that counts as this one.
        """
        rows = self._db.execute(
            "select state, what, count(*) from queue where job = ? and round = ? and kind in "
            "('page', 'source', 'probe') and state not in ('alias') group by state, what",
            (job.id, job.round),
        )
        return {(state, what): number for state, what, number in rows}

    def failures(self, job: Job) -> list[tuple[str, str]]:
        """Return (address, reason) for all that failed in this round, lists too.

        They are in the order in which they were first queued.

        job: in the round that counts as this one.
        """
        rows = self._db.execute(
            "select url, what from queue where job = ? and state = 'failed' and round = ? "
            "order by id",
            (job.id, job.round),
        )
        return [(url, what) for url, what in rows]

    def count_rows(self, job: Job, condition: str) -> int:
        """Return the number of a job's rows that satisfy an SQL condition.

        Rows of every kind, state and round are counted unless the condition excludes them.

        condition: an SQL expression over the columns of the table `queue`, such as
            `state = 'waiting'`. It is put into the statement as it is, so it must be trusted.
        """
        row = self._query_row(f"select count(*) from queue where job = ? and {condition}", job.id)
        return int(row[0]) if row else 0

    # -- captures -----------------------------------------------------------------------------

    def last_capture(self, key: str, source: bool) -> StoredCapture | None:
        """Return the last capture of a page, by any command; None if there is none.

        One that an earlier version stored has no validators, as its headers for robots are not
        known: such a page is fetched whole.

        key: as in `QueueRow`.
        source: true for the capture of its source text, false for that of its HTML.
        """
        row = self._query_row(
            "select url, place, content_type, validators, robots from page "
            "where key = ? and source = ?",
            key,
            int(source),
        )
        if row is None:
            return None
        validators = {} if row[4] is None else json.loads(row[3])
        return StoredCapture(row[0], row[1], row[2], validators, tuple(json.loads(row[4] or "[]")))

    def save_capture(self, key: str, source: bool, capture: StoredCapture) -> None:
        """Store a capture as the last one of its page; the one before is forgotten.

        key, source: as in `last_capture`.
        """
        self._execute(
            "insert or replace into page values (?, ?, ?, ?, ?, ?, ?)",
            key,
            int(source),
            capture.url,
            capture.place,
            capture.content_type,
            json.dumps(dict(capture.validators)),
            json.dumps(capture.robots),
        )

    @property
    def last_write(self) -> tuple[dict[str, Any], bool] | None:
        """The plan of the last write that was entered, and whether it is done (not only pending).

        None if there was none.
        """
        row = self._query_row("select what, done from plan")
        return (json.loads(row[0]), bool(row[1])) if row else None

    def plan_write(self, plan: Mapping[str, Any]) -> None:
        """Enter a write that is about to be made, in place of the one before.

        plan: what `PageStore.stage` returns.
        """
        self._execute("delete from plan")
        self._execute("insert into plan values (?, 0)", json.dumps(plan, ensure_ascii=False))

    def finish_write(self) -> None:
        """Mark the write that was entered last as done."""
        self._execute("update plan set done = 1")

    def store_value(self, name: str, value: object) -> None:
        """Store a value (anything that JSON can hold) under a name, in place of the one before.

        It is kept for all commands and rounds; tuples come back as lists.
        """
        self._execute("insert or replace into known values (?, ?)", name, json.dumps(value))

    def stored_value(self, name: str) -> Any:
        """Return the value that was stored under a name, or None."""
        row = self._query_row("select value from known where name = ?", name)
        return json.loads(row[0]) if row else None

    def _query_row(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """Return the first row that a query gives, or None.

        sql: a statement with a `?` for each of `values`.
        """
        row: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
        return row

    def _execute(self, sql: str, *values: object) -> None:
        self._db.execute(sql, values)
