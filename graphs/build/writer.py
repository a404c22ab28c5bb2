"""Writing a graph: what pages give is put in and taken out."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphs.store.provenance import Provenance
from graphs.build.page_rows import SHARED, PageRows
from graphs.store.schema import APPLICATION, INDEXES, LOOKED_UP, TABLES, VERSION
from graphs.store.atomic_file import replacing

_OF_PAGES = ("edge", "claim", "label")
# That a wanted node is there is believed until it is settled.
INSERT_EDGE = "INSERT INTO edge VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, NULL, NULL)"
_SHARED_KINDS = frozenset((None, "term", "rule", "card", "edition"))
_NAMES_OF_LABEL = ("node", "original_node")
_NAMES_OF_EDGE = ("wanted", "original_wanted", "source", "original_source")


class UpdateImpossible(Exception):
    """That a graph can't be renewed: it is damaged, or two pages give different things one id,
    and only a build from nothing can tell which of them stays."""


class Writer:
    """Puts the rows of pages into a graph, and takes them out. Made by `writing` and `renewing`.

    First every page is put in with `add`; `link` ends that, and what is told of the whole graph
    comes after it (`graphs.names`, `passages`, `settling`). Where an old graph is renewed, what the
    change may touch is noted: nodes in the table `touched`, passages that must be told of anew in
    `unannotated`.
    """

    def __init__(self, path: Path, old: Path | None = None) -> None:
        self.db = sqlite3.connect(path.as_uri(), isolation_level=None, uri=True)
        self.provenance = Provenance(self.db)
        self.is_new = old is None
        self._keys: dict[str, int] = {}  # of ids that several pages may name
        self.deleted: list[int] = []
        self.removed_ranges: list[tuple[int, int]] = []  # first key and end, of what pages that went gave
        self.added_ranges: list[tuple[int, int]] = []
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
            self.db.execute(f"PRAGMA {pragma}")
        if old is None:
            self.db.execute(f"PRAGMA application_id = {APPLICATION}")
            self.db.execute(f"PRAGMA user_version = {VERSION}")
            self.db.executescript(TABLES)
        else:
            self.db.execute("ATTACH ? AS old", (old.as_uri() + "?mode=ro",))
        for table in ("touched", "unannotated", "redefined"):
            self.db.execute(f"CREATE TEMP TABLE {table} (key INTEGER PRIMARY KEY)")
        self.db.execute("CREATE TEMP TABLE retargeted (edge INTEGER PRIMARY KEY)")
        self._next = 1 + (self.db.execute("SELECT max(key) FROM node").fetchone()[0] or 0)
        self.db.execute("BEGIN")

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    # -- pages --------------------------------------------------------------------------
    def add(self, rows: PageRows) -> None:
        """Put in what one page gives. Its page must not be in the graph already."""
        first, self._next = self._next, self._next + rows.private
        # What no other page names need not be remembered.
        keys: list[Any] = [*range(first, self._next), *map(self._key, rows.ids[rows.private :])]
        if not self.is_new:
            self._check(rows, keys)
        ids, page = rows.ids, keys[rows.page]
        keys.append(None)  # where NONE leads to
        before = self._last_rows()
        self.db.executemany(
            f"INSERT OR REPLACE INTO node VALUES (?, ?{', ?' * (len(SHARED) + 7)})",
            (
                (keys[at], ids[at], *fields, page, keys[section], keys[parent], keys[gives_rule],
                 keys[heading], position)
                for position, (at, section, parent, gives_rule, heading, fields)
                in enumerate(rows.nodes)
            ),
        )
        self.db.executemany(
            f"INSERT INTO claim VALUES (?, ?, ?, ?{', ?' * len(SHARED)}, NULL)",
            ((keys[node], page, rank, *fields) for node, rank, fields in rows.claims),
        )
        self.db.executemany(
            "INSERT INTO label VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)",
            ((keys[node], page, *name, keys[passage]) for node, *name, passage in rows.labels),
        )
        self.db.executemany(
            INSERT_EDGE,
            (
                (kind, keys[source], keys[wanted], label, reason, keys[passage], *rest)
                for kind, source, wanted, label, reason, passage, *rest in rows.edges
            ),
        )
        own = keys[rows.private : rows.own]
        places = array("q", (*before, *self._last_rows(), first, first + rows.private, *own))
        self.db.execute("INSERT INTO page_rows VALUES (?, ?)", (page, places.tobytes()))
        self._note(places)
        if not self.is_new:
            self.added_ranges.append(_passages(places))

    def drop(self, page: str) -> None:
        """Take out all that a page gave, by the rows it was put into: no table is searched."""
        key = self._keys.get(page) or self._stored(page)[0]
        stored = self.db.execute("SELECT ranges FROM page_rows WHERE page = ?", (key,)).fetchone()[0]
        places = array("q", stored)
        self._note(places)
        if not self.is_new:
            self._forget_words(*_passages(places))
            if _passages(places) in self.added_ranges:
                self.added_ranges.remove(_passages(places))
            else:
                self.removed_ranges.append(_passages(places))
        for table, before, after in _ranges(places):
            self.db.execute(f"DELETE FROM {table} WHERE rowid > ? AND rowid <= ?", (before, after))
        self.db.execute("DELETE FROM node WHERE key >= ? AND key < ?", _passages(places))
        for own in _owned(places):  # others may wanted it
            ids = self.db.execute("DELETE FROM node WHERE key = ? RETURNING key, id", (own,))
            if not self.is_new:
                self.db.executemany("INSERT INTO node (key, id) VALUES (?, ?)", ids.fetchall())
        self.db.execute("DELETE FROM page_rows WHERE page = ?", (key,))

    def finish_pages(self) -> None:
        """End the adding of pages: what is only spoken of gets a node without a kind, and nodes
        are found by their ids."""
        if not self.is_new:
            return
        wanted = ((key, node_id) for node_id, key in self._keys.items())
        self.db.executemany("INSERT OR IGNORE INTO node (key, id) VALUES (?, ?)", wanted)
        for index in LOOKED_UP.split(";"):  # sorting once is quicker
            self.db.execute(index)
        twice = self.db.execute("SELECT id FROM node GROUP BY id HAVING count(*) > 1").fetchall()
        for node_id in twice:  # of names that no wiki allows; a page or a section stays
            rows = self.db.execute(
                "SELECT key FROM node WHERE id = ? ORDER BY kind IS NULL, kind <> 'page', "
                "kind <> 'section', kind, text", node_id
            )
            self.deleted += [key for (key,) in rows.fetchall()[1:]]
        self.db.executemany("DELETE FROM node WHERE key = ?", ((key,) for key in self.deleted))
        self.meta("ambiguous", "1" if self.deleted else "")

    def key(self, node_id: str) -> int | None:
        """The key of a node that several pages may name, there or only wanted."""
        return self._keys.get(node_id) or (None if self.is_new else self._stored(node_id)[0])

    def must_key(self, node_id: str) -> int:
        """The key of a node that is there or wanted."""
        key = self.key(node_id)
        assert key is not None, node_id
        return key

    def touch(self, keys: Iterable[int]) -> None:
        """Note nodes that the change touches."""
        self.db.executemany("INSERT OR IGNORE INTO touched VALUES (?)", ((key,) for key in keys))

    # -- the whole ----------------------------------------------------------------------
    def meta(self, key: str, value: str) -> None:
        """Record a fact on the file as a whole."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def finish(self) -> None:
        """Make the indexes, if there are none: the last step."""
        self.db.execute("COMMIT")
        if self.is_new:
            self.db.executescript(INDEXES)
            self.db.execute("ANALYZE")

    # -- rows ---------------------------------------------------------------------------
    def _key(self, node_id: str) -> int:
        """The key of an id that any page may name."""
        key = self._keys.get(node_id)
        if key is None:
            key, kind = (None, None) if self.is_new else self._stored(node_id)
            if kind not in _SHARED_KINDS and kind not in {"page", "section"}:
                raise UpdateImpossible(node_id)
            if key is None:
                key, self._next = self._next, self._next + 1
                if not self.is_new:
                    self.db.execute("INSERT INTO node (key, id) VALUES (?, ?)", (key, node_id))
            self._keys[node_id] = key
        return key

    def _stored(self, node_id: str) -> tuple[int | None, str | None]:
        found = self.db.execute("SELECT key, kind FROM node WHERE id = ?", (node_id,)).fetchone()
        return found or (None, None)

    def _check(self, rows: PageRows, keys: list[int]) -> None:
        """See that no other page gives what this one gives alone."""
        for node_id in rows.ids[: rows.private]:
            if self._stored(node_id)[0]:
                raise UpdateImpossible(node_id)
        for key in keys[rows.private : rows.own]:
            [kind] = self.db.execute("SELECT kind FROM node WHERE key = ?", (key,)).fetchone()
            if kind is not None:
                raise UpdateImpossible(rows.ids[keys.index(key)])

    def _last_rows(self) -> list[int]:
        """Where the tables that a page adds rows to end."""
        ends = (self.db.execute(f"SELECT max(rowid) FROM {table}") for table in _OF_PAGES)
        return [end.fetchone()[0] or 0 for end in ends]

    def _note(self, places: array[int]) -> None:
        """Note what the rows of a page name, and its passages."""
        if self.is_new:
            return
        columns = {"edge": _NAMES_OF_EDGE, "claim": _NAMES_OF_LABEL, "label": _NAMES_OF_LABEL}
        first, end = _passages(places)
        for table, before, after in _ranges(places):
            for column in columns[table]:
                self.db.execute(
                    f"INSERT OR IGNORE INTO touched SELECT {column} FROM {table} "
                    f"WHERE rowid > ? AND rowid <= ? AND {column} NOT NULL "
                    f"AND NOT {column} BETWEEN ? AND ?", (before, after, first, end - 1)
                )
            if table == "edge":
                self.db.execute(
                    "INSERT OR IGNORE INTO redefined SELECT wanted FROM edge "
                    "WHERE rowid > ? AND rowid <= ? AND kind = 'defines'", (before, after)
                )
        own = ((key,) for key in _owned(places))
        self.db.executemany("INSERT OR IGNORE INTO touched VALUES (?)", own)
        self.db.execute(
            "INSERT OR IGNORE INTO unannotated SELECT key FROM node "
            "WHERE key BETWEEN ? AND ? AND kind = 'passage'", (first, end - 1)
        )

    def _forget_words(self, first: int, end: int) -> None:
        """Take out what was told of the passages with some keys: words and mentions."""
        within = (first, end - 1)
        self.db.execute(
            "INSERT INTO search (search, rowid, words) "
            "SELECT 'delete', key, words FROM passage_words WHERE key BETWEEN ? AND ?", within
        )
        self.db.execute("DELETE FROM passage_words WHERE key BETWEEN ? AND ?", within)
        self.db.execute(
            "DELETE FROM edge WHERE kind = 'mentions' AND passage BETWEEN ?1 AND ?2 AND source IN "
            "(SELECT coalesce(gives_rule, key) FROM node WHERE key BETWEEN ?1 AND ?2)", within
        )
        self.db.execute("DELETE FROM unannotated WHERE key BETWEEN ? AND ?", within)


def _ranges(places: array[int]) -> Iterator[tuple[str, int, int]]:
    """The tables that a page has rows in, with the row before the first and the last."""
    return zip(_OF_PAGES, places, places[len(_OF_PAGES) :], strict=False)


def _passages(places: array[int]) -> tuple[int, int]:
    """The first key of what is a page's alone, and the one behind the last."""
    first, end = places[2 * len(_OF_PAGES) : 2 * len(_OF_PAGES) + 2]
    return first, end


def _owned(places: array[int]) -> array[int]:
    """The keys of a page and its sections."""
    return places[2 * len(_OF_PAGES) + 2 :]


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """A writer for a new graph at `path`, which must be locked (`graphs.swap`); the old file
    stays until the new one is whole."""
    with replacing(path.absolute(), copy=False) as unfinished:
        yield from _open(Writer(unfinished))


@contextmanager
def updating(path: Path) -> Iterator[Writer]:
    """A writer for what is to be changed of the graph at `path`; else as `writing`. Raises
    RenewError if that can't be done."""
    path = path.absolute()
    try:
        with replacing(path, copy=True) as unfinished:
            yield from _open(Writer(unfinished, path))
    except sqlite3.OperationalError:  # no room, or no leave to write
        raise
    except sqlite3.DatabaseError as error:
        raise UpdateImpossible(f"{path}: {error}") from error


def _open(writer: Writer) -> Iterator[Writer]:
    try:
        yield writer
    finally:
        writer.close()
