"""Ranks the passages that contain some words, as hits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.query.bare_passages import RankedPassage, split_bare
from kb.query.hit_groups import HitGroup, group_hits


def best_hits(
    store: Store, queries: Sequence[str], most: int, narrow: PassageFilter
) -> list[HitGroup]:
    """Return the best hits for some queries, one more than `most` if there are more; those for the
    first query come first.

    queries: full-text syntax, as `fulltext_query` returns it; nothing is found for an empty one.
    narrow: which passages count, as `passage_filter` returns it.
    """
    queries = [query for query in queries if query]
    forms = {form for query in queries for form in _query_forms(query)}
    if len(queries) == 1:
        stored = _stored_hits(store, queries[0], forms, most, narrow)
        if stored is not None:
            return stored
    return group_hits(store, _in_tiers(store, queries, narrow), most, forms)


def _stored_hits(
    store: Store, query: str, forms: Collection[str], most: int, narrow: PassageFilter
) -> list[HitGroup] | None:
    """Return what `best_hits` does for a common word, by the passages that are stored for it; None
    if the query is not such a word, or these are not enough to tell."""
    found = store.passages.best_first(query, True, narrow)
    if found is None:
        return None
    is_whole, best = found
    read: list[RankedPassage] = []
    rest = _recorded(best, read)
    hits = group_hits(store, _rounded(rest), most, forms)
    if next(rest, None):
        return hits
    unsaid = store.passages.best_first(query, False, narrow)
    if not is_whole or unsaid is None:
        return None
    is_whole, others = unsaid
    worse = list(others)
    said, bare = split_bare(store, read, forms, headings_only=False)
    if not is_whole:
        bare = [row for row in bare if worse and _rank(row) < _rank(worse[-1])]
    ranked = sorted([*(row for row, _ in said), *bare, *worse], key=_rank)
    hits = group_hits(store, _rounded(ranked), most, forms)
    return hits if is_whole or len(hits) > most else None


def _recorded(rows: Iterable[RankedPassage], read: list[RankedPassage]) -> Iterator[RankedPassage]:
    """Yield rows, and append each to a list."""
    for row in rows:
        read.append(row)
        yield row


def _rounded(rows: Iterable[RankedPassage]) -> Iterator[RankedPassage]:
    """Yield ranked passages with their scores as they are shown."""
    return ((passage, rule, round(score, 4)) for passage, rule, score in rows)


def _rank(row: RankedPassage) -> tuple[float, str]:
    """Return the sort key by which passages are ranked."""
    return -row[2], row[0]


def _in_tiers(
    store: Store, queries: Sequence[str], narrow: PassageFilter
) -> Iterator[RankedPassage]:
    """Yield the passages for some queries, each once, those for the first query first; the scores
    of the others are scaled to be no higher."""
    known: set[str] = set()
    least = float("inf")
    for query in queries:
        factor = 1.0
        for number, (passage, rule, score) in enumerate(store.passages.ranked(query, narrow)):
            if not number and score > least:
                factor = least / score
            if passage not in known:
                known.add(passage)
                least = min(least, score * factor)
                yield passage, rule, score if factor == 1.0 else round(score * factor, 4)


def _query_forms(query: str) -> set[str]:
    """Return the normal forms of the words in a full-text query of `fulltext_query`."""
    return {form for form in query.replace('"', " ").split() if form not in {"AND", "OR"}}
