"""Ends work that takes too long, or whose result nobody waits for any more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from graphs.errors import OutOfTimeError


class TimeLimit:
    """How long some work may still take; other threads may give it up before.

    seconds: from now on.

    >>> limit = TimeLimit(60)
    >>> limit.is_over
    False
    >>> limit.give_up()
    >>> limit.is_over
    True
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds
        self._is_given_up = False

    def begin(self) -> None:
        """Count the seconds from now on: what was waited for before does not count."""
        self._end = monotonic() + self.seconds

    def give_up(self) -> None:
        """Say that nobody waits for the result: the work ends at its next look."""
        self._is_given_up = True

    @property
    def is_given_up(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._is_given_up

    @property
    def is_over(self) -> bool:
        """Whether the work must end."""
        return self._is_given_up or monotonic() >= self._end


_CURRENT: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)


@contextmanager
def limited(limit: TimeLimit) -> Iterator[None]:
    """Hold all work of this thread in a `with` block to a limit: queries of a knowledge base end
    with it, and whatever calls `check_time`. In a block within another only its own limit counts.

    >>> limit = TimeLimit(0)
    >>> with limited(limit):
    ...     check_time()
    Traceback (most recent call last):
    graphs.errors.OutOfTimeError: this took longer than 0 seconds
    """
    token = _CURRENT.set(limit)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def is_out_of_time() -> bool:
    """Whether the limit of the work that calls is over; False without a limit."""
    limit = _CURRENT.get()
    return limit is not None and limit.is_over


def check_time() -> None:
    """Raise OutOfTimeError if the limit of the work that calls is over."""
    limit = _CURRENT.get()
    if limit is not None and limit.is_over:
        raise OutOfTimeError(f"this took longer than {limit.seconds:g} seconds")
