"""Builds a knowledge base: reads the sources, extracts, resolves, and replaces the file at once.

A second build of the same file reads only what changed in the sources.
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
from kb.building.capture_writer import CaptureWriter
from kb.building.changed_sources import Progress, SourceChanges, Sources, source_changes
from kb.building.list_pages import write_lists
from kb.building.page_reader import ExtractedPage, batch_bytes, batches, make_reader
from kb.building.program_fingerprint import build_fingerprint
from kb.building.same_names import same_names
from kb.building.unknown_games import unknown_games
from kb.errors import QuestionError, StoreError
from kb.language.nearest import refuse_unknown
from kb.resolve.resolve_all import resolve_graph
from kb.worker_pool import WorkerPool, default_workers
from scraper import Hints, Part, ReadWarning
from scraper.sites import site_catalogue
from scraper.sites.games import is_id
from scraper.sites.sites_file import find_sites
from scraper.sources.snapshot import NAMED_KINDS


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The result of a build.

    kb: the file that was written.
    pages: the number of pages in it.
    nodes, edges: the number of nodes and edges, by kind.
    dangling: the number of edges without a target.
    warnings: what could not be read, wikis whose game is not known, and files that are not used
        because others give pages of the same names.
    seconds: how long the build took.
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
        """Return the object that `sansho build --json` prints: its keys are the fields, warnings
        are `{where, what}`, and changes `{nodes, edges, named}` or None."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Origin:
    """What a knowledge base is built from; it is stored in the file, for `--again`.

    places: files and folders; none for the bundled sample.
    hints: what the person who builds says of them.
    sites: a TOML file with more wikis, if one was given.
    """

    places: tuple[Path, ...]
    hints: Hints
    sites: Path | None = None

    def as_meta(self) -> str:
        """Return the JSON that is stored in the file: an object of `places`, `folder` (the current
        one, to which the places are relative), `hints` and `sites` (a path, or null)."""
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
        """Return what a knowledge base was built from; relative places lead from the folder of that
        build. The hints are as they were given.

        Raises QuestionError if the file does not say.
        """
        stored = read_meta(kb, "built from")
        if stored is None:
            raise QuestionError(f"{kb} does not say what it was built from; name its sources")
        meta = json.loads(stored)
        folder = Path() if meta["folder"] == str(Path.cwd()) else Path(meta["folder"])
        sites = meta.get("sites")
        hints = {
            name: meta["hints"].get(name) for name in ("site", "game", "lang", "edition", "names")
        }
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
    names: str | None = None,
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
    site, game, lang, edition: hints that override what the sources say, all of them.
    names: what the lists of names among the sources name, `terms` or `cards`; by default what they
        say, or what is known of their names from the other sources.
    sites: a TOML file with records of more wikis (docs/extending.md); if None, the `sites.toml` in
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
    for what, given in (("game", game), ("lang", lang), ("edition", edition)):
        if given and not is_id(given):
            raise QuestionError(f"{what} {given}: may have letters, digits and - . _ + alone")
    if names and names not in NAMED_KINDS:
        raise QuestionError(f"names {names}: lists of names name terms or cards")
    hints = Hints(site, game, lang, edition, names=NAMED_KINDS.get(names or ""))
    origin = _Origin(tuple(map(Path, sources)), hints, Path(sites) if sites else None)
    if again:
        origin = _repeat(origin, Path(kb))
    own_sites = find_sites(origin.places, origin.sites)
    with site_catalogue.using(own_sites):
        if site:
            refuse_unknown("site", site, site_catalogue.names())
        hints = replace(origin.hints, sites=own_sites)
        run = _Build(Path(kb), origin, workers or default_workers())
        if origin.places:
            return run.report(Sources(origin.places, hints, Path(kb), progress))
        with as_file(files("kb") / "sample") as sample:
            return run.report(Sources((sample,), hints, Path(kb), progress))


def _repeat(origin: _Origin, kb: Path) -> _Origin:
    """Return what a knowledge base was built from before, with the file of sites given now, or
    else that of before.

    origin: what is given now, besides `--again`: at most a file of sites.
    kb: the file that was built before.

    Raises QuestionError if other sources or hints are given now.
    """
    if origin.places or origin.hints != Hints():
        raise QuestionError(
            "give either --again or sources and hints, not both; --again takes those of the last "
            "build"
        )
    before = _Origin.of(kb)
    return replace(before, sites=origin.sites or before.sites)


class _Build:
    """One build of one file."""

    def __init__(self, kb: Path, origin: _Origin, workers: int) -> None:
        self._kb = Path(os.path.realpath(kb))  # follow a link: its readers see the new file too
        self._origin = origin
        self._workers = workers
        self._fingerprint = build_fingerprint(sample=not origin.places)

    def report(self, sources: Sources) -> BuildReport:
        """Lock the file, update it or else write it anew, and return a report.

        After an update, the report's `changes` are what it changed, and `read` counts only what
        was read for it; else `changes` is None. Its warnings are first those of wikis without a
        known game, then those of pages of one name, then those in the file.

        Raises StoreError if there is a file that is no knowledge base, and QuestionError if there
        is no page in the sources; the old file is then left as it was.
        """
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
                    kb=str(sources.kb),
                    pages=store.provenance.page_count(),
                    nodes=nodes,
                    edges=edges,
                    dangling=dangling,
                    warnings=(*unknown_games(store), *same_names(store), *stored),
                    seconds=round(time.monotonic() - began, 3),
                    read=read,
                    changes=changes,
                )

    def _write(self, sources: Sources) -> int:
        """Build from nothing; return how many parts were read.

        Raises QuestionError if there is no page in the sources.
        """
        read = 0
        with writing(self._kb) as writer:
            captures = CaptureWriter(writer)
            with WorkerPool(self._workers) as pool:
                unread = batches(_all_parts(sources, writer))
                for part in chain.from_iterable(pool.map(make_reader, None, unread, batch_bytes)):
                    captures.put(part)
                    read += 1
                write_lists(writer, captures)
                if not writer.provenance.page_count():
                    warnings = writer.provenance.warnings()
                    raise QuestionError(
                        _no_page_message(sources.places, warnings, captures.last_non_article)
                    )
                resolve_graph(writer, pool)
            self._write_meta(writer)
            writer.finish()
        return read

    def _update(self, sources: Sources) -> tuple[int, GraphChanges] | None:
        """Read what changed in the sources and put it into a copy of the old file.

        Return (how many parts were read, what that changed in the graph); None if everything must
        be read, and then the old file is as it was. If nothing changed in the sources, the result
        is 0 and no changes, and nothing is written. Everything must be read also if an update
        turns out to be impossible, or if no page would be left.
        """
        found = self._source_changes(sources)
        if found is None or not found.any_change:
            return None if found is None else (0, GraphChanges())
        try:
            with updating(self._kb) as writer, WorkerPool(self._workers) as pool:
                captures = CaptureWriter(writer)
                for key in found.gone:
                    captures.take_out(key)
                new = batches(found.new)
                for part in chain.from_iterable(pool.map(make_reader, None, new, batch_bytes)):
                    captures.put(part)
                writer.provenance.clear_warnings()
                for warning in found.warnings:
                    writer.provenance.add_warning(None, warning.where, warning.what)
                write_lists(writer, captures)
                if not writer.provenance.page_count():
                    raise UpdateImpossible("no page is left")  # a full build says so to the person
                resolve_graph(writer, pool)
                changes = graph_changes(writer)
                self._write_meta(writer)
                writer.finish()
        except UpdateImpossible:
            return None
        return len(found.new), changes

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
                    return None
                known = store.provenance.parts()
                unread = [ReadWarning(*row) for row in store.provenance.warnings(without_part=True)]
                found = source_changes(sources, known, unread)
                if found and (others := store.provenance.parts_with_other_captures(found.gone)):
                    # Pages whose chosen capture is gone have other captures: read those again.
                    found = source_changes(sources, known, unread, reread=others)
                return found
        except StoreError:  # of another schema, or damaged
            return None

    def _write_meta(self, writer: Writer) -> None:
        """Record what built the file, and from what: `sample` (`1` or empty), `made by` (the
        fingerprint) and `built from` (JSON, as `_Origin.as_meta` returns it)."""
        writer.set_meta("sample", "" if self._origin.places else "1")
        writer.set_meta("made by", self._fingerprint)
        writer.set_meta("built from", self._origin.as_meta())


def _all_parts(sources: Sources, writer: Writer) -> Iterator[Part]:
    """Yield all parts of the sources, for a build from nothing: nothing counts as read before.
    Record a warning for what can't be read, which is not yielded."""
    for found in sources.scan():
        if isinstance(found, Part):
            yield found
        elif isinstance(found, ReadWarning):
            writer.provenance.add_warning(None, found.where, found.what)


def _no_page_message(
    places: Sequence[Path],
    warnings: Sequence[tuple[str, str]],
    non_article: ExtractedPage | None,
) -> str:
    """Return the error for sources without any page: their first warning, or a capture that is no
    article, or that there is nothing to read.

    places: the files and folders that were read, as the message names them.
    warnings: (where, what) of what can't be read.
    non_article: a capture that is no article; None if there is none.
    """
    named = ", ".join(map(str, places))
    if warnings:
        where, what = warnings[0]
        return f"{named}: no page in it that sansho can read; first: {where}: {what}"
    if non_article:
        what = ", ".join(non_article.left_out)
        return f"{named}: no article in it; first: {non_article.place}: {what}"
    return f"{named}: nothing to read in it"
