"""Targets that are files: archives, Parquet and WARC files, PDFs, dumps, lists of names, manifests.

Each case is written into a folder, which is read as a build reads it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.fuzz import made_files
from benchmarks.fuzz.case import Case, Piece, size_of
from benchmarks.fuzz.checks import check_snapshot, check_warning
from benchmarks.fuzz.seeds import Seeds
from scraper import Hints, Snapshot, SourceError, snapshots


def check_folder(folder: Path) -> None:
    """Read all that is in a folder. A folder with nothing to read is all right."""
    try:
        for found in snapshots(folder, Hints()):
            if isinstance(found, Snapshot):
                check_snapshot(found)
            else:
                check_warning(found)  # type: ignore[arg-type]  # nothing is known to be unchanged
    except SourceError:
        return


def write_files(case: Case, folder: Path) -> None:
    """Write the pieces of a case as files. Their names must be plain."""
    for piece in case:
        (folder / piece.name).write_bytes(piece.data)


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind.

    making: returns the files of a case.
    slow: seconds that any case may take, whatever its size.
    """

    seeds: Seeds
    name: str
    cases: int
    making: Callable[[Random, Seeds], Case]
    slow: float = 1.0
    divisible: bool = True

    def make(self, random: Random) -> Case:
        """Return the files of a case."""
        return self.making(random, self.seeds)

    def check(self, case: Case) -> None:
        """Write them into a folder and read that."""
        with tempfile.TemporaryDirectory(prefix="sansho-fuzz-") as folder:
            write_files(case, Path(folder))
            check_folder(Path(folder))

    def seconds(self, case: Case) -> float:
        """Return how long they may take: ten times as long packed, as they unpack to more."""
        return self.slow + size_of(case) / 1_000 / 2


def _namelist(random: Random, seeds: Seeds) -> Case:
    return (seeds.mutated(random, (".csv", ".tsv", ".json", ".jsonl")),)


def _dump(random: Random, seeds: Seeds) -> Case:
    return (made_files.dump(random, seeds),)


def _manifest(random: Random, seeds: Seeds) -> Case:
    pages = made_files.some_pages(random, seeds, mutated=False)
    return (*pages, made_files.spoilt_manifest(random, pages))


def _archive(random: Random, seeds: Seeds) -> Case:
    return (made_files.archive(random, seeds),)


def _parquet(random: Random, seeds: Seeds) -> Case:
    return (made_files.parquet(random, seeds),)


def _warc(random: Random, seeds: Seeds) -> Case:
    return (made_files.warc(random, seeds),)


def _pdf(random: Random, _: Seeds) -> Case:
    return (Piece("rules.pdf", made_files.pdf(random), {}),)


def file_targets(seeds: Seeds) -> list[Files]:
    """Return all targets of this module."""
    return [
        Files(seeds, "archives", 2_000, _archive),
        Files(seeds, "parquet", 500, _parquet),
        Files(seeds, "warc", 2_000, _warc),
        Files(seeds, "pdf", 1_000, _pdf, slow=3.0),
        Files(seeds, "dumps", 1_000, _dump),
        Files(seeds, "namelists", 2_000, _namelist),
        Files(seeds, "manifests", 1_000, _manifest),
    ]
