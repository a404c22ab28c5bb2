"""Searches passages by the normal forms of words, in any inflection and spelling."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, NamedTuple

from graphs.model import Node
from graphs.store.passage_index import PassageText
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.language.typography import fold_typography
from kb.query.cursor import cursor, cursor_place, not_of_this_list
from kb.query.left_out import LeftOut, left_out_as_json
from kb.query.list_result import ListResult
from kb.query.nothing_found import Suggestions, suggestions
from kb.query.passage_filters import (
    PassageFilters,
    filter_words,
    is_narrowed,
    materialized,
    passage_filter,
    refuse_unknown_section,
)
from kb.query.places import Place, comparable_text, find_places, without_rule_number
from kb.query.search_words import (
    Phrase,
    SearchWords,
    find_phrases,
    is_searchable,
    parse_words,
    phrases_query,
)
from kb.query.table_result import Table, table_row
from kb.query.word_boundaries import cut_before, cut_behind

_MOST_SNIPPET = 120  # characters
_LONGEST_NAME = 60  # characters of a text that may be a name alone
_CHUNK = 30  # passages that are looked at together
_MOST_COPIES = 1_000  # passages with the last hit's score among which copies are looked for
_SENTENCE = re.compile(r"[。！？!?]|[.．](?:\s|$)")

_CHUNK_OF_COPIES = 500
_END, _LONGEST_END = 12, 40  # characters by which texts are told apart, folded and not

_Ranked = tuple[str, str | None, float]  # id of a passage, id of the rule that it gives, score
_Found = tuple[_Ranked, PassageText]


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
    more: what to give as `after` for the next hits; None if there are no more.
    with_phrase: how many of all have the words as a phrase; these come first. None if the words are
        not several words of English.
    before: how many hits come before these, in the parts before this one.
    near, hints: only if there are no hits: names that are like the words, and sentences that say
        how, or what else to try.
    also: only if there are no hits: what the filters leave out.
    """

    hits: tuple[Hit, ...]
    total: int = 0
    more: str | None = None
    with_phrase: int | None = None
    before: int = 0
    near: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    also: tuple[LeftOut, ...] = ()

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
        fields of `Hit`, in which `node` is as in `Node.as_json`; and the other fields."""
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
            "with_phrase": self.with_phrase,
            "before": self.before,
            "near": list(self.near),
            "hints": list(self.hints),
            "also": left_out_as_json(self.also),
        }


def fulltext_query(text: str, any_word: bool = False) -> str:
    """Return the full-text query for words as a person types them; empty if there are none.

    Words written together are a phrase, in which particles do not count, and so are words in
    quotation marks. Phrases separated by spaces must all occur; with `any_word` at least one word
    must. Function words of English are left out, unless there are no others.

    >>> fulltext_query("カードを引かれた"), fulltext_query("draw a card")
    ('"カード 引く"', '"draw" AND "card"')
    >>> fulltext_query("カード 引かれた"), fulltext_query("カードを引かれた", any_word=True)
    ('"カード" AND "引く"', '"カード" OR "引く"')
    """
    return phrases_query(parse_words(text).phrases, any_word)


def search(
    store: Store,
    text: str = "",
    most: int = 20,
    any_word: bool = False,
    filters: PassageFilters | None = None,
    after: str | None = None,
) -> Hits:
    """Return the passages that contain some words, best first; passages that give the same rule
    or have the same text are one hit. Without words, all that fit the filters, in page order, but
    for headings, which come last.

    text: words as a person types them (see `fulltext_query`); no hits if it has no content words.
        Of several words of English, the passages with the phrase come first.
    most: at most how many hits.
    any_word: find passages with at least one of the words, not only those with all.
    filters: only passages that fit these; None for all passages.
    after: `more` of the part before this one; None for the first part.

    Passages that are only links, a heading or the words themselves come last.

    Raises QuestionError without words and filters, for an unknown kind or section, for a
    reference that names nothing, and if `after` is of another question.

    If no passage contains the phrases as they are written, passages that contain all their words
    in any place are returned.
    """
    filters = materialized(filters or {})
    narrow = passage_filter(store, filters)
    words = parse_words(text)
    queries = phrases_query(words.as_written), phrases_query(words.phrases, any_word)
    state = store.passages.version()
    question = ("search", state, *queries, str(any_word), *filter_words(filters))
    [begin] = cursor_place(after, question) or (0,)
    found = _found(store, words if text.strip() else None, begin + most, any_word, narrow, filters)
    if not found.groups:
        return _no_hits(store, text, narrow, filters)
    if begin and begin >= len(found.groups):
        raise not_of_this_list()
    hits = _looked_up(store, found.groups[begin : begin + most], found.marked, narrow)
    is_cut = len(found.groups) > begin + most
    return Hits(
        tuple(hits),
        store.passages.count(found.query, narrow),
        cursor((begin + most,), question) if is_cut else None,
        found.with_phrase,
        begin,
    )


class _FoundGroups(NamedTuple):
    """The hits for a search.

    query: of all hits, to count them; empty without words. marked: the words that are marked.
    with_phrase: as in `Hits`.
    """

    groups: Sequence[_Group]
    query: str = ""
    marked: Sequence[Phrase] = ()
    with_phrase: int | None = None


def _found(
    store: Store,
    words: SearchWords | None,
    most: int,
    any_word: bool,
    narrow: PassageFilter,
    filters: PassageFilters,
) -> _FoundGroups:
    """Return the first hits, one more than `most` if there are more; the rest as for `search`.

    words: None if there are none.
    """
    if words is None:
        if not is_narrowed(filters):
            raise QuestionError("nothing to search for: give words, or a filter such as a section")
        found = (
            (passage, rule, 0.0) for passage, rule, _ in store.passages.occurrences("", narrow)
        )
        return _FoundGroups(_collect(store, found, most, (), headings_only=True))
    phrases = words.phrases
    query = phrases_query(phrases, any_word)
    tiers = [phrases_query(words.as_written)] if words.as_written else []
    hits = _best_hits(store, [*tiers, query], most, narrow)
    if not hits and not any_word:
        phrases = words.single_words
        hits = _best_hits(store, [phrases_query(phrases)], most, narrow)
    with_phrase = store.passages.count(tiers[0], narrow) if hits and tiers else None
    marked = [*words.as_written, *phrases]
    total = query if phrases == words.phrases else phrases_query(phrases)
    return _FoundGroups(hits, total, marked, with_phrase)


def _no_hits(store: Store, text: str, narrow: PassageFilter, filters: PassageFilters) -> Hits:
    """Return an empty result with what to try instead; raises QuestionError if no section has the
    name that is asked for."""
    refuse_unknown_section(store, filters)
    instead: Suggestions = suggestions(store, text, narrow, filters, "search")
    return Hits((), near=instead.near, hints=instead.hints, also=instead.also)


@dataclass(slots=True)
class _Group:
    """Passages that are one hit: the one that is shown, its score and its copies."""

    shown: PassageText
    rule: str | None
    score: float
    copies: list[str] = field(default_factory=list)


def _best_hits(
    store: Store, queries: Sequence[str], most: int, narrow: PassageFilter
) -> list[_Group]:
    """Return the best hits for some queries, one more than `most` if there are more; those for the
    first query come first.

    queries: full-text syntax, as `fulltext_query` returns it; nothing is found for an empty one.
    narrow: which passages count, as `passage_filter` returns it.
    """
    queries = [query for query in queries if query]
    forms = {form for query in queries for form in _query_forms(query)}
    if len(queries) == len(forms) == 1:
        stored = _stored_hits(store, min(forms), most, narrow)
        if stored is not None:
            return stored
    return _collect(store, _in_tiers(store, queries, narrow), most, forms)


def _stored_hits(store: Store, form: str, most: int, narrow: PassageFilter) -> list[_Group] | None:
    """Return what `_best_hits` does for a common word, by the passages that are stored for it; None
    if these are not enough to tell."""
    found = store.passages.best_first(form, True, narrow)
    if found is None:
        return None
    is_whole, best = found
    read: list[_Ranked] = []
    rest = _recorded(best, read)
    hits = _collect(store, _rounded(rest), most, {form})
    if next(rest, None):
        return hits
    unsaid = store.passages.best_first(form, False, narrow)
    if not is_whole or unsaid is None:
        return None
    is_whole, others = unsaid
    worse = list(others)
    said, bare = _split_bare(store, read, {form}, headings_only=False)
    if not is_whole:
        bare = [row for row in bare if worse and _rank(row) < _rank(worse[-1])]
    ranked = sorted([*(row for row, _ in said), *bare, *worse], key=_rank)
    hits = _collect(store, _rounded(ranked), most, {form})
    return hits if is_whole or len(hits) > most else None


def _recorded(rows: Iterable[_Ranked], read: list[_Ranked]) -> Iterator[_Ranked]:
    """Yield rows, and append each to a list."""
    for row in rows:
        read.append(row)
        yield row


def _rounded(rows: Iterable[_Ranked]) -> Iterator[_Ranked]:
    """Yield ranked passages with their scores as they are shown."""
    return ((passage, rule, round(score, 4)) for passage, rule, score in rows)


def _rank(row: _Ranked) -> tuple[float, str]:
    """Return the sort key by which passages are ranked."""
    return -row[2], row[0]


def _in_tiers(store: Store, queries: Sequence[str], narrow: PassageFilter) -> Iterator[_Ranked]:
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


def _collect(
    store: Store,
    ranked: Iterable[_Ranked],
    most: int,
    forms: Collection[str],
    headings_only: bool = False,
) -> list[_Group]:
    """Return hits in the order of ranked passages, those that say nothing last (`_bare_last`); one
    more than `most` if there are more.

    Of passages with the same text the newest edition's is shown, at the place of the best.
    """
    rows = iter(ranked)
    hits = _Grouped()
    for chunk in _bare_last(store, rows, forms, headings_only):
        for row, text in chunk:
            if len(hits.groups) > most and row[2] != hits.groups[-1].score:
                return hits.groups
            hits.add(row, text, only_copies=len(hits.groups) > most)
        if len(hits.groups) > most:
            break
    # Copies of these hits have their score, as have very many others: only what ends alike is read.
    score = hits.groups[-1].score if hits.groups else None
    rest = islice(takewhile(lambda row: row[2] == score, rows), _MOST_COPIES)
    while alike := list(islice(rest, _CHUNK_OF_COPIES)):
        ends = store.passages.plain_texts(row[0] for row in alike)
        copies = [row for row in alike if hits.may_have(row, ends[row[0]])]
        for row, text in _split_bare(store, copies, forms, headings_only)[0]:
            hits.add(row, text, only_copies=True)
    return hits.groups


class _Grouped:
    """Hits in the order of the best passage of each. What is one hit depends on passages of its own
    score alone, and so not on how many are read.

    groups: the hits so far.
    """

    def __init__(self) -> None:
        self.groups: list[_Group] = []
        self._by_rule: dict[str, _Group] = {}
        self._by_text: dict[tuple[str | None, ...], _Group] = {}
        self._ends: set[str] = set()
        self._texts: set[str | None] = set()

    def add(self, row: _Ranked, text: PassageText, only_copies: bool) -> None:
        """Add a passage to the hit that it is a copy of, or as a new hit; leave it out if it is
        another passage of a rule that is one.

        only_copies: add no new hit.
        """
        passage, rule, score = row
        key = _comparison_key(text)
        group = self._by_text.get(key)
        if group and group.score == score:
            _add_copy(group, passage, rule, text)
        elif group or only_copies or (rule and rule in self._by_rule):
            return
        else:
            group = self._by_text[key] = _Group(text, rule, score)
            self.groups.append(group)
            self._ends.add(_end(text.text))
            self._texts.add(key[2])
        if rule:
            self._by_rule.setdefault(rule, group)

    def may_have(self, row: _Ranked, text: str) -> bool:
        """Return whether a passage may be a copy of a hit that is there already."""
        # Of a rule's text the number does not count, which is not known here.
        return _end(text) in self._ends and bool(row[1] or comparable_text(text, "") in self._texts)


def _end(text: str) -> str:
    """Return the end of a text, the same of texts with the same `comparable_text`."""
    return fold_typography(text.rstrip()[-_LONGEST_END:])[-_END:]


def _comparison_key(text: PassageText) -> tuple[str | None, ...]:
    """Return what two passages have in common that say the same: game, language and text, without
    the number of the rule and differences of typography. Headings and titles say nothing, and so
    not the same."""
    own = text.id if text.bare and not text.number else ""
    return text.game, text.lang, comparable_text(text.text, text.number or ""), own


def _add_copy(group: _Group, passage: str, rule: str | None, text: PassageText) -> None:
    """Add a passage with the same text to a hit; it is shown instead if its edition is newer, or
    if its id is shorter: copies of a page have longer names (`archive/…`)."""
    newness = (text.edition or "", -len(passage))
    if newness > (group.shown.edition or "", -len(group.shown.id)):
        group.copies.append(group.shown.id)
        group.shown, group.rule = text, rule
    else:
        group.copies.append(passage)


def _bare_last(
    store: Store,
    ranked: Iterable[_Ranked],
    forms: Collection[str],
    headings_only: bool = False,
) -> Iterator[list[_Found]]:
    """Yield ranked passages in chunks, first those that say something and then those that do not,
    each in the given order; the scores of the latter are scaled to be no higher than those of the
    former. Only as many are read as are taken.

    forms: the normal forms of the words that are searched for.
    headings_only: only titles and headings come last.
    """
    bare: list[_Ranked] = []
    least = 0.0
    rows = iter(ranked)
    while chunk := list(islice(rows, _CHUNK)):
        said, unsaid = _split_bare(store, chunk, forms, headings_only)
        bare += unsaid
        if said:
            least = said[-1][0][2]
            yield said
    best = bare[0][2] if bare else 0.0
    for start in range(0, len(bare), _CHUNK):
        scaled = [
            (passage, rule, round(least * score / best, 4) if least < best else score)
            for passage, rule, score in bare[start : start + _CHUNK]
        ]
        texts = store.passages.texts(row[0] for row in scaled)
        yield [(row, texts[row[0]]) for row in scaled]


def _split_bare(
    store: Store, rows: Sequence[_Ranked], forms: Collection[str], headings_only: bool
) -> tuple[list[_Found], list[_Ranked]]:
    """Return those of some passages that say something, with their texts, and those that do not.

    What says nothing: the title of a page, a heading, a name, the words that are searched for and
    nothing else, and a line of links or names alone, as in a menu.

    forms, headings_only: as for `_bare_last`.
    """
    texts = store.passages.texts(row[0] for row in rows)
    short = [text.id for text in texts.values() if not _SENTENCE.search(text.text)]
    spans = {} if headings_only else store.passages.reference_spans(short)
    names = set() if headings_only else _names_alone(store, [texts[key] for key in short])
    said, bare = [], []
    for row in rows:
        text = texts[row[0]]
        if text.bare or (not headings_only and _is_bare(text, forms, spans, names)):
            bare.append(row)
        else:
            said.append((row, text))
    return said, bare


def _names_alone(store: Store, texts: Sequence[PassageText]) -> set[str]:
    """Return the ids of those passages that are a name and nothing else, but for a rule's number:
    the headword of a glossary, or the heading of a part of the rules."""
    folded = {text.id: fold(without_rule_number(text.text, text.number or "")) for text in texts}
    short = {key: name for key, name in folded.items() if 0 < len(name) <= _LONGEST_NAME}
    known = {name for name, _ in store.find_by_names(sorted(set(short.values())))}
    return {key for key, name in short.items() if name in known}


def _is_bare(
    text: PassageText,
    forms: Collection[str],
    spans: Mapping[str, list[tuple[int, int]]],
    names: Collection[str],
) -> bool:
    """Return whether a passage says nothing about some words.

    forms: their normal forms. spans: of links and names in passages without a sentence, by id.
    names: the ids of passages that are a name alone.
    """
    if text.id in names or set(filter(is_searchable, text.words.split())) <= set(forms):
        return True
    position, outside = 0, ""
    for start, end in spans.get(text.id, ()):
        outside += text.text[position:start]
        position = max(position, end)
    return position > 0 and not is_searchable(outside + text.text[position:])


def _looked_up(
    store: Store, groups: Sequence[_Group], phrases: Sequence[Phrase], narrow: PassageFilter
) -> Iterator[Hit]:
    """Yield hits with their nodes, snippets and places.

    phrases: the words that are marked; empty without words.
    """
    ids = [group.shown.id for group in groups]
    nodes = store.get([*ids, *(group.rule for group in groups if group.rule)])
    places = find_places(store, [*ids, *(copy for group in groups for copy in group.copies)])
    keys = {} if phrases else _reference_spans(store, narrow, ids)
    for group in groups:
        passage, text = group.shown.id, group.shown.text
        marked = keys.get(passage, ()) if keys else _word_spans(text, phrases)
        snippet, spans = _snippet(text, marked)
        same = tuple(sorted((places[copy] for copy in group.copies), key=_newest_first))
        node = nodes[group.rule or passage]
        yield Hit(node, group.score, snippet, spans, passage, places[passage], same)


def _newest_first(place: Place) -> tuple[int, str]:
    """Return a sort key of places: newer editions first, then by the ids of passages."""
    edition = int(place.edition) if place.edition.isdigit() else 0
    return -edition, place.passage


def _query_forms(query: str) -> set[str]:
    """Return the normal forms of the words in a full-text query of `fulltext_query`."""
    return {form for form in query.replace('"', " ").split() if form not in {"AND", "OR"}}


def _reference_spans(
    store: Store, narrow: PassageFilter, passages: Collection[str]
) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of the mentions and citations that a filter asks for, in some passages."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for passage, _, _, start, end in store.passages.edge_spans(narrow) if narrow.edges else ():
        if passage in passages:
            spans.setdefault(passage, []).append((start, end))
    return spans


def _word_spans(text: str, phrases: Sequence[Phrase]) -> list[tuple[int, int]]:
    """Return the spans of some phrases in a text; if it has none of them, those of their words."""
    spans = list(find_phrases(text, phrases))
    if not spans:
        spans = list(find_phrases(text, [(form,) for phrase in phrases for form in phrase]))
    return spans


def _snippet(
    text: str, places: Sequence[tuple[int, int]]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the part of a text around the first of some spans, with … where it is cut, and all
    spans that are in it. It is not cut inside a number or a word.

    places: (start, end) in the text, in order.

    The spans are (start, end) in the returned snippet, … included. If there are none, the snippet
    is the text's beginning.
    """
    first, last = 0, len(text)
    if len(text) > _MOST_SNIPPET:
        start, end = places[0] if places else (0, 0)
        first = cut_behind(text, max(0, start - _MOST_SNIPPET // 3), start)
        last = min(len(text), first + _MOST_SNIPPET)
        last = cut_before(text, last, min(last, end))
        last = last if last > first else min(len(text), first + _MOST_SNIPPET)
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    shift = len(head) - first
    spans = tuple(
        (start + shift, end + shift) for start, end in places if first <= start and end <= last
    )
    return f"{head}{text[first:last]}{tail}", spans
