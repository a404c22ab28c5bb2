"""Searches passages by the normal forms of words, in any inflection and spelling."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphs.model import Node
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.cursor import cursor_place, next_part, not_of_this_list
from kb.query.lookup.find_by_reference import find_named, resolve_edition
from kb.query.lookup.nothing_found import Suggestions, suggestions
from kb.query.lookup.passage_filters import (
    PassageFilters,
    filter_words,
    is_narrowed,
    passage_filter,
    references,
    refuse_unknown_section,
)
from kb.query.lookup.passage_places import Place, find_places
from kb.query.lookup.search_words import (
    Phrase,
    SearchWords,
    cut_before,
    cut_behind,
    find_phrases,
    parse_words,
    phrases_query,
)
from kb.query.passages.hit_groups import (
    HitGroup,
    RankedPassage,
    add_copies,
    group_hits,
    show_newest,
)
from kb.query.refs.grouped_edges import text_without_mentions
from kb.reason import Argument, LeftOut, Reason, again, take_for
from kb.result import ListResult, columns
from scraper.sites.games import game_called

_MOST_SNIPPET = 120  # characters: a line and a half of a terminal; over half of all passages fit


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
    reworded: of a rule, where other editions that are hits as well say it in other words.
    """

    node: Node
    score: float
    snippet: str
    spans: tuple[tuple[int, int], ...]
    passage: str
    place: Place
    same: tuple[Place, ...]
    reworded: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Hits(ListResult[Hit], items="hits", item="hit"):
    """What a search found, best first; without words in the order of the pages.

    total: how many passages there are in all, editions and copies counted singly; 50,000 if there
        are more.
    more: what to give as `after` for the next hits; None if there are no more.
    with_phrase: how many of all have the words as a phrase; these come first. None if the words are
        not several words of English.
    before: how many hits come before these, in the parts before this one.
    near, hints: only if there are no hits: names that are like the words, and sentences that say
        how, or what else to try.
    also: the text in which names that a filter asks for are not looked for; and only if there are
        no hits: what the filters leave out.
    """

    hits: tuple[Hit, ...]
    total: int = 0
    more: Reason | None = None
    with_phrase: int | None = None
    before: int = 0
    near: tuple[str, ...] = ()
    hints: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns(
        "game=node.game lang=node.lang number=node.number label=node.label text=snippet passage "
        "notice=node.notice"
    )


def search(
    store: Store,
    text: str = "",
    most: int = 20,
    any_word: bool = False,
    filters: PassageFilters | None = None,
    after: str | None = None,
) -> Hits:
    """Return the passages that contain some words, best first; passages that give the same rule
    in a language, in whatever edition, or have the same text are one hit. Without words, all that
    fit the filters, in page order, but for headings, which come last.

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
    in any place are returned. If there are none and a word is the name of a loaded game, that is
    taken for the filter, and kept for the answer.
    """
    filters = filters or {}
    narrow = passage_filter(store, filters)
    words = parse_words(text)
    if taken := _game_among(store, text, words, any_word, narrow):
        text, game = taken
        filters = {**filters, "game": game}
        narrow, words = passage_filter(store, filters), parse_words(text)
    queries = phrases_query(words.as_written), phrases_query(words.phrases, any_word)
    state = store.passages.version()
    question = ("search", state, *queries, str(any_word), *filter_words(filters))
    [begin] = cursor_place(after, question) or (0,)
    found = _found(store, words if text.strip() else None, begin + most, any_word, narrow, filters)
    if not found.groups:
        return _no_hits(store, text, narrow, filters)
    if begin and begin >= len(found.groups):
        raise not_of_this_list()
    groups = found.groups[begin : begin + most]
    show_newest(store, groups, narrow, found.query)
    add_copies(store, groups, narrow)
    hits = _looked_up(store, groups, found.marked, narrow)
    also = () if begin else tuple(_without_mentions(store, text, filters))
    is_cut = len(found.groups) > begin + most
    return Hits(
        tuple(hits),
        store.passages.count(found.query, narrow),
        next_part((begin + most,), question) if is_cut else None,
        found.with_phrase,
        begin,
        also=also,
    )


def _game_among(
    store: Store, text: str, words: SearchWords, any_word: bool, narrow: PassageFilter
) -> tuple[str, str] | None:
    """Return (the other words, the game) if one of several words is the name of a loaded game and
    no passage has all of them, and keep that for the answer; else None."""
    typed = text.split()
    if len(typed) < 2 or narrow.game or any_word:
        return None
    games = store.values()["game"]
    named = {word: game for word in typed if (game := game_called(word)) in games and game}
    query = phrases_query(words.single_words)
    if len(named) != 1 or store.passages.count(query, narrow, 1):
        return None
    [(word, game)] = named.items()
    take_for(Reason("game_among_words", given=word, argument=Argument("game", game)))
    return " ".join(each for each in typed if each != word), game


class _FoundGroups(NamedTuple):
    """The hits for a search.

    query: of all hits, to count them; empty without words. marked: the words that are marked.
    with_phrase: as in `Hits`.
    """

    groups: Sequence[HitGroup]
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
    """Return the first hits, one more than `most` if there are more; the rest as for `search`. If
    no passage has the phrases, those with all their words count.

    words: None if there are none; then QuestionError is raised without filters.
    """
    if words is None:
        if not is_narrowed(filters):
            raise QuestionError("nothing_to_search")
        found = (
            (passage, rule, 0.0) for passage, rule, _ in store.passages.occurrences("", narrow)
        )
        return _FoundGroups(group_hits(store, found, most, (), headings_only=True))
    phrases = words.phrases
    query = phrases_query(phrases, any_word)
    tiers = [phrases_query(words.as_written)] if words.as_written else []
    hits = best_hits(store, [*tiers, query], most, narrow)
    if not hits and not any_word:
        phrases = words.single_words
        hits = best_hits(store, [phrases_query(phrases)], most, narrow)
    with_phrase = store.passages.count(tiers[0], narrow) if hits and tiers else None
    marked = [*words.as_written, *phrases]
    total = query if phrases == words.phrases else phrases_query(phrases)
    return _FoundGroups(hits, total, marked, with_phrase)


def _no_hits(store: Store, text: str, narrow: PassageFilter, filters: PassageFilters) -> Hits:
    """Return an empty result with what to try instead; raises QuestionError if no section has the
    name that is asked for."""
    refuse_unknown_section(store, filters)
    instead: Suggestions = suggestions(store, text, narrow, filters, "search")
    also = (*_without_mentions(store, text, filters), *instead.also)
    return Hits((), near=instead.near, hints=instead.hints, also=also)


def _without_mentions(store: Store, text: str, filters: PassageFilters) -> Iterator[LeftOut]:
    """Yield the text in which the names that a filter asks for are not looked for, with the search
    that finds them as words if some passage has each; nothing without such a filter or text."""
    game, refs = filters.get("game"), references(filters, "mentions")
    edition, lang = filters.get("edition"), filters.get("lang")
    edition = resolve_edition(store, edition) if edition else None
    of_edition = {row[2] for row in store.editions() if edition == row[1]}
    nodes = [find_named(store, ref, "term", "card", scope=Scope(game=game))[0] for ref in refs]
    found = [each for node in nodes for each in text_without_mentions(store, game, node)]
    langs = [
        each
        for each in (found[0].reason.values["langs"] if found else ())
        if lang in (None, each) and (not of_edition or each in of_edition)
    ]
    if not langs:
        return
    names = [each.reason.ask.arguments["text"] for each in found if each.reason.ask]
    words = " ".join(filter(None, [text, *names]))
    query = phrases_query(parse_words(words).phrases)
    among = passage_filter(store, {**filters, "mentions": None, "lang": lang or langs[0]})
    ask = None
    if len(names) == len(refs) and store.passages.count(query, among, 1):
        ask = again(without=("mentions",), text=words, any_word=None, lang=lang or langs[0])
    code = found[0].reason.code if len(refs) == 1 else "names_in_japanese"
    yield LeftOut(None, Reason(code, ask, langs=tuple(langs)))


def _looked_up(
    store: Store, groups: Sequence[HitGroup], phrases: Sequence[Phrase], narrow: PassageFilter
) -> Iterator[Hit]:
    """Yield hits, in their order, with their nodes, snippets and places.

    phrases: the words that are marked; empty without words.
    """
    ids = [group.shown.id for group in groups]
    others = (each for group in groups for each in (*group.copies, *group.reworded))
    nodes = store.get([*ids, *(group.rule for group in groups if group.rule)])
    places = find_places(store, [*ids, *others])
    keys = {} if phrases else _reference_spans(store, narrow, ids)
    for group in groups:
        passage, text = group.shown.id, group.shown.text
        marked = keys.get(passage, ()) if keys else _word_spans(text, phrases)
        snippet, spans = _snippet(text, marked)
        same = tuple(sorted((places[copy] for copy in group.copies), key=_newest_first))
        node = nodes[group.rule or passage]
        other = tuple(sorted((places[each] for each in group.reworded), key=_newest_first))
        yield Hit(node, group.score, snippet, spans, passage, places[passage], same, other)


def _newest_first(place: Place) -> tuple[int, str]:
    """Return a sort key of places: newer editions first, those that are no date or number last,
    then by the ids of passages."""
    edition = int(place.edition) if place.edition.isdigit() else 0
    return -edition, place.passage


def _reference_spans(
    store: Store, narrow: PassageFilter, passages: Collection[str]
) -> dict[str, list[tuple[int, int]]]:
    """Return {passage: the spans of the mentions and citations in it that a filter asks for}, of
    some passages; those without any are left out."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for passage, _, _, start, end in store.passages.edge_spans(narrow) if narrow.edges else ():
        if passage in passages:
            spans.setdefault(passage, []).append((start, end))
    return spans


def _word_spans(text: str, phrases: Sequence[Phrase]) -> list[tuple[int, int]]:
    """Return the spans of some phrases in a text, in order; if it has none of them, those of their
    words, which may be none."""
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

    >>> _snippet("x" * 500, ()) == ("x" * _MOST_SNIPPET + "…", ())
    True
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


def best_hits(
    store: Store, queries: Sequence[str], most: int, narrow: PassageFilter
) -> list[HitGroup]:
    """Return the best hits for some queries, one more than `most` if there are more; those for the
    first query come first, and what says nothing last. Empty if nothing is found.

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
