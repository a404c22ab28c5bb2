"""The lists of a named site: all its pages the first time, then what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from scraper.crawl.fetch import Answer, Skip
from scraper.crawl.plan import CrawlPlan
from scraper.crawl.queue import FETCHED, CrawlQueue, Job, QueueEntry, QueueRow
from scraper.crawl.response_view import view_response
from scraper.crawl.urls import key, origin, tidy
from scraper.crawl.wiki_endpoints import PageList, parse_page_list

_MOST_LISTED = 1_000_000  # pages in one part of a list: PukiWiki's has but one
_MOST_CHANGES = 20  # parts of a list of changes; who was away longer asks for every page
_CLOCKS = 3600.0  # seconds that the clocks of two machines may differ


class Lists:
    """Reads the lists of the site that a crawl is of."""

    def __init__(
        self, order: CrawlPlan, state: CrawlQueue, job: Job, say: Callable[[str], None]
    ) -> None:
        self._order = order
        self._state = state
        self._job = job
        self._say = say

    def take(self, row: QueueRow, answer: Answer) -> None:
        """Put into the queue what a list names. Raises Skip where the answer is no list."""
        wiki = self._order.wiki
        assert wiki is not None
        view = view_response(
            answer.url, answer.body, answer.header("content-type"), most=_MOST_LISTED
        )
        found = parse_page_list(wiki, answer.url, view)
        if found is None or not (found.articles or found.more):
            raise Skip("no list")
        with self._state.together():
            if row.kind == "list":
                self._state.want(self._job, self._articles(url for url, _ in found.articles))
                self._state.want(self._job, [_listing(url, "list", row) for url in found.more])
            else:
                self._changes(row, found)
            self._state.settle(self._job, row, FETCHED)

    def _articles(self, urls: Iterable[str]) -> list[QueueEntry]:
        """Articles as a list has them, to be visited as pages or for their source."""
        wiki, found = self._order.wiki, []
        assert wiki is not None
        for url in urls:
            name = wiki.name(url)
            place = tidy(wiki.place(name, self._order.source)) if name else None
            if place and self._order.scope.holds(url):
                kind = "source" if self._order.source else "page"
                found.append(QueueEntry(key(place), place, origin(place), kind, 0))
        return found

    def _changes(self, row: QueueRow, found: PageList) -> None:
        """Visit what changed since the last round began; all that is known, where that can't be
        told."""
        since = datetime.fromisoformat(self._job.previous).timestamp() - _CLOCKS
        changed = self._articles(url for url, when in found.articles if when >= since or not when)
        self._state.want(self._job, changed)
        for one in changed:
            self._state.again(self._job, one.key, one.kind)
        if found.oldest < since:
            return
        if found.more and row.hops < _MOST_CHANGES:
            on = [replace(_listing(url, "changes", row), hops=row.hops + 1) for url in found.more]
            self._state.want(self._job, on)
        else:
            self.next_rung(row)

    def next_rung(self, row: QueueRow) -> None:
        """Another list, where one does not answer or does not tell enough."""
        wiki = self._order.wiki
        assert wiki is not None
        rungs = wiki.lists if row.kind == "list" else wiki.changes
        first = row.key.partition(" ")[0]
        place = rungs.index(first) if first in rungs else len(rungs)
        if place + 1 < len(rungs):
            url = rungs[place + 1]
            self._state.want(self._job, [start(url, row.kind)])
        elif row.kind == "changes":
            self._say(
                "what changed since last time can't be told; every page is asked whether it has"
            )
            self._state.again(self._job)
            self._state.again(self._job, kind="source")
            self._state.forget(self._job, "list")
            self._state.want(self._job, [start(url, "list") for url in wiki.lists[:1]])
        elif row.key == first:
            self._say(f"{row.url}: the list of the site's pages can't be had there")


def start(url: str, kind: str) -> QueueEntry:
    """The first part of a list."""
    return QueueEntry(url, url, origin(url), kind, 0)


def _listing(url: str, kind: str, before: QueueRow) -> QueueEntry:
    """A further part of a list. Its key begins with that of the first part."""
    first = before.key.partition(" ")[0]
    return QueueEntry(f"{first} {url}", url, origin(url), kind, 0)
