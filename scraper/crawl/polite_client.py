"""An HTTP client that obeys robots.txt, waits between requests and retries busy hosts."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from scraper.crawl import robots, waiting_times
from scraper.crawl.http_client import Answer, Fetcher, Trouble
from scraper.crawl.private_address_guard import PrivateAddress
from scraper.crawl.queue import CrawlQueue, Job
from scraper.crawl.urls import origin, tidy
from scraper.crawl.waiting_times import CrawlSettings

REDIRECTS = {301, 302, 303, 307, 308}  # those with a Location
MOST_HOPS = 10  # redirects in a row; the standard of robots.txt asks for five at least
_BUSY = {429, 502, 503, 504}  # what may be over soon, by HTTP
# Pages in a row that a host may refuse before it is left alone. By hand: a few pages may be broken;
# a host that is down or bars us is not to be asked for thousands.
_PATIENCE = 5
_ROBOTS_LIFETIME = 86400.0  # seconds, a day, that the standard lets a robots.txt be cached
_UNCOMPRESSED = {"Accept-Encoding": "identity"}


class HostClosed(Exception):
    """Raised for a host that is not asked again in this run; the message says why."""


class PoliteClient:
    """Fetches pages of hosts as their robots.txt allows, at their pace.

    fetcher: makes the requests.
    queue, job: where each robots.txt is kept, and the round in which it was fetched.
    settings: the settings of the crawl.
    say: called with messages for the user.
    closed: by origin, why a host is not asked again in this run.
    silent: by origin, of hosts that did not give the page that they were asked for last, why.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        queue: CrawlQueue,
        job: Job,
        settings: CrawlSettings,
        say: Callable[[str], None],
    ) -> None:
        self._fetcher = fetcher
        self._queue = queue
        self._job = job
        self._settings = settings
        self._say = say
        self._limiter = waiting_times.RateLimiter()
        self._rules: dict[str, robots.Rules] = {}  # by origin
        self._refusals: Counter[str] = Counter()  # by origin, in a row
        self.closed: dict[str, str] = {}
        self.silent: dict[str, str] = {}

    @property
    def slowest(self) -> float:
        """The seconds between two requests to the slowest host whose rules are known so far.

        At least the delay of the settings.
        """
        return max([self._settings.delay, *(rules.delay for rules in self._rules.values())])

    def fetch(self, url: str, conditions: Mapping[str, str]) -> Answer:
        """Fetch an address and return the answer; waits and retries as long as is needed.

        Whether robots.txt allows it or the host is in `closed` is not checked here. Redirects are
        not followed: the answer may have any status except 429, 502, 503 and 504.

        conditions: the headers of a conditional request, by name, as `Answer.validators`; empty
            to fetch the page in any case.

        Raises Trouble, PrivateAddress, and HostClosed if the host's robots.txt can't be read.
        """
        host = origin(url)
        delay = max(self._settings.delay, self.rules(host).delay)
        try:
            answer = self._fetch_with_retries(url, delay, conditions)
        except Trouble as trouble:
            if trouble.host:
                self._count_refusal(host, str(trouble))
                self.silent[host] = f"did not give the last page ({trouble})"
            raise
        self.silent.pop(host, None)
        if answer.status >= 500:
            self._count_refusal(host, f"{answer.status} {answer.reason}".strip())
        else:
            self._refusals[host] = 0
        return answer

    def rules(self, host: str) -> robots.Rules:
        """Return the robots.txt rules of an origin; they are fetched once a round, before any page.

        A host without robots.txt (a 4xx status, but not 429) has rules that allow everything.

        host: an origin such as `http://a.jp:8000`, not only the name of a host.

        Raises HostClosed if they can't be read, or ask for a pace that can't be kept.
        """
        if host not in self._rules:
            rules = robots.parse_rules(self._robots_text(host))
            host_delay = rules.delay
            if host_delay > max(waiting_times.LONGEST_WAIT, self._settings.delay):
                self.closed[host] = f"robots.txt asks for {_refused_pace(host_delay)}"
                raise HostClosed(self.closed[host])
            self._rules[host] = rules
            if host_delay > self._settings.delay:
                self._limiter.hold(urlsplit(host).hostname or "", host_delay)
            if host_delay > 10:
                self._say(f"{host} asks for {host_delay:g} s between two requests")
        return self._rules[host]

    def _robots_text(self, host: str) -> str:
        """Return the text of an origin's robots.txt; empty if there is none.

        It comes from the cache if it was fetched in this round and within a day. Raises HostClosed
        if it can't be read.
        """
        name = f"robots {host}"
        cached = self._queue.stored_value(name)
        this_round = [self._job.id, self._job.round]
        if (
            cached
            and cached["round"] == this_round
            and time.time() - cached["when"] < _ROBOTS_LIFETIME
        ):
            return str(cached["text"])
        text = self._fetch_robots(f"{host}/robots.txt")
        self._queue.store_value(name, {"round": this_round, "when": time.time(), "text": text})
        return text

    def _fetch_robots(self, url: str) -> str:
        """Fetch a robots.txt and return its text; empty if there is none (a 4xx status).

        Redirects are followed within the crawl's scope. The file is cut off at `robots.LARGEST`
        bytes, and decoded by `robots.decode_rules`. It can't be read after errors, other statuses
        (429 too if it is repeated), too many redirects, or one to another site.

        Raises HostClosed, and closes the host, if it can't be read.
        """
        first_url, problem = url, ""
        for _ in range(MOST_HOPS):
            if not self._settings.scope.holds(url):
                problem = f"leads to {url}, which is another site"
                break
            try:
                answer = self._fetch_with_retries(
                    url, self._settings.delay, _UNCOMPRESSED, robots.LARGEST
                )
            except (Trouble, PrivateAddress) as trouble:
                problem = str(trouble)
                break
            if answer.status in REDIRECTS:
                url = redirect_target(answer) or url
                continue
            if answer.status == 200:
                try:
                    return robots.decode_rules(answer.body)
                except robots.UnreadableRules as error:
                    problem = str(error)
                    break
            if 400 <= answer.status < 500:
                return ""
            problem = f"answers {answer.status}"
            break
        why = f"can't be read ({problem or 'redirects without end'}), so nothing there is allowed"
        self.closed[origin(first_url)] = f"robots.txt {why}"
        raise HostClosed(why)

    def _count_refusal(self, host: str, what: str) -> None:
        """Count a failure of a host, and put it into `closed` after `_PATIENCE` in a row.

        An answer in between (see `fetch`) that is no error of the server sets the count to 0.

        host: an origin.
        what: why it failed.
        """
        self._refusals[host] += 1
        if self._refusals[host] >= _PATIENCE:
            self.closed[host] = (
                f"left alone after {_PATIENCE} pages in a row that it did not give ({what})"
            )

    def _fetch_with_retries(
        self, url: str, delay: float, conditions: Mapping[str, str], max_bytes: int = 0
    ) -> Answer:
        """Fetch an address, again after a wait if the host is busy or the connection failed.

        delay: the least seconds between two requests to the host.
        conditions: further headers of the request.
        max_bytes: where the body is cut off; 0 if it must be whole.

        Raises Trouble after the last try, or if the host asks for too long a wait.
        """
        host = urlsplit(url).hostname or ""
        for attempt in range(1, waiting_times.TRIES + 1):
            self._limiter.wait(host, delay)
            wait = waiting_times.FIRST_WAIT * max(1.0, delay) * 2 ** (attempt - 1)
            try:
                answer = self._fetcher.get(url, conditions, max_bytes, truncate=bool(max_bytes))
            except Trouble as trouble:
                if attempt >= min(trouble.tries, waiting_times.TRIES):
                    raise
            else:
                if answer.status not in _BUSY:
                    return answer
                requested_wait = waiting_times.retry_after(answer.header("retry-after"))
                wait = wait if requested_wait is None else requested_wait
                what = f"{answer.status} {answer.reason}".strip()
                if wait > waiting_times.LONGEST_WAIT:
                    raise Trouble(
                        f"{what}: asks to come back in {waiting_times.duration(wait)}", host=True
                    )
                if attempt == waiting_times.TRIES:
                    raise Trouble(f"{what}, {attempt} times", host=True)
            if wait >= 5:
                self._say(f"{url}: waiting {wait:.0f} s before trying again")
            self._limiter.hold(host, wait)
        raise AssertionError("the last try returns or raises")


def _refused_pace(seconds: float) -> str:
    """Return what a robots.txt asks for, why that is not waited, and what can be done.

    seconds: between two requests; infinite if it is no number.
    """
    if not math.isfinite(seconds):
        return "a pace that is no number of seconds, so nothing there is asked for"
    limit = waiting_times.LONGEST_DELAY
    how = "with a delay as long it is kept to" if seconds <= limit else f"{limit} s can be kept to"
    asked = waiting_times.duration(seconds)
    most = waiting_times.duration(waiting_times.LONGEST_WAIT)
    return f"{asked} between two requests, and more than {most} are not waited unasked; {how}"


def redirect_target(answer: Answer) -> str | None:
    """Return the address that a redirect leads to, in the form of `tidy`.

    A relative Location starts from the answer's address. None if there is none or it can't be
    requested. The status of the answer is not looked at.

    Bytes beyond ASCII are percent-encoded as they are, whatever charset they are in.
    """
    location = answer.header("location")
    location = re.sub(r"[^\x00-\x7f]", lambda match: f"%{ord(match[0]):02X}", location)
    return tidy(location, answer.url) if location else None
