"""Runs commands of sansho in this process: whatever they are asked, they end with 0, 1 or 2."""

from __future__ import annotations

from collections.abc import Sequence

from click.testing import CliRunner

from benchmarks.fuzz.case import Failure
from kb.cli.group import main


def run(words: Sequence[str], one_line: bool = False) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed.

    one_line: whether it must say in one line why it is refused.

    Raises what it raises, and Failure for any other exit code or a printed traceback.
    """
    done = CliRunner().invoke(main, list(words))
    if isinstance(done.exception, Exception):
        raise done.exception
    if done.exit_code not in (0, 1, 2):
        raise Failure(f"exit code {done.exit_code}", done.output[-500:])
    if "Traceback (most recent" in done.output:
        raise Failure("a traceback is printed", done.output[-500:])
    if one_line and done.exit_code == 2 and done.stderr.count("\n") != 1:
        raise Failure("refused in more than one line", done.stderr[-500:])
    return done.exit_code, done.output
