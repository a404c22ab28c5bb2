"""Tells whether the file of a graph is damaged, by the checksum that a build puts at its end."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from graphs.errors import StoreError
from graphs.store import verified_files
from graphs.store.checksum_trailer import checksum_matches
from graphs.store.schema import APPLICATION, VERSION, application_and_version

DAMAGED = "damaged, or changed by another program (its checksum does not match)"
# Up to this size every file is read whenever it is opened: at 5 GB a second that takes 2 ms.
_ALWAYS_READ = 8 << 20  # bytes


def refuse_damaged(path: Path) -> None:
    """Raise StoreError if a file is no longer as the build that made it left it, or can't be read.

    A large file that was found whole before, and has not changed since, is not read again. Files of
    other versions of sansho, and of other programs, are let pass.
    """
    if is_damaged(path, may_remember=True):
        raise StoreError(f"{path}: {DAMAGED}; build it again")


def is_damaged(path: Path, may_remember: bool = False) -> bool:
    """Whether a file of this version of sansho is not as the build that made it left it.

    False if there is no file, or one of another version or program. Raises StoreError if it can't
    be read.

    may_remember: whether to believe what is remembered of a large file; if not, it is read.
    """
    try:
        return path.is_file() and _is_damaged(path, may_remember)
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror or error})") from None


def _is_damaged(path: Path, may_remember: bool) -> bool:
    """Whether a file is damaged; see `is_damaged`. Raises OSError if it can't be read."""
    with path.open("rb", buffering=0) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return False
        may_remember = may_remember and found.st_size > _ALWAYS_READ
        if may_remember and verified_files.is_known(found):
            return False
        began = verified_files.now()
        matches = checksum_matches(file)
        if matches is None:
            return _says_this_version(file)
        if matches and may_remember and _same(found, os.fstat(file.fileno())):
            verified_files.remember(found, began)
        return not matches


def _says_this_version(file: BinaryIO) -> bool:
    """Whether a file's header says that this version of sansho made it."""
    file.seek(0)
    return application_and_version(file) == (APPLICATION, VERSION)


def _same(before: os.stat_result, after: os.stat_result) -> bool:
    """Whether a file did not change between two looks at it."""
    return (before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_size,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )
