"""All targets of the fuzzer, in the order in which they run."""

from __future__ import annotations

from benchmarks.fuzz.bases import BUILT, Bases
from benchmarks.fuzz.builds import Builds
from benchmarks.fuzz.case import Target
from benchmarks.fuzz.files import file_targets
from benchmarks.fuzz.pages import Pages
from benchmarks.fuzz.queries import Queries
from benchmarks.fuzz.seeds import Seeds


def all_targets(seeds: Seeds) -> list[Target]:
    """Return every target, with the documents that it starts from."""
    built = Bases("builds on bases", cases=100, asked=BUILT)
    return [Pages(seeds), *file_targets(seeds), Builds(seeds), Bases(), built, Queries()]
