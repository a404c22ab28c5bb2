"""How fast the explorer serves a large knowledge base, and what many readers at once do to it.

    python -m benchmarks.explorer KB [--nodes 400] [--readers 50] [--seconds 60] [--pages]

Starts `sansho serve` as a process of its own and asks for pages over HTTP, as a browser does:

1. nodes of all kinds, drawn by chance; nodes as often as others refer to them; and those to which
   most refer. Each is asked for twice, and the second time counts. "cpu ms" is what the server's
   processor worked for one of them, which depends less on what else the machine does.
2. with --pages, the pages of all other questions, of such nodes.
3. readers that ask for one page after another without a pause, together for a minute: errors,
   times, and the memory of the server over that time.

Needs psutil (`pip install sansho[bench]`) to say how much memory the server takes.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from kb.web.addresses import node_address, question_address

_SERVE = "from kb.cli import main; main()"
_MOST_REFERENCED = 20
_WORDS = ("引く", "カード 手札", "プレイヤー", "draw a card", "効果を発動", "zzzz")
_KINDS = "SELECT DISTINCT kind FROM node WHERE kind IS NOT NULL ORDER BY kind"


@dataclass
class Times:
    """How long the answers of one group took, in milliseconds, and how large they were."""

    name: str
    taken: list[tuple[float, int, str]] = field(default_factory=list)  # ms, bytes, address
    processor: float = 0.0  # ms of the server's processor for all of them

    def __str__(self) -> str:
        taken = sorted(each for each, _, _ in self.taken)
        sizes = [size for _, size, _ in self.taken]
        slowest = max(self.taken)
        return (
            f"{self.name:24} {len(taken):5} {self.processor / len(taken):8.1f}"
            f" {statistics.median(taken):8.1f}"
            f" {_percentile(taken, 0.95):8.1f} {taken[-1]:8.1f}"
            f" {statistics.median(sizes) / 1000:8.0f} {max(sizes) / 1000:8.0f}  {slowest[2][:60]}"
        )


_HEAD = " " * 24 + "{:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}".format(
    "pages", "cpu ms", "median", "95 %", "longest", "kB", "most kB", "slowest"
)


def _percentile(ordered: Sequence[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


# -- what is asked -------------------------------------------------------------------------------


def nodes(db: sqlite3.Connection, many: int) -> dict[str, list[str]]:
    """Return {group: ids of nodes}: of each kind, as often as others refer to them, and those to
    which most refer; always the same ones."""
    rng, found = Random(1), {}
    kinds = [kind for (kind,) in db.execute(_KINDS)]
    for kind in kinds:
        ids = [i for (i,) in db.execute("SELECT id FROM node WHERE kind = ? ORDER BY id", (kind,))]
        found[kind] = rng.sample(ids, min(len(ids), max(5, many // len(kinds))))
    last = db.execute("SELECT max(rowid) FROM edge").fetchone()[0]
    target = "SELECT t.id FROM edge e JOIN node t ON t.key = e.target WHERE e.rowid = ? AND t.kind"
    met = [
        db.execute(f"{target} IS NOT NULL", (rng.randint(1, last),)).fetchall()
        for _ in range(many // 4)
    ]
    found["as readers meet them"] = [row[0] for rows in met for row in rows]
    found["most referenced"] = [
        row[0]
        for row in db.execute(
            "SELECT t.id FROM edge e JOIN node t ON t.key = e.target WHERE t.kind IS NOT NULL "
            "GROUP BY t.key ORDER BY count(*) DESC LIMIT ?",
            (_MOST_REFERENCED,),
        )
    ]
    return found


def questions(groups: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return {name of a page: addresses} of the explorer's other pages."""
    terms = (groups.get("term", []) + groups["most referenced"])[-40:]
    rules = groups.get("rule", [])[:20]
    found = {
        name: [question_address("en", name, ref=each) for each in terms + rules]
        for name in ("refs", "draw", "show")
    }
    found["compare"] = [question_address("ja", "compare", ref=each) for each in terms]
    found["trace"] = [question_address("ja", "trace", ref=each) for each in rules]
    for name in ("search", "ask", "kwic", "suggest"):
        found[name] = [question_address("en", name, q=each) for each in _WORDS]
    found["kwic of a term"] = [question_address("en", "kwic", mentions=each) for each in terms]
    for name in ("", "top", "audit", "diff", "align"):
        found[name or "front"] = [question_address("en", name)]
    return found


# -- asking --------------------------------------------------------------------------------------


@contextmanager
def served(kb_file: Path) -> Iterator[tuple[str, int]]:
    """Serve a knowledge base in a process of its own; give its host and port, and its id."""
    command = [sys.executable, "-c", _SERVE, "serve", "--kb", str(kb_file), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        address = next((word for word in process.stdout.readline().split() if "://" in word), "")
        if not address:
            raise SystemExit("the server did not start")
        yield urlsplit(address).netloc, process.pid
    finally:
        process.terminate()
        process.wait(10)


class Reader:
    """A connection that is kept, as a browser keeps it."""

    def __init__(self, host: str) -> None:
        self._connection = http.client.HTTPConnection(host, timeout=60)

    def get(self, address: str) -> tuple[int, float, int]:
        """Ask for a page; return its status, the milliseconds that it took, and its bytes."""
        began = time.perf_counter()
        self._connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = self._connection.getresponse()
        size = len(answer.read())
        return answer.status, 1000 * (time.perf_counter() - began), size

    def close(self) -> None:
        self._connection.close()


def one_by_one(host: str, pid: int, groups: dict[str, list[str]]) -> list[Times]:
    """Ask for every page twice, one after another; return the times of the second."""
    found = []
    with closing(Reader(host)) as reader:
        for name, addresses in groups.items():
            times = Times(name)
            for address in addresses:
                reader.get(address)
            before = processor(pid)
            for address in addresses:
                status, taken, size = reader.get(address)
                if status != 200:
                    print(f"{name}: {status} {address}")
                times.taken.append((taken, size, address))
            times.processor = processor(pid) - before
            found.append(times)
    return found


@dataclass
class Crowd:
    """What readers met that asked at once: the times in ms, what went wrong, the memory in MB."""

    times: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def at_once(host: str, pid: int, addresses: Sequence[str], readers: int, seconds: float) -> Crowd:
    """Let readers ask for pages drawn by chance, each without a pause; return what they met."""
    crowd, end = Crowd(), time.monotonic() + seconds

    def read(seed: int) -> None:
        rng, reader = Random(seed), Reader(host)
        while time.monotonic() < end:
            address = rng.choice(addresses)
            try:
                status, taken, _ = reader.get(address)
            except (OSError, http.client.HTTPException) as error:
                crowd.wrong.append(f"{error!r} {address}")
                reader.close()
                continue
            crowd.times.append(taken)
            if status != 200:
                crowd.wrong.append(f"{status} {address}")
        reader.close()

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(readers)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        crowd.memory.append(memory(pid))
        time.sleep(min(2.0, seconds / 20))
    return crowd


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB; 0 without psutil."""
    if find_spec("psutil") is None:
        return 0.0
    import psutil

    return float(psutil.Process(pid).memory_info().rss) / 1e6


def processor(pid: int) -> float:
    """Return the milliseconds of the processor that a process has used; 0 without psutil."""
    if find_spec("psutil") is None:
        return 0.0
    import psutil

    times = psutil.Process(pid).cpu_times()
    return 1000 * float(times.user + times.system)


# -- the report ----------------------------------------------------------------------------------


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kb", type=Path)
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pages", action="store_true", help="the other questions, too")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    given = parser.parse_args()

    with closing(sqlite3.connect(f"file:{given.kb}?mode=ro", uri=True)) as db:
        ids = nodes(db, given.nodes)
    groups = {name: [node_address("en", each) for each in of] for name, of in ids.items()}
    with served(given.kb) as (host, pid):
        figures: dict[str, object] = {"memory, begin": memory(pid)}
        print(_HEAD)
        pages = one_by_one(host, pid, groups)
        every = Times("all nodes", [each for times in pages for each in times.taken])
        every.processor = sum(times.processor for times in pages)
        others = one_by_one(host, pid, questions(ids)) if given.pages else []
        for times in (*pages, every, *others):
            print(times)
            figures[times.name] = [taken for taken, _, _ in times.taken]
        if given.readers and given.seconds:
            addresses = [address for each in groups.values() for address in each]
            crowd = at_once(host, pid, addresses, given.readers, given.seconds)
            taken, third = sorted(crowd.times), len(crowd.memory) // 3
            print(
                f"{given.readers} readers for {given.seconds:.0f} s: {len(taken)} pages, "
                f"{len(taken) / given.seconds:.0f} a second, {len(crowd.wrong)} errors, "
                f"median {statistics.median(taken):.0f} ms, "
                f"95 % {_percentile(taken, 0.95):.0f} ms, longest {taken[-1]:.0f} ms"
            )
            print(
                f"memory in MB: {crowd.memory[0]:.0f} at the beginning, "
                f"{max(crowd.memory[third : 2 * third + 1]):.0f} in the middle, "
                f"{max(crowd.memory[2 * third :]):.0f} at the end"
            )
            for each in sorted(set(crowd.wrong))[:10]:
                print("   ", each)
            figures |= {"at once": taken, "wrong": crowd.wrong, "memory": crowd.memory}
    if given.json:
        given.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
