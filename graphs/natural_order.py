"""A sort key by which numbers in a text sort by value: rules, editions."""

from __future__ import annotations

import re

NaturalKey = list[tuple[int, int, str]]
# No rule or edition has a number of more than 15 digits; without a bound, one of thousands of
# digits is more than `int` takes.
_PARTS = re.compile(r"\d{1,15}|\D")


def natural_key(text: str) -> NaturalKey:
    """Return a sort key that compares the numbers in a text by value, and the rest by letters.

    Numbers stand before letters, and `01` is equal to `1`. Of more than 15 digits, each 15 are a
    number of their own.

    >>> sorted(["704.10", "704.9b", "704.9"], key=natural_key)
    ['704.9', '704.9b', '704.10']
    """
    return [
        (0, int(part), "") if part[0].isdecimal() else (1, 0, part) for part in _PARTS.findall(text)
    ]
