"""The index of names by their keys: finds the names whose keys have characters in common."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from graphs.store.file.row_checks import record

_GRAM = 3  # characters, as SQLite's tokenizer `trigram` has it
_BEFORE, _BEHIND = "^^", "$$"  # no key has these signs, so the ends of keys are told from the rest
_GRAMS_LOOKED_UP = 6  # the rarest; a slip changes at most four, and many names share common ones
# Characters of a key of which two grams must be the same: indexed it has eight grams or more, and a
# slip leaves half of them.
_LONG = 6
LONGEST_KEY = 100  # characters; nobody types a longer name, and a length must fit in LENGTH_BITS
LENGTH_BITS = 8  # of a row id of 64: for the sign, and for lengths up to 127


class NameKey(NamedTuple):
    """A form of a name in which it is compared with what a person types.

    name: the name as it is shown.
    form: how the key was made from it; the meaning is the caller's.
    key: the form to compare.
    exact: the same with what the key leaves out, to tell apart what is otherwise equal.
    """

    name: str
    form: str
    key: str
    exact: str


def indexed_key(key: str) -> str:
    """Return a key as it is indexed: with signs that mark its beginning and its end.

    >>> indexed_key("draw")
    '^^draw$$'
    """
    return f"{_BEFORE}{key}{_BEHIND}"


def first_row_id(length: int) -> int:
    """Return the least row id of keys of a length; all are below the least id of the next length.

    Keys of some lengths are so found in the index without a look at their rows. A key longer than
    100 characters has the id of one that is cut, a negative length that of 0.
    """
    return max(0, min(length, LONGEST_KEY)) << (64 - LENGTH_BITS)


class NameIndex:
    """The index of the names of a graph that is open for reading."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Read the index in an open database."""
        self._db = db

    def exact_keys(self, forms: Sequence[str]) -> dict[str, str]:
        """Return {name: its exact key} for all names that have a key of one of some forms; of
        several the one whose form comes first, of several of that the last in the index."""
        marks = ",".join("?" * len(forms))
        query = f"SELECT name, form, key, exact FROM name_key WHERE form IN ({marks})"
        rows = (record(NameKey, row) for row in self._db.execute(query, [*forms]))
        ranked = sorted(rows, key=lambda row: -forms.index(row.form))
        return {row.name: row.exact for row in ranked}

    def similar(self, key: str, forms: Sequence[str], most_longer: int) -> list[NameKey]:
        """Return the keys that may be alike to a key, in no order; the caller compares them.

        They are those that have one of the key's rarest grams (three adjacent characters), or two
        if the key is long: so the keys that differ in one place are among them. A key none of whose
        grams is in the index gives an empty list.

        key: of the name that is looked for; an empty key gives an empty list.
        forms: the forms of keys that count.
        most_longer: by how many characters the keys may be longer or shorter.
        """
        grams = self._rarest_grams(indexed_key(key)) if key else []
        if not grams:
            return []
        query = _at_least_two(grams) if len(key) >= _LONG else _any(grams)
        rows = self._db.execute(
            "SELECT k.name, k.form, k.key, k.exact FROM name_gram CROSS JOIN name_key k "
            "ON k.id = name_gram.rowid WHERE name_gram MATCH ? "
            "AND name_gram.rowid >= ? AND name_gram.rowid < ? "
            f"AND k.form IN ({','.join('?' * len(forms))})",
            (
                query,
                first_row_id(len(key) - most_longer),
                first_row_id(len(key) + most_longer + 1),
                *forms,
            ),
        )
        return [record(NameKey, row) for row in rows]

    def beginning(self, key: str, forms: Sequence[str], most: int) -> list[NameKey]:
        """Return keys that begin with a key, the shortest first, `most` at most.

        key, forms: as for `similar`.
        """
        grams = self._rarest_grams(f"{_BEFORE}{key}") if key else []
        if not grams:
            return []
        rows = self._db.execute(
            "SELECT k.name, k.form, k.key, k.exact FROM name_gram CROSS JOIN name_key k "
            "ON k.id = name_gram.rowid WHERE name_gram MATCH ? AND substr(k.key, 1, ?) = ? "
            f"AND k.form IN ({','.join('?' * len(forms))}) ORDER BY name_gram.rowid LIMIT ?",
            (" AND ".join(map(_quoted, grams)), len(key), key, *forms, most),
        )
        return [record(NameKey, row) for row in rows]

    def _rarest_grams(self, indexed: str) -> list[str]:
        """Return the rarest of the three adjacent characters of an indexed key that are in the
        index, the rarest first, then by characters; _GRAMS_LOOKED_UP at most, of its first
        LONGEST_KEY characters."""
        ends = range(_GRAM, min(len(indexed), LONGEST_KEY) + 1)
        grams = dict.fromkeys(indexed[end - _GRAM : end] for end in ends)
        counted: list[tuple[int, str]] = []
        for gram in grams:
            row = self._db.execute(
                "SELECT doc FROM name_gram_count WHERE term = ?", (gram,)
            ).fetchone()
            if row:
                counted.append((row[0], gram))
        return [gram for _, gram in sorted(counted)[:_GRAMS_LOOKED_UP]]


def _any(grams: Sequence[str]) -> str:
    """Return the query for keys that have any of some grams."""
    return " OR ".join(map(_quoted, grams))


def _at_least_two(grams: Sequence[str]) -> str:
    """Return the query for keys that have two of some grams; for those that have it, if one."""
    if len(grams) == 1:
        return _any(grams)
    return " OR ".join(
        f"({_quoted(gram)} AND ({_any(grams[index:])}))"
        for index, gram in enumerate(grams[:-1], start=1)
    )


def _quoted(gram: str) -> str:
    return '"{}"'.format(gram.replace('"', '""'))
