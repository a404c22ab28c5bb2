"""Prints the list of terms, for `sansho terms`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb.cli.render.node_names import name_of
from kb.cli.render.output import counted, dim, echo, end_of_result, print_table

if TYPE_CHECKING:
    from kb import Node, Terms


def print_terms(result: Terms, notice: str) -> None:
    """Print a table of terms with reading, first English name, game and how many sources have it,
    and how many there are; if there is none, a message on standard error.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    if not result.terms:
        echo(f"No such terms; there are {_by_game(result.games)}.", err=True)
        return
    rows = [
        (
            name_of(term),
            term.reading or "",
            _english(term),
            dim(term.game or ""),
            str(len(result.sources.get(term.id, ())) or 1),
        )
        for term in sorted(result.terms, key=_order)
    ]
    filled = [column for column in range(5) if column != 1 or any(row[1] for row in rows)]
    headings = ("term", "reading", "English", "game", "sources")
    print_table(
        [headings[column] for column in filled],
        [[row[column] for column in filled] for row in rows],
        right=[len(filled) - 1],
    )
    of_game = Counter(term.game or "" for term in result.terms)
    left = f"; the filters leave out {result.left_out:,}" if result.left_out else ""
    games = f" ({_by_game(of_game)})" if len(of_game) > 1 else f" of {next(iter(of_game))}"
    end_of_result(sums=counted(len(result.terms), "term") + games + left, notices=[notice])


def _english(term: Node) -> str:
    """The first English name of a term, unless that is the name that it is listed by."""
    names = (label.text for label in term.labels if label.lang == "en")
    return next((name for name in names if name != term.label), "")


def _order(term: Node) -> tuple[str, bool, str, str]:
    """By game; Japanese names by their reading, names in Latin letters last."""
    name = name_of(term)
    latin = name < "\u2e80"  # where the scripts of East Asia begin
    return term.game or "", latin, (term.reading or name).casefold(), term.id


def _by_game(games: Mapping[str, int]) -> str:
    return ", ".join(f"{game or '?'} {number:,}" for game, number in sorted(games.items()))
