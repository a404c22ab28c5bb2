"""Prints the list of terms, for `sansho terms`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb.cli.render.node_names import name_of
from kb.cli.render.output import Part, counted, dim, echo, end_of_result, print_table

if TYPE_CHECKING:
    from kb import Node, Terms


def print_terms(result: Terms, notice: str) -> None:
    """Print a table of terms with a name in Japanese (or another language), its reading, the
    English name, the game and how many sources have it, and how many there are; if there is none, a
    message on standard error. Each name stands in the column of its language; that of the language
    that was asked for comes first. They stand in the order of the result; if English was asked for,
    in that of their English names.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    if not result.terms:
        echo(f"No such terms; there are {_by_game(result.games)}.", err=True)
        return
    english_first = result.lang == "en"
    other = result.lang if not english_first else None
    rows: list[dict[str, Part]] = [
        {
            "name": _name_in(term, other),
            "reading": term.reading or "",
            "English": _english(term),
            "game": dim(term.game or ""),
            "sources": str(len(result.sources.get(term.id, ())) or 1),
        }
        for term in (sorted(result.terms, key=_english_order) if english_first else result.terms)
    ]
    columns = ["name", "reading", "English", "game", "sources"]
    if english_first:
        columns = ["English", "name", "reading", "game", "sources"]
    columns = [column for column in columns if any(row[column] for row in rows)]
    print_table(
        columns, [[row[column] for column in columns] for row in rows], right=[len(columns) - 1]
    )
    of_game = Counter(term.game or "" for term in result.terms)
    left = f"; the filters leave out {result.left_out:,}" if result.left_out else ""
    games = f" ({_by_game(of_game)})" if len(of_game) > 1 else f" of {next(iter(of_game))}"
    end_of_result(sums=counted(len(result.terms), "term") + games + left, notices=[notice])


def _is_english(term: Node) -> bool:
    """Return whether the name that a term is listed by is English and nothing else; of a name whose
    language no label says, whether the term's is."""
    languages = {label.lang for label in term.labels if label.text == term.label}
    return languages == {"en"} if languages else term.lang == "en"


def _name_in(term: Node, lang: str | None) -> str:
    """Return a term's name in a language; without one, the name that it is listed by, or else the
    first, that is not English. Empty if it has none."""
    if lang is None and not _is_english(term):
        return name_of(term)
    names = [label for label in term.labels if label.role != "reading"]
    fitting = (n.text for n in names if (n.lang == lang if lang else n.lang != "en"))
    return next(fitting, "")


def _english(term: Node) -> str:
    """Return a term's English name: that which it is listed by, or else the first; empty if it has
    none."""
    if _is_english(term):
        return name_of(term)
    return next((label.text for label in term.labels if label.lang == "en"), "")


def _english_order(term: Node) -> tuple[str, str, str]:
    return term.game or "", _english(term).casefold(), term.id


def _by_game(games: Mapping[str, int]) -> str:
    return ", ".join(f"{game or '?'} {number:,}" for game, number in sorted(games.items()))
