"""Fetching pages, politely, into a snapshot folder or a WARC file."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scraper.errors import SourceError
from scraper.sites import address, catalogue
from scraper.sites.sites_file import find_sites

if TYPE_CHECKING:
    from scraper.crawl.crawler import Crawler, CrawlProgress
    from scraper.crawl.page_store import PageStore
    from scraper.crawl.plan import CrawlPlan
    from scraper.crawl.queue import CrawlQueue, Job

_LONGEST_DELAY = 3600
_WHOLE_SITE = 20  # the depth for a site that is not known by name


@dataclass(frozen=True, slots=True)
class CrawlFailure:
    """An address that could not be fetched, and why."""

    url: str
    what: str


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What a round of a crawl gave, all its runs together.

    fetched: pages of which a capture was added; unchanged: those that are as they were kept.
    skipped: how many addresses were left out, by reason. failed: those that are worth another try.
    left: pages that are known and wait for the next run of the same command.
    """

    fetched: int
    unchanged: int
    skipped: Mapping[str, int]
    failed: tuple[CrawlFailure, ...]
    left: int

    def as_json(self) -> dict[str, Any]:
        """As `sansho crawl --json` prints it."""
        failed = [{"url": one.url, "what": one.what} for one in self.failed]
        return {
            "fetched": self.fetched,
            "unchanged": self.unchanged,
            "skipped": dict(self.skipped),
            "failed": failed,
            "left": self.left,
        }


def crawl(
    targets: Sequence[str],
    into: str | Path,
    *,
    depth: int | None = None,
    most: int = 1000,
    delay: float = 1.0,
    source: bool = False,
    contact: str = "",
    sites: str | Path | None = None,
    say: Callable[[str], None] | None = None,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> CrawlReport:
    """Fetch pages into a folder (with `manifest.jsonl`) or, if the name ends in `.warc` or
    `.warc.gz`, into a WARC file.

    targets: a named site (`mtgwiki`, `yugioh-wiki`, `dmwiki`, `wisdom-guild`) and names of its
        pages, or none for all of them; or addresses (`http://…`).
    depth: how many links away from the targets; if None, 0 for pages of a named site, and the
        whole site for any other.
    most: the most pages that are asked for in a round.
    delay: the seconds between two requests to a host; more, where its robots.txt asks for it.
    source: fetch the wiki's source text and not its HTML.
    contact: how the site's operators reach you; part of the User-Agent.
    sites: a TOML file with wikis of one's own (docs/extending.md); if None, the `sites.toml` in
        or beside `into`, if there is one.
    say: called with what a person should know meanwhile; progress: before each page.

    The same call again goes on where a crawl was interrupted. After a whole round it begins a new
    one, which asks for what changed. A page that changed gets a capture more; none is replaced.
    Raises SourceError where it can't be done as asked.

    >>> crawl(["nowhere"], "pages")
    Traceback (most recent call last):
    scraper.errors.SourceError: nowhere: no such site; there are mtgwiki, yugioh-wiki, dmwiki, \
wisdom-guild, or give an address (http://…)
    """
    if not 0 <= delay <= _LONGEST_DELAY:
        raise SourceError(f"{delay} seconds between requests: 0 to {_LONGEST_DELAY} can be waited")
    if not str(into):
        raise SourceError("no name of a folder or WARC file to keep pages in")
    own_sites = find_sites([Path(into)], Path(sites) if sites else None)
    with catalogue.using(own_sites):
        order, seeds = _order(targets, depth, most, delay, source)
        return _locked(targets, order, seeds, into, contact, say, progress)


def _locked(
    targets: Sequence[str],
    order: CrawlPlan,
    seeds: list[tuple[str, str]],
    into: str | Path,
    contact: str,
    say: Callable[[str], None] | None,
    progress: Callable[[CrawlProgress], None] | None,
) -> CrawlReport:
    """Crawl while no other crawl writes to the same place."""
    from scraper.crawl.page_store import check_destination, open_page_store
    from scraper.crawl.queue import damaged_message

    source = order.source
    command = json.dumps([list(targets), order.depth, source], ensure_ascii=False)
    agent = _agent(contact)
    place = Path(into)
    check_destination(place)
    keep = open_page_store(place, agent)
    say = say or (lambda text: None)
    with _alone(_beside(keep, ".lock"), place):
        try:
            return _crawl(order, seeds, command, agent, keep, say, progress)
        except OSError as error:
            raise SourceError(_no_room(place, error.errno == errno.ENOSPC, error)) from None
        except sqlite3.OperationalError as error:
            raise SourceError(_no_room(place, "full" in str(error), error)) from None
        except sqlite3.DatabaseError as error:
            raise SourceError(damaged_message(_beside(keep, ".db"), error)) from None


def _beside(keep: PageStore, ending: str) -> Path:
    """A file of the crawl's own."""
    return keep.hidden.with_name(keep.hidden.name + ending)


def _no_room(place: Path, full: bool, error: Exception) -> str:
    why = "the disk is full" if full else f"can't be written ({error})"
    return f"{place}: {why}; what was fetched is kept, the same command goes on from there"


def _crawl(
    order: CrawlPlan,
    seeds: list[tuple[str, str]],
    command: str,
    agent: str,
    keep: PageStore,
    say: Callable[[str], None],
    progress: Callable[[CrawlProgress], None] | None,
) -> CrawlReport:
    from scraper.crawl.crawler import Crawler
    from scraper.crawl.fetch import Fetcher
    from scraper.crawl.queue import CrawlQueue

    state = CrawlQueue(_beside(keep, ".db"))
    try:
        plan, done = state.plan or (None, True)
        keep.mend(plan, done)
        state.written()
        job = _round(state, command, order, seeds, say)
        with Fetcher(agent, order.scope.hosts) as fetcher:
            work = Crawler(order, state, job, keep, fetcher, say, progress)
            work.run()
        return _report(state, job, order, work)
    finally:
        state.close()


def _alone(file: Path, place: Path) -> Any:
    """The lock that keeps two crawls out of one folder."""
    from filelock import FileLock, Timeout

    lock = FileLock(file)
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        raise SourceError(
            f"{place}: another crawl is at work there; wait for its end, or choose another --into"
        ) from None
    except OSError as error:
        raise SourceError(f"{place}: can't be written ({error.strerror or error})") from None


def _agent(contact: str) -> str:
    """How the crawler introduces itself."""
    if not contact.isascii() or not contact.isprintable():
        raise SourceError(
            f"--contact {contact!r}: only ASCII goes to a site; give a mail address or a web page"
        )
    try:
        number = version("sansho")
    except PackageNotFoundError:
        number = "0"
    return f"sansho/{number} (+{contact.strip()})" if contact.strip() else f"sansho/{number}"


def _order(
    targets: Sequence[str], depth: int | None, most: int, delay: float, source: bool
) -> tuple[CrawlPlan, list[tuple[str, str]]]:
    """What is to be done, and where it begins: (address, kind)."""
    from scraper.crawl.plan import CrawlPlan
    from scraper.crawl.urls import Scope, origin, tidy
    from scraper.crawl.wiki_endpoints import endpoints_of_site

    if not targets:
        raise SourceError("nothing to crawl: name a site, or give an address (http://…)")
    if "://" not in targets[0]:
        wiki, names = endpoints_of_site(targets[0]), targets[1:]
        if any("://" in name for name in names):
            raise SourceError(f"{targets[0]}: names of its pages, or addresses alone; not both")
        if not names and not wiki.lists:
            raise SourceError(f"{targets[0]} has no list of its pages: name some, e.g. 121")
        urls = [wiki.source(name) if source else wiki.article(name) for name in names]
        # A wiki that a person describes is named by that person, be it on a private host.
        own = targets[0] not in {site.name for site in catalogue.BUILT_IN}
        scope = Scope(frozenset({origin(wiki.pages)} if own else ()), frozenset({targets[0]}))
        seeds = [(url, "source" if source else "page") for url in urls]
        seeds = seeds or [(wiki.lists[0], "list")]
        return CrawlPlan(scope, depth or 0, most, delay, source, wiki, not names), seeds
    urls = []
    for target in targets:
        url = tidy(target)
        if url is None:
            raise SourceError(f"{target}: no address of a page (http://… or https://…)")
        urls.append(url)
    sites = frozenset(site.name for url in urls if (site := catalogue.known_site(url)))
    if depth is None:
        depth = 0 if all(address.source_of(url) in sites for url in urls) else _WHOLE_SITE
    scope = Scope(frozenset(map(origin, urls)), sites)
    kind = "probe" if source else "page"
    return CrawlPlan(scope, depth, most, delay, source), [(url, kind) for url in urls]


def _round(
    state: CrawlQueue,
    command: str,
    order: CrawlPlan,
    seeds: list[tuple[str, str]],
    say: Callable[[str], None],
) -> Job:
    """The round of a command that goes on, or the next one."""
    from scraper.crawl.crawler import asked
    from scraper.crawl.page_lists import start
    from scraper.crawl.queue import QueueEntry
    from scraper.crawl.urls import key, origin

    now = datetime.now(UTC).isoformat(timespec="seconds")
    job = state.job(command)
    left = job and job.finished and state.number(job, "state = 'waiting'")
    if job and left and state.number(job, asked(job)) < order.most:
        state.finish(job, finished=False)  # a higher ceiling than last time
        job = state.job(command)
    if job and not job.finished:
        state.retry(job)
        say("an unfinished crawl goes on")
        return job
    with state.together():
        first = job is None
        job = state.begin(command, now)
        if first or not order.whole:
            state.again(job)
            for kind in ("source", "probe"):
                state.again(job, kind=kind)
            state.want(
                job, [QueueEntry(key(url), url, origin(url), kind, 0) for url, kind in seeds]
            )
        else:
            state.retry(job)
            state.forget(job, "changes")
            wiki = order.wiki
            state.want(job, [start(url, "changes") for url in (wiki.changes[:1] if wiki else ())])
    return job


def _report(state: CrawlQueue, job: Job, order: CrawlPlan, work: Crawler) -> CrawlReport:
    from scraper.crawl.queue import FETCHED, MOVED, SKIPPED, UNCHANGED

    counts = state.counts(job)
    numbers = {
        name: sum(n for (state_, _), n in counts.items() if state_ == name)
        for name in (FETCHED, UNCHANGED)
    }
    skipped = {what: n for (state_, what), n in sorted(counts.items()) if state_ == SKIPPED}
    if moved := sum(n for (state_, _), n in counts.items() if state_ == MOVED and not order.source):
        skipped["redirect"] = moved
    unchanged = numbers[UNCHANGED]
    if order.whole and not work.closed:  # what the site does not name as changed is as it was
        unchanged += state.number(
            job,
            f"state in ('fetched', 'unchanged') and round < {job.round} "
            "and kind in ('page', 'source')",
        )
    failed = [CrawlFailure(url, what) for url, what in state.failures(job)]
    failed += [CrawlFailure(host, what) for host, what in work.closed.items()]
    left = state.number(job, "state = 'waiting' and kind in ('page', 'source', 'probe')")
    crawled = CrawlReport(numbers[FETCHED], unchanged, skipped, tuple(failed), left)
    if not crawled.fetched and not crawled.unchanged:
        _nothing(crawled)
    return crawled


def _nothing(crawled: CrawlReport) -> None:
    """Raise SourceError where nothing came because nothing may or can."""
    if crawled.failed and not crawled.skipped:
        first = crawled.failed[0]
        more = f" (and {len(crawled.failed) - 1} more)" if len(crawled.failed) > 1 else ""
        raise SourceError(f"{first.url}: {first.what}{more}; the same command tries again")
    if set(crawled.skipped) == {"robots.txt"} and not crawled.failed:
        raise SourceError("the site's robots.txt allows none of these pages to be fetched")
