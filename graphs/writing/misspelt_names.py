"""Write the keys by which names are found although they are mistyped, and the index of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from graphs.store.name_index import (
    LENGTH_BITS,
    LONGEST_KEY,
    NameKey,
    first_row_id,
    indexed_key,
)
from graphs.writing.writer import Writer

_BATCH = 2000  # names whose keys are made at once; by hand: bounds what is sent to another process


def update_name_keys(
    writer: Writer,
    kinds: Sequence[str],
    make_keys: Callable[[Iterator[list[str]]], Iterable[list[NameKey]]],
) -> None:
    """Make the table of keys agree with the shown names of a graph that is resolved.

    Keys are made only of names that the table does not have yet; those of names that no node has
    any more are deleted. Names of more than LONGEST_KEY characters get none.

    kinds: of the nodes whose names count.
    make_keys: returns the keys of each batch of names, in any order; they must depend on nothing
        but the names. A name without keys is asked for again in each update.
    """
    db = writer.db
    db.execute("CREATE TEMP TABLE current_name (name TEXT PRIMARY KEY) WITHOUT ROWID")
    db.execute(
        "INSERT OR IGNORE INTO current_name SELECT l.text FROM label l "
        f"JOIN node n ON n.key = l.node AND n.kind IN ({','.join('?' * len(kinds))}) "
        "WHERE l.shown AND length(l.text) <= ?",
        (*kinds, LONGEST_KEY),
    )
    if not writer.is_new:
        _delete_unused(writer)
    new = db.execute("SELECT name FROM current_name EXCEPT SELECT name FROM name_key ORDER BY 1")
    names = [name for (name,) in new]
    if names:
        _insert(writer, (key for keys in make_keys(_batches(names)) for key in keys))
    db.execute("DROP TABLE current_name")


def _delete_unused(writer: Writer) -> None:
    """Delete the keys of names that are not current, also from the index."""
    rows = writer.db.execute(
        "SELECT id, key FROM name_key WHERE name NOT IN (SELECT name FROM current_name)"
    ).fetchall()
    writer.db.executemany(
        "INSERT INTO name_gram (name_gram, rowid, key) VALUES ('delete', ?, ?)",
        ((row, indexed_key(key)) for row, key in rows),
    )
    writer.db.executemany("DELETE FROM name_key WHERE id = ?", ((row,) for row, _ in rows))


def _insert(writer: Writer, keys: Iterable[NameKey]) -> None:
    """Insert keys and index them."""
    db = writer.db
    db.execute("CREATE TEMP TABLE new_key (id INTEGER, name TEXT, form TEXT, key TEXT, exact TEXT)")
    db.executemany(
        "INSERT INTO new_key VALUES (?, ?, ?, ?, ?)", ((_row_id(key), *key) for key in keys)
    )
    # In the order of their ids: the index is written in one run only if its rows come so.
    in_order = db.execute("SELECT * FROM new_key ORDER BY id, rowid")
    while rows := in_order.fetchmany(_BATCH):
        db.executemany("INSERT OR REPLACE INTO name_key VALUES (?, ?, ?, ?, ?)", rows)
        db.executemany(
            "INSERT OR REPLACE INTO name_gram (rowid, key) VALUES (?, ?)",
            ((row, indexed_key(key)) for row, _, _, key, _ in rows),
        )
    in_order.close()
    db.execute("DROP TABLE new_key")


def _row_id(key: NameKey) -> int:
    """Return the id of the row of a key: the same in every build, by its length and a hash."""
    digest = hashlib.blake2b("\0".join(key).encode("utf-8", "surrogatepass"), digest_size=8)
    return first_row_id(len(key.key)) + (int.from_bytes(digest.digest(), "big") >> LENGTH_BITS)


def _batches(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield names in lists of at most _BATCH."""
    rest = iter(names)
    while batch := list(islice(rest, _BATCH)):
        yield batch
