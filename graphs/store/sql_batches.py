"""Splits values into batches that are small enough for the parameters of one SQL query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")
# Older SQLite takes 999 parameters; some queries use each value twice, and have a few others.
_BATCH_SIZE = 400


def batches(values: Iterable[Value]) -> Iterator[list[Value]]:
    """Yield the values in their order, in lists of at most 400; none if there are no values.

    >>> [len(batch) for batch in batches(range(402))]
    [400, 2]
    """
    rest = iter(values)
    while batch := list(islice(rest, _BATCH_SIZE)):
        yield batch
