"""What there is to read: which parts of the sources are new, and which were read before."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scraper import Hints, Part, ReadWarning, Unchanged, parts, snapshots

Progress = Callable[[str], None]
_AT_MOST = 128_000_000  # bytes of what is new; more is not kept in memory
_SHARE = 3  # one part in so many may be new; with more it is quicker to read all


@dataclass(frozen=True, slots=True)
class Sources:
    """Files and folders, what is said of them, and the file that lies among them and is none."""

    places: Sequence[Path]
    hints: Hints
    besides: Path
    progress: Progress | None = None

    def found(
        self, known: Container[bytes] = frozenset()
    ) -> Iterator[Part | Unchanged | ReadWarning]:
        """All parts, each once; of what is known, only that it is there."""
        met: set[bytes] = set()
        for part in self._found(known):
            if not isinstance(part, ReadWarning):
                if part.identity in met:
                    continue
                met.add(part.identity)
            yield part

    def _found(self, known: Container[bytes]) -> Iterator[Part | Unchanged | ReadWarning]:
        besides = {str(self.besides.absolute()), os.path.realpath(self.besides)}
        for source in self.places:
            for found in snapshots(source, self.hints, known):
                if isinstance(found, Unchanged):
                    yield found
                    continue
                if str(Path(found.where).absolute()) in besides:
                    continue
                if isinstance(found, ReadWarning):
                    yield found
                    continue
                if self.progress:
                    self.progress(found.where)
                for part in parts(found):
                    known_part = found.stream is not None and part.identity in known
                    yield Unchanged(part.identity) if known_part else part


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """How sources differ from what was read of them: what is new, the keys of what is there no
    more, what can't be read now; and whether there is `any` difference."""

    new: Sequence[Part]
    gone: frozenset[int]
    warnings: Sequence[ReadWarning]
    any: bool


def source_changes(
    sources: Sources,
    known: Mapping[bytes, int],
    unread: Collection[ReadWarning],
    again: Collection[int] = (),
) -> SourceChanges | None:
    """How the sources differ from the parts that are known, by their identities, and from what
    could not be read of them; None if in so much that all had better be read. The parts `again`
    are taken for new."""
    kept = {identity: key for identity, key in known.items() if key not in again}
    new: list[Part] = []
    warnings: list[ReadWarning] = []
    there: set[int] = set()
    amount = 0
    for found in sources.found(kept):
        if isinstance(found, ReadWarning):
            warnings.append(found)
        elif isinstance(found, Unchanged):
            there.add(kept[found.identity])
        else:
            new.append(found)
            amount += found.size
            if amount > _AT_MOST or len(new) * _SHARE > len(known) + _SHARE:
                return None
    gone = frozenset(known.values()) - there
    if len(gone) * _SHARE > len(known) + _SHARE:
        return None
    return SourceChanges(new, gone, warnings, bool(new or gone or set(warnings) != set(unread)))
