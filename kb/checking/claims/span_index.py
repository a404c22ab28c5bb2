"""Finds the spans of a text near a place, in a time that does not grow with how many there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Generic, Protocol, TypeVar


class Span(Protocol):
    """Anything with a place in a text."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


T = TypeVar("T", bound=Span)


class SpanIndex(Generic[T]):
    """Spans of one text, in order of their beginnings; they may overlap."""

    def __init__(self, spans: Iterable[T]) -> None:
        self.spans = sorted(spans, key=lambda one: (one.start, -one.end))
        self._starts = [one.start for one in self.spans]
        self._ends = sorted(one.end for one in self.spans)
        # The end of the longest of all that begin up to a place tells whether any reaches so far.
        self._reach = list(accumulate((one.end for one in self.spans), max))

    def beginning_in(self, start: int, end: int) -> list[T]:
        """Return the spans that begin in [start, end], in order; those that begin at `end`, too."""
        return self.spans[bisect_left(self._starts, start) : bisect_right(self._starts, end)]

    def within(self, start: int, end: int) -> list[T]:
        """Return the spans that lie in [start, end], in order, also in each other."""
        return [one for one in self.beginning_in(start, end) if one.end <= end]

    def around(self, start: int, end: int) -> list[T]:
        """Return the spans that [start, end) lies in, the last begun first; empty without any."""
        found: list[T] = []
        index = bisect_right(self._starts, start) - 1
        while index >= 0 and self._reach[index] >= end:
            if self.spans[index].end >= end:
                found.append(self.spans[index])
            index -= 1
        return found

    def touches(self, start: int, end: int) -> bool:
        """Whether a span has a character of [start, end) in common."""
        index = bisect_left(self._starts, end)
        return index > 0 and self._reach[index - 1] > start

    def covers(self, start: int, end: int) -> bool:
        """Whether [start, end) lies in a span, all of it in one."""
        index = bisect_right(self._starts, start)
        return index > 0 and self._reach[index - 1] >= end

    def last_end(self, place: int) -> int:
        """Return where the last span ends that ends before a place or at it; 0 without one."""
        index = bisect_right(self._ends, place)
        return self._ends[index - 1] if index else 0
