"""Prints questions with their answers, page by page, for `sansho rulings`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.output import counted, dim, echo, end_of_result, print_nothing
from kb.cli.render.places import Addresses, print_place

if TYPE_CHECKING:
    from kb import Ruling, Rulings

_MARK = 3  # columns of what tells a question from an answer


def print_rulings(result: Rulings, ref: str) -> None:
    """Print each question with its answer and date under the page that has it. If there is none,
    print a message on standard error.

    ref: what the rulings were asked for, as the person typed it.
    """
    if not result.rulings:
        print_nothing(f"No ruling speaks of {ref}.", left_out=result.also)
        return
    addresses = Addresses()
    of_places = groupby(result.rulings, lambda ruling: (ruling.place.page_id, ruling.place.section))
    for number, (_, rulings) in enumerate(of_places):
        if number:
            echo()
        _print_page(list(rulings), addresses)
    shown = counted(len(result.rulings), "ruling")
    end_of_result(
        sums=f"the first {shown}" if result.more else shown,
        cut=result.more,
        left_out=result.also,
        notices=(ruling.node.notice for ruling in result.rulings),
    )


def _print_page(rulings: list[Ruling], addresses: Addresses) -> None:
    """Print the rulings of one section of a page under its name."""
    place = rulings[0].place
    print_place(place)
    addresses.print_new(place)
    for ruling in rulings:
        echo(dim("Q".ljust(_MARK)), " ".join(ruling.question.split()), indent=2, hang=_MARK)
        first, *others = ruling.answer.splitlines() or [""]
        echo(dim("A".ljust(_MARK)), first, indent=2, hang=_MARK)
        for line in others:
            echo(line, indent=2 + _MARK)
        if ruling.date:
            echo(dim(ruling.date), indent=2 + _MARK)
