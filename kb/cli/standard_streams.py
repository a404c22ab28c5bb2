"""Runs the command line in whatever process it finds itself, to an honest exit code."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from kb.cli.signals import describe, end_on_signals

READER_GONE = 128 + 13  # as a shell says of a process that SIGPIPE, 13, ended
CANNOT_BE_DONE = 2  # as in `print_result`, which is not imported before a command runs
# Bytes; with less left, an error of any type may come of that. By hand: higher would take errors of
# other causes for short memory, lower would show a traceback where it was short.
_LITTLE_MEMORY = 32 << 20
# In the messages of the operating system, its loader, Python's threads and SQLite; without the
# first letter, which some write large.
_SHORT_OF_MEMORY = (
    "annot allocate memory", "failed to map segment", "can't start new thread", "out of memory",
)  # fmt: skip


# -- standard streams ---------------------------------------------------------------------------
# Standard output and error that take any text, and know what could not be written.


class Output(io.FileIO):
    """A descriptor to write to, usually standard output.

    The first write that fails raises, and all later ones are discarded: nothing is left that
    Python would try to write again at its end. Such an error says that it is of standard output.

    failure: what was raised; None if nothing was.
    """

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write bytes; return how many. Raises OSError for the first that can't be written; those
        after it are discarded, and count as written."""
        if self.failure:
            return len(data)
        try:
            return super().write(data) or 0
        except OSError as error:
            self.failure = error
            error.filename = "standard output"
            raise


class _Messages(io.FileIO):
    """Standard error: what can't be written there is no reason to stop."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def prepare() -> Output | None:
    """Make standard output and error take all text: characters that their charset lacks are
    written as escapes. Both descriptors must be open.

    Return the output, to be asked for its failure; None on Windows, whose console is no file.
    """
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return None
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    output = Output(1, "w", closefd=False)
    sys.stdout = _text(output, sys.stdout)
    sys.stderr = _text(_Messages(2, "w", closefd=False), sys.stderr, each_line=True)
    return output


def _text(raw: io.FileIO, before: TextIO | None, each_line: bool = False) -> io.TextIOWrapper:
    """Return a text stream over a descriptor.

    before: the stream that Python made for it, whose charset it gets; None for UTF-8.
    each_line: write each line when it ends; a terminal gets it so in any case.
    """
    encoding = before.encoding if before else "utf-8"
    line_buffering = each_line or raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=line_buffering
    )


# -- the process ---------------------------------------------------------------------------------
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
    """Run the command; return its exit code: its own; 2, when that was said, for short memory and
    errors of the operating system; 0 where its output could not be written, which decides then.

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
    """Return whether an error came of too little memory, which libraries report in many ways: by
    its type, its words, or because a few megabytes can't be had now."""
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
