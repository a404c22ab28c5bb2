"""Prints what is wrong with a draft, for `sansho check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kb.cli.render.output import bad, bold, counted, dim, echo, end_of_result, said, warning

if TYPE_CHECKING:
    from kb import Check, Finding

_WIDEST = 60  # characters of a segment that are shown around a problem
_LONGEST_PATH = 40  # that is shown whole before each problem
_MOST_LINES = 10  # numbers of lines that are listed


def print_check(result: Check, notice: str) -> None:
    """Print the problems of a draft, each with its place and the words around it; below them what
    the draft was held against, and how many problems there are of each kind.

    notice: the knowledge base's notice to readers; empty if there is none.
    """
    for problem in result.problems:
        _print_problem(result.file, problem)
    if result.problems:
        echo()
    for reason in result.held_against:
        text = said(reason)
        echo(dim(text[:1].upper() + text[1:]))
    if result.not_compared:
        lines = ", ".join(map(str, result.not_compared[:_MOST_LINES]))
        more = " …" if len(result.not_compared) > _MOST_LINES else ""
        what = counted(len(result.not_compared), "segment")
        echo(dim(f"{what} too long or short for their source, not compared: lines {lines}{more}"))
    for unread in result.warnings:
        echo(warning(f"! {unread}"))
    kinds = ", ".join(f"{count} {kind}" for kind, count in result.counts.items())
    quiet = [
        f"{number} {how}"
        for number, how in (
            (result.ignored, "ignored by comments"),
            (result.in_baseline, "in the baseline"),
        )
        if number
    ]
    sums = f"{counted(len(result.problems), 'problem')} in {counted(result.segments, 'segment')}"
    sums += f": {kinds}" if kinds else ""
    sums += f" ({', '.join(quiet)})" if quiet else ""
    end_of_result(sums=sums, notices=[notice])


def _print_problem(file: str, problem: Finding) -> None:
    """Print a problem: its place, what is wrong and on whose authority, and where it stands."""
    name = file if len(file) <= _LONGEST_PATH else Path(file).name  # a broken one opens nothing
    place = f"{name}:{problem.line}:{problem.start + 1}"
    authority = f" ({problem.authority})" if problem.authority else ""
    message = said(problem.said) if problem.said else ""
    echo(bold(place), "  ", warning(problem.kind), f"  {message}", dim(authority))
    text = " ".join(problem.segment_text.split())
    at = text.find(problem.text) if problem.text else -1
    if at < 0:
        cut = "…" if len(text) > _WIDEST else ""
        echo(dim(text[:_WIDEST] + cut), indent=4)
        return
    start = max(0, at - _WIDEST // 2)
    end = at + len(problem.text)
    stop = min(len(text), end + _WIDEST // 2)
    before = ("…" if start else "") + text[start:at]
    behind = text[end:stop] + ("…" if stop < len(text) else "")
    echo(dim(before), bad(text[at:end]), dim(behind), indent=4)
