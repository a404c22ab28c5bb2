"""The keys of what stands on a page, from the ranges that the table `page_rows` holds."""

from __future__ import annotations

from array import array

from graphs.store.row_checks import RowError

_FIRST = 6  # numbers of rows come before the keys: two for each of three tables


def private_keys(ranges: bytes) -> tuple[int, int]:
    """Return the first key of a page's passages and of what they state, and the end, excluded.

    ranges: as the table `page_rows` holds it. RowError if it is something else.

    >>> private_keys(array("q", [0, 0, 0, 9, 9, 9, 12, 34, 35]).tobytes())
    (12, 34)
    """
    if len(ranges) < (_FIRST + 2) * 8:
        raise RowError("the rows of a page are cut off")
    first, end = array("q", ranges[_FIRST * 8 : (_FIRST + 2) * 8])
    return first, end
