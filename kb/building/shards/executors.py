"""Where the tasks of shards run: in this process, in worker processes, or on a Dask cluster.

All have the interface of `concurrent.futures`: any `Executor` whose workers have sansho installed
can be given to `kb.build`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from kb.errors import BuildError
from kb.worker_pool import WorkerPool

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
        from kb.building.shards.dask_cluster import dask_executor

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
