"""Prints the result of an export, and the size of a picture that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kb.cli.render.output import also, bold, counted, dim, echo
from kb.cli.render.texts.termbase import print_notices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb import ExportReport, LeftOut, Picture


def print_export(result: ExportReport) -> None:
    """Print the file that was written and how much is in it, what was left out and how to get it,
    and what is to be said of decisions."""
    echo(bold(result.out), f"  {_content(result)}", dim(f" in {result.format}"))
    if result.source_lang:
        pair = f"from {result.source_lang} into {result.target_lang}"
        echo(pair, dim("; --source-lang and --target-lang choose others"), indent=2)
    if result.proposed:
        proposed = f"{counted(result.proposed, 'name')} of these only proposed"
        echo(proposed, dim("; --status approved leaves them out"), indent=2)
    also(result.also)
    print_notices(result.notices)


def _content(result: ExportReport) -> str:
    if result.entries is None:
        return f"{counted(result.nodes or 0, 'node')}, {counted(result.edges or 0, 'edge')}"
    names = (result.names or {}).items()
    noun = "text" if result.format == "tmx" else "name"
    by_lang = ", ".join(f"{number:,} {lang}" for lang, number in names)
    total = counted(sum(number for _, number in names), noun)
    texts = f", {counted(result.units, 'aligned text')}" if result.units is not None else ""
    entries = counted(result.entries, "entry")
    return f"{entries} of {total}" + (f" ({by_lang})" if by_lang else "") + texts


def print_picture(result: Picture, out: str) -> None:
    """Print how many nodes and edges a picture shows, how many nodes it leaves out, and what else.

    out: the file that the picture was saved in; it is only named, not written.
    """
    sizes = f"{counted(result.nodes, 'node')}, {counted(result.edges, 'edge')}"
    more = f"; {counted(result.left_out, 'more node')} left out (--max)" if result.left_out else ""
    echo(f"{out}: {sizes}{more}")
    also(cast("Sequence[LeftOut]", result.also))
