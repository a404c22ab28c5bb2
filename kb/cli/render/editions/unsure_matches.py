"""Prints which matches of versions are unsure, for `sansho trace --unsure`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import bold, counted, dim, echo, end_of_result
from kb.cli.wording import command_with

if TYPE_CHECKING:
    from kb import UnsureMatches

_LONGEST = 240  # characters of a text: three lines of 80, by hand; --json has it whole


def print_unsure(result: UnsureMatches, notice: str) -> None:
    """Print the matches, the least sure first, each with both texts.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    for match in result.matches:
        facts = f"  {match.sure:.2f} by {match.grounds} · {match.change}"
        echo(bold(match.before), " = ", bold(match.after), dim(facts))
        echo("- ", _cut(match.before_text), indent=4)
        echo("+ ", _cut(match.after_text), indent=4)
    more = result.total - len(result.matches)
    end_of_result(
        sums=f"{counted(result.total, 'pair')} of versions that the build is not sure of; "
        "a file says which are right: sansho build --corrections FILE"
        if result.total
        else "The build is sure of all matches of versions.",
        cut=("There are more", command_with(most=result.total)) if more else None,
        notices=[notice],
    )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}…"
