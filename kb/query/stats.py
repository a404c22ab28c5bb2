"""Counts nodes by kind, source, game and edition, edges by kind, and the rules of each rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphs.store.reader import Store
from kb.result import Result
from kb.rules.loaded_editions import LoadedEdition, loaded_editions
from kb.wording import counted


@dataclass(frozen=True, slots=True, repr=False)
class Stats(Result):
    """How many nodes and edges a knowledge base has.

    kinds, sources, games, editions: the number of nodes, by the value of that field.
    edges: the number of edges by kind, dangling edges included.
    dangling: the number of dangling edges.
    pages: the number of pages by game and source; the game is empty where none is known.
    rulebooks: how much of each edition is loaded in each language, by game, edition and language.
    documents: the same of the documents beside the rulebooks, such as tournament rules.
    """

    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    games: Mapping[str, int]
    editions: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    pages: Mapping[str, Mapping[str, int]]
    rulebooks: tuple[LoadedEdition, ...]
    documents: tuple[LoadedEdition, ...]

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


def stats(store: Store) -> Stats:
    """Return the number of nodes and edges in a knowledge base.

    Nodes without a source, game or edition are not counted by that field. Sources, games and
    editions are sorted by name.
    """

    def count_by(column: str) -> dict[str, int]:
        return dict(
            store.table(
                f"SELECT {column}, count(*) FROM node WHERE kind IS NOT NULL "
                f"AND {column} IS NOT NULL GROUP BY 1 ORDER BY 1",
                str,
                int,
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
        store.pages_by_source(),
        tuple(loaded_editions(store)),
        tuple(loaded_editions(store, documents=True)),
    )
