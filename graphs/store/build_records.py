"""Records of what a graph was built from: parts of sources, captures of pages, read warnings; and
which page a file gave."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from graphs.store.file.connection import rows_of
from graphs.store.file.row_checks import RowError, record

# SQLite adds up texts, too, as far as they look like numbers.
_ANY_IS_ODD = "coalesce(max(typeof(chars) <> 'integer' OR chars < 0), 0)"


class CaptureRecord(NamedTuple):
    """One capture of a page, as it was read. Text fields are empty where nothing is known.

    part: the key of the part that the capture was read from.
    place: where the bytes are kept: a file, or a member of an archive.
    page: the id of the page; None if the capture is no article.
    url: the address that the bytes were served from.
    sha256: the hash of the bytes, in hex.
    taken: the time of the capture, as its manifest or the server states it.
    notice: a warning that readers must see, such as that the text is a demonstration.
    form: what was captured: `html`, `wikitext`, `rulebook text`, `text capture`…
    fitness: a sort key; of several captures of a page the least is used.
    chars: the number of characters that were read.
    chosen: whether the page in the graph is taken from this capture.
    """

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


class WarningRecord(NamedTuple):
    """Something that could not be read.

    place: the file, with the place in it if that is known.
    what: the reason.
    hints: the names of the hints that help, with commas between them.
    """

    place: str
    what: str
    hints: str


class Provenance:
    """The records of one graph: parts, captures, characters left out, warnings.

    A part is what is read at once: a snapshot, or one page of a dump.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        """Read or write the records in an open database."""
        self._db = db

    # -- parts ----------------------------------------------------------------------------
    def parts(self) -> dict[bytes, int]:
        """Return {identity: key} of each part; see `add_part`."""
        return dict(self._db.execute("SELECT identity, key FROM part"))

    def add_part(self, identity: bytes) -> int:
        """Record a part and return its key.

        identity: a hash of the bytes and of everything else that its reading depends on.
        """
        cursor = self._db.execute("INSERT INTO part VALUES (NULL, ?)", (identity,))
        return cursor.lastrowid or 0

    def remove_part(self, part: int) -> None:
        """Delete the record of a part, given by its key, with its captures and warnings.

        The pages that were read from it stay in the graph.
        """
        self._db.execute(
            "DELETE FROM left_out WHERE capture IN (SELECT key FROM capture WHERE part = ?)",
            (part,),
        )
        for table, column in (("capture", "part"), ("warning", "part"), ("part", "key")):
            self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (part,))

    def parts_with_other_captures(self, parts: Iterable[int]) -> set[int]:
        """Return the other parts that have a capture of any page that is taken from these parts.

        parts: keys of parts; the result has keys too, and none of these.
        """
        given = list(parts)
        query = (
            "SELECT o.part FROM capture s JOIN capture o ON o.page = s.page "
            "WHERE s.part IN ({marks}) AND s.chosen AND NOT o.chosen"
        )
        return {part for (part,) in rows_of(self._db, query, given)}.difference(given)

    # -- captures -------------------------------------------------------------------------
    def page_count(self) -> int:
        """Return the number of pages in the graph."""
        return int(self._db.execute("SELECT count(*) FROM capture WHERE chosen").fetchone()[0])

    def pages_from(self, part: int) -> list[str]:
        """Return the ids of the pages that are taken from a part, given by its key, in no order.

        Pages of which the part has a capture that is not chosen are left out.
        """
        rows = self._db.execute("SELECT page FROM capture WHERE part = ? AND chosen", (part,))
        return [page for (page,) in rows]

    def pages_read_from(self, name: str) -> list[str]:
        """Return the ids of the pages that were read from a file, sorted.

        name: the file's path, or the end of it: its name, with some of its folders before it. The
            case of letters counts; empty text names no file.
        """
        if not name:
            return []
        rows = self._db.execute(
            "SELECT DISTINCT page FROM capture WHERE page NOT NULL AND chosen "
            "AND (place = ?1 OR substr(place, -length(?1) - 1) = '/' || ?1) ORDER BY 1",
            (name,),
        )
        return [page for (page,) in rows]

    def page_urls(self) -> Iterator[tuple[str, str]]:
        """Yield (id, URL) of the captures of all pages, chosen or not, each pair once, in no order;
        those without a URL are left out."""
        yield from self._db.execute(
            "SELECT DISTINCT page, url FROM capture WHERE page NOT NULL AND url <> ''"
        )

    def captures(self, page: str) -> list[tuple[int, CaptureRecord]]:
        """Return (key, capture) for each capture of a page, the fittest first.

        page: the id of the page. Captures that are not chosen are returned too.
        """
        rows = self._db.execute("SELECT * FROM capture WHERE page = ? ORDER BY fitness", (page,))
        return [(key, record(CaptureRecord, row)) for key, *row in rows]

    def first_non_article(self) -> tuple[str, str] | None:
        """Return (place, reasons) of the first capture that is no article; None if there is none.

        reasons: why it is none: those by which its characters are left out, with `, ` between them;
            empty if it has no characters.
        """
        row = self._db.execute("SELECT key, place FROM capture WHERE page IS NULL ORDER BY key")
        if (found := row.fetchone()) is None:
            return None
        reasons = self._db.execute("SELECT reason FROM left_out WHERE capture = ?", found[:1])
        return str(found[1]), ", ".join(reason for (reason,) in reasons)

    def add_capture(self, capture: CaptureRecord, left_out: Mapping[str, int]) -> int:
        """Record a capture and return its key. Other captures of the page stay as they are.

        left_out: the number of its characters that are in no passage, by reason.
        """
        marks = ", ".join("?" * len(capture))
        cursor = self._db.execute(f"INSERT INTO capture VALUES (NULL, {marks})", capture)
        self._add_left_out(cursor.lastrowid or 0, left_out)
        return cursor.lastrowid or 0

    def mark_not_chosen(self, capture: int, left_out: Mapping[str, int]) -> None:
        """Record that a page is no longer taken from a capture.

        capture: the key of the capture.
        left_out: replaces what was recorded for the capture; see `add_capture`.
        """
        self._db.execute("UPDATE capture SET chosen = 0 WHERE key = ?", (capture,))
        self._db.execute("DELETE FROM left_out WHERE capture = ?", (capture,))
        self._add_left_out(capture, left_out)

    def chars(self) -> int:
        """Return the number of characters that were read, over all captures, chosen or not. Raises
        RowError if the number of one is none."""
        query = f"SELECT coalesce(sum(chars), 0), {_ANY_IS_ODD} FROM capture"
        total, is_odd = self._db.execute(query).fetchone()
        if is_odd:
            raise RowError("the characters of a capture are no number of them")
        return int(total)

    def left_out(self) -> dict[str, int]:
        """Return {reason: number} of the characters that are in no passage, greatest number first;
        reasons of the same number by their names.

        All captures are counted, chosen or not. Raises RowError if a number is none.
        """
        query = (
            f"SELECT reason, sum(chars), {_ANY_IS_ODD} FROM left_out GROUP BY reason "
            "ORDER BY 2 DESC, 1"
        )
        rows = self._db.execute(query).fetchall()
        if any(is_odd or type(reason) is not str for reason, _, is_odd in rows):
            raise RowError("the characters that are left out are no number of them")
        return {reason: number for reason, number, _ in rows}

    def notices(self) -> list[str]:
        """Return the notices to readers of all captures, sorted, without duplicates."""
        rows = self._db.execute("SELECT DISTINCT notice FROM capture WHERE notice <> '' ORDER BY 1")
        return [notice for (notice,) in rows]

    def _add_left_out(self, capture: int, left_out: Mapping[str, int]) -> None:
        rows = ((capture, reason, chars) for reason, chars in left_out.items())
        self._db.executemany("INSERT INTO left_out VALUES (?, ?, ?)", rows)

    # -- warnings -------------------------------------------------------------------------
    def add_warning(
        self, part: int | None, place: str, what: str, hints: Iterable[str] = ()
    ) -> None:
        """Record that something could not be read.

        part: the key of the part that it is in; None if no part could be made of it.
        place: the file, with the place in it if that is known.
        what: the reason. hints: the names of the hints that help.
        """
        row = (part, place, what, ",".join(hints))
        self._db.execute("INSERT INTO warning VALUES (?, ?, ?, ?)", row)

    def warnings(self, without_part: bool = False) -> list[WarningRecord]:
        """Return all warnings, sorted by place, then by what is said, without duplicates. Raises
        RowError if a row holds something else.

        without_part: return only the warnings that belong to no part.
        """
        condition = "WHERE part IS NULL" if without_part else ""
        rows = self._db.execute(
            f"SELECT DISTINCT place, what, hints FROM warning {condition} ORDER BY 1, 2, 3"
        )
        return [record(WarningRecord, row) for row in rows]

    def clear_warnings(self) -> None:
        """Delete the warnings that belong to no part.

        Those of a part stay until `remove_part` deletes them with it.
        """
        self._db.execute("DELETE FROM warning WHERE part IS NULL")
