"""Counts nodes by kind, source, game and edition, edges by kind, and the rules of each rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store
from kb.building.page_counts import pages_by_source
from kb.query.list_result import counted


@dataclass(frozen=True, slots=True)
class RulebookSize:
    """How much of an edition of a rulebook is there, in one language.

    game, edition, lang: the edition and the language; a field is None where nothing says it.
    rules: the number of rules.
    most: the number of rules in the language in which this edition has most; or in which any
        edition of the game has most, if this one has less than half of that in every language.
    part: `whole` where the rules are at least nine tenths of `most`, else `part`.
    """

    game: str | None
    edition: str | None
    lang: str | None
    rules: int
    most: int

    @property
    def part(self) -> str:
        return "whole" if self.rules * 10 >= self.most * 9 else "part"


@dataclass(frozen=True, slots=True, repr=False)
class Stats:
    """How many nodes and edges a knowledge base has.

    kinds, sources, games, editions: the number of nodes, by the value of that field.
    edges: the number of edges by kind, dangling edges included.
    dangling: the number of dangling edges.
    pages: the number of pages by game and source; the game is empty where none is known.
    rulebooks: the number of rules by game, edition and language, in this order.
    """

    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    games: Mapping[str, int]
    editions: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    pages: Mapping[str, Mapping[str, int]]
    rulebooks: tuple[RulebookSize, ...]

    def __repr__(self) -> str:
        """Return the sums, the games and the editions, in one line."""
        pages = sum(sum(numbers.values()) for numbers in self.pages.values())
        named = (
            f"{what} {', '.join(known)}"
            for what, known in (("games", self.games), ("editions", self.editions))
            if known
        )
        nodes, edges = sum(self.kinds.values()), sum(self.edges.values())
        sums = f"{counted(nodes, 'node')}, {counted(edges, 'edge')}, {self.dangling} of them dangle"
        return f"<Stats: {'; '.join([counted(pages, 'page'), *named, sums])}>"

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho stats --json` prints: the fields of `Stats` by name; each
        of `rulebooks` is {"game", "edition", "lang", "rules", "most", "part"}."""
        document = asdict(self)
        document["rulebooks"] = [{**asdict(book), "part": book.part} for book in self.rulebooks]
        return document


def stats(store: Store) -> Stats:
    """Return the number of nodes and edges in a knowledge base.

    Nodes without a source, game or edition are not counted by that field.
    """

    def count_by(column: str) -> dict[str, int]:
        return dict(
            store.table(
                f"SELECT {column}, count(*) FROM node WHERE kind IS NOT NULL "
                f"AND {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
            )
        )

    kinds, edges, dangling = store.counts()
    return Stats(
        kinds,
        count_by("source"),
        count_by("game"),
        count_by("edition"),
        edges,
        dangling,
        pages_by_source(store),
        tuple(_rulebooks(store)),
    )


def _rulebooks(store: Store) -> list[RulebookSize]:
    """Return how much there is of each edition in each language, by game, edition and language."""
    rows = store.table(
        "SELECT game, edition, lang, count(*) FROM node WHERE kind = 'rule' "
        "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    )
    most_of_game: dict[str | None, int] = {}
    most_of_edition: dict[tuple[str | None, str | None], int] = {}
    for game, edition, _, rules in rows:
        most_of_game[game] = max(rules, most_of_game.get(game, 0))
        key = game, edition
        most_of_edition[key] = max(rules, most_of_edition.get(key, 0))
    return [
        RulebookSize(
            game,
            edition,
            lang,
            rules,
            of_edition
            if (of_edition := most_of_edition[game, edition]) * 2 >= most_of_game[game]
            else most_of_game[game],
        )
        for game, edition, lang, rules in rows
    ]
