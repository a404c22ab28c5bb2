"""What builds over shards take, from a thousand pages to a million, and what more would take.

    python -m benchmarks.scale [--sizes 1000,10000,100000,1000000] [--workers 2] [--keep FOLDER]
    python -m benchmarks.scale --table FOLDER

For each size: writes a wiki of so many pages as Parquet files (`benchmarks.synthetic`), and builds
it over shards in a process of its own. What was measured is printed, and kept in FOLDER as
`PAGES.json`: so sizes may be measured on different days, and `--table` shows all of them. With
--beside, an ordinary build is measured, too. A million pages take hours, and 30 GB of disk.

Seconds are of the clock, and of processors: the second are what counts on a machine that others use
as well. As such a machine is also faster at one time than at another, a few pages, always the same,
are read and tokenized time and again while a build runs: by what that takes, the table gives all
sizes as at the pace of the smallest. Memory is the peak of the process that merges, by phase, and
that of its largest worker.
Needs Linux and `pip install 'sansho[dist]'`.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.synthetic import served, wikis, write_shards
from kb.language.tokens import tokenizer
from scraper import Snapshot, read_pages

_SHARD = 5000  # pages of a shard
_READING = ("reading shards", "finding mentions in shards")  # phases in which workers work
_PASSAGES = 10**8  # for which the models give what a build would take
_LEAST = 10_000  # pages from which on the models are fitted: below them, constants count
_PACE_PAGES = 100  # that are read to see how fast the machine is
_EVERY = 10.0  # seconds from one such reading to the next

# Runs a build, and prints how long each phase took and the most memory of this process in it.
_BUILD = """
import json, resource, sys, time
import kb

phases, own, memory = {}, {}, {}
began = [time.perf_counter(), time.process_time(), "starting"]

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1000

def begin(phase):
    now, used, ended = time.perf_counter(), time.process_time(), began[2]
    phases[ended] = phases.get(ended, 0) + now - began[0]
    own[ended] = own.get(ended, 0) + used - began[1]
    memory[ended] = max(memory.get(ended, 0), peak())
    with open("/proc/self/clear_refs", "w") as peaks:
        peaks.write("5")
    began[:] = now, used, phase

def watch(progress):
    if progress.phase != began[2]:
        begin(progress.phase)

folder, path, options = sys.argv[1:]
report = kb.build([folder], path, progress=watch, **json.loads(options))
begin("")
workers = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "phases": phases, "own": own, "memory": memory, "worker": workers.ru_maxrss / 1000,
    "workers": workers.ru_utime + workers.ru_stime, "pages": report.pages,
    "passages": report.nodes.get("passage", 0), "nodes": sum(report.nodes.values()),
    "edges": sum(report.edges.values()), "warnings": len(report.warnings),
}))
"""


@dataclass(slots=True)
class Measured:
    """What a build took.

    pages, passages, nodes, edges: of the knowledge base; warnings: of the build.
    phases: the seconds of each phase; own: those of the processor, of the process that merges.
    workers: the seconds of processors, of the workers together.
    memory: the most MB that the process that merges had in each phase; worker: the largest worker.
    disk: MB of the sources, of the rows of the shards, of temporary files at most, of the result.
    ordinary: the seconds of an ordinary build; None if there was none.
    pace: the seconds of the processor that always the same pages took meanwhile, at the median.
    """

    pages: int
    passages: int
    nodes: int
    edges: int
    warnings: int
    phases: dict[str, float]
    own: dict[str, float]
    workers: float
    memory: dict[str, float]
    worker: float
    disk: dict[str, float] = field(default_factory=dict)
    ordinary: float | None = None
    pace: float = 0.0

    @property
    def seconds(self) -> float:
        """How long the build took."""
        return sum(self.phases.values())

    @property
    def reading(self) -> float:
        """The seconds of processors for what workers do, be they this process."""
        return self.workers + sum(self.own.get(phase, 0) for phase in _READING)

    @property
    def merging(self) -> float:
        """The seconds of the processor for all else, which one process does."""
        return sum(self.own.values()) - sum(self.own.get(phase, 0) for phase in _READING)


# -- measuring ---------------------------------------------------------------------------------


def measure(pages: int, folder: Path, workers: int, beside: bool) -> Measured:
    """Write a wiki into a folder, unless it is there, build it, and return what that took."""
    wiki, rows, path = folder / f"{pages}", folder / f"{pages}-rows", folder / f"{pages}.db"
    if not wiki.exists():
        write_shards(pages, wiki, shards=max(1, pages // _SHARD), form="parquet")
    for old in (rows, path):
        subprocess.run(["rm", "-rf", str(old)], check=True)
    options = {"workers": workers, "shards": str(rows)}
    with (
        _time_and_again(_reading_time(), _EVERY) as paces,
        _time_and_again(lambda: sum(map(_size, folder.glob(".*.merging"))), 1) as scratch,
    ):
        found = Measured(**_built(wiki, path, options))
    found.pace = statistics.median(paces)
    found.disk = {
        "sources": _size(wiki), "rows of shards": _size(rows),
        "temporary": max(scratch, default=0.0), "knowledge base": _size(path),
    }  # fmt: skip
    if beside:
        began = time.perf_counter()
        _built(wiki, folder / f"{pages}-ordinary.db", {"workers": workers, "replace": True})
        found.ordinary = time.perf_counter() - began
    return found


def _built(wiki: Path, path: Path, options: Mapping[str, object]) -> dict[str, object]:
    """Build in a process of its own; return what that measured."""
    command = [sys.executable, "-c", _BUILD, str(wiki), str(path), json.dumps(options)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{wiki}: the build has failed")
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def _size(path: Path) -> float:
    """The megabytes of a file, or of all files in a folder, as far as they stay there."""
    total = 0
    for file in (path, *path.rglob("*")):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:
            continue
    return total / 1e6


def _reading_time() -> Callable[[], float]:
    """Return what reads and tokenizes a few pages, and returns the seconds of the processor that
    this took."""
    words = tokenizer()
    shots = [
        Snapshot(page.file, page.data, page.url, page.content_type)
        for wiki in wikis(_PACE_PAGES)
        for page in (served(wiki, rank) for rank in range(wiki.pages))
    ]

    def read() -> float:
        began = time.thread_time()
        for shot in shots:
            for page in read_pages(shot)[0]:
                for passage in page.passages:
                    words.entries(passage.text)
        return time.thread_time() - began

    read()  # the first time fills caches
    return read


@contextmanager
def _time_and_again(measured: Callable[[], float], seconds: float) -> Iterator[list[float]]:
    """The values of a function, which is called now and every so many seconds, and in the end."""
    seen = [measured()]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(seconds):
            seen.append(measured())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


# -- the table ---------------------------------------------------------------------------------


def table(sizes: Sequence[Measured]) -> Iterator[str]:
    """The lines of the table: a column a size, and how each figure grows with the pages."""
    yield _line("", [f"{one.pages:,} pages" for one in sizes], "growth")
    yield _figures("passages", sizes, [one.passages for one in sizes])
    yield _figures("edges", sizes, [one.edges for one in sizes])
    yield from ("", "seconds of the clock")
    for phase in sizes[-1].phases:
        yield _figures(phase, sizes, [one.phases.get(phase, 0) for one in sizes])
    yield _figures("all", sizes, [one.seconds for one in sizes])
    if any(one.ordinary for one in sizes):
        yield _figures("an ordinary build", sizes, [one.ordinary or 0 for one in sizes])
    yield _figures("pages a second", sizes, [one.pages / one.seconds for one in sizes])
    yield _figures("ms a page", sizes, [1000 * one.seconds / one.pages for one in sizes])
    yield from ("", "seconds of processors")
    for phase in sizes[-1].own:
        yield _figures(phase, sizes, [one.own.get(phase, 0) for one in sizes])
    yield _figures("the workers", sizes, [one.workers for one in sizes])
    each = [1000 * (one.reading + one.merging) / one.pages for one in sizes]
    yield _figures("ms a page", sizes, each)
    yield from ("", "as at the pace of the first")
    paces = [one.pace / sizes[0].pace if sizes[0].pace else 1.0 for one in sizes]
    yield _figures("pace, 1 as fast, 2 half as fast", sizes, paces)
    for name, values in (
        ("ms of the clock a page", [1000 * one.seconds / one.pages for one in sizes]),
        ("ms of processors a page", each),
    ):
        evened = [value / pace for value, pace in zip(values, paces, strict=True)]
        yield _figures(name, sizes, evened)
    yield from ("", "memory, MB")
    for phase in sizes[-1].memory:
        yield _figures(phase, sizes, [one.memory.get(phase, 0) for one in sizes])
    yield _figures("the largest worker", sizes, [one.worker for one in sizes])
    yield from ("", "disk, MB")
    for name in sizes[-1].disk:
        yield _figures(name, sizes, [one.disk.get(name, 0) for one in sizes])


def _figures(name: str, sizes: Sequence[Measured], values: Sequence[float]) -> str:
    cells = [f"{value:,.{0 if value >= 100 else 1}f}" for value in values]
    fitted = [(one.pages, value) for one, value in zip(sizes, values, strict=True) if value > 0]
    return _line(name, cells, f"n^{_power(fitted):.2f}" if len(fitted) > 1 else "")


def _line(name: str, cells: Sequence[str], growth: str) -> str:
    return f"{name:<30}" + "".join(f"{cell:>17}" for cell in cells) + f"{growth:>9}"


# -- the models --------------------------------------------------------------------------------


def models(sizes: Sequence[Measured]) -> Iterator[str]:
    """What a build of many passages would take, by two models that are fitted to what was measured:
    a·n + b·n·log n, and c·n^p. n are the passages."""
    fitted = [one for one in sizes if one.pages >= _LEAST]
    if len(fitted) < 2:
        yield f"no models: they are fitted to two sizes or more of {_LEAST:,} pages or more"
        return
    merge = [max(one.memory.values()) for one in fitted]
    rows = {
        "reading, hours of one processor": [one.reading for one in fitted],
        "merging, hours of one processor": [one.merging for one in fitted],
        "memory of the merge, GB": merge,
        **{f"disk: {name}, GB": [one.disk[name] for one in fitted] for name in fitted[-1].disk},
    }
    yield f"{_PASSAGES:,} passages{'':<29}{'a·n + b·n·log n':>17}{'c·n^p':>17}{'p':>9}"
    for name, values in rows.items():
        points = [(one.passages, value) for one, value in zip(fitted, values, strict=True)]
        if any(value <= 0 for value in values):
            continue
        unit = 3600 if "hours" in name else 1000
        by_log, by_power = _by_logarithm(points) / unit, _by_power(points) / unit
        yield f"{name:<48}{by_log:>17,.1f}{by_power:>17,.1f}{_power(points):>9.2f}"


def _by_logarithm(points: Sequence[tuple[float, float]]) -> float:
    """The value at `_PASSAGES` by a·n + b·n·log n: what each passage takes grows by a line."""
    logs, each = [math.log(n) for n, _ in points], [value / n for n, value in points]
    line = statistics.linear_regression(logs, each)
    return _PASSAGES * (line.intercept + line.slope * math.log(_PASSAGES))


def _by_power(points: Sequence[tuple[float, float]]) -> float:
    """The value at `_PASSAGES` by c·n^p."""
    line = _line_of_logarithms(points)
    return math.exp(line.intercept + line.slope * math.log(_PASSAGES))


def _power(points: Sequence[tuple[float, float]]) -> float:
    """The power of the first values by which the second grow."""
    return _line_of_logarithms(points).slope


def _line_of_logarithms(points: Sequence[tuple[float, float]]) -> statistics.LinearRegression:
    first, second = ([math.log(value) for value in column] for column in zip(*points, strict=True))
    return statistics.linear_regression(first, second)


def main() -> None:
    """Measure what the command line asks for, and print it."""
    parser = argparse.ArgumentParser(description="What builds over shards take.")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--beside", action="store_true", help="measure an ordinary build, too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where all stays")
    parser.add_argument("--table", type=Path, metavar="FOLDER", help="print what was measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.table or given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for pages in map(int, given.sizes.split(",") if not given.table else ()):
            found = measure(pages, folder, given.workers, given.beside)
            (folder / f"{pages}.json").write_text(json.dumps(asdict(found), indent=1))
            print(f"{pages:,} pages: {found.seconds:,.1f} s", file=sys.stderr)
        kept = (Measured(**json.loads(path.read_text())) for path in folder.glob("*.json"))
        sizes = sorted(kept, key=lambda one: one.pages)
    for line in (*table(sizes), "", *models(sizes)):
        print(line)


if __name__ == "__main__":
    main()
