"""Chooses the fittest capture of each page and writes it; the other captures are only recorded."""

from __future__ import annotations

from collections.abc import Iterable

from graphs.store.build_records import CaptureRecord
from graphs.writing.page_claims import PageRows
from graphs.writing.writer import Writer
from kb.building.page_reader import ExtractedPage, ExtractedPart, extracted_as
from scraper import Page

_PASSAGE_SIZE = 500  # bytes in memory, about, beside its text
# Bytes of pages without names; a guard of memory. More of them are written at once, so that of
# several that are called alike only one is used, with a warning.
_MOST_WAITING = 200_000_000
_NO_ROOM = (
    f"more than {_MOST_WAITING:,} bytes of pages without names; it is not told apart from "
    "others that are called alike"
)
NOT_CHOSEN = "another capture of the page is used"


class CaptureWriter:
    """Writes the pages that are read from parts of sources: of each page the fittest capture.

    Captures may come in any order: a page is replaced when a fitter capture of it comes.

    lists: the lists of names that were put in, each with the key of its part. They are not written
        yet, as what they name depends on all other pages.
    unnamed: the same of pages that are named after their files, as their names depend on others.
    """

    def __init__(self, writer: Writer) -> None:
        """Write to a graph that is new or being updated."""
        self._writer = writer
        self._provenance = writer.provenance
        # The chosen capture of each page that was asked for, with its key; None if there is none.
        self._chosen: dict[str, tuple[int, CaptureRecord] | None] = {}
        self.lists: list[tuple[int, ExtractedPage]] = []
        self.unnamed: list[tuple[int, ExtractedPage]] = []
        self._waiting = 0  # about the bytes of those

    def put_all(self, parts: Iterable[ExtractedPart]) -> int:
        """Write the pages of parts, as `put` does, and return how many parts there were. None of
        them is kept: the rows of a huge page take much memory."""
        number = 0
        for part in parts:
            self.put(part)
            number += 1
        return number

    def put(self, part: ExtractedPart) -> None:
        """Write the pages of a part, and record its captures and warnings.

        Of a page only the fittest capture is written: one that is less fit than the capture in the
        graph is recorded, and a fitter one replaces it. A capture that is no article is recorded
        as not chosen. Lists of names are only kept in `lists`, and pages without names in
        `unnamed`, as long as there is room.
        """
        key = self._provenance.add_part(part.identity)
        for warning in part.warnings:
            self._provenance.add_warning(key, warning.where, warning.what, warning.hints)
        self.put_pages(part.pages, key)

    def put_pages(self, pages: Iterable[ExtractedPage], key: int) -> None:
        """Do as `put` does, for pages of a part that is recorded already. key: the part's."""
        for page in pages:
            if page.list_page:
                self.lists.append((key, page))
            elif page.unnamed and self._takes_room(page.unnamed):
                self.unnamed.append((key, page))
            elif page.unnamed:
                written, problems = extracted_as(page, page.unnamed)
                self.put_page(written, key)
                for what in (*problems, _NO_ROOM):
                    self._provenance.add_warning(key, page.place, what)
            elif page.page_id is None or page.rows is None:
                self._provenance.add_capture(capture_record(page, key, chosen=False), page.left_out)
            else:
                self.put_page(page, key)

    def _takes_room(self, page: Page) -> bool:
        """Return whether there is room for a page that is to wait for its name, and count it. What
        did not fit stays counted, so that none waits behind it."""
        self._waiting += page.chars + _PASSAGE_SIZE * (1 + len(page.passages))
        return self._waiting <= _MOST_WAITING

    def take_out(self, part: int) -> None:
        """Delete the pages and records of a part that was read before.

        part: the part's key in the store's records.

        Other captures of the deleted pages do not take their place: `put` their parts again.
        """
        for page in self._provenance.pages_from(part):
            self._writer.drop(page)
        self._provenance.remove_part(part)

    def put_page(self, page: ExtractedPage, part: int, more: Iterable[PageRows] = ()) -> None:
        """Write a page if this capture of it is the fittest yet, and record the capture.

        A less fit capture is recorded as not chosen, with all its characters as left out. If the
        page was written before, from a less fit capture, it is deleted first, and that capture is
        marked in the same way.

        page: an article, with its id and its rows.
        part: the key of the part that the capture is in.
        more: the rows that the page has beside its own `rows`, in pieces.
        """
        page_id = page.page_id
        assert page_id is not None
        before = self._chosen_capture(page_id)
        capture = capture_record(
            page, part, chosen=before is None or page.fitness < before[1].fitness
        )
        if not capture.chosen:
            self._provenance.add_capture(capture, {NOT_CHOSEN: page.chars})
            return
        if before is not None:
            self._writer.drop(page_id)
            self._provenance.mark_not_chosen(before[0], {NOT_CHOSEN: before[1].chars})
        assert page.rows is not None
        self._writer.add(page.rows, more)
        self._chosen[page_id] = self._provenance.add_capture(capture, page.left_out), capture

    def _chosen_capture(self, page_id: str) -> tuple[int, CaptureRecord] | None:
        """Return (key, record) of the capture that a page is taken from so far, in this build or,
        in an update, in the old graph; None if there is none. The answer is kept in
        `self._chosen`; the graph is asked only once for each page.

        page_id: the id of the page, which need not be in the graph.
        """
        if page_id not in self._chosen:
            is_there = self._writer.ids_in_file
            recorded = self._provenance.captures(page_id) if is_there else ()
            self._chosen[page_id] = next(
                ((key, capture) for key, capture in recorded if capture.chosen), None
            )
        return self._chosen[page_id]


def capture_record(page: ExtractedPage, part: int, chosen: bool) -> CaptureRecord:
    """Return the record of a capture, to be stored.

    part: the key of the part that it was read from.
    chosen: whether the page in the graph is taken from it.
    """
    return CaptureRecord(
        part,
        page.place,
        page.page_id,
        page.url,
        page.sha256,
        page.taken,
        page.notice,
        page.form,
        page.fitness,
        page.chars,
        chosen,
    )
