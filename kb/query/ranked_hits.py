"""Ranks the passages that contain some words, as hits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.query.bare_passages import RankedPassage
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
    return group_hits(store, _in_tiers(store, queries, narrow), most, forms)


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
