"""Captures of pages: of those that are read of one page, which it is taken from."""

from __future__ import annotations

from graphs.store.provenance import CaptureRecord
from graphs.writing.writer import Writer
from kb.building.page_reader import ExtractedPage, ExtractedPart

_ANOTHER = "another capture of the page is used"


class CaptureWriter:
    """Puts what is read into the graph: of each page the fittest capture, of the others a
    record."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._provenance = writer.provenance
        self._chosen: dict[str, tuple[int, CaptureRecord] | None] = {}
        self.none: ExtractedPage | None = None  # one that is no article

    def put(self, part: ExtractedPart) -> None:
        """Put in what was read of a part."""
        key = self._provenance.add_part(part.identity)
        for warn in part.warnings:
            self._provenance.add_warning(key, warn.where, warn.what)
        for read in part.pages:
            if read.page_id is None or read.rows is None:
                self.none = read
                self._provenance.add_capture(_taken(read, key, chosen=False), read.left_out)
            else:
                self._put(read, read.page_id, key)

    def take_out(self, part: int) -> None:
        """Take out what was read of a part before, by its key."""
        for page in self._provenance.pages_from(part):
            self._writer.drop(page)
        self._provenance.remove_part(part)

    def _put(self, read: ExtractedPage, page: str, part: int) -> None:
        before = self._chosen_for(page)
        taken = _taken(read, part, chosen=before is None or read.fitness < before[1].fitness)
        if not taken.chosen:
            self._provenance.add_capture(taken, {_ANOTHER: read.chars})
            return
        if before is not None:
            self._writer.drop(page)
            self._provenance.unchoose(before[0], {_ANOTHER: before[1].chars})
        assert read.rows is not None
        self._writer.add(read.rows)
        self._chosen[page] = self._provenance.add_capture(taken, read.left_out), taken

    def _chosen_for(self, page: str) -> tuple[int, CaptureRecord] | None:
        """The capture that a page is taken from up to now."""
        if page not in self._chosen:
            recorded = () if self._writer.is_new else self._provenance.captures(page)
            self._chosen[page] = next((one for one in recorded if one[1].chosen), None)
        return self._chosen[page]


def _taken(read: ExtractedPage, part: int, chosen: bool) -> CaptureRecord:
    return CaptureRecord(
        part,
        read.where,
        read.page_id,
        read.url,
        read.sha256,
        read.taken,
        read.notice,
        read.form,
        read.fitness,
        read.chars,
        chosen,
    )
