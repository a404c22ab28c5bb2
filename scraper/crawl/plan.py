"""What a crawl is to do."""

from __future__ import annotations

from dataclasses import dataclass

from scraper.crawl.urls import Scope
from scraper.crawl.wiki_endpoints import WikiEndpoints


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """What a crawl is to do. `wiki` is the named site, `whole` that all of its pages are meant."""

    scope: Scope
    depth: int
    most: int
    delay: float
    source: bool
    wiki: WikiEndpoints | None = None
    whole: bool = False
