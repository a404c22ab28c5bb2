"""Writes editions as people do: those of eight digits are dates."""

from __future__ import annotations

import re

# A word of eight digits that could begin with a year, as in the names of editions; month and day
# are not looked at.
_DATE = re.compile(r"(?<!\w)((?:19|20)\d\d)(\d\d)(\d\d)(?!\w)")


def edition_date(editions: str | None) -> str:
    """Return an edition, or several with commas between them, with those of eight digits as dates,
    also behind the name of a document: `mtr-2025-01-01`. All else stays; None gives an empty text.

    >>> edition_date("20231117, 20240730"), edition_date("2.1"), edition_date(None)
    ('2023-11-17, 2024-07-30', '2.1', '')
    """
    return _DATE.sub(r"\1-\2-\3", editions or "")
