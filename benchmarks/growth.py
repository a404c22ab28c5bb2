"""How building and asking grow with the size of a wiki, beside other ways to the same answers.

    python -m benchmarks.growth [--sizes 1000,10000,100000] [--workers 1] [--keep FOLDER [--built]]

For each size: writes a wiki of so many pages (`benchmarks.synthetic`), builds it, runs `show` as a
whole process, asks questions of all kinds in one process, and gives the same data to the peers
that are installed (`pip install sansho[bench]`). Then prints how each figure grows, beside what
it should be at 100,000 pages. All three take an hour or more.

On a machine that others use at the same time, --processor counts what an answer took of the
processor, and not how long it waited for it.

With --keep, all stays in FOLDER, and a wiki that is there is not written again; with --built, nor
is a knowledge base built again.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import math
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import kb
from benchmarks import cold_start, peers
from benchmarks.synthetic import write
from benchmarks.table import FULL, Size, Times, report
from benchmarks.workload import Drawn, Load, drawn, loads, searches
from graphs.store.reader import Store

_MANY = 60  # different things that one kind of question is asked of
_WARM = 3  # of them that are not counted
_LONGEST, _ENOUGH = 20.0, 5  # seconds for one kind of question; answers that do if it takes longer
_COLD_RUNS = 9
Clock = Callable[[], float]  # seconds
_BUILD = (
    "import json, sys, kb; folder, path, options = sys.argv[1:]; "
    "report = kb.build([folder], path, **json.loads(options)); print(json.dumps(report.as_json()))"
)
_EXTRA = {
    "ladybug": "nothing on graph databases",
    "tantivy": "nothing on search engines",
    "psutil": "of a build's processes only the largest counts",
}


# -- building ----------------------------------------------------------------------------------


def build(folder: Path, path: Path, options: Mapping[str, int]) -> dict[str, float]:
    """Build in a process of its own: the time, the memory, and whether anything was amiss."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", _BUILD, str(folder), str(path), json.dumps(options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with _watched(process.pid) as memory:
        output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{folder}: the build has failed")
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(output)
    return {
        "build, s": seconds,
        "build, s of the processor": sum(after[:2]) - sum(before[:2]),
        "memory, MB": max(memory, default=1024 * after.ru_maxrss) / 1e6,
        "warnings": len(report["warnings"]),
    }


@contextmanager
def _watched(pid: int) -> Iterator[list[float]]:
    """The memory of a process and its children while they run, what they share counted once;
    without psutil nothing, and the largest process must do."""
    seen: list[float] = []
    done = threading.Event()

    def watch() -> None:
        import psutil

        while not done.wait(0.2):
            try:
                root = psutil.Process(pid)
                used = [p.memory_full_info() for p in (root, *root.children(recursive=True))]
                seen.append(sum(getattr(one, "pss", one.rss) for one in used))
            except psutil.Error:
                continue  # one of them has just ended

    watcher = threading.Thread(target=watch if find_spec("psutil") else done.wait)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def contents(db: sqlite3.Connection, path: Path) -> dict[str, float]:
    """How much there is in a knowledge base."""
    marks = ",".join("?" * len(peers.REFERENCES))
    [pages, passages] = (
        db.execute("SELECT count(*) FROM node WHERE kind = ?", (kind,)).fetchone()[0]
        for kind in ("page", "passage")
    )
    query = f"SELECT count(*) FROM edge WHERE kind IN ({marks})"
    [edges] = db.execute(query, peers.REFERENCES).fetchone()
    size = path.stat().st_size / 1e6
    return {"file, MB": size, "pages": pages, "passages": passages, "edges": edges}


# -- asking ------------------------------------------------------------------------------------


def cold(path: Path, sample: Path) -> dict[str, float]:
    """Look something up in whole processes, in the sample and here, in milliseconds."""
    found = cold_start.medians(
        {
            **cold_start.BARE,
            "show in the sample": cold_start.show("引く", str(sample)),
            "show here": cold_start.show("引く", str(path)),
        },
        _COLD_RUNS,
    )
    found["show here beside the sample"] = found["show here"] - found["show in the sample"]
    return {f"cold: {name}": 1000 * seconds for name, seconds in found.items()}


def ask(
    base: kb.KnowledgeBase, asked: Iterable[Load], clock: Clock = time.perf_counter
) -> dict[str, Times]:
    """Ask what is to be asked, of each thing once. Questions of one kind are asked in turn: of what
    is popular, of anything, and so on."""
    kinds: dict[str, list[Load]] = {}
    for load in asked:
        kinds.setdefault(load.name.partition(",")[0], []).append(load)
    found: dict[str, Times] = {}
    for of_kind in kinds.values():
        times: dict[str, list[float]] = {load.name: [] for load in of_kind}
        ends = time.perf_counter() + _LONGEST * len(of_kind)
        for place in range(max(len(load.arguments) for load in of_kind)):
            for load in of_kind:
                for argument in load.arguments[place : place + 1]:
                    began = clock()
                    answer = load.ask(base, argument)
                    if place >= _WARM:
                        times[load.name].append(clock() - began)
                    del answer  # outside of what is timed
            if time.perf_counter() > ends and place >= _WARM + _ENOUGH:
                break
        found |= {name: Times.of(seconds) for name, seconds in times.items()}
    return found


def in_turn(
    asked: Mapping[str, Callable[[Any], Any]],
    arguments: Sequence[Any],
    clock: Clock,
    agree: bool = False,
) -> dict[str, Times]:
    """Ask several the same, in turn, so that what slows the machine slows all. Where they are to
    agree, one that finds something else ends the run. No answer is kept, lest memory fill."""
    times: dict[str, list[float]] = {name: [] for name in asked}
    ends = time.perf_counter() + _LONGEST * len(asked)
    for place, argument in enumerate(arguments):
        first = None
        for name, answer in asked.items():
            began = clock()
            found = answer(argument)
            if place >= _WARM:
                times[name].append(clock() - began)
            first = found if first is None else first
            if agree and found != first:
                raise SystemExit(f"{argument}: {name} finds something else")
            del found  # outside of what is timed
        if time.perf_counter() > ends and place >= _WARM + _ENOUGH:
            break
    return {name: Times.of(seconds) for name, seconds in times.items()}


# -- beside peers ------------------------------------------------------------------------------


def beside_graphs(
    base: kb.KnowledgeBase,
    store: Store,
    chosen: Drawn,
    folder: Path,
    clock: Clock = time.perf_counter,
) -> dict[str, dict[str, Times]]:
    """What is two references away, of which all must find the same; and a way between two nodes,
    which sansho takes for the cheapest and the others for the shortest."""

    def refs(node: str) -> set[str]:
        edges = base.refs(node, depth=2, kinds=peers.REFERENCES).edges
        return {node, *(end for edge in edges for end in (edge.source, edge.target) if end)}

    reach: dict[str, Callable[[str], set[str]]] = {
        "sansho refs": refs,
        "sansho's file, ids alone": peers.sqlite_reach(store.db),
    }
    path: dict[str, Callable[[tuple[str, str]], Any]] = {
        "sansho path": lambda ends: base.path(*ends, most=1)
    }
    reach["networkx"], path["networkx, edges alone"] = peers.networkx(store.db)
    found: dict[str, dict[str, Times]] = {}
    with ExitStack() as stack:
        if find_spec("ladybug"):
            reach["ladybug"], path["ladybug, edges alone"] = stack.enter_context(
                peers.ladybug(store.db, folder)
            )
        stack.enter_context(_uncollected())
        for which, nodes in (("popular", chosen.popular), ("any", chosen.any)):
            found[f"two references, {which}"] = in_turn(reach, list(nodes), clock, agree=True)
            ends = list(zip(nodes, reversed(chosen.any), strict=False))
            found[f"path, {which}"] = in_turn(path, ends, clock)
    return found


def beside_searches(
    base: kb.KnowledgeBase,
    store: Store,
    chosen: Drawn,
    folder: Path,
    clock: Clock = time.perf_counter,
    figures: dict[str, float] | None = None,
) -> tuple[dict[str, dict[str, Times]], float]:
    """The first passages that have some words; and in how many of a hundred searches Tantivy
    finds as many in all. Trigrams are asked only for what is long enough for them.

    figures: what Tantivy costs is added to them.
    """
    find: dict[str, Callable[[peers.Asked], Any]] = {
        "sansho search": lambda asked: base.search(asked.typed, most=peers.MOST),
        "sansho, ids alone": lambda asked: store.passages.matching(asked.query, peers.MOST),
    }
    if installed := find_spec("tantivy"):
        began = clock()
        find["tantivy"], count = peers.tantivy(store.db, folder)
        if figures is not None:
            figures["tantivy's index: to build, s"] = clock() - began
            figures["tantivy's index: on disk, MB"] = _size(folder / "tantivy")
            figures["tantivy: installed, MB"] = _size(Path(str(installed.origin)).parent)
    trigrams = peers.trigrams(store.db, folder)
    found: dict[str, dict[str, Times]] = {}
    same: list[bool] = []
    for which, asked in searches(chosen).items():
        found[f"search, {which}"] = times = in_turn(find, asked, clock)
        if "tantivy" in find:
            same += [store.passages.frequency(one.query, FULL**2) == count(one) for one in asked]
        spelled = [one for one in asked if min(map(len, one.typed.split())) > 2]
        if len(spelled) > 2 * _WARM:
            times |= in_turn({"FTS5 trigrams, of words that have three": trigrams}, spelled, clock)
    return found, 100 * statistics.mean(same) if same else math.nan


def _size(folder: Path) -> float:
    """The megabytes of the files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


@contextmanager
def _uncollected() -> Iterator[None]:
    """Python's collector leaves alone what is there already, so that no one waits for it to look
    through another's graph."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


# -- the whole ---------------------------------------------------------------------------------


def measure(
    pages: int,
    folder: Path,
    sample: Path,
    options: Mapping[str, int],
    built: bool,
    clock: Clock,
) -> Size:
    """Measure one size; wikis and knowledge bases lie in a folder."""
    wiki, path, size = folder / f"wiki-{pages}", folder / f"wiki-{pages}.db", Size(pages)
    if not wiki.is_dir():
        unfinished = folder / f"unfinished-{pages}-{os.getpid()}"
        write(pages, unfinished)
        unfinished.rename(wiki)
    if not (built and path.is_file()):
        size.figures |= build(wiki, path, options)
    with Store(path) as store, kb.open(path) as base:
        size.figures |= contents(store.db, path) | cold(path, sample)
        chosen = drawn(store.db, _MANY)
        size.times |= ask(base, loads(chosen), clock)
        with tempfile.TemporaryDirectory() as scratch:
            size.beside |= beside_graphs(base, store, chosen, Path(scratch), clock)
            searched, same = beside_searches(
                base, store, chosen, Path(scratch), clock, size.figures
            )
            size.beside |= searched
            size.figures["searches in which tantivy finds as many, %"] = same
    return size


def main() -> None:
    """Measure each size and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--sizes", default=f"1000,10000,{FULL}", help="pages, by commas")
    parser.add_argument("--workers", type=int, default=1, help="processes that build")
    parser.add_argument("--keep", type=Path, help="a folder for wikis and knowledge bases")
    parser.add_argument("--built", action="store_true", help="ask what is built there already")
    parser.add_argument(
        "--processor", action="store_true", help="time answers by the processor, not the clock"
    )
    given = parser.parse_args()
    clock = time.process_time if given.processor else time.perf_counter
    options = {"workers": given.workers} if given.workers > 1 else {}
    if options.keys() - inspect.signature(kb.build).parameters.keys():
        parser.error("this sansho builds with one worker")
    for name, what in _EXTRA.items():
        if not find_spec(name):
            print(f"{name} is not installed: {what} (pip install 'sansho[bench]')")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        sample = Path(scratch) / "sample.db"
        kb.build(kb=sample)
        sizes: list[Size] = []
        for pages in sorted(map(int, given.sizes.split(","))):
            load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
            print(f"{pages:,} pages; load of the machine {load}", file=sys.stderr)
            sizes.append(measure(pages, folder, sample, options, given.built, clock))
        print("\n".join(report(sizes)))


if __name__ == "__main__":
    main()
