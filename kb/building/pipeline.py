"""From snapshots to a knowledge base: read, extract, write, swap; again, only what changed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import Any

from graphs.build.changes import GraphChanges, graph_changes
from graphs.build.writer import UpdateImpossible, Writer, updating, writing
from graphs.store.atomic_file import write_lock
from graphs.store.reader import Store
from graphs.store.schema import may_overwrite, read_meta
from kb.building.captures import CaptureWriter
from kb.building.fingerprint import build_fingerprint
from kb.building.page_reader import ExtractedPage, batches, reader, size
from kb.building.sources import Progress, SourceChanges, Sources, source_changes
from kb.errors import QuestionError, StoreError
from kb.resolve.whole_graph import resolve_graph
from kb.workers import WorkerPool, default_workers
from scraper import Hints, Part, ReadWarning
from scraper.sites import address


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build gave. `seconds` is wall time, `read` how many files (or pages of dumps) were
    read: after the first build, those that changed. `changes` says what that changed in the graph;
    it is None where all was read."""

    kb: str
    pages: int
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    warnings: tuple[ReadWarning, ...]
    seconds: float
    read: int
    source_changes: GraphChanges | None

    def as_json(self) -> dict[str, Any]:
        """As `sansho build --json` prints it."""
        return asdict(self)


def build(
    sources: Sequence[str | Path] = (),
    kb: str | Path = "sansho.db",
    *,
    site: str | None = None,
    game: str | None = None,
    lang: str | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    again: bool = False,
) -> BuildReport:
    """Build a knowledge base from files and folders; from the bundled sample if there are none.

    What `kb` holds already of these sources is kept, if the same sansho made it: only what changed
    since is read, and the graph is the one that a build from nothing gives.

    sources: files, or folders (with or without `manifest.jsonl`).
    kb: the file to write. It is replaced when the new one is whole, and not before.
    site, game, lang, edition: what detection can't know; they stand above what it finds.
    progress: called with the place of each snapshot before it is read.
    workers: how many processes read, at most; if None, one for each core, but no more than four.
        With one, or little to read, all is done in this process. The graph is the same.
    again: build from the sources that `kb` was built from, as it was told of them then; so is one
        renewed that an older sansho made.

    Raises SourceError, StoreError, QuestionError or BuildError with a message for people.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = build(kb=Path(folder) / "sample.db")
    >>> report.pages >= 15, report.nodes["rule"] > 50
    (True, True)
    """
    if site and site not in address.ENGINES:
        raise QuestionError(f"no site {site}; there are: {', '.join(sorted(address.ENGINES))}")
    if workers is not None and workers < 1:
        raise QuestionError(f"{workers} workers can't build anything; 1 is the least")
    hints = Hints(site, game, lang, edition)
    workers = workers or default_workers()
    places = [Path(source) for source in sources]
    if again:
        if sources or hints != Hints():
            raise QuestionError(
                "again from what it was built from, or from other sources? not both"
            )
        places, hints = _built_from(Path(kb))
    if places:
        return _build(Sources(places, hints, Path(kb), progress), workers)
    with as_file(files("kb") / "sample") as sample:
        return _build(Sources([sample], hints, Path(kb), progress), workers, sample=True)


def _build(sources: Sources, workers: int, sample: bool = False) -> BuildReport:
    began = time.monotonic()
    kb = Path(os.path.realpath(sources.besides))  # who opens what a link leads to sees it, too
    with write_lock(kb):
        if not may_overwrite(kb):
            raise StoreError(
                f"{kb}: there is a file that is no knowledge base; choose another --kb"
            )
        made = build_fingerprint(sample)
        renewed = _renewed(kb, sources, made, workers, sample)
        read, source_changes = renewed or (_anew(kb, sources, made, workers, sample), None)
        with Store(kb) as store:
            provenance = store.provenance
            warnings = tuple(ReadWarning(*row) for row in provenance.warnings())
            seconds = round(time.monotonic() - began, 3)
            return BuildReport(
                str(sources.besides),
                provenance.page_count(),
                *store.counts(),
                warnings,
                seconds,
                read,
                source_changes,
            )


def _anew(kb: Path, sources: Sources, made: str, workers: int, sample: bool) -> int:
    """Build from nothing. How many parts were read."""
    read = 0
    with writing(kb) as writer:
        shelf = CaptureWriter(writer)
        with WorkerPool(workers) as pool:
            unread = batches(_unread(sources, writer))
            for part in chain.from_iterable(pool.map(reader, None, unread, size)):
                shelf.put(part)
                read += 1
            if not writer.provenance.page_count():
                raise QuestionError(
                    _nothing(sources.places, writer.provenance.warnings(), shelf.none)
                )
            resolve_graph(writer, pool)
        writer.meta("sample", "1" if sample else "")
        writer.meta("made by", made)
        _note(writer, sources, sample)
        writer.finish()
    return read


def _note(writer: Writer, sources: Sources, sample: bool) -> None:
    """Note what it is built from, for another time."""
    said = {
        "places": [] if sample else list(map(str, sources.places)),
        "folder": str(Path.cwd()),
        "hints": asdict(sources.hints),
    }
    writer.meta("built from", json.dumps(said))


def _built_from(kb: Path) -> tuple[list[Path], Hints]:
    """What a knowledge base was built from; no places if that was the sample."""
    stored = read_meta(kb, "built from")
    if stored is None:
        raise QuestionError(f"{kb} does not say what it was built from; name its sources")
    said = json.loads(stored)
    folder = Path(said["folder"])
    places = [Path(place) if folder == Path.cwd() else folder / place for place in said["places"]]
    return places, Hints(**said["hints"])


def _renewed(
    kb: Path, sources: Sources, made: str, workers: int, sample: bool
) -> tuple[int, GraphChanges] | None:
    """Build from what is there, reading what has changed since. How many parts were read, and
    what that changed; None if all must be read."""
    found = _changes(kb, sources, made)
    if found is None or not found.any:
        return None if found is None else (0, GraphChanges())
    try:
        with updating(kb) as writer, WorkerPool(workers) as pool:
            shelf = CaptureWriter(writer)
            for part in found.gone:
                shelf.take_out(part)
            for read in chain.from_iterable(pool.map(reader, None, batches(found.new), size)):
                shelf.put(read)
            writer.provenance.clear_warnings()
            for warn in found.warnings:
                writer.provenance.add_warning(None, warn.where, warn.what)
            if not writer.provenance.page_count():
                raise UpdateImpossible("no page is left")  # a build from nothing has words for that
            resolve_graph(writer, pool)
            difference = graph_changes(writer)
            _note(writer, sources, sample)
            writer.finish()
    except UpdateImpossible:
        return None
    return len(found.new), difference


def _changes(kb: Path, sources: Sources, made: str) -> SourceChanges | None:
    """What is to be read, and what is there no more; None if all must be read."""
    if not kb.exists():
        return None
    try:
        with Store(kb) as store:
            if store.meta("made by") != made or store.meta("ambiguous"):
                return None
            known = store.provenance.parts()
            unread = [ReadWarning(*row) for row in store.provenance.warnings(of_none=True)]
            found = source_changes(sources, known, unread)
            if found and (others := store.provenance.parts_with_other_captures(found.gone)):
                # Pages that were taken from what is gone are there in other captures.
                found = source_changes(sources, known, unread, again=others)
            return found
    except StoreError:  # of another schema, or damaged
        return None


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
