"""Keeps the number of warnings about one source small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from scraper.page import ReadWarning
from scraper.sources import limits

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class _MoreWarnings(ReadWarning):
    """A warning that counts others, which are not kept."""

    number: int = 0


def with_few_warnings(found: Iterator[Found], where: str) -> Iterator[Found | ReadWarning]:
    """Yield everything that is found, but at most `limits.WARNINGS` warnings, and one more that
    counts the rest: what a stranger made may have millions. That counts, too, what is found to
    count others.

    where: what that warning gives as the place.
    """
    count = rest = 0
    for one in found:
        if isinstance(one, _MoreWarnings):
            rest += one.number
        elif not isinstance(one, ReadWarning):
            yield one
        elif count < limits.WARNINGS:
            count += 1
            yield one
        else:
            rest += 1
    if rest:
        warnings = "warning" if rest == 1 else "warnings"
        what = f"{rest} more {warnings}, as only {limits.WARNINGS} are kept"
        yield _MoreWarnings(where, what, number=rest)
