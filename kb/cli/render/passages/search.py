"""Prints the passages that a search found, for `sansho search`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import shortened
from kb.cli.render.output import (
    counted,
    dim,
    echo,
    end_of_result,
    print_nothing,
    some_of,
    with_marks,
)
from kb.cli.render.places import (
    Addresses,
    elsewhere,
    place_name,
    place_origin,
    print_elsewhere,
    print_place,
)

if TYPE_CHECKING:
    from kb import Concordance, Hit, Hits

_MOST_WORDS = 80  # columns of the words in a message
_MOST_COUNTED = 50_000  # passages; a search counts no further


def print_hits(result: Hits, words: str, narrowed: bool) -> None:
    """Print the passages that a search found, with the words in them highlighted; if there is none,
    a message on standard error.

    words: the words that were searched for, as the person typed them.
    narrowed: whether there were filters.
    """
    if not result.hits:
        print_no_passage(result, words, narrowed)
        return
    addresses = Addresses()
    for number, (_, hits) in enumerate(groupby(result.hits, _where)):
        if number:
            echo()
        _print_hits_of_place(list(hits), addresses)
    end_of_result(
        sums=sum_of_passages(result),
        cut=result.more,
        notices=(hit.node.notice for hit in result.hits),
    )


def print_no_passage(result: Hits | Concordance, words: str, narrowed: bool) -> None:
    """Print, on standard error, that no passage has some words, and what to try instead.

    narrowed: whether there were filters; then other passages may have them.
    """
    found = f"has {shortened(words, _MOST_WORDS)}" if words else "is there"
    print_nothing(f"No {'such ' * narrowed}passage {found}.", result.hints, result.also)


def sum_of_passages(result: Hits) -> str:
    """Return how many passages are shown, and of how many."""
    shown, in_all = len(result.hits), result.total
    known = f"more than {in_all:,}" if in_all >= _MOST_COUNTED else f"{in_all:,}"
    phrase = f", {result.with_phrase:,} of these with the phrase" if result.with_phrase else ""
    others = "with other paragraphs, editions and copies counted"
    if result.more:
        hits = f"{some_of(result.before, shown)} of the hits"
        return f"{hits} ({known} passages {others}{phrase})"
    last = f"{some_of(result.before, shown)}, the last of them" if result.before else ""
    if in_all > result.before + shown:
        return f"{last or counted(shown, 'passage')} ({known} {others}{phrase})"
    return f"{last or counted(shown, 'passage')}{phrase}"


def _where(hit: Hit) -> tuple[str, ...]:
    """Return what the heading of a hit says; hits of one place that follow each other share it."""
    place = hit.place
    others = elsewhere(place, hit.same), elsewhere(place, hit.reworded)
    return place_name(place), place_origin(place), *others


def _print_hits_of_place(hits: list[Hit], addresses: Addresses) -> None:
    """Print where some passages stand, a snippet of each with the words highlighted, and where else
    the text stands; the number of a rule, which the heading has, is left out of the snippet."""
    place = hits[0].place
    print_place(place)
    mark = [dim("· ")] if len(hits) > 1 else []
    for hit in hits:
        cut = hit.place.number_length(hit.snippet)
        spans = [(start - cut, end - cut) for start, end in hit.spans if start >= cut]
        snippet = hit.snippet[cut:].replace("\n", " ")
        echo(*mark, *with_marks(snippet, spans), indent=2, hang=2 * len(mark))
    print_elsewhere(place, hits[0].same)
    if reworded := elsewhere(place, hits[0].reworded):
        echo(dim(f"in other words in {reworded}"), indent=2)
    addresses.print_new(place)
