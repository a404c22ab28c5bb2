"""Values for a query, as many at a time as every SQLite takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")
_MOST = 400  # some queries name each value twice


def batches(values: Iterable[Value]) -> Iterator[list[Value]]:
    """The values, some at a time.

    >>> [len(batch) for batch in batches(range(402))]
    [400, 2]
    """
    rest = iter(values)
    while batch := list(islice(rest, _MOST)):
        yield batch
