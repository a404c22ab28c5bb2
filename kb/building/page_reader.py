"""Reading: parts of snapshots become pages, with all that they put into the graph.

What is read of a part depends on the part alone, so that it does not matter which process does it,
or on which day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from graphs.writing.page_rows import PageRows, page_rows
from kb.building.capture_fitness import fitness
from kb.extract import extract
from kb.language.tokens import tokenizer
from scraper import Page, Part, ReadWarning, Snapshot, read_part
from scraper.sites import catalogue

_MOST_AT_ONCE = 50  # parts
_ENOUGH = 100_000  # bytes


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A capture of a page that was read: where, when, what it is, and what it puts into the graph.

    `fitness` sorts the captures of a page, the fittest first (`kb.fit`).
    """

    where: str
    url: str
    taken: str
    sha256: str
    notice: str
    form: str
    fitness: str
    chars: int
    left_out: Mapping[str, int]
    page_id: str | None
    rows: PageRows | None


@dataclass(frozen=True, slots=True)
class ExtractedPart:
    """What was read of a part of a snapshot, and what could not be."""

    identity: bytes
    pages: tuple[ExtractedPage, ...]
    warnings: tuple[ReadWarning, ...]


def batches(unread: Iterable[Part]) -> Iterator[list[Part]]:
    """The same, as much at a time as pays the way to a worker."""
    batch: list[Part] = []
    for one in unread:
        batch.append(one)
        if len(batch) >= _MOST_AT_ONCE or size(batch) > _ENOUGH:
            yield batch
            batch = []
    if batch:
        yield batch


def size(batch: Iterable[Part]) -> int:
    """About how many bytes there are to read."""
    return sum(part.size for part in batch)


def reader(_: None) -> Callable[[Iterable[Part]], list[ExtractedPart]]:
    """The function that reads a batch of parts; a worker process asks for it once."""
    return lambda batch: list(map(_read, batch))


def _read(part: Part) -> ExtractedPart:
    """Read a part of a snapshot and extract what its pages say."""
    pages: list[ExtractedPage] = []
    warnings: list[ReadWarning] = []
    with catalogue.using(part.snapshot.hints.sites):
        for page in read_part(part):
            if isinstance(page, ReadWarning):
                warnings.append(page)
            else:
                pages.append(_extracted(page, part.snapshot, part.sha256))
    return ExtractedPart(part.identity, tuple(pages), tuple(warnings))


def _extracted(page: Page, snapshot: Snapshot, sha256: str) -> ExtractedPage:
    rows = page_rows(extract(page, tokenizer(), snapshot.notice)) if page.name else None
    return ExtractedPage(
        where=snapshot.where,
        url=snapshot.url,
        taken=snapshot.taken,
        sha256=sha256,
        notice=snapshot.notice,
        form=page.form,
        fitness=fitness(
            snapshot.taken,
            page.form,
            sha256,
            snapshot.where,
            notice=bool(snapshot.notice),
            old=page.old,
            via=page.via,
            whole=page.whole,
        ),
        chars=page.chars,
        left_out=page.left_out,
        page_id=rows.ids[rows.page] if rows else None,
        rows=rows,
    )
