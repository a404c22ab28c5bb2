"""Lists terms, filtered by game, source and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.termbase_rows import count_terms, sources_of
from kb.language.fold import fold, is_japanese
from kb.language.name_keys import KANA, MADE, kana_of_key
from kb.query.lookup.common_filters import Scope
from kb.result import ListResult, columns, reported


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
