"""Serves a knowledge base for long, and opens it anew when its file was built again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from kb.api import KnowledgeBase
from kb.errors import StoreError
from kb.reason import Reason

_Signature = tuple[int, int, int, int]  # what tells a file from what it was, or what replaced it
# Builds that may end while one question waits for its base: a guard against going on for ever, as
# a build takes seconds and opening milliseconds.
_MOST_TRIES = 3


@dataclass(slots=True)
class _Opening:
    """A knowledge base as it was opened at some time: what its file was then, and how many `with`
    blocks use it now."""

    base: KnowledgeBase
    signature: _Signature | None
    users: int = 0


class ReopenedBase:
    """A knowledge base that is read for hours, while its file may be built again.

    vectors: what readers are to be told of the vectors that are being made for it; None if nothing
        is.

    Each `with served.base() as base:` gives the knowledge base as it is now, and keeps it open
    until the block ends, whatever happens to the file meanwhile. What is asked in a block is read
    once. Several threads may use it.

    >>> import kb
    >>> served = ReopenedBase(kb.sample().file)
    >>> with served.base() as base:
    ...     base.show("121.4", lang="ja").matches[0].number
    '121.4'
    >>> served.close()
    """

    def __init__(self, path: str | Path) -> None:
        """Open the file of a knowledge base; raises StoreError as `kb.open` does."""
        self._path = Path(path)
        self.vectors: Reason | None = None
        self._lock = Lock()
        self._current = self._open()

    @property
    def file(self) -> Path:
        """The file that is served."""
        return self._path

    def signature(self) -> object:
        """Return what changes when the file is built again; None if there is no file."""
        return _signature(self._path)

    @contextmanager
    def base(self) -> Iterator[KnowledgeBase]:
        """Give the knowledge base for a `with` block: that of the file as it is now.

        If a new file can't be opened (it is not complete yet, or another version of sansho made
        it), the one that was open before goes on to answer, in threads that used it already.
        Raises StoreError if there is nothing that can be read.
        """
        opening = self._take()
        try:
            with opening.base.remembering():
                yield opening.base
        finally:
            with self._lock:
                opening.users -= 1
                self._close_unused(opening)

    def close(self) -> None:
        """Close the file, for all threads; after that, `base` raises StoreError."""
        with self._lock:
            self._current.signature = None
            self._current.base.close()

    def _take(self) -> _Opening:
        """Return the current opening, with this thread connected to its file and counted as a
        user of it. Raises StoreError if that fails three times."""
        error: StoreError | None = None
        for _ in range(_MOST_TRIES):
            with self._lock:
                unopened = self._renew()
                try:
                    self._current.base.__enter__()  # connects this thread, or raises StoreError
                except StoreError as refused:  # the file was replaced since, or can't be opened
                    error = unopened or refused
                    continue
                self._current.users += 1
                return self._current
        assert error is not None
        raise error

    def _renew(self) -> StoreError | None:
        """Open the file again if it is no longer what was opened. Return the error if the new one
        can't be opened; the old one then stays."""
        before = self._current
        if before.signature in (None, _signature(self._path)):
            return None
        try:
            self._current = self._open()
        except StoreError as error:
            return error
        self._close_unused(before)
        return None

    def _open(self) -> _Opening:
        signature = _signature(self._path)  # first: of what is written while it is opened, none
        return _Opening(KnowledgeBase(self._path), signature or (0, 0, 0, 0))

    def _close_unused(self, opening: _Opening) -> None:
        """Close an opening that was replaced, if nobody uses it any more."""
        if opening is not self._current and not opening.users:
            opening.base.close()


def _signature(path: Path) -> _Signature | None:
    """Return the device, inode, time of change in nanoseconds and size of a file; None if there is
    none, or if it can't be asked for."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
