"""Several processes for pure computation: pieces go out, answers come back in their order.

A worker is a Python of its own that takes work from its standard input, and ends when that ends.
`multiprocessing` has three habits that do not suit here: its workers run the script of who calls
again (without `if __name__ == "__main__"` in it, a build would start builds), they outlive a
parent that is killed, and each of them tells its own story when a person interrupts.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeVar, cast

from kb.errors import BuildError

Given = TypeVar("Given")
Piece = TypeVar("Piece")
Answer = TypeVar("Answer")

MOST_WORKERS = 4  # workers, unless asked for: the one who writes has not work for many more
WORTH_WORKERS = (
    2_000_000  # bytes of work, before which starting processes takes longer than it saves
)
_AHEAD = 3  # pieces a worker that are under way, so that none waits for the one who writes
_UNDER_WAY = 64_000_000  # bytes of them in all
_START = "import sys; sys.path = sys.argv[1:]; from kb.workers import serve; serve()"


def default_workers() -> int:
    """How many workers there are if nobody says: one for each core that is ours, up to `MOST`."""
    ours = getattr(os, "sched_getaffinity", None)
    cores = len(ours(0)) if ours else os.cpu_count() or 1
    return min(cores, MOST_WORKERS)


class WorkerPool:
    """Workers, started when there is enough to do for them; all of them end with the `with`.

    >>> def ending(mark):
    ...     return lambda word: word + mark
    >>> with WorkerPool(2) as pool:
    ...     list(pool.map(ending, "!", ["a", "b"], len))  # too little: no process is started
    ['a!', 'b!']
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(most)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.end()
        self._threads.shutdown(cancel_futures=True)

    def map(
        self,
        make: Callable[[Given], Callable[[Piece], Answer]],
        given: Given,
        pieces: Iterable[Piece],
        size: Callable[[Piece], int],
    ) -> Iterator[Answer]:
        """What the function that `make(given)` makes gives for each piece, in their order.

        make: a function of a module, found there by each worker, which calls it once.
        size: about how many bytes of work a piece is.

        Raises what the function raises, and BuildError if a worker ends before its time.
        """
        pieces = iter(pieces)
        if not self._workers:
            first, enough = self._first(pieces, size)
            if not enough:
                yield from map(make(given), chain(first, pieces))
                return
            self._start()
            pieces = chain(first, pieces)
        job = pickle.dumps((make, given), pickle.HIGHEST_PROTOCOL)
        out: deque[tuple[int, Future[bytes]]] = deque()
        under_way = 0
        for piece in pieces:
            amount = size(piece)
            while out and (len(out) >= _AHEAD * self._most or under_way + amount > _UNDER_WAY):
                gone, answer = out.popleft()
                under_way -= gone
                yield pickle.loads(answer.result())
            out.append((amount, self._threads.submit(self._ask, job, piece)))
            under_way += amount
        for _, answer in out:
            yield pickle.loads(answer.result())

    def submit(self, work: Callable[[Given], Answer], given: Given) -> Callable[[], Answer]:
        """Have one thing done beside what is mapped meanwhile; what comes back asks for it.

        work: a function of a module.
        """
        if not self._workers:
            return lambda: work(given)
        answer = self._threads.submit(self._ask, pickle.dumps((_itself, work)), given)
        return lambda: cast(Answer, pickle.loads(answer.result()))

    def _first(
        self, pieces: Iterator[Piece], size: Callable[[Piece], int]
    ) -> tuple[list[Piece], bool]:
        """The first pieces, and whether they are enough to start workers for."""
        first: list[Piece] = []
        amount = 0
        for piece in pieces if self._most > 1 else ():
            first.append(piece)
            amount += size(piece)
            if amount > WORTH_WORKERS and len(first) > 1:
                return first, True
        return first, False

    def _start(self) -> None:
        for _ in range(self._most):
            self._workers.append(_Worker())
            self._idle.put(self._workers[-1])

    def _ask(self, job: bytes, piece: object) -> bytes:
        worker = self._idle.get()
        try:
            return worker.ask(job, piece)
        finally:
            self._idle.put(worker)


def _itself(work: Callable[[Given], Answer]) -> Callable[[Given], Answer]:
    return work


class _Worker:
    """One process, seen from who gives it work."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-c", _START, *sys.path]
        self._job: bytes | None = None
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **_apart()
            )
        except OSError as error:
            what = error.strerror or error
            raise BuildError(
                f"a worker process can't be started: {what}; --workers 1 needs none"
            ) from error
        assert self._process.stdin and self._process.stdout
        self._to, self._from = self._process.stdin, self._process.stdout

    def ask(self, job: bytes, piece: object) -> bytes:
        """What the job gives for a piece, pickled."""
        try:
            self._send((None if job is self._job else job, piece))
            self._job = job
            error, answer = pickle.load(self._from)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise BuildError(self._fate()) from None
        if error is not None:
            raise error
        return bytes(answer)

    def end(self) -> None:
        """End the process, whatever it does: it holds nothing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._to, self._from):
            with suppress(OSError):  # what it was still to be sent
                pipe.close()

    def _send(self, message: object) -> None:
        pickle.dump(message, self._to, pickle.HIGHEST_PROTOCOL)
        self._to.flush()

    def _fate(self) -> str:
        code = self._process.wait()
        how = f"killed ({signal.strsignal(-code)})" if code < 0 else f"ended with code {code}"
        return (
            f"a worker process was {how} in the middle of its work; if memory was short, "
            "--workers 1 needs the least; what was there before is kept"
        )


def _apart() -> dict[str, Any]:
    """A person who interrupts interrupts the parent alone, which ends its workers."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def serve() -> None:
    """What a worker does: a piece after the other, until nobody gives it any."""
    pieces, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing gets among answers
    work: Callable[[Any], object] = _itself
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            job, piece = pickle.load(pieces)
            failed: Exception | None = None
            answer = b""
            try:
                if job is not None:
                    make, given = pickle.loads(job)
                    work = make(given)
                    del job, given  # they may be large
                answer = pickle.dumps(work(piece), pickle.HIGHEST_PROTOCOL)
            except Exception as error:
                failed = _portable(error)
            pickle.dump((failed, answer), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
    os._exit(0)  # without a word on what could not be sent


def _portable(error: Exception) -> Exception:
    """An error as another process can raise it, with the place where it was raised."""
    where = f"in a worker process:\n{traceback.format_exc()}"
    portable: Exception
    try:
        portable = pickle.loads(pickle.dumps(error))
    except Exception:
        portable = RuntimeError(f"{type(error).__name__}: {error}")
    portable.add_note(where)
    return portable
