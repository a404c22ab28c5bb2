"""The settings of one crawl, as `scraper.crawl.crawl` makes them from its arguments."""

from __future__ import annotations

from dataclasses import dataclass

from scraper.crawl.urls import Scope
from scraper.crawl.wiki_endpoints import WikiEndpoints


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
