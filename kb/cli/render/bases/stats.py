"""Prints what a knowledge base has: pages, rulebooks, nodes and edges, for `sansho stats`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from kb.cli.render.bases.build import print_pages
from kb.cli.render.output import (
    Part,
    bold,
    counted,
    dim,
    echo,
    end_of_result,
    print_table,
)

if TYPE_CHECKING:
    from kb import LoadedEdition, Stats


def print_stats(result: Stats, notice: str) -> None:
    """Print the pages by game and source, the rules by edition and language, and the numbers of
    nodes and edges by kind.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    pages = sum(sum(sources.values()) for sources in result.pages.values())
    echo(bold("Pages"), dim(f"  {pages:,}"))
    print_pages(result.pages)
    if result.rulebooks:
        _print_editions("Rules", result.rulebooks)
    if result.documents:
        _print_editions("Documents beside the rules", result.documents)
    nodes, edges = sum(result.kinds.values()), sum(result.edges.values())
    echo()
    _print_counts(result)
    end_of_result(
        sums=f"{counted(nodes, 'node')}, {counted(edges, 'edge')}, "
        f"{result.dangling:,} of them dangling",
        notices=[notice],
    )


def _print_editions(title: str, books: Sequence[LoadedEdition]) -> None:
    """Print a table of editions with a column for each language: how many rules of it are there."""
    languages = sorted({book.lang or "" for book in books})
    rules = {(book.game, book.edition, book.lang or ""): book for book in books}
    editions = list(dict.fromkeys((book.game, book.edition) for book in books))
    rows: list[list[Part]] = []
    for game, edition in editions:
        row: list[Part] = [game or "no game", edition or "no edition"]
        for lang in languages:
            book = rules.get((game, edition, lang))
            row.append(
                dim("–") if book is None
                else f"{book.rules:,}" if book.whole
                else dim(f"part: {book.rules:,}")
            )  # fmt: skip
        rows.append(row)
    echo()
    echo(bold(title), dim("  by edition and language; “part”: not the whole edition is loaded"))
    headings = ["game", "edition", *(lang or "no language" for lang in languages)]
    print_table(headings, rows, right=range(2, len(headings)))


def _print_counts(result: Stats) -> None:
    """Print the numbers of nodes and of edges by kind, side by side, the greatest first."""
    empty = ("", "")
    columns = zip_longest(_ranked(result.kinds), _ranked(result.edges), fillvalue=empty)
    rows = [(*node, *edge) for node, edge in columns]
    print_table(("nodes", "", "edges", ""), rows, right=(1, 3))


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return (kind, number as text), the greatest number first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(kind, f"{count:,}") for kind, count in ranked]
