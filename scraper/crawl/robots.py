"""Parsers of robots.txt and of robots directives (`noindex`, `nofollow`) in pages and headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

NAME = "sansho"
LARGEST = 512 << 10  # bytes; the standard asks for at least 500 KiB to be read


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in the robots.txt of one host, as they apply to this crawler.

    parsed: the parsed robots.txt.
    """

    parsed: Protego

    def allow(self, url: str) -> bool:
        """Whether this crawler may ask for an address, which must be on the host of the rules.

        url: the whole address, with its scheme and host.
        """
        return bool(self.parsed.can_fetch(url, NAME))

    @property
    def delay(self) -> float:
        """The least seconds between two requests that the host asks for; 0 if it does not."""
        rate = self.parsed.request_rate(NAME)
        rate_delay = rate.seconds / rate.requests if rate and rate.requests else 0.0
        return max(float(self.parsed.crawl_delay(NAME) or 0.0), rate_delay)


def parse_rules(text: str) -> Rules:
    """Parse the text of a robots.txt; an empty text allows everything.

    >>> here = parse_rules("User-agent: *\\nDisallow: /private\\nCrawl-delay: 5")
    >>> here.allow("http://a.jp/private/x"), here.allow("http://a.jp/x"), here.delay
    (False, True, 5.0)
    """
    from protego import Protego

    return Rules(Protego.parse(text))


def parse_directives(contents: list[str]) -> frozenset[str]:
    """Return which of `noindex` and `nofollow` stand in robots meta tags or X-Robots-Tag headers.

    contents: the contents of the tags and the values of the headers, without the headers' name.
        `none` stands for both words; case is ignored, and so is what is meant for another crawler
        and every other directive.

    >>> sorted(parse_directives(["NOINDEX,NOFOLLOW", "googlebot: none"]))
    ['nofollow', 'noindex']
    """
    directives: set[str] = set()
    for content in contents:
        agent, colon, rest = content.partition(":")
        if colon and agent.strip().lower() not in {NAME, "unavailable_after", "max-snippet"}:
            continue  # meant for another crawler
        words = {word.strip().lower() for word in (rest if colon else content).split(",")}
        directives |= {"noindex", "nofollow"} if "none" in words else words
    return frozenset(directives & {"noindex", "nofollow"})
