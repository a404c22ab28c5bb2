"""Searches passages by the normal forms of words, in any inflection and spelling."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, takewhile
from typing import NamedTuple

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassageFilter, PassageText
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_of, versions_of
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.language.typography import fold_typography
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
from kb.query.lookup.passage_places import Place, comparable_text, find_places, without_rule_number
from kb.query.lookup.search_words import (
    Phrase,
    SearchWords,
    cut_before,
    cut_behind,
    find_phrases,
    is_searchable,
    parse_words,
    phrases_query,
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
    words = {word for query in queries for word in query.replace('"', " ").split()}
    forms = words - {"AND", "OR"}
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


# Passages with the last hit's score among which copies are looked for: a guard, as without words
# all passages have one score. Copies beyond are hits of the next part.
_MOST_COPIES = 1_000
_COPIES_CHUNK = 500  # of them that are looked at together, in one query each
# Characters by which texts are told apart, folded and not: folding may drop and join some, so more
# are taken before it than are left. What ends alike is then compared as a whole.
_END, _LONGEST_END = 12, 40
RankedPassage = tuple[str, str | None, float]  # its id, the id of the rule that it gives, its score
ReadPassage = tuple[RankedPassage, PassageText]
_LONGEST_NAME = 60  # characters of a text that may be a name alone; 95 of 100 names have up to 26
_CHUNK = 30  # passages that are looked at together: by hand, some more than the 20 hits of a part
_SENTENCE = re.compile(r"[。！？!?]|[.．](?:\s|$)")  # how one ends; the full stop of 121.4 is none


def bare_last(
    store: Store,
    ranked: Iterable[RankedPassage],
    forms: Collection[str],
    headings_only: bool = False,
) -> Iterator[list[ReadPassage]]:
    """Yield ranked passages in chunks, first those that say something and then those that do not,
    each in the given order; the scores of the latter are scaled to be no higher than those of the
    former. Only as many are read as are taken.

    forms: the normal forms of the words that are searched for.
    headings_only: only titles and headings come last.
    """
    bare: list[RankedPassage] = []
    least = 0.0
    rows = iter(ranked)
    while chunk := list(islice(rows, _CHUNK)):
        said, unsaid = split_bare(store, chunk, forms, headings_only)
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


def split_bare(
    store: Store, rows: Sequence[RankedPassage], forms: Collection[str], headings_only: bool
) -> tuple[list[ReadPassage], list[RankedPassage]]:
    """Return those of some passages that say something, with their texts, and those that do not,
    both in the given order.

    What says nothing: the title of a page, a heading, a name, the words that are searched for and
    nothing else, and a line of links or names alone, as in a menu.

    forms, headings_only: as for `bare_last`.
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
    """Return the ids of those passages that are a name of some node, of up to 60 characters, and
    nothing else, but for a rule's number: the headword of a glossary, or the heading of a part of
    the rules."""
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
    """Return whether a passage says nothing about some words: whether it is a name, has no other
    words, or is links and names with only signs between them.

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


@dataclass(slots=True)
class HitGroup:
    """Passages that are one hit: the one that is shown, its score and its copies; and those that
    give the same rule in other words, in other editions."""

    shown: PassageText
    rule: str | None
    score: float
    copies: list[str] = field(default_factory=list)
    reworded: list[str] = field(default_factory=list)


def group_hits(
    store: Store,
    ranked: Iterable[RankedPassage],
    most: int,
    forms: Collection[str],
    headings_only: bool = False,
) -> list[HitGroup]:
    """Return hits in the order of ranked passages, those that say nothing last (`bare_last`); one
    more than `most` if there are more.

    Of passages with the same text, or that give versions of one rule in a language, the newest
    edition's is shown, at the place of the best.

    forms, headings_only: as for `bare_last`.
    """
    rows = iter(ranked)
    hits = _Hits(store)
    chunks = bare_last(store, rows, forms, headings_only)
    for chunk in chunks:
        hits.read_rules(chunk)
        for row, text in chunk:
            if len(hits.groups) > most and row[2] != hits.groups[-1].score:
                return hits.groups
            hits.add(row, text, only_copies=len(hits.groups) > most)
        if len(hits.groups) > most:
            break
    # Copies of these hits have their score, as have very many others: only what ends alike is read.
    score = hits.groups[-1].score if hits.groups else None
    rest = islice(takewhile(lambda row: row[2] == score, rows), _MOST_COPIES)
    while alike := list(islice(rest, _COPIES_CHUNK)):
        ends = store.passages.plain_texts(row[0] for row in alike)
        copies = [row for row in alike if hits.may_have(row, ends[row[0]])]
        said, bare = split_bare(store, copies, forms, headings_only)
        if score == 0:  # without words, what says nothing has the same score
            texts = store.passages.texts(row[0] for row in bare)
            said += [(row, texts[row[0]]) for row in bare]
        hits.read_rules(said)
        for row, text in said:
            hits.add(row, text, only_copies=True)
    if next(rows, None) is None:  # the last hits say nothing: so do their copies
        for row, text in islice(chain.from_iterable(chunks), _MOST_COPIES):
            if row[2] != score:
                break
            hits.add(row, text, only_copies=True)
    return hits.groups


def add_copies(store: Store, groups: Iterable[HitGroup], narrow: PassageFilter) -> None:
    """Add to some hits the passages with their text that give a rule of the same number: in other
    editions these may have another score, or stand far behind.

    The hits are changed in place; a copy of a newer edition is shown instead. Hits without a rule's
    number stay as they are.

    narrow: which passages count, as `passage_filter` returns it.
    """
    by_text = {_comparison_key(group.shown): group for group in groups if group.shown.number}
    numbers = {group.shown.number for group in by_text.values() if group.shown.number}
    rules = dict(store.passages.giving_numbers(numbers, narrow))
    for passage, text in store.passages.texts(rules).items():
        group = by_text.get(_comparison_key(text))
        if group and passage != group.shown.id and passage not in group.copies:
            _add_copy(group, passage, rules[passage], text)


def show_newest(
    store: Store, groups: Iterable[HitGroup], narrow: PassageFilter, query: str
) -> None:
    """Show of each hit that gives a rule the newest version of it, in its language, that is a hit
    as well, and keep in `reworded` those that say it in other words. The hits are changed in place.

    narrow: which passages count. query: full-text syntax; empty if there are no words.
    """
    of_version = {group.rule: group for group in groups if group.rule}
    rows = {row.id: row for row in versions_of(store, of_version)}
    of_rule = {
        rows[version].rule: group for version, group in of_version.items() if version in rows
    }
    is_in_several = len(rows) > len(of_rule)
    numbers = {row.number for row in rows.values()} if is_in_several else ()
    first = store.passages.first_passage_giving(rows) if is_in_several else {}  # and no example
    given = {
        passage: rows[version]
        for passage, version in store.passages.giving_numbers(numbers, narrow)
        if first.get(version) == passage
    }
    hits = store.passages.those_matching(query, given) if query else set(given)
    for passage, text in sorted(store.passages.texts(hits).items()):
        row, group = given[passage], of_rule[given[passage].rule]
        is_copy = passage in group.copies
        if row.id in of_version or is_copy or row.lang != group.shown.lang:
            continue
        if _comparison_key(text) == _comparison_key(group.shown):
            _add_copy(group, passage, row.id, text)
        elif edition_key(row.edition) > edition_key(group.shown.edition):
            group.reworded += [group.shown.id, *group.copies]
            group.shown, group.rule, group.copies = text, row.id, []
        else:
            group.reworded.append(passage)


class _Hits:
    """Hits in the order of the best passage of each. What is one hit depends on passages of its own
    score alone, and so not on how many are read; copies with another score are looked up by
    `add_copies`.

    groups: the hits so far.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.groups: list[HitGroup] = []
        self._rules: dict[str, str] = {}  # {id of a version: id of its rule}
        self._by_rule: dict[tuple[str, str | None], HitGroup] = {}
        self._by_text: dict[tuple[str | None, ...], HitGroup] = {}
        self._ends: set[str] = set()
        self._texts: set[str | None] = set()

    def read_rules(self, rows: Iterable[ReadPassage]) -> None:
        """Look up of which rules the passages give versions that are to be added."""
        versions = {row[1] for row, _ in rows if row[1]}
        self._rules |= rules_of(self._store, versions - self._rules.keys())

    def add(self, row: RankedPassage, text: PassageText, only_copies: bool) -> None:
        """Add a passage to the hit that it is a copy of, or as a new hit; leave it out if it gives
        a rule that is one, in whatever edition.

        only_copies: add no new hit.
        """
        passage, rule, score = row
        key = _comparison_key(text)
        group = self._by_text.get(key)
        if group and group.score == score:
            _add_copy(group, passage, rule, text)
        elif group or only_copies or (rule and self._key(rule, text) in self._by_rule):
            return
        else:
            group = self._by_text[key] = HitGroup(text, rule, score)
            self.groups.append(group)
            self._ends.add(_end(text.text, text.number or ""))
            self._texts.add(key[2])
        if rule:
            self._by_rule.setdefault(self._key(rule, text), group)

    def _key(self, rule: str, text: PassageText) -> tuple[str, str | None]:
        return self._rules.get(rule, rule), text.lang

    def may_have(self, row: RankedPassage, text: str) -> bool:
        """Return whether a passage may be a copy of a hit that is there already, by the end of its
        text, and of one without a rule by all of it; if not, it is none."""
        number = (row[1] or "").rpartition("/")[2]
        if _end(text, number) not in self._ends:
            return False
        return bool(number or comparable_text(text, "") in self._texts)


def _end(text: str, number: str) -> str:
    """Return the end of a text, the same of texts with the same `comparable_text`.

    number: that of the rule that it gives, or empty; it is in the end of a short text alone.
    """
    end = text.rstrip()[-_LONGEST_END:]
    if number and len(end) < _LONGEST_END:
        end = without_rule_number(end, number)
    return fold_typography(end)[-_END:]


def _comparison_key(text: PassageText) -> tuple[str | None, ...]:
    """Return what two passages have in common that say the same: game, language and text, without
    the number of the rule and differences of typography. Headings and titles say nothing, and so
    not the same."""
    own = text.id if text.bare and not text.number else ""
    return text.game, text.lang, comparable_text(text.text, text.number or ""), own


def _add_copy(group: HitGroup, passage: str, rule: str | None, text: PassageText) -> None:
    """Add a passage with the same text to a hit; it is shown instead if its edition is newer, or
    if its id is shorter: copies of a page have longer names (`archive/…`)."""
    newness = edition_key(text.edition), -len(passage)
    if newness > (edition_key(group.shown.edition), -len(group.shown.id)):
        group.copies.append(group.shown.id)
        group.shown, group.rule = text, rule
    else:
        group.copies.append(passage)
