"""Counts nodes by kind, source, game and edition, edges and rules of books; lists the terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.termbase_rows import count_terms, sources_of
from kb.language.fold import fold, is_japanese
from kb.language.name_keys import KANA, MADE, kana_of_key
from kb.query.lookup.common_filters import Scope
from kb.result import ListResult, Result, columns, reported
from kb.rules.loaded_editions import LoadedEdition, loaded_editions
from kb.shared_wording import counted


@dataclass(frozen=True, slots=True, repr=False)
class Terms(ListResult[Node], items="terms", item="term"):
    """A list of terms.

    terms: the terms, by game and in the order of their readings (五十音順); behind them those in
        Latin letters, and those that begin with none.
    sources: the sources of the pages that give each term, by the term's id.
    games: how many terms there are of each game, whatever the filters.
    lang: the language in which they have a name, if one was asked for.
    """

    terms: tuple[Node, ...]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    games: Mapping[str, int] = field(default_factory=dict)
    lang: str | None = None

    @reported
    def left_out(self) -> int:
        """How many terms the filters leave out.

        >>> Terms((), games={"mtg": 2, "ygo": 1}).left_out
        3
        """
        return max(0, sum(self.games.values()) - len(self.terms))

    _COLUMNS = columns(
        "game label ja en reading names=labels.text sources term=id notice",
        ja=lambda _found, term: _first_name(term, "ja"),
        en=lambda _found, term: _first_name(term, "en"),
        sources=lambda found, term: found.sources.get(term.id),
    )


def _first_name(term: Node, lang: str) -> str | None:
    """Return the first name of a term in a language; None if it has none."""
    names = (label.text for label in term.labels if label.lang == lang and label.role != "reading")
    return next(names, None)


def terms(store: Store, scope: Scope) -> Terms:
    """Return the terms of the scope's game and source that have a name in its language, sorted as
    `Terms` says; those with the same reading by their ids.

    The scope's edition is ignored; what is None filters nothing. An unknown value gives no terms.
    """
    readings = store.names.exact_keys((KANA, MADE))
    found = sorted(
        store.terms(scope.game, scope.source, scope.lang),
        key=lambda term: (term.game or "", *_reading_order(term, readings), term.id),
    )
    sources = sources_of(store, (term.id for term in found))
    return Terms(tuple(found), sources, count_terms(store), scope.lang)


def _reading_order(term: Node, readings: Mapping[str, str]) -> tuple[int, str]:
    """Return what sorts a term among those of its game: by its reading, which its pages give or
    Sudachi makes; a name without one, in Latin letters, comes behind those with one, and one that
    begins with no letter last. readings: {name: the key of its sound}."""
    label = term.label or ""
    reading = fold(term.reading) if term.reading else kana_of_key(readings.get(label, ""))
    reading = reading or fold(label)
    first = next(iter(reading), "")
    return (0 if is_japanese(first) else 1 if first.isalpha() else 2), reading


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
