"""Sort keys: numbers in texts by value, editions by date or version, languages by preference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_FIRST = ("ja", "en")  # the languages of most pages and books, and of the termbase's readers
LanguageKey = tuple[int, str]


def language_key(lang: str | None) -> LanguageKey:
    """Return a sort key by which what is in a language stands before the same in others: Japanese,
    English, then the others by their codes; None, for what has no language, is last.

    >>> sorted(["zh", "en", None, "de", "ja"], key=language_key)
    ['ja', 'en', 'de', 'zh', None]
    """
    place = _FIRST.index(lang) if lang in _FIRST else len(_FIRST) + (lang is None)
    return place, lang or ""


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
