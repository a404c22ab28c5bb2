"""Prints the size of a picture, for `sansho draw`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kb.cli.render.output import also, counted, echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb import LeftOut, Picture


def print_picture(result: Picture, out: str) -> None:
    """Print how many nodes and edges a picture shows, how many nodes it leaves out, and what else.

    out: the file that the picture was saved in; it is only named, not written.
    """
    sizes = f"{counted(result.nodes, 'node')}, {counted(result.edges, 'edge')}"
    more = f"; {counted(result.left_out, 'more node')} left out (--max)" if result.left_out else ""
    echo(f"{out}: {sizes}{more}")
    also(cast("Sequence[LeftOut]", result.also))
