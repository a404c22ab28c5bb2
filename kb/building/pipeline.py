"""Builds a knowledge base: reads the sources, extracts, resolves, and replaces the file at once.

A second build of the same file reads only what changed since.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import Any

from graphs.store.atomic_file import write_lock
from graphs.store.reader import Store
from graphs.store.schema import may_overwrite, read_meta
from graphs.writing.changes import GraphChanges, graph_changes
from graphs.writing.writer import UpdateImpossible, Writer, updating, writing
from kb.building.captures import CaptureWriter
from kb.building.fingerprint import build_fingerprint
from kb.building.page_reader import ExtractedPage, batches, reader, size
from kb.building.sources import Progress, SourceChanges, Sources, source_changes
from kb.building.unknown_games import unknown_games
from kb.errors import QuestionError, StoreError
from kb.resolve.whole_graph import resolve_graph
from kb.workers import WorkerPool, default_workers
from scraper import Hints, Part, ReadWarning
from scraper.sites import catalogue
from scraper.sites.sites_file import find_sites


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build gave.

    kb: the file that was written.
    pages: the number of pages in it.
    nodes, edges: their numbers, by kind; dangling: the number of edges without a target.
    warnings: what could not be read, and where.
    seconds: wall time.
    read: how many files (or pages of dumps) were read; in a second build, those that changed.
    changes: what a second build changed in the graph; None if everything was read.
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

    def as_json(self) -> dict[str, Any]:
        """As `sansho build --json` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Origin:
    """What a knowledge base is built from: files and folders, hints, and a file of sites. The
    bundled sample, if there are no places."""

    places: tuple[Path, ...]
    hints: Hints
    sites: Path | None = None

    def as_meta(self) -> str:
        """As it is noted in the file, for `--again`."""
        hints = replace(self.hints, sites=())
        return json.dumps(
            {
                "places": list(map(str, self.places)),
                "folder": str(Path.cwd()),
                "hints": asdict(hints),
                "sites": str(self.sites) if self.sites else None,
            }
        )

    @staticmethod
    def of(kb: Path) -> _Origin:
        """What a knowledge base was built from. Raises QuestionError if it does not say."""
        stored = read_meta(kb, "built from")
        if stored is None:
            raise QuestionError(f"{kb} does not say what it was built from; name its sources")
        meta = json.loads(stored)
        folder = Path() if meta["folder"] == str(Path.cwd()) else Path(meta["folder"])
        sites = meta.get("sites")
        hints = {name: meta["hints"].get(name) for name in ("site", "game", "lang", "edition")}
        return _Origin(
            tuple(folder / place for place in meta["places"]),
            Hints(**hints),
            folder / sites if sites else None,
        )


def build(
    sources: Sequence[str | Path] = (),
    kb: str | Path = "sansho.db",
    *,
    site: str | None = None,
    game: str | None = None,
    lang: str | None = None,
    edition: str | None = None,
    sites: str | Path | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    again: bool = False,
) -> BuildReport:
    """Build a knowledge base from files and folders, or from the bundled sample if none are named.

    If the same version of sansho built `kb` before, only what changed in the sources is read; the
    graph is the same as that of a build from nothing.

    sources: files, archives, or folders (with or without `manifest.jsonl`).
    kb: the file to write. It is replaced at the end, when the new one is complete.
    site, game, lang, edition: hints that override what is detected in the sources.
    sites: a TOML file with wikis of one's own (docs/extending.md); if None, the `sites.toml` in
        or beside each source, if there is one.
    progress: called with the place of each snapshot before it is read.
    workers: the number of processes at most; if None, one for each core, up to four. With one, or
        little to read, all work is done in this process. The graph does not depend on it.
    again: build from the sources that `kb` was built from before; this also updates a knowledge
        base of an older version of sansho.

    Raises SourceError, StoreError, QuestionError or BuildError with a message for people.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = build(kb=Path(folder) / "sample.db")
    >>> report.pages >= 15, report.nodes["rule"] > 50
    (True, True)
    """
    if workers is not None and workers < 1:
        raise QuestionError(f"{workers} workers can't build anything; 1 is the least")
    hints = Hints(site, game, lang, edition)
    origin = _Origin(tuple(map(Path, sources)), hints, Path(sites) if sites else None)
    if again:
        if sources or hints != Hints():
            raise QuestionError(
                "again from what it was built from, or from other sources? not both"
            )
        before = _Origin.of(Path(kb))
        origin = replace(before, sites=origin.sites or before.sites)
    own_sites = find_sites(origin.places, origin.sites)
    with catalogue.using(own_sites):
        if site and site not in catalogue.names():
            raise QuestionError(f"no site {site}; there are: {', '.join(catalogue.names())}")
        hints = replace(origin.hints, sites=own_sites)
        run = _Build(Path(kb), origin, workers or default_workers())
        if origin.places:
            return run.report(Sources(origin.places, hints, Path(kb), progress))
        with as_file(files("kb") / "sample") as sample:
            return run.report(Sources((sample,), hints, Path(kb), progress))


class _Build:
    """One build of one file."""

    def __init__(self, kb: Path, origin: _Origin, workers: int) -> None:
        self._kb = Path(os.path.realpath(kb))  # a link is followed, so that its readers see it too
        self._origin = origin
        self._workers = workers
        self._fingerprint = build_fingerprint(sample=not origin.places)

    def report(self, sources: Sources) -> BuildReport:
        """Build under a lock: update the file if that can be done, else write it anew."""
        began = time.monotonic()
        with write_lock(self._kb):
            if not may_overwrite(self._kb):
                raise StoreError(
                    f"{self._kb}: there is a file that is no knowledge base; choose another --kb"
                )
            updated = self._update(sources)
            read, changes = updated or (self._write(sources), None)
            with Store(self._kb) as store:
                stored = (ReadWarning(*row) for row in store.provenance.warnings())
                nodes, edges, dangling = store.counts()
                return BuildReport(
                    kb=str(sources.besides),
                    pages=store.provenance.page_count(),
                    nodes=nodes,
                    edges=edges,
                    dangling=dangling,
                    warnings=(*unknown_games(store), *stored),
                    seconds=round(time.monotonic() - began, 3),
                    read=read,
                    changes=changes,
                )

    def _write(self, sources: Sources) -> int:
        """Build from nothing; return how many parts were read."""
        read = 0
        with writing(self._kb) as writer:
            captures = CaptureWriter(writer)
            with WorkerPool(self._workers) as pool:
                unread = batches(_unread(sources, writer))
                for part in chain.from_iterable(pool.map(reader, None, unread, size)):
                    captures.put(part)
                    read += 1
                if not writer.provenance.page_count():
                    warnings = writer.provenance.warnings()
                    raise QuestionError(_nothing(sources.places, warnings, captures.none))
                resolve_graph(writer, pool)
            self._write_meta(writer)
            writer.finish()
        return read

    def _update(self, sources: Sources) -> tuple[int, GraphChanges] | None:
        """Read what changed and put it into a copy of the old file; return how many parts were
        read and what that changed, or None if everything must be read."""
        found = self._source_changes(sources)
        if found is None or not found.any:
            return None if found is None else (0, GraphChanges())
        try:
            with updating(self._kb) as writer, WorkerPool(self._workers) as pool:
                captures = CaptureWriter(writer)
                for part in found.gone:
                    captures.take_out(part)
                new = batches(found.new)
                for extracted in chain.from_iterable(pool.map(reader, None, new, size)):
                    captures.put(extracted)
                writer.provenance.clear_warnings()
                for warning in found.warnings:
                    writer.provenance.add_warning(None, warning.where, warning.what)
                if not writer.provenance.page_count():
                    raise UpdateImpossible("no page is left")  # a full build has words for that
                resolve_graph(writer, pool)
                changes = graph_changes(writer)
                self._write_meta(writer)
                writer.finish()
        except UpdateImpossible:
            return None
        return len(found.new), changes

    def _source_changes(self, sources: Sources) -> SourceChanges | None:
        """What changed since the old file was built; None if everything must be read."""
        if not self._kb.exists():
            return None
        try:
            with Store(self._kb) as store:
                if store.meta("made by") != self._fingerprint or store.meta("ambiguous"):
                    return None
                known = store.provenance.parts()
                unread = [ReadWarning(*row) for row in store.provenance.warnings(without_part=True)]
                found = source_changes(sources, known, unread)
                if found and (others := store.provenance.parts_with_other_captures(found.gone)):
                    # Pages whose chosen capture is gone have other captures: read those again.
                    found = source_changes(sources, known, unread, again=others)
                return found
        except StoreError:  # of another schema, or damaged
            return None

    def _write_meta(self, writer: Writer) -> None:
        writer.meta("sample", "" if self._origin.places else "1")
        writer.meta("made by", self._fingerprint)
        writer.meta("built from", self._origin.as_meta())


def _unread(sources: Sources, writer: Writer) -> Iterator[Part]:
    """All that there is to read; what can't be read is recorded."""
    for found in sources.found():
        if isinstance(found, Part):
            yield found
        elif isinstance(found, ReadWarning):
            writer.provenance.add_warning(None, found.where, found.what)


def _nothing(
    sources: Sequence[Path], warnings: Sequence[tuple[str, str]], other: ExtractedPage | None
) -> str:
    named = ", ".join(map(str, sources))
    if warnings:
        where, what = warnings[0]
        return f"{named}: no page in it that sansho can read; first: {where}: {what}"
    if other:
        what = ", ".join(other.left_out)
        return f"{named}: no article in it; first: {other.where}: {what}"
    return f"{named}: nothing to read in it"
