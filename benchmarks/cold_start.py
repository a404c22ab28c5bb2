"""How long a look-up takes from a cold start, beside Python's own start.

    python benchmarks/cold_start.py [RUNS]

Runs both in turn, so that a machine that slows down slows both, and prints medians of wall time.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kb


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "sample.db")
        kb.build(kb=path)
        start = [sys.executable, "-c"]
        show = [*start, "from kb.cli import main; main()", "show", "121.4", "--kb", path]
        bare = [*start, "import sqlite3"]
        seconds(show), seconds(bare)
        pairs = [(seconds(show), seconds(bare)) for _ in range(runs)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"sansho show {ours:.3f} s, import sqlite3 {theirs:.3f} s: {ours - theirs:.3f} s more")
    print(f"medians of {runs} runs each, in turn")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
