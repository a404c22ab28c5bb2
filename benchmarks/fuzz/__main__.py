"""The command line of the fuzzer: `python -m benchmarks.fuzz --help`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import SystemRandom

from benchmarks.fuzz.kept import kept_cases
from benchmarks.fuzz.outcome import failure_of
from benchmarks.fuzz.report import progress_line, summary
from benchmarks.fuzz.run import Plan, Tally, here, in_workers
from benchmarks.fuzz.seeds import SHARED, load
from benchmarks.fuzz.targets import all_targets


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 if anything failed, else 0."""
    asked = _parser().parse_args(arguments)
    targets = all_targets(load(None if asked.own else asked.shared))
    if asked.again:
        return _again({target.name: target for target in targets}, asked.again)
    if unknown := set(asked.targets) - {target.name for target in targets}:
        names = ", ".join(target.name for target in targets)
        print(f"no target {', '.join(sorted(unknown))}; there are {names}", file=sys.stderr)
        return 2
    seed = SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    keep = asked.keep or Path(tempfile.mkdtemp(prefix="sansho-fuzz-"))
    print(f"seed {seed}; failing inputs are kept in {keep}", flush=True)
    tallies = []
    for target in targets:
        if asked.targets and target.name not in asked.targets:
            continue
        plan = Plan(target, seed, keep)
        cases = target.cases if asked.cases is None else asked.cases
        numbers = range(cases) if asked.only is None else [asked.only]
        if asked.only is not None or asked.workers == 0:
            tallies.append(here(plan, numbers))
        else:
            tallies.append(in_workers(plan, numbers, asked.workers, _progress(len(numbers))))
    print("\n".join(summary(tallies)))
    return int(any(tally.failures for tally in tallies))


def _again(targets: dict[str, object], folder: Path) -> int:
    """Check kept cases again, and say of each how it fails now."""
    failed = 0
    for name, place, case in kept_cases(folder):
        found = failure_of(targets[name], case)  # type: ignore[arg-type]
        failed += found is not None
        print(f"{place}: {found.kind if found else 'fails no longer'}")
    return int(failed > 0)


def _progress(cases: int) -> Callable[[Tally], None]:
    """Return a function that prints how far a target is, every ten seconds."""
    last = time.monotonic()

    def progress(tally: Tally) -> None:
        nonlocal last
        if time.monotonic() - last > 10:
            last = time.monotonic()
            print(progress_line(tally, cases), file=sys.stderr, flush=True)

    return progress


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="what to run; default all")
    parser.add_argument("--cases", type=int, help="so many cases of each target")
    parser.add_argument("--seed", type=int, help="default: a random one, which is printed")
    parser.add_argument("--only", type=int, metavar="N", help="run just this case")
    parser.add_argument("--workers", type=int, default=2, help="processes; 0 for none but this")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where failing inputs are kept")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="run kept inputs again")
    parser.add_argument("--shared", type=Path, default=SHARED, help="a folder of captures")
    parser.add_argument("--own", action="store_true", help="no captures; only what is bundled")
    return parser


if __name__ == "__main__":
    sys.exit(main())
