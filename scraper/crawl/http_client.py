"""An HTTP client that fetches one page per request, with limits on its size and duration."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpcore

from scraper.crawl.private_address_guard import GuardedBackend
from scraper.crawl.urls import tidy
from scraper.sources.http_body import BodyError, decode_body

# Guards against a host that sends without end, or hardly anything, by hand: too low would lose the
# pages of a slow site.
LARGEST = 32 << 20  # bytes of a body
DEADLINE = 60.0  # seconds for a whole answer
SILENCE = 20.0  # seconds without a byte
_TRIES = 3  # if no connection can be made: it may fail for a moment, but seldom three times
_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
_UNWANTED_TYPES = (
    "image/", "audio/", "video/", "font/", "model/", "text/css", "text/javascript", "text/csv",
    "application/javascript", "application/x-javascript", "application/zip",
    "application/gzip", "application/x-gzip", "application/x-tar", "application/font",
    "application/vnd.", "application/msword", "application/wasm", "application/x-shockwave",
)  # fmt: skip
_WANTED_TYPES = ("application/vnd.wap.xhtml",)  # exceptions to the unwanted types
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer to one request.

    url: the address that was asked for.
    status: the HTTP status code; reason: the phrase after it.
    headers: the answer's headers, as names and values.
    body: the body without its content coding; empty unless the status is 200.
    sent: the body as it was sent.
    taken: when the request was made, in UTC, in ISO 8601 with `Z`.
    request: the headers of the request.
    unwanted: why the body was not read, such as "no page (image/png)"; empty if it was.
    """

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
        """Return the first value of a header, or an empty text. `name` is in lower case."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def robots(self) -> tuple[str, ...]:
        """The values of the X-Robots-Tag headers."""
        return tuple(value for name, value in self.headers if name.lower() == "x-robots-tag")

    @property
    def validators(self) -> dict[str, str]:
        """The headers of a conditional request that asks whether the page has changed since.

        {name of a header: value}, for the `conditions` of `Fetcher.get`: `If-None-Match` and
        `If-Modified-Since`, or those of them for which the server gave a value.
        """
        validators = {
            "If-None-Match": self.header("etag"),
            "If-Modified-Since": self.header("last-modified"),
        }
        return {name: value for name, value in validators.items() if value and value.isascii()}


class Skip(Exception):
    """Raised for an address of which nothing is to be kept; the message says why."""


class Trouble(Exception):
    """Raised if there is no usable answer; the message says why.

    tries: how many requests are worth making in all.
    host: whether the whole host fails to answer, not only this page.
    """

    def __init__(self, what: str, tries: int = 1, host: bool = False) -> None:
        super().__init__(what)
        self.tries = tries
        self.host = host


class Fetcher:
    """Fetches one page at a time.

    It keeps no cookies, follows no redirects and ignores proxy settings of the environment. It
    connects only to public hosts and to those in `named`. `agent` is its User-Agent.
    """

    def __init__(self, agent: str, named: frozenset[str]) -> None:
        """agent: the User-Agent; named: host names without port, which may be private hosts."""
        self._agent = agent
        self._backend = GuardedBackend(named)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpcore.default_ssl_context(),
            # No connection is used twice: anything that a server sends after an answer would be
            # taken for the answer to the next request.
            max_keepalive_connections=0,
            network_backend=self._backend,
        )

    def close(self) -> None:
        """Close the connections that are open."""
        self._pool.close()

    def get(
        self,
        url: str,
        conditions: Mapping[str, str] | None = None,
        max_bytes: int = 0,
        truncate: bool = False,
    ) -> Answer:
        """Make a GET request and return the answer, whatever its status.

        The body is empty unless the status is 200, and also for a type that is no page, such as an
        image: then `unwanted` says why.

        url: it is asked for in the form of `scraper.crawl.urls.tidy`.
        conditions: headers to send besides the usual ones, such as `Answer.validators`.
        max_bytes: the most bytes of a body, before and after decoding; 0 for `LARGEST`.
        truncate: return the beginning of a body that is larger, and a body of any type. A
            compressed body that is cut can't be decoded: that raises Trouble.

        Raises Trouble if there is no usable answer (also for a body that is too large), and
        PrivateAddress for a host that is not public and was not named. No request is repeated.
        """
        max_bytes = max_bytes or LARGEST
        address = tidy(url)
        if address is None:
            raise Trouble("no address that can be asked for")
        parts = urlsplit(address)
        headers = {"Host": parts.netloc, "User-Agent": self._agent, **_REQUEST_HEADERS}
        request = tuple((headers | dict(conditions or {})).items())
        began = time.monotonic()
        self._backend.deadline = began + DEADLINE
        taken = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        responded = False
        try:
            with self._pool.stream(
                "GET",
                # Made of its parts, because a whole address would lose what follows a semicolon.
                httpcore.URL(
                    scheme=parts.scheme,
                    host=parts.hostname or "",
                    port=parts.port,
                    target=address.removeprefix(f"{parts.scheme}://{parts.netloc}"),
                ),
                headers=request,
                extensions={"timeout": dict.fromkeys(("connect", "read", "write"), SILENCE)},
            ) as response:
                responded = True
                reason = response.extensions["reason_phrase"].decode("latin-1")
                received = tuple(
                    (key.decode("latin-1"), value.decode("latin-1"))
                    for key, value in response.headers
                )
                answer = Answer(
                    address, response.status, reason, received, b"", b"", taken, request
                )
                return self._with_body(answer, response, max_bytes, truncate)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise Trouble(str(error) or "no connection", _TRIES, host=True) from None
        except httpcore.TimeoutException:
            seconds = time.monotonic() - began
            raise Trouble(f"no whole answer within {seconds:.0f} s", host=not responded) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise Trouble(str(error) or type(error).__name__, 2, host=not responded) from None

    def _with_body(
        self, answer: Answer, response: httpcore.Response, max_bytes: int, truncate: bool
    ) -> Answer:
        """Return an answer with its body, which is read only if the status is 200 and its type
        may be a page's (or `truncate` is set).

        max_bytes: the most bytes of the body, before and after decoding.
        """
        if answer.status != 200:
            return answer
        unwanted = "" if truncate else _reason_not_to_read(answer.header("content-type"))
        if unwanted:
            return replace(answer, unwanted=unwanted)
        length = answer.header("content-length")
        if length.isdigit() and int(length) > max_bytes and not truncate:
            raise Trouble(f"larger than {max_bytes >> 20} MB")
        sent = self._read_body(response, max_bytes, truncate)
        try:
            body = decode_body(sent, answer.header("content-encoding"), max_bytes)
        except BodyError as error:
            raise Trouble(str(error)) from None
        return replace(answer, body=body, sent=sent)

    def _read_body(self, response: httpcore.Response, max_bytes: int, truncate: bool) -> bytes:
        """Return the body as it was sent, still compressed. Raises Trouble if it is too large; with
        `truncate` its first `max_bytes` bytes are returned instead.

        response: one whose body has not been read; it is not closed here.
        """
        body = bytearray()
        for piece in response.iter_stream():
            body += piece
            if len(body) > max_bytes:
                if truncate:
                    return bytes(body[:max_bytes])
                raise Trouble(f"larger than {max_bytes >> 20} MB")
        return bytes(body)


def _reason_not_to_read(content_type: str) -> str:
    """Return why a body of a content type is not read (a text), or an empty text if it is.

    content_type: the value of the header, with or without parameters; if empty, the body is read.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind.startswith(_UNWANTED_TYPES) and not kind.startswith(_WANTED_TYPES):
        return f"no page ({kind[:60]})"
    return ""
