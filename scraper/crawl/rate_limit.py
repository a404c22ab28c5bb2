"""When the next request may start."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TRIES = 4
FIRST_WAIT = 1.0  # seconds; doubled with each try
LONGEST_WAIT = 120.0  # who is asked to wait longer comes back another day


class RateLimiter:
    """Keeps requests to one host apart, from start to start."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def wait(self, host: str, delay: float) -> None:
        """Sleep until a request to the host may start; the next one `delay` seconds later."""
        if (rest := self._next.get(host, 0.0) - time.monotonic()) > 0:
            time.sleep(rest)
        self._next[host] = time.monotonic() + delay  # a busy machine may have slept too long

    def hold(self, host: str, seconds: float) -> None:
        """Start nothing there for some seconds."""
        self._next[host] = max(self._next.get(host, 0.0), time.monotonic() + seconds)


def retry_after(value: str) -> float | None:
    """The seconds that a Retry-After header asks for; None where it says nothing.

    >>> retry_after("120"), retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), retry_after("soon")
    (120.0, 0.0, None)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def duration(seconds: float) -> str:
    """A length of time as people say it.

    >>> duration(90), duration(7200), duration(200000)
    ('90 seconds', '2.0 hours', '2.3 days')
    """
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 172800 else f"{seconds / 86400:.1f} days"
