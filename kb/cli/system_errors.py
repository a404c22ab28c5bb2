"""Says what the operating system refused, and where."""

from __future__ import annotations

from pathlib import Path


def describe(error: OSError) -> str:
    """Return what failed and why, for a person; `the system: …` where the error names no file.

    >>> describe(FileNotFoundError(2, "No such file", "x.db"))
    'x.db: No such file'
    """
    if error.filename is None and not _has_current_folder():
        return "the current folder is no longer there; change to another"
    return f"{error.filename or 'the system'}: {error.strerror or error}"


def _has_current_folder() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True
