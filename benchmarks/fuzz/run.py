"""Runs the cases of a target in worker processes. One that dies is a failure, and is replaced."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks.fuzz import guard
from benchmarks.fuzz.case import Case, Target, random_of, size_of
from benchmarks.fuzz.kept import keep
from benchmarks.fuzz.minimize import minimized
from benchmarks.fuzz.outcome import failure_of

_DIED = "the process died"
_SHARE = 25  # cases that a worker gets at once
_MINIMIZED = 2  # cases of each kind that a worker makes smaller and keeps


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run: which target, from which seed, and where failing inputs are kept."""

    target: Target
    seed: int
    keep: Path
    minimizing: float = 20  # seconds for each failing case

    def case(self, number: int) -> Case:
        """Return one case."""
        return self.target.make(random_of(self.target.name, self.seed, number))


@dataclass(slots=True)
class Tally:
    """What came of the cases of a target: how many failed of which kind, and one kept of each."""

    target: str
    cases: int = 0
    size: int = 0
    seconds: float = 0
    failures: Counter[str] = field(default_factory=Counter)
    kept: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """One case that was run; `kind` and `kept` if it failed."""

    number: int
    size: int
    kind: str = ""
    kept: Path | None = None


def one(plan: Plan, number: int, known: Counter[str]) -> Done:
    """Run one case. If it fails in a way that is new in `known`, make it smaller and keep it."""
    case = plan.case(number)
    failed = failure_of(plan.target, case)
    if not failed:
        return Done(number, size_of(case))
    kind = failed.kind
    known[kind] += 1
    if known[kind] > _MINIMIZED:
        return Done(number, size_of(case), kind)

    def fails(smaller: Case) -> bool:
        again = failure_of(plan.target, smaller)
        return again is not None and again.kind == kind

    small = minimized(case, fails, plan.target.divisible, plan.minimizing)
    why = (failure_of(plan.target, small) or failed).traceback
    kept = keep(plan.keep, plan.target.name, plan.seed, number, small, kind, why)
    return Done(number, size_of(case), kind, kept)


def here(plan: Plan, numbers: Sequence[int]) -> Tally:
    """Run cases in this process."""
    tally, known, began = Tally(plan.target.name), Counter[str](), time.monotonic()
    for number in numbers:
        _count(tally, one(plan, number, known))
    tally.seconds = time.monotonic() - began
    return tally


def in_workers(
    plan: Plan, numbers: Sequence[int], workers: int, progress: Callable[[Tally], None]
) -> Tally:
    """Run cases in worker processes.

    progress: called now and then.
    """
    tally, began = Tally(plan.target.name), time.monotonic()
    for number, done in _results(plan, numbers, workers):
        if done is None:
            kept = keep(
                plan.keep, plan.target.name, plan.seed, number, plan.case(number), _DIED, ""
            )
            done = Done(number, 0, _DIED, kept)
        _count(tally, done)
        tally.seconds = time.monotonic() - began
        progress(tally)
    return tally


def _count(tally: Tally, done: Done) -> None:
    tally.cases += 1
    tally.size += done.size
    if done.kind:
        tally.failures[done.kind] += 1
    if done.kept:
        tally.kept.setdefault(done.kind, done.kept)


@dataclass(slots=True)
class _Worker:
    """A process, the connection to it, and the numbers that it has not answered for yet."""

    process: BaseProcess
    pipe: Connection
    open: list[int] = field(default_factory=list)


def _results(plan: Plan, numbers: Sequence[int], workers: int) -> Iterator[tuple[int, Done | None]]:
    """Yield the number and the result of every case, None for one whose process died."""
    waiting = [list(numbers[at : at + _SHARE]) for at in range(0, len(numbers), _SHARE)][::-1]
    running: dict[Connection, _Worker] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                worker = _start(plan)
                running[worker.pipe] = worker
                _send(worker, waiting.pop())
            for pipe in wait(list(running)):
                worker = running[pipe]  # type: ignore[index]
                try:
                    done = worker.pipe.recv()
                except (EOFError, OSError):
                    del running[worker.pipe]
                    yield worker.open.pop(0), None
                    if worker.open:
                        waiting.append(worker.open)
                    continue
                worker.open.remove(done.number)
                yield done.number, done
                if not worker.open and waiting:
                    _send(worker, waiting.pop())
                elif not worker.open:
                    del running[worker.pipe]
                    worker.pipe.send(None)
                    worker.process.join()
    finally:
        for worker in running.values():
            worker.process.terminate()


def _send(worker: _Worker, numbers: Sequence[int]) -> None:
    worker.open = list(numbers)
    worker.pipe.send(worker.open)


def _start(plan: Plan) -> _Worker:
    # A copy of this process has the seeds and the dictionary already.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(plan, theirs), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _serve(plan: Plan, pipe: Connection) -> None:
    """Run the cases that are asked for, until nothing is asked any more."""
    guard.bound_memory()
    known: Counter[str] = Counter()
    try:
        while (numbers := pipe.recv()) is not None:
            for number in numbers:
                pipe.send(one(plan, number, known))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
