"""Queues the pages of a named site from its lists: all pages at first, later only what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from scraper.crawl.http_client import Answer, Skip
from scraper.crawl.parse_response import view_response
from scraper.crawl.queue import FETCHED, CrawlQueue, Job, QueueEntry, QueueRow
from scraper.crawl.urls import key, origin, tidy
from scraper.crawl.waiting_times import CrawlSettings
from scraper.crawl.wiki_endpoints import PageList, parse_page_list

# Pages in one part of a list: PukiWiki's list has only one part. A guard; a large wiki of that kind
# has some 20,000.
_MOST_LISTED = 1_000_000
# Parts of a list of changes; if there are more, every page is asked for. By hand: twenty parts of
# 500 (`wiki_endpoints`) are 10,000 changes, beyond which the list saves little.
_MOST_CHANGES = 20
# Seconds by which the clocks of two machines may differ. By hand: too few would miss a change, too
# many only ask for some pages again.
_CLOCKS = 3600.0


class PageListReader:
    """Reads the lists of the named site that is crawled, and queues the pages in them.

    A site has two kinds of list: `list` (all pages) and `changes` (recent changes). Each kind may
    be at several addresses, in order of preference.
    """

    def __init__(
        self, settings: CrawlSettings, queue: CrawlQueue, job: Job, say: Callable[[str], None]
    ) -> None:
        self._settings = settings
        self._queue = queue
        self._job = job
        self._say = say

    def queue_part(self, row: QueueRow, answer: Answer) -> None:
        """Queue the pages in a part of a list, and the parts that follow it.

        Of a list of changes only the pages that changed since the last round began are queued.

        row: the list's row in the queue, of kind `list` or `changes`; it is marked as fetched.
        answer: the answer to the request for the row's address, with status 200.

        Raises Skip if the answer is not such a list, or an empty one; then nothing is queued.
        """
        wiki = self._settings.wiki
        assert wiki is not None
        view = view_response(
            answer.url, answer.body, answer.header("content-type"), max_links=_MOST_LISTED
        )
        page_list = parse_page_list(wiki, answer.url, view)
        if page_list is None or not (page_list.articles or page_list.more):
            raise Skip("no list")
        with self._queue.transaction():
            if row.kind == "list":
                self._queue.enqueue(
                    self._job, self._article_entries(url for url, _ in page_list.articles)
                )
                self._queue.enqueue(
                    self._job, [_next_part(url, "list", row) for url in page_list.more]
                )
            else:
                self._queue_changes(row, page_list)
            self._queue.record_result(self._job, row, FETCHED)

    def _article_entries(self, urls: Iterable[str]) -> list[QueueEntry]:
        """Return queue entries for the articles of a list, or for their source text.

        Which of the two depends on the settings. URLs that are not of articles or lie outside the
        crawl's scope give no entry.

        urls: of the articles' HTML, in either case, as a `PageList` has them.
        """
        wiki, entries = self._settings.wiki, []
        assert wiki is not None
        for url in urls:
            name = wiki.name(url)
            address = tidy(wiki.place(name, self._settings.source)) if name else None
            if address and self._settings.scope.holds(url):
                kind = "source" if self._settings.source else "page"
                entries.append(QueueEntry(key(address), address, origin(address), kind, 0))
        return entries

    def _queue_changes(self, row: QueueRow, page_list: PageList) -> None:
        """Queue the pages that changed since the last round began.

        Pages without a time count as changed; those that were visited in earlier rounds are
        queued again. If the list does not go back so far, its next part is queued; if it has none
        or has had `_MOST_CHANGES` parts, `queue_next_address` is called.

        row: of the part of the list that was read, with kind `changes`.
        page_list: what that part was parsed as.
        """
        since = datetime.fromisoformat(self._job.previous).timestamp() - _CLOCKS
        changed = self._article_entries(
            url for url, when in page_list.articles if when >= since or not when
        )
        self._queue.enqueue(self._job, changed)
        for entry in changed:
            self._queue.requeue(self._job, entry.key, entry.kind)
        if page_list.oldest < since:
            return
        if page_list.more and row.hops < _MOST_CHANGES:
            next_parts = [
                replace(_next_part(url, "changes", row), hops=row.hops + 1)
                for url in page_list.more
            ]
            self._queue.enqueue(self._job, next_parts)
        else:
            self.queue_next_address(row)

    def queue_next_address(self, row: QueueRow) -> None:
        """Queue the next address of a list that does not answer or does not go back far enough.

        After the last list of changes every known page is queued anew, and the list of all pages.
        After the last list of all pages nothing is queued, and the user is told if it was the
        list's first part.

        row: any part of the list, of kind `list` or `changes`.
        """
        wiki = self._settings.wiki
        assert wiki is not None
        addresses = wiki.lists if row.kind == "list" else wiki.changes
        first_part = row.key.partition(" ")[0]
        index = addresses.index(first_part) if first_part in addresses else len(addresses)
        if index + 1 < len(addresses):
            url = addresses[index + 1]
            self._queue.enqueue(self._job, [first_part_entry(url, row.kind)])
        elif row.kind == "changes":
            self._say(
                "what changed since last time can't be told; every page is asked whether it has"
            )
            self._queue.requeue(self._job)
            self._queue.requeue(self._job, kind="source")
            self._queue.forget(self._job, "list")
            self._queue.enqueue(
                self._job, [first_part_entry(url, "list") for url in wiki.lists[:1]]
            )
        elif row.key == first_part:
            self._say(f"{row.url}: the list of the site's pages can't be had there")


def first_part_entry(url: str, kind: str) -> QueueEntry:
    """Return a queue entry for the first part of a list; nothing is queued or begun.

    kind: `list` (all pages) or `changes` (recent changes).
    """
    return QueueEntry(url, url, origin(url), kind, 0)


def _next_part(url: str, kind: str, previous: QueueRow) -> QueueEntry:
    """Return a queue entry for a further part of a list. Its key begins with that of the first.

    previous: the row of an earlier part of the same list, first or not.
    """
    first_part = previous.key.partition(" ")[0]
    return QueueEntry(f"{first_part} {url}", url, origin(url), kind, 0)
