"""How long a look-up takes from a cold start, beside Python's own start.

    python -m benchmarks.cold_start [RUNS]

Runs them in turn, so that a machine that slows down slows all, and prints medians of wall time.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import kb

BARE = {
    "python": [sys.executable, "-c", "pass"],
    "import sqlite3": [sys.executable, "-c", "import sqlite3"],
}


def show(ref: str, path: str) -> list[str]:
    """The command that shows what a reference names, as a whole process."""
    start = [sys.executable, "-c", "from kb.cli import main; main()"]
    return [*start, "show", ref, "--kb", path]


def medians(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, float]:
    """The seconds that commands take, run in turn; the first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs + 1):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(measured[1:]) for name, measured in times.items()}


def main(runs: int) -> None:
    """Print the table, of the bundled sample."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "sample.db")
        kb.build(kb=path)
        found = medians({**BARE, "sansho show": show("121.4", path)}, runs)
    for name, seconds in found.items():
        more = seconds - found["import sqlite3"]
        print(f"{name:>15} {seconds:.3f} s, {more:+.3f} s beside import sqlite3")
    print(f"medians of {runs} runs each, in turn")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
