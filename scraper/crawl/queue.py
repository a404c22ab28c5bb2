"""What a crawl remembers, in one SQLite file beside what it keeps.

This file is the one truth: what is written to a manifest or an archive is first entered here
as pending, so that whatever a crash leaves half done is done again the same way.
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
    primary key (key, source));
create table if not exists known (name text primary key, value text);
create table if not exists plan (what text, done integer);
"""
WAITING, FETCHED, UNCHANGED, SKIPPED, FAILED, MOVED, ALIAS = (
    "waiting", "fetched", "unchanged", "skipped", "failed", "moved", "alias",
)  # fmt: skip
_VISITED = {FETCHED, UNCHANGED, MOVED}
LISTS = {"list", "changes"}  # the kinds of rows that are no pages
OTHER_ADDRESS = "another address of a page"


@dataclass(frozen=True, slots=True)
class Job:
    """One command, and the round that it is in. `previous` is when the last whole round began."""

    id: int
    round: int
    began: str
    previous: str
    finished: bool


@dataclass(frozen=True, slots=True)
class QueueRow:
    """An address in the queue. `kind`: page, source, probe, list, changes."""

    id: int
    key: str
    url: str
    origin: str
    kind: str
    depth: int
    hops: int


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """Where the last capture of a page lies, and what to ask with whether it has changed."""

    url: str
    place: str
    content_type: str
    validators: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An address that is to be put into the queue."""

    key: str
    url: str
    origin: str
    kind: str
    depth: int
    hops: int = 0


def damaged_message(path: Path, error: Exception) -> str:
    """What is said of a memory that can't be read."""
    return (
        f"{path}: what is remembered of earlier crawls can't be read ({error}); delete that "
        "file to begin anew: what was fetched stays"
    )


class CrawlQueue:
    """The memory of the crawls into one folder or archive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise SourceError(damaged_message(path, error)) from None

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is changed within is changed, or none of it."""
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise
        self._db.execute("commit")

    # -- commands and their rounds ------------------------------------------------------------

    def job(self, command: str) -> Job | None:
        """What is remembered of a command."""
        row = self._one(
            "select id, round, began, previous, finished from job where command = ?", command
        )
        return Job(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def begin(self, command: str, now: str) -> Job:
        """Begin the first round of a command, or the next one."""
        old = self.job(command)
        if old is None:
            self._do(
                "insert into job (command, round, began, previous, finished) "
                "values (?, 1, ?, '', 0)",
                command,
                now,
            )
        else:
            self._do(
                "update job set round = round + 1, previous = began, began = ?, finished = 0 "
                "where id = ?",
                now,
                old.id,
            )
        job = self.job(command)
        assert job is not None
        return job

    def finish(self, job: Job, finished: bool = True) -> None:
        """The round is over, or goes on."""
        self._do("update job set finished = ? where id = ?", int(finished), job.id)

    # -- the queue ----------------------------------------------------------------------------

    def want(self, job: Job, wanted: Iterable[QueueEntry]) -> None:
        """Put addresses into the queue that are not in it."""
        self._db.executemany(
            "insert into queue (job, key, url, origin, kind, depth, hops, state) "
            "values (?, ?, ?, ?, ?, ?, ?, 'waiting') on conflict (job, kind, key) do update "
            "set depth = min(depth, excluded.depth)",
            [(job.id, w.key, w.url, w.origin, w.kind, w.depth, w.hops) for w in wanted],
        )

    def again(self, job: Job, key: str | None = None, kind: str = "page") -> None:
        """All pages, or one, are to be visited anew in this round."""
        self._do(
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
        """Lists of a kind are to be read anew, from their beginning."""
        self._do("delete from queue where job = ? and kind = ?", job.id, kind)

    def retry(self, job: Job) -> None:
        """What failed is tried again."""
        self._do(
            "update queue set state = 'waiting', tries = tries + 1 "
            "where job = ? and state = 'failed'",
            job.id,
        )

    def next(self, job: Job, closed: Iterable[str], lists: bool) -> QueueRow | None:
        """What is to be visited next: lists of pages first, then what is nearest."""
        shut = json.dumps(sorted(closed))
        for kinds in (["('changes')", "('list')"] if lists else []) + ["('page','source','probe')"]:
            row = self._one(
                "select id, key, url, origin, kind, depth, hops from queue where job = ? and "
                f"state = 'waiting' and kind in {kinds} "
                "and origin not in (select value from json_each(?)) "
                "order by tries, depth, id limit 1",
                job.id,
                shut,
            )
            if row:
                return QueueRow(*row)
        return None

    def settle(self, job: Job, row: QueueRow, state: str, what: str = "") -> None:
        """What became of an address in this round."""
        self._do(
            "update queue set state = ?, what = ?, round = ? where id = ?",
            state,
            what,
            job.round,
            row.id,
        )

    def redirect(self, row: QueueRow, url: str, origin: str) -> None:
        """The same page is to be asked for under another address."""
        self._do(
            "update queue set url = ?, origin = ?, hops = hops + 1 where id = ?",
            url,
            origin,
            row.id,
        )

    def elsewhere(self, job: Job, row: QueueRow, key: str) -> bool:
        """Whether a page was visited under another key, too; if not, from now on that key is the
        page's own."""
        found = self._one(
            "select id, state, what from queue where job = ? and kind = ? and key = ?",
            job.id,
            row.kind,
            key,
        )
        if found and found[1] == ALIAS and found[2] != row.key:
            owner = self._one(
                "select id, state, what from queue where job = ? and kind = ? and key = ?",
                job.id,
                row.kind,
                found[2],
            )
            if owner and owner[1] in _VISITED:
                return True
        if found is None:
            self._do(
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
        elif found[1] in {WAITING, ALIAS}:
            self._do("update queue set state = 'alias', what = ? where id = ?", row.key, found[0])
        return found is not None and found[1] in _VISITED

    def where_to(self, job: Job, kind: str, key: str) -> tuple[str, str]:
        """State and remark of the row of a key in this round."""
        row = self._one(
            "select state, what, round from queue where job = ? and kind = ? and key = ?",
            job.id,
            kind,
            key,
        )
        return (row[0], row[1]) if row and row[2] == job.round else ("", "")

    def counts(self, job: Job) -> dict[tuple[str, str], int]:
        """How many pages became what in this round."""
        rows = self._db.execute(
            "select state, what, count(*) from queue where job = ? and round = ? and kind in "
            "('page', 'source', 'probe') and state not in ('alias') group by state, what",
            (job.id, job.round),
        )
        return {(state, what): number for state, what, number in rows}

    def failures(self, job: Job) -> list[tuple[str, str]]:
        """The addresses that failed, and why."""
        rows = self._db.execute(
            "select url, what from queue where job = ? and state = 'failed' and round = ? "
            "order by id",
            (job.id, job.round),
        )
        return [(url, what) for url, what in rows]

    def number(self, job: Job, which: str) -> int:
        """How many rows there are of which an SQL condition holds."""
        row = self._one(f"select count(*) from queue where job = ? and {which}", job.id)
        return int(row[0]) if row else 0

    # -- what is kept -------------------------------------------------------------------------

    def kept(self, key: str, source: bool) -> StoredCapture | None:
        """The last capture of a page."""
        row = self._one(
            "select url, place, content_type, validators from page where key = ? and source = ?",
            key,
            int(source),
        )
        return StoredCapture(row[0], row[1], row[2], json.loads(row[3])) if row else None

    def keep(self, key: str, source: bool, kept: StoredCapture) -> None:
        """Remember a capture as the last one of its page."""
        validators = json.dumps(dict(kept.validators))
        self._do(
            "insert or replace into page values (?, ?, ?, ?, ?, ?)",
            key,
            int(source),
            kept.url,
            kept.place,
            kept.content_type,
            validators,
        )

    @property
    def plan(self) -> tuple[dict[str, Any], bool] | None:
        """What was last decided to be written, and whether that was done."""
        row = self._one("select what, done from plan")
        return (json.loads(row[0]), bool(row[1])) if row else None

    def decide(self, plan: Mapping[str, Any]) -> None:
        """Remember what is about to be written."""
        self._do("delete from plan")
        self._do("insert into plan values (?, 0)", json.dumps(plan, ensure_ascii=False))

    def written(self) -> None:
        """What was decided is done."""
        self._do("update plan set done = 1")

    def note(self, name: str, value: object) -> None:
        """Remember a fact."""
        self._do("insert or replace into known values (?, ?)", name, json.dumps(value))

    def noted(self, name: str) -> Any:
        """A fact, or None."""
        row = self._one("select value from known where name = ?", name)
        return json.loads(row[0]) if row else None

    def _one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
        return row

    def _do(self, sql: str, *values: object) -> None:
        self._db.execute(sql, values)
