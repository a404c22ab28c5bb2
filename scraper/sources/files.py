"""Opens and lists files that strangers may have made: nothing but regular files is opened.

The path of any file is written as text that can be stored, also if its bytes are not UTF-8.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from scraper.reader_process import Frame, Reader, ReaderDiedError, read_in_child
from scraper.sources import limits

if TYPE_CHECKING:
    from scraper.page import ReadWarning

_SIGN = "\ufffd"
# What can't be stored, and the sign itself where it would be taken for one of these.
_UNSTORABLE = re.compile(f"[\ud800-\udfff\0]|{_SIGN}(?=[89A-F][0-9A-F]|00)")


def storable_path(path: str) -> str:
    """Return a path in which each byte that is not UTF-8 is written as U+FFFD and two hex digits.

    Python reads such bytes as lone surrogates, which neither UTF-8 nor SQLite can take. NUL is
    written in the same way. Different paths stay different, and one path is always written alike;
    any other path is returned as it is.

    >>> storable_path("a/\\udcff.html") == "a/\\ufffdFF.html"
    True
    >>> storable_path("a/引く.html")
    'a/引く.html'
    """
    return path if path.isascii() and "\0" not in path else _UNSTORABLE.sub(_in_hex, path)


def _in_hex(match: re.Match[str]) -> str:
    char = match[0]
    is_byte = "\udc80" <= char <= "\udcff"
    data = char.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"{_SIGN}{byte:02X}" for byte in data)


_KINDS = (
    (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"), (stat.S_ISDIR, "a folder"),
)  # fmt: skip
_NO_FILE = "{}, not a file; not read"
# Without O_NONBLOCK a pipe that has no writer is waited for; without O_BINARY Windows changes line
# ends.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
MANIFEST = "manifest.jsonl"  # states things of the files beside it and below
HIDDEN = "a hidden file; not read (name it to read it)"
# What programs keep beside pages, of which nothing needs to be said: crawls, builds and shards of
# ours, version control, systems, notebooks.
_OF_PROGRAMS = re.compile(
    r"__MACOSX|\._.*|\.crawl.*|\..+\.(?:crawl.*|lock|building|shard)|\.DS_Store|\.git.*|\.hg.*|\.svn"
    r"|\.ipynb_checkpoints",
    re.DOTALL,
)


class NoFileError(OSError):
    """Raised for a pipe, a socket, a device or a folder where a file is wanted; says which."""


def open_file(path: str | Path) -> FileIO:
    """Open a regular file, or a link to one, for reading as bytes, without a buffer.

    Nothing is waited for: a pipe without a writer is refused, too. Raises OSError if it can't be
    opened (NoFileError if it is something else), also for a path that no file can have.
    """
    try:
        number = os.open(path, _FLAGS)
    except ValueError as error:  # a NUL or a lone surrogate in it
        raise OSError(str(error)) from None
    except OSError:
        check_is_file(path)  # a socket can't even be opened
        raise
    try:
        if kind := _kind(os.fstat(number).st_mode):
            raise NoFileError(_NO_FILE.format(kind))
        return os.fdopen(number, "rb", buffering=0)
    except BaseException:
        os.close(number)
        raise


def frames_of_file(path: Path, reader: Reader, library: str) -> Iterator[Frame]:
    """Yield the frames that a reader yields for a file, in a child process.

    Where the file can't be opened, or the process dies, the last frame says `what` to warn of.

    reader: as for `read_in_child`; it gets the file, and the limits by their names.
    library: what reads the bytes, as a warning names it.
    """
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            seconds = limits.READER_SECONDS + limits.READER_SECONDS_A_MB * size // (1 << 20)
            given = [{name: value for name, value in vars(limits).items() if name.isupper()}]
            memory = limits.READER_MEMORY
            yield from read_in_child(reader, given, file, memory, seconds, library)
    except ReaderDiedError as error:
        yield {"what": f"{error}; not read from here on"}, b""
    except OSError as error:
        yield {"what": f"can't be read: {message(error)}"}, b""


def check_is_file(path: str | Path) -> None:
    """Raise NoFileError if there is something that is no regular file, and no link to one."""
    if kind := kind_of_no_file(path):
        raise NoFileError(_NO_FILE.format(kind))


def kind_of_no_file(path: str | Path) -> str:
    """Return what stands at a path, such as `a named pipe`; empty for a regular file, a link to
    one, and nothing."""
    try:
        return _kind(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return ""


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return ""
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")


def message(error: BaseException) -> str:
    """Return what went wrong, as a text for people, without the path, never empty, and of at most
    200 characters: libraries put into it what they read."""
    if isinstance(error, MemoryError):
        return "takes too much memory"
    return str(getattr(error, "strerror", None) or error).strip()[:200] or type(error).__name__


def walk(folder: Path, name: Callable[[str], str] = storable_path) -> Iterator[str | ReadWarning]:
    """Yield the paths of all regular files in a folder and below, always in the same order: those
    of a folder by name, then those of the folders in it.

    They are texts, as creating a Path takes longer than reading a file. A folder that can't be
    read gives a warning in its place, as does what is neither a file nor a folder. Links to files
    are files; links to folders are not followed, as they may lead in a circle.

    name: returns what a path is called in warnings.
    """
    # Here, as each process that reads an archive would import it and `dataclasses` (30 ms).
    from scraper.page import ReadWarning

    waiting = [str(folder)]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield ReadWarning(name(place), f"can't be read: {message(error)}")
            continue
        folders = []
        for entry in entries:
            try:
                is_folder, is_file = entry.is_dir(follow_symlinks=False), entry.is_file()
            except OSError:  # a link in a circle, for one
                is_folder = is_file = False
            if is_folder:
                folders.append(entry.path)
            elif is_file:
                yield entry.path
            elif not entry.name.startswith("."):
                yield ReadWarning(name(entry.path), _why_no_file(entry))
        waiting += reversed(folders)


def _why_no_file(entry: os.DirEntry[str]) -> str:
    """Return why an entry of a folder, which is neither a file nor a folder, is not read."""
    try:
        mode = entry.stat().st_mode
    except OSError as error:
        leads_nowhere = f"a link that leads to no file: {message(error)}; not read"
        return leads_nowhere if entry.is_symlink() else f"can't be read: {message(error)}"
    if stat.S_ISDIR(mode):
        return "a link to a folder; not followed (name that folder to read it)"
    return _NO_FILE.format(_kind(mode))


def is_hidden(path: str) -> bool:
    """Whether a file, or a folder that it is in, is hidden: its name begins with a dot, or is one
    that programs give (`__MACOSX`).

    path: from the folder or the archive that is read, with slashes.

    >>> is_hidden("a/.b/c.html"), is_hidden("./a/b.html")
    (True, False)
    """
    parts = path.split("/")
    return any(
        (part.startswith(".") and part not in {".", ".."}) or _is_theirs(part) for part in parts
    )


def is_of_program(path: str) -> bool:
    """Whether a hidden file is a program's own, which no person would miss, by its name or that of
    a folder that it is in.

    >>> is_of_program(".git/config"), is_of_program(".引く.wiki")
    (True, False)
    """
    return any(map(_is_theirs, path.split("/")))


def _is_theirs(name: str) -> bool:
    return _OF_PROGRAMS.fullmatch(name) is not None
