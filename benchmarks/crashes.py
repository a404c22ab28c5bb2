"""Whether builds and crawls that a signal ends leave things whole, and builds without room, too.

    python -m benchmarks.crashes [--kills 200] [--full 20] [--seed 6] [--jobs 2] [--pages 60]
                                 [--only builds|crawls] [--signals SIGKILL,SIGTERM,SIGHUP,SIGINT]

Builds of a small wiki (`benchmarks.synthetic`), and crawls of a small site on loopback, get each of
the signals so many times, at random moments from the start of the process to its end. Half of the
builds read all again, some of them with worker processes; half of the crawls write a WARC file.

After each, a knowledge base must hold one of the two graphs that it may hold, whole; a crawl's
pages must all be whole, and the same command again must complete it. Of a signal other than SIGKILL
nothing may be left over (temporary files, locks, processes), at most one line may have been said,
and the process must have died of it; what SIGKILL leaves, the next run must clear away. An
interrupt in the first milliseconds, before Python has read a line of sansho, is Python's to report:
such runs are counted, not judged.

Then builds on so many file systems that have room for a part of the new file (where one can be
mounted). The exit code is 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random

from warcio.archiveiterator import ArchiveIterator

import kb
from benchmarks.synthetic import write
from tests.altered import altering
from tests.webs import Page, Web, links, web

PAGES = 60
SIGNALS = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT")
_ROOT = str(Path(__file__).parent.parent)
_CODE = "from kb.cli import main; main()"
_WITH_WORKERS = f"""
try:
    from kb.cli.signals import end_on_signals
    end_on_signals()
    import kb.worker_pool
    kb.worker_pool.MIN_BYTES_FOR_WORKERS = 0  # though there is little work
except KeyboardInterrupt:  # before there is a handler, as in main
    import os, signal
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
{_CODE}
"""
_FORGET = "DELETE FROM meta WHERE key = 'made by'"  # then all must be read
_MOST_SECONDS = 60.0  # that a process may go on after a signal
_MOST_TRIES = 8  # to strike a process before it ends
_SITE_PAGES = 16
Seen = Counter[tuple[str, str]]  # of (what was done, what came of it)


# -- processes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, what it said, and after how many seconds."""

    code: int
    said: str
    seconds: float

    @property
    def in_python_itself(self) -> bool:
        """Whether it was interrupted before a line of sansho was read."""
        return "KeyboardInterrupt" in self.said and _ROOT not in self.said

    def faults(self, how: signal.Signals) -> Iterator[str]:
        """What is wrong with this end, which a signal may have brought about."""
        if self.code not in (0, -how):
            yield f"exit code {self.code}"
        lines = self.said.splitlines()
        if len(lines) > 1 or (lines and "interrupted" not in lines[0]) or (lines and not self.code):
            yield f"said {self.said[-300:]!r}"


def struck(command: Sequence[str], how: signal.Signals, seconds: float) -> Ended:
    """Run a command in a session of its own, and send it a signal after some seconds."""
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # of a background job
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.send_signal(how)
    _, said = process.communicate(timeout=_MOST_SECONDS)  # ends with the last worker, too
    return Ended(process.returncode, said.decode("utf-8", "replace"), time.monotonic() - began)


# -- builds ----------------------------------------------------------------------------------------


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
        self.old, self.new, self.forgotten = (folder / f"{n}.db" for n in ("old", "new", "all"))
        kb.build([self.pages], self.old)
        for file in sorted((self.pages / "mtgwiki").glob("*.html"))[: max(1, pages // 10)]:
            file.write_text(file.read_text("utf-8").replace("。", "。新しい文。", 1), "utf-8")
        shutil.copy(self.old, self.forgotten)
        with altering(self.forgotten) as db:
            db.execute(_FORGET)
        self.seconds = {
            (whole, workers): self._timed(whole, workers)
            for whole, workers in ((False, False), (True, False), (True, True))
        }
        self.holds = {digest(self.old): "the old graph", digest(self.new): "the new graph"}
        self._before = {self.old.read_bytes(), self.forgotten.read_bytes()}

    def _timed(self, whole: bool, workers: bool) -> float:
        """The seconds of a build of what changed, or of one of all."""
        self.prepare(self.new, whole)
        began = time.monotonic()
        subprocess.run(self.command(self.new, workers), stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - began

    def prepare(self, path: Path, whole: bool) -> None:
        """Put the old knowledge base in its place; for a build of the `whole`, without a word on
        who made it."""
        shutil.copy(self.forgotten if whole else self.old, path)

    def command(self, path: Path, workers: bool = False) -> list[str]:
        """The command that builds from the pages as they are."""
        code = _WITH_WORKERS if workers else _CODE
        build = ["build", "--workers", "2", "--kb", str(path), str(self.pages)]
        return [sys.executable, "-c", code, *build]

    def held(self, path: Path) -> str:
        """Which graph a file holds."""
        if path.read_bytes() in self._before:
            return "the old graph"
        try:
            return self.holds.get(digest(path), "another graph")
        except Exception as error:
            return f"broken: {error}"


def struck_build(trial: Trial, how: signal.Signals, folder: Path, rng: Random) -> tuple[str, str]:
    """Send a signal to a build at a random moment. What was struck, and what came of it."""
    whole = rng.random() < 0.5
    workers = whole and rng.random() < 0.5
    path = folder / "x.db"
    trial.prepare(path, whole)
    moment = rng.uniform(0, 1.05) * trial.seconds[whole, workers]
    end = struck(trial.command(path, workers), how, moment)
    held = trial.held(path)
    faults = [] if end.in_python_itself else list(end.faults(how))
    if "is kept" in end.said and held == "the new graph":
        faults.append("said that the old one is kept")
    faults += [held] * (held not in trial.holds.values())
    if how == signal.SIGKILL and _others(folder, path):
        kb.build([trial.pages], path)  # clears away what is left
    faults += [f"left: {name}" for name in _others(folder, path)]
    what = "a build of all" if whole else "a build of what changed"
    return f"{what}{' by workers' * workers}, {how.name}", _outcome(end, faults, held)


def _others(folder: Path, path: Path) -> list[str]:
    """The names of the files beside a file."""
    return sorted(file.name for file in folder.iterdir() if file != path)


def _outcome(end: Ended, faults: Sequence[str], held: str) -> str:
    if faults:
        return "WRONG: " + "; ".join(faults)
    if end.in_python_itself:
        return f"interrupted in Python's own start: {held}"
    return f"{'ended before' if not end.code else 'died'}: {held}"


# -- crawls ----------------------------------------------------------------------------------------


def site_pages() -> dict[str, Page]:
    """A page with links to some others."""
    pages: dict[str, Page] = {f"/{n}": f"page {n} " + "x" * 4000 for n in range(1, _SITE_PAGES)}
    return {"/": links(*pages), **pages}


def struck_crawl(
    site: Web, seconds: float, how: signal.Signals, folder: Path, rng: Random
) -> tuple[str, str]:
    """Send a signal to a crawl at a random moment, and run it again. What was struck, and what
    came of it."""
    into = folder / rng.choice(["pages", "pages.warc.gz"])
    end = struck(crawl_command(site, into), how, rng.uniform(0, 1.05) * seconds)
    faults = [] if end.in_python_itself else list(end.faults(how))
    if how != signal.SIGKILL:
        faults += _crawl_faults(into, folder)
    kb.crawl([f"{site.url}/"], into, delay=0.0)
    faults += [f"after the next run: {fault}" for fault in _crawl_faults(into, folder)]
    kept = sorted(url.removeprefix(site.url) for url in _kept(into))
    faults += [f"kept {kept}"] * (kept != sorted(site.pages))
    what = f"a crawl into {'a folder' if into.name == 'pages' else 'a WARC file'}, {how.name}"
    return what, _outcome(end, faults, "all pages after the next run")


def crawl_command(site: Web, into: Path) -> list[str]:
    """The command that crawls a site."""
    words = ["crawl", f"{site.url}/", "--into", str(into), "--delay", "0"]
    return [sys.executable, "-c", _CODE, *words]


def _crawl_faults(into: Path, folder: Path) -> Iterator[str]:
    """What is not whole, or left over, of a crawl."""
    for file in folder.rglob(".*"):
        if not file.name.endswith("crawl.db"):
            yield f"left: {file.name}"
    try:
        kept = _kept(into)
    except Exception as error:
        yield f"broken: {error}"
        return
    if len(kept) != len(set(kept)):
        yield "a page is there twice"
    if into.is_dir():
        files = {str(file.relative_to(into)) for file in into.glob("[!.]*/*")}
        yield from (
            f"no line for {name}" for name in files - {line["file"] for line in _lines(into)}
        )


def _lines(into: Path) -> list[dict[str, str]]:
    """The lines of a folder's manifest. Raises ValueError for one that is not true of its file."""
    manifest = into / "manifest.jsonl"
    text = manifest.read_text("utf-8") if manifest.exists() else ""
    found: list[dict[str, str]] = [json.loads(line) for line in text.splitlines()]
    for line in found:
        if hashlib.sha256((into / line["file"]).read_bytes()).hexdigest() != line["sha256"]:
            raise ValueError(f"{line['file']} is not whole")
    return found


def _kept(into: Path) -> list[str]:
    """The addresses of the pages in a folder or WARC file. Raises if something is not whole."""
    if not into.name.endswith(".warc.gz"):
        return [line["url"] for line in _lines(into)]
    if not into.exists():
        return []
    with into.open("rb") as file:
        records = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.raw_stream.read(),
            )
            for record in ArchiveIterator(file, check_digests="raise")
        ]
    return [url for kind, url, _ in records if kind == "response"]


# -- no room ---------------------------------------------------------------------------------------


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


def full(trial: Trial, times: int, folder: Path, seed: int) -> Seen:
    """Build where there is room for a part of the new file: what was built, and what the file
    holds then."""
    rng, found, moved = Random(seed), Seen(), folder / "moved.db"
    for number in range(times):
        whole = bool(number % 2)
        room = trial.old.stat().st_size + int(rng.uniform(0.02, 0.95) * trial.new.stat().st_size)
        with mounted(folder / "small", room) as small:
            path = small / "x.db"
            trial.prepare(path, whole)
            build = subprocess.run(trial.command(path), capture_output=True, text=True)
            said_once = build.stderr.count("\n") == 1 and "what was there is kept" in build.stderr
            left = _others(small, path)
            shutil.move(path, moved)
        held = trial.held(moved)
        is_right = said_once and build.returncode == 2 and not left and held == "the old graph"
        what = "no room for a build of all" if whole else "no room for a build of what changed"
        found[what, held if is_right else f"WRONG: {build.stderr[-200:]!r} {left} {held}"] += 1
    return found


# -- all -------------------------------------------------------------------------------------------


def measure(words: argparse.Namespace, folder: Path) -> Seen:
    """Strike builds and crawls with each signal, and return how often each outcome was seen."""
    found = Seen()
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(words.jobs))
        runs = [(how, number) for how in words.signals.split(",") for number in range(words.kills)]
        if words.only != "crawls":
            trial = Trial(folder, words.pages)
            jobs = [pool.submit(_build_in_folder, trial, *run, folder, words.seed) for run in runs]
            found.update(chain.from_iterable(job.result() for job in jobs))
            try:
                found += full(trial, words.full, folder, words.seed)
            except OSError as error:
                print(error)
        if words.only != "builds":
            site = stack.enter_context(web(site_pages()))
            began = time.monotonic()
            subprocess.run(crawl_command(site, folder / "timed"), stdout=subprocess.DEVNULL)
            seconds = time.monotonic() - began
            jobs = [
                pool.submit(_crawl_in_folder, seconds, *run, folder, words.seed) for run in runs
            ]
            found.update(chain.from_iterable(job.result() for job in jobs))
    return found


def _build_in_folder(
    trial: Trial, how: str, number: int, folder: Path, seed: int
) -> list[tuple[str, str]]:
    rng, found = Random(f"build {how} {number} {seed}"), []
    while not found or _came_too_late(found):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            found.append(struck_build(trial, signal.Signals[how], Path(place), rng))
    return found


def _came_too_late(found: Sequence[tuple[str, str]]) -> bool:
    """Whether the last process ended before its signal, and another should be struck."""
    return found[-1][1].startswith("ended before") and len(found) < _MOST_TRIES


def _crawl_in_folder(
    seconds: float, how: str, number: int, folder: Path, seed: int
) -> list[tuple[str, str]]:
    rng, found = Random(f"crawl {how} {number} {seed}"), []
    while not found or _came_too_late(found):
        with tempfile.TemporaryDirectory(dir=folder) as place, web(site_pages()) as site:
            found.append(struck_crawl(site, seconds, signal.Signals[how], Path(place), rng))
    return found


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the words of the command line, or those that are given."""
    parser = argparse.ArgumentParser(description="Strike builds and crawls with signals.")
    parser.add_argument("--kills", type=int, default=200, help="with each signal")
    parser.add_argument("--full", type=int, default=20, help="builds without room")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    parser.add_argument("--pages", type=int, default=PAGES, help="of the wiki")
    parser.add_argument("--only", choices=["builds", "crawls"])
    parser.add_argument("--signals", default=",".join(SIGNALS))
    return parser.parse_args(given)


def main() -> int:
    """Measure, and print how often each outcome was seen; return the exit code."""
    words = arguments()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # what is killed inherits it: nohup ignores it
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen = measure(words, Path(folder))
    for (what, outcome), times in sorted(seen.items()):
        print(f"{times:>5}  {what}: {outcome}")
    wrong = sum(times for (_, outcome), times in seen.items() if outcome.startswith("WRONG"))
    print(f"seed {words.seed}, {sum(seen.values())} runs, {wrong} wrong, ", end="")
    print(f"{time.monotonic() - began:.0f} s, {os.cpu_count()} cores")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
