"""Suggests the editions nearest to one that is not there, and says what a date is taken for."""

from __future__ import annotations

from collections.abc import Iterable

from kb.language.nearest import nearest
from kb.query.find_nodes import normalize_edition
from kb.reason import Reason, take_for


def take_edition_for(given: str, edition: str) -> None:
    """Keep for the answer that an edition was given by another date than its own: that of its file.

    given: as a person wrote it; edition: which one that is.
    """
    if edition != normalize_edition(given):
        take_for(Reason("edition_taken_for", given=given, edition=edition))


def nearest_editions(given: str, known: Iterable[str], most: int = 2) -> list[str]:
    """Return the editions that are nearest to one that is not there: of dates those before and
    behind it, else those that are written alike.

    >>> nearest_editions("20240802", ["20231117", "20240730", "20260116", "1.2"])
    ['20240730', '20231117']
    >>> nearest_editions("1.20", ["1.2", "3.1"], 1)
    ['1.2']
    """
    dates = [edition for edition in known if _is_date(edition)]
    if _is_date(given) and dates:
        dates.sort(key=lambda edition: (abs(_day(edition) - _day(given)), edition))
        return dates[:most]
    return nearest(given, known, most)


def _is_date(edition: str) -> bool:
    return len(edition) == 8 and edition.isascii() and edition.isdigit()


def _day(edition: str) -> int:
    """Return a number that grows by about one a day; any eight digits have one."""
    return int(edition[:4]) * 372 + int(edition[4:6]) * 31 + int(edition[6:])
