"""The settings of one crawl, and how long it waits: between requests, and as `Retry-After` asks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from scraper.crawl.urls import Scope
from scraper.crawl.wiki_endpoints import WikiEndpoints
from scraper.sources.capture_times import timestamp


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The settings of one crawl.

    scope: the sites that the crawl stays on.
    depth: how many links it may go from the addresses it starts with.
    most: the most pages that are asked for in a round.
    delay: the least seconds between two requests to a host.
    source: whether the wiki's source text is fetched, not its HTML.
    wiki: the endpoints of the named site, or None for addresses.
    whole: whether all pages of the named site are crawled.
    """

    scope: Scope
    depth: int
    most: int
    delay: float
    source: bool
    wiki: WikiEndpoints | None = None
    whole: bool = False


# Set by hand. Of a page: a host that is busy for a moment gives it after some seconds; more tries
# would burden one that is not well.
TRIES = 4
FIRST_WAIT = 1.0  # seconds; doubled with each try, and longer if requests are further apart
# Seconds; if a host asks for more, it is left to another run: a person may wait at the terminal.
LONGEST_WAIT = 120.0
# Seconds between two requests, if a person asks for them; a longer time is rather a mistake.
LONGEST_DELAY = 3600


class RateLimiter:
    """Keeps the starts of requests to one host apart."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}  # by host, the earliest start (`time.monotonic`)

    def wait(self, host: str, delay: float) -> None:
        """Sleep until a request to the host may start; the next may start `delay` seconds later.

        host: any text that is the same for requests to be kept apart, such as the host's name.
        """
        if (rest := self._next.get(host, 0.0) - time.monotonic()) > 0:
            time.sleep(rest)
        self._next[host] = time.monotonic() + delay  # a busy machine may have slept too long

    def hold(self, host: str, seconds: float) -> None:
        """Let no request to the host start for some seconds from now; does not sleep itself.

        A longer wait that is in force already stays.
        """
        self._next[host] = max(self._next.get(host, 0.0), time.monotonic() + seconds)


def retry_after(value: str) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, or None if it can't be parsed.

    The header holds a number of seconds or a date; a date in the past gives 0.

    >>> retry_after("120"), retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), retry_after("soon")
    (120.0, 0.0, None)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    when = timestamp(value)
    return None if when is None else max(0.0, when - datetime.now(UTC).timestamp())


def duration(seconds: float) -> str:
    """Return a length of time as text, in seconds, minutes, hours or days: in the unit of which
    there are about two or more.

    >>> duration(90), duration(7200), duration(200000)
    ('90 seconds', '2.0 hours', '2.3 days')
    """
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 172800 else f"{seconds / 86400:,.1f} days"
