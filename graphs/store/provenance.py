"""What a graph was read from: parts of sources, captures of pages, what could not be read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from graphs.store.batches import batches


class CaptureRecord(NamedTuple):
    """A capture of a page, as it was read: `fitness` sorts the captures of a page, the best first;
    `chosen` says whether the page is taken from this one. `part` is the key of what it is in."""

    part: int
    place: str
    page: str | None
    url: str
    sha256: str
    taken: str
    notice: str
    form: str
    fitness: str
    chars: int
    chosen: bool


class Provenance:
    """The records of one graph, open for reading or writing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    # -- parts ----------------------------------------------------------------------------
    def parts(self) -> dict[bytes, int]:
        """The keys of what was read, by its identity."""
        return dict(self._db.execute("SELECT identity, key FROM part"))

    def add_part(self, identity: bytes) -> int:
        """Record something that was read; gives its key."""
        done = self._db.execute("INSERT INTO part VALUES (NULL, ?)", (identity,))
        return done.lastrowid or 0

    def remove_part(self, part: int) -> None:
        """Take out the record of something that was read, with its captures and warnings."""
        self._db.execute(
            "DELETE FROM left_out WHERE capture IN (SELECT key FROM capture WHERE part = ?)",
            (part,),
        )
        for table, column in (("capture", "part"), ("warning", "part"), ("part", "key")):
            self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (part,))

    def parts_with_other_captures(self, parts: Iterable[int]) -> set[int]:
        """Other parts that have captures of the pages that are taken from these."""
        wanted, found = list(parts), set[int]()
        for batch in batches(wanted):
            rows = self._db.execute(
                "SELECT o.part FROM capture s JOIN capture o ON o.page = s.page "
                f"WHERE s.part IN ({','.join('?' * len(batch))}) AND s.chosen AND NOT o.chosen",
                batch,
            )
            found.update(part for (part,) in rows)
        return found.difference(wanted)

    # -- captures -------------------------------------------------------------------------
    def page_count(self) -> int:
        """How many pages there are."""
        return int(self._db.execute("SELECT count(*) FROM capture WHERE chosen").fetchone()[0])

    def pages_from(self, part: int) -> list[str]:
        """The pages that are taken from a part."""
        rows = self._db.execute("SELECT page FROM capture WHERE part = ? AND chosen", (part,))
        return [page for (page,) in rows]

    def captures(self, page: str) -> list[tuple[int, CaptureRecord]]:
        """(key, capture) of what was read of a page, the fittest first."""
        rows = self._db.execute("SELECT * FROM capture WHERE page = ? ORDER BY fitness", (page,))
        return [(key, CaptureRecord(*row)) for key, *row in rows]

    def add_capture(self, capture: CaptureRecord, left_out: Mapping[str, int]) -> int:
        """Record a capture, and how many characters of it are in no passage, and why; gives its
        key."""
        marks = ", ".join("?" * len(capture))
        done = self._db.execute(f"INSERT INTO capture VALUES (NULL, {marks})", capture)
        self._leave_out(done.lastrowid or 0, left_out)
        return done.lastrowid or 0

    def unchoose(self, capture: int, left_out: Mapping[str, int]) -> None:
        """Record that a page is no longer taken from a capture."""
        self._db.execute("UPDATE capture SET chosen = 0 WHERE key = ?", (capture,))
        self._db.execute("DELETE FROM left_out WHERE capture = ?", (capture,))
        self._leave_out(capture, left_out)

    def chars(self) -> int:
        """How many characters were read in all."""
        [total] = self._db.execute("SELECT coalesce(sum(chars), 0) FROM capture").fetchone()
        return int(total)

    def left_out(self) -> dict[str, int]:
        """How many characters are in no passage, by reason, the most first."""
        return dict(
            self._db.execute(
                "SELECT reason, sum(chars) FROM left_out GROUP BY reason ORDER BY 2 DESC, 1"
            )
        )

    def notices(self) -> list[str]:
        """What readers must be told of what was read, each once."""
        rows = self._db.execute("SELECT DISTINCT notice FROM capture WHERE notice <> '' ORDER BY 1")
        return [notice for (notice,) in rows]

    def _leave_out(self, capture: int, left_out: Mapping[str, int]) -> None:
        rows = ((capture, reason, amount) for reason, amount in left_out.items())
        self._db.executemany("INSERT INTO left_out VALUES (?, ?, ?)", rows)

    # -- warnings -------------------------------------------------------------------------
    def add_warning(self, part: int | None, place: str, what: str) -> None:
        """Record something that could not be read; of no part, if it was not read."""
        self._db.execute("INSERT INTO warning VALUES (?, ?, ?)", (part, place, what))

    def warnings(self, of_none: bool = False) -> list[tuple[str, str]]:
        """What could not be read, each once: where, and what; or what is of no part alone."""
        which = "WHERE part IS NULL" if of_none else ""
        return self._db.execute(
            f"SELECT DISTINCT place, what FROM warning {which} ORDER BY 1, 2"
        ).fetchall()

    def clear_warnings(self) -> None:
        """Take out the warnings of no part."""
        self._db.execute("DELETE FROM warning WHERE part IS NULL")
