"""Builds a knowledge base: reads the sources, extracts, resolves, and replaces the file at once.

A second build of the same file reads only what changed in the sources.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.store.build_records import Provenance
from graphs.store.file.atomic_file import write_lock
from graphs.store.file.file_digest import DAMAGED, is_damaged
from graphs.store.file.schema import may_overwrite, read_meta
from graphs.store.reader import Store
from graphs.writing.counted_changes import GraphChanges, graph_changes
from graphs.writing.writer import UpdateImpossible, Writer, updating, writing
from kb.build_progress import ProgressReporter, Watcher
from kb.building.build_arguments import (
    check_functions,
    check_switches,
    checked_hints,
    near_games,
    number_of_workers,
    path_given,
    sources_given,
    stored_warnings,
    why_no_name,
)
from kb.building.capture_writer import CaptureWriter
from kb.building.changed_sources import SourceChanges, Sources, source_changes
from kb.building.name_list_pages import write_lists
from kb.building.page_reader import batch_bytes, batches, make_reader
from kb.building.pages_named_after_files import write_unnamed
from kb.building.program_fingerprint import build_fingerprint
from kb.building.recorded_sources import (
    BUILT_FROM,
    BUNDLED_SAMPLE,
    Origin,
    SourceSet,
    is_gone,
    is_in_sample,
    plain_path,
    source_of,
)
from kb.building.shrinking_builds import OldGraph, Removals, removals, removals_in
from kb.building.source_warnings import same_names, unknown_games
from kb.errors import UNEXPECTED, QuestionError, StoreError, damage_of
from kb.knowledge.resolve_graph import resolve_graph
from kb.reason import Argument, Reason, warning_reason
from kb.result import Result
from kb.rules.corrections_by_persons import read_corrections
from kb.shared_wording import counted
from kb.worker_pool import WorkerPool, default_workers
from scraper import Hints, Part, ReadWarning
from scraper.sites import site_catalogue
from scraper.sources.remote import check_address, is_remote

if TYPE_CHECKING:
    from kb.building.shards.sharded_sources import ShardedSources

_LOG = logging.getLogger(__name__)

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
        """Return what was said, the folder by its whole path; None if no folder is named: the
        sources are not read in shards then.

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
        # By a name that is the same in processes that run in other folders.
        place = str(folder) if is_remote(str(folder)) else str(Path(folder).absolute())
        return Sharding(place, scheduler, executor)

    @contextmanager
    def opened(self, sources: Sources, pool: WorkerPool, workers: int) -> Iterator[ShardedSources]:
        """Give the sources, ready to be read in shards.

        workers: how many processes of `pool` read if nothing else is to.

        Raises QuestionError if a library is missing that this needs, the scheduler does not
        answer, or other processes could not see what is kept or read in this one.
        """
        places = (self.folder, *(url for url, _ in sources.urls))
        in_memory = any(place.startswith("memory:") for place in places)
        if in_memory and (self.scheduler or workers > 1):
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
    """Raise QuestionError if rows can't be kept at a path or an address: if it is empty, an address
    of no known kind, no name on this system, or that of a file. It need not be there."""
    if not folder.strip():
        raise QuestionError("no_folder_of_shards", shards=_SHARDS)
    if is_remote(folder):
        check_address(folder)
    elif why := why_no_name(folder):
        given = ascii(folder[:60])
        raise QuestionError("no_name_of_folder", shards=Argument("shards"), given=given, why=why)
    elif Path(folder).exists() and not Path(folder).is_dir():
        raise QuestionError("folder_is_file", path=folder, shards=_SHARDS)


def _is_within(folder: str, source: str) -> bool:
    """Whether a folder is a source or lies in one; both may be paths, whose links are followed, or
    addresses. A path never lies in an address."""
    if is_remote(folder) != is_remote(source):
        return False
    within, outer = (
        place.rstrip("/") if is_remote(place) else Path(os.path.realpath(place)).as_posix()
        for place in (folder, source)
    )
    return within == outer or within.startswith(f"{outer.removesuffix('/')}/")


_MOST_NAMED = 100  # pages in a report: its JSON stays readable; the sums count all


@dataclass(frozen=True, slots=True)
class SharedPages:
    """The pages that several of the files and folders that a build was given have. It is false if
    there are none.

    taken_from: how many of them are taken from which source, the most first. Captures of a page in
        the other sources are only recorded; `show` says why.
    named: (page, the source that it is taken from) of the first of them, 100 at most, by page.
    """

    taken_from: Mapping[str, int] = field(default_factory=dict)
    named: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.taken_from)


def shared_pages(store: Store, origin: Origin) -> SharedPages:
    """Return the pages of a knowledge base that several sources have; none if it was built from
    fewer than two. Captures of files outside all of them count as sources of their own.

    origin: what it was built from.
    """
    sources = frozenset(
        [*map(plain_path, origin.places), *(url.rstrip("/") for url in origin.urls)]
    )
    if len(sources) + any(one.is_sample for one in origin.sets) < 2:
        return SharedPages()
    found: dict[str, set[str]] = defaultdict(set)
    chosen: dict[str, str] = {}
    for page, place, is_chosen in store.table(
        "SELECT page, place, chosen FROM capture WHERE page IN "
        "(SELECT page FROM capture WHERE page IS NOT NULL GROUP BY page HAVING count(*) > 1)",
        str,
        str,
        int,
    ):
        source = source_of(place, sources) or (BUNDLED_SAMPLE if is_in_sample(place) else place)
        found[page].add(source)
        if is_chosen:
            chosen[page] = source
    shared = sorted((page, chosen[page]) for page in chosen if len(found[page]) > 1)
    counts = Counter(source for _, source in shared)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return SharedPages(dict(ranked), tuple(shared[:_MOST_NAMED]))


_AGAIN, _ADD = Argument("again", True), Argument("add", True)
_MISSING = "no longer there: its pages are gone, and later builds do not look for it"
_CORRECTIONS = "corrections"
_READ_AGAIN = f"the old file was {DAMAGED}; everything was read again"


@dataclass(frozen=True, slots=True, repr=False)
class BuildReport(Result):
    """The result of a build.

    kb: the file that was written.
    pages: the number of pages in it.
    nodes, edges: the number of nodes and edges, by kind.
    dangling: the number of edges without a target.
    warnings: what could not be read, wikis whose game is not known, files that are not used
        because others give pages of the same names, and sources that are no longer there.
    seconds: how long the build took.
    read: how many files (or pages of dumps) were read; in a second build, those that changed.
    changes: what a second build changed in the graph; None if everything was read.
    removed: what was in the old file and is not in the new one, whether or not all was read.
    sources: the number of pages by game and source; the game is empty where none is known.
    shared: the pages that several of the files and folders have that it was built from, and which
        of these each is taken from.
    shards: of sources that were read in shards, how many there are (`all`) and how many of these
        were read (`read`), as the others did not change; else empty.
    """

    kb: str
    pages: int
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    warnings: tuple[ReadWarning, ...]
    seconds: float
    read: int
    changes: GraphChanges | None
    removed: Removals = field(default_factory=Removals)
    sources: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    shared: SharedPages = field(default_factory=SharedPages)
    shards: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the file, the numbers of pages, nodes, edges and warnings, and the time in one
        line."""
        nodes, edges = sum(self.nodes.values()), sum(self.edges.values())
        pages, warnings = counted(self.pages, "page"), counted(len(self.warnings), "warning")
        return (
            f"<BuildReport of {self.kb}: {pages}, {nodes} nodes, {edges} edges, {self.dangling} of "
            f"them dangle; {warnings}; {self.seconds} s>"
        )


def build(
    sources: str | Path | Sequence[str | Path] = (),
    kb: str | Path = "sansho.db",
    *,
    site: str | None = None,
    game: str | None = None,
    lang: str | None = None,
    edition: str | None = None,
    names: str | None = None,
    sites: str | Path | None = None,
    corrections: str | Path | None = None,
    progress: Watcher | None = None,
    say: Callable[[str], None] | None = None,
    workers: int | None = None,
    again: bool = False,
    add: bool = False,
    replace: bool = False,
    shards: str | Path | None = None,
    scheduler: str | None = None,
    executor: Executor | None = None,
) -> BuildReport:
    """Build a knowledge base from files and folders, or from the bundled sample if none are named.

    If the same version of sansho built `kb` before, only what changed in the sources is read; the
    graph is the same as that of a build from nothing. If the old file is damaged, nothing of it is
    used, and a warning says so. A build that would take away more than a
    third of the pages that are there is refused.

    sources: files, archives, or folders (with or without `manifest.jsonl`); one alone may be given
        as it is. With `shards` also addresses on object storage, such as `s3://bucket/pages`.
    kb: the file to write. It is replaced at the end, when the new one is complete.
    site, game, lang, edition: hints that override what the sources say, all of them.
    names: what the lists of names among the sources name, `terms` or `cards`; by default what they
        say, or what is known of their names from the other sources.
    sites: a TOML file with records of more wikis (docs/extending.md); if None, the `sites.toml` in
        or beside each source, if there is one.
    corrections: a TOML file that says which versions of rules are one rule and which are not
        (docs/tasks/compare-editions.md); it wins over what the build finds, and is kept by `again`
        and `add`.
    progress: called with a `BuildProgress` whenever another phase begins or more of it is done.
    say: called with messages for the user before anything is read: with `again` or `add`, which
        sources of before are.
    workers: the number of processes at most; if None, one for each core, up to four. With one, or
        little to read, all work is done in this process. The graph does not depend on it.
    again: build from the sources that `kb` was built from before; this also updates a knowledge
        base of an older version of sansho.
    add: build from the sources that `kb` was built from before, with the hints that were given for
        them, and from these beside them. If there is no such file, it is built from these.
    replace: do it even if that takes away more than a third of the pages; with `again` or `add`
        also if sources of before are no longer there.

    shards: a folder, or an address on object storage, in which the rows of very large sources are
        kept: they are read in shards, each of which is read again only if it has changed, and the
        file is made of all of them. The graph is the same. Needs `pip install 'sansho[dist]'`.
    scheduler: with `shards`, the address of a Dask scheduler, whose workers read them. They must
        reach the sources and `shards` under the same names.
    executor: with `shards`, what reads them instead, by the interface of `concurrent.futures`.

    Raises SourceError, StoreError, QuestionError or BuildError with a message for people; the old
    file is then as it was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = build(kb=Path(folder) / "sample.db")
    >>> report.pages >= 15, report.nodes["rule"] > 50
    (True, True)
    """
    file = path_given("kb", kb)
    flags = {"again": again, "add": add, "replace": replace}
    check_switches(flags)
    check_functions({"progress": progress, "say": say})
    processes = default_workers() if workers is None else number_of_workers(workers)
    sites_file = None if sites is None else path_given("sites", sites)
    paths, urls = sources_given(sources)
    sharding = Sharding.of(shards, scheduler, executor, again or add, [*map(str, paths), *urls])
    corrected = None if corrections is None else path_given("corrections", corrections)
    new = SourceSet(paths, sites=sites_file, urls=urls, corrections=corrected)
    with site_catalogue.using(new.find_sites()):
        new = replaced(new, hints=checked_hints(site, game, lang, edition, names))
    origin = _origin(new, file, again, add)
    if origin.urls and not sharding:
        shards_given = Argument("shards", ...)
        raise QuestionError("needs_shards", kb=str(file), url=origin.urls[0], shards=shards_given)
    if origin.is_sample and not replace:
        OldGraph(file, file, is_damaged(file)).refuse_sample()
    missing = _missing(origin, new) if (again or add) and file.exists() else []
    if missing and not replace:
        OldGraph(file, file).refuse_missing(missing)
    origin = origin.without(missing)
    if not origin.sets:
        raise QuestionError("no_source_left", kb=str(file))
    if say and (again or add):
        for read in origin.in_words(new.places):
            say(f"reading again: {read}")
    own_sites = origin.find_sites()
    with site_catalogue.using(own_sites), as_file(files("kb") / "sample") as sample:
        reporter = ProgressReporter(progress)
        places = tuple(origin.places_with_hints(own_sites, sample))
        run = _Build(file, origin, processes, replace, reporter, sharding)
        urls_with_hints = tuple(origin.urls_with_hints(own_sites))
        return run.report(Sources(places, file, reporter, urls_with_hints), missing)


def _missing(origin: Origin, new: SourceSet) -> list[Path]:
    """Return the files and folders that are to be read and are gone, or have no file in them, in
    order, except those that are named now: of these reading them says it."""
    return [place for place in origin.places if is_gone(place) and place not in new.places]


def _origin(new: SourceSet, kb: Path, again: bool, add: bool) -> Origin:
    """Return what a knowledge base is to be built from.

    new: the sources and hints that are given now. With `again` at most a file of sites and one of
        corrections are given, which take the place of those of before.
    kb: the file that was built before, if `again` or `add`; see `build`.

    Raises QuestionError if what is given does not go together.
    """
    if again and (add or new.places or new.hints != Hints()):
        raise QuestionError("again_or_sources", again=_AGAIN, add=_ADD)
    if add and not new.places:
        raise QuestionError("nothing_to_add", again=_AGAIN, add=_ADD)
    if again:
        return Origin.of(kb).with_files(new.sites, new.corrections)
    return Origin.of(kb).with_added(new) if add and kb.exists() else Origin((new,))


class _Build:
    """One build of one file."""

    def __init__(
        self,
        kb: Path,
        origin: Origin,
        workers: int,
        may_shrink: bool,
        progress: ProgressReporter,
        sharding: Sharding | None = None,
    ) -> None:
        """may_shrink: whether more than a third of the pages may be taken away."""
        self._sharding = sharding
        self._shards: dict[str, int] = {}
        self._named = kb
        self._kb = Path(os.path.realpath(kb))  # follow a link: its readers see the new file too
        self._origin = origin
        given = {each for file in origin.correction_files for each in read_corrections(file)}
        self._corrections = tuple(sorted(given))
        self._workers = workers
        self._may_shrink = may_shrink
        self._progress = progress
        self._fingerprint = build_fingerprint(sample=origin.is_sample)

    def report(self, sources: Sources, missing: Sequence[Path] = ()) -> BuildReport:
        """Lock the file, update it or else write it anew, and return a report.

        missing: sources of the build before that are not there any more.

        After an update, the report's `changes` are what it changed, and `read` counts only what
        was read for it; else `changes` is None. Its warnings are first whether the old file was
        damaged (nothing of it is used then, and all is read), then the missing sources, wikis
        without a known game, games that may be mistyped, pages of one name, and those in the file.

        Raises StoreError if there is a file that is no knowledge base, QuestionError if there is no
        page in the sources, and BuildError if too many pages would go; the old file is then left as
        it was.
        """
        began = time.monotonic()
        with write_lock(self._kb):
            if not may_overwrite(self._kb):
                raise StoreError(
                    Reason("no_knowledge_base", path=str(self._kb), kb=Argument("kb", ...))
                )
            self._progress.begin("comparing with the last build")
            old = OldGraph(self._kb, self._named, is_damaged(self._kb))
            updated = None
            if not old.damaged and not self._sharding:
                updated = self._update_unless_damaged(sources, old)
            read, changes, removed = updated or self._write(sources, old)
            with Store(self._kb) as store:
                nodes, edges, dangling = store.counts()
                return BuildReport(
                    kb=str(sources.kb),
                    pages=store.provenance.page_count(),
                    nodes=nodes,
                    edges=edges,
                    dangling=dangling,
                    warnings=(
                        *([ReadWarning(str(self._named), _READ_AGAIN)] if old.damaged else ()),
                        *(ReadWarning(plain_path(place), _MISSING) for place in missing),
                        *unknown_games(store),
                        *near_games(store),
                        *same_names(store),
                        *stored_warnings(store.provenance),
                    ),
                    seconds=round(time.monotonic() - began, 3),
                    read=read,
                    changes=changes,
                    removed=removed,
                    sources=store.pages_by_source(),
                    shared=shared_pages(store, self._origin),
                    shards=self._shards,
                )

    def _write(self, sources: Sources, old: OldGraph) -> tuple[int, None, Removals]:
        """Build from nothing; return (how many parts were read, None, what is in the old graph and
        not in this).

        Raises QuestionError if there is no page in the sources, and BuildError if too many of the
        old pages would go.
        """
        with writing(self._kb) as writer:
            captures = CaptureWriter(writer)
            with ExitStack() as stack:
                pool = stack.enter_context(WorkerPool(self._workers))
                annotate = None
                if self._sharding:
                    sharded = stack.enter_context(
                        self._sharding.opened(sources, pool, self._workers)
                    )
                    read = sharded.load(writer, captures)
                    self._shards = sharded.counts()
                    annotate = sharded.annotate
                else:
                    unread = batches(_all_parts(sources, writer))
                    parts = chain.from_iterable(pool.map(make_reader, None, unread, batch_bytes))
                    read = captures.put_all(parts)
                self._progress.begin("reading lists of names")
                write_unnamed(writer, captures)
                write_lists(writer, captures)
                if not writer.provenance.page_count():
                    raise QuestionError(_no_page(self._origin, writer.provenance))
                self._check_loss(writer, old)
                resolve_graph(writer, pool, self._progress, annotate, self._corrections)
            removed = removals(old, writer)
            self._write_meta(writer)
            self._progress.begin("indexing and writing")
            writer.finish()
        return read, None, removed

    def _update_unless_damaged(
        self, sources: Sources, old: OldGraph
    ) -> tuple[int, GraphChanges, Removals] | None:
        """Do as `_update` does, but return None also if an update fails because of what the old
        file holds: everything must be read then. Other errors are raised."""
        try:
            return self._update(sources, old)
        except (*UNEXPECTED, StoreError, sqlite3.Error):
            if damage_of(self._kb):
                return None
            raise

    def _update(self, sources: Sources, old: OldGraph) -> tuple[int, GraphChanges, Removals] | None:
        """Read what changed in the sources and put it into a copy of the old file.

        Return (how many parts were read, what that changed in the graph, what of it was removed);
        None if everything must be read, and then the old file is as it was. If nothing changed in
        the sources, the result is 0 and no changes, and nothing is written. Everything must be read
        also if an update turns out to be impossible, or if no page would be left.

        Raises BuildError if too many of the old pages would go.
        """
        found = self._source_changes(sources)
        if found is None:
            return None
        corrections = read_meta(self._kb, _CORRECTIONS) or "[]"
        is_recorded = (
            corrections == json.dumps(self._corrections)
            and read_meta(self._kb, BUILT_FROM) == self._origin.as_meta()
        )
        if not found.any_change and is_recorded:
            return 0, GraphChanges(), Removals()
        self._progress.begin("reading what changed", len(found.new))
        try:
            with updating(self._kb) as writer, WorkerPool(self._workers) as pool:
                captures = CaptureWriter(writer)
                for key in found.gone:
                    captures.take_out(key)
                new = batches(found.new)
                read = self._progress.counting(pool.map(make_reader, None, new, batch_bytes))
                captures.put_all(chain.from_iterable(read))
                writer.provenance.clear_warnings()
                for warning in found.warnings:
                    writer.provenance.add_warning(None, warning.where, warning.what, warning.hints)
                self._progress.begin("reading lists of names")
                write_unnamed(writer, captures)
                write_lists(writer, captures)
                if not writer.provenance.page_count():
                    raise UpdateImpossible("no page is left")  # a full build says so to the person
                self._check_loss(writer, old)
                resolve_graph(writer, pool, self._progress, corrections=self._corrections)
                self._progress.begin("comparing with the old graph")
                changes = graph_changes(writer)
                self._write_meta(writer)
                self._progress.begin("writing")
                writer.finish()
        except UpdateImpossible:
            return None
        return len(found.new), changes, removals_in(changes)

    def _check_loss(self, writer: Writer, old: OldGraph) -> None:
        """Raise BuildError if more pages would go than may, now that all are written."""
        if not self._may_shrink:
            old.refuse_loss(writer, in_shards=self._sharding is not None)

    def _source_changes(self, sources: Sources) -> SourceChanges | None:
        """Return what changed since the old file was built; None if everything must be read: if
        there is no old file, it can't be read, another version of sansho or of its libraries built
        it, several of its nodes had the same id (`ambiguous`), or too much changed.

        Parts with other captures of pages whose part is gone count as new and as gone, too.
        """
        if not self._kb.exists():
            return None
        try:
            with Store(self._kb) as store:
                if store.meta("made by") != self._fingerprint or store.meta("ambiguous"):
                    _LOG.debug("all is read again: another version of sansho made the file")
                    return None
                known = store.provenance.parts()
                unread = list(stored_warnings(store.provenance, without_part=True))
                found = source_changes(sources, known, unread)
                if found and (others := store.provenance.parts_with_other_captures(found.gone)):
                    # Pages whose chosen capture is gone have other captures: read those again.
                    found = source_changes(sources, known, unread, reread=others)
                return found
        except StoreError:  # of another schema, or damaged
            return None

    def _write_meta(self, writer: Writer) -> None:
        """Record what built the file, and from what: `sample` (`1` or empty), `made by` (the
        fingerprint), `corrections` (JSON) and `built from` (JSON, as `Origin.as_meta` returns
        it)."""
        writer.set_meta("sample", "1" if self._origin.is_sample else "")
        writer.set_meta("made by", self._fingerprint)
        writer.set_meta(_CORRECTIONS, json.dumps(self._corrections))
        writer.set_meta(BUILT_FROM, self._origin.as_meta())


def _all_parts(sources: Sources, writer: Writer) -> Iterator[Part]:
    """Yield all parts of the sources, for a build from nothing: nothing counts as read before.
    Record a warning for what can't be read, which is not yielded."""
    for found in sources.scan():
        if isinstance(found, Part):
            yield found
        elif isinstance(found, ReadWarning):
            writer.provenance.add_warning(None, found.where, found.what, found.hints)


def _no_page(origin: Origin, provenance: Provenance) -> Reason:
    """Return the reason for sources without any page: their first warning, else the first capture
    that is no article, else that there is nothing to read."""
    named = ", ".join((*map(plain_path, origin.places), *origin.urls))
    if first := next(stored_warnings(provenance), None):
        return Reason("no_page", sources=named, where=first.where, what=warning_reason(first))
    if non_article := provenance.first_non_article():
        where, why = non_article
        return Reason("no_article", sources=named, where=where, why=why)
    return Reason("nothing_to_read", sources=named)
