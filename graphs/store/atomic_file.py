"""A file that is replaced whole or not at all: written beside the old one, under a lock."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from graphs.errors import StoreError

_UNFINISHED = ".building"


@contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Be the only one who writes a file.

    Raises StoreError if another build holds the file, if there is no place to write, or if
    the disk fills meanwhile; the old file is untouched then, as it is on an interrupt.
    """
    if path.is_dir():
        raise StoreError(f"{path}: a folder; name a file for the knowledge base")
    if not path.parent.is_dir():
        raise StoreError(f"{path.parent}: no such folder to keep the knowledge base in")
    lock = FileLock(path.parent / f".{path.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if not Path(lock.lock_file).exists():
            raise StoreError(f"{path.parent}: no file can be made there") from None
        raise StoreError(f"{path}: another build is writing it; wait for it, or use --kb") from None
    except OSError as error:
        raise StoreError(f"{path}: can't be written: {error.strerror}") from None
    try:
        for other in path.parent.iterdir():
            if other.name.startswith(f".{path.name}.") and other.name.endswith(_UNFINISHED):
                other.unlink(missing_ok=True)  # of a build that was killed: the lock is ours
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path}: can't be written: {error}; what was there is kept") from error
    except OSError as error:
        what = error.strerror or error
        raise StoreError(f"{path}: can't be written: {what}; what was there is kept") from error
    finally:
        lock.release()


@contextmanager
def replacing(path: Path, copy: bool) -> Iterator[Path]:
    """The file to write in the place of `path`, empty or a copy of it; it takes that place when
    the `with` ends well, and is gone if it does not. The file must be `locked`."""
    handle, name = tempfile.mkstemp(_UNFINISHED, f".{path.name}.", path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        if copy:
            shutil.copyfile(path, unfinished)
        yield unfinished
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
