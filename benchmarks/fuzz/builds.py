"""Groups of mutated pages through whole builds: one worker and two give the same graph, and the
audit adds up."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import kb
from benchmarks.fuzz import made_files
from benchmarks.fuzz.case import Case, Failure, Piece, size_of
from benchmarks.fuzz.checks import check_warning, text_size_of
from benchmarks.fuzz.files import write_files
from benchmarks.fuzz.seeds import Seeds
from kb import worker_pool
from scraper import Hints, Snapshot, snapshots


@dataclass(frozen=True, slots=True)
class Builds:
    """Pages and their manifest.

    pages: how many of a build.
    workers: the numbers of workers that must give the same graph.
    """

    seeds: Seeds
    name: str = "builds"
    cases: int = 150
    divisible: bool = True
    pages: int = 20
    workers: tuple[int, ...] = (1, 2)

    def make(self, random: Random) -> Case:
        """Return some mutated pages, and their manifest, which is mostly whole."""
        pages = []
        for number in range(self.pages):
            seed = self.seeds.mutated(random)
            name = seed.name if len(seed.name) < 60 and seed.name.isascii() else "page.html"
            pages.append(Piece(f"{number:02}-{name}", seed.data, seed.about))
        if random.random() < 0.2:
            return (*pages, made_files.spoilt_manifest(random, pages))
        return (*pages, Piece("manifest.jsonl", made_files.manifest(pages)))

    def check(self, case: Case) -> None:
        """Build with each number of workers, compare, and add up."""
        with tempfile.TemporaryDirectory(prefix="sansho-fuzz-") as name:
            folder = Path(name)
            (folder / "pages").mkdir()
            write_files(case, folder / "pages")
            found = snapshots(folder / "pages", Hints(), refused=True)
            size = sum(text_size_of(shot) for shot in found if isinstance(shot, Snapshot))
            exports = [exported(folder, workers, size) for workers in self.workers]
            if len(set(exports)) > 1:
                raise Failure(f"{self.workers} workers give different graphs")

    def seconds(self, case: Case) -> float:
        """Return how long the builds may take, without the worker processes."""
        return 10 + size_of(case) / 5_000


def exported(folder: Path, workers: int, text_size: int) -> bytes:
    """Build what is in `folder/pages`; return the whole graph and its warnings as bytes.

    Empty where there is no page to build from.

    text_size: the size of all text in the pages, which the audit must come to.
    """
    path, out = folder / f"{workers}.db", folder / f"{workers}.jsonl"
    small, worker_pool.MIN_BYTES_FOR_WORKERS = worker_pool.MIN_BYTES_FOR_WORKERS, 0
    try:
        report = kb.build(folder / "pages", path, workers=workers)
    except (kb.QuestionError, kb.SourceError):
        return b""
    finally:
        worker_pool.MIN_BYTES_FOR_WORKERS = small
    for warning in report.warnings:
        check_warning(warning)
    with kb.open(path) as base:
        base.export(out)
        audit = base.audit()
    left_out = sum(audit.left_out.values())
    if audit.lost or audit.chars != audit.kept + left_out + audit.lost:
        raise Failure("the audit adds up", repr(audit))
    if audit.chars != text_size:
        raise Failure("the audit counts all text", f"{audit.chars} of {text_size}")
    if any(size <= 0 for size in audit.left_out.values()):
        raise Failure("left out is positive", repr(audit.left_out))
    return out.read_bytes() + repr(report.warnings).encode("utf-8", "surrogatepass")
