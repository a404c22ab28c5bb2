"""What a site allows: its robots.txt, and the marks in its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

NAME = "sansho"
LARGEST = 512 << 10  # by the standard at least 500 KiB are read


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one host for this crawler."""

    parsed: Protego

    def allow(self, url: str) -> bool:
        """Whether an address may be asked for."""
        return bool(self.parsed.can_fetch(url, NAME))

    @property
    def delay(self) -> float:
        """The least seconds between two requests that the site asks for."""
        rate = self.parsed.request_rate(NAME)
        slow = rate.seconds / rate.requests if rate and rate.requests else 0.0
        return max(float(self.parsed.crawl_delay(NAME) or 0.0), slow)


def rules(text: str) -> Rules:
    """What a robots.txt says; an empty one allows everything.

    >>> here = rules("User-agent: *\\nDisallow: /private\\nCrawl-delay: 5")
    >>> here.allow("http://a.jp/private/x"), here.allow("http://a.jp/x"), here.delay
    (False, True, 5.0)
    """
    from protego import Protego

    return Rules(Protego.parse(text))


def marks(contents: list[str]) -> frozenset[str]:
    """The words in robots marks of a page or an answer's headers.

    >>> sorted(marks(["NOINDEX,NOFOLLOW", "googlebot: none"]))
    ['nofollow', 'noindex']
    """
    found: set[str] = set()
    for content in contents:
        agent, colon, rest = content.partition(":")
        if colon and agent.strip().lower() not in {NAME, "unavailable_after", "max-snippet"}:
            continue  # meant for another crawler
        words = {word.strip().lower() for word in (rest if colon else content).split(",")}
        found |= {"noindex", "nofollow"} if "none" in words else words
    return frozenset(found & {"noindex", "nofollow"})
