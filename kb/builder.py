"""From snapshots to a knowledge base: read, extract, write, swap."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import Any

from graphs.facts import Defined, Named, Spoken, Told, Want
from graphs.write import Writer, writing
from kb.errors import QuestionError
from kb.extract.citations import other_heading
from kb.extract.concepts import merged
from kb.extract.links import section_or_page
from kb.extract.meanings import action
from kb.extract.mentions import Teller
from kb.extract.rules import stand_ins
from kb.extract.samewords import same_concepts
from kb.read import Read, Unread, batches, reader, size
from kb.wording import differences
from kb.words import words
from kb.workers import Crew, usual
from scraper import Hints, Warn, address, parts, snapshots

Progress = Callable[[str], None]
_Known = tuple[list[Named], list[Defined]]


@dataclass(frozen=True, slots=True)
class Report:
    """What a build gave. `seconds` is wall time."""

    kb: str
    pages: int
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    warnings: tuple[Warn, ...]
    seconds: float

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
) -> Report:
    """Build a knowledge base from files and folders; from the bundled sample if there are none.

    sources: files, or folders (with or without `manifest.jsonl`).
    kb: the file to write. It is replaced when the new one is whole, and not before.
    site, game, lang, edition: what detection can't know; they stand above what it finds.
    progress: called with the place of each snapshot before it is read.
    workers: how many processes read, at most; if None, one for each core, but no more than four.
        With one, or little to read, all is done in this process. The graph is the same.

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
    workers = workers or usual()
    if sources:
        return _build([Path(source) for source in sources], Path(kb), hints, progress, workers)
    with as_file(files("kb") / "sample") as sample:
        return _build([sample], Path(kb), hints, progress, workers, sample=True)


def _build(
    sources: Sequence[Path], kb: Path, hints: Hints, progress: Progress | None, workers: int,
    sample: bool = False,
) -> Report:  # fmt: skip
    began = time.monotonic()
    with writing(kb) as writer:
        with Crew(workers) as crew:
            read = crew.map(reader, None, batches(_all(sources, hints, kb, progress)), size)
            pages, warnings = _add(writer, chain.from_iterable(read), sources)
            _relate(writer, crew)
        _settle(writer)
        writer.meta("sample", "1" if sample else "")
        writer.finish()
        nodes, edges, dangling = writer.counts()
    seconds = round(time.monotonic() - began, 3)
    return Report(str(kb), pages, nodes, edges, dangling, warnings, seconds)


def _all(
    sources: Sequence[Path], hints: Hints, kb: Path, progress: Progress | None
) -> Iterator[Unread | Warn]:
    """All that there is to read; the knowledge base may lie among the sources and is none."""
    for source in sources:
        for found in snapshots(source, hints):
            if Path(found.where).absolute() == kb.absolute():
                continue
            if isinstance(found, Warn):
                yield found
                continue
            if progress:
                progress(found.where)
            sha256 = found.sha256
            yield from (Unread(part, sha256) for part in parts(found))


def _add(
    writer: Writer, read: Iterable[Read | Warn], sources: Sequence[Path]
) -> tuple[int, tuple[Warn, ...]]:
    """Put the pages in, and a record of what was read. How many they are, and what could not
    be read."""
    kept: dict[str, Read] = {}
    others: list[Read] = []
    warnings: list[Warn] = []
    notices: set[str] = set()
    for found in read:
        if isinstance(found, Warn):
            warnings.append(found)
            continue
        if found.notice:
            notices.add(found.notice)
        _keep(found, kept, others, warnings, writer)
    if not kept:
        raise QuestionError(_nothing(sources, warnings, others))
    ordered = tuple(sorted(set(warnings), key=lambda warn: (warn.where, warn.what)))
    _record(writer, kept.values(), others, ordered)
    writer.meta("notice", "\n".join(sorted(notices)))
    return len(kept), ordered


def _relate(writer: Writer, crew: Crew) -> None:
    """What can be told of terms when all their names are known: which are one, where passages
    speak of them."""
    writer.link()
    if into := crew.begin(_merged, _known(writer))():
        writer.merge(into, "ja")
    concepts = crew.begin(_concepts, _known(writer))
    names = writer.names("term")
    writer.tell(lambda passages: crew.map(_teller, names, passages, _length))
    writer.join(concepts())


def _settle(writer: Writer) -> None:
    """What can be told when all that will be in the graph is in it."""
    editions = writer.editions()
    writer.settle(lambda wanted: [*section_or_page(wanted), *stand_ins(wanted, editions)])
    writer.amend("cites", other_heading)
    writer.keep_wordings("rule", differences)


def _known(writer: Writer) -> _Known:
    return writer.names("term"), writer.defined("term")


def _merged(known: _Known) -> dict[str, str]:
    return merged(known[0], action(*known, words()))


def _concepts(known: _Known) -> list[Want]:
    return same_concepts(*known, words())


def _teller(names: Iterable[Named]) -> Callable[[Iterable[Told]], list[tuple[str, list[Spoken]]]]:
    teller = Teller(names, words())
    return lambda passages: list(map(teller, passages))


def _length(passages: Iterable[Told]) -> int:
    return sum(len(passage.text) for passage in passages)


def _keep(
    found: Read, kept: dict[str, Read], others: list[Read], warnings: list[Warn], writer: Writer
) -> None:
    """Put a page into the graph, if no better capture of it is there; a worse one that is there
    is taken out."""
    bare = replace(found, rows=None)
    if found.page_id is None or found.rows is None:
        others.append(bare)
        return
    before = kept.get(found.page_id)
    if before is not None:
        worse, better = sorted((bare, before), key=lambda r: r.preference, reverse=True)
        if not worse.via:  # that a view of a page repeats it goes without saying
            warnings.append(Warn(worse.where, f"{found.page_id} is taken from {better.where}"))
        others.append(worse)
        if better is before:
            return
        writer.drop(found.page_id)
    kept[found.page_id] = bare
    writer.add(found.rows)


def _record(
    writer: Writer, kept: Iterable[Read], others: Iterable[Read], warnings: Iterable[Warn]
) -> None:
    """What was read, and what of it is in no passage."""
    for read in kept:
        _snapshot(writer, read, read.left_out)
    for read in others:
        left_out = read.left_out
        if read.page_id:
            left_out = {"another capture of the page is used": read.chars}
        _snapshot(writer, read, left_out)
    for warn in warnings:
        writer.warn(warn.where, warn.what)


def _snapshot(writer: Writer, read: Read, left_out: Mapping[str, int]) -> None:
    writer.snapshot(
        read.where, read.page_id, read.url, read.sha256, read.taken, read.chars, left_out
    )


def _nothing(sources: Sequence[Path], warnings: Sequence[Warn], others: Sequence[Read]) -> str:
    named = ", ".join(map(str, sources))
    if warnings:
        first = warnings[0]
        return f"{named}: no page in it that sansho can read; first: {first.where}: {first.what}"
    if others:
        what = ", ".join(others[0].left_out)
        return f"{named}: no article in it; first: {others[0].where}: {what}"
    return f"{named}: nothing to read in it"
