"""Says when a request is answered: few at once, each in its time, none that nobody waits for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from starlette.requests import Request

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
