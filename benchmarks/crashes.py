"""Whether a knowledge base outlives builds that are killed, and builds for which there is no room.

    python -m benchmarks.crashes [KILLS] [FULL] [SEED]

Writes a wiki (`benchmarks.synthetic`) and builds it; then lets a build of what changed in it be
killed (SIGKILL, with all its processes) at so many random moments, half of the time one that
has to read all again. After each, the file must hold one of the two graphs that it may hold, whole.
Then builds on so many file systems that have room for a part of the new file (where one can be
mounted).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import kb
from benchmarks.synthetic import write
from tests.altered import altering

PAGES = 300
_COMMAND = [sys.executable, "-c", "from kb.cli import main; main()", "build", "--workers", "2"]
_FORGET = "DELETE FROM meta WHERE key = 'made by'"  # then all must be read


def digest(path: Path) -> str:
    """What a knowledge base holds, in short. Raises if the file is not whole."""
    with closing(sqlite3.connect(path)) as db:
        [(state,)] = db.execute("PRAGMA integrity_check").fetchall()
    if state != "ok":
        raise ValueError(f"{path}: {state}")
    out = path.with_suffix(".jsonl")
    with kb.open(path) as base:
        base.export(out)
    found = hashlib.sha256(out.read_bytes()).hexdigest()
    out.unlink()
    return found


class Trial:
    """A folder of pages as it was and as it is, and the knowledge bases of both."""

    def __init__(self, folder: Path, pages: int = PAGES) -> None:
        self.pages = folder / "pages"
        write(pages, self.pages)
        self.old, self.new, self.path = (folder / f"{n}.db" for n in ("old", "new", "x"))
        kb.build([self.pages], self.old)
        for file in sorted((self.pages / "mtgwiki").glob("*.html"))[: pages // 10]:
            file.write_text(file.read_text("utf-8").replace("。", "。新しい文。", 1), "utf-8")
        shutil.copy(self.old, self.new)
        self.seconds = self._timed(self.new)
        self.holds = {digest(self.old): "the old graph", digest(self.new): "the new graph"}

    def _timed(self, path: Path) -> dict[bool, float]:
        """The seconds of a build of what changed, and of one of all."""
        found = {}
        for whole in (False, True):
            if whole:
                self._forget(path)
            began = time.monotonic()
            self.start(path).wait()
            found[whole] = time.monotonic() - began
        return found

    def prepare(self, path: Path, whole: bool) -> None:
        """Put the old knowledge base in its place; for a build of the `whole`, without a word on
        who made it."""
        shutil.copy(self.old, path)
        if whole:
            self._forget(path)

    def start(self, path: Path) -> subprocess.Popen[bytes]:
        """Begin a build, in a process group of its own."""
        command = [*_COMMAND, "--kb", str(path), str(self.pages)]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )

    @staticmethod
    def _forget(path: Path) -> None:
        with altering(path) as db:
            db.execute(_FORGET)

    def held(self, path: Path) -> str:
        """Which graph a file holds."""
        try:
            return self.holds.get(digest(path), "another graph")
        except Exception as error:
            return f"broken: {error}"


def killed(trial: Trial, times: int, seed: int = 6) -> Counter[tuple[str, str]]:
    """Kill builds at random moments, so many; some end before that. What was built, and what the
    file holds then."""
    rng, found = Random(seed), Counter[tuple[str, str]]()
    kills = 0
    while kills < times:
        whole = rng.random() < 0.5
        trial.prepare(trial.path, whole)
        build = trial.start(trial.path)
        try:
            build.wait(rng.uniform(0, 1.05) * trial.seconds[whole])
        except subprocess.TimeoutExpired:
            os.killpg(build.pid, signal.SIGKILL)
        build.communicate()
        kills += build.returncode < 0
        how = "killed" if build.returncode < 0 else "ended"
        what = "a build of all" if whole else "a build of what changed"
        found[f"{what}, {how}", trial.held(trial.path)] += 1
    return found


@contextmanager
def mounted(folder: Path, size: int) -> Iterator[Path]:
    """A file system of so many bytes. Raises OSError where none can be mounted."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        raise OSError("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def full(trial: Trial, times: int, seed: int = 6) -> Counter[tuple[str, str]]:
    """Build where there is room for a part of the new file: what was built, and what the file
    holds then."""
    rng, found = Random(seed), Counter[tuple[str, str]]()
    for number in range(times):
        whole = bool(number % 2)
        room = trial.old.stat().st_size + int(rng.uniform(0.02, 0.95) * trial.new.stat().st_size)
        with mounted(trial.path.with_name("small"), room) as small:
            path = small / "x.db"
            trial.prepare(path, whole)
            build = trial.start(path)
            _, said = build.communicate()
            told = said.decode().count("\n") == 1 and "what was there is kept" in said.decode()
            left = [file.name for file in small.iterdir() if file.name.endswith(".building")]
            shutil.move(path, trial.path)
        what = (
            "no room, said in one line" if told and build.returncode == 2 else "no room, not said"
        )
        found[what + ", leftovers" * bool(left), trial.held(trial.path)] += 1
    return found


def main(kills: int = 200, fulls: int = 20, seed: int = 6) -> None:
    """Measure, and print how often each was seen."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        seen = killed(trial, kills, seed)
        try:
            seen += full(trial, fulls)
        except OSError as error:
            print(error)
    for (what, held), times in sorted(seen.items()):
        print(f"{times:>5}  {what}: {held}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
