"""Scans sources for parts to read, and compares them with the parts that were read before."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.build_progress import ProgressReporter
from kb.building.recorded_sources import current_folder
from scraper import Hints, Part, ReadWarning, Unchanged, parts, snapshots
from scraper.sources.files import storable_path
from scraper.sources.saved_pages import files_to_read

_LOG = logging.getLogger(__name__)
# New parts are kept in memory, but not more than this; a guard: of more all is read anew, in which
# nothing is kept.
_MAX_NEW_BYTES = 128_000_000
_OWN_FILES = ("", ".near")  # what follows the name of a knowledge base: itself, and its vectors
# If more than one part in three is new or gone, reading everything is quicker. By hand; one part
# more is allowed, so that a base of few parts is updated, too.
_MAX_SHARE = 3


@dataclass(frozen=True, slots=True)
class Sources:
    """The files and folders that a knowledge base is built from.

    places: the files and folders, each with what the person who builds says of it.
    kb: the knowledge base itself; it and its vectors are skipped if they lie in one of the folders.
    progress: told of each part before it is read, and of each file that is unchanged.
    urls: files and folders on object storage, which only shards are made of.
    """

    places: Sequence[tuple[Path, Hints]]
    kb: Path
    progress: ProgressReporter
    urls: Sequence[tuple[str, Hints]] = ()

    def scan(
        self, known: Collection[bytes] = frozenset()
    ) -> Iterator[Part | Unchanged | ReadWarning]:
        """Yield all parts, each identity once, and a warning for each file that can't be read.

        known: identities of parts that were read before; for these, `Unchanged` (with the identity
            and nothing to read) is yielded instead. If it is empty, all parts are yielded.

        In the order of the places, and in each in that of `snapshots`.
        """
        seen: set[bytes] = set()
        total = self._count_files() if self.progress.is_watched else None
        self.progress.begin("comparing files" if known else "reading", total)
        for done, part in enumerate(self._scan_places(known)):
            place = "" if isinstance(part, Unchanged) else _place(part)
            if isinstance(part, Part) and (part.entry or "!" in place):
                total = None  # nobody knows how much there is in a dump or an archive
            if total is not None and done >= total:
                total = None  # warnings of manifests count too
            self.progress.at(place, done, total)
            if not isinstance(part, ReadWarning):
                if part.identity in seen:
                    continue
                seen.add(part.identity)
            yield part

    def _scan_places(self, known: Container[bytes]) -> Iterator[Part | Unchanged | ReadWarning]:
        """Do as `scan` does, but yield all parts with the same identity, and tell no progress. The
        knowledge base and its vectors are skipped."""
        kb_paths = {
            storable_path(path + end)
            for path in (str(self.kb.absolute()), os.path.realpath(self.kb))
            for end in _OWN_FILES
        }
        folder = storable_path(current_folder())
        for place, hints in self.places:
            for snapshot in snapshots(place, hints, known, refused=True):
                if isinstance(snapshot, Unchanged):
                    yield snapshot
                    continue
                if os.path.join(folder, snapshot.where) in kb_paths:  # noqa: PTH118
                    continue
                if isinstance(snapshot, ReadWarning):
                    yield snapshot
                    continue
                for part in parts(snapshot):
                    # `snapshots` compares whole snapshots; the pages of a dump are compared here.
                    is_known = snapshot.stream is not None and part.identity in known
                    yield Unchanged(part.identity) if is_known else part

    def _count_files(self) -> int:
        """Return the number of files in all places that may be read; a place that is no folder is
        one, be it there or not. What is in an archive does not count."""
        self.progress.begin("looking for files")
        total = 0
        for place, _ in self.places:
            paths = files_to_read(place, ()) if place.is_dir() else (str(place),)
            total += sum(isinstance(path, str) for path in paths)
        return total


def _place(part: Part | ReadWarning) -> str:
    """Return the file, or the place in it, of a part or a warning."""
    return part.where if isinstance(part, ReadWarning) else part.snapshot.where


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """How sources differ from the parts that were read before.

    new: parts that were not read before.
    gone: the keys of the parts that are no longer there.
    warnings: what can't be read now.
    any_change: whether anything differs, the warnings included.
    """

    new: Sequence[Part]
    gone: frozenset[int]
    warnings: Sequence[ReadWarning]
    any_change: bool


def source_changes(
    sources: Sources,
    known: Mapping[bytes, int],
    unread: Collection[ReadWarning],
    reread: Collection[int] = (),
) -> SourceChanges | None:
    """Return how sources differ from what was read before; None if so much that it is better to
    read everything: over a third of the parts is new or gone, or 128 MB are new. Without any
    difference the result has `any_change` false.

    known: {identity: key} of the parts that were read before.
    unread: the warnings of files that could not be read before; the same ones are no change.
    reread: the keys of known parts to read again even if they are unchanged: they are both in
        `new`, if they are still there, and in `gone`.
    """
    kept = {identity: key for identity, key in known.items() if key not in reread}
    new: list[Part] = []
    warnings: list[ReadWarning] = []
    unchanged: set[int] = set()
    new_bytes = 0
    for found in sources.scan(kept):
        if isinstance(found, ReadWarning):
            warnings.append(found)
        elif isinstance(found, Unchanged):
            unchanged.add(kept[found.identity])
        else:
            new.append(found)
            new_bytes += found.size
            if new_bytes > _MAX_NEW_BYTES or len(new) * _MAX_SHARE > len(known) + _MAX_SHARE:
                _LOG.debug("all is read again: so much is new that it takes no longer")
                return None
    gone = frozenset(known.values()) - unchanged
    if len(gone) * _MAX_SHARE > len(known) + _MAX_SHARE:
        _LOG.debug("all is read again: so much is gone that it takes no longer")
        return None
    return SourceChanges(new, gone, warnings, bool(new or gone or set(warnings) != set(unread)))
