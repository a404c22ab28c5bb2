"""Mutated pages, each through the parser and the extractors alone."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from benchmarks.fuzz.case import Case, Piece, size_of
from benchmarks.fuzz.checks import check_snapshot
from benchmarks.fuzz.seeds import Seeds
from scraper import Hints, Snapshot


def snapshot_of(piece: Piece) -> Snapshot:
    """Return the snapshot of a mutated page."""
    about = piece.about
    return Snapshot(
        piece.name,
        piece.data,
        about.get("url", ""),
        about.get("content_type", ""),
        hints=Hints(site=about.get("site") or None, game=about.get("game") or None),
    )


@dataclass(frozen=True, slots=True)
class Pages:
    """One page of any form."""

    seeds: Seeds
    name: str = "pages"
    cases: int = 50_000
    divisible: bool = True

    def make(self, random: Random) -> Case:
        """Return a mutated page."""
        return (self.seeds.mutated(random),)

    def check(self, case: Case) -> None:
        """Read it and extract what it says."""
        for piece in case:
            check_snapshot(snapshot_of(piece))

    def seconds(self, case: Case) -> float:
        """Return half a second, and ten for 100 kB: twenty times what good pages take."""
        return 0.5 + size_of(case) / 10_000
