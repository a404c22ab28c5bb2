"""Where the tasks of shards run: in this process, in worker processes, or on a Dask cluster.

All have the interface of `concurrent.futures`: any `Executor` whose workers have sansho installed
can be given to `kb.build`.

A Dask cluster that is gone is noticed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import Any, TypeVar

from distributed import Client

from kb.building.program_fingerprint import build_fingerprint
from kb.errors import BuildError, QuestionError
from kb.reason import Reason
from kb.worker_pool import WorkerPool

# By hand: long enough for a cluster that is busy or starts, no longer than a person waits for an
# address that is wrong.
_CONNECT = 10  # seconds
_WAIT_FOR_WORKERS = 30  # seconds, before the first task
# At a cluster without workers, while tasks wait: one may start again. With `_LOOK` of `executors`,
# of five seconds, that is a minute.
_MOST_LOOKS = 12


class DaskExecutor(Executor):
    """The executor of a Dask cluster. Its tasks wait as long as there are no workers, in silence:
    so `check_workers` is called now and then.

    address: that of its scheduler.
    """

    def __init__(self, client: Client, address: str) -> None:
        self.address = address
        self._client = client
        self._executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        self._looks_in_vain = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a worker run a task; return its future."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def check_workers(self) -> None:
        """Raise BuildError if the scheduler is gone, or had no workers at any of the last twelve
        calls."""
        try:
            workers = self._client.nthreads()  # type: ignore[no-untyped-call]
        except Exception as error:  # of the connection, or of a client that has given up
            raise BuildError("scheduler_silent", address=self.address) from error
        self._looks_in_vain = 0 if workers else self._looks_in_vain + 1
        if self._looks_in_vain >= _MOST_LOOKS:
            raise BuildError("workers_gone", address=self.address)


@contextmanager
def dask_executor(address: str) -> Iterator[DaskExecutor]:
    """Give the executor of a Dask cluster.

    address: that of its scheduler.

    Raises QuestionError if the scheduler can't be reached or has no workers, or if one of them
    can't run sansho.
    """
    with _without_log(), _client(address) as client:
        try:
            client.wait_for_workers(1, timeout=_WAIT_FOR_WORKERS)
        except TimeoutError:
            raise QuestionError("no_workers", address=address) from None
        _check_sansho(client)
        yield DaskExecutor(client, address)


@contextmanager
def _without_log() -> Iterator[None]:
    """Have Dask print nothing in the block: it prints tracebacks of what is raised here in words.
    The handlers of its log get their levels back behind it."""
    handlers = logging.getLogger("distributed").handlers
    levels = [handler.level for handler in handlers]
    try:
        for handler in handlers:
            handler.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=False):
            handler.setLevel(level)


def _client(address: str) -> Client:
    """Return a client of the scheduler at an address. Raises QuestionError, with why, if there is
    none, or it does not answer within twenty seconds."""
    made: Future[Client] = Future()

    def connect() -> None:
        try:
            made.set_result(Client(address, timeout=_CONNECT))  # type: ignore[no-untyped-call]
        except Exception as error:  # an address may lead to any
            made.set_exception(error)

    # In a thread: for an answer that is not Dask's, such as a web server's, it waits for ever.
    Thread(target=connect, daemon=True).start()
    try:
        return made.result(2 * _CONNECT)
    except Exception as error:
        why = str(error) or Reason("no_scheduler_listens")
        raise QuestionError("no_scheduler", address=address, why=why) from error


def _check_sansho(client: Client) -> None:
    """Raise QuestionError if a worker can't run sansho: Dask would lose it with its first task."""
    answers = client.run(build_fingerprint, on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, BaseException):
            raise QuestionError("worker_without_sansho", worker=worker, why=str(answer))


_LOOK = 5  # seconds between two looks at the workers: each is a call over the network
Result = TypeVar("Result")


class InThisProcess(Executor):
    """Runs each task when its result is asked for, in the thread that asks."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return the future of a task, which has not begun."""
        return _Deferred(partial(fn, *args, **kwargs))


class _Deferred(Future[Any]):
    """A task that is run when its result is asked for."""

    def __init__(self, task: Callable[[], Any]) -> None:
        super().__init__()
        self._task = task

    def result(self, timeout: float | None = None) -> Any:
        """Run the task, or return what it returned before; raise what it raises, and CancelledError
        if it was cancelled. It runs to its end: `timeout` does not bound it."""
        if not self.done() and self.set_running_or_notify_cancel():
            try:
                self.set_result(self._task())
            except Exception as error:
                self.set_exception(error)
        return super().result(timeout)


@contextmanager
def task_executor(
    given: Executor | None, scheduler: str | None, pool: WorkerPool, workers: int
) -> Iterator[Executor]:
    """Give what runs the tasks of a build.

    given: used as it is, and not shut down. scheduler: the address of a Dask scheduler, such as
    `tcp://10.0.0.1:8786`. Without these, worker processes of `pool`, or this process if `workers`
    is 1.

    Raises QuestionError if the scheduler can't be reached.
    """
    if given is not None:
        yield given
    elif scheduler is not None:
        with dask_executor(scheduler) as executor:
            yield executor
    elif workers > 1:
        yield pool.executor()
    else:
        yield InThisProcess()


def in_order(
    executor: Executor, task: Callable[..., Result], items: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """Yield what a task returns for each item, in their order, as soon as it and those before it
    are done; all are submitted at first. The first error ends it, and the tasks that have not begun
    are cancelled, as they are if the caller stops.

    items: the arguments of each call.

    Raises what a task raises, and BuildError where a task can't be done because its workers die,
    or whoever runs the tasks.
    """
    try:
        futures = [executor.submit(task, *item) for item in items]
    except RuntimeError as error:  # it was shut down, or is broken
        raise BuildError("executor_takes_none", why=str(error)) from error
    try:
        for number, future in enumerate(futures):
            yield _result(executor, future)
            futures[number] = Future()  # its result is not needed any more
    except BrokenExecutor as error:
        raise BuildError("executor_worker_died", why=str(error)) from error
    except CancelledError as error:
        if address := getattr(executor, "address", ""):
            raise BuildError("scheduler_gone", address=address) from error
        raise BuildError("executor_gone") from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's; importing it here would need Dask
            raise BuildError("workers_died_at_one_shard", why=str(error)) from error
        raise
    finally:
        for future in futures:
            future.cancel()


def _result(executor: Executor, future: Future[Result]) -> Result:
    """Return the result of a task, or raise what it raises. Meanwhile look now and then whether
    there is anybody to do it, if the executor has `check_workers`, which raises if not."""
    if check := getattr(executor, "check_workers", None):
        while not wait([future], _LOOK).done:
            check()
    return future.result()
