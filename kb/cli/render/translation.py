"""Prints what a translator asks for: matches, packages, and what is open in one that came back."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.checked_texts import print_notices
from kb.cli.render.output import (
    bold,
    counted,
    dim,
    echo,
    field,
    more,
    name_of,
    print_nothing,
    total,
    with_marks,
)

if TYPE_CHECKING:
    from kb import Matches, PackageReport, ReturnedPackage

_MOST_OPEN = 20  # texts that are named of each kind: by hand, a screen; --json has all


def print_translations(result: Matches) -> None:
    """Print each match: score, place, the text with the words that differ marked, its translation
    below it."""
    if not result.matches:
        print_nothing(f"No text in {result.lang} and {result.target_lang} is like it.")
        return
    for index, one in enumerate(result.matches):
        if index:
            echo()
        edition = f"edition {one.editions[0]}" if one.editions else ""
        others = f"and {len(one.editions) - 1} more" if len(one.editions) > 1 else ""
        about = [one.kind, one.node.game or "", " ".join(filter(None, (edition, others)))]
        place = name_of(one.node)
        echo(bold(f"{one.score:4.0%}"), f"  {place}  ", dim(" · ".join(filter(None, about))))
        spans = [span[2:] for span in one.spans]
        echo(dim(result.lang), "  ", *with_marks(one.source, spans), indent=2)
        echo(dim(result.target_lang), "  ", one.target, indent=2)
    more(result.more)


def print_package(result: PackageReport) -> None:
    """Print what became of the rules, how many texts are done, how many words are how new, and
    which files were written."""
    langs = f"{result.source_lang} → {result.target_lang}"
    echo(bold(f"{result.before} → {result.after}"), dim(f"  {result.game} · {langs}"))
    field("rules", ", ".join(f"{kind} {number:,}" for kind, number in result.counts.items()))
    field("texts", ", ".join(f"{state} {number:,}" for state, number in result.states.items()))
    field(result.measure, ", ".join(f"{band} {number:,}" for band, number in result.words.items()))
    print_notices(result.notices)
    total(f"wrote {counted(len(result.files), 'file')} into {result.folder}")
    for file in result.files:
        echo(file, indent=2)


def print_returned(result: ReturnedPackage) -> None:
    """Print how many texts are done, and those that are open, by what is open."""
    total(f"{result.done:,} of {counted(result.units, 'text')} are done")
    by_what = sorted(result.open, key=lambda one: one.what)
    for what, found in groupby(by_what, key=lambda one: one.what):
        places = [one.place or one.id for one in found]
        others = f" and {len(places) - _MOST_OPEN:,} more" if len(places) > _MOST_OPEN else ""
        field(what, f"{len(places):,}: {', '.join(places[:_MOST_OPEN])}{others}")
