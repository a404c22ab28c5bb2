"""Searches passages by the normal forms of words, in any inflection and spelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.language.tokens import normal_forms, tokenizer
from kb.query.passage_filters import PassageFilters, passage_filter
from kb.query.table_result import Table, TableResult, table_row

_MOST_SNIPPET = 120  # characters


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found.

    node: the rule that the passage gives, or the passage itself if it gives none.
    score: how well it matches; higher is better. Only comparable within one search.
    snippet: the part of the passage around the first of the words.
    spans: (start, end) of the words in `snippet`.
    passage: the id of the passage.
    """

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
        """Return a table with a row per hit and its snippet.

        The columns are `game`, `lang`, `number`, `label`, `text` (the snippet), `passage` (as in
        `Hit`) and `notice`; the score and the spans are left out.
        """
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
        """Return the object that `sansho search --json` prints: `hits`, a list of dicts with the
        fields of `Hit`, in which `node` is as in `Node.as_json`."""
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


def fulltext_query(text: str, any_word: bool = False) -> str:
    """Return the full-text query for words as a person types them; empty if there are none.

    Words written together are a phrase, in which particles do not count. Phrases separated by
    spaces must all occur; with `any_word` at least one word must.

    >>> fulltext_query("カードを引かれた")
    '"カード 引く"'
    >>> fulltext_query("カード 引かれた"), fulltext_query("カードを引かれた", any_word=True)
    ('"カード" AND "引く"', '"カード" OR "引く"')
    """
    parts = (normal_forms(tokenizer()(part)) for part in text.split())
    phrases = dict.fromkeys(  # each once: a word that is repeated slows the index down
        tuple(form.replace('"', " ") for form, _, _ in forms if _is_searchable(form))
        for forms in parts
    )
    phrases.pop((), None)
    if any_word:
        forms = dict.fromkeys(form for phrase in phrases for form in phrase)
        return " OR ".join(f'"{form}"' for form in forms)
    return " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases)


def _is_searchable(form: str) -> bool:
    return any(char.isalnum() for char in form)


def search(
    store: Store,
    text: str,
    most: int = 20,
    any_word: bool = False,
    filters: PassageFilters | None = None,
) -> Hits:
    """Return the passages that contain some words, best first; passages that give the same rule
    are one hit.

    text: words as a person types them (see `fulltext_query`); no hits if it has no content words.
    most: at most how many hits.
    any_word: find passages with at least one of the words, not only those with all.
    filters: only passages that fit these; None for all passages.

    Raises QuestionError for a filter with an unknown kind or a reference that names nothing.

    If no passage contains the phrases as they are written, passages that contain all their words
    in any place are returned.
    """
    narrow = passage_filter(store, filters or {})
    query = fulltext_query(text, any_word)
    best = _best_passages(store, query, most, narrow)
    if not best and not any_word:
        query = fulltext_query(" ".join(_split_words(text)))
        best = _best_passages(store, query, most, narrow)
    wanted = {form for form in query.replace('"', " ").split() if form not in {"AND", "OR"}}
    nodes = store.get([*best, *(passage for passage, _ in best.values())])
    hits = []
    for node_id, (passage, score) in best.items():
        snippet, spans = _snippet(nodes[passage].text or "", wanted)
        hits.append(Hit(nodes[node_id], score, snippet, spans, passage))
    return Hits(tuple(hits))


def _best_passages(
    store: Store, query: str, most: int, narrow: PassageFilter
) -> dict[str, tuple[str, float]]:
    """Return {id of a rule, or of a passage that gives none: (id of its best passage, score)},
    best first, `most` at most.

    query: full-text syntax, as `fulltext_query` returns it; nothing is found if it is empty.
    narrow: which passages count, as `passage_filter` returns it.
    """
    best: dict[str, tuple[str, float]] = {}
    for passage, rule, score in store.passages.ranked(query, narrow) if query else ():
        if len(best) == most:
            break
        best.setdefault(rule or passage, (passage, score))
    return best


def _split_words(text: str) -> list[str]:
    """Return the single words of a text as they are written, without particles."""
    return [text[start:end] for _, start, end in normal_forms(tokenizer()(text))]


def _snippet(text: str, wanted: set[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the part of a text around the first of some words, with … where it is cut, and the
    spans of all these words in it.

    wanted: the normal forms of the words.

    The spans are (start, end) in the returned snippet, … included. If none of the words is in the
    text, the snippet is its beginning and there are no spans.
    """
    places = [
        (start, end) for form, start, end in normal_forms(tokenizer()(text)) if form in wanted
    ]
    first = max(0, places[0][0] - _MOST_SNIPPET // 3) if places and len(text) > _MOST_SNIPPET else 0
    last = min(len(text), first + _MOST_SNIPPET)
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    shift = len(head) - first
    spans = tuple(
        (start + shift, end + shift) for start, end in places if first <= start and end <= last
    )
    return f"{head}{text[first:last]}{tail}", spans
