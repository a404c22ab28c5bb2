"""Reading: parts of snapshots become pages, with all that they put into the graph.

What is read of a part depends on the part alone, so that it does not matter which process does it,
or on which day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from graphs.build.page_rows import PageRows, page_rows
from kb.building.capture_fitness import fitness
from kb.extract import extract
from kb.language.tokens import tokenizer
from scraper import Page, Part, ReadWarning, Snapshot, read_part

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
    """What reads a batch, in whatever process."""
    return lambda batch: list(map(_read, batch))


def _read(part: Part) -> ExtractedPart:
    """Read a part of a snapshot: its pages, with all that they say; what could not be read."""
    snapshot, sha256 = part.snapshot, part.sha256
    pages, warnings = [], []
    for page in read_part(part):
        if isinstance(page, ReadWarning):
            warnings.append(page)
            continue
        rows = page_rows(extract(page, tokenizer(), snapshot.notice)) if page.name else None
        pages.append(
            ExtractedPage(
                snapshot.where,
                snapshot.url,
                snapshot.taken,
                sha256,
                snapshot.notice,
                page.form,
                _fitness(page, snapshot, sha256),
                page.chars,
                page.left_out,
                rows.ids[rows.page] if rows else None,
                rows,
            )
        )
    return ExtractedPart(part.identity, tuple(pages), tuple(warnings))


def _fitness(page: Page, snapshot: Snapshot, sha256: str) -> str:
    return fitness(
        snapshot.taken,
        page.form,
        sha256,
        snapshot.where,
        notice=bool(snapshot.notice),
        old=page.old,
        via=page.via,
        whole=page.whole,
    )
