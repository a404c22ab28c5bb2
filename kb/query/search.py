"""Search over the normal forms of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphs.model import Node
from graphs.store.passage_filter import PassageFilter
from graphs.store.reader import Store
from kb.language.tokens import normal_forms, tokenizer
from kb.query.passage_filters import PassageFilters, passage_filter
from kb.query.table_result import Table, TableResult, table_row

_SNIPPET = 120


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, or the rule that it gives. `spans` are places in `snippet`;
    a higher `score` is better, and only compares within one search."""

    node: Node
    score: float
    snippet: str
    spans: tuple[tuple[int, int], ...]
    passage: str


@dataclass(frozen=True, slots=True)
class Hits(TableResult):
    """What a search found, best first."""

    hits: tuple[Hit, ...]

    def table(self) -> Table:
        """A row a passage, with the stretch of it in which the words stand."""
        return Table(
            tuple(
                table_row(
                    game=hit.node.game,
                    lang=hit.node.lang,
                    number=hit.node.number,
                    label=hit.node.label,
                    text=hit.snippet,
                    passage=hit.passage,
                    notice=hit.node.notice,
                )
                for hit in self.hits
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho search --json` prints it."""
        return {
            "hits": [
                {
                    "node": hit.node.as_json(),
                    "score": hit.score,
                    "snippet": hit.snippet,
                    "spans": [list(span) for span in hit.spans],
                    "passage": hit.passage,
                }
                for hit in self.hits
            ]
        }


def query_of(text: str, any_word: bool = False) -> str:
    """The full-text query for words as a person types them.

    What stands together is a phrase (of the words that mean something); what is set apart by
    spaces must all be there, or, with `any_word`, any word may.

    >>> query_of("カードを引かれた")
    '"カード 引く"'
    """
    found = (normal_forms(tokenizer()(part)) for part in text.split())
    phrases = dict.fromkeys(  # each once: the index takes long over a word said often
        tuple(form.replace('"', " ") for form, _, _ in forms if _searchable(form))
        for forms in found
    )
    phrases.pop((), None)
    if any_word:
        forms = dict.fromkeys(form for phrase in phrases for form in phrase)
        return " OR ".join(f'"{form}"' for form in forms)
    return " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases)


def _searchable(form: str) -> bool:
    return any(char.isalnum() for char in form)


def search(
    store: Store,
    text: str,
    most: int = 20,
    any_word: bool = False,
    filters: PassageFilters | None = None,
) -> Hits:
    """The passages that hold the words, best first; a passage that gives a rule is the rule.

    Where no passage has them as they stand together, those that have them all anywhere.
    """
    narrow = passage_filter(store, filters or {})
    query = query_of(text, any_word)
    best = _best(store, query, most, narrow)
    if not best and not any_word:
        query = query_of(" ".join(_parts(text)))
        best = _best(store, query, most, narrow)
    wanted = {form for form in query.replace('"', " ").split() if form not in {"AND", "OR"}}
    nodes = store.get([*best, *(passage for passage, _ in best.values())])
    hits = []
    for node_id, (passage, score) in best.items():
        snippet, spans = _snippet(nodes[passage].text or "", wanted)
        hits.append(Hit(nodes[node_id], score, snippet, spans, passage))
    return Hits(tuple(hits))


def _best(
    store: Store, query: str, most: int, narrow: PassageFilter
) -> dict[str, tuple[str, float]]:
    """The nodes whose passages match best, each once, with its best passage and that one's
    score."""
    best: dict[str, tuple[str, float]] = {}
    for passage, rule, score in store.passages.ranked(query, narrow) if query else ():
        if len(best) == most:
            break
        best.setdefault(rule or passage, (passage, score))
    return best


def _parts(text: str) -> list[str]:
    """The single words of a text, as they stand in it."""
    return [text[start:end] for _, start, end in normal_forms(tokenizer()(text))]


def _snippet(text: str, wanted: set[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The stretch of a passage around the words found, and filters in it they are."""
    places = [(a, b) for form, a, b in normal_forms(tokenizer()(text)) if form in wanted]
    start = max(0, places[0][0] - _SNIPPET // 3) if places and len(text) > _SNIPPET else 0
    end = min(len(text), start + _SNIPPET)
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    shift = len(head) - start
    spans = tuple((a + shift, b + shift) for a, b in places if start <= a and b <= end)
    return f"{head}{text[start:end]}{tail}", spans
