"""What a person says of shards: where their rows are kept, and what reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb.building.changed_sources import Sources
from kb.building.given_values import why_no_name
from kb.errors import QuestionError
from kb.reason import Argument
from kb.worker_pool import WorkerPool
from scraper.sources.remote import check_address, is_remote

if TYPE_CHECKING:
    from kb.building.shards.sharded_sources import ShardedSources

_SHARDS, _SCHEDULER = Argument("shards", ...), Argument("scheduler", ...)
_EXECUTOR = Argument("executor", ...)


@dataclass(frozen=True, slots=True)
class Sharding:
    """How sources are read in shards.

    folder: where the rows of shards are kept, a path or a URL.
    scheduler: the address of a Dask scheduler; None without one.
    executor: what runs the tasks; None for what `scheduler` and the number of workers say.
    """

    folder: str
    scheduler: str | None = None
    executor: Executor | None = None

    @staticmethod
    def of(
        folder: str | Path | None,
        scheduler: str | None,
        executor: Executor | None,
        with_old_sources: bool,
        sources: Sequence[str],
    ) -> Sharding | None:
        """Return what was said; None if the sources are not read in shards.

        with_old_sources: whether sources of a build before are named, too.
        sources: files, folders and addresses that are read.

        Raises QuestionError if what was said does not go together.
        """
        if folder is None:
            if urls := [source for source in sources if is_remote(source)]:
                check_address(urls[0])
                raise QuestionError("address_without_shards", url=urls[0], shards=_SHARDS)
            if scheduler is not None or executor is not None:
                given = _SCHEDULER if executor is None else _EXECUTOR
                raise QuestionError("workers_without_shards", given=given, shards=_SHARDS)
            return None
        if with_old_sources:
            raise QuestionError("shards_of_old_sources", shards=_SHARDS)
        if scheduler is not None and executor is not None:
            raise QuestionError("scheduler_or_executor", either=(_SCHEDULER, _EXECUTOR))
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise QuestionError("no_executor", executor=_EXECUTOR)
        if scheduler is not None and not scheduler.strip():
            raise QuestionError("no_address_of_scheduler", scheduler=_SCHEDULER)
        _check_folder(str(folder))
        for source in sources:
            if _is_within(str(folder), source):
                places = {"folder": str(folder), "source": source}
                raise QuestionError("shards_within_source", shards=_SHARDS, **places)
        return Sharding(_for_all_processes(str(folder)), scheduler, executor)

    @contextmanager
    def opened(self, sources: Sources, pool: WorkerPool, workers: int) -> Iterator[ShardedSources]:
        """Give the sources, ready to be read in shards.

        workers: how many processes of `pool` read if nothing else is to.

        Raises QuestionError if a library is missing that this needs, the scheduler does not
        answer, or other processes could not see what is kept or read in this one.
        """
        places = (self.folder, *(url for url, _ in sources.urls))
        if (self.scheduler or workers > 1) and any(map(_is_in_memory, places)):
            raise QuestionError("memory_of_one_process", workers=Argument("workers", 1))
        try:
            from kb.building.shards.executors import task_executor
            from kb.building.shards.sharded_sources import ShardedSources

            if self.scheduler is not None:
                import distributed  # noqa: F401
        except ModuleNotFoundError as error:
            missing = str(error.name)
            raise QuestionError("shards_not_installed", shards=_SHARDS, missing=missing) from error
        with (
            task_executor(self.executor, self.scheduler, pool, workers) as executor,
            ShardedSources(sources, self.folder, executor) as sharded,
        ):
            yield sharded


def _check_folder(folder: str) -> None:
    """Raise QuestionError if rows can't be kept at a path or an address."""
    if not folder.strip():
        raise QuestionError("no_folder_of_shards", shards=_SHARDS)
    if is_remote(folder):
        check_address(folder)
    elif why := why_no_name(folder):
        given = ascii(folder[:60])
        raise QuestionError("no_name_of_folder", shards=Argument("shards"), given=given, why=why)
    elif Path(folder).exists() and not Path(folder).is_dir():
        raise QuestionError("folder_is_file", path=folder, shards=_SHARDS)


def _for_all_processes(folder: str) -> str:
    """Return a folder by a name that is the same in processes that run in other folders."""
    return folder if is_remote(folder) else str(Path(folder).absolute())


def _is_in_memory(place: str) -> bool:
    return place.startswith("memory:")


def _is_within(folder: str, source: str) -> bool:
    """Whether a folder is a source or lies in one; both may be paths or addresses."""
    if is_remote(folder) != is_remote(source):
        return False
    within, outer = (
        place.rstrip("/") if is_remote(place) else os.path.realpath(place)
        for place in (folder, source)
    )
    return within == outer or within.startswith(f"{outer.removesuffix(os.sep)}/")
