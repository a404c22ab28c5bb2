"""Finds what is wrong with the file of a graph: its checksum, SQLite's own checks, and its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from graphs.errors import StoreError
from graphs.store.file_checks import check_schema
from graphs.store.file_digest import DAMAGED, is_damaged
from graphs.store.reader import Store
from graphs.store.row_checks import RowError
from graphs.store.untrusted_file import one_line, open_untrusted
from graphs.store.validation import Damage, faults


def find_damage(file: Path) -> tuple[Damage, ...]:
    """Return what is wrong with the file of a knowledge base; nothing if it is whole.

    The whole file is read, so that its checksum, and SQLite's own check of its pages, tell any
    change since it was built. Where it was made right again, or to say what is damaged, the rows
    are checked: types, words of closed vocabularies, keys of other rows, spans of texts, JSON, and
    whether the search index has the same passages as the texts.

    Raises StoreError if there is no file, or none of this version of sansho.

    """
    found: list[Damage] = []
    if is_damaged(file):
        found.append(Damage("file", DAMAGED))
    else:
        try:
            Store(file).close()  # raises what is to be said of other files
        except StoreError as error:
            if not isinstance(error.__cause__, RowError):
                raise
    try:
        with closing(open_untrusted(file)) as db:
            check_schema(db, file)  # a view could give rows without end
            found += faults(db)
    except (sqlite3.Error, StoreError, ValueError) as error:
        found.append(Damage("file", one_line(error)))
    return tuple(found)
