"""Prints the warnings of a build: those that say the same together, with the first places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kb.cli.render.output import counted, echo, said, warning
from kb.reason import warning_reason

if TYPE_CHECKING:
    from kb import ReadWarning

_MOST_PLACES = 3  # of warnings that say the same
# What may differ in warnings that say the same: numbers, bytes, and what is quoted.
_PARTICULAR = re.compile(r"\b[0-9a-f]{2}\b|\d+|「[^」]*」|'[^']*'|\"[^\"]*\"")


def print_warnings(
    warnings: Sequence[ReadWarning], most: int | None = None, err: bool = False
) -> None:
    """Print warnings, those that say the same as one, the most frequent first.

    most: the greatest number of different ones; None prints all. err: print on standard error.
    """
    groups = _grouped(replace(each, what=said(warning_reason(each))) for each in warnings)
    for group in groups[:most]:
        others = f" ({counted(len(group), 'time')})" if len(group) > 1 else ""
        echo(warning(f"! {group[0].what}{others}"), indent=2, err=err)
        for item in group[:_MOST_PLACES]:
            differs = item.what != group[0].what
            echo(f"{item.where}: {item.what}" if differs else item.where, indent=4, err=err)
        if len(group) > _MOST_PLACES:
            echo(f"and {len(group) - _MOST_PLACES:,} more", indent=4, err=err)
    if most is not None and len(groups) > most:
        rest = sum(map(len, groups[most:]))
        echo(f"and {counted(rest, 'other warning')}: sansho audit lists them", indent=2, err=err)


def _grouped(warnings: Iterable[ReadWarning]) -> list[list[ReadWarning]]:
    """Return warnings that say the same together, the largest groups first; of groups of one size,
    the one that comes first."""
    groups: dict[str, list[ReadWarning]] = {}
    for item in warnings:
        groups.setdefault(_PARTICULAR.sub("#", item.what), []).append(item)
    return sorted(groups.values(), key=len, reverse=True)
