"""The order of the editions of a book: by their dates, or else by their versions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from graphs.natural_order import NaturalKey, natural_key

UNDATED = "undated"  # an edition of which nothing is known
# A day of 1900 to 2099 as eight digits at the end, with no digit before it: other numbers of eight
# digits are versions.
_DATE = re.compile(r"(?:.*\D)?(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
EditionKey = tuple[int, NaturalKey]


def edition_key(edition: str | None) -> EditionKey:
    """Return a sort key by which the editions of a rulebook, or of a document beside it, stand in
    their order, the oldest first. Nothing else in sansho puts editions in an order.

    What says nothing of itself (None, an empty text, what ends in `undated`) is the oldest, then
    come versions by the values of their numbers, then dates: what ends in a day, whatever stands
    before it, so that two editions of one day are equal.

    >>> sorted(["1.10", "20240101", "1.9", "undated", "mtr-20250101"], key=edition_key)
    ['undated', '1.9', '1.10', '20240101', 'mtr-20250101']
    """
    return _key(edition or "")


@lru_cache(1 << 12)  # more than the books of a file have editions; what falls out is read again
def _key(edition: str) -> EditionKey:
    if not edition or edition.endswith(UNDATED):
        return 0, natural_key(edition)
    is_dated = _DATE.fullmatch(edition) is not None
    return 1 + is_dated, natural_key(edition[-8:] if is_dated else edition)


def in_order(editions: Iterable[str], newest_first: bool = False) -> list[str]:
    """Return editions without repetition in the order of `edition_key`, the oldest first, or the
    newest; those of one day in that of their names. Empty ones are left out.

    >>> in_order(["1.10", "", "1.9", "1.10"]), in_order(["1.9", "1.10"], newest_first=True)
    (['1.9', '1.10'], ['1.10', '1.9'])
    """
    named = sorted({each for each in editions if each})
    return sorted(named, key=edition_key, reverse=newest_first)
