"""Keeps sentence vectors beside a knowledge base, in FILE.near: for rules.db in rules.db.near.

It is a cache and may be deleted at any time. It is an SQLite file of its own, since vectors differ
a little between machines and a graph must not. A vector is found by its encoder and a hash of the
text: so it is still there when the knowledge base was built again, and in all editions that say the
same. Its numbers are 8 bits wide; what they are multiples of follows from its length, which is 1.
SQLite's journal keeps the file whole when a process is killed, and its locks when several write.

The file may be anybody's. One that is damaged, or that is not exactly as this module makes it, is
neither read nor written, and where nothing can be written nothing is kept. Either is kept for the
answer, as a reason.

What is embedded for a passage are its words, after those that say where it stands.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphs.store.file.connection import batches
from graphs.store.file.untrusted_file import UntrustedConnection, one_line, restrict
from graphs.store.passage_index import PassageText
from graphs.store.reader import Store
from kb.errors import StoreError
from kb.query.lookup.passage_places import Place, find_places, without_rule_number
from kb.query.near.encoders import MOST_CHARACTERS, embeddable_text
from kb.reason import Reason, take_for
from scraper.rulebook.numbering import parent_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.near.encoders import Encoder, Vectors

# By hand. Together they may have more than the third of 450 characters that is theirs if a passage
# needs the rest: the names stand first, as they say most in few words.
_MOST_NAME = 60  # characters of a page's name, and of a heading: 99 of 100 have up to 42
_MOST_ABOVE = 120  # of the rule or list item above
_SEPARATOR = " / "


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """What is embedded for a passage.

    text: at most 450 characters.
    lang: the language of the passage; empty if it is not known.
    bare: whether the passage is a heading, a title or an entry of contents.
    """

    text: str
    lang: str
    bare: bool


def embedded_texts(store: Store, passages: Iterable[str]) -> dict[str, EmbeddedText]:
    """Return what is embedded for passages, by their ids; an id that is no passage's is left out.

    Before the passage stand the name of its page, its heading, and the rule or list item above it.
    The page of a numbered rule is its rulebook, whose name tells nothing and is left out, and so
    are the numbers of rules. The passage keeps two thirds of the 450 characters if it needs them.
    """
    ids = list(passages)
    places, texts = find_places(store, ids), store.passages.texts(ids)
    above = _texts_above(store, places)
    return {
        passage: EmbeddedText(
            _joined(place, texts[passage], above.get(passage, "")), place.lang, texts[passage].bare
        )
        for passage, place in places.items()
        if passage in texts
    }


def _joined(place: Place, text: PassageText, above: str) -> str:
    """Return what is embedded for a passage: what it stands under, each part once, then its own
    words, with ` / ` between.

    It stands under the page's name (a numbered rule without it), its heading and the text above. A
    rule's own number is left out. Of more than 450 characters first what it stands under is cut,
    to no less than a third, then its own words.

    above: the text of the rule or list item above it; empty if there is none.
    """
    own = embeddable_text(without_rule_number(text.text, text.number or ""))
    names = ["" if place.number else place.page, place.heading or place.section]
    context = [embeddable_text(name)[:_MOST_NAME].rstrip() for name in names]
    context.append(embeddable_text(above)[:_MOST_ABOVE].rstrip())
    parts = [part for part in dict.fromkeys(context) if part and part != own]
    before = _SEPARATOR.join(parts)
    room = max(MOST_CHARACTERS - len(own) - len(_SEPARATOR), MOST_CHARACTERS // 3)
    return embeddable_text(_SEPARATOR.join(part for part in (before[:room].rstrip(), own) if part))


def _texts_above(store: Store, places: Mapping[str, Place]) -> dict[str, str]:
    """Return, for passages by their ids, the text of the rule or the list item above each.

    Above a rule's examples and further paragraphs stands the rule; above what states a rule, the
    rule that it is part of. A passage without any of these is left out.
    """
    stated = store.passages.first_passage_giving({place.rule for place in places.values()} - {""})
    parents = {
        place.rule: place.rule.removesuffix(place.number) + number
        for place in places.values()
        if place.number and (number := parent_number(place.number))
    }
    stated |= store.passages.first_passage_giving(set(parents.values()) - stated.keys())
    above: dict[str, str] = {}
    for passage, place in places.items():
        first = stated.get(place.rule)
        upper = stated.get(parents.get(place.rule, "")) if first == passage else first
        if upper and upper != passage:
            above[passage] = upper
    others = store.passages.lookup(places.keys() - above.keys())
    above |= {found.id: found.parent for found in others.values() if found.parent}
    texts = store.passages.texts(set(above.values()))
    return {
        passage: without_rule_number(texts[upper].text, texts[upper].number or "")
        for passage, upper in above.items()
        if upper in texts
    }


_APPLICATION, _VERSION = 0x73616E76, 1  # "sanv", SQLite's application_id; and its user_version
_APPLICATION_OFFSET, _HEADER_SIZE = 68, 100  # bytes, in SQLite's file format
_TABLES = (
    "CREATE TABLE encoder (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE vector (encoder INTEGER NOT NULL, hash BLOB NOT NULL, numbers BLOB NOT NULL, "
    "PRIMARY KEY (encoder, hash)) WITHOUT ROWID",
    "CREATE TABLE mean (encoder INTEGER NOT NULL, lang TEXT NOT NULL, base TEXT NOT NULL, "
    "numbers BLOB NOT NULL, PRIMARY KEY (encoder, lang)) WITHOUT ROWID",
    "CREATE TABLE passage (encoder INTEGER NOT NULL, id TEXT NOT NULL, lang TEXT NOT NULL, "
    "hash BLOB NOT NULL, PRIMARY KEY (encoder, id)) WITHOUT ROWID",
)
# The end of a journal that belongs to several files, and names another file that SQLite may delete.
_JOURNAL_OF_SEVERAL = bytes.fromhex("d9d505f920a163d7")
_WAIT = 2.0  # seconds, for another process that writes: it keeps 32 vectors, which takes less
_HASH_SIZE = 16  # bytes: with 128 bits no two of any number of texts have the same by chance
_LEAST_ROW = 16  # bytes; a file of many more rows than fit into it is a forged one
_STEPS_A_ROW = 1000  # of SQLite, to write it; many times what it takes
_Result = TypeVar("_Result")


class _UnusableError(Exception):
    """A file is not as this module makes it; the message says why."""


def text_hash(text: str) -> bytes:
    """Return the hash of an embedded text: by it, and its encoder, a vector is found."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_SIZE).digest()


def cache_path(base: Path) -> Path:
    """Return where the vectors of a knowledge base are kept.

    >>> cache_path(Path("rules.db")).name
    'rules.db.near'
    """
    return base.with_name(f"{base.name}.near")


class VectorCache:
    """The vectors that one encoder made for a knowledge base; a context manager.

    path: the file.
    """

    def __init__(self, base: Path, encoder: Encoder, *, must_keep: bool = False) -> None:
        """Open the cache beside a knowledge base. If there is none, it is made when the first
        vector is kept.

        must_keep: raise StoreError where vectors can't be kept.
        """
        self.path, self._base = cache_path(base), base
        self._name, self._dimension = encoder.name, encoder.dimension
        self._must_keep = must_keep
        self._has_failed = False
        self._db: UntrustedConnection | None = None
        if must_keep:
            self._try(lambda: self._connection(create=True), None)

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()

    def get(self, hashes: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return {hash of a text: its vector, of length 1} for those of some hashes of which one of
        the right size is kept."""
        rows = self._of_hashes("hash, numbers", hashes)
        return {key: unit(numbers) for key, numbers in rows if self._is_vector(numbers)}

    def known(self, hashes: Iterable[bytes]) -> set[bytes]:
        """Return those of some hashes of texts for which a vector of the right length is kept."""
        rows = self._of_hashes("hash, length(numbers)", hashes)
        return {key for key, size in rows if size == self._dimension}

    def put(self, hashes: Iterable[bytes], vectors: Vectors) -> None:
        """Keep the vectors of texts, by their hashes, in 8 bits, in place of those of before.
        Raises ValueError unless they are as many."""
        pairs = zip(hashes, vectors, strict=True)
        rows = [(key, in_8_bits(vector).tobytes()) for key, vector in pairs]
        self._write("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)

    def mean(self, lang: str, base: str) -> NDArray[np.float32] | None:
        """Return the mean vector of a language; None if there is none for this state (`base`) of
        the knowledge base, or what is kept can't be one."""
        import numpy as np

        query = "SELECT numbers FROM mean WHERE encoder = ? AND lang = ? AND base = ?"
        for (numbers,) in self._read(query, lang, base):
            if isinstance(numbers, bytes) and len(numbers) == 4 * self._dimension:
                mean = np.frombuffer(numbers, np.float32)
                return mean if bool((np.abs(mean) <= 1).all()) else None
        return None

    def put_mean(self, lang: str, base: str, mean: NDArray[np.float32]) -> None:
        """Keep the mean vector of a language. base: names the state of the knowledge base."""
        rows = [(lang, base, mean.astype("float32").tobytes())]
        self._write("INSERT OR REPLACE INTO mean VALUES (?, ?, ?, ?)", rows)

    def put_passages(self, passages: Mapping[str, tuple[str, bytes]]) -> int:
        """Keep which vectors the passages of the knowledge base have, instead of those of before;
        delete the vectors that none has, and return how many these were.

        passages: {id of a passage: (its language, the hash of its embedded text)}.
        """

        def write(db: sqlite3.Connection) -> int:
            key = self._key(db, create=True)
            db.execute("DELETE FROM passage WHERE encoder = ?", (key,))
            rows = ((key, passage, *found) for passage, found in passages.items())
            db.executemany("INSERT INTO passage VALUES (?, ?, ?, ?)", rows)
            return db.execute(
                "DELETE FROM vector WHERE encoder = ?1 AND hash NOT IN "
                "(SELECT hash FROM passage WHERE encoder = ?1)",
                (key,),
            ).rowcount

        return self._in_transaction(write, len(passages), 0)

    def is_filled(self) -> bool:
        """Return whether passages were kept with `put_passages` for this encoder; False where the
        file can't be used."""
        return bool(self._read("SELECT 1 FROM passage WHERE encoder = ? LIMIT 1"))

    def has_means_of(self, base: str) -> bool:
        """Return whether the mean of any language was kept for this state of the knowledge base."""
        return bool(self._read("SELECT 1 FROM mean WHERE encoder = ? AND base = ? LIMIT 1", base))

    def passages(self) -> tuple[list[tuple[str, str, bytes]], NDArray[np.int8]]:
        """Return the passages that were kept with `put_passages`, and a matrix with the vector of
        each in a row. A passage is (id, language, hash of its embedded text).

        Of passages of the same language and words, as several editions have them, the one with the
        last id stands for all.
        """
        import numpy as np

        # Two scans and a dictionary: SQLite's own join takes four times as long.
        found = self._read("SELECT hash, numbers FROM vector WHERE encoder = ?")
        vectors = {key: numbers for key, numbers in found if self._is_vector(numbers)}
        last: dict[tuple[str, bytes], str] = {}
        query = "SELECT id, lang, hash FROM passage WHERE encoder = ? ORDER BY id"
        for passage, lang, key in self._read(query):
            if isinstance(passage, str) and isinstance(lang, str) and key in vectors:
                last[lang, key] = passage
        matrix = np.frombuffer(b"".join(vectors[key] for _, key in last), np.int8)
        passages = [(passage, lang, key) for (lang, key), passage in last.items()]
        return passages, matrix.reshape(len(passages), self._dimension)

    def _is_vector(self, numbers: object) -> bool:
        return isinstance(numbers, bytes) and len(numbers) == self._dimension

    def _of_hashes(self, columns: str, hashes: Iterable[bytes]) -> list[tuple[Any, ...]]:
        """Return columns of the vectors of some hashes, a row each, in no order; hashes without a
        vector are left out."""
        found: list[tuple[Any, ...]] = []
        for batch in batches(list(hashes)):
            marks = ",".join("?" * len(batch))
            query = f"SELECT {columns} FROM vector WHERE encoder = ? AND hash IN ({marks})"
            found += self._read(query, *batch)
        return found

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query whose first parameter is the key of the encoder; empty without
        a file, if nothing of the encoder is kept, or where the file can't be used. No more rows are
        read than fit into the file."""

        def read() -> list[tuple[Any, ...]]:
            db = self._connection(create=False)
            if db is None or (key := self._key(db)) is None:
                return []
            most = self.path.stat().st_size // _LEAST_ROW + 1
            return db.execute(query, (key, *values)).fetchmany(most)

        return self._try(read, [])

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Execute a statement for each row, with the key of the encoder before it."""

        def write(db: sqlite3.Connection) -> None:
            key = self._key(db, create=True)
            db.executemany(statement, [(key, *row) for row in rows])

        self._in_transaction(write, len(rows), None)

    def _in_transaction(
        self, write: Callable[[sqlite3.Connection], _Result], rows: int, otherwise: _Result
    ) -> _Result:
        """Write some rows, all or none; return `otherwise` where nothing can be kept."""

        def run() -> _Result:
            db = self._connection(create=True)
            assert db is not None
            db.work.most = max(db.work.most, rows * _STEPS_A_ROW)
            db.work.renew()
            with db:
                db.execute("BEGIN IMMEDIATE")
                return write(db)

        return otherwise if self._has_failed else self._try(run, otherwise)

    def _connection(self, create: bool) -> UntrustedConnection | None:
        """Return the connection to the file; None if there is no file, and none is to be made."""
        if self._db is None and (create or os.path.lexists(self.path)):
            if create:
                self._create_file()
            self._db = _opened(self.path)
        if self._db is not None:
            self._db.work.renew()
        return self._db

    def _create_file(self) -> None:
        """Make the file, if there is none, which nobody can read who can't read the base."""
        mode = self._base.stat().st_mode & 0o666 | 0o600
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))

    def _key(self, db: sqlite3.Connection, create: bool = False) -> int | None:
        """Return the key of the encoder; None if nothing of it is kept."""
        if create:
            db.execute("INSERT OR IGNORE INTO encoder (name) VALUES (?)", (self._name,))
        row = db.execute("SELECT key FROM encoder WHERE name = ?", (self._name,)).fetchone()
        return None if row is None else int(row[0])

    def _try(self, action: Callable[[], _Result], otherwise: _Result) -> _Result:
        """Do something with the file; if that fails, return `otherwise`, and keep why for the
        answer, once; raise StoreError instead where vectors must be kept."""
        try:
            return action()
        except (_UnusableError, sqlite3.Error, OSError, UnicodeDecodeError) as error:
            if self._has_failed:
                return otherwise
            self._has_failed = True
            reason = Reason("vectors_not_usable", path=str(self.path), why=one_line(error))
        if self._must_keep:
            raise StoreError(reason)
        take_for(reason)
        return otherwise


def in_8_bits(vector: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return a vector as whole numbers, the largest of them 127 or -127; zeros stay zeros."""
    import numpy as np

    largest = float(np.abs(vector).max())
    return np.asarray(np.rint(vector * (127 / max(largest, 1e-9))), np.int8)


def unit(numbers: bytes) -> NDArray[np.float32]:
    """Return a vector of 8-bit numbers with the length 1; zeros stay zeros."""
    import numpy as np

    vector = np.frombuffer(numbers, np.int8).astype(np.float32)
    return vector / max(float(np.linalg.norm(vector)), 1.0)


def _opened(path: Path) -> UntrustedConnection:
    """Return a connection to a cache, which is made if there is none; _UnusableError if something
    else is there."""
    _refuse_what_is_foreign(path)
    db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, factory=UntrustedConnection)
    try:
        db.work = restrict(db, path)
        db.execute("PRAGMA query_only = OFF")
        db.execute("PRAGMA synchronous = NORMAL")
        if not _statements(db):
            _create(db)
        [version] = db.execute("PRAGMA user_version").fetchone()
        if _statements(db) != {*_TABLES} or version != _VERSION:
            raise _UnusableError("not as this version of sansho makes it")
    except BaseException:
        db.close()
        raise
    return db


def _create(db: sqlite3.Connection) -> None:
    """Make the tables, unless another process is quicker."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        if not _statements(db):
            for statement in _TABLES:
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            db.execute(f"PRAGMA user_version = {_VERSION}")


def _statements(db: sqlite3.Connection) -> set[str]:
    """Return the statements that made all that is defined in a file."""
    rows = db.execute("SELECT coalesce(sql, '') FROM sqlite_schema WHERE sql IS NOT NULL")
    return {row[0] for row in rows.fetchmany(len(_TABLES) + 1)}


def _is_file_or_none(path: Path) -> bool:
    """Whether there is a file, and no link, or nothing. It looks once: others write meanwhile, and
    a journal comes and goes."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True


def _refuse_what_is_foreign(path: Path) -> None:
    """Raise _UnusableError if there is a file that this module did not make, or a journal beside it
    that this module did not write. An empty file, and none, are good."""
    if not _is_file_or_none(path):
        raise _UnusableError("a link or no file")
    with suppress(FileNotFoundError), path.open("rb") as file:
        header = file.read(_HEADER_SIZE)
        application = header[_APPLICATION_OFFSET : _APPLICATION_OFFSET + 4]
        if header and application != _APPLICATION.to_bytes(4, "big"):
            raise _UnusableError("not made by sansho, or damaged")
    journal = path.with_name(f"{path.name}-journal")
    if not _is_file_or_none(journal):
        raise _UnusableError("its journal is a link or no file")
    with suppress(FileNotFoundError), journal.open("rb") as file:
        file.seek(max(journal.stat().st_size - len(_JOURNAL_OF_SEVERAL), 0))
        if file.read() == _JOURNAL_OF_SEVERAL:
            raise _UnusableError("its journal is not of sansho")
