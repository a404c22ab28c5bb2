"""One request and its whole answer, or why there is none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType

import httpcore
import httpx

from scraper.crawl.connection_guard import Guarded
from scraper.sources.http_body import BodyError, decode_body

LARGEST = 32 << 20
DEADLINE = 60.0  # seconds for an answer in all
SILENCE = 20.0  # seconds without a byte
_TRIES = 3  # where there is no connection
_ASKED = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
_NO_PAGE = (
    "image/", "audio/", "video/", "font/", "model/", "text/css", "text/javascript", "text/csv",
    "application/javascript", "application/x-javascript", "application/pdf", "application/zip",
    "application/gzip", "application/x-gzip", "application/x-tar", "application/font",
    "application/vnd.", "application/msword", "application/wasm", "application/x-shockwave",
)  # fmt: skip
_NOT_BUT = ("application/vnd.wap.xhtml",)
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered. `body` is decompressed, `sent` as it came. `request` is what was
    asked. `unwanted` says why the body was not read."""

    url: str
    status: int
    reason: str
    headers: Headers
    body: bytes
    sent: bytes
    taken: str
    request: Headers
    unwanted: str = ""

    def header(self, name: str) -> str:
        """The value of a header, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def validators(self) -> dict[str, str]:
        """What to ask with the next time, whether the page has changed."""
        found = {
            "If-None-Match": self.header("etag"),
            "If-Modified-Since": self.header("last-modified"),
        }
        return {name: value for name, value in found.items() if value and value.isascii()}


class Skip(Exception):
    """An address of which nothing is to be kept: why."""


class Trouble(Exception):
    """No answer that can be used: why, how many tries it is worth, and whether it is the host
    that gives nothing (`host`) or only this page."""

    def __init__(self, what: str, tries: int = 1, host: bool = False) -> None:
        super().__init__(what)
        self.tries = tries
        self.host = host


class Fetcher:
    """Asks for pages, one at a time. It keeps no cookies, follows no redirects, heeds no proxy
    that is set for others, and asks none but public hosts and those in `named`."""

    def __init__(self, agent: str, named: frozenset[str]) -> None:
        self._agent = agent
        self._guard = Guarded(named)
        self._transport = _Transport(self._guard)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._transport.close()

    def get(
        self,
        url: str,
        conditions: Mapping[str, str] | None = None,
        most: int = 0,
        cut: bool = False,
    ) -> Answer:
        """Ask for an address. Raises Trouble, or PrivateAddress.

        conditions: headers besides.
        most: the most bytes of a body that are taken; with `cut`, the beginning of a larger one.
        """
        most = most or LARGEST
        request = httpx.Request(
            "GET",
            url,
            headers={"User-Agent": self._agent, **_ASKED, **(conditions or {})},
            extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), SILENCE)},
        )
        began = time.monotonic()
        self._guard.deadline = began + DEADLINE
        taken = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        heard = False
        try:
            response = self._transport.handle_request(request)
            heard = True
            try:
                return self._answer(request, response, taken, most, cut)
            finally:
                response.close()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise Trouble(str(error) or "no connection", _TRIES, host=True) from None
        except httpx.TimeoutException:
            seconds = time.monotonic() - began
            raise Trouble(f"no whole answer within {seconds:.0f} s", host=not heard) from None
        except (httpx.TransportError, httpx.InvalidURL, OSError) as error:
            raise Trouble(str(error) or type(error).__name__, 2) from None

    def _answer(
        self, request: httpx.Request, response: httpx.Response, taken: str, most: int, cut: bool
    ) -> Answer:
        reason = response.extensions.get("reason_phrase", b"").decode("latin-1")
        headers = tuple(
            (key.decode("latin-1"), value.decode("latin-1")) for key, value in response.headers.raw
        )
        asked = tuple((k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers.raw)
        answer = Answer(
            str(request.url), response.status_code, reason, headers, b"", b"", taken, asked
        )
        if response.status_code != 200:
            return answer
        unwanted = "" if cut else _unwanted(answer.header("content-type"))
        if unwanted:
            return replace(answer, unwanted=unwanted)
        sent = self._body(response, most, cut)
        try:
            body = decode_body(sent, answer.header("content-encoding"), most)
        except BodyError as error:
            raise Trouble(str(error)) from None
        return replace(answer, body=body, sent=sent)

    def _body(self, response: httpx.Response, most: int, cut: bool) -> bytes:
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length) > most and not cut:
            raise Trouble(f"larger than {most >> 20} MB")
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > most:
                if cut:
                    return bytes(body[:most])
                raise Trouble(f"larger than {most >> 20} MB")
        return bytes(body)


def _unwanted(content_type: str) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    if kind.startswith(_NO_PAGE) and not kind.startswith(_NOT_BUT):
        return f"no page ({kind[:60]})"
    return ""


class _Transport(httpx.HTTPTransport):
    """httpx's own transport, over connections that are guarded."""

    def __init__(self, guard: Guarded) -> None:
        # httpx has no public way to say which network is below it; the pool is all that its own
        # constructor makes.
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            # No connection twice: what a server sends behind an answer, unasked, would be taken
            # for the answer to the next request.
            max_keepalive_connections=0,
            network_backend=guard,
        )
