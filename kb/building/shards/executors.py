"""Where the tasks of shards run: in this process, in worker processes, or on a Dask cluster.

All have the interface of `concurrent.futures`: any `Executor` whose workers have sansho installed
can be given to `kb.build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from typing import Any, TypeVar

from kb.errors import BuildError, QuestionError
from kb.worker_pool import WorkerPool

_WAIT_FOR_WORKERS = 30  # seconds
Result = TypeVar("Result")


class InThisProcess(Executor):
    """Runs each task when it is submitted, in the thread that submits it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a task, and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


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
        with _dask(scheduler) as executor:
            yield executor
    elif workers > 1:
        yield pool.executor()
    else:
        yield InThisProcess()


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """Give the executor of a Dask cluster, by the address of its scheduler."""
    from distributed import Client

    try:
        client = Client(address, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise QuestionError(
            f"no Dask scheduler answers at {address}: {error}; start one with `dask scheduler`, "
            "and workers with `dask worker`"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WAIT_FOR_WORKERS)
        except TimeoutError:
            raise QuestionError(
                f"the Dask scheduler at {address} has no workers: start some with "
                f"`dask worker {address}`"
            ) from None
        yield client.get_executor(pure=False)  # type: ignore[no-untyped-call]


def in_order(
    executor: Executor, task: Callable[..., Result], items: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """Yield what a task returns for each item, in their order. The first error ends it, and the
    tasks that have not begun are cancelled.

    items: the arguments of each call.

    Raises what a task raises, and BuildError where a task can't be done because its workers die.
    """
    try:
        futures = [executor.submit(task, *item) for item in items]
    except RuntimeError as error:  # it was shut down, or is broken
        raise BuildError(f"the executor takes no tasks: {error}") from error
    try:
        for number, future in enumerate(futures):
            yield future.result()
            futures[number] = Future()  # its result is not needed any more
    except BrokenExecutor as error:
        raise BuildError(f"a worker of the executor died: {error}; build again") from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's; importing it here would need Dask
            raise BuildError(
                f"several workers died at the same shard, maybe of too little memory: {error}"
            ) from error
        raise
    finally:
        for future in futures:
            future.cancel()
