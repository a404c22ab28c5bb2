"""Parses the times of captures, as manifests and servers state them."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime


def timestamp(stated: str) -> float | None:
    """Return a time in seconds since 1970; None for a text that is none.

    stated: in ISO 8601 or as in an HTTP header.

    >>> timestamp("1970-01-02T00:00:00Z"), timestamp("Fri, 02 Jan 1970 00:00:00 GMT")
    (86400.0, 86400.0)
    >>> timestamp("2026-02-31")
    """
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(stated).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return None
