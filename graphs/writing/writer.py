"""Insert and delete the rows of pages in a graph file, and record which nodes an update affects."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphs.store.build_records import Provenance
from graphs.store.edge_counts import CONTAINMENT, LEAST_STORED, MOST_OUT
from graphs.store.file.atomic_file import replacing
from graphs.store.file.connection import rows_of
from graphs.store.file.schema import (
    APPLICATION,
    EARLY_INDEXES,
    FILTERED_COLUMNS,
    INDEXES,
    TABLES,
    VERSION,
    append_trailer,
    drop_trailer,
)
from graphs.store.file.sql_views import VIEWS
from graphs.store.file.untrusted_file import one_line
from graphs.store.passage_index import INDEXED
from graphs.writing.page_claims import SHARED_COLUMNS, PageRows

INSERT_NODE = f"INSERT OR REPLACE INTO node VALUES (?, ?{', ?' * (len(SHARED_COLUMNS) + 7)})"
INSERT_CLAIM = f"INSERT INTO claim VALUES (?, ?, ?, ?{', ?' * len(SHARED_COLUMNS)}, NULL)"
INSERT_LABEL = "INSERT INTO label VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)"
# Until targets are resolved, every wanted node is taken to exist: wanted and target are both ?3.
INSERT_EDGE = "INSERT INTO edge VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, NULL, NULL)"
_PAGE_TABLES = ("edge", "claim", "label")  # in which a page's rows are consecutive
_PRIVATE_KINDS = ("passage", "procedure", "step", "outcome", "ruling")  # given by one page alone
# The columns with keys of nodes: of the tables `claim` and `label`, and of `edge`.
_LABEL_NODES = ("node", "original_node")
_EDGE_NODES = ("wanted", "original_wanted", "source", "original_source")


class UpdateImpossible(Exception):
    """Raised if a graph can't be updated and must be built from nothing.

    Either the old file is damaged, or two pages give different nodes the same id: which of the
    two stays can only be decided when all pages are read.
    """


class Writer:
    """Inserts the rows of pages into a graph file and deletes them. See `writing`, `updating`.

    First every page is inserted with `add`. Then `finish_pages` is called, the classes in
    `best_claims`, `edge_targets`, `names_and_merges` and `passage_annotations` write what depends
    on all pages, and `finish` ends the work.

    An update also records what the change affects, in temporary tables: `touched` has the keys of
    nodes, `unannotated` of passages that must be annotated again, `redefined` of nodes that
    changed pages define, `retargeted` the rowids of edges whose target changed. In an update the
    old graph is attached to the connection as `old`; a node that stays keeps its key.

    db: the connection to the new file
    provenance: the records of what the graph was read from
    is_new: whether the graph is built from nothing, not updated
    ids_in_file: whether all ids are in the file: in an update, and when shards were loaded; in
        another new graph those that several pages may name are kept in memory until all are in
    deleted: the keys of nodes that were deleted because another node has the same id
    removed_ranges, added_ranges: in an update, the keys (first, and end excluded) of the private
        nodes of each page that was deleted from the old graph, and of each that was added
    """

    def __init__(self, path: Path, old: Path | None = None) -> None:
        """Open the file at `path`: an empty one, or a copy of the graph `old` to update."""
        self.db = sqlite3.connect(path.as_uri(), isolation_level=None, uri=True)
        self.provenance = Provenance(self.db)
        self.is_new = old is None
        self.ids_in_file = not self.is_new
        self._keys: dict[str, int] = {}  # by id, of nodes that several pages may name
        self.deleted: list[int] = []
        self.removed_ranges: list[tuple[int, int]] = []
        self.added_ranges: list[tuple[int, int]] = []
        # What is not finished is thrown away, so that it needs no journal. The cache has 16 MB, by
        # hand: the rows of huge pages take memory beside it.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16384"):
            self.db.execute(f"PRAGMA {pragma}")
        if old is None:
            self.db.execute(f"PRAGMA application_id = {APPLICATION}")
            self.db.execute(f"PRAGMA user_version = {VERSION}")
            self.db.executescript(TABLES + VIEWS)
        else:
            self.db.execute("ATTACH ? AS old", (old.as_uri() + "?mode=ro",))
        for table in ("touched", "unannotated", "redefined"):
            self.db.execute(f"CREATE TEMP TABLE {table} (key INTEGER PRIMARY KEY)")
        self.db.execute("CREATE TEMP TABLE retargeted (edge INTEGER PRIMARY KEY)")
        self._next_key = 1 + (self.db.execute("SELECT max(key) FROM node").fetchone()[0] or 0)
        self.db.execute("BEGIN")

    def finish_loading(self) -> None:
        """Take over a graph whose rows were loaded in bulk, with the ids of all nodes."""
        self.ids_in_file = True
        self._next_key = 1 + (self.db.execute("SELECT max(key) FROM node").fetchone()[0] or 0)
        self.db.execute("CREATE INDEX node_id ON node (id)")
        self.db.execute("CREATE INDEX capture_page ON capture (page) WHERE page IS NOT NULL")

    def close(self) -> None:
        """Close the connection to the file."""
        self.db.close()

    # -- pages --------------------------------------------------------------------------
    def add(self, rows: PageRows, more: Iterable[PageRows] = ()) -> None:
        """Insert the rows of one page, which must not be in the graph already.

        Raises UpdateImpossible if, in an update, a page in the graph has a node with the same id.

        more: the other pieces of a page whose rows come in several
        """
        first, self._next_key = self._next_key, self._next_key + rows.private
        # Private ids are not remembered: no other page names them.
        keys: list[Any] = [
            *range(first, self._next_key),
            *map(self._get_or_assign_key, rows.ids[rows.private :]),
        ]
        if not self.is_new:
            self._check_not_in_graph(rows, keys)
        page, public_keys = keys[rows.page], keys[rows.private : rows.owned]
        rowids_before = self.last_rowids()
        keys.append(None)  # so that keys[NO_NODE] is None
        self._insert_nodes(rows, keys, page)
        self._insert_statements(rows, keys, page)
        for piece in more:
            keys[-1:] = [*map(self._get_or_assign_key, piece.ids), None]
            self._insert_statements(piece, keys, page)
        rowids_after = self.last_rowids()
        ranges = array(
            "q", (*rowids_before, *rowids_after, first, first + rows.private, *public_keys)
        )
        self.db.execute("INSERT INTO page_rows VALUES (?, ?)", (page, ranges.tobytes()))
        self._record_affected(ranges)
        if not self.is_new:
            self.added_ranges.append(_private_keys(ranges))

    def _insert_nodes(self, rows: PageRows, keys: Sequence[Any], page: int) -> None:
        """Insert the nodes of a page. keys: by the indices in the rows."""
        ids = rows.ids
        self.db.executemany(
            INSERT_NODE,
            (
                (
                    keys[node],
                    ids[node],
                    *values,
                    page,
                    keys[section],
                    keys[parent],
                    keys[gives_rule],
                    keys[heading],
                    position,
                )
                for position, (node, section, parent, gives_rule, heading, values) in enumerate(
                    rows.nodes
                )
            ),
        )

    def _insert_statements(self, rows: PageRows, keys: Sequence[Any], page: int) -> None:
        """Insert what a page, or a piece of it, states: claims, names and edges."""
        self.db.executemany(
            INSERT_CLAIM,
            ((keys[node], page, rank, *values) for node, rank, values in rows.claims),
        )
        self.db.executemany(
            INSERT_LABEL,
            ((keys[node], page, *name, keys[passage]) for node, *name, passage in rows.labels),
        )
        self.db.executemany(
            INSERT_EDGE,
            (
                (kind, keys[source], keys[target], label, reason, keys[passage], *rest)
                for kind, source, target, label, reason, passage, *rest in rows.edges
            ),
        )

    def drop(self, page: str) -> None:
        """Delete everything that a page gave, by the page's id. The page must be in the graph.

        In an update the ids of the page and its sections stay, as nodes without a kind. The
        page's rows are found by the ranges that `add` recorded, so no table is searched.
        """
        key = self._keys.get(page) or self._look_up(page)[0]
        [stored] = self.db.execute("SELECT ranges FROM page_rows WHERE page = ?", (key,)).fetchone()
        ranges = array("q", stored)
        self._record_affected(ranges)
        if not self.is_new:
            self._delete_annotations(*_private_keys(ranges))
            if _private_keys(ranges) in self.added_ranges:
                self.added_ranges.remove(_private_keys(ranges))
            else:
                self.removed_ranges.append(_private_keys(ranges))
        for table, before, last in _row_ranges(ranges):
            self.db.execute(f"DELETE FROM {table} WHERE rowid > ? AND rowid <= ?", (before, last))
        self.db.execute("DELETE FROM node WHERE key >= ? AND key < ?", _private_keys(ranges))
        for public_key in _public_keys(ranges):
            ids = self.db.execute("DELETE FROM node WHERE key = ? RETURNING key, id", (public_key,))
            if self.ids_in_file:  # edges of other pages may aim at it
                self.db.executemany("INSERT INTO node (key, id) VALUES (?, ?)", ids.fetchall())
        self.db.execute("DELETE FROM page_rows WHERE page = ?", (key,))

    def finish_pages(self) -> None:
        """Complete the nodes of a new graph when all pages are in; an update needs nothing.

        Inserts a node without a kind for each id that pages only refer to, indexes the ids, and
        deletes all but one of several nodes with the same id.
        """
        if not self.is_new:
            return
        wanted = ((key, node_id) for node_id, key in self._keys.items())
        self.db.executemany("INSERT OR IGNORE INTO node (key, id) VALUES (?, ?)", wanted)
        for index in EARLY_INDEXES.split(";"):  # one sort now is quicker than keeping it sorted
            self.db.execute(_if_not_there(index))
        duplicates = self.db.execute("SELECT id FROM node GROUP BY id HAVING count(*) > 1")
        # They come from page names that no wiki allows. A page or a section is kept first.
        for node_id in duplicates.fetchall():
            rows = self.db.execute(
                "SELECT key FROM node WHERE id = ? ORDER BY kind IS NULL, kind <> 'page', "
                "kind <> 'section', kind, text",
                node_id,
            )
            self.deleted += [key for (key,) in rows.fetchall()[1:]]
        self.db.executemany("DELETE FROM node WHERE key = ?", ((key,) for key in self.deleted))
        self.set_meta("ambiguous", "1" if self.deleted else "")

    def and_touched(self, column: str) -> str:
        """Return the SQL condition that, in an update, a column's node is touched; "" otherwise."""
        return "" if self.is_new else f"AND {column} IN (SELECT key FROM touched)"

    def key(self, node_id: str) -> int | None:
        """Return the key of a node that several pages may name; None if no page names it.

        The node may have no kind, if pages only refer to it. In a new graph the result is None
        for passages and what is stated in them.
        """
        known = self._keys.get(node_id)
        if known or not self.ids_in_file:
            return known
        key, kind = self._look_up(node_id)
        return None if self.is_new and kind in _PRIVATE_KINDS else key

    def must_shared_key(self, node_id: str) -> int:
        """Return the key of a node, as `key` does; raise AssertionError where that returns None."""
        key = self.key(node_id)
        assert key is not None, node_id
        return key

    def shared_ids(self, keys: Collection[int]) -> dict[int, str]:
        """Return {key: id} of nodes that several pages may name, given by their keys; unknown keys
        are left out."""
        if not self.ids_in_file:  # they are written when all pages are in
            return {key: node_id for node_id, key in self._keys.items() if key in keys}
        query = "SELECT key, id FROM node WHERE key IN ({marks})"
        return dict(rows_of(self.db, query, sorted(keys)))

    def touch(self, keys: Iterable[int]) -> None:
        """Record nodes, by their keys, as affected by the update."""
        self.db.executemany("INSERT OR IGNORE INTO touched VALUES (?)", ((key,) for key in keys))

    # -- the whole graph ----------------------------------------------------------------
    def set_meta(self, key: str, value: str) -> None:
        """Record a fact about the file as a whole, in place of an earlier one with the same key.

        key: such as `built from`; `graphs.store.file.schema` lists them
        """
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def meta(self, key: str) -> str:
        """Return a recorded fact about the file; empty if there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def finish(self) -> None:
        """Record the values that nodes have, commit, and create the indexes of a new graph.

        This is the last step.
        """
        self.set_meta("values", json.dumps(self._values(), ensure_ascii=False))
        if self.is_new:
            self.db.execute("COMMIT")
            self.db.executescript(_if_not_there(INDEXES))
            self.db.execute("BEGIN")
        _write_edge_counts(self.db)
        self.set_meta(INDEXED, self._indexed())
        self.db.execute("COMMIT")
        if self.is_new:
            self.db.execute("ANALYZE")

    def _indexed(self) -> str:
        """Return how many passages are indexed, and how many characters their words have, with a
        space between them."""
        [passages, characters] = self.db.execute(
            "SELECT count(*), coalesce(sum(length(words)), 0) FROM passage_words"
        ).fetchone()
        return f"{passages} {characters}"

    def _values(self) -> dict[str, list[str]]:
        """Return the values of nodes in each of FILTERED_COLUMNS, and the languages of labels.

        They are sorted, each once, without empty ones; every column is there. Claims count too: a
        term is in each source that claims it.
        """
        columns = ", ".join(FILTERED_COLUMNS)
        rows = self.db.execute(
            f"SELECT {columns} FROM node WHERE kind NOT NULL UNION SELECT {columns} FROM claim"
        ).fetchall()
        found = {
            name: set(values)
            for name, values in zip(FILTERED_COLUMNS, zip(*rows, strict=True), strict=False)
        }
        found.setdefault("lang", set()).update(
            lang for (lang,) in self.db.execute("SELECT DISTINCT lang FROM label")
        )
        return {name: sorted(filter(None, found.get(name, ()))) for name in FILTERED_COLUMNS}

    # -- rows ---------------------------------------------------------------------------
    def _get_or_assign_key(self, node_id: str) -> int:
        """Return the key of a node that any page may name; a new key if the id is new.

        A new key is remembered; in an update it is also stored at once, as a node without a kind.
        Raises UpdateImpossible if the old graph has a private node of another page with this id.
        """
        key, kind = self._keys.get(node_id), None
        if key is None and self.ids_in_file:
            key, kind = self._look_up(node_id)
        if kind in _PRIVATE_KINDS:
            if not self.is_new:
                raise UpdateImpossible(node_id)
            key = None  # the two are told apart when all pages are in
        if key is None:
            key, self._next_key = self._next_key, self._next_key + 1
            if self.ids_in_file:
                self.db.execute("INSERT INTO node (key, id) VALUES (?, ?)", (key, node_id))
        self._keys[node_id] = key
        return key

    def _look_up(self, node_id: str) -> tuple[int | None, str | None]:
        """Return the key and the kind of a node in the file; (None, None) if it has none.

        The kind is None too if the node has a key but no page gives it. Of several nodes with the
        id, it is one that several pages may name.
        """
        private = ", ".join(f"'{kind}'" for kind in _PRIVATE_KINDS)
        row = self.db.execute(
            f"SELECT key, kind FROM node WHERE id = ? ORDER BY kind IN ({private})", (node_id,)
        ).fetchone()
        return row or (None, None)

    def _check_not_in_graph(self, rows: PageRows, keys: list[int]) -> None:
        """Raise UpdateImpossible if another page gives a node that belongs to this one.

        The id of a private node must not be in the file at all. The page and its sections may be
        there if they have no kind: then no page gives them.

        rows: the rows of the page that is to be added
        keys: the key of each of `rows.ids`, in the same order
        """
        for node_id in rows.ids[: rows.private]:
            if self._look_up(node_id)[0]:
                raise UpdateImpossible(node_id)
        for key in keys[rows.private : rows.owned]:
            [kind] = self.db.execute("SELECT kind FROM node WHERE key = ?", (key,)).fetchone()
            if kind is not None:
                raise UpdateImpossible(rows.ids[keys.index(key)])

    def last_rowids(self) -> list[int]:
        """Return the last rowid of each of _PAGE_TABLES; 0 for an empty table."""
        rows = (self.db.execute(f"SELECT max(rowid) FROM {table}") for table in _PAGE_TABLES)
        return [row.fetchone()[0] or 0 for row in rows]

    def _record_affected(self, ranges: array[int]) -> None:
        """In an update, record the nodes that the rows of a page name, and its passages.

        `touched` gets the page, its sections and the nodes that its edges, claims and labels name,
        without its private nodes; `redefined` the nodes that it defines; `unannotated` its
        passages. In a new graph nothing is recorded.

        ranges: where the page's rows are, as `page_rows` holds it
        """
        if self.is_new:
            return
        columns = {"edge": _EDGE_NODES, "claim": _LABEL_NODES, "label": _LABEL_NODES}
        first, end = _private_keys(ranges)
        for table, before, last in _row_ranges(ranges):
            for column in columns[table]:
                self.db.execute(
                    f"INSERT OR IGNORE INTO touched SELECT {column} FROM {table} "
                    f"WHERE rowid > ? AND rowid <= ? AND {column} NOT NULL "
                    f"AND NOT {column} BETWEEN ? AND ?",
                    (before, last, first, end - 1),
                )
            if table == "edge":
                self.db.execute(
                    "INSERT OR IGNORE INTO redefined SELECT wanted FROM edge "
                    "WHERE rowid > ? AND rowid <= ? AND kind = 'defines'",
                    (before, last),
                )
        public_keys = ((key,) for key in _public_keys(ranges))
        self.db.executemany("INSERT OR IGNORE INTO touched VALUES (?)", public_keys)
        self.db.execute(
            "INSERT OR IGNORE INTO unannotated SELECT key FROM node "
            "WHERE key BETWEEN ? AND ? AND kind = 'passage'",
            (first, end - 1),
        )

    def _delete_annotations(self, first: int, end: int) -> None:
        """Delete the index words and the mentions of the passages with keys from `first` up to
        `end`, which is excluded; they are no longer marked in `unannotated`."""
        bounds = (first, end - 1)
        self.db.execute(
            "INSERT INTO search (search, rowid, words) "
            "SELECT 'delete', key, words FROM passage_words WHERE key BETWEEN ? AND ?",
            bounds,
        )
        self.db.execute("DELETE FROM passage_words WHERE key BETWEEN ? AND ?", bounds)
        self.db.execute(
            "DELETE FROM edge WHERE kind = 'mentions' AND passage BETWEEN ?1 AND ?2 AND source IN "
            "(SELECT coalesce(gives_rule, key) FROM node WHERE key BETWEEN ?1 AND ?2)",
            bounds,
        )
        self.db.execute("DELETE FROM unannotated WHERE key BETWEEN ? AND ?", bounds)


# What the column `ranges` of the table `page_rows` holds: for each of _PAGE_TABLES the last rowid
# before the page's rows, for each of them the last rowid of these; the first private key and the
# end, excluded; the keys of the page and its sections.


def _row_ranges(ranges: array[int]) -> Iterator[tuple[str, int, int]]:
    """Yield (table, the rowid before the page's first row, its last rowid) for each table; the two
    are the same if the page has no row in it.

    ranges: as `page_rows` holds it
    """
    return zip(_PAGE_TABLES, ranges, ranges[len(_PAGE_TABLES) :], strict=False)


def _private_keys(ranges: array[int]) -> tuple[int, int]:
    """Return the first key of the page's private nodes, and their end, excluded; the same twice if
    it has none.

    ranges: as `page_rows` holds it
    """
    first, end = ranges[2 * len(_PAGE_TABLES) : 2 * len(_PAGE_TABLES) + 2]
    return first, end


def _public_keys(ranges: array[int]) -> array[int]:
    """Return the keys of the page and its sections.

    ranges: as `page_rows` holds it
    """
    return ranges[2 * len(_PAGE_TABLES) + 2 :]


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Give a writer for a new graph, which replaces the file at `path` when the `with` ends well.

    The caller holds the write lock of the path (`graphs.store.file.atomic_file.write_lock`), and
    calls `Writer.finish` in the `with` block: otherwise nothing that was written is committed.
    """
    with replacing(path.absolute(), copy=False) as unfinished:
        yield from _closing(Writer(unfinished))
        append_trailer(unfinished)


@contextmanager
def updating(path: Path) -> Iterator[Writer]:
    """Give a writer for a copy of the graph at `path`; otherwise the same as `writing`.

    Raises UpdateImpossible if the graph is damaged.
    """
    path = path.absolute()
    try:
        with replacing(path, copy=True) as unfinished:
            drop_trailer(unfinished)
            yield from _closing(Writer(unfinished, path))
            append_trailer(unfinished)
    except sqlite3.OperationalError:  # the disk is full, or writing is not permitted
        raise
    except sqlite3.DatabaseError as error:
        raise UpdateImpossible(f"{path}: {one_line(error)}") from error


def _closing(writer: Writer) -> Iterator[Writer]:
    """Yield a writer and close it in the end, without calling `finish`."""
    try:
        yield writer
    finally:
        writer.close()


def _write_edge_counts(db: sqlite3.Connection) -> None:
    """Count the edges into each node by their kind, and those out of it, and store the large
    numbers, in place of those of the build before. The edges must be complete and indexed."""
    marks = ",".join("?" * len(CONTAINMENT))
    db.execute("DELETE FROM edge_count")
    db.execute(
        "INSERT INTO edge_count SELECT target, kind, count(*) FROM edge WHERE target IS NOT NULL "
        f"GROUP BY target, kind HAVING count(*) >= {LEAST_STORED} "
        f"AND kind NOT IN ({marks})",
        CONTAINMENT,
    )
    most_out = db.execute(
        "SELECT kind, max(number) FROM (SELECT kind, count(*) AS number FROM edge "
        f"WHERE kind NOT IN ({marks}) GROUP BY source, kind) GROUP BY kind ORDER BY kind",
        CONTAINMENT,
    )
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (MOST_OUT, json.dumps(dict(most_out))))


def _if_not_there(indexes: str) -> str:
    """Return the statements that create indexes so that they pass over those that are there."""
    return indexes.replace("CREATE INDEX ", "CREATE INDEX IF NOT EXISTS ")
