"""Takes from a Python process what only Linux has. A test copies this file into a folder of its own
as `sitecustomize.py`, so that all processes of a run begin with it.

What macOS and Windows do otherwise is imitated by an audit hook, which sees what Python asks of the
system: no module of Unix, no fork, no links, nothing outside the folder of the run is written, no
name that Windows does not take, and what is open is neither deleted nor replaced.
"""

# ruff: noqa: PTH109, PTH112, PTH118, PTH123, PTH206
# pathlib would be loaded into every process.

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from typing import Any

# Not `posix`, by which `os` itself works.
UNIX_MODULES = {"fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty"}
# Not SIGKILL, by which `subprocess` here does what it does by a handle on Windows.
_SIGNALS = ("SIGALRM", "SIGHUP", "SIGPIPE", "SIGPROF", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGXFSZ",
            "alarm", "setitimer", "ITIMER_PROF", "ITIMER_REAL", "ITIMER_VIRTUAL", "pthread_kill",
            "sigwait", "pthread_sigmask")  # fmt: skip
_OF_OS = ("chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getuid",
          "killpg", "mkfifo", "nice", "posix_fadvise", "sched_getaffinity", "sched_setaffinity",
          "sendfile", "setsid", "statvfs",  "O_CLOEXEC", "O_DIRECTORY",
          "O_NOFOLLOW", "O_NONBLOCK")  # fmt: skip
_NEVER = {"os.fork", "os.forkpty", "os.link", "os.symlink", "os.chown", "os.mkfifo"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_OWN = os.path.realpath(os.environ.get("ELSEWHERE_FOLDER", os.curdir))
_BAD_NAME = re.compile(
    r'[<>:"|?*\\\0-\x1f]|[ .]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)', re.IGNORECASE
)
# Of the system, not of the program: `/proc` is asked here which files are open.
_proc, _readlink, _listdir = "/proc/self/fd", os.readlink, os.listdir


def _open_files() -> set[str]:
    found = set()
    for number in _listdir(_proc):
        try:
            found.add(_readlink(f"{_proc}/{number}"))
        except OSError:  # that of the list itself
            continue
    return found


def _whole(path: Any, folder: int = -1) -> str:
    """Return the path of an event: it may be relative to an open folder, as `shutil` does it."""
    start = _readlink(f"{_proc}/{folder}") if folder >= 0 else os.getcwd()
    return os.path.normpath(os.path.join(start, os.fsdecode(path)))


def _check_written(path: Any) -> None:
    if isinstance(path, int) or os.fspath(path) == os.devnull:
        return
    whole = os.path.realpath(_whole(path))
    if not f"{whole}{os.sep}".startswith(_OWN + os.sep):
        raise AssertionError(f"written outside the folder: {whole}")
    if any(_BAD_NAME.search(part) for part in whole[len(_OWN) + 1 :].split(os.sep)):
        raise OSError(22, f"a name that Windows does not take: {whole}")


def _check_closed(path: Any, folder: int = -1) -> None:
    whole = _whole(path, folder)
    if whole in _open_files():
        raise PermissionError(13, "used by a process: Windows does not move or delete it", whole)


def _fsync(descriptor: int, fsync: Any = os.fsync) -> None:
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as file:
        flags = next(int(line.split()[1], 8) for line in file if line.startswith("flags:"))
    if not flags & (os.O_WRONLY | os.O_RDWR):
        raise OSError(9, "Windows flushes no file that is open for reading alone")
    fsync(descriptor)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event == "import" and args[0] in UNIX_MODULES:
        raise ModuleNotFoundError(f"No module named {args[0]!r}", name=args[0])
    if event in _NEVER:
        raise AssertionError(f"{event} is not there on every system")
    if event == "open":
        if args[1] is None and os.path.isdir(args[0]):
            raise PermissionError(13, "Windows opens no folder", args[0])
        if isinstance(args[2], int) and args[2] & _WRITES:
            _check_written(args[0])
    elif event in {"os.mkdir", "os.truncate"}:
        _check_written(args[0])
    elif event == "os.rename":  # of `replace`, too
        _check_closed(args[0], args[2])
        _check_closed(args[1], args[3])
        _check_written(args[1])
    elif event == "os.remove":
        _check_closed(args[0], args[1])


def take_away() -> None:
    for name in _SIGNALS:
        if hasattr(signal, name):
            delattr(signal, name)
    for name in _OF_OS:
        if hasattr(os, name):
            delattr(os, name)
    for name in UNIX_MODULES:
        sys.modules.pop(name, None)
    os.fsync = _fsync
    shutil._use_fd_functions = False  # type: ignore[attr-defined]  # folders are not opened
    sys.addaudithook(_hook)


if "ELSEWHERE_FOLDER" in os.environ:
    take_away()
