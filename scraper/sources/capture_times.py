"""Parses times as manifests, servers, feeds and web archives state them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_OF_ARCHIVES = re.compile(r"\d{14}", re.ASCII)  # year to second, as in the paths of web archives


def timestamp(stated: str) -> float | None:
    """Return a time in seconds since 1970; None for a text that is none. A date alone is its
    midnight; without a time zone it is in UTC, whatever that of the machine.

    stated: in ISO 8601, as in an HTTP header, or as web archives number their captures
        (`20260501093000`, in UTC).

    >>> timestamp("1970-01-02T00:00:00Z"), timestamp("Fri, 02 Jan 1970 00:00:00 GMT")
    (86400.0, 86400.0)
    >>> timestamp("19700102000000"), timestamp("2026-02-31")
    (86400.0, None)
    """
    if _OF_ARCHIVES.fullmatch(stated):
        stated = f"{stated[:8]}T{stated[8:]}Z"
    try:
        return _in_utc(datetime.fromisoformat(stated))
    except (ValueError, OverflowError):
        pass
    from email.utils import parsedate_to_datetime  # slow to import, and seldom needed

    try:
        return _in_utc(parsedate_to_datetime(stated))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _in_utc(time: datetime) -> float:
    """Return a time in seconds since 1970; without a time zone it is taken for one in UTC."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
