"""Runs the command line in whatever process it finds itself, to an honest exit code."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import NoReturn

from kb.cli.signals import end_on_signals
from kb.cli.standard_streams import Output, prepare
from kb.cli.system_errors import describe

READER_GONE = 128 + 13  # exit code; 13 is SIGPIPE
CANNOT_BE_DONE = 2
_LITTLE_MEMORY = 32 << 20  # bytes; with less left anything may fail
_SHORT_OF_MEMORY = (
    "annot allocate memory", "failed to map segment", "can't start new thread", "out of memory",
)  # fmt: skip


def run() -> NoReturn:
    """Run the command that the arguments of the process name, and exit.

    The exit code is the command's. Where its output could not be written, it is 141 if the reader
    of a pipe went away, else 2.
    """
    end_on_signals()
    output = prepare()
    code = _exit_code(output)
    with suppress(OSError, ValueError):  # the error is in `output`; ValueError: it was closed
        sys.stdout.flush()
    failure = output.failure if output else None
    if isinstance(failure, BrokenPipeError):
        code = READER_GONE
    elif failure and code != CANNOT_BE_DONE:
        code = _say(f"standard output: {failure.strerror}")
    sys.exit(code)


def _exit_code(output: Output | None) -> int:
    """Run the command; return its exit code.

    Raises what a command raises that nobody foresaw: a person who reports it needs the traceback.
    """
    try:
        from kb.cli.group import main

        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:
        if output and output.failure:
            return 0  # what could not be written decides
        if _tells_of_short_memory(error):
            return _say("not enough memory; what was there before is kept")
        if isinstance(error, OSError):
            return _say(describe(error))
        raise
    return 0


def _tells_of_short_memory(error: Exception) -> bool:
    """Return whether an error came of too little memory, which libraries report in many ways."""
    if isinstance(error, MemoryError) or any(word in str(error) for word in _SHORT_OF_MEMORY):
        return True
    try:
        return not bytearray(_LITTLE_MEMORY)
    except MemoryError:
        return True


def _say(message: str) -> int:
    """Print why it can't be done on standard error; return the exit code for that."""
    print(f"sansho: {message}", file=sys.stderr)
    return CANNOT_BE_DONE
