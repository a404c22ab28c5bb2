"""Writing a graph: beside the old file, under a lock, and swapped in when it is whole."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphs.errors import StoreError
from graphs.facts import Aimed, Claim, Defined, Facts, Named, Own, Spoken, Told, Want
from graphs.model import EdgeKind, Node, NodeKind
from graphs.schema import APPLICATION, INDEXES, TABLES, VERSION

_SHARED = ("game source lang edition number label reading text url notice date details").split()
_OPEN = tuple(1 + _SHARED.index(name) for name in ("reading", "text", "details"))  # behind the kind
_NOTICE = 1 + _SHARED.index("notice")
_OF_PAGES = ("edge", "claim", "label")
_NONE: frozenset[str] = frozenset()
_UNFINISHED = ".building"
_WITNESSES = 3  # passages kept for one name of a node
_OPENING = 8  # passages behind a heading in which what it names may be defined


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where the facts of one page lie: its nodes, and the ends of tables around its rows."""

    shared: list[int]
    passages: list[int]
    before: list[int]
    after: list[int]


class Writer:
    """Puts the facts of pages into a new file. Made by `writing`."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._keys: dict[str, int] = {}
        self._rows: dict[str, _Rows] = {}
        self._next = 1
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536",
                       f"application_id = {APPLICATION}", f"user_version = {VERSION}"):  # fmt: skip
            self._db.execute(f"PRAGMA {pragma}")
        self._db.executescript(TABLES)
        self._db.execute("BEGIN")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def add(self, facts: Facts) -> None:
        """Put in what one page gives. Its page must not be in the graph already."""
        before = self._last_rows()
        own = {o.node.id: self._own_key(o) for o in facts.nodes}
        page = own[facts.page]
        for position, o in enumerate(facts.nodes):
            self._insert_own(o, own, page, position)
        self._db.executemany(
            f"INSERT INTO claim VALUES (?, ?, ?, ?{', ?' * len(_SHARED)})",
            (self._claim_row(claim, page) for claim in facts.claims),
        )
        self._db.executemany(
            "INSERT INTO label VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    self._key(c.node),
                    page,
                    c.label.lang,
                    c.label.text,
                    c.label.role,
                    c.folded,
                    own.get(c.passage or ""),
                )
                for c in facts.labels
            ),
        )
        self._db.executemany(
            "INSERT INTO edge VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?)",
            (self._edge_row(want, own) for want in facts.wants),
        )
        shared = [own[o.node.id] for o in facts.nodes if o.node.kind != "passage"]
        passages = [own[o.node.id] for o in facts.nodes if o.node.kind == "passage"]
        self._rows[facts.page] = _Rows(shared, passages, before, self._last_rows())

    def drop(self, page: str) -> None:
        """Take out all that a page gave, by the rows it was put into: no table is searched."""
        rows = self._rows.pop(page)
        for table, before, after in zip(_OF_PAGES, rows.before, rows.after, strict=True):
            self._db.execute(f"DELETE FROM {table} WHERE rowid > ? AND rowid <= ?", (before, after))
        passages = [(key,) for key in rows.passages]
        self._db.executemany("DELETE FROM node WHERE key = ?", passages)
        self._db.executemany(
            "UPDATE node SET kind = NULL, page = NULL, parent = NULL WHERE key = ?",
            [(key,) for key in rows.shared],
        )

    def _last_rows(self) -> list[int]:
        """Where the tables that a page adds rows to end."""
        ends = (self._db.execute(f"SELECT max(rowid) FROM {table}") for table in _OF_PAGES)
        return [end.fetchone()[0] or 0 for end in ends]

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
        return [Named(*row) for row in rows]

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
        for table, column in (("claim", "node"), ("label", "node"), ("edge", "want"),
                              ("edge", "source")):  # fmt: skip
            self._db.execute(
                f"UPDATE {table} SET {column} = merged.new FROM merged "
                f"WHERE {table}.{column} = merged.old"
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
                   want.reason, passage[0], want.start, want.end, _json(want.details))  # fmt: skip
            self._db.execute("INSERT INTO edge VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?)", row)

    def tell(self, told: Callable[[Told], tuple[str, Iterable[Spoken]]]) -> None:
        """Give each passage to `told`, and record what it tells: the passage's words, for
        searching, and the nodes that it speaks of."""
        linked = self._linked()
        rows = self._db.execute(
            "SELECT key, game, lang, text, speaks FROM node WHERE kind = 'passage' ORDER BY key"
        )
        while batch := rows.fetchmany(2000):
            words, edges = [], []
            for key, game, lang, text, speaks in batch:
                source = speaks or key
                links = linked.get(key, ())
                forms, spoken = told(Told(game or "", lang or "", text or "", links))
                words.append((key, forms))
                edges += [
                    ("mentions", source, self._keys[s.node], s.label, "", key, s.start, s.end)
                    for s in spoken
                ]
            self._db.executemany("INSERT INTO words VALUES (?, ?)", words)
            self._db.executemany(
                "INSERT INTO edge VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, NULL)", edges
            )

    def _linked(self) -> dict[int, list[tuple[int, int, frozenset[str]]]]:
        """For each passage its links: where they are, and what their targets are or define."""
        defined: dict[int, set[str]] = defaultdict(set)
        givers = self._db.execute(
            "SELECT e.source, n.id FROM edge e JOIN node n ON n.key = e.want "
            "WHERE e.kind = 'defines' UNION SELECT n.key, n.id FROM claim c JOIN node n "
            "ON n.key = c.node"
        )
        for giver, node in givers:
            defined[giver].add(node)
        known = {key: frozenset(nodes) for key, nodes in defined.items()}
        links: dict[int, list[tuple[int, int, frozenset[str]]]] = defaultdict(list)
        for passage, start, end, want in self._db.execute(
            "SELECT passage, start, \"end\", want FROM edge WHERE kind = 'links_to'"
        ):
            links[passage].append((start, end, known.get(want, _NONE)))
        return links

    def settle(self, instead: Callable[[str], Iterable[str]]) -> None:
        """Settle what speaks for shared nodes, and what edges lead to.

        `instead` gives, for a wanted id that no page gives, ids to take in its place.
        """
        self._settle_claims()
        self._settle_labels()
        self._db.execute(
            "UPDATE edge SET target = want "
            "WHERE want IN (SELECT key FROM node WHERE kind IS NOT NULL)"
        )
        self._db.execute("CREATE INDEX edge_want ON edge (want) WHERE target IS NULL")
        missing = self._db.execute(
            "SELECT key, id FROM node WHERE kind IS NULL "
            "AND key IN (SELECT want FROM edge WHERE target IS NULL)"
        ).fetchall()
        for key, wanted in missing:
            found = next((k for other in instead(wanted) if (k := self._there(other))), None)
            if found:
                self._db.execute("UPDATE edge SET target = ? WHERE want = ?", (found, key))
        self._db.execute("DROP INDEX edge_want")

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
                changes.append((_json(details | dict(more)), row))
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
                self._db.execute("UPDATE node SET details = ? WHERE key = ?", (_json(details), key))

    def finish(self) -> None:
        """Make the search and the indexes: the last step."""
        self._db.execute("INSERT INTO search (search) VALUES ('rebuild')")
        self._db.execute("COMMIT")
        self._db.executescript(INDEXES)
        self._db.execute("ANALYZE")

    def counts(self) -> tuple[dict[str, int], dict[str, int], int]:
        """Nodes by kind, edges by kind, and how many edges dangle."""
        return counts(self._db)

    # -- rows ---------------------------------------------------------------------------
    def _key(self, node_id: str) -> int:
        """The key of an id that any page may name; one only wanted gets an empty node."""
        key = self._keys.get(node_id)
        if key is None:
            key = self._new_key()
            self._keys[node_id] = key
            self._db.execute("INSERT INTO node (key, id) VALUES (?, ?)", (key, node_id))
        return key

    def _new_key(self) -> int:
        self._next += 1
        return self._next

    def _own_key(self, own: Own) -> int:
        # Passages are named by no other page, so that their ids need not be remembered.
        return self._new_key() if own.node.kind == "passage" else self._key(own.node.id)

    def _insert_own(self, own: Own, keys: Mapping[str, int], page: int, position: int) -> None:
        node = own.node
        self._db.execute(
            f"INSERT OR REPLACE INTO node VALUES (?, ?, ?{', ?' * len(_SHARED)}, ?, ?, ?, ?, ?, ?)",
            (
                keys[node.id], node.id, node.kind, *_fields(node),
                page,
                keys.get(node.section or ""),
                keys.get(own.parent or ""),
                self._key(own.speaks_for) if own.speaks_for else None,
                keys.get(own.heading or ""),
                position,
            ),
        )  # fmt: skip

    def _claim_row(self, claim: Claim, page: int) -> tuple[object, ...]:
        node = claim.node
        return (self._key(node.id), page, claim.rank, node.kind, *_fields(node))

    def _edge_row(self, want: Want, own: Mapping[str, int]) -> tuple[object, ...]:
        source = own.get(want.source) or self._key(want.source)
        target = own.get(want.want) or self._key(want.want)
        return (want.kind, source, target, want.target_label, want.reason,
                own[want.passage], want.start, want.end, _json(want.details))  # fmt: skip

    def _there(self, node_id: str) -> int | None:
        row = self._db.execute(
            "SELECT key FROM node WHERE id = ? AND kind IS NOT NULL", (node_id,)
        ).fetchone()
        return row[0] if row else None

    def _settle_claims(self) -> None:
        """Each shared node says what its best claim says: lowest rank, then by page and text.

        A reading, a text or details that it leaves open are taken from the next claim that has one.
        """
        self._db.execute("CREATE INDEX claim_node ON claim (node)")
        columns = ", ".join(f"c.{name}" for name in _SHARED)
        rows = self._db.execute(
            f"SELECT c.node, c.kind, {columns} FROM claim c JOIN node p ON p.key = c.page "
            "ORDER BY c.node, c.rank, p.id, c.text, c.label"
        )
        settings = ", ".join(f"{name} = ?" for name in ("kind", *_SHARED))
        update = f"UPDATE node SET {settings} WHERE key = ?"
        for node, claims in groupby(rows.fetchall(), key=itemgetter(0)):
            best, *others = (list(values) for _, *values in claims)
            for place in _OPEN:
                same = (o[place] for o in others if o[_NOTICE] in (None, best[_NOTICE]))
                best[place] = best[place] or next(filter(None, same), None)
            self._db.execute(update, (*best, node))

    def _settle_labels(self) -> None:
        """Of many pages that give a node the same name, a few are enough to show it."""
        self._db.execute(
            "DELETE FROM label WHERE rowid IN (SELECT row FROM (SELECT l.rowid AS row, "
            "row_number() OVER (PARTITION BY l.node, l.lang, l.text, l.role "
            "ORDER BY l.passage IS NULL, p.id, q.position) AS place "
            "FROM label l JOIN node p ON p.key = l.page LEFT JOIN node q ON q.key = l.passage) "
            "WHERE place > ?)", (_WITNESSES,)
        )  # fmt: skip


def _fields(node: Node) -> Iterator[str | None]:
    """What every row of a node holds of it."""
    for name in _SHARED:
        value = getattr(node, name)
        yield _json(value) if name == "details" else value


def _json(details: Mapping[str, object] | None) -> str | None:
    return json.dumps(details, ensure_ascii=False, sort_keys=True) if details else None


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
