"""Scans sources for parts to read, and compares them with the parts that were read before."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scraper import Hints, Part, ReadWarning, Unchanged, parts, snapshots

Progress = Callable[[str], None]  # called with the place of a snapshot
_MAX_NEW_BYTES = 128_000_000  # new parts are kept in memory, but not more than this
_MAX_SHARE = 3  # if more than one part in three is new or gone, reading everything is quicker


@dataclass(frozen=True, slots=True)
class Sources:
    """The files and folders that a knowledge base is built from.

    places: the files and folders.
    hints: what the person who builds says of them.
    kb: the knowledge base itself, which is skipped if it lies in one of the folders.
    progress: called with the place of each snapshot before it is read.
    """

    places: Sequence[Path]
    hints: Hints
    kb: Path
    progress: Progress | None = None

    def scan(
        self, known: Container[bytes] = frozenset()
    ) -> Iterator[Part | Unchanged | ReadWarning]:
        """Yield all parts, each identity once, and a warning for each file that can't be read.

        known: identities of parts that were read before; for these, `Unchanged` (with the identity
            and nothing to read) is yielded instead. If it is empty, all parts are yielded.
        """
        seen: set[bytes] = set()
        for part in self._scan_places(known):
            if not isinstance(part, ReadWarning):
                if part.identity in seen:
                    continue
                seen.add(part.identity)
            yield part

    def _scan_places(self, known: Container[bytes]) -> Iterator[Part | Unchanged | ReadWarning]:
        """As `scan`, but parts with the same identity are all yielded.

        The knowledge base itself is skipped. `progress` is called for each snapshot, but not for
        warnings and unchanged snapshots.
        """
        kb_paths = {str(self.kb.absolute()), os.path.realpath(self.kb)}
        for place in self.places:
            for snapshot in snapshots(place, self.hints, known):
                if isinstance(snapshot, Unchanged):
                    yield snapshot
                    continue
                if str(Path(snapshot.where).absolute()) in kb_paths:
                    continue
                if isinstance(snapshot, ReadWarning):
                    yield snapshot
                    continue
                if self.progress:
                    self.progress(snapshot.where)
                for part in parts(snapshot):
                    # `snapshots` compares whole snapshots; the pages of a dump are compared here.
                    is_known = snapshot.stream is not None and part.identity in known
                    yield Unchanged(part.identity) if is_known else part


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
    read everything. Without any difference the result has `any_change` false.

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
                return None
    gone = frozenset(known.values()) - unchanged
    if len(gone) * _MAX_SHARE > len(known) + _MAX_SHARE:
        return None
    return SourceChanges(new, gone, warnings, bool(new or gone or set(warnings) != set(unread)))
