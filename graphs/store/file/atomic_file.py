"""Atomic file replacement under a lock: a temporary file takes the place of the old one.

Temporary files and lock files are deleted at the end of the process, too (`atexit`): so a program
whose handler of a signal runs what is registered there leaves none behind. What a process that was
killed left is deleted by the next that writes the same file.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from graphs.errors import StoreError

_BUILD_SUFFIX = ".building"
_SCRATCH_SUFFIX = ".merging"
_OUTPUT_SUFFIX = ".writing"  # of what a person names as output; it is locked while it is written
# Seconds, for a lock file that goes away just when it is opened, which takes far less. By hand:
# higher lets a person wait for nothing where another build holds the lock.
_MOST_WAIT = 0.1


@contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Hold the lock for writing a file. Does not wait for another build to end.

    Deletes the temporary files that killed builds of the same file left beside it, and in the end
    what this one left, with the lock file.

    Raises StoreError if another build holds the lock, if there is no place to write, or if
    writing fails inside the `with` block, such as on a full disk. The file itself is not touched:
    with `replacing` the old one stays whole then, and also when the process is interrupted.
    """
    if path.is_dir():
        raise StoreError(f"{path}: a folder; name a file for the knowledge base")
    if not path.parent.is_dir():
        raise StoreError(f"{path.parent}: no such folder to keep the knowledge base in")
    lock = FileLock(path.parent / f".{path.name}.lock")
    delete = partial(_delete_lock_file, lock)
    atexit.register(delete)
    try:
        lock.acquire(timeout=_MOST_WAIT, poll_interval=_MOST_WAIT / 10)
        _delete_temporaries(path)  # of a build that was killed
        yield
    except Timeout:
        raise StoreError(
            f"{path}: another build is writing it; wait for it, or build another file"
        ) from None
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path}: can't be written: {error}; what was there is kept") from error
    except OSError as error:
        what = error.strerror or error
        raise StoreError(f"{path}: can't be written: {what}; what was there is kept") from error
    finally:
        if lock.is_locked:  # who was interrupted while it cleaned up left something
            with suppress(OSError):
                _delete_temporaries(path)
        delete()
        lock.release()
        atexit.unregister(delete)


def _delete_lock_file(lock: FileLock) -> None:
    """Delete the file of a lock that is held; else do nothing.

    It is deleted while the lock is held: who opened the file before that and locks it afterwards
    sees that it has no name any more (filelock looks), and takes the next one. Windows does not let
    go of an open file; there filelock deletes it after its release.
    """
    if lock.is_locked:
        with suppress(OSError):
            Path(lock.lock_file).unlink()


def _delete_temporaries(path: Path) -> None:
    """Delete what builds of a file left beside it. The lock is held: no other can be running."""
    for file in _temporaries(path, _BUILD_SUFFIX):
        file.unlink(missing_ok=True)
    for folder in _temporaries(path, _SCRATCH_SUFFIX):
        shutil.rmtree(folder)


def _temporaries(path: Path, suffix: str) -> list[Path]:
    """Return the temporary files beside a file that are to replace it, of any process; not those
    of a file whose name only begins like its name."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}{re.escape(suffix)}")
    return [file for file in path.parent.iterdir() if name.fullmatch(file.name)]


def _temporary_name(path: Path, suffix: str) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{suffix}")


@contextmanager
def replacing(path: Path, copy: bool) -> Iterator[Path]:
    """Give the path of a temporary file, which replaces `path` when the `with` block ends.

    If the block raises, the temporary file is deleted and `path` stays as it is. Who copies the
    old file must hold its `write_lock`.

    copy: whether the temporary file starts as a copy of `path`; else it is empty.
    """
    with _temporary(path, _BUILD_SUFFIX) as temporary:
        if copy:
            shutil.copyfile(path, temporary)
        yield temporary
        _replace(temporary, path)


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Give a new folder beside a file that is built, for temporary files. It is deleted in the end,
    or by the `write_lock` of the next build, if this process is killed."""
    folder = _temporary_name(path, _SCRATCH_SUFFIX)
    delete = partial(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(delete)
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        delete()
        atexit.unregister(delete)


@contextmanager
def open_output(out: str | Path) -> Iterator[BinaryIO]:
    """Open what a person names as output, for bytes: standard output for `-`, a device as it is,
    or a file that replaces an old one when the `with` block ends. A link is followed.

    If the block raises, an old file stays as it is. Raises StoreError if it can't be written, and
    for any OSError of the block; only BrokenPipeError is raised as it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_output(f"{folder}/x") as output:
    ...         length = output.write(b"whole")
    ...     Path(folder, "x").read_bytes()
    b'whole'
    """
    try:
        if str(out) == "-":
            yield sys.stdout.buffer
            return
        path = Path(os.path.realpath(out))
        if path.exists() and not path.is_file():
            with path.open("wb") as device:
                yield device
            return
        _delete_abandoned(path)
        with _temporary(path, _OUTPUT_SUFFIX) as temporary:
            with temporary.open("wb") as file:
                with suppress(OSError):  # some file systems have no locks
                    _try_lock(file)  # for `_delete_abandoned` of other processes
                yield file
            _replace(temporary, path)
    except BrokenPipeError:  # the reader of standard output, such as `head`, has had enough
        raise
    except OSError as error:
        raise StoreError(f"{out}: can't be written: {error.strerror or error}") from error


@contextmanager
def _temporary(path: Path, suffix: str) -> Iterator[Path]:
    """Give a new file beside `path`, which is deleted in the end if it is still there.

    If it is to replace another, only its owner can read it until then. If not, its mode follows the
    umask: the system applies that when it makes a file, and to read it a process would have to
    change it, also for its threads that make files meanwhile.
    """
    mode = 0o600 if path.exists() else 0o666
    # The name is known before the file is there: so none is left behind at any moment.
    temporary = _temporary_name(path, suffix)
    delete = partial(_delete, temporary)
    atexit.register(delete)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode))
        yield temporary
    finally:
        delete()
        atexit.unregister(delete)


def _delete(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def _replace(temporary: Path, path: Path) -> None:
    """Let a whole temporary file take the place of another, with its mode and owner, and last
    through a power cut."""
    _sync(temporary, os.O_RDWR)  # Windows flushes no file that is open for reading alone
    with suppress(FileNotFoundError):
        _take_access(temporary, path.stat())
    temporary.replace(path)
    with suppress(OSError):  # not every system can sync a folder
        _sync(path.parent, os.O_RDONLY)


def _delete_abandoned(path: Path) -> None:
    """Delete the temporary files of outputs to `path` whose process was killed."""
    for file in _temporaries(path, _OUTPUT_SUFFIX):
        with suppress(OSError):
            with file.open("rb") as left:
                is_abandoned = _try_lock(left)
            if is_abandoned:  # closed by now, as Windows deletes no open file
                file.unlink()


def _try_lock(file: BinaryIO) -> bool:
    """Lock an open file until it is closed; return whether nobody had done so by another opening.

    On Windows, which does not delete an open file, it is True, and nothing is locked. Raises
    OSError where the file system has no locks.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take_access(temporary: Path, old: os.stat_result) -> None:
    """Give a file the mode of the one that it is to replace; its group and owner too, where the
    system lets this process do so. In another group, the group gets no rights."""
    if hasattr(os, "chown"):  # not on Windows
        for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
            with suppress(OSError):
                os.chown(temporary, owner, group)
    is_of_group = temporary.stat().st_gid == old.st_gid
    temporary.chmod(stat.S_IMODE(old.st_mode) & (0o777 if is_of_group else 0o707))


def _sync(path: Path, flags: int) -> None:
    """Flush a file or a folder to the disk. flags: how it is opened for that."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
