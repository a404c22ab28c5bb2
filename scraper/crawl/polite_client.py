"""Asking a site as it wishes to be asked: by its rules, at its pace, again when it is busy."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from scraper.crawl import rate_limit, robots
from scraper.crawl.connection_guard import PrivateAddress
from scraper.crawl.fetch import Answer, Fetcher, Trouble
from scraper.crawl.plan import CrawlPlan
from scraper.crawl.queue import CrawlQueue, Job
from scraper.crawl.urls import origin, tidy

REDIRECTS = {301, 302, 303, 307, 308}
MOST_HOPS = 10
_BUSY = {429, 502, 503, 504}
_PATIENCE = 5  # pages in a row that a host may refuse before it is left alone
_ROBOTS_LAST = 86400.0  # seconds that a robots.txt is good for, by the standard
_PLAIN = {"Accept-Encoding": "identity"}


class HostClosed(Exception):
    """A host where nothing more is asked for in this run: why."""


class PoliteClient:
    """Asks hosts for pages. `closed` tells which hosts are asked nothing more, and why."""

    def __init__(
        self,
        fetcher: Fetcher,
        state: CrawlQueue,
        job: Job,
        order: CrawlPlan,
        say: Callable[[str], None],
    ) -> None:
        self._fetcher = fetcher
        self._state = state
        self._job = job
        self._order = order
        self._say = say
        self._pace = rate_limit.RateLimiter()
        self._rules: dict[str, robots.Rules] = {}
        self._refusals: Counter[str] = Counter()
        self.closed: dict[str, str] = {}

    @property
    def slowest(self) -> float:
        """The seconds from one request to the next, where they are most."""
        return max([self._order.delay, *(rules.delay for rules in self._rules.values())])

    def ask(self, url: str, conditions: Mapping[str, str]) -> Answer:
        """The answer of a host whose rules allow the question. Raises Trouble, PrivateAddress."""
        host = origin(url)
        delay = max(self._order.delay, self.rules(host).delay)
        try:
            answer = self._persist(url, delay, conditions)
        except Trouble as trouble:
            if trouble.host:
                self._refused(host, str(trouble))
            raise
        self._refusals[host] = 0
        return answer

    def rules(self, host: str) -> robots.Rules:
        """The rules of a host, asked for once a round before anything else there. Raises
        HostClosed where they can't be had."""
        if host not in self._rules:
            self._rules[host] = robots.rules(self._robots_text(host))
            asks = self._rules[host].delay
            if asks > self._order.delay:
                self._pace.hold(urlsplit(host).hostname or "", asks)
            if asks > 10:
                self._say(f"{host} asks for {asks:g} s between two requests")
        return self._rules[host]

    def _robots_text(self, host: str) -> str:
        name = f"robots {host}"
        old = self._state.noted(name)
        this = [self._job.id, self._job.round]
        if old and old["round"] == this and time.time() - old["when"] < _ROBOTS_LAST:
            return str(old["text"])
        text = self._fetch_robots(f"{host}/robots.txt")
        self._state.note(name, {"round": this, "when": time.time(), "text": text})
        return text

    def _fetch_robots(self, url: str) -> str:
        first, problem = url, ""
        for _ in range(MOST_HOPS):
            if not self._order.scope.holds(url):
                problem = f"leads to {url}, which is another site"
                break
            try:
                answer = self._persist(url, self._order.delay, _PLAIN, robots.LARGEST)
            except (Trouble, PrivateAddress) as trouble:
                problem = str(trouble)
                break
            if answer.status in REDIRECTS:
                url = target_of(answer) or url
                continue
            if answer.status == 200:
                return answer.body.decode("utf-8", "replace").removeprefix("\ufeff")
            if 400 <= answer.status < 500:
                return ""
            problem = f"answers {answer.status}"
            break
        why = f"can't be read ({problem or 'redirects without end'}), so nothing there is allowed"
        self.closed[origin(first)] = f"robots.txt {why}"
        raise HostClosed(why)

    def _refused(self, host: str, what: str) -> None:
        """After a few refusals in a row a host is left alone until the next run."""
        self._refusals[host] += 1
        if self._refusals[host] >= _PATIENCE:
            self.closed[host] = (
                f"left alone after {_PATIENCE} pages in a row that it did not give ({what})"
            )

    def _persist(
        self, url: str, delay: float, conditions: Mapping[str, str], cut: int = 0
    ) -> Answer:
        """Ask, and again after a while where the server is busy or the net was in the way."""
        host = urlsplit(url).hostname or ""
        for attempt in range(1, rate_limit.TRIES + 1):
            self._pace.wait(host, delay)
            wait = rate_limit.FIRST_WAIT * max(1.0, delay) * 2 ** (attempt - 1)
            try:
                answer = self._fetcher.get(url, conditions, cut, cut=bool(cut))
            except Trouble as trouble:
                if attempt >= min(trouble.tries, rate_limit.TRIES):
                    raise
            else:
                if answer.status not in _BUSY:
                    return answer
                asked = rate_limit.retry_after(answer.header("retry-after"))
                wait = wait if asked is None else asked
                what = f"{answer.status} {answer.reason}".strip()
                if wait > rate_limit.LONGEST_WAIT:
                    raise Trouble(
                        f"{what}: asks to come back in {rate_limit.duration(wait)}", host=True
                    )
                if attempt == rate_limit.TRIES:
                    raise Trouble(f"{what}, {attempt} times", host=True)
            if wait >= 5:
                self._say(f"{url}: waiting {wait:.0f} s before trying again")
            self._pace.hold(host, wait)
        raise AssertionError("the last try returns or raises")


def target_of(answer: Answer) -> str | None:
    """Where a redirect leads; None where that is no address. Bytes beyond ASCII are taken as they
    are, whatever they are the letters of."""
    said = answer.header("location")
    said = re.sub(r"[^\x00-\x7f]", lambda found: f"%{ord(found[0]):02X}", said)
    return tidy(said, answer.url) if said else None
