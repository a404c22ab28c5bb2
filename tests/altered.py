"""Changes rows of a knowledge base as its own program would: its checksum is right again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from graphs.store.file.schema import append_trailer, drop_trailer


@contextmanager
def altering(path: Path, without_checksum: bool = False) -> Iterator[sqlite3.Connection]:
    """Give a connection to a knowledge base, to write; what is written is committed at the end.

    without_checksum: whether the file is left without one, as older versions made it.
    """
    drop_trailer(path)
    with closing(sqlite3.connect(path)) as db, db:
        yield db
    if not without_checksum:
        append_trailer(path)
