"""From snapshots to a knowledge base: read, extract, write, swap."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from graphs.write import Writer, writing
from kb.errors import QuestionError
from kb.extract import extract
from kb.extract.citations import other_heading
from kb.extract.concepts import merged
from kb.extract.links import section_or_page
from kb.extract.meanings import action
from kb.extract.mentions import Teller
from kb.extract.rules import stand_ins
from kb.extract.samewords import same_concepts
from kb.wording import differences
from kb.words import words
from scraper import Hints, Page, Snapshot, Warn, address, snapshots, stream_pages

Progress = Callable[[str], None]


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


@dataclass(slots=True)
class _Read:
    """One snapshot that was read: where, when, and the page it gave, if any. Of the page
    only the figures are kept once its text is in the graph."""

    where: str
    url: str
    taken: str
    sha256: str
    notice: str
    page: Page
    page_id: str | None

    @property
    def preference(self) -> tuple[object, ...]:
        """The smaller, the better a capture of its page: one without a warning to readers
        first, markup before text, the revision that stands before one replaced, the page
        itself before a view of it, new before old."""
        page = self.page
        age = -_moment(self.taken)
        return (bool(self.notice), page.form != "html", page.old, page.via, age, self.sha256)


def build(
    sources: Sequence[str | Path] = (),
    kb: str | Path = "sansho.db",
    *,
    site: str | None = None,
    game: str | None = None,
    lang: str | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """Build a knowledge base from files and folders; from the bundled sample if there are none.

    sources: files, or folders (with or without `manifest.jsonl`).
    kb: the file to write. It is replaced when the new one is whole, and not before.
    site, game, lang, edition: what detection can't know; they stand above what it finds.
    progress: called with the place of each snapshot before it is read.

    Raises SourceError, StoreError or QuestionError with a message for people.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = build(kb=Path(folder) / "sample.db")
    >>> report.pages >= 15, report.nodes["rule"] > 50
    (True, True)
    """
    if site and site not in address.ENGINES:
        raise QuestionError(f"no site {site}; there are: {', '.join(sorted(address.ENGINES))}")
    hints = Hints(site, game, lang, edition)
    if sources:
        return _build([Path(source) for source in sources], Path(kb), hints, progress)
    with as_file(files("kb") / "sample") as sample:
        return _build([sample], Path(kb), hints, progress, sample=True)


def _build(
    sources: Sequence[Path], kb: Path, hints: Hints, progress: Progress | None, sample: bool = False
) -> Report:
    began = time.monotonic()
    warnings: list[Warn] = []
    notices: set[str] = set()
    kept: dict[str, _Read] = {}
    others: list[_Read] = []
    with writing(kb) as writer:
        for snapshot in _all(sources, hints, kb, warnings, progress):
            sha256 = snapshot.sha256
            for page in stream_pages(snapshot):
                if isinstance(page, Warn):
                    warnings.append(page)
                    continue
                found = _Read(
                    snapshot.where, snapshot.url, snapshot.taken, sha256, snapshot.notice, page,
                    f"{page.source}/{page.name}" if page.name else None,
                )  # fmt: skip
                if _keep(found, kept, others, warnings, writer):
                    writer.add(extract(page, words(), snapshot.notice))
                found.page = page.with_(passages=(), sections=())
                if snapshot.notice:
                    notices.add(snapshot.notice)
        if not kept:
            raise QuestionError(_nothing(sources, warnings, others))
        _record(writer, kept.values(), others, warnings)
        writer.meta("notice", "\n".join(sorted(notices)))
        writer.meta("sample", "1" if sample else "")
        named = writer.names("term")
        writer.merge(merged(named, action(named, writer.defined("term"), words())), "ja")
        writer.join(same_concepts(writer.names("term"), writer.defined("term"), words()))
        writer.tell(Teller(writer.names("term"), words()))
        editions = writer.editions()
        writer.settle(lambda wanted: [*section_or_page(wanted), *stand_ins(wanted, editions)])
        writer.amend("cites", other_heading)
        writer.keep_wordings("rule", differences)
        writer.finish()
        nodes, edges, dangling = writer.counts()
    seconds = round(time.monotonic() - began, 3)
    ordered = tuple(sorted(set(warnings), key=lambda warn: (warn.where, warn.what)))
    return Report(str(kb), len(kept), nodes, edges, dangling, ordered, seconds)


def _all(
    sources: Sequence[Path], hints: Hints, kb: Path, warnings: list[Warn],
    progress: Progress | None,
) -> Iterator[Snapshot]:  # fmt: skip
    """The snapshots of all sources; the knowledge base may lie among them and is none."""
    for source in sources:
        for found in snapshots(source, hints):
            if Path(found.where).absolute() == kb.absolute():
                continue
            if isinstance(found, Warn):
                warnings.append(found)
                continue
            if progress:
                progress(found.where)
            yield found


def _keep(
    found: _Read, kept: dict[str, _Read], others: list[_Read], warnings: list[Warn], writer: Writer
) -> bool:
    """Whether a page is to be put into the graph: not if a better capture of it is there. A
    worse one that is there is taken out."""
    if found.page_id is None:
        others.append(found)
        return False
    before = kept.get(found.page_id)
    if before is not None:
        worse, better = sorted((found, before), key=lambda r: r.preference, reverse=True)
        if not worse.page.via:  # that a view of a page repeats it goes without saying
            warnings.append(Warn(worse.where, f"{found.page_id} is taken from {better.where}"))
        others.append(worse)
        if better is before:
            return False
        writer.drop(found.page_id)
    kept[found.page_id] = found
    return True


def _record(
    writer: Writer, kept: Iterable[_Read], others: Iterable[_Read], warnings: Iterable[Warn]
) -> None:
    """What was read, and what of it is in no passage."""
    for read in kept:
        _snapshot(writer, read, dict(read.page.left_out))
    for read in others:
        page = read.page
        left_out = dict(page.left_out)
        if read.page_id:
            left_out = {"another capture of the page is used": page.chars}
        _snapshot(writer, read, left_out)
    for warn in sorted(set(warnings), key=lambda warn: (warn.where, warn.what)):
        writer.warn(warn.where, warn.what)


def _snapshot(writer: Writer, read: _Read, left_out: dict[str, int]) -> None:
    writer.snapshot(
        read.where, read.page_id, read.url, read.sha256, read.taken, read.page.chars, left_out
    )


def _nothing(sources: Sequence[Path], warnings: Sequence[Warn], others: Sequence[_Read]) -> str:
    named = ", ".join(map(str, sources))
    if warnings:
        first = warnings[0]
        return f"{named}: no page in it that sansho can read; first: {first.where}: {first.what}"
    if others:
        what = ", ".join(others[0].page.left_out)
        return f"{named}: no article in it; first: {others[0].where}: {what}"
    return f"{named}: nothing to read in it"


def _moment(taken: str) -> float:
    """A time as served or as noted, in seconds; 0 where there is none."""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(taken).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return 0.0
