"""What is answered by knowledge bases that were damaged, and what a build makes of them.

    python -m benchmarks.damaged_bases [N] [SEED] [--forged] [--builds K] [--workers 2]

Copies the bundled sample, and a base of captured pages and a rulebook where ../shared is, and
damages N copies: bytes changed, bits flipped, runs overwritten, pages zeroed or swapped, cut short.
Each is asked by every command, as text and as JSON: the answer is that of the whole file, or one
line and exit code 2. `audit --deep` is to notice each. With every K-th, a build on top of the
damaged file is compared with a build from nothing, by their exports.

With --forged the checksum is made right again after the damage, as if another program had changed
the file on purpose: other answers are expected then, exceptions are not.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random

from click.testing import CliRunner

import kb
from graphs.store.file.schema import append_trailer, drop_trailer
from kb.cli.group import main as sansho
from tests.conftest import SHARED

PAGE = 4096  # bytes of a page of SQLite
COMMANDS = (
    "show 121.4", "show 引く", "show mtgwiki/引く", "refs 引く", "path 引く 手札", "top",
    "search 引く", "search draw", "kwic 引く", "compare 引く", "terms", "ask 引くとどうなる？",
    "steps 引く", "outcomes 引く", "stats", "audit", "diff 20231117 20231117 --lang ja",
    "trace 121.4", "align ja en", "draw 引く --out x.svg", "export --format jsonl --out -",
)  # fmt: skip
_FILE = "x.db"
_MOST_EXAMPLES = 8  # that are printed of what should not be

Damage = Callable[[bytearray, Random], None]


def flip_a_bit(data: bytearray, rng: Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def change_bytes(data: bytearray, rng: Random) -> None:
    for _ in range(rng.randint(1, 100)):
        data[rng.randrange(len(data))] ^= rng.randint(1, 255)


def overwrite_a_run(data: bytearray, rng: Random) -> None:
    length = rng.randint(1, 100)
    at = rng.randrange(len(data) - length)
    data[at : at + length] = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))


def change_a_character(data: bytearray, rng: Random) -> None:
    """Put another Japanese character in the place of one, as no check of SQLite notices."""
    start = rng.randrange(len(data))
    found = re.compile(rb"\xe3[\x81-\x83][\x80-\xbf]").search(data, start)
    if found is None:
        return
    data[found.end() - 1] = 0x80 + (data[found.end() - 1] - 0x80 + rng.randint(1, 63)) % 64


def change_the_header(data: bytearray, rng: Random) -> None:
    data[rng.randrange(100)] ^= rng.randint(1, 255)


def change_the_end(data: bytearray, rng: Random) -> None:
    data[-rng.randint(1, 28)] ^= rng.randint(1, 255)


def zero_a_page(data: bytearray, rng: Random) -> None:
    at = PAGE * rng.randrange(len(data) // PAGE)
    data[at : at + PAGE] = bytes(PAGE)


def swap_pages(data: bytearray, rng: Random) -> None:
    one, other = (PAGE * at for at in rng.sample(range(1, len(data) // PAGE), 2))
    first, second = data[one : one + PAGE], data[other : other + PAGE]
    data[one : one + PAGE], data[other : other + PAGE] = second, first


def cut_short(data: bytearray, rng: Random) -> None:
    del data[rng.randrange(PAGE, len(data)) :]


def append_bytes(data: bytearray, rng: Random) -> None:
    data += rng.randbytes(rng.randint(1, 5000))


# The first four change 1 to 100 bytes anywhere; they come three times as often as the others.
DAMAGES: tuple[Damage, ...] = (
    *(flip_a_bit, change_bytes, overwrite_a_run, change_a_character) * 3,
    change_the_header, change_the_end, zero_a_page, swap_pages, cut_short, append_bytes,
)  # fmt: skip


def damaged(data: bytes, rng: Random) -> tuple[str, bytes]:
    """Return the name of a kind of damage, and bytes with it; they always differ."""
    how = rng.choice(DAMAGES)
    changed = bytearray(data)
    while changed == data:
        how(changed, rng)
    return how.__name__, bytes(changed)


@dataclass(frozen=True, slots=True)
class Base:
    """A whole knowledge base and its answers. sources: what it is built from; none is the
    sample. export: the bytes of its graph."""

    name: str
    data: bytes
    sources: tuple[str, ...]
    answers: dict[tuple[str, bool], tuple[int, str]] = field(default_factory=dict)
    export: bytes = b""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one damaged base. counts: of what happened how often; wrong: what should not
    have happened, in words."""

    counts: Counter[str]
    wrong: tuple[str, ...]


def made_base(name: str, sources: Sequence[Path]) -> Base:
    """Build a base in the current folder and ask it everything."""
    Path(_FILE).unlink(missing_ok=True)
    kb.build(sources, _FILE, workers=1)
    answers = {}
    for command in COMMANDS:
        for as_json in (False, True):
            code, out, _, raised = asked(command, as_json)
            if raised is not None:
                raise raised
            answers[command, as_json] = code, out
    return Base(name, Path(_FILE).read_bytes(), tuple(map(str, sources)), answers, exported())


def asked(command: str, as_json: bool) -> tuple[int, str, str, BaseException | None]:
    """Return exit code, output, error output and the exception of a command, if it raised one."""
    words = [*command.split(), *(["--json"] if as_json else []), "--kb", _FILE]
    done = CliRunner(env={"COLUMNS": "80"}).invoke(sansho, words)
    raised = None if isinstance(done.exception, SystemExit) else done.exception
    return done.exit_code, done.stdout, done.stderr, raised


def exported() -> bytes:
    """Return the graph of the base in the current folder, as its export."""
    with kb.open(_FILE) as base:
        base.export("x.jsonl")
    return Path("x.jsonl").read_bytes()


def tried(base: Base, label: str, forged: bool, build: bool) -> Outcome:
    """Damage a copy of a base, ask it everything, and perhaps build it again.

    label: names the trial, and is the seed of its damage.
    """
    how, data = damaged(base.data, Random(label))
    path = Path(_FILE)
    path.write_bytes(data)
    if forged:
        drop_trailer(path)
        append_trailer(path)
    counts, wrong = Counter({how: 1}), list[str]()
    for (command, as_json), whole in base.answers.items():
        code, out, error, raised = asked(command, as_json)
        if raised is not None:
            what = f"exception {type(raised).__name__}"
        elif (code, out) == whole:
            what = "the whole one's answer"
        elif code == 2 and error.count("\n") == 1 and (as_json or not out):
            what = "one line and exit code 2"
        elif code == 2:
            what = "more than one line and exit code 2"
        elif code in (0, 1):
            what = "another answer"
        else:
            what = f"exit code {code}"
        counts[what] += 1
        is_another = what in ("another answer", "more than one line and exit code 2")
        if raised is not None or what.startswith("exit") or (is_another and not forged):
            wrong.append(f"{label} ({how}): {command}{' --json' * as_json}: {what}: {raised}")
    code, out, error, raised = asked("audit --deep", as_json=False)
    noticed = raised is None and code == 2 and error.count("\n") == 1
    counts["noticed by audit --deep" if noticed else "not noticed by audit --deep"] += 1
    if raised is not None or (not noticed and not forged):
        wrong.append(f"{label} ({how}): audit --deep: {raised or code}")
    if build:
        what = built_again(base)
        counts[f"build: {what}"] += 1
        expected = {"the graph of a build from nothing", "refused in one line"}
        if what.startswith("exception") or (what not in expected and not forged):
            wrong.append(f"{label} ({how}): build: {what}")
    return Outcome(counts, tuple(wrong))


def built_again(base: Base) -> str:
    """Build on top of the file in the current folder; return in words what that gave."""
    words = ["build", *base.sources, "--kb", _FILE, "--workers", "1"]
    done = CliRunner().invoke(sansho, words)
    if done.exception and not isinstance(done.exception, SystemExit):
        return f"exception {type(done.exception).__name__}: {done.exception}"
    if done.exit_code:
        return "refused in one line" if done.stderr.count("\n") == 1 else "refused in many lines"
    try:
        same = exported() == base.export
    except kb.StoreError:  # of a checksum that was made right again
        return "a file that is still damaged"
    return "the graph of a build from nothing" if same else "another graph"


def trials(
    bases: Sequence[Base], numbers: Sequence[int], seed: int, forged: bool, every: int
) -> list[Outcome]:
    """Run some trials, in a folder of their own."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder
        for number in numbers:
            base = bases[number % len(bases)]
            build = every > 0 and number // len(bases) % every == 0
            found.append(tried(base, f"{seed}/{number}", forged, build))
        os.chdir("/")
    return found


def made_bases() -> Iterator[Base]:
    """Build the bases that are damaged."""
    yield made_base("the sample", ())
    seeds, rulebook = SHARED / "seeds", SHARED / "corpora" / "mtg-cr-ja"
    if seeds.is_dir() and rulebook.is_dir():
        yield made_base("captures and a rulebook", (seeds.resolve(), rulebook.resolve()))


def measure(number: int, seed: int, forged: bool, every: int, workers: int) -> Iterator[str]:
    """Run all trials; yield lines for people."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bases = list(made_bases())
        os.chdir(before)
    for base in bases:
        yield f"{base.name}: {len(base.data):,} bytes, {len(base.answers)} answers"
    counts, wrong = Counter[str](), list[str]()
    batches = [range(at, number, workers * 4) for at in range(workers * 4)]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        running = [pool.submit(trials, bases, batch, seed, forged, every) for batch in batches]
        for future in running:
            for outcome in future.result():
                counts.update(outcome.counts)
                wrong += outcome.wrong
    yield f"{number} damaged, seed {seed}{', with the checksum made right again' * forged}:"
    for what, times in sorted(counts.items()):
        yield f"  {times:7,} {what}"
    yield f"  {len(wrong):7,} that should not be"
    for line in wrong[:_MOST_EXAMPLES]:
        yield f"    {line[:300]}"


def main() -> None:
    """Read the command line and print what is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=1000)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--forged", action="store_true")
    parser.add_argument("--builds", type=int, default=10, metavar="K", help="0: none; 1: all")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    for line in measure(given.number, given.seed, given.forged, given.builds, given.workers):
        print(line, flush=True)


if __name__ == "__main__":
    main()
