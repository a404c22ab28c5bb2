"""Keeps the number of warnings about one source small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from scraper.page import ReadWarning
from scraper.sources import limits

Found = TypeVar("Found")


def with_few_warnings(found: Iterator[Found], where: str) -> Iterator[Found | ReadWarning]:
    """Yield everything that is found, but at most `limits.WARNINGS` warnings, and one more that
    counts the rest: what a stranger made may have millions.

    where: what that warning gives as the place.
    """
    count = 0
    for one in found:
        count += isinstance(one, ReadWarning)
        if count <= limits.WARNINGS or not isinstance(one, ReadWarning):
            yield one
    if count > limits.WARNINGS:
        rest = count - limits.WARNINGS
        yield ReadWarning(where, f"{rest} more warnings, as only {limits.WARNINGS} are kept")
