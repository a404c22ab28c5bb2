"""Captures of pages: of those that are read of one page, which it is taken from."""

from __future__ import annotations

from graphs.ledger import Taken
from graphs.write import Writer
from kb.read import Read, ReadPart

_ANOTHER = "another capture of the page is used"


class Shelf:
    """Puts what is read into the graph: of each page the fittest capture, of the others a
    record."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._ledger = writer.ledger
        self._speaking: dict[str, tuple[int, Taken] | None] = {}
        self.none: Read | None = None  # one that is no article

    def put(self, part: ReadPart) -> None:
        """Put in what was read of a part."""
        key = self._ledger.add(part.identity)
        for warn in part.warnings:
            self._ledger.warn(key, warn.where, warn.what)
        for read in part.pages:
            if read.page_id is None or read.rows is None:
                self.none = read
                self._ledger.take(_taken(read, key, speaks=False), read.left_out)
            else:
                self._put(read, read.page_id, key)

    def take_out(self, part: int) -> None:
        """Take out what was read of a part before, by its key."""
        for page in self._ledger.taken_from(part):
            self._writer.drop(page)
        self._ledger.remove(part)

    def _put(self, read: Read, page: str, part: int) -> None:
        before = self._speaking_for(page)
        taken = _taken(read, part, speaks=before is None or read.fit < before[1].fit)
        if not taken.speaks:
            self._ledger.take(taken, {_ANOTHER: read.chars})
            return
        if before is not None:
            self._writer.drop(page)
            self._ledger.silence(before[0], {_ANOTHER: before[1].chars})
        assert read.rows is not None
        self._writer.add(read.rows)
        self._speaking[page] = self._ledger.take(taken, read.left_out), taken

    def _speaking_for(self, page: str) -> tuple[int, Taken] | None:
        """The capture that a page is taken from up to now."""
        if page not in self._speaking:
            recorded = () if self._writer.anew else self._ledger.captures(page)
            self._speaking[page] = next((one for one in recorded if one[1].speaks), None)
        return self._speaking[page]


def _taken(read: Read, part: int, speaks: bool) -> Taken:
    return Taken(part, read.where, read.page_id, read.url, read.sha256, read.taken, read.notice,
                 read.form, read.fit, read.chars, speaks)  # fmt: skip
