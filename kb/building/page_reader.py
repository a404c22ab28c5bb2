"""Reads parts of sources in worker processes: parses their pages and extracts table rows.

The result for a part depends on the part alone, so it does not matter which process reads it, or
when.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from graphs.writing.page_claims import PageClaims, PageRows, rows_in_pieces
from kb.building.best_capture import fitness
from kb.knowledge import extract, extract_text, long_names_warning, unextracted, without_long_names
from kb.language.tokens import tokenizer
from scraper import Page, Part, Passage, ReadWarning, Section, Snapshot, read_part
from scraper.detect_format import failure, failures_are_raised
from scraper.sites import site_catalogue

_LOG = logging.getLogger(__name__)
# A batch of wiki pages takes a process 0.03 to 0.2 seconds. By hand: smaller ones cost more to send
# for what is read, larger ones leave processes idle at the end, and keep more in memory.
_MAX_BATCH_PARTS = 50
_FULL_BATCH_BYTES = 100_000  # a batch with more than this is sent


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A capture of a page that was read. Text fields are empty where nothing is known.

    place: the file that the capture is in, or the member of an archive.
    url: the address that it was fetched from.
    taken: when it was fetched, as its manifest or the server states it.
    sha256: the hash of its bytes, in hex.
    notice: what readers must be told of everything that is cited from it.
    form: the form of the document, such as `html`.
    fitness: a key that sorts the captures of a page, the fittest first; see `best_capture`.
    chars: the number of its characters, without white space.
    left_out: the number of its characters that are in no passage, by reason.
    page_id: the id of the page; None if it is no article.
    rows: the rows that the page adds to the graph; None if it is no article.
    list_page: a list of names, of which nothing is extracted before all other pages are written;
        `page_id` and `rows` are None until then.
    unnamed: a page that is named after its file, of which the same holds.
    """

    place: str
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
    list_page: Page | None = None
    unnamed: Page | None = None

    @property
    def waits(self) -> bool:
        """Whether the page is not written before all others are."""
        return bool(self.list_page or self.unnamed)


@dataclass(frozen=True, slots=True)
class ExtractedPart:
    """What was read from a part of a source.

    identity: the part's identity; see `scraper.Part.identity`.
    pages: the captures of pages in it.
    warnings: what could not be read.
    """

    identity: bytes
    pages: tuple[ExtractedPage, ...]
    warnings: tuple[ReadWarning, ...]


def batches(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield all parts in their order, in batches that are worth sending to a worker process: of 50
    parts, or fewer that have more than 100 kB together. The last may be smaller; none is empty."""
    batch: list[Part] = []
    for part in parts:
        batch.append(part)
        if len(batch) >= _MAX_BATCH_PARTS or batch_bytes(batch) > _FULL_BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def batch_bytes(batch: Iterable[Part]) -> int:
    """Return about how many bytes there are to read in a batch: the sum of the parts' sizes."""
    return sum(part.size for part in batch)


def make_reader(_: None) -> Callable[[Iterable[Part]], list[ExtractedPart]]:
    """Return the function that reads a batch of parts; a worker process asks for it once.

    The function returns what was read from each part, in the order of the batch. The argument is
    not used: `WorkerPool.map` gives one.
    """
    return lambda batch: list(map(extracted_part, batch))


def extracted_part(part: Part) -> ExtractedPart:
    """Parse a part of a source, and extract the knowledge in its pages.

    The result's pages include those that are no articles; what can't be read is in its warnings.
    The wikis that the part's hints describe are known meanwhile.
    """
    pages: list[ExtractedPage] = []
    warnings: list[ReadWarning] = []
    _LOG.debug("reading %s", part.entry.title if part.entry else part.snapshot.where)
    sha256 = part.sha256  # once: it may have very many pages
    with site_catalogue.using(part.snapshot.hints.sites):
        for page in read_part(part):
            if isinstance(page, ReadWarning):
                warnings.append(page)
            else:
                extracted, problems = _extracted_page(page, part.snapshot, sha256)
                pages.append(extracted)
                warnings += problems
                if what := unextracted(page):
                    warnings.append(ReadWarning(f"{part.snapshot.where}: page", what))
    return ExtractedPart(part.identity, tuple(pages), tuple(warnings))


def _extracted_page(
    page: Page, snapshot: Snapshot, sha256: str
) -> tuple[ExtractedPage, list[ReadWarning]]:
    """Extract the knowledge in a page of a snapshot, and warn as `_rows` says; first of an error.

    From a page without a name, which is no article, nothing is extracted: its `page_id` and `rows`
    are None. Nor is it from a list of names and from a page that is named after its file, which
    wait for all other pages.

    sha256: the hash of the page's part, in hex.
    """
    is_list = bool(page.name) and page.engine == "namelist"
    rows, warnings = None, []
    if page.name and not is_list and not page.unnamed:
        rows, what, error = _rows(page, snapshot.notice)
        warnings += [ReadWarning(snapshot.where, error)] if error else []
        warnings += [ReadWarning(f"{snapshot.where}: page", each) for each in what]
    extracted = ExtractedPage(
        place=snapshot.where,
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
            url=snapshot.url,
            notice=bool(snapshot.notice),
            old=page.old,
            via=page.via,
            whole=page.whole,
        ),
        chars=page.chars,
        left_out=page.left_out,
        page_id=rows.ids[rows.page] if rows else None,
        rows=rows,
        list_page=page if is_list else None,
        unnamed=page if page.unnamed and not is_list else None,
    )
    return extracted, warnings


def extracted_as(waiting: ExtractedPage, page: Page) -> tuple[ExtractedPage, list[str]]:
    """Return a page that waited for its name, with the knowledge in it, and what to warn of.

    waiting: as it was read; page: the page with its name.
    """
    rows, what, error = _rows(page, waiting.notice)
    problems = [error, *what] if error else what
    return replace(waiting, page_id=rows.ids[rows.page], rows=rows, unnamed=None), problems


def _rows(page: Page, notice: str) -> tuple[PageRows, list[str], str]:
    """Return the rows of a page, and what to warn of: that a plug-in failed, and that names are too
    long, which are left out of the rows; and the error that an extractor raised, or an empty text.

    After an error the rows are those of the text alone, in one section, each passage a paragraph
    without links. The error is raised where tests want that.
    """
    try:
        return *_rows_of(extract(page, tokenizer(), notice)), ""
    except Exception as error:  # one page must never end a build, whatever is wrong with it
        if failures_are_raised():
            raise
        passages = tuple(Passage("paragraph", passage.text) for passage in page.passages)
        plain = page.with_(sections=(Section(""),), passages=passages)
        return *_rows_of(extract_text(plain, tokenizer(), notice)), failure(error)


def _rows_of(claims: PageClaims) -> tuple[PageRows, list[str]]:
    what = long_names_warning(without_long_names(claims))
    return next(rows_in_pieces([claims])), [*claims.problems, *([what] if what else [])]
