"""Prints that nothing was found, and what to try instead, on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kb.cli.render.output import echo, left_out_parts, said

if TYPE_CHECKING:
    from kb import LeftOut, Reason


def print_nothing(
    message: str, hints: Iterable[Reason] = (), left_out: Sequence[LeftOut] = ()
) -> None:
    """Print a message that nothing was found, with hints and what was left out below it: all on
    standard error, as one is of no use without the other."""
    echo(message, err=True)
    for hint in hints:
        echo(said(hint), indent=2, err=True)
    for item in left_out:
        parts, command = left_out_parts(item)
        echo(*parts, f": {command}" if command else "", indent=2, err=True)
