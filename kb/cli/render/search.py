"""Prints the passages that a search found, for `sansho search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import counted, echo, more, note, total, with_marks
from kb.cli.render.places import Addresses, print_elsewhere, print_place

if TYPE_CHECKING:
    from kb import Hit, Hits

_MOST_COUNTED = 50_000  # passages; a search counts no further


def print_hits(result: Hits, words: str, narrowed: bool) -> None:
    """Print the passages that a search found, with the words in them highlighted; if there is none,
    a message on standard error.

    words: the words that were searched for, as the person typed them.
    narrowed: whether there were filters.
    """
    if not result.hits:
        print_no_passage(words, narrowed)
        return
    addresses = Addresses()
    for number, hit in enumerate(result.hits):
        if number:
            echo()
        _print_hit(hit, addresses)
    note(hit.node.notice for hit in result.hits)
    echo()
    total(sum_of_passages(len(result.hits), result.total, bool(result.more)))
    more(result.more and f"{result.more} shows more")


def print_no_passage(words: str, narrowed: bool) -> None:
    """Print, on standard error, that no passage has these words.

    narrowed: whether there were filters; then other passages may have them.
    """
    found = f"has {words}" if words else "is there"
    echo(f"No {'such ' * narrowed}passage {found}.", err=True)


def sum_of_passages(shown: int, in_all: int, cut: bool) -> str:
    """Return how many passages are shown, and of how many.

    in_all: with editions and copies counted singly.
    cut: whether there are others to show.
    """
    known = f"more than {in_all:,}" if in_all >= _MOST_COUNTED else f"{in_all:,}"
    if cut:
        return f"{shown:,} of {known} passages"
    if in_all > shown:
        return f"{counted(shown, 'passage')}; {known} with other paragraphs, editions and copies"
    return counted(shown, "passage")


def _print_hit(hit: Hit, addresses: Addresses) -> None:
    """Print where a passage stands, a snippet of it with the words highlighted, and where else the
    text stands; the number of a rule, which the heading has, is left out of the snippet."""
    place = hit.place
    print_place(place)
    cut = place.number_length(hit.snippet)
    spans = [(start - cut, end - cut) for start, end in hit.spans if start >= cut]
    echo(*with_marks(hit.snippet[cut:].replace("\n", " "), spans), indent=2, hang=0)
    print_elsewhere(place, hit.same)
    addresses.print_new(place)
