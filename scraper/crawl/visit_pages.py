"""Visits the addresses in a crawl's queue, stores what is new, and queues the links it finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from scraper.crawl import waiting_times
from scraper.crawl.http_client import Answer, Fetcher, Skip, Trouble
from scraper.crawl.page_lists import PageListReader
from scraper.crawl.page_store import PageStore
from scraper.crawl.parse_response import ResponseView, no_text, view_response
from scraper.crawl.polite_client import (
    MOST_HOPS,
    REDIRECTS,
    HostClosed,
    PoliteClient,
    redirect_target,
)
from scraper.crawl.private_address_guard import PrivateAddress
from scraper.crawl.queue import (
    FAILED,
    FETCHED,
    LISTS,
    MOVED,
    OTHER_ADDRESS,
    SKIPPED,
    UNCHANGED,
    CrawlQueue,
    Job,
    QueueEntry,
    QueueRow,
    StoredCapture,
)
from scraper.crawl.urls import key, leads_to_article, origin, tidy
from scraper.crawl.waiting_times import CrawlSettings
from scraper.crawl.wiki_endpoints import WikiEndpoints, endpoints_from_page
from scraper.detect_format import read_pages
from scraper.markup.html_walk import Element, parse
from scraper.page import Page
from scraper.rulebook.pdf import MAGIC
from scraper.sites import page_address, site_catalogue
from scraper.sites.site_catalogue import Wiki
from scraper.sources.charset import decode
from scraper.sources.saved_pages import Snapshot

# -- whether a page is as it was ----------------------------------------------------------------
# Compares two captures of a page by what a reader sees, without what changes on each request.

# The bounds are guards of time: such texts are shorter.
_VOLATILE = re.compile(
    r"\(\d+[smhd]\)"  # the age of a page, in PukiWiki's links
    r"|HTML convert time[^<\n]{0,60}"
    r"|Last-modified:[^<\n]{0,80}",
    re.IGNORECASE,
)
_FRAME = {"menubar", "recent", "related", "navigator"}  # ids and classes of what every page has
_UNSEEN = {"script", "style", "head", "input", "template"}  # may hold tokens and digests of forms


def same_content(old: bytes, new: bytes, url: str, old_type: str, new_type: str) -> bool:
    """Whether two captures of a page have the same content for its readers.

    If sansho can parse both, it compares what it parses: names, sections, passages, links,
    categories. Ages of links, conversion times, menus, lists of recent changes and the digests in
    forms are no part of that. If it can parse neither, it compares the words and link targets of
    the documents, again without these parts. If it can parse only one, they are not the same. PDFs
    are compared by their bytes.

    old, new: the bodies of the captures as bytes, without content coding.
    url: the address of the page, which both were fetched from.
    old_type, new_type: the Content-Type headers of the captures; may be empty.

    >>> page = '<div id="navigator"></div><div id="body"><p>引く{}</p></div>PukiWiki 1.4.7 {}'
    >>> old = page.format("", 1).encode()
    >>> same_content(old, page.format("", 2).encode(), "http://a.jp/?X", "", "")
    True
    >>> same_content(old, page.format("。", 1).encode(), "http://a.jp/?X", "", "")
    False
    """
    if old == new or MAGIC in (old[: len(MAGIC)], new[: len(MAGIC)]):
        return old == new
    before, after = _parsed_content(old, url, old_type), _parsed_content(new, url, new_type)
    if before and after:
        return before == after
    return (
        not before and not after and _visible_words(old, old_type) == _visible_words(new, new_type)
    )


def _parsed_content(data: bytes, url: str, content_type: str) -> list[tuple[Any, ...]]:
    """Return the content of each page in a capture, as `_page_content` does, in their order.

    Empty if sansho finds no page in it, or if one of the pages is not an article.
    """
    pages, _ = read_pages(Snapshot(url, data, url=url, content_type=content_type))
    return [_page_content(page) for page in pages] if all(page.name for page in pages) else []


def _page_content(page: Page) -> tuple[Any, ...]:
    """Return the fields of a page that its readers see, in a fixed order, to be compared only."""
    return (
        page.name,
        page.title,
        page.redirect,
        page.sections,
        page.passages,
        page.categories,
        page.edition,
        page.lang,
        page.old,
        page.via,
    )


def _visible_words(data: bytes, content_type: str) -> list[str]:
    """Return the words and link targets of a document, without what changes on each request.

    They are in the document's order. Scripts, styles, inputs, menus and lists of recent changes
    are skipped with all in them. Text without `<` near its start is only split into words; ages
    and conversion times are left out of it too.

    content_type: the Content-Type header, for the charset.
    """
    text = decode(data, content_type).text
    if "<" not in text[:4096]:
        return _VOLATILE.sub("", text).split()
    texts: list[str] = []
    walk = etree.iterwalk(parse(text).root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            texts.append(element.tail or "")
        elif element.tag in _UNSEEN or not _FRAME.isdisjoint(_classes_and_id(element)):
            walk.skip_subtree()
        else:
            texts += [element.get("href", ""), element.get("src", ""), element.text or ""]
    return _VOLATILE.sub("", " ".join(texts)).split()


def _classes_and_id(element: Element) -> list[str]:
    return [*element.get("class", "").split(), element.get("id", "")]


# -- visits --------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """How far a crawl is.

    done: the number of pages visited in this round.
    known: the number of pages to visit in this round, as far as they are known.
    seconds: the least time that the remaining pages take.
    url: the address that is visited next.
    """

    done: int
    known: int
    seconds: float
    url: str


class Crawler:
    """Runs a crawl over its queue.

    settings: the settings of the crawl.
    queue, job: the queue, and the round of the crawl that is run.
    store: where pages are stored.
    fetcher: makes the requests.
    say: called with messages for the user; progress: called before each page.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        queue: CrawlQueue,
        job: Job,
        store: PageStore,
        fetcher: Fetcher,
        say: Callable[[str], None],
        progress: Callable[[CrawlProgress], None] | None,
    ) -> None:
        self._settings = settings
        self._queue = queue
        self._job = job
        self._store = store
        self._say = say
        self._progress = progress
        self._client = PoliteClient(fetcher, queue, job, settings, say)
        self._lists = PageListReader(settings, queue, job, say)
        self._new_origins: dict[str, str] = {}  # of origins that have moved as a whole
        self._engines: dict[str, str] = {}  # by origin, as pages of it have shown

    def run(self) -> None:
        """Visit the waiting addresses until there are none, or the limit of pages is reached.

        Then the round is finished, unless a host was given up: the next run goes on with what
        waits for its first visit or has failed only once. The limit is for the whole round, with
        what earlier runs of it visited. Failures of single pages are recorded in the queue and not
        raised.
        """
        queue, job, most = self._queue, self._job, self._settings.most
        estimated = False
        while True:
            done = queue.count_rows(job, requested_condition(job))
            waiting = queue.count_rows(
                job, "state = 'waiting' and kind in ('page','source','probe')"
            )
            row = None
            if done < most:
                row = queue.next(job, self._client.closed, lists=done + waiting < most)
            if row is None:
                break
            if row.kind not in LISTS:
                known = min(done + waiting, most)
                seconds = (known - done) * self._client.slowest
                if not estimated and seconds > 60:
                    self._say_estimate(known - done, seconds)
                    estimated = True
                if self._progress:
                    self._progress(CrawlProgress(done, known, seconds, row.url))
            self._visit(row)
        if self.given_up:
            if queue.count_rows(job, _TO_GO_ON_WITH.format(job.round)):
                return
            queue.end_retries(job)
        queue.finish(job)

    @property
    def given_up(self) -> dict[str, str]:
        """The hosts that gave nothing more in this run, by origin, and why."""
        return {**self._client.silent, **self._client.closed}

    def _say_estimate(self, pages: int, seconds: float) -> None:
        """Tell the user how long the crawl takes at least.

        pages: the number of pages that are known and still to be requested.
        seconds: how long the requests for them take at least.
        """
        self._say(
            f"{pages:,} pages are known so far; at one request each {self._client.slowest:g}"
            f" s they take {waiting_times.duration(seconds)} at least"
        )

    # -- an address ---------------------------------------------------------------------------

    def _visit(self, row: QueueRow) -> None:
        """Fetch an address if that is allowed, and record the result in the queue.

        Skipped: addresses outside the scope, forbidden by robots.txt, or at a private address, and
        answers that are not wanted. Failed: what raises Trouble. If the host is closed nothing is
        recorded, and the row still waits.
        """
        row = self._moved_row(row)
        try:
            if not self._settings.scope.holds(row.url):
                raise Skip("leads to another site")
            if not self._client.rules(row.origin).allow(row.url):
                raise Skip("robots.txt")
            self._process(row, self._fetch(row))
        except HostClosed:
            pass  # the client remembers why; the row waits for another run
        except PrivateAddress as error:
            self._record_failure(row, SKIPPED, "private address")
            self._say(f"{row.url}: {error}; only a host that you name yourself may be private")
        except Skip as skip:
            self._record_failure(row, SKIPPED, str(skip))
        except Trouble as trouble:
            self._record_failure(row, FAILED, str(trouble))

    def _moved_row(self, row: QueueRow) -> QueueRow:
        """Return the row with its new address if its whole site has moved (from HTTP to HTTPS).

        The address is changed in the queue, too. Any other row is returned as it is.
        """
        new_origin = self._new_origins.get(row.origin)
        if new_origin is None:
            return row
        url = new_origin + row.url.removeprefix(row.origin)
        if key(url) != row.key:
            return row
        self._queue.change_address(row, url, new_origin)
        return replace(row, url=url, origin=new_origin)

    def _record_failure(self, row: QueueRow, state: str, what: str) -> None:
        """Record a skip or failure and its reason; for a list, queue its next address.

        row: of a page or a list.
        state: `SKIPPED` or `FAILED`.
        what: the reason; characters that can't be printed are replaced.
        """
        what = "".join(letter if letter.isprintable() else "?" for letter in what)
        with self._queue.transaction():
            self._queue.record_result(self._job, row, state, what)
            if row.kind in LISTS:
                self._lists.queue_next_address(row)

    def _fetch(self, row: QueueRow) -> Answer:
        """Fetch an address; if its last capture is still there, only if it has changed since.

        The answer's status is 304 if it has not. Probes and lists, and pages whose last capture is
        of another address, are fetched in any case. Raises what `PoliteClient.fetch` raises.
        """
        capture = None
        if row.kind in {"page", "source"}:
            capture = self._queue.last_capture(row.key, row.kind == "source")
        usable = capture and capture.url == row.url and self._store.contains(capture.place)
        conditions = dict(capture.validators) if capture and usable else {}
        return self._client.fetch(row.url, conditions)

    # -- answers ------------------------------------------------------------------------------

    def _process(self, row: QueueRow, answer: Answer) -> None:
        """Process an answer by its status: 304, redirect, or 200 with a list or a page.

        row: of any kind; the one whose address was asked for.

        Raises Skip for 4xx and for a body that is not wanted or is binary data; Trouble for an
        empty body and all other statuses; and what the methods for the single cases raise.
        """
        if answer.status == 304:
            self._process_unchanged(row, answer)
        elif answer.status in REDIRECTS:
            self._process_redirect(row, answer)
        elif answer.status == 200:
            if answer.unwanted:
                raise Skip(answer.unwanted)
            if not answer.body.strip():
                raise Trouble("an empty answer")
            if no_text(answer.body):
                declared = answer.header("content-type").partition(";")[0] or "nothing"
                raise Skip(f"no text (declared as {declared[:60]})")
            if row.kind in LISTS:
                self._lists.queue_part(row, answer)
            else:
                self._process_page(row, answer)
        elif 400 <= answer.status < 500:
            gone = {404: "not there (404)", 410: "gone (410)"}
            raise Skip(gone.get(answer.status, f"refused ({answer.status})"))
        else:
            raise Trouble(f"{answer.status} {answer.reason}".strip())

    def _process_redirect(self, row: QueueRow, answer: Answer) -> None:
        """Queue the target of a redirect, or change the row's address if it is the same page.

        In the second case the row still waits. Raises Skip if the target is outside the scope, and
        Trouble if the redirect leads nowhere or in a circle.

        answer: to the request for the row's address, with a status of `REDIRECTS`.
        """
        target = redirect_target(answer)
        if target is None:
            raise Trouble(f"{answer.status} without an address that can be asked for")
        if target == row.url:
            raise Trouble("redirects to itself")
        if row.hops + 1 > MOST_HOPS:
            raise Trouble(f"more than {MOST_HOPS} redirects")
        if not self._settings.scope.holds(target):
            raise Skip("redirects to another site")
        target_key = key(target, self._engines.get(origin(target), ""))
        if target_key == row.key:
            self._queue.change_address(row, target, origin(target))
            if target.removeprefix(origin(target)) == row.url.removeprefix(row.origin):
                self._new_origins[row.origin] = origin(target)
            return
        if self._leads_back(row, target_key):
            raise Trouble("redirects in a circle")
        entry = QueueEntry(target_key, target, origin(target), row.kind, row.depth, row.hops + 1)
        with self._queue.transaction():
            self._queue.enqueue(self._job, [entry])
            self._queue.record_result(self._job, row, MOVED, target_key)

    def _leads_back(self, row: QueueRow, target_key: str) -> bool:
        """Whether the redirects from a target lead back to the row, or are too many."""
        for _ in range(MOST_HOPS + 1):
            if target_key == row.key:
                return True
            state, target_key = self._queue.result_this_round(self._job, row.kind, target_key)
            if state != MOVED:
                return False
        return True

    def _process_unchanged(self, row: QueueRow, answer: Answer) -> None:
        """Record that a page has not changed, and queue the links in its last capture.

        What its tags and headers said for robots still holds, but headers of this answer replace
        those of earlier ones (RFC 9111, 3.2). If the capture is gone, the page is left waiting to
        be fetched whole. Raises Trouble if the answer is 304 though no conditions were sent.

        row: for kind `source` the capture is that of the source text, else that of the HTML.
        """
        is_source = row.kind == "source"
        capture = self._queue.last_capture(row.key, is_source)
        if capture is None or not capture.validators:
            raise Trouble("304 without having been asked whether it changed")
        body = self._read_capture(capture)
        if body is None:  # the page is still waiting, and is now fetched without conditions
            self._queue.save_capture(row.key, is_source, replace(capture, validators={}))
            return
        validators = {**capture.validators, **answer.validators}
        capture = replace(capture, validators=validators, robots=answer.robots or capture.robots)
        view = view_response(row.url, body, capture.content_type, capture.robots)
        if reason := _reason_to_skip(row, view):
            self._skip_page(row, view, reason)
        else:
            self._record_unchanged(row, capture, self._links(row, view))

    def _process_page(self, row: QueueRow, answer: Answer) -> None:
        """Queue the links of a page, and store it unless it is not an article or `noindex`.

        A probe is neither stored nor searched for links. Raises Skip for another address of a page
        that was visited; its links are not queued either.

        row: of any kind but lists.
        answer: to the request for the row's address, with status 200.
        """
        view = view_response(answer.url, answer.body, answer.header("content-type"), answer.robots)
        if view.engine:
            self._engines[row.origin] = view.engine
        if row.kind == "probe":
            self._process_probe(row, view)
            return
        if row.kind == "page" and self._visited_elsewhere(row, view):
            raise Skip(OTHER_ADDRESS)
        if reason := _reason_to_skip(row, view):
            self._skip_page(row, view, reason)
        else:
            self._store_answer(row, answer, self._links(row, view))

    def _skip_page(self, row: QueueRow, view: ResponseView, reason: str) -> None:
        """Queue the links of a page that is not to be stored.

        An earlier capture of it stays. The next round asks for the page whole: a later 304 would
        not say again that it is `noindex`.
        """
        capture = self._queue.last_capture(row.key, source=False)
        with self._queue.transaction():
            if capture is not None:
                self._queue.save_capture(row.key, False, replace(capture, validators={}))
            self._queue.enqueue(self._job, self._links(row, view))
            self._queue.record_result(self._job, row, SKIPPED, reason)

    def _record_unchanged(
        self, row: QueueRow, capture: StoredCapture, links: list[QueueEntry]
    ) -> None:
        """Queue the links of a page that has not changed.

        capture: its last one, with what the answer says of it now.
        """
        with self._queue.transaction():
            self._queue.save_capture(row.key, row.kind == "source", capture)
            self._queue.enqueue(self._job, links)
            self._queue.record_result(self._job, row, UNCHANGED)

    def _store_answer(self, row: QueueRow, answer: Answer, links: list[QueueEntry]) -> None:
        """Store an answer if its content is new, and queue its links.

        If the content is that of the last capture, that one stays; only its address and validators
        are updated, and the row is `UNCHANGED`. Else the row is `FETCHED`.
        """
        is_source = row.kind == "source"
        content_type = answer.header("content-type")
        capture = self._queue.last_capture(row.key, is_source)
        if capture is not None and self._same_as_capture(capture, answer):
            same = replace(
                capture, url=answer.url, validators=answer.validators, robots=answer.robots
            )
            self._record_unchanged(row, same, links)
            return
        write = self._store.stage(answer)
        with self._queue.transaction():
            new = StoredCapture(
                answer.url, write["place"], content_type, answer.validators, answer.robots
            )
            self._queue.save_capture(row.key, is_source, new)
            self._queue.enqueue(self._job, links)
            self._queue.record_result(self._job, row, FETCHED)
            self._queue.plan_write(write)
        self._store.publish(write)
        self._queue.finish_write()

    def _same_as_capture(self, capture: StoredCapture, answer: Answer) -> bool:
        """Whether an answer has the same content as the last capture of the page.

        See `same_content`. False if the capture can't be read.
        """
        old = self._read_capture(capture)
        if old is None:
            return False
        return same_content(
            old, answer.body, answer.url, capture.content_type, answer.header("content-type")
        )

    def _read_capture(self, capture: StoredCapture) -> bytes | None:
        """Return the bytes of a capture; None if its file was removed or changed."""
        try:
            return self._store.read(capture.place)
        except (OSError, ValueError):
            return None

    def _visited_elsewhere(self, row: QueueRow, view: ResponseView) -> bool:
        """Whether a page, now that its engine is known, was visited under another address.

        The other key follows from the engine; without engine it is the canonical address, if that
        has the same origin and is not wrongly the root. False if it is the row's own key. If the
        page was not visited there, that key becomes an alias (`CrawlQueue.claim_key`).

        view: of the answer for the row's address.
        """
        page_key = key(row.url, view.engine)
        if not view.engine and view.canonical and origin(view.canonical) == row.origin:
            is_root = urlsplit(view.canonical).path in {"", "/"}
            # A page other than the root that declares the root as its address is a mistake.
            if not is_root or urlsplit(row.url).path in {"", "/"}:
                page_key = view.canonical
        if page_key == row.key:
            return False
        with self._queue.transaction():
            return self._queue.claim_key(self._job, row, page_key)

    def _process_probe(self, row: QueueRow, view: ResponseView) -> None:
        """Queue the source text of a page, whose URL is inferred from the page itself.

        The row becomes `MOVED`. The wiki's endpoints are stored in the queue's database, for
        `_source_links`.

        view: of the page's HTML.

        Raises Skip if the page is of no known wiki, or its URL has no page's name.
        """
        wiki = endpoints_from_page(row.url, view)
        page = wiki.address(row.url) if wiki else None
        if wiki is None or page is None or not page.name:
            raise Skip("no page of a wiki that has a source")
        url = wiki.source(page.name)
        entry = QueueEntry(key(url), url, origin(url), "source", row.depth)
        with self._queue.transaction():
            self._queue.store_value(f"wiki {row.origin}", (wiki.engine, *astuple(wiki.urls)[1:]))
            self._queue.enqueue(self._job, [entry])
            self._queue.record_result(self._job, row, MOVED)

    # -- links --------------------------------------------------------------------------------

    def _links(self, row: QueueRow, view: ResponseView) -> list[QueueEntry]:
        """Return queue entries for the links on a page that are to be visited.

        None at the greatest depth, or on a page that is `nofollow`. Entries may be repeated, or be
        of pages in the queue already.

        row: of the page that has the links; their depth is one more than its depth.
        view: of that page.
        """
        if row.depth >= self._settings.depth:
            return []
        if row.kind == "source":
            return self._source_links(row, view)
        if "nofollow" in view.marks:
            return []
        engine = view.engine or site_catalogue.engine_of(page_address.source_of(row.url))
        return [entry for link in view.links if (entry := self._page_entry(row, link, engine))]

    def _page_entry(self, row: QueueRow, link: str, engine: str) -> QueueEntry | None:
        """Return a queue entry for a link on the page of a row; None if it is not followed.

        Not followed: what is not an article or outside the scope, and on a site of the catalogue
        what is outside the paths to follow or on another host than the row's. The entry has the
        canonical address if the site is in the catalogue.

        link: its absolute URL, as `tidy` returns it.
        engine: the engine of that page.
        """
        if not leads_to_article(link, engine) or not self._settings.scope.holds(link):
            return None
        site = site_catalogue.known_site(link)
        if site and site.follow and not urlsplit(link).path.startswith(site.follow):
            return None
        if site:
            link = tidy(page_address.canonical(link)) or link
            if (
                urlsplit(link).hostname
                != urlsplit(tidy(page_address.canonical(row.url)) or "").hostname
            ):
                return None  # it leads to a mirror of the site, with the same pages
        return QueueEntry(key(link, engine), link, origin(link), "page", row.depth + 1)

    def _source_links(self, row: QueueRow, view: ResponseView) -> list[QueueEntry]:
        """Return queue entries for the source text of the pages that a source text links to.

        Targets of redirects come first. Links that are not to pages, and names that are not of
        articles, are skipped. An empty list if the endpoints of its wiki are not known.

        row: of the source text.
        view: of the source text, with its parsed pages.
        """
        noted = self._queue.stored_value(f"wiki {row.origin}")
        wiki = self._settings.wiki
        if wiki is None and noted:
            wiki = WikiEndpoints(noted[0], Wiki((), *noted[1:]))
        if wiki is None:
            return []
        links = [
            link.target
            for page in view.pages
            for passage in page.passages
            for link in passage.links
            if link.kind == "page"
        ]
        targets = [page.redirect.partition("#")[0] for page in view.pages if page.redirect]
        names = filter(None, dict.fromkeys(targets + links))
        urls = [wiki.place(name, True) for name in names if wiki.name(wiki.place(name, False))]
        return [QueueEntry(key(url), url, origin(url), "source", row.depth + 1) for url in urls]


def _reason_to_skip(row: QueueRow, view: ResponseView) -> str:
    """Return why a page is not to be stored, or an empty text if it is.

    Source views are stored in any case: they are requested as such, and engines mark all views but
    articles as `noindex`.
    """
    if row.kind != "page":
        return ""
    return "noindex" if "noindex" in view.marks else view.other_view


def requested_condition(job: Job) -> str:
    """Return the SQL condition for pages of the queue that were requested in the job's round.

    It is for `CrawlQueue.count_rows`; nothing is counted or requested here. Lists, and addresses
    that were skipped without a request, don't satisfy it.
    """
    return _ASKED.format(job.round)


# What was not tried yet, or failed once: a host that never answers ends the round after that.
_TO_GO_ON_WITH = "tries = 0 and (state = 'waiting' or state = 'failed' and round = {})"
_ASKED = (
    "round = {} and kind in ('page','source','probe') and (state in ('fetched', 'unchanged', "
    "'failed', 'moved') or state = 'skipped' and what not in ('robots.txt', "
    "'leads to another site', 'private address'))"
)
