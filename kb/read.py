"""Reading: parts of snapshots become pages, with all that they put into the graph.

What is read of a part depends on the part alone, so that it does not matter which process does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from graphs.rows import Rows, rows_of
from kb.extract import extract
from kb.words import words
from scraper import Part, Warn, read_part

_MOST_AT_ONCE = 50  # parts
_ENOUGH = 100_000  # bytes


@dataclass(frozen=True, slots=True)
class Read:
    """A page that was read: where, when, what it is, and what it puts into the graph."""

    where: str
    url: str
    taken: str
    sha256: str
    notice: str
    form: str
    old: bool
    via: bool
    chars: int
    left_out: Mapping[str, int]
    page_id: str | None
    rows: Rows | None

    @property
    def preference(self) -> tuple[object, ...]:
        """The smaller, the better a capture of its page: one without a warning to readers
        first, markup before text, the revision that stands before one replaced, the page
        itself before a view of it, new before old."""
        age = -_moment(self.taken)
        return (bool(self.notice), self.form != "html", self.old, self.via, age, self.sha256)


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a snapshot that is to be read, and the hash of the whole snapshot."""

    part: Part
    sha256: str


def batches(unread: Iterable[Unread | Warn]) -> Iterator[list[Unread | Warn]]:
    """The same, as much at a time as pays the way to a worker."""
    batch: list[Unread | Warn] = []
    for one in unread:
        batch.append(one)
        if len(batch) >= _MOST_AT_ONCE or size(batch) > _ENOUGH:
            yield batch
            batch = []
    if batch:
        yield batch


def size(batch: Iterable[Unread | Warn]) -> int:
    return sum(one.part.size for one in batch if isinstance(one, Unread))


def reader(_: None) -> Callable[[Iterable[Unread | Warn]], list[Read | Warn]]:
    return lambda batch: [found for one in batch for found in _read(one)]


def _read(one: Unread | Warn) -> Iterator[Read | Warn]:
    """Read a part of a snapshot: its pages, with all that they say; what could not be read."""
    if isinstance(one, Warn):
        yield one
        return
    snapshot = one.part.snapshot
    for page in read_part(one.part):
        if isinstance(page, Warn):
            yield page
            continue
        rows = rows_of(extract(page, words(), snapshot.notice)) if page.name else None
        yield Read(
            snapshot.where, snapshot.url, snapshot.taken, one.sha256, snapshot.notice,
            page.form, page.old, page.via, page.chars, page.left_out,
            rows.ids[rows.page] if rows else None, rows,
        )  # fmt: skip


def _moment(taken: str) -> float:
    """A time as served or as noted, in seconds; 0 where there is none."""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(taken).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return 0.0
