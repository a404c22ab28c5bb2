"""Says what differs for users between two versions of sansho.

    python -m benchmarks.oracle OLD NEW [--only KIND] [--base real|sample] [--max N] [--save FOLDER]

OLD and NEW are commits or branches of this repository, or folders with its packages: `.` is the
working tree. Each is copied to a temporary folder, byte-compiled, and run with this interpreter, so
that both have the same installed dependencies; that its own packages are imported is asserted.
Each builds two bases, of real pages and rulebooks beside the repository and of the bundled sample,
and is asked the same of both: what the tables in `questions` say. Pages of the explorer that one
side's links lead to are asked of the other, too. Answers of commits are kept (`--cache`) for later
runs, by the commit and by all that decides what is asked. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from benchmarks.oracle.ask import KINDS, PACKAGES, read_answers
from benchmarks.oracle.report import Report

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SHARED = Path(os.environ.get("SANSHO_SHARED", ROOT.parent / "shared"))
_BASES = ("real", "sample")
_AT_ONCE = 2  # processes
_ASK = (
    "import sys; sys.path.append(sys.argv.pop(1)); from oracle import ask; ask.main(sys.argv[1:])"
)


@dataclass(frozen=True)
class Side:
    """One version. given: as the person named it; commit: its hash, empty for a folder's files;
    folder: of this run, with its `code` and a folder for each base; answers: where they are."""

    given: str
    commit: str
    folder: Path
    answers: Path
    questions: Path

    @property
    def code(self) -> Path:
        return self.folder / "code"

    def copy_code(self) -> None:
        """Copy the packages of this version, and compile them."""
        if self.commit:
            archive = _git("archive", self.commit, *PACKAGES)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(self.code, filter="data")
        else:
            for package in PACKAGES:
                shutil.copytree(Path(self.given) / package, self.code / package)
        compiled = [sys.executable, "-m", "compileall", "-q", self.code]
        subprocess.run(compiled, check=True, stdout=subprocess.DEVNULL)

    def file(self, base: str, kind: str) -> Path:
        """Return the file of the answers to questions of a kind."""
        return self.answers / f"{base}-{kind}.json.gz"

    def ask(
        self, base: str, kind: str, after: Sequence[Future[None]], other: Path | None = None
    ) -> None:
        """Ask all questions of a kind, or `build` a base, in a process of its own.

        after: what must be done before. other: the file with the other side's answers to them.
        """
        for job in after:
            job.result()
        folder = self.folder / base
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        if kind == "build":
            for name in ("seeds", "pages", "corpora") if base == "real" else ():
                (folder / name).symlink_to(SHARED / name)
            shutil.copytree(self.questions / "texts", folder / "texts")
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("SANSHO_")
        } | {
            "PYTHONPATH": str(self.code), "SANSHO_KB": "base.db", "COLUMNS": "80", "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(folder / "tmp"), "PAGER": "cat",
        }  # fmt: skip
        self.answers.mkdir(parents=True, exist_ok=True)
        arguments = [kind, base, self.questions, self.file(base, kind), other or ""]
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-P", "-c", _ASK, HERE.parent, *arguments],
            cwd=folder, env=environment, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{self.given}: {base}, {kind}: no answers:\n{done.stderr[-3000:]}")
        taken = time.monotonic() - began
        print(f"{self.given}: {base}, {kind}: {taken:.0f} s", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two versions, and print the report; return 1 if anything differs, else 0."""
    given = _arguments(arguments)
    bases = given.base or [base for base in _BASES if base == "sample" or SHARED.is_dir()]
    kinds = given.only or list(KINDS)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sansho-oracle-") as temporary:
        folder = Path(temporary)
        old, new = (_side(each, name, folder, given) for each, name in zip(
            (given.old, given.new), ("old", "new"), strict=True))  # fmt: skip
        _ask_both(old, new, bases, kinds)
        report = Report(given.save or folder / "report", everything=given.save is not None)
        for kind in ("build", *kinds):
            for base in bases:
                report.add(
                    kind, base, *(read_answers(side.file(base, kind)) for side in (old, new))
                )
        print(report.text(given.max))
        if new.commit and new.commit != old.commit:
            shutil.copytree(new.answers, given.cache / _key(new.commit, given), dirs_exist_ok=True)
    print(f"\n{time.monotonic() - began:.0f} s", file=sys.stderr)
    return int(any(different for _, different in report.counts.values()))


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sansho-oracle"
    parser = argparse.ArgumentParser(
        "python -m benchmarks.oracle", description=__doc__.split("\n")[0]
    )
    parser.add_argument("old", metavar="OLD", help="a commit, a branch, or a folder")
    parser.add_argument("new", metavar="NEW", help="the same; . is the working tree")
    parser.add_argument("--only", action="append", choices=KINDS, help="only these questions")
    parser.add_argument("--base", action="append", choices=_BASES, help="only this base")
    parser.add_argument("--max", type=int, default=30, help="kinds of differences that are shown")
    parser.add_argument("--save", type=Path, help="a new folder for all answers, for `diff -r`")
    parser.add_argument("--cache", type=Path, default=cache, help="a folder for commits' answers")
    parser.add_argument("--questions", type=Path, default=HERE / "questions", help="other tables")
    given = parser.parse_args(arguments)
    if given.save and given.save.exists():
        parser.error(f"--save: {given.save} is there already")
    return given


def _side(given: str, name: str, folder: Path, options: argparse.Namespace) -> Side:
    """Return a side. Answers of the old one are kept; the new one is always asked."""
    own = folder / name
    if Path(given).is_dir():
        return Side(str(Path(given).resolve()), "", own, own / "answers", options.questions)
    commit = _git("rev-parse", "--verify", f"{given}^{{commit}}").decode().strip()
    answers = own / "answers" if name == "new" else options.cache / _key(commit, options)
    return Side(given, commit, own, answers, options.questions)


def _key(commit: str, options: argparse.Namespace) -> str:
    """Return the name of the folder for the answers of a commit: by it, and all that decides what
    is asked and with which installed packages."""
    tables = sorted(path for path in options.questions.rglob("*") if path.is_file())
    digest = hashlib.sha256(sys.version.encode())
    for path in (HERE / "ask.py", *tables):
        digest.update(path.read_bytes())
    sources = sorted(path for path in SHARED.rglob("*") if path.is_file())
    for path in sources:
        digest.update(f"{path} {path.stat().st_size}".encode())
    for installed in sorted(f"{each.name} {each.version}" for each in distributions()):
        digest.update(installed.encode())
    return f"{commit[:16]}-{digest.hexdigest()[:16]}"


def _ask_both(old: Side, new: Side, bases: Sequence[str], kinds: Sequence[str]) -> None:
    """Ask both sides what was not asked before; two questions at a time, the longest first."""
    missing = [
        (side, base, kind)
        for base in bases
        for kind in kinds
        for side in (old, new)
        if side is new or not side.file(base, kind).exists()
    ]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        jobs: dict[tuple[str, ...], Future[None]] = {}
        try:
            for side in dict.fromkeys(side for side, _, _ in missing):
                jobs[str(side.folder),] = pool.submit(side.copy_code)
            for side, base in dict.fromkeys((side, base) for side, base, _ in missing):
                code = jobs[str(side.folder),]
                jobs[str(side.folder), base] = pool.submit(side.ask, base, "build", [code])
            for side, base, kind in missing:
                after = [jobs[str(side.folder), base]]
                other = None
                if kind == "pages" and side is new:
                    other = old.file(base, kind)
                    after += (
                        [jobs[str(old.folder), base, kind]]
                        if (str(old.folder), base, kind) in jobs
                        else []
                    )
                jobs[str(side.folder), base, kind] = pool.submit(side.ask, base, kind, after, other)
            for job in jobs.values():
                job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _git(*words: str) -> bytes:
    """Return what git says in the repository; SystemExit, with git's words, if it can't."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True)
    if done.returncode:
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.decode().strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
