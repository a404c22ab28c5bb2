"""Runs tasks on a Dask cluster, and notices when it is gone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from threading import Thread
from typing import Any

from distributed import Client

from kb.building.program_fingerprint import build_fingerprint
from kb.errors import BuildError, QuestionError
from kb.reason import Reason

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
