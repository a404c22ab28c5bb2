"""Writing a graph: beside the old file, under a lock, and swapped in when it is whole."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import Any

from filelock import FileLock, Timeout

from graphs.errors import StoreError
from graphs.facts import Aimed, Defined, Named, Spoken, Told, Want
from graphs.model import EdgeKind, NodeKind
from graphs.rows import SHARED, Rows, as_json
from graphs.schema import APPLICATION, INDEXES, TABLES, VERSION

_OPEN = tuple(1 + SHARED.index(name) for name in ("reading", "text", "details"))  # behind the kind
_NOTICE = 1 + SHARED.index("notice")
_OF_PAGES = ("edge", "claim", "label")
_UNFINISHED = ".building"
_WITNESSES = 3  # passages kept for one name of a node
_OPENING = 8  # passages behind a heading in which what it names may be defined
# That a wanted node is there is believed until it is settled.
_EDGE = "INSERT INTO edge VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
_TOLD = 1000  # passages that are told of at once


class Writer:
    """Puts the rows of pages into a new file. Made by `writing`.

    First every page is put in with `add`; `link` ends that, and what is asked of the whole graph
    comes after it.
    """

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._keys: dict[str, int] = {}  # of all ids that several pages may name
        self._gone: list[int] = []
        self._lying: dict[int, array[int]] = {}  # where what a page gave lies, see `drop`
        self._next = 1
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536",
                       f"application_id = {APPLICATION}", f"user_version = {VERSION}"):  # fmt: skip
            self._db.execute(f"PRAGMA {pragma}")
        self._db.executescript(TABLES)
        self._db.execute("BEGIN")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def add(self, rows: Rows) -> None:
        """Put in what one page gives. Its page must not be in the graph already."""
        first, self._next = self._next, self._next + rows.private
        # What no other page names need not be remembered.
        keys: list[Any] = [*range(first, self._next), *map(self._key, rows.ids[rows.private :])]
        ids, page = rows.ids, keys[rows.page]
        keys.append(None)  # where NONE leads to
        before = self._last_rows()
        self._db.executemany(
            f"INSERT OR REPLACE INTO node VALUES (?, ?{', ?' * (len(SHARED) + 7)})",
            (
                (keys[at], ids[at], *fields, page, keys[section], keys[parent], keys[speaks],
                 keys[heading], position)
                for position, (at, section, parent, speaks, heading, fields)
                in enumerate(rows.nodes)
            ),
        )  # fmt: skip
        self._db.executemany(
            f"INSERT INTO claim VALUES (?, ?, ?, ?{', ?' * len(SHARED)})",
            ((keys[node], page, rank, *fields) for node, rank, fields in rows.claims),
        )
        self._db.executemany(
            "INSERT INTO label VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((keys[node], page, *name, keys[passage]) for node, *name, passage in rows.labels),
        )
        self._db.executemany(
            _EDGE,
            (
                (kind, keys[source], keys[want], label, reason, keys[passage], *rest)
                for kind, source, want, label, reason, passage, *rest in rows.edges
            ),
        )
        own = keys[rows.private : rows.own]
        lying = (*before, *self._last_rows(), first, first + rows.private, *own)
        self._lying[page] = array("q", lying)

    def drop(self, page: str) -> None:
        """Take out all that a page gave, by the rows it was put into: no table is searched."""
        lying = self._lying.pop(self._keys[page])
        tables = len(_OF_PAGES)
        for table, before, after in zip(_OF_PAGES, lying, lying[tables:], strict=False):
            self._db.execute(f"DELETE FROM {table} WHERE rowid > ? AND rowid <= ?", (before, after))
        first, end, *own = lying[2 * tables :]
        self._db.execute("DELETE FROM node WHERE key >= ? AND key < ?", (first, end))
        self._db.executemany("DELETE FROM node WHERE key = ?", ((key,) for key in own))

    def _last_rows(self) -> list[int]:
        """Where the tables that a page adds rows to end."""
        ends = (self._db.execute(f"SELECT max(rowid) FROM {table}") for table in _OF_PAGES)
        return [end.fetchone()[0] or 0 for end in ends]

    def link(self) -> None:
        """End the adding of pages: what is only spoken of gets a node without a kind, and nodes
        are found by their ids."""
        self._lying.clear()
        wanted = ((key, node_id) for node_id, key in self._keys.items())
        self._db.executemany("INSERT OR IGNORE INTO node (key, id) VALUES (?, ?)", wanted)
        self._db.execute("CREATE INDEX node_id ON node (id)")  # sorting once is quicker
        twice = self._db.execute("SELECT id FROM node GROUP BY id HAVING count(*) > 1").fetchall()
        for node_id in twice:  # of names that no wiki allows; a page or a section stays
            rows = self._db.execute(
                "SELECT key FROM node WHERE id = ? ORDER BY kind IS NULL, kind <> 'page', "
                "kind <> 'section', kind, text", node_id
            )  # fmt: skip
            self._gone += [key for (key,) in rows.fetchall()[1:]]
        self._db.executemany("DELETE FROM node WHERE key = ?", ((key,) for key in self._gone))

    def snapshot(
        self, place: str, page: str | None, url: str, sha256: str, taken: str, chars: int,
        left_out: Mapping[str, int],
    ) -> None:  # fmt: skip
        """Record what was read, and how many characters of it are in no passage, and why."""
        key = self._key(page) if page else None
        row = (place, key, url, sha256, taken, chars)
        done = self._db.execute("INSERT INTO snapshot VALUES (NULL, ?, ?, ?, ?, ?, ?)", row)
        self._db.executemany(
            "INSERT INTO left_out VALUES (?, ?, ?)",
            ((done.lastrowid, reason, amount) for reason, amount in left_out.items()),
        )

    def warn(self, place: str, what: str) -> None:
        """Record something that could not be read."""
        self._db.execute("INSERT INTO warning VALUES (?, ?)", (place, what))

    def meta(self, key: str, value: str) -> None:
        """Record a fact on the file as a whole."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def editions(self) -> list[tuple[str, str, str]]:
        """The (game, edition, language) of the rules in the graph, newest first."""
        rows = self._db.execute(
            "SELECT DISTINCT game, edition, lang FROM claim WHERE kind = 'rule' "
            "ORDER BY game, edition DESC, lang"
        )
        return [(game or "", edition or "", lang or "") for game, edition, lang in rows]

    def names(self, kind: NodeKind) -> list[Named]:
        """Every name of the nodes of a kind that some page claims to be there."""
        rows = self._db.execute(
            "SELECT DISTINCT n.id, l.lang, l.role, l.folded, l.text FROM label l "
            "JOIN node n ON n.key = l.node "
            "WHERE l.node IN (SELECT node FROM claim WHERE kind = ?)", (kind,)
        )  # fmt: skip
        return [Named(intern(node), *name) for node, *name in rows]

    def merge(self, into: Mapping[str, str], lang: str) -> None:
        """Make nodes one: all that is said of the first is said of the second. In `lang` the
        second keeps its preferred name, and the first's becomes one that redirects to it."""
        if not into:
            return
        self._db.execute("CREATE TEMP TABLE merged (old INTEGER PRIMARY KEY, new INTEGER)")
        self._db.executemany(
            "INSERT INTO merged VALUES (?, ?)",
            ((self._keys[old], self._keys[new]) for old, new in into.items()),
        )
        self._db.execute("CREATE INDEX label_merged ON label (node)")
        self._db.execute(
            "UPDATE label SET role = 'redirect' WHERE role = 'preferred' AND lang = ? "
            "AND node IN (SELECT old FROM merged)", (lang,)
        )  # fmt: skip
        for table, column, more in (("claim", "node", ""), ("label", "node", ""),
                                    ("edge", "want", ", target = new"),
                                    ("edge", "source", "")):  # fmt: skip
            self._db.execute(
                f"UPDATE {table} SET {column} = new{more} FROM merged WHERE {column} = old"
            )
        self._db.execute("DROP INDEX label_merged")
        self._db.execute("DROP TABLE merged")

    def defined(self, kind: NodeKind) -> list[Defined]:
        """The passages that may define the nodes of a kind."""
        edges = self._db.execute(
            "SELECT DISTINCT n.id, e.source, e.passage FROM edge e JOIN node n ON n.key = e.want "
            "WHERE e.kind = 'defines' AND e.want IN (SELECT node FROM claim WHERE kind = ?)",
            (kind,),
        ).fetchall()
        found = []
        for node, source, passage in edges:
            # A page's passages have keys that follow each other, so that no table is searched.
            rows = self._db.execute(
                "SELECT p.lang, p.id, p.text FROM node p JOIN node w ON w.key = ?1 "
                "WHERE p.key BETWEEN ?2 AND ?3 AND p.kind = 'passage' "
                "AND p.page = w.page AND p.section = w.section ORDER BY p.key",
                (passage, passage, passage + (source != passage) * _OPENING),
            )
            found += [
                Defined(node, lang or "", key, text or "", source == passage)
                for lang, key, text in rows
            ]
        return found

    def join(self, wants: Iterable[Want]) -> None:
        """Put in edges that no page gives alone. What they name must be in the graph."""
        for want in wants:
            [passage] = self._db.execute("SELECT key FROM node WHERE id = ?", (want.passage,))
            row = (want.kind, self._keys[want.source], self._keys[want.want], want.target_label,
                   want.reason, passage[0], want.start, want.end,
                   as_json(want.details))  # fmt: skip
            self._db.execute(_EDGE, row)

    def tell(
        self, told: Callable[[Iterable[list[Told]]], Iterable[Sequence[tuple[str, list[Spoken]]]]]
    ) -> None:
        """Give all passages to `told`, some at a time, and record what it tells of each, in their
        order: the passage's words, for searching, and the nodes that it speaks of."""
        self._gather_links()
        waiting: deque[list[tuple[int, int]]] = deque()
        for answers in told(self._passages(waiting)):
            words, edges = [], []
            for (key, source), (forms, spoken) in zip(waiting.popleft(), answers, strict=True):
                words.append((key, forms))
                for node, label, start, end in spoken:
                    edges.append((source, self._keys[node], label, key, start, end))
            self._db.executemany("INSERT INTO words VALUES (?, ?)", words)
            self._db.executemany("INSERT INTO search (rowid, words) VALUES (?, ?)", words)
            self._db.executemany(
                "INSERT INTO edge VALUES ('mentions', ?1, ?2, ?2, ?3, '', ?4, ?5, ?6, NULL)", edges
            )
        self._db.execute("DROP TABLE linked")

    def _passages(self, waiting: deque[list[tuple[int, int]]]) -> Iterator[list[Told]]:
        """All passages, some at a time, with their links; into `waiting` goes where they lie."""
        ids = dict(self._db.execute(
            "SELECT key, id FROM node WHERE key IN (SELECT node FROM linked)"
        ))  # fmt: skip
        rows = self._db.execute(
            "SELECT key, game, lang, text, speaks FROM node WHERE kind = 'passage' ORDER BY key"
        )
        while batch := rows.fetchmany(_TOLD):
            links: dict[int, list[tuple[int, int, frozenset[str]]]] = defaultdict(list)
            found = self._db.execute(
                "SELECT * FROM linked WHERE passage BETWEEN ? AND ?", (batch[0][0], batch[-1][0])
            )
            for (passage, *span), nodes in groupby(found, key=itemgetter(0, 1, 2)):
                links[passage].append((*span, frozenset(ids[node] for *_, node in nodes)))
            waiting.append([(key, speaks or key) for key, *_, speaks in batch])
            yield [
                Told(game or "", lang or "", text or "", links.get(key, ()))
                for key, game, lang, text, _ in batch
            ]

    def _gather_links(self) -> None:
        """The links that lead to what is or defines a node, in the order of their passages."""
        self._db.execute(
            'CREATE TEMP TABLE linked (passage INTEGER, start INTEGER, "end" INTEGER, '
            'node INTEGER, PRIMARY KEY (passage, start, "end", node)) WITHOUT ROWID'
        )
        self._db.execute(
            "WITH gives (giver, node) AS (SELECT source, want FROM edge WHERE kind = 'defines' "
            "UNION SELECT node, node FROM claim) "
            'INSERT OR IGNORE INTO linked SELECT e.passage, e.start, e."end", g.node '
            "FROM edge e JOIN gives g ON g.giver = e.want WHERE e.kind = 'links_to'"
        )

    def settle(self, instead: Callable[[str], Iterable[str]]) -> None:
        """Settle what speaks for shared nodes, and what edges lead to.

        `instead` gives, for a wanted id that no page gives, ids to take in its place.
        """
        self._settle_claims()
        self._settle_labels()
        missing = dict.fromkeys(self._gone, "") | dict(
            self._db.execute("SELECT key, id FROM node WHERE kind IS NULL")
        )
        self._db.execute("CREATE TEMP TABLE missing (key INTEGER PRIMARY KEY, found INTEGER)")
        for key, wanted in missing.items():
            others = (self._keys.get(other) for other in instead(wanted))
            found = next((other for other in others if other and other not in missing), None)
            self._db.execute("INSERT INTO missing VALUES (?, ?)", (key, found))
        self._db.execute("UPDATE edge SET target = found FROM missing WHERE want = missing.key")
        self._db.execute("DROP TABLE missing")

    def amend(self, kind: EdgeKind, amended: Callable[[Aimed], Mapping[str, Any]]) -> None:
        """Add to the details of the edges of a kind what is known now that they are settled."""
        rows = self._db.execute(
            "SELECT e.rowid, e.details, n.label, n.text FROM edge e "
            "JOIN node n ON n.key = e.target "
            "WHERE e.kind = ? AND e.details IS NOT NULL", (kind,)
        )  # fmt: skip
        changes = []
        for row, stored, label, text in rows:
            details = json.loads(stored)
            if more := amended(Aimed(details, label or "", text or "")):
                changes.append((as_json(details | dict(more)), row))
        self._db.executemany("UPDATE edge SET details = ? WHERE rowid = ?", changes)

    def keep_wordings(
        self, kind: NodeKind, differ: Callable[[str, str], Sequence[Sequence[int]]]
    ) -> None:
        """Keep, with a node of a kind, what other pages that give it say in other words, and
        where that differs: `differ` gives the places in the node's text and in the other."""
        rows = self._db.execute(
            "SELECT n.key, n.text, n.details, p.id, c.text FROM claim c "
            "JOIN node n ON n.key = c.node JOIN node p ON p.key = c.page "
            "WHERE c.kind = ? AND c.text <> n.text ORDER BY n.key, p.id, c.text", (kind,)
        )  # fmt: skip
        for key, of_node in groupby(rows.fetchall(), key=itemgetter(0)):
            wordings: list[Mapping[str, Any]] = []
            details: dict[str, Any] = {}
            for _, text, stored, page, other in of_node:
                details = json.loads(stored) if stored else {}
                if other and (places := differ(text, other)):
                    wordings.append({"page": page, "text": other, "differs": places})
            if wordings:
                details["wordings"] = wordings
                self._db.execute(
                    "UPDATE node SET details = ? WHERE key = ?", (as_json(details), key)
                )

    def finish(self) -> None:
        """Make the indexes: the last step."""
        self._db.execute("COMMIT")
        self._db.executescript(INDEXES)
        self._db.execute("ANALYZE")

    def counts(self) -> tuple[dict[str, int], dict[str, int], int]:
        """Nodes by kind, edges by kind, and how many edges dangle."""
        return counts(self._db)

    # -- rows ---------------------------------------------------------------------------
    def _key(self, node_id: str) -> int:
        """The key of an id that any page may name."""
        key = self._keys.setdefault(node_id, self._next)
        self._next += key == self._next
        return key

    def _settle_claims(self) -> None:
        """Each shared node says what its best claim says: lowest rank, then by page and text.

        A reading, a text or details that it leaves open are taken from the next claim that has one.
        """
        self._db.execute("CREATE INDEX claim_node ON claim (node)")
        columns = ", ".join(f"c.{name}" for name in SHARED)
        rows = self._db.execute(
            f"SELECT c.node, c.kind, {columns} FROM claim c JOIN node p ON p.key = c.page "
            "ORDER BY c.node, c.rank, p.id, c.text, c.label"
        )
        settings = ", ".join(f"{name} = ?" for name in ("kind", *SHARED))
        self._db.executemany(f"UPDATE node SET {settings} WHERE key = ?", _spoken_for(rows))

    def _settle_labels(self) -> None:
        """Of many pages that give a node the same name, a few are enough to show it."""
        self._db.execute(
            "DELETE FROM label WHERE rowid IN (SELECT row FROM (SELECT l.rowid AS row, "
            "row_number() OVER (PARTITION BY l.node, l.lang, l.text, l.role "
            "ORDER BY l.passage IS NULL, p.id, q.position) AS place "
            "FROM label l JOIN node p ON p.key = l.page LEFT JOIN node q ON q.key = l.passage) "
            "WHERE place > ?)", (_WITNESSES,)
        )  # fmt: skip


def _spoken_for(claims: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Of claims in the order of their nodes, and the best first: what is said of each node."""
    for node, of_node in groupby(claims, key=itemgetter(0)):
        best, *others = (list(values) for _, *values in of_node)
        for place in _OPEN:
            same = (o[place] for o in others if o[_NOTICE] in (None, best[_NOTICE]))
            best[place] = best[place] or next(filter(None, same), None)
        yield [*best, node]


def counts(db: sqlite3.Connection) -> tuple[dict[str, int], dict[str, int], int]:
    """Nodes by kind, edges by kind, and how many edges dangle."""
    nodes = db.execute("SELECT kind, count(*) FROM node WHERE kind IS NOT NULL GROUP BY kind")
    edges = db.execute("SELECT kind, count(*) FROM link GROUP BY kind")
    dangling = db.execute("SELECT count(*) FROM edge WHERE target IS NULL").fetchone()
    return dict(nodes.fetchall()), dict(sorted(edges.fetchall())), int(dangling[0])


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """A writer for the graph at `path`; the old file stays until the new one is whole.

    Raises StoreError if another build holds the file, if there is no place to write, or if
    the disk fills; the old file is untouched then, as it is on an interrupt.
    """
    path = path.absolute()
    if path.is_dir():
        raise StoreError(f"{path}: a folder; name a file for the knowledge base")
    if not path.parent.is_dir():
        raise StoreError(f"{path.parent}: no such folder to keep the knowledge base in")
    lock = FileLock(path.parent / f".{path.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreError(f"{path}: another build is writing it; wait for it, or use --kb") from None
    except OSError as error:
        raise StoreError(f"{path}: can't be written: {error.strerror}") from None
    try:
        yield from _replacing(path)
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path}: can't be written: {error}; what was there is kept") from error
    except OSError as error:
        what = error.strerror or error
        raise StoreError(f"{path}: can't be written: {what}; what was there is kept") from error
    finally:
        lock.release()


def _replacing(path: Path) -> Iterator[Writer]:
    for leftover in path.parent.glob(f".{path.name}.*{_UNFINISHED}"):
        leftover.unlink(missing_ok=True)  # of a build that was killed: the lock is ours
    handle, name = tempfile.mkstemp(_UNFINISHED, f".{path.name}.", path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        writer = Writer(unfinished)
        try:
            yield writer
        finally:
            writer.close()
        unfinished.chmod(0o666 & ~_umask())
        _to_disk(unfinished)
        unfinished.replace(path)
        with suppress(OSError):
            _to_disk(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
