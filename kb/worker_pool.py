"""A pool of worker processes for pure computation; results come in the order of the items.

A worker is a separate Python process that reads work from its standard input, and ends when that
is closed. `multiprocessing` is not used for three reasons: its workers run the caller's script
again (if that has no `if __name__ == "__main__"`, a build would start builds), they outlive a
parent that is killed, and each prints its own traceback when a person interrupts.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeVar, cast

from kb.errors import BuildError
from kb.reason import Argument as NamedArgument
from kb.reason import Reason

Argument = TypeVar("Argument")
Item = TypeVar("Item")
Result = TypeVar("Result")

DEFAULT_MAX_WORKERS = (
    4  # by default: the process that writes the graph does not keep more of them busy
)
MIN_BYTES_FOR_WORKERS = (
    2_000_000  # bytes of work; for less, starting processes takes longer than it saves
)
_ONE_WORKER = NamedArgument("workers", 1)
# Items sent ahead, so that no worker waits for the process that writes. By hand: one is worked on
# and one waits; the third covers a slow write. More only takes memory, up to `_MAX_BYTES_AHEAD`.
_ITEMS_PER_WORKER = 3
_MOST_DEATHS = 2  # of workers at one task of an executor: one may be an accident, not the task's
_MAX_BYTES_AHEAD = 64_000_000  # of all items that are sent ahead: a guard of memory
_START = "import sys; sys.path = sys.argv[1:]; from kb.worker_pool import serve; serve()"


def default_workers() -> int:
    """Return the default number of workers: one per core that this process may use, up to four.

    Where the system doesn't tell which cores a process may use, all cores count.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(cores, DEFAULT_MAX_WORKERS)


class WorkerDiedError(BuildError):
    """Raised when a worker process ended in the middle of its work."""


class WorkerPool:
    """A context manager for worker processes, which are started when there is enough work.

    All of them are killed when the `with` block ends. Without them, work is done in this process.

    >>> def ending(mark):
    ...     return lambda word: word + mark
    >>> with WorkerPool(2) as pool:
    ...     list(pool.map(ending, "!", ["a", "b"], len))  # too little: no process is started
    ['a!', 'b!']
    """

    def __init__(self, max_workers: int) -> None:
        """max_workers: how many processes to start if any; with 1, none are ever started."""
        self._max_workers = max_workers
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(max_workers)
        self._is_ended = False

    def __enter__(self) -> WorkerPool:
        atexit.register(self._kill)  # where a signal ends this process, but not this block
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._kill()  # all of them at once
        for worker in self._workers:
            worker.end()
        self._threads.shutdown(cancel_futures=True)
        atexit.unregister(self._kill)

    def _kill(self) -> None:
        self._is_ended = True
        for worker in self._workers:
            worker.kill()

    def map(
        self,
        make: Callable[[Argument], Callable[[Item], Result]],
        argument: Argument,
        items: Iterable[Item],
        size: Callable[[Item], int],
    ) -> Iterator[Result]:
        """Yield the result of `make(argument)(item)` for each item, in the order of the items.

        Nothing is done before the first result is asked for. If no workers are running and all
        items together are little work, `make` and its function are called in this process.

        make: a function at the top level of a module, so that workers can import it. Each worker
            calls it once, and calls the function that it returns for each item.
        argument: passed to `make`; like items and results, it is pickled for the workers.
        items: read ahead of the results.
        size: returns about how many bytes of work an item is.

        Raises what the function raises, and BuildError if a worker dies or can't be started.
        """
        items = iter(items)
        if not self._workers:
            first, enough = self._first(items, size)
            if not enough:
                yield from map(make(argument), chain(first, items))
                return
            self._start()
            items = chain(first, items)
        job = pickle.dumps((make, argument), pickle.HIGHEST_PROTOCOL)
        max_ahead = _ITEMS_PER_WORKER * self._max_workers
        ahead: deque[tuple[int, Future[bytes]]] = deque()
        bytes_ahead = 0
        for item in items:
            item_size = size(item)
            while ahead and (len(ahead) >= max_ahead or bytes_ahead + item_size > _MAX_BYTES_AHEAD):
                done_size, result = ahead.popleft()
                bytes_ahead -= done_size
                yield pickle.loads(result.result())
            ahead.append((item_size, self._threads.submit(self._run, job, item)))
            bytes_ahead += item_size
        for _, result in ahead:
            yield pickle.loads(result.result())

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Callable[[], Result]:
        """Start a call beside other work; return a function that waits for its result.

        function: one at the top level of a module. If no workers are running, it is called when
            the result is asked for, in this process; no workers are started for it.
        arguments: passed to `function`; if workers are running, they are pickled for them.

        What the function raises, and BuildError if a worker dies, is raised by the call for the
        result.
        """
        if not self._workers:
            return lambda: function(*arguments)
        result = self._threads.submit(self._run, pickle.dumps((_calling, function)), arguments)
        return lambda: cast(Result, pickle.loads(result.result()))

    def executor(self) -> Executor:
        """Return an executor that runs tasks in the worker processes, which are started for them.

        A task whose worker dies is given to another, twice at most; then BuildError is raised. The
        executor needs no shutdown: the pool ends the workers.
        """
        return _PoolExecutor(self)

    def start_task(self, task: bytes, arguments: tuple[Any, ...]) -> Future[Any]:
        """Begin a task of an executor; start the workers if none are running.

        task: pickled (make, function), of which `make(function)` takes `arguments`; see `map`."""
        if not self._workers:
            self._start()
        return self._threads.submit(lambda: pickle.loads(self._run(task, arguments, _MOST_DEATHS)))

    def _first(self, items: Iterator[Item], size: Callable[[Item], int]) -> tuple[list[Item], bool]:
        """Return the first items, and whether they are enough work to start workers for: more than
        2,000,000 bytes, in two items or more.

        size: returns about how many bytes of work an item is.

        These items are consumed from `items`. With one worker there are none, and it is False.
        """
        first: list[Item] = []
        total = 0
        for item in items if self._max_workers > 1 else ():
            first.append(item)
            total += size(item)
            if total > MIN_BYTES_FOR_WORKERS and len(first) > 1:
                return first, True
        return first, False

    def _start(self) -> None:
        for _ in range(self._max_workers):
            self._workers.append(_Worker())
            self._idle.put(self._workers[-1])

    def _run(self, job: bytes, item: object, deaths: int = 0) -> bytes:
        """Return the pickled result of a job for an item, from the next worker that is free.

        deaths: how many workers may die of it and have another in their place.
        """
        worker = self._idle.get()
        try:
            return worker.run(job, item)
        except WorkerDiedError:
            if not deaths or self._is_ended:
                raise
            worker = _Worker()
            self._workers.append(worker)
        finally:
            self._idle.put(worker)
        return self._run(job, item, deaths - 1)


class _PoolExecutor(Executor):
    """See `WorkerPool.executor`."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function, one at the top level of a module, in a worker process."""
        task = pickle.dumps((_calling, partial(fn, **kwargs) if kwargs else fn))
        return self._pool.start_task(task, args)


def _calling(function: Callable[..., Result]) -> Callable[[tuple[Any, ...]], Result]:
    """Return a function that takes the arguments as a tuple."""
    return lambda arguments: function(*arguments)


class _Worker:
    """The parent's handle of one worker process."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-c", _START, *sys.path]
        self._job: bytes | None = None  # the last that was sent
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **_own_process_group()
            )
        except OSError as error:
            why = str(error.strerror or error)
            raise BuildError("no_worker_started", why=why, workers=_ONE_WORKER) from error
        assert self._process.stdin and self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def run(self, job: bytes, item: object) -> bytes:
        """Return the pickled result of a job for an item.

        job: pickled (make, argument), as in `WorkerPool.map`. It is sent only if it is not the
            same object as in the last call.

        Raises what the job raises, and BuildError if the process dies.
        """
        try:
            self._send((None if job is self._job else job, item))
            self._job = job
            error, result = pickle.load(self._stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise WorkerDiedError(self._death()) from None
        if error is not None:
            raise error
        return bytes(result)

    def kill(self) -> None:
        """Kill the process, whatever it is doing: it has no state that could be lost."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process, wait for its end, and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._stdin, self._stdout):
            with suppress(OSError):  # closing flushes what was still to be sent
                pipe.close()

    def _send(self, message: object) -> None:
        pickle.dump(message, self._stdin, pickle.HIGHEST_PROTOCOL)
        self._stdin.flush()

    def _death(self) -> Reason:
        """Return why the process is no longer there, by the signal that killed it or the status it
        ended with; wait for its end."""
        code = self._process.wait()
        if code < 0:
            return Reason("worker_killed", by=signal.strsignal(-code), workers=_ONE_WORKER)
        return Reason("worker_ended", status=str(code), workers=_ONE_WORKER)


def _own_process_group() -> dict[str, Any]:
    """Arguments of Popen by which an interrupt from the keyboard reaches the parent alone, which
    then ends its workers."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def serve() -> None:
    """Run as a worker: process items from standard input until it is closed, then exit.

    An item comes as pickled (job, item); job is pickled (make, argument), or None to use the last
    function again. For each item pickled (error, pickled result) goes to the standard output; the
    error is None if there was none. Whatever the function prints is discarded.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # it ends as of any other signal, in silence
    requests, results = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing that is printed may get among the results.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    function: Callable[[Any], object] = repr  # until the first job
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            job, item = pickle.load(requests)
            failure: Exception | None = None
            result = b""
            try:
                if job is not None:
                    make, argument = pickle.loads(job)
                    function = make(argument)
                    del job, argument  # they may be large
                result = pickle.dumps(function(item), pickle.HIGHEST_PROTOCOL)
            except Exception as error:
                failure = _portable(error)
            pickle.dump((failure, result), results, pickle.HIGHEST_PROTOCOL)
            results.flush()
    os._exit(0)  # no flush at exit, which would print an error if results can't be sent


def _portable(error: Exception) -> Exception:
    """Return an error that another process can raise, with the worker's traceback as a note.

    If the error can't be pickled and unpickled, it is a RuntimeError with its type and message.
    """
    note = f"in a worker process:\n{traceback.format_exc()}"
    portable: Exception
    try:
        portable = pickle.loads(pickle.dumps(error))
    except Exception:
        portable = RuntimeError(f"{type(error).__name__}: {error}")
    portable.add_note(note)
    return portable
