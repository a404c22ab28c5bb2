"""Atomic file replacement under a lock: a temporary file takes the place of the old one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from graphs.errors import StoreError

_TEMPORARY_SUFFIX = ".building"
_MOST_WAIT = 0.1  # seconds, for a lock file that goes away just when it is opened


@contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Hold the lock for writing a file. Does not wait for another build to end.

    Deletes the temporary files that killed builds of the same file left beside it, and in the end
    the lock file.

    Raises StoreError if another build holds the lock, if there is no place to write, or if
    writing fails inside the `with` block, such as on a full disk. The file itself is not touched:
    with `replacing` the old one stays whole then, and also when the process is interrupted.
    """
    if path.is_dir():
        raise StoreError(f"{path}: a folder; name a file for the knowledge base")
    if not path.parent.is_dir():
        raise StoreError(f"{path.parent}: no such folder to keep the knowledge base in")
    lock = FileLock(path.parent / f".{path.name}.lock")
    try:
        lock.acquire(timeout=_MOST_WAIT, poll_interval=_MOST_WAIT / 10)
    except Timeout:
        raise StoreError(
            f"{path}: another build is writing it; wait for it, or use another kb=…"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: can't be written: {error.strerror}") from None
    try:
        for file in path.parent.iterdir():
            if file.name.startswith(f".{path.name}.") and file.name.endswith(_TEMPORARY_SUFFIX):
                # Left by a build that was killed: no other can be running while the lock is held.
                file.unlink(missing_ok=True)
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path}: can't be written: {error}; what was there is kept") from error
    except OSError as error:
        what = error.strerror or error
        raise StoreError(f"{path}: can't be written: {what}; what was there is kept") from error
    finally:
        # Deleted while the lock is held: who opened the file before that and locks it afterwards
        # sees that it has no name any more (filelock looks), and takes the next one. Windows does
        # not let go of an open file; there filelock deletes it after its release.
        with suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()


@contextmanager
def replacing(path: Path, copy: bool) -> Iterator[Path]:
    """Give the path of a temporary file, which replaces `path` when the `with` block ends.

    If the block raises, the temporary file is deleted and `path` stays as it is. Who copies the
    old file must hold its `write_lock`.

    copy: whether the temporary file starts as a copy of `path`; else it is empty.
    """
    descriptor, name = tempfile.mkstemp(_TEMPORARY_SUFFIX, f".{path.name}.", path.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        if copy:
            shutil.copyfile(path, temporary)
        yield temporary
        temporary.chmod(0o666 & ~_umask())  # mkstemp makes a file that only its owner can read
        _sync(temporary)
        temporary.replace(path)
        with suppress(OSError):  # not every system can sync a folder
            _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def open_output(out: str | Path) -> Iterator[BinaryIO]:
    """Open what a person names as output, for bytes: standard output for `-`, a device as it is,
    or a file that replaces an old one when the `with` block ends. A link is followed.

    If the block raises, an old file stays as it is. Raises StoreError if it can't be written.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_output(f"{folder}/x") as output:
    ...         length = output.write(b"whole")
    ...     Path(folder, "x").read_bytes()
    b'whole'
    """
    path = Path(os.path.realpath(out))
    try:
        if str(out) == "-":
            yield sys.stdout.buffer
        elif path.exists() and not path.is_file():
            with path.open("wb") as device:
                yield device
        else:
            with replacing(path, copy=False) as temporary, temporary.open("wb") as file:
                yield file
    except BrokenPipeError:  # the reader of standard output, such as `head`, has had enough
        raise
    except OSError as error:
        raise StoreError(f"{out}: can't be written: {error.strerror or error}") from error


def _umask() -> int:
    """Return the umask of the process; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync(path: Path) -> None:
    """Flush a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
