"""Prints what vectors were made, for `sansho near build`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import bold, counted, dim, echo

if TYPE_CHECKING:
    from kb import VectorReport


def print_vectors(result: VectorReport) -> None:
    """Print the file, how many passages have a vector, what was made, how large and how long."""
    echo(bold(result.file), f"  {counted(result.passages, 'passage')}, {_size(result.bytes)}")
    made = f"{counted(result.made, 'vector')} made"
    deleted = f", {result.deleted:,} deleted" if result.deleted else ""
    echo(made + deleted, dim(f" in {result.seconds:,.1f} s by {result.encoder}"), indent=2)


def _size(number: int) -> str:
    """Return a number of bytes for people.

    >>> _size(300_000), _size(41_260_000)
    ('0.3 MB', '41.3 MB')
    """
    return f"{number / 1e6:,.1f} MB"
