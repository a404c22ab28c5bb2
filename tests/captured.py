"""The captures in a folder, all of which must be readable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scraper import Hints, ReadWarning, Snapshot, snapshots


def captured(place: Path) -> Iterator[Snapshot]:
    """The captures in a folder, but for redirects and errors, which its manifest says are no
    pages."""
    for found in snapshots(place, Hints()):
        if isinstance(found, Snapshot):
            yield found
        else:
            assert isinstance(found, ReadWarning) and "an answer with the status" in found.what
