"""How far a build is: its phase, and how much of that is done, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import TypeVar

Things = TypeVar("Things", bound=Sized)


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build is.

    phase: what is being done, in a few words, such as `reading`.
    done: how many things (files, pages of a dump, passages) are done in this phase.
    total: how many there are in this phase; None if that is not known.
    place: the file, or the place in it, that is being read; empty if none is.
    """

    phase: str
    done: int = 0
    total: int | None = None
    place: str = ""


Watcher = Callable[[BuildProgress], None]


class ProgressReporter:
    """Tells a watcher how far a build is; without a watcher all of its methods do nothing.

    >>> seen = []
    >>> reporter = ProgressReporter(seen.append)
    >>> reporter.begin("reading", total=2)
    >>> reporter.advance(place="a.html")
    >>> seen[-1]
    BuildProgress(phase='reading', done=1, total=2, place='a.html')
    """

    def __init__(self, watcher: Watcher | None = None) -> None:
        """watcher: called with each `BuildProgress`, in the process and thread of the build."""
        self._watcher = watcher
        self._last = BuildProgress("")

    @property
    def is_watched(self) -> bool:
        """Whether anybody is told: if not, nothing need be counted."""
        return self._watcher is not None

    def begin(self, phase: str, total: int | None = None) -> None:
        """Say that another phase begins, with nothing done yet; `total` is as in BuildProgress."""
        if self._watcher:
            self._tell(BuildProgress(phase, 0, total))

    def at(self, place: str, done: int, total: int | None = None) -> None:
        """Say what is being read now, and how many were begun before it, in the same phase."""
        if self._watcher:
            self._tell(BuildProgress(self._last.phase, done, total, place))

    def advance(self, number: int = 1, place: str = "") -> None:
        """Say that some more things of the phase are done; `total` stays as it was."""
        last = self._last
        if self._watcher:
            self._tell(BuildProgress(last.phase, last.done + number, last.total, place))

    def counting(self, batches: Iterable[Things]) -> Iterator[Things]:
        """Yield batches of things, in order, and say of each that as many things as it has are
        done, when the next one is asked for."""
        for batch in batches:
            yield batch
            self.advance(len(batch))

    def _tell(self, progress: BuildProgress) -> None:
        self._last = progress
        if self._watcher:
            self._watcher(progress)
