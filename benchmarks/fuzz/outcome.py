"""Runs one case of a target, and says how it failed."""

from __future__ import annotations

import re
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fuzz import guard
from benchmarks.fuzz.case import Case, Failure, Target

_ROOT = Path(__file__).parents[2]
_OURS = ("scraper", "kb", "graphs")


@dataclass(frozen=True, slots=True)
class Failed:
    """How a case failed.

    kind: the same for all cases that fail in the same way, as far as can be told.
    traceback: for people.
    """

    kind: str
    traceback: str


def failure_of(target: Target, case: Case) -> Failed | None:
    """Check a case; return how it fails, or None if all is well."""
    try:
        with guard.within(target.seconds(case)), guard.silent():
            target.check(case)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Failed(_kind(error), "".join(traceback.format_exception(error)))
    return None


def seconds_of(target: Target, case: Case) -> float:
    """Return the processor time that checking a case takes."""
    began = time.process_time()
    failure_of(target, case)
    return time.process_time() - began


def _kind(error: BaseException) -> str:
    """Return what an error has in common with others like it: its class, and where it was raised.

    Where time ran out differs each time, so only the file counts.
    """
    if isinstance(error, Failure):
        return error.kind
    frames = [
        (Path(frame.filename).relative_to(_ROOT), frame.name)
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_ROOT)
    ]
    ours = [(file, name) for file, name in frames if file.parts[0] in _OURS] or frames
    file, name = ours[-1] if ours else (Path("?"), "?")
    place = file if isinstance(error, guard.OverTimeError) else f"{file}, {name}"
    return re.sub(r"\s+", " ", f"{type(error).__name__} in {place}")
