"""What keeps the explorer safe: headers, what is refused unread, and when a request has its turn.

Few are answered at once, each in its time, and none that nobody waits for. A connection on which no
request arrives in time is closed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

import kb

# By hand, after six texts that nobody waited for had held a processor for 25 seconds: lower would
# end the slowest pages, higher lets them keep others waiting.
SECONDS = 10  # that a request may take, and as long that it may wait for its turn
THREADS = 6  # that make pages, each with its own connection to the file; more than OF_CLIENT
OF_CLIENT = 4  # requests of one client that are answered at once: two threads are left to others
TEXTS = 1  # of those, texts that are verified: they take the longest
MOST_WAITING = 100  # requests of one client; a guard: a reader has a few at a time

Result = TypeVar("Result")


class BusyError(Exception):
    """A client asks for too much at once, or its turn did not come in time."""


class GoneError(Exception):
    """The client did not wait for its answer."""


@dataclass(slots=True)
class _Client:
    """What one client has asked for and not got yet."""

    requests: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(OF_CLIENT))
    texts: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TEXTS))


class Turns:
    """Calls what makes an answer, in a thread, when it is the turn of its request."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="page")
        self._clients: dict[str, _Client] = {}
        self._waiting: Counter[str] = Counter()

    async def answer(self, request: Request, make: Callable[[], Result]) -> Result:
        """Return what a function returns that makes an answer.

        Raises kb.OutOfTimeError if it takes too long, BusyError if its turn does not come, and
        GoneError if the client goes away first. In all cases the work ends, if it was begun.
        """
        limit = kb.TimeLimit(self.seconds)
        work = asyncio.ensure_future(self._in_turn(request, limit, make))
        gone = asyncio.ensure_future(_has_gone(request))
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            limit.give_up()
            work.cancel()
            with suppress(asyncio.CancelledError, kb.OutOfTimeError, BusyError):
                await work
            raise GoneError
        finally:
            gone.cancel()

    async def _in_turn(
        self, request: Request, limit: kb.TimeLimit, make: Callable[[], Result]
    ) -> Result:
        async with self._turn(request):
            limit.begin()
            call = partial(copy_context().run, _limited, limit, make)
            begun = asyncio.get_running_loop().run_in_executor(self._threads, call)
            try:
                return await asyncio.shield(begun)
            except asyncio.CancelledError:
                limit.give_up()
                begun.cancel()
                with suppress(kb.OutOfTimeError, asyncio.CancelledError):
                    await begun  # the turn lasts until the thread has ended
                raise

    @asynccontextmanager
    async def _turn(self, request: Request) -> AsyncIterator[None]:
        """Wait for the turn of a request, and hold it in a `with` block. Raises BusyError if its
        client has a hundred that wait, or if the turn does not come in time."""
        name = request.client.host if request.client else ""
        if self._waiting[name] >= MOST_WAITING:
            raise BusyError
        client = self._clients.setdefault(name, _Client())
        taken: list[asyncio.Semaphore] = []
        self._waiting[name] += 1
        try:
            async with asyncio.timeout(self.seconds):
                for turn in (client.texts, client.requests)[request.method != "POST" :]:
                    await turn.acquire()
                    taken.append(turn)
            yield
        except TimeoutError:
            raise BusyError from None
        finally:
            for turn in taken:
                turn.release()
            self._waiting[name] -= 1
            if not self._waiting[name]:
                del self._waiting[name], self._clients[name]


def _limited(limit: kb.TimeLimit, make: Callable[[], Result]) -> Result:
    with kb.limited(limit):
        return make()


async def _has_gone(request: Request) -> None:
    """Wait until the client has closed the connection; what it still sends is thrown away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


LONGEST_ADDRESS = 8_000  # bytes of path and query: as many as servers usually take
# Bytes of a text that is sent to be verified: the most that `kb.web.pages.front_and_audit` takes
# (LONGEST), in Japanese, where a letter takes nine bytes, and some more for the other fields.
LARGEST_FORM = 1_000_000
MOST_FIELDS = 50  # of such a form, a guard: it has five
SAFE_HEADERS = {
    # Neither scripts nor styles inside a page, and nothing from elsewhere.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer`, browsers send `Origin: null` with the explorer's own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SafeAnswers:
    """The outermost layer of the explorer: it puts the headers of safety on every answer, also on
    that of an error of the program, and refuses requests that are too long and texts that another
    site's page sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; of an error of the program with 500, if no answer has begun."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_begun = False

        async def send_safely(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await (_refusal(scope) or self._app)(scope, receive, send_safely)
        except Exception:
            _LOG.exception("an error of the program, at %s", scope["path"])
            if not is_begun:
                answer = PlainTextResponse("Something is wrong in sansho.", status_code=500)
                await answer(scope, receive, send_safely)


def _refusal(scope: Scope) -> PlainTextResponse | None:
    """Return the answer to a request that is refused before it is read: 414 for a long address, 403
    for a text that another site's page sends; None for others."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
        return PlainTextResponse("The address is too long.", status_code=414)
    if scope["method"] not in ("GET", "HEAD") and _is_foreign(Headers(scope=scope)):
        return PlainTextResponse("A page of another site may not send texts here.", 403)
    return None


def _is_foreign(headers: Headers) -> bool:
    """Whether a request comes from a page that is not the explorer's, as browsers say: in `Origin`
    and `Sec-Fetch-Site`. What is no browser sends neither."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


_LOG = logging.getLogger("uvicorn.error")


# For the head of a request to arrive. By hand: a browser sends it at once, also by a slow line;
# without a limit, 250 requests of which only the beginning was sent once refused everybody.
# At once; a further one takes the place of one that waits. A guard: a browser opens about six, and
# the operating system lets a process have about 1,000 files and connections open.
MOST_CONNECTIONS = 500


class PatientProtocol(H11Protocol):
    """A connection: uvicorn's, which waits for ever for the end of a request's head."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._patience: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Whether the head of a request has arrived that has no whole answer yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._be_patient()
        if len(self.connections) > MOST_CONNECTIONS:
            others = (one for one in self.connections if isinstance(one, PatientProtocol))
            waiting = (one for one in others if one is not self and not one.is_answering)
            next(waiting, self).transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.is_answering:
            self._be_patient()
        super().data_received(data)
        if self.is_answering:
            self._stop_waiting()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP with 400 and the headers of safety, and close the connection."""
        headers = [(name.lower(), value) for name, value in SAFE_HEADERS.items()]
        kind = [("content-type", "text/plain; charset=utf-8"), ("connection", "close")]
        for event in (
            h11.Response(status_code=400, headers=[*kind, *headers], reason=b"Bad Request"),
            h11.Data(data=msg.encode("ascii")),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _be_patient(self) -> None:
        if self._patience is None:
            self._patience = self.loop.call_later(SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if not self.is_answering:
            self.transport.close()
