"""Reads sources shard by shard into a new graph, and annotates them when all names are known."""

from __future__ import annotations

import atexit
import errno
import os
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import numpy as np
from filelock import FileLock, Timeout
from pyarrow import ArrowInvalid

from graphs.store.file.atomic_file import temporary_folder
from graphs.writing.passage_annotations import PassageAnnotations
from graphs.writing.shard_loader import ShardKeys, ShardLoader, ShardRows
from graphs.writing.shard_row_files import TableFile, read_rows
from graphs.writing.writer import Writer
from kb.building.capture_writer import NOT_CHOSEN, CaptureWriter
from kb.building.changed_sources import Sources
from kb.building.page_reader import extracted_part
from kb.building.program_fingerprint import build_fingerprint
from kb.building.shards.executors import in_order
from kb.building.shards.shard_folder import ShardFolder
from kb.building.shards.shard_tasks import (
    LINK,
    SPELLING,
    Shard,
    ShardRead,
    ShardToAnnotate,
    annotate_shard,
    extract_shard,
    found_in,
    plan,
)
from kb.building.shards.token_files import read_words
from kb.errors import ERRORS, BuildError
from scraper import Part, ReadWarning
from scraper.sources.files import message
from scraper.sources.remote import is_remote

_MERGE = "merge"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ShardedSources:
    """The sources of one build. A context manager, which deletes temporary files in the end."""

    def __init__(
        self,
        sources: Sources,
        folder: str,
        executor: Executor,
    ) -> None:
        """sources: files and folders. Temporary files of the merge lie beside the file that is
            built.
        folder: where the rows of shards are kept, a path or an address on object storage.
        executor: runs the tasks; see `executors`.
        """
        self._sources = sources
        self._kb = Path(os.path.realpath(sources.kb))
        self._folder = folder
        self._executor = executor
        self._progress = sources.progress
        self._open = ExitStack()
        self._shards: list[Shard] = []
        self._read: list[ShardRead] = []

    def __enter__(self) -> ShardedSources:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def load(self, writer: Writer, captures: CaptureWriter) -> int:
        """Have all shards read, and write their rows to a new graph; return how many parts were
        read, of the shards that were not there and unchanged. Pages that wait for others are put
        into `captures`.

        Raises BuildError if rows can't be kept, or were damaged meanwhile.
        """
        with self._naming_places():
            return self._load(writer, captures)

    def _load(self, writer: Writer, captures: CaptureWriter) -> int:
        self._open.enter_context(_lock(self._folder))
        warnings: list[ReadWarning] = []
        self._plan(warnings)
        self._delete_unfinished()
        self._progress.begin("reading shards", len(self._shards))
        build, made_by = uuid.uuid4().hex, build_fingerprint()
        tasks = ((shard, made_by, build) for shard in self._shards)
        for read in in_order(self._executor, extract_shard, tasks):
            self._read.append(read)
            self._progress.advance()
        self._progress.begin("merging shards", 2 * len(self._shards))
        scratch = self._open.enter_context(temporary_folder(self._kb))
        self._loader = self._open.enter_context(ShardLoader(writer, self._rows(), scratch))
        self._loader.load(NOT_CHOSEN, lambda name: self._progress.advance(place=name))
        for warning in warnings:
            writer.provenance.add_warning(None, warning.where, warning.what, warning.hints)
        self._put_waiting(writer, captures)
        return sum(read.parts for read in self._read)

    @contextmanager
    def _naming_places(self) -> Iterator[None]:
        """Raise BuildError for what goes wrong with rows or temporary files in the block: where,
        and what to do. Errors of sansho's own are raised as they are, and so are any others unless
        the rows are on object storage."""
        try:
            yield
        except (FileNotFoundError, ArrowInvalid) as error:
            raise BuildError("rows_changed", folder=self._folder, why=str(error)) from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise BuildError(
                "no_room_for_rows" if error.errno in _FULL else "rows_not_kept",
                folder=self._folder,
                why=f"{where}{error.strerror or error}",
            ) from error
        except duckdb.Error as error:
            why = str(error).splitlines()[0]
            raise BuildError("no_room_for_merge", folder=str(self._kb.parent), why=why) from error
        except Exception as error:  # each package for object storage has errors of its own
            if not is_remote(self._folder) or isinstance(error, ERRORS):
                raise
            why = message(error).splitlines()[0]
            raise BuildError("rows_not_kept", folder=self._folder, why=why) from error

    def counts(self) -> dict[str, int]:
        """Return {`all`: how many shards there are, `read`: how many of them were read for this
        build}; both are 0 before `load`."""
        return {"all": len(self._read), "read": sum(shard.is_new for shard in self._read)}

    def _plan(self, warnings: list[ReadWarning]) -> None:
        """Fill the list of shards, in the order of `plan`, without the knowledge base itself.

        warnings: gets what can't be read before files are opened.
        """
        own = {os.path.realpath(f"{self._sources.kb}{end}") for end in ("", ".near")}
        for found in plan(self._sources, self._folder, own):
            if isinstance(found, ReadWarning):
                warnings.append(found)
            else:
                self._shards.append(found)

    def _delete_unfinished(self) -> None:
        """Delete what killed tasks and merges left, where no other build can be at work: only in a
        folder on this machine, which is locked."""
        if not is_remote(self._folder):
            ShardFolder.within(self._folder, _MERGE).delete_unfinished()
            for shard in self._shards:
                shard.folder.delete_unfinished()

    def _rows(self) -> list[ShardRows]:
        return [
            ShardRows(shard.files.paths[0], shard.folder.open(read.rows))
            for shard, read in zip(self._shards, self._read, strict=True)
        ]

    def _put_waiting(self, writer: Writer, captures: CaptureWriter) -> None:
        """Read again the pages that wait for all others, as lists of names do, and put them into
        `captures`. Raises BuildError if a part that has some is not there any more."""
        waiting = self._loader.waiting_parts()
        keys = writer.provenance.parts() if waiting else {}
        for number, identities in waiting.items():
            unread = set(identities)
            for part in found_in(self._shards[number]):
                if isinstance(part, Part) and part.identity in unread:
                    unread.remove(part.identity)
                    pages = [page for page in extracted_part(part).pages if page.waits]
                    captures.put_pages(pages, keys[part.identity])
            if unread:
                changed = str(self._shards[number].files.paths[0])
                raise BuildError("changed_during_build", path=changed)

    # -- annotating --------------------------------------------------------------------------
    def annotate(self, passages: PassageAnnotations) -> None:
        """Find the mentions in the passages of all shards, and store them.

        Raises BuildError as `load` does.
        """
        with self._naming_places():
            self._annotate(passages)

    def _annotate(self, passages: PassageAnnotations) -> None:
        self._progress.begin("finding mentions in shards", len(self._shards))
        merge = ShardFolder.within(self._folder, _MERGE)
        files = merge.new_rows()
        delete = partial(merge.delete, files)
        atexit.register(delete)  # for signals
        self._open.callback(atexit.unregister, delete)
        self._open.callback(delete)
        passages.collect_links()
        _write(merge, files, "spelling.parquet", SPELLING, passages.spellings_with_keys())
        for number in range(len(self._shards)):
            rows = self._link_rows(passages, self._loader.keys(number))
            _write(merge, files, f"link-{number}.parquet", LINK, rows)
        tasks = (
            (ShardToAnnotate(number, shard.folder, read.rows, merge, files),)
            for number, (shard, read) in enumerate(zip(self._shards, self._read, strict=True))
        )
        last = 0
        for number, name in enumerate(in_order(self._executor, annotate_shard, tasks)):
            keys = self._loader.keys(number)
            self._store(passages, number, keys, merge.open(files)(name))
            last = max(last, keys.end - 1)
            self._progress.advance()
        passages.skip_to(last)

    @staticmethod
    def _link_rows(passages: PassageAnnotations, keys: ShardKeys) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a shard's file of links, with the numbers that the shard itself gives
        its passages in place of their keys in the graph."""
        numbers = np.flatnonzero(keys.private)
        for key, *rest in passages.links(keys.first, keys.end):
            yield int(numbers[key - keys.first]), *rest

    def _store(
        self, passages: PassageAnnotations, number: int, keys: ShardKeys, mentions: Any
    ) -> None:
        """Store the words of a shard's passages and the mentions in them; only of passages that are
        in the graph, as a capture that was not chosen has none.

        mentions: the open file with them, which is closed.
        """
        open_file = self._shards[number].folder.open(self._read[number].rows)
        met: set[int] = set()
        with open_file("passage.parquet") as file:
            for batch in read_rows(file, ["number", "words", "entries"]):
                found = keys.private[batch["number"].to_numpy()]
                chosen = batch.filter(found > 0)
                words = zip(found[found > 0].tolist(), chosen["words"].to_pylist(), strict=True)
                passages.store(list(words), (), ())
                met.update(chosen["entries"].flatten().unique().to_pylist())
        new_words = (
            (word.spelled, word.folded, "" if word.function else word.normal)
            for row, word in enumerate(read_words(open_file))
            if row in met and word.spelled
        )
        passages.store((), (), new_words)
        with mentions as file:
            for batch in read_rows(file):
                source, node, label, passage, start, end = batch.columns
                rows = zip(
                    keys.of(source).tolist(),
                    node.to_pylist(),
                    label.to_pylist(),
                    keys.of(passage).tolist(),
                    start.to_pylist(),
                    end.to_pylist(),
                    strict=True,
                )
                passages.store((), (row for row in rows if row[3]), ())


@contextmanager
def _lock(folder: str) -> Iterator[None]:
    """Hold a folder of rows, if it is on this machine: another build would delete what this one
    reads. Raises BuildError if another build holds it, or if it can't be made."""
    if is_remote(folder):
        yield
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BuildError("no_folder_made", folder=folder, why=str(error.strerror)) from error
    try:
        with FileLock(Path(folder) / ".rows.lock", timeout=0):
            yield
    except Timeout:
        raise BuildError("rows_of_another_build", folder=folder) from None


def _write(
    folder: ShardFolder, rows: str, name: str, schema: Any, values: Iterable[tuple[Any, ...]]
) -> None:
    """Write rows into a new Parquet file of some name in a folder for rows."""
    with folder.create(rows)(name) as file, TableFile(file, schema) as table:
        for value in values:
            table.add(value)
