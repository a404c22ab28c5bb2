"""Standard output and error that take any text, and know what could not be written."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO


class Output(io.FileIO):
    """A descriptor to write to, usually standard output.

    The first write that fails raises, and all later ones are discarded: nothing is left that
    Python would try to write again at its end. Such an error says that it is of standard output.

    failure: what was raised; None if nothing was.
    """

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write bytes; return how many. Raises OSError for the first that can't be written."""
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
