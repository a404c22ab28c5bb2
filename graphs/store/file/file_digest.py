"""Tells whether the file of a graph is damaged, by the checksum that a build puts at its end.

Which large files were found whole is remembered, so that not every command reads all of them: in
one small file in the person's cache folder. A file counts as known if its device, inode, size and
times of change are those of when it was read: the time of the last change of its status (`ctime`)
can't be set back. It is remembered only if it had been left alone for a while before it was read,
since a file that changes twice within the clock's step has the same times. Where the memory can't
be read or written, every file is unknown and nobody is told. What stands in it is only ever
compared with a line that is made here, so that damage to it costs time alone.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

from graphs.errors import StoreError
from graphs.store.file.schema import APPLICATION, VERSION, application_and_version, checksum_matches

DAMAGED = "damaged, or changed by another program (its checksum does not match)"
# Up to this size every file is read whenever it is opened: at 5 GB a second that takes 2 ms.
_ALWAYS_READ = 8 << 20  # bytes
_LEFT_ALONE = 2_000_000_000  # nanoseconds; no file system's clock has larger steps
# Of what is remembered, lines for more than 200 files; when they are used up it begins anew. It is
# read whenever a large file is opened, so it stays small.
_MOST_BYTES = 16_384
_FILE = "verified"
_FLAG_NAMES = ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")  # where there are such
_FLAGS = sum(getattr(os, flag, 0) for flag in _FLAG_NAMES)


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
        if may_remember and _is_known(found):
            return False
        began = time.time_ns()
        matches = checksum_matches(file)
        if matches is None:
            file.seek(0)  # its header says whether it is of this version
            return application_and_version(file) == (APPLICATION, VERSION)
        if matches and may_remember and _same(found, os.fstat(file.fileno())):
            _remember(found, began)
        return not matches


def _same(before: os.stat_result, after: os.stat_result) -> bool:
    """Whether a file did not change between two looks at it, by its size and times."""
    return (before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_size,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )


def _is_known(found: os.stat_result) -> bool:
    """Whether a file was found whole and has not changed since; False if what is remembered can't
    be read or is too long. found: its status, as it is open."""
    try:
        descriptor = os.open(_memory_path(), os.O_RDONLY | _FLAGS)
    except OSError:
        return False
    try:
        if _size_of_own(descriptor) > _MOST_BYTES:
            return False
        return _line(found) in os.read(descriptor, _MOST_BYTES).splitlines()
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _remember(found: os.stat_result, began: int) -> None:
    """Remember a file as whole, unless it changed just before it was read.

    found: its status, the same before and after it was read.
    began: when reading began, in nanoseconds since the epoch.
    """
    if began - max(found.st_mtime_ns, found.st_ctime_ns) < _LEFT_ALONE:
        return
    try:
        path = _memory_path()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS, 0o600)
    except OSError:
        return
    try:
        # A line is written at once, so that several processes may do it at the same time.
        line = b"\n" + _line(found) + b"\n"
        if _size_of_own(descriptor) + len(line) > _MOST_BYTES:
            os.ftruncate(descriptor, 0)
        os.write(descriptor, line)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _line(found: os.stat_result) -> bytes:
    """Return the line that stands for a file, by its device, inode, size and times, without the
    line's end. A half of it is no line of any file."""
    numbers = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return b"whole %d %d %d %d %d ." % numbers


def _size_of_own(descriptor: int) -> int:
    """Return the size of the memory that is open; OSError unless it is a file of this person."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError("no file")
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise OSError("another person's file")
    return found.st_size


def _memory_path() -> Path:
    """Return where the memory is kept: `sansho/verified` in the person's cache folder, as the
    system has it; OSError if there is none. The file need not be there."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        cache = Path(folder)
    elif sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA", ""))
    elif sys.platform == "darwin":
        cache = Path(os.environ.get("HOME", ""), "Library", "Caches")
    else:
        cache = Path(os.environ.get("HOME", ""), ".cache")
    if not cache.is_absolute():
        raise OSError("no cache folder")
    return cache / "sansho" / _FILE
