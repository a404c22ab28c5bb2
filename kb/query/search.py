"""Searches passages by the normal forms of words, in any inflection and spelling."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from graphs.model import Node
from graphs.store.passage_index import PassageText
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.errors import QuestionError
from kb.language.tokens import normal_forms, tokenizer
from kb.query.list_result import ListResult
from kb.query.passage_filters import (
    PassageFilters,
    is_narrowed,
    materialized,
    passage_filter,
    refuse_unknown_section,
)
from kb.query.places import Place, find_places, without_rule_number
from kb.query.table_result import Table, table_row

_MOST_SNIPPET = 120  # characters
_CHUNK = 100  # passages that are looked at together
_MOST_COPIES = 1_000  # passages with the last hit's score among which its copies are looked for
_SENTENCE = re.compile(r"[。！？!?]|[.．](?:\s|$)")

_Ranked = tuple[str, str | None, float]  # id of a passage, id of the rule that it gives, score


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found.

    node: the rule that the passage gives, or the passage itself if it gives none.
    score: how well it matches; higher is better. Only comparable within one search.
    snippet: the part of the passage around the first of the words.
    spans: (start, end) of the words in `snippet`.
    passage: the id of the passage.
    place: where the passage stands.
    same: where else the same text stands: other editions, captures and pages.
    """

    node: Node
    score: float
    snippet: str
    spans: tuple[tuple[int, int], ...]
    passage: str
    place: Place
    same: tuple[Place, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Hits(ListResult[Hit]):
    """What a search found, best first; without words in the order of the pages.

    total: how many passages there are in all, editions and copies counted singly; 50,000 if there
        are more.
    more: how to go on, if not all hits are here; else None.
    """

    hits: tuple[Hit, ...]
    total: int = 0
    more: str | None = None

    _ITEM = "hit"

    def _items(self) -> tuple[Hit, ...]:
        return self.hits

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
        fields of `Hit`, in which `node` is as in `Node.as_json`; `total` and `more`."""
        return {
            "hits": [
                {
                    "node": hit.node.as_json(),
                    "score": hit.score,
                    "snippet": hit.snippet,
                    "spans": [list(span) for span in hit.spans],
                    "passage": hit.passage,
                    "place": hit.place.as_json(),
                    "same": [place.as_json() for place in hit.same],
                }
                for hit in self.hits
            ],
            "total": self.total,
            "more": self.more,
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
    text: str = "",
    most: int = 20,
    any_word: bool = False,
    filters: PassageFilters | None = None,
) -> Hits:
    """Return the passages that contain some words, best first; passages that give the same rule
    or have the same text are one hit. Without words, all that fit the filters, in page order.

    text: words as a person types them (see `fulltext_query`); no hits if it has no content words.
    most: at most how many hits.
    any_word: find passages with at least one of the words, not only those with all.
    filters: only passages that fit these; None for all passages.

    Passages that are only links, a heading or the words themselves come last.

    Raises QuestionError without words and filters, for an unknown kind or section, and for a
    reference that names nothing.

    If no passage contains the phrases as they are written, passages that contain all their words
    in any place are returned.
    """
    filters = materialized(filters or {})
    narrow = passage_filter(store, filters)
    if not text.strip():
        if not is_narrowed(filters):
            raise QuestionError("nothing to search for: give words, or a filter such as a section")
        found = (
            (passage, rule, 0.0) for passage, rule, _ in store.passages.occurrences("", narrow)
        )
        hits = _collect(store, found, most)
        return _as_hits(store, hits, most, "", narrow, filters)
    query = fulltext_query(text, any_word)
    hits = _best_hits(store, query, most, narrow)
    if not hits and not any_word:
        query = fulltext_query(" ".join(_split_words(text)))
        hits = _best_hits(store, query, most, narrow)
    if not query:
        return Hits(())
    return _as_hits(store, hits, most, query, narrow, filters)


@dataclass(slots=True)
class _Group:
    """Passages that are one hit: the one that is shown, its score and its copies."""

    shown: PassageText
    rule: str | None
    score: float
    copies: list[str] = field(default_factory=list)


def _best_hits(store: Store, query: str, most: int, narrow: PassageFilter) -> list[_Group]:
    """Return the best hits for a query, one more than `most` if there are more.

    query: full-text syntax, as `fulltext_query` returns it; nothing is found if it is empty.
    narrow: which passages count, as `passage_filter` returns it.
    """
    if not query:
        return []
    ranked = store.passages.ranked(query, narrow)
    return _collect(store, _bare_last(store, ranked, _query_forms(query)), most)


def _collect(store: Store, ranked: Iterable[_Ranked], most: int) -> list[_Group]:
    """Return hits in the order of ranked passages, one more than `most` if there are more.

    Of passages with the same text the newest edition's is shown, at the place of the best.
    """
    groups: list[_Group] = []
    by_rule: dict[str, _Group] = {}
    by_text: dict[tuple[str | None, ...], _Group] = {}
    last_score, copies = 0.0, 0
    for (passage, rule, score), text in _with_texts(store, ranked):
        if len(groups) > most:
            copies += 1
            if score != last_score or copies > _MOST_COPIES:
                break
        key = _comparison_key(text)
        if group := by_text.get(key):
            _add_copy(group, passage, rule, text)
        elif group := by_rule.get(rule or ""):
            pass  # another passage of the same rule
        elif len(groups) <= most:
            group = _Group(text, rule, score)
            groups.append(group)
            last_score = score
        else:
            continue
        by_text.setdefault(key, group)
        if rule:
            by_rule.setdefault(rule, group)
    return groups


def _comparison_key(text: PassageText) -> tuple[str | None, ...]:
    """Return what two passages have in common that say the same: game, language and text, without
    the number of the rule. Headings and titles say nothing, and so not the same."""
    own = text.id if text.bare and not text.number else ""
    return text.game, text.lang, without_rule_number(text.text, text.number or ""), own


def _add_copy(group: _Group, passage: str, rule: str | None, text: PassageText) -> None:
    """Add a passage with the same text to a hit; it is shown instead if its edition is newer, or
    if its id is shorter: copies of a page have longer names (`archive/…`)."""
    newness = (text.edition or "", -len(passage))
    if newness > (group.shown.edition or "", -len(group.shown.id)):
        group.copies.append(group.shown.id)
        group.shown, group.rule = text, rule
    else:
        group.copies.append(passage)


def _with_texts(store: Store, ranked: Iterable[_Ranked]) -> Iterator[tuple[_Ranked, PassageText]]:
    """Yield each ranked passage with its text; texts are looked up in chunks."""
    rows = iter(ranked)
    while chunk := list(islice(rows, _CHUNK)):
        texts = store.passages.texts(row[0] for row in chunk)
        yield from ((row, texts[row[0]]) for row in chunk)


def _bare_last(
    store: Store, ranked: Iterable[_Ranked], forms: Collection[str]
) -> Iterator[_Ranked]:
    """Yield ranked passages, first those that say something and then those that do not, each in
    the given order; the scores of the latter are scaled to be no higher than those of the former.
    Only as many are read as are taken.

    What says nothing: the title of a page, a heading, the words that are searched for and nothing
    else, and a line of links or names alone, as in a menu.

    forms: the normal forms of the words that are searched for.
    """
    bare: list[_Ranked] = []
    least = 0.0
    rows = iter(ranked)
    while chunk := list(islice(rows, _CHUNK)):
        texts = store.passages.texts(row[0] for row in chunk)
        short = [text.id for text in texts.values() if not _SENTENCE.search(text.text)]
        spans = store.passages.reference_spans(short)
        for row in chunk:
            if _is_bare(texts[row[0]], forms, spans):
                bare.append(row)
            else:
                least = row[2]
                yield row
    best = bare[0][2] if bare else 0.0
    for passage, rule, score in bare:
        scaled = round(least * score / best, 4) if least < best else score
        yield passage, rule, scaled


def _is_bare(
    text: PassageText,
    forms: Collection[str],
    spans: Mapping[str, list[tuple[int, int]]],
) -> bool:
    """Return whether a passage says nothing about some words.

    forms: their normal forms. spans: of links and names in passages without a sentence, by id.
    """
    if text.bare or set(filter(_is_searchable, text.words.split())) <= set(forms):
        return True
    position, outside = 0, ""
    for start, end in spans.get(text.id, ()):
        outside += text.text[position:start]
        position = max(position, end)
    return position > 0 and not _is_searchable(outside + text.text[position:])


def _as_hits(
    store: Store,
    groups: list[_Group],
    most: int,
    query: str,
    narrow: PassageFilter,
    filters: PassageFilters,
) -> Hits:
    """Return hits with their nodes, snippets and places looked up; the sum of all, and how to go
    on if there are more than `most`.

    Raises QuestionError if there are none because no section has the name that is asked for.
    """
    if not groups:
        refuse_unknown_section(store, filters)
    cut = len(groups) > most
    groups = groups[:most]
    forms = _query_forms(query)
    ids = [group.shown.id for group in groups]
    nodes = store.get([*ids, *(group.rule for group in groups if group.rule)])
    places = find_places(store, [*ids, *(copy for group in groups for copy in group.copies)])
    keys = {} if query else _reference_spans(store, narrow, ids)
    hits = []
    for group in groups:
        passage, text = group.shown.id, group.shown.text
        snippet, spans = _snippet(text, keys.get(passage, ()) if keys else _word_spans(text, forms))
        same = tuple(sorted((places[copy] for copy in group.copies), key=_newest_first))
        node = nodes[group.rule or passage]
        hits.append(Hit(node, group.score, snippet, spans, passage, places[passage], same))
    return Hits(
        tuple(hits), store.passages.count(query, narrow), f"--max {4 * most}" if cut else None
    )


def _newest_first(place: Place) -> tuple[int, str]:
    """Return a sort key of places: newer editions first, then by the ids of passages."""
    edition = int(place.edition) if place.edition.isdigit() else 0
    return -edition, place.passage


def _query_forms(query: str) -> set[str]:
    """Return the normal forms of the words in a full-text query of `fulltext_query`."""
    return {form for form in query.replace('"', " ").split() if form not in {"AND", "OR"}}


def _split_words(text: str) -> list[str]:
    """Return the single words of a text as they are written, without particles."""
    return [text[start:end] for _, start, end in normal_forms(tokenizer()(text))]


def _reference_spans(
    store: Store, narrow: PassageFilter, passages: Collection[str]
) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of the mentions and citations that a filter asks for, in some passages."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for passage, _, _, start, end in store.passages.edge_spans(narrow) if narrow.edges else ():
        if passage in passages:
            spans.setdefault(passage, []).append((start, end))
    return spans


def _word_spans(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return the spans of some words, given by their normal forms, in a text."""
    words = normal_forms(tokenizer()(text)) if wanted else []
    return [(start, end) for form, start, end in words if form in wanted]


def _snippet(
    text: str, places: Sequence[tuple[int, int]]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the part of a text around the first of some spans, with … where it is cut, and all
    spans that are in it.

    places: (start, end) in the text, in order.

    The spans are (start, end) in the returned snippet, … included. If there are none, the snippet
    is the text's beginning.
    """
    first = max(0, places[0][0] - _MOST_SNIPPET // 3) if places and len(text) > _MOST_SNIPPET else 0
    last = min(len(text), first + _MOST_SNIPPET)
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    shift = len(head) - first
    spans = tuple(
        (start + shift, end + shift) for start, end in places if first <= start and end <= last
    )
    return f"{head}{text[first:last]}{tail}", spans
