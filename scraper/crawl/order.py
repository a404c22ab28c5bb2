"""What a crawl is to do."""

from __future__ import annotations

from dataclasses import dataclass

from scraper.crawl.urls import Scope
from scraper.crawl.wiki import Wiki


@dataclass(frozen=True, slots=True)
class Order:
    """What a crawl is to do. `wiki` is the named site, `whole` that all of its pages are meant."""

    scope: Scope
    depth: int
    most: int
    delay: float
    source: bool
    wiki: Wiki | None = None
    whole: bool = False
