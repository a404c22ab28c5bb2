"""The function `crawl`, which fetches pages of sites into a snapshot folder or a WARC file."""

from __future__ import annotations

import atexit
import errno
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scraper.crawl.queue import (
    FETCHED,
    MOVED,
    SKIPPED,
    UNCHANGED,
    CrawlQueue,
    Job,
    QueueEntry,
    damaged_message,
)
from scraper.crawl.urls import Scope, key, origin, tidy
from scraper.crawl.waiting_times import LONGEST_DELAY, CrawlSettings
from scraper.crawl.wiki_endpoints import endpoints_of_site
from scraper.errors import SourceError
from scraper.sites import page_address, site_catalogue
from scraper.sites.sites_file import find_sites

if TYPE_CHECKING:
    from filelock import FileLock

    from scraper.crawl.page_store import PageStore
    from scraper.crawl.visit_pages import Crawler, CrawlProgress

# The default depth, in links, for sites that are not in the catalogue. By hand: from the front page
# of a site all others are a few links away; a calendar that leads on for ever ends here.
_WHOLE_SITE = 20


@dataclass(frozen=True, slots=True)
class CrawlFailure:
    """An address (or a whole host) that could not be fetched: `url`, and the reason `what`."""

    url: str
    what: str


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """The results of one round of a crawl, of all its runs together.

    fetched: the number of pages of which a new capture was stored.
    unchanged: the number of pages that have not changed since their last capture.
    skipped: the number of addresses that were left out, by reason.
    failed: the addresses that could not be fetched; the next run tries them again.
    left: the number of known pages that were not asked for: their host was given up, else `most`
        was reached, and a higher one goes on with them.
    given_up: the hosts that gave nothing more, which are among `failed` too; the same call goes on
        with their pages.
    """

    fetched: int
    unchanged: int
    skipped: Mapping[str, int]
    failed: tuple[CrawlFailure, ...]
    left: int
    given_up: tuple[CrawlFailure, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object that `sansho crawl --json` prints: the fields of `CrawlReport` by
        name. `failed` and `given_up` are lists of `{"url", "what"}`, `skipped` is {reason: number}.
        """
        return {
            "fetched": self.fetched,
            "unchanged": self.unchanged,
            "skipped": dict(self.skipped),
            "failed": [asdict(failure) for failure in self.failed],
            "left": self.left,
            "given_up": [asdict(host) for host in self.given_up],
        }


def crawl(
    targets: str | Sequence[str],
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
    """Fetch pages into a folder or a WARC file.

    targets: a named site (`mtgwiki`, `yugioh-wiki`, `dmwiki`, `wisdom-guild`) and names of its
        pages, or no names for all pages; or addresses (`http://…`). One alone may be given as it
        is.
    into: the folder, which gets a `manifest.jsonl`; or the WARC file if the name ends in `.warc`
        or `.warc.gz`.
    depth: how many links to follow from the targets; if None, 0 for pages of a named site, and
        the whole site for any other.
    most: the most pages to ask for in a round.
    delay: the seconds between two requests to a host; longer if its robots.txt asks for that.
    source: whether to fetch a wiki's source text in place of its HTML.
    contact: how the site's operators reach you; part of the User-Agent.
    sites: a TOML file with your own wikis (docs/extending.md); if None, the `sites.toml` in or
        beside `into`, if there is one.
    say: called with messages for the user.
    progress: called before each page.

    If a crawl was interrupted, the same call continues it. After a finished round it begins a new
    one, which asks for changed pages. A changed page gets a further capture; none is replaced.

    The report counts all runs of the round, not only this call.

    Raises SourceError if the crawl can't be made as asked, if another crawl writes to `into`, or
    if there are no pages because all failed or robots.txt forbids them.

    >>> crawl(["nowhere"], "pages")
    Traceback (most recent call last):
    scraper.errors.SourceError: nowhere: no such site; there are mtgwiki, yugioh-wiki, dmwiki, \
wisdom-guild, or give an address (http://…)
    """
    targets = _checked_targets(targets)
    _check_values(into, depth, most, delay, contact, sites)
    for name, function in (("say", say), ("progress", progress)):
        if function is not None and not callable(function):
            raise SourceError(f"{name} is {function!r}; give a function")
    from scraper.crawl.page_store import check_destination, open_page_store  # with httpcore

    own_sites = find_sites([Path(into)], Path(sites) if sites else None)
    with site_catalogue.using(own_sites):
        settings, seeds = _make_settings(targets, depth, most, delay, source)
        command = json.dumps([targets, settings.depth, source], ensure_ascii=False)
        agent, destination = _user_agent(contact), Path(into)
        check_destination(destination)
        store = open_page_store(destination, agent)
        say = say or (lambda text: None)
        with _lock(_hidden_file(store, ".lock"), destination):
            try:
                return _run_crawl(settings, seeds, command, agent, store, say, progress)
            except OSError as error:
                full = error.errno == errno.ENOSPC
                raise SourceError(_write_error(destination, full, error)) from None
            except sqlite3.OperationalError as error:
                full = "full" in str(error)
                raise SourceError(_write_error(destination, full, error)) from None
            except sqlite3.DatabaseError as error:
                raise SourceError(damaged_message(_hidden_file(store, ".db"), error)) from None


def recorded_crawls(into: str | Path) -> list[tuple[list[str], int | None, bool]]:
    """Return the crawls that a folder or WARC file was filled by, the first one first: the targets,
    the depth and whether source text was fetched, as for `crawl`. Empty for one that none filled,
    and where their queue can't be read.

    >>> recorded_crawls("nowhere")
    []
    """
    place = Path(into)
    hidden = place / ".crawl" if place.is_dir() else place.parent / f".{place.name}.crawl"
    queue = hidden.with_name(f"{hidden.name}.db")
    if not queue.is_file():
        return []
    with suppress(sqlite3.Error, ValueError, TypeError):
        with closing(sqlite3.connect(f"{queue.resolve().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute("select command from job order by id").fetchall()
        commands = [json.loads(command) for (command,) in rows]
        return [(list(map(str, names)), depth, bool(source)) for names, depth, source in commands]
    return []


def _checked_targets(targets: object) -> list[str]:
    """Return the targets of a crawl as a list; raises SourceError unless all are texts, and none is
    empty.

    >>> _checked_targets("mtgwiki")
    ['mtgwiki']
    """
    given = [targets] if isinstance(targets, str) else targets
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise SourceError(f"targets: {given!r}; give the name of a site, or addresses, as texts")
    listed = list(given)
    for target in listed:
        if not isinstance(target, str):
            raise SourceError(f"targets: {target!r} is no text; give names or addresses (http://…)")
        if not target.strip():
            raise SourceError(
                "targets: one is empty; name a site or page, or give an address (http://…)"
            )
    return listed


def _check_values(
    into: object, depth: object, most: object, delay: object, contact: object, sites: object
) -> None:
    """Raise SourceError if another argument of a crawl is of the wrong type or out of range."""
    for name, value in (("into", into), ("sites", sites)):
        is_path = isinstance(value, str | Path) and bool(str(value).strip())
        if not is_path and not (name == "sites" and value is None):
            raise SourceError(f"{name} is {value!r}; give the name of a file or folder")
    for name, value, least in (("depth", depth, 0), ("most", most, 1)):
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= least
        if not is_number and not (name == "depth" and value is None):
            raise SourceError(f"{name} is {value!r}; give a whole number from {least}")
    if not isinstance(delay, int | float) or not 0 <= delay <= LONGEST_DELAY:
        raise SourceError(f"{delay!r} seconds between requests: 0 to {LONGEST_DELAY} can be waited")
    if not isinstance(contact, str):
        raise SourceError(f"contact is {contact!r}; give a text")


def _hidden_file(store: PageStore, ending: str) -> Path:
    """Return the path of a hidden file of the crawl, beside the pages.

    ending: `.lock` for its lock, `.db` for its queue.
    """
    return store.hidden.with_name(store.hidden.name + ending)


def _write_error(destination: Path, full: bool, error: Exception) -> str:
    """Return the message for a failed write.

    destination: the folder or WARC file that the pages are kept in, with which it begins.
    full: whether the disk is full.
    error: what was raised; it is in the message unless the disk is full.
    """
    why = "the disk is full" if full else f"can't be written ({error})"
    return f"{destination}: {why}; what was fetched is kept, the same command goes on from there"


def _run_crawl(
    settings: CrawlSettings,
    seeds: list[tuple[str, str]],
    command: str,
    agent: str,
    store: PageStore,
    say: Callable[[str], None],
    progress: Callable[[CrawlProgress], None] | None,
) -> CrawlReport:
    """Complete an interrupted write of an earlier run, then run the crawl.

    command: the key of the crawl in the queue's database: its targets, depth and `source`, as
        JSON.
    seeds: (address, kind) of the addresses to begin with, as in `QueueRow.kind`.
    agent: the User-Agent.
    """
    from scraper.crawl.http_client import Fetcher
    from scraper.crawl.visit_pages import Crawler

    queue = CrawlQueue(_hidden_file(store, ".db"))
    complete = partial(_complete_write, queue, store)
    atexit.register(complete)  # where a signal ends the process in the middle of a write
    try:
        complete()
        job = _current_round(queue, command, settings, seeds, say)
        with closing(Fetcher(agent, settings.scope.hosts)) as fetcher:
            crawler = Crawler(settings, queue, job, store, fetcher, say, progress)
            crawler.run()
        return _report(queue, job, settings, crawler)
    finally:
        with suppress(OSError, sqlite3.Error, SourceError):  # then the next run does it
            complete()
        queue.close()
        atexit.unregister(complete)


def _complete_write(queue: CrawlQueue, store: PageStore) -> None:
    """Complete the last write that was entered in the queue, and delete what was not entered.

    Raises SourceError if the queue names a write that this program would not make.
    """
    queue.roll_back()
    try:
        write, done = queue.last_write or (None, True)
        store.recover(write, done)
    except (LookupError, TypeError, ValueError) as error:
        raise SourceError(damaged_message(queue.path, error)) from None
    queue.finish_write()


@contextmanager
def _lock(file: Path, destination: Path) -> Iterator[None]:
    """Hold the lock of a destination; its file is deleted in the end.

    Raises SourceError if another crawl has it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(file)
    delete = partial(_delete_lock_file, lock)
    atexit.register(delete)
    try:
        # Waits only for a lock file that goes away just when it is opened.
        lock.acquire(timeout=0.1, poll_interval=0.01)
    except Timeout:
        atexit.unregister(delete)
        raise SourceError(
            f"{destination}: another crawl is at work there; wait for its end, or choose "
            "another place"
        ) from None
    except OSError as error:
        atexit.unregister(delete)
        raise SourceError(f"{destination}: can't be written ({error.strerror or error})") from None
    try:
        yield
    finally:
        delete()
        lock.release()
        atexit.unregister(delete)


def _delete_lock_file(lock: FileLock) -> None:
    """Delete the file of a lock that is held: who has opened it already sees that it has no name
    any more. If it is not held, do nothing."""
    if lock.is_locked:
        with suppress(OSError):  # Windows deletes no open file; there filelock does it afterwards
            Path(lock.lock_file).unlink()


def _user_agent(contact: str) -> str:
    """Return the User-Agent of the crawler: `sansho/VERSION (+CONTACT)`, without the parentheses
    if the contact is empty. Raises SourceError if the contact is not printable ASCII.

    VERSION is the installed version of the package, or `0` if it is not installed.
    """
    if not contact.isascii() or not contact.isprintable():
        raise SourceError(
            f"contact {contact!r}: only ASCII goes to a site; give a mail address or a web page"
        )
    try:
        number = version("sansho")
    except PackageNotFoundError:
        number = "0"
    return f"sansho/{number} (+{contact.strip()})" if contact.strip() else f"sansho/{number}"


def _make_settings(
    targets: Sequence[str], depth: int | None, most: int, delay: float, source: bool
) -> tuple[CrawlSettings, list[tuple[str, str]]]:
    """Return the settings of a crawl, and the addresses that it begins with, each with its kind.

    The parameters are those of `crawl`. The kind is as in `QueueRow.kind`: `page`, `source`,
    `probe` or `list`.

    Raises SourceError if the targets are not as `crawl` takes them.
    """
    if not targets:
        raise SourceError("nothing to crawl: name a site, or give an address (http://…)")
    if "://" in targets[0]:
        return _settings_for_addresses(targets, depth, most, delay, source)
    return _settings_for_site(targets[0], targets[1:], depth or 0, most, delay, source)


def _settings_for_site(
    site: str, names: Sequence[str], depth: int, most: int, delay: float, source: bool
) -> tuple[CrawlSettings, list[tuple[str, str]]]:
    """Return the settings and the first addresses for pages of a named site.

    names: the names of its pages; if empty, the one address is that of its list of all pages.
    depth: how many links to follow from these pages.
    delay: the seconds between two requests to a host.

    Raises SourceError if there is no such site, if a name is an address, or if there are no names
    and the site has no list.
    """
    wiki = endpoints_of_site(site)
    if any("://" in name for name in names):
        raise SourceError(f"{site}: names of its pages, or addresses alone; not both")
    if not names and not wiki.lists:
        raise SourceError(f"{site} has no list of its pages: name some, e.g. 121")
    urls = [wiki.source(name) if source else wiki.article(name) for name in names]
    # The host of a wiki that the user described counts as named by the user: it may be private.
    is_own = site not in {known.name for known in site_catalogue.BUILT_IN}
    scope = Scope(frozenset({origin(wiki.urls.pages)} if is_own else ()), frozenset({site}))
    seeds = [(url, "source" if source else "page") for url in urls]
    seeds = seeds or [(wiki.lists[0], "list")]
    return CrawlSettings(scope, depth, most, delay, source, wiki, not names), seeds


def _settings_for_addresses(
    targets: Sequence[str], depth: int | None, most: int, delay: float, source: bool
) -> tuple[CrawlSettings, list[tuple[str, str]]]:
    """Return the settings and the first addresses for a crawl that begins at some addresses.

    depth: None for 0 if all addresses are of pages of known sites, else for the whole site.
    delay: the seconds between two requests to a host.

    Raises SourceError for a target that is no address.
    """
    urls = []
    for target in targets:
        url = tidy(target)
        if url is None:
            raise SourceError(f"{target}: no address of a page (http://… or https://…)")
        urls.append(url)
    sites = frozenset(site.name for url in urls if (site := site_catalogue.known_site(url)))
    if depth is None:
        depth = 0 if all(page_address.source_of(url) in sites for url in urls) else _WHOLE_SITE
    scope = Scope(frozenset(map(origin, urls)), sites)
    kind = "probe" if source else "page"
    return CrawlSettings(scope, depth, most, delay, source), [(url, kind) for url in urls]


def _current_round(
    queue: CrawlQueue,
    command: str,
    settings: CrawlSettings,
    seeds: list[tuple[str, str]],
    say: Callable[[str], None],
) -> Job:
    """Return the unfinished round of a command, or begin its next round.

    A round that ended at its limit counts as unfinished if `settings.most` is higher now.

    seeds: (address, kind) to begin a new round with; they are not used to go on.
    say: called with a message if an unfinished round goes on.
    """
    from scraper.crawl.visit_pages import requested_condition

    job = queue.job(command)
    left = job and job.finished and queue.count_rows(job, "state = 'waiting'")
    if job and left and queue.count_rows(job, requested_condition(job)) < settings.most:
        queue.finish(job, finished=False)  # the limit is higher than in the last run
        job = queue.job(command)
    if job and not job.finished:
        queue.retry(job)
        say("an unfinished crawl goes on")
        return job
    return _begin_round(queue, command, settings, seeds, is_first=job is None)


def _begin_round(
    queue: CrawlQueue,
    command: str,
    settings: CrawlSettings,
    seeds: list[tuple[str, str]],
    is_first: bool,
) -> Job:
    """Begin a round of a command and queue its addresses.

    For a whole site, a further round reads the list of changes. For other crawls all pages are
    queued again.

    settings: only whether the whole site is crawled, and its wiki, count here.
    seeds: (address, kind); a further round of a whole site does not use them.
    is_first: whether the command has had no round yet.
    """
    from scraper.crawl.page_lists import first_part_entry

    now = datetime.now(UTC).isoformat(timespec="seconds")
    with queue.transaction():
        job = queue.begin(command, now)
        if is_first or not settings.whole:
            for kind in ("page", "source", "probe"):
                queue.requeue(job, kind=kind)
            queue.enqueue(
                job, [QueueEntry(key(url), url, origin(url), kind, 0) for url, kind in seeds]
            )
        else:
            queue.retry(job)
            queue.forget(job, "changes")
            wiki = settings.wiki
            queue.enqueue(
                job,
                [first_part_entry(url, "changes") for url in (wiki.changes[:1] if wiki else ())],
            )
    return job


def _report(queue: CrawlQueue, job: Job, settings: CrawlSettings, crawler: Crawler) -> CrawlReport:
    """Return the results of a round. Raises SourceError if there are none, as nothing could be.

    job: the round, with the results of all its runs.
    crawler: the one of this run, which knows the hosts that were given up.

    Moved pages count as skipped (`redirect`) unless sources are crawled. In a further round of a
    whole site, pages of earlier rounds count as unchanged if no host was given up.
    """
    counts = queue.counts(job)
    totals = {
        name: sum(n for (state, _), n in counts.items() if state == name)
        for name in (FETCHED, UNCHANGED, MOVED)
    }
    skipped = {what: n for (state, what), n in sorted(counts.items()) if state == SKIPPED}
    if totals[MOVED] and not settings.source:
        skipped["redirect"] = totals[MOVED]
    unchanged = totals[UNCHANGED]
    # In a further round of a whole site only changed pages are visited; the others are unchanged.
    given_up = [CrawlFailure(host, what) for host, what in crawler.given_up.items()]
    if settings.whole and not given_up:
        unchanged += queue.count_rows(
            job,
            f"state in ('fetched', 'unchanged') and round < {job.round} "
            "and kind in ('page', 'source')",
        )
    failed = [CrawlFailure(url, what) for url, what in queue.failures(job)]
    failed += given_up
    left = queue.count_rows(job, "state = 'waiting' and kind in ('page', 'source', 'probe')")
    report = CrawlReport(totals[FETCHED], unchanged, skipped, tuple(failed), left, tuple(given_up))
    if not report.fetched and not report.unchanged:
        _raise_if_impossible(report)
    return report


def _raise_if_impossible(report: CrawlReport) -> None:
    """Raise SourceError for a crawl without pages if all failed, or robots.txt forbids all.

    Otherwise nothing happens: also if some failed and others were skipped, or nothing was found.
    """
    if report.failed and not report.skipped:
        first = report.failed[0]
        more = f" (and {len(report.failed) - 1} more)" if len(report.failed) > 1 else ""
        raise SourceError(f"{first.url}: {first.what}{more}; the same command tries again")
    if set(report.skipped) == {"robots.txt"} and not report.failed:
        raise SourceError("the site's robots.txt allows none of these pages to be fetched")
