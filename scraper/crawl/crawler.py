"""The crawl itself: one address after the other, until none is left or the ceiling is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from urllib.parse import urlsplit

from scraper.crawl import rate_limit
from scraper.crawl.connection_guard import PrivateAddress
from scraper.crawl.fetch import Answer, Fetcher, Skip, Trouble
from scraper.crawl.page_lists import Lists
from scraper.crawl.page_store import PageStore
from scraper.crawl.plan import CrawlPlan
from scraper.crawl.polite_client import MOST_HOPS, REDIRECTS, HostClosed, PoliteClient, target_of
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
from scraper.crawl.response_view import ResponseView, no_text, view_response
from scraper.crawl.same_content import same_content
from scraper.crawl.urls import key, leads_to_article, origin, tidy
from scraper.crawl.wiki_endpoints import WikiEndpoints, endpoints_from_page
from scraper.sites import address, catalogue

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """How far a crawl is: pages done, pages known, the seconds that the rest takes at least, and
    the address that is asked for now."""

    done: int
    known: int
    seconds: float
    url: str


class Crawler:
    """One run of a crawl over its queue."""

    def __init__(
        self,
        order: CrawlPlan,
        state: CrawlQueue,
        job: Job,
        keeper: PageStore,
        fetcher: Fetcher,
        say: Tell,
        progress: Callable[[CrawlProgress], None] | None,
    ) -> None:
        self._order = order
        self._state = state
        self._job = job
        self._keeper = keeper
        self._say = say
        self._progress = progress
        self._asker = PoliteClient(fetcher, state, job, order, say)
        self.closed = self._asker.closed
        self._lists = Lists(order, state, job, say)
        self._homes: dict[str, str] = {}  # origins that moved as a whole
        self._engines: dict[str, str] = {}  # by origin, as far as pages have told

    def run(self) -> None:
        """Visit what waits. The round is finished where nothing waits, or --max is reached."""
        state, job = self._state, self._job
        told = False
        while True:
            done = state.number(job, asked(job))
            waiting = state.number(job, "state = 'waiting' and kind in ('page','source','probe')")
            row = None
            if done < self._order.most:
                row = state.next(job, self._asker.closed, lists=done + waiting < self._order.most)
            if row is None:
                break
            if row.kind not in LISTS:
                known = min(done + waiting, self._order.most)
                rest = (known - done) * self._asker.slowest
                if not told and rest > 60:
                    self._estimate(known - done, rest)
                    told = True
                if self._progress:
                    self._progress(CrawlProgress(done, known, rest, row.url))
            self._visit(row)
        if not self._asker.closed:
            state.finish(job)

    def _estimate(self, pages: int, seconds: float) -> None:
        self._say(
            f"{pages:,} pages are known so far; at one request each {self._asker.slowest:g}"
            f" s they take {rate_limit.duration(seconds)} at least"
        )

    # -- one address --------------------------------------------------------------------------

    def _visit(self, row: QueueRow) -> None:
        row = self._at_home(row)
        try:
            if not self._order.scope.holds(row.url):
                raise Skip("leads to another site")
            if not self._asker.rules(row.origin).allow(row.url):
                raise Skip("robots.txt")
            self._take(row, self._ask(row))
        except HostClosed:
            pass  # the asker remembers why; the row waits for another run
        except PrivateAddress as error:
            self._drop(row, SKIPPED, "private address")
            self._say(f"{row.url}: {error}; only a host that you name yourself may be private")
        except Skip as skip:
            self._drop(row, SKIPPED, str(skip))
        except Trouble as trouble:
            self._drop(row, FAILED, str(trouble))

    def _at_home(self, row: QueueRow) -> QueueRow:
        """The row at the address to which its whole site has moved, such as from http to https."""
        home = self._homes.get(row.origin)
        if home is None:
            return row
        url = home + row.url.removeprefix(row.origin)
        if key(url) != row.key:
            return row
        self._state.redirect(row, url, home)
        return replace(row, url=url, origin=home)

    def _drop(self, row: QueueRow, state: str, what: str) -> None:
        what = "".join(letter if letter.isprintable() else "?" for letter in what)
        with self._state.together():
            self._state.settle(self._job, row, state, what)
            if row.kind in LISTS:
                self._lists.next_rung(row)

    def _ask(self, row: QueueRow) -> Answer:
        kept = None
        if row.kind in {"page", "source"}:
            kept = self._state.kept(row.key, row.kind == "source")
        asks = kept and kept.url == row.url and self._keeper.holds(kept.place)
        conditions = dict(kept.validators) if kept and asks else {}
        return self._asker.ask(row.url, conditions)

    # -- what came ----------------------------------------------------------------------------

    def _take(self, row: QueueRow, answer: Answer) -> None:
        if answer.status == 304:
            self._unchanged(row, answer)
        elif answer.status in REDIRECTS:
            self._redirected(row, answer)
        elif answer.status == 200:
            if answer.unwanted:
                raise Skip(answer.unwanted)
            if not answer.body.strip():
                raise Trouble("an empty answer")
            if no_text(answer.body):
                said = answer.header("content-type").partition(";")[0] or "nothing"
                raise Skip(f"no text (declared as {said[:60]})")
            if row.kind in LISTS:
                self._lists.take(row, answer)
            else:
                self._page(row, answer)
        elif 400 <= answer.status < 500:
            gone = {404: "not there (404)", 410: "gone (410)"}
            raise Skip(gone.get(answer.status, f"refused ({answer.status})"))
        else:
            raise Trouble(f"{answer.status} {answer.reason}".strip())

    def _redirected(self, row: QueueRow, answer: Answer) -> None:
        target = target_of(answer)
        if target is None:
            raise Trouble(f"{answer.status} without an address that can be asked for")
        if target == row.url:
            raise Trouble("redirects to itself")
        if row.hops + 1 > MOST_HOPS:
            raise Trouble(f"more than {MOST_HOPS} redirects")
        if not self._order.scope.holds(target):
            raise Skip("redirects to another site")
        place = key(target, self._engines.get(origin(target), ""))
        if place == row.key:
            self._state.redirect(row, target, origin(target))
            if target.removeprefix(origin(target)) == row.url.removeprefix(row.origin):
                self._homes[row.origin] = origin(target)
            return
        if self._circle(row, place):
            raise Trouble("redirects in a circle")
        wanted = QueueEntry(place, target, origin(target), row.kind, row.depth, row.hops + 1)
        with self._state.together():
            self._state.want(self._job, [wanted])
            self._state.settle(self._job, row, MOVED, place)

    def _circle(self, row: QueueRow, place: str) -> bool:
        for _ in range(MOST_HOPS + 1):
            if place == row.key:
                return True
            state, place = self._state.where_to(self._job, row.kind, place)
            if state != MOVED:
                return False
        return True

    def _unchanged(self, row: QueueRow, answer: Answer) -> None:
        kept = self._state.kept(row.key, row.kind == "source")
        if kept is None or not kept.validators:
            raise Trouble("304 without having been asked whether it changed")
        links: list[QueueEntry] = []
        if row.depth < self._order.depth:
            body = self._read(kept)
            if body is None:  # asked for anew, without conditions
                self._state.keep(row.key, row.kind == "source", replace(kept, validators={}))
                return
            links = self._links(row, view_response(row.url, body, kept.content_type))
        with self._state.together():
            validators = {**kept.validators, **answer.validators}
            self._state.keep(row.key, row.kind == "source", replace(kept, validators=validators))
            self._state.want(self._job, links)
            self._state.settle(self._job, row, UNCHANGED)

    def _page(self, row: QueueRow, answer: Answer) -> None:
        robots_tags = [value for name, value in answer.headers if name.lower() == "x-robots-tag"]
        view = view_response(answer.url, answer.body, answer.header("content-type"), robots_tags)
        if view.engine:
            self._engines[row.origin] = view.engine
        if row.kind == "probe":
            self._probed(row, view)
            return
        if row.kind == "page" and self._another(row, view):
            raise Skip(OTHER_ADDRESS)
        links = self._links(row, view)
        reason = ""
        if row.kind == "page":  # a source view is asked for by name, and marked by the engine
            reason = "noindex" if "noindex" in view.marks else view.other_view
        if reason:
            with self._state.together():
                self._state.want(self._job, links)
                self._state.settle(self._job, row, SKIPPED, reason)
        else:
            self._keep(row, answer, links)

    def _keep(self, row: QueueRow, answer: Answer, links: list[QueueEntry]) -> None:
        """Keep an answer, if it says anything new."""
        source = row.kind == "source"
        content_type = answer.header("content-type")
        kept = self._state.kept(row.key, source)
        if kept is not None and self._same(kept, answer):
            with self._state.together():
                self._state.keep(
                    row.key, source, replace(kept, url=answer.url, validators=answer.validators)
                )
                self._state.want(self._job, links)
                self._state.settle(self._job, row, UNCHANGED)
            return
        plan = self._keeper.stage(answer)
        with self._state.together():
            self._state.keep(
                row.key,
                source,
                StoredCapture(answer.url, plan["place"], content_type, answer.validators),
            )
            self._state.want(self._job, links)
            self._state.settle(self._job, row, FETCHED)
            self._state.decide(plan)
        self._keeper.publish(plan)
        self._state.written()

    def _same(self, kept: StoredCapture, answer: Answer) -> bool:
        old = self._read(kept)
        if old is None:
            return False
        return same_content(
            old, answer.body, answer.url, kept.content_type, answer.header("content-type")
        )

    def _read(self, kept: StoredCapture) -> bytes | None:
        """The last capture of a page, unless someone has taken it away or changed its file."""
        try:
            return self._keeper.read(kept.place)
        except (OSError, ValueError):
            return None

    def _another(self, row: QueueRow, view: ResponseView) -> bool:
        """Whether the page has been reached, or will be, under another address."""
        place = key(row.url, view.engine)
        if not view.engine and view.canonical and origin(view.canonical) == row.origin:
            root = urlsplit(view.canonical).path in {"", "/"}
            if not root or urlsplit(row.url).path in {"", "/"}:  # else a mistake of the site
                place = view.canonical
        if place == row.key:
            return False
        with self._state.together():
            return self._state.elsewhere(self._job, row, place)

    def _probed(self, row: QueueRow, view: ResponseView) -> None:
        """The source of a page is asked for on a wiki that only this page makes known."""
        wiki, place = endpoints_from_page(row.url, view), address.read(row.url)
        if wiki is None or place is None or not place.name:
            raise Skip("no page of a wiki that has a source")
        url = wiki.source(place.name)
        wanted = QueueEntry(key(url), url, origin(url), "source", row.depth)
        with self._state.together():
            self._state.note(f"wiki {row.origin}", astuple(wiki))
            self._state.want(self._job, [wanted])
            self._state.settle(self._job, row, MOVED)

    # -- links --------------------------------------------------------------------------------

    def _links(self, row: QueueRow, view: ResponseView) -> list[QueueEntry]:
        """The addresses on a page that are to be visited too."""
        if row.depth >= self._order.depth:
            return []
        if row.kind == "source":
            return self._sources(row, view)
        if "nofollow" in view.marks:
            return []
        engine = view.engine or catalogue.engine_of(address.source_of(row.url))
        return [one for link in view.links if (one := self._wanted(row, link, engine))]

    def _wanted(self, row: QueueRow, link: str, engine: str) -> QueueEntry | None:
        if not leads_to_article(link, engine) or not self._order.scope.holds(link):
            return None
        site = catalogue.known_site(link)
        if site and site.follow and not urlsplit(link).path.startswith(site.follow):
            return None
        if site:
            link = tidy(address.canonical(link)) or link
            if urlsplit(link).hostname != urlsplit(tidy(address.canonical(row.url)) or "").hostname:
                return None  # a mirror of the site, with the same pages
        return QueueEntry(key(link, engine), link, origin(link), "page", row.depth + 1)

    def _sources(self, row: QueueRow, view: ResponseView) -> list[QueueEntry]:
        told = self._state.noted(f"wiki {row.origin}")
        wiki = self._order.wiki or (WikiEndpoints(*told) if told else None)
        if wiki is None:
            return []
        links = [
            link.target
            for page in view.pages
            for passage in page.passages
            for link in passage.links
            if link.kind == "page"
        ]
        aims = [page.redirect.partition("#")[0] for page in view.pages if page.redirect]
        names = filter(None, dict.fromkeys(aims + links))
        urls = [wiki.place(name, True) for name in names if wiki.name(wiki.place(name, False))]
        return [QueueEntry(key(url), url, origin(url), "source", row.depth + 1) for url in urls]


def asked(job: Job) -> str:
    """Of which rows in the queue it holds that they were asked for in this round."""
    return _ASKED.format(job.round)


_ASKED = (
    "round = {} and kind in ('page','source','probe') and (state in ('fetched', 'unchanged', "
    "'failed', 'moved') or state = 'skipped' and what not in ('robots.txt', "
    "'leads to another site', 'private address'))"
)
