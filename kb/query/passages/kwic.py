"""Makes concordances (KWIC): each occurrence of some words, or each mention or citation of a
reference, with its context on both sides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice
from typing import NamedTuple

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.passage_index import MOST_COUNTED, PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import translations_of
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.language.nearest_value import refuse_unknown
from kb.language.sentences import translated_sentence
from kb.query.lookup.arguments import LineOrder
from kb.query.lookup.cursor import cursor_place, next_part, not_of_this_list
from kb.query.lookup.nothing_found import suggestions
from kb.query.lookup.passage_filters import (
    PassageFilters,
    filter_words,
    passage_filter,
    refuse_unknown_section,
)
from kb.query.lookup.passage_places import (
    Place,
    comparable_text,
    find_places,
    without_rule_number,
)
from kb.query.lookup.search_words import (
    Phrase,
    SearchWords,
    cut_before,
    cut_behind,
    find_phrases,
    parse_words,
    phrases_query,
)
from kb.reason import Argument, Ask, LeftOut, Reason
from kb.result import ListResult, columns

# Passages in which lines are counted that are not shown. By hand: each is tokenized for it; of more
# the number of lines is not told, unless sorting needs all of them.
_MOST_READ = 2_000


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One occurrence of the words, or one mention or citation.

    left, right: the context before and after, with line breaks as spaces; whole words.
    key: the words as they are written there: the passage's text[start:end].
    node: the rule that the passage gives, or the passage itself if it gives none.
    passage: the id of the passage.
    place: where the passage stands.
    same: where the same text stands in other editions.
    cut: whether the passage goes on before `left`, and behind `right`.
    translation: the same sentence in the language that was asked for, or the whole rule where its
        sentences can't be told apart; empty without one.
    """

    left: str
    key: str
    right: str
    node: Node
    passage: str
    start: int
    end: int
    place: Place
    same: tuple[Place, ...]
    cut: tuple[bool, bool] = (False, False)
    translation: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Concordance(ListResult[ConcordanceLine], items="lines", item="line"):
    """The lines of a concordance, in the order that was asked for.

    total: how many passages have lines, editions counted singly; if more than 50,000 have lines of
        their own, 50,000 and `older`.
    before: how many lines come before these, in the parts before this one.
    older: how many of these have the words of a newer edition, and so no lines of their own.
    more: what to give as `after` for the next lines; None if there are no more.
    line_total: how many lines there are in all; None if they stand in too many passages to count.
    near, hints: only if there are no lines: names that are like the words, and sentences that say
        how, or what else to try.
    also: passages that have the words apart from each other, if the lines are of the phrase; if
        there are no lines, what the filters leave out.
    """

    lines: tuple[ConcordanceLine, ...]
    total: int = 0
    more: Reason | None = None
    line_total: int | None = 0
    older: int = 0
    before: int = 0
    near: tuple[str, ...] = ()
    hints: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns(
        "game=node.game left key right number=node.number passage translation notice=node.notice"
    )


class _Occurrence(NamedTuple):
    """A concordance line before its node is looked up; `rule` is the id of the rule that the
    passage gives."""

    left: str
    key: str
    right: str
    passage: str
    rule: str | None
    start: int
    end: int
    cut: tuple[bool, bool]


def kwic(
    store: Store,
    text: str = "",
    order: LineOrder = "place",
    width: int = 30,
    most: int = 100,
    merge_editions: bool = False,
    filters: PassageFilters | None = None,
    after: str | None = None,
    with_lang: str | None = None,
) -> Concordance:
    """Return a concordance of some words, in any inflection and spelling; without words, of the
    mentions and citations that the filters ask for.

    text: words to look for. Words written together are a phrase; of several phrases separated by
        spaces, each occurrence is a line, but only in passages that contain all of them. Several
        words of English are a phrase, too, if they occur as one. No lines if it has no content
        words.
    order: by `place` (in the order of the pages), or sorted by the context to the `left` (from
        its end) or to the `right`.
    width: how many characters of context to give on each side.
    most: at most how many lines, counted after sorting.
    merge_editions: a passage that several editions have in the same words gives lines once, for the
        newest of them; `same` says where else it stands.
    filters: only passages that fit these; None for all passages.
    after: `more` of the part before this one; None for the first part.
    with_lang: a language in which the lines of rules get their translation; None for none.

    Raises QuestionError without words if no mention or citation is asked for, for an unknown
    kind or section, for a reference that names nothing, and if `after` is of another question.
    """
    filters = filters or {}
    if with_lang is not None:
        refuse_unknown("language", with_lang, store.values()["lang"])
    narrow = passage_filter(store, filters)
    words = parse_words(text)
    phrases, query, left_out = _as_phrase(store, words, narrow, filters)
    state = store.passages.version()
    # Lines are sorted by as much of their context as they show.
    sorting = order if order == "place" else f"{order} {width}"
    question = ("kwic", state, query, sorting, str(merge_editions), *filter_words(filters))
    [begin] = cursor_place(after, question) or (0,)
    if text.strip() and not query:
        return Concordance(())
    older = _older_editions(store, query, narrow) if merge_editions else _NO_EDITIONS
    if not (text.strip() or narrow.edges):
        raise QuestionError("no_key", keys=(Argument("mentions"), Argument("cites")))
    found: Iterable[_Occurrence] = _found(store, phrases, query, narrow, older.hidden, width)
    if order == "right":
        found = sorted(found, key=lambda occurrence: fold(occurrence.right))
    elif order == "left":
        found = sorted(found, key=lambda occurrence: fold(occurrence.left)[::-1])
    rest = iter(found)
    skipped = [each.passage for each in islice(rest, begin)]
    occurrences = list(islice(rest, most + 1))
    if begin and not occurrences:
        raise not_of_this_list()
    if not occurrences:
        refuse_unknown_section(store, filters)
        count = partial(_count_lines, store, words, merge_editions)
        instead = suggestions(store, text, narrow, filters, "kwic", count)
        return Concordance((), near=instead.near, hints=instead.hints, also=instead.also)
    hidden, line_total = len(older.hidden), None
    total = store.passages.count(query, narrow, MOST_COUNTED + hidden)
    if order != "place" or total <= _MOST_READ:
        # A passage that matches may have no line: the index has 100.1 in 100.1a.
        lines = Counter(chain(skipped, (each.passage for each in chain(occurrences, rest))))
        line_total = lines.total()
        hidden = sum(len(older.copies.get(passage, ())) for passage in lines)
        total = len(lines) + hidden
    shown = _lines(store, occurrences[:most], older)
    return Concordance(
        tuple(_translated(store, list(shown), with_lang) if with_lang else shown),
        total,
        next_part((begin + most,), question) if len(occurrences) > most else None,
        line_total,
        hidden,
        begin,
        also=left_out,
    )


def _as_phrase(
    store: Store, words: SearchWords, narrow: PassageFilter, filters: PassageFilters
) -> tuple[tuple[Phrase, ...], str, tuple[LeftOut, ...]]:
    """Return the phrases that are keys of lines, their full-text query, and what is left out.

    Several words of English are one phrase if any passage that fits the filters has it; those that
    have the words apart from each other are left out, and are one entry if there are any. Without
    words the query is empty.
    """
    query = phrases_query(words.phrases)
    as_phrase = phrases_query(words.as_written)
    number = store.passages.count(as_phrase, narrow) if as_phrase else 0
    if not number:
        return words.phrases, query, ()
    apart = store.passages.count(query, narrow) - number
    content = " ".join(form for phrase in words.loose for form in phrase)
    search = Ask("search", text=content, **filters)
    left_out = LeftOut(None, Reason("words_apart", search, passages=apart))
    return words.as_written, as_phrase, (left_out,) if apart > 0 else ()


class _OlderEditions(NamedTuple):
    """Passages that stand in the same words in several editions of a rulebook.

    hidden: the ids of those in older editions.
    copies: the ids of these, by the id of the passage of the newest edition.
    """

    hidden: frozenset[str]
    copies: Mapping[str, Sequence[str]]


_NO_EDITIONS = _OlderEditions(frozenset(), {})


def _older_editions(store: Store, query: str, narrow: PassageFilter) -> _OlderEditions:
    """Return the passages that match a query and stand in the same words, but for typography and
    their own number, in several editions of a game's rules in a language; none if there are fewer
    than two editions."""
    if len(store.values()["edition"]) < 2:
        return _NO_EDITIONS
    versions: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for version in store.passages.editions_of_texts(query, narrow):
        text = comparable_text(version.text, version.number)
        key = version.game, version.lang, text
        versions[key].append((version.edition, version.passage))
    copies: dict[str, list[str]] = {}
    for same in versions.values():
        ordered = sorted(same, key=lambda each: (edition_key(each[0]), each[1]), reverse=True)
        newest = ordered[0][0]
        current = next(passage for edition, passage in same if edition == newest)
        if older := [passage for edition, passage in ordered if edition != newest]:
            copies[current] = older
    return _OlderEditions(
        frozenset(passage for older in copies.values() for passage in older), copies
    )


def _lines(
    store: Store, occurrences: Sequence[_Occurrence], older: _OlderEditions
) -> Iterator[ConcordanceLine]:
    """Yield the lines for occurrences, in their order, with their nodes and places looked up."""
    nodes = store.get({occurrence.rule or occurrence.passage for occurrence in occurrences})
    shown = {occurrence.passage for occurrence in occurrences}
    copies = {copy for passage in shown for copy in older.copies.get(passage, ())}
    places = find_places(store, shown | copies)
    for occurrence in occurrences:
        yield ConcordanceLine(
            occurrence.left,
            occurrence.key,
            occurrence.right,
            nodes[occurrence.rule or occurrence.passage],
            occurrence.passage,
            occurrence.start,
            occurrence.end,
            places[occurrence.passage],
            tuple(places[copy] for copy in older.copies.get(occurrence.passage, ())),
            occurrence.cut,
        )


def _translated(
    store: Store, lines: Sequence[ConcordanceLine], lang: str
) -> Iterator[ConcordanceLine]:
    """Yield lines with the translations of those that stand in rules."""
    found = translations_of(store, [line.node.id for line in lines], lang)
    texts = store.passages.plain_texts([line.passage for line in lines])
    nodes = store.get(set(found.values()))
    for line in lines:
        there = nodes.get(found.get(line.node.id, ""))
        if there is None or line.node.lang == lang:
            yield line
            continue
        text = texts.get(line.passage, "")
        own = without_rule_number(text, line.node.number or "")
        place = line.start - (len(text) - len(own))
        whole = there.text or ""
        if own.strip() not in (line.node.text or ""):  # an example below the rule
            examples, others = ((n.details or {}).get("examples", ()) for n in (line.node, there))
            same = dict(zip(examples, others, strict=True)) if len(examples) == len(others) else {}
            whole = same.get(own.strip(), "")
        translation = translated_sentence(own, place, line.node.lang, whole, lang)
        yield replace(line, translation=translation)


def _occurrence(
    passage: str, rule: str | None, text: str, start: int, end: int, width: int
) -> _Occurrence:
    """Return an occurrence at a span of a passage's text, with at most `width` characters around
    it, which begin and end between words."""
    first = cut_behind(text, max(0, start - width), start)
    last = cut_before(text, min(len(text), end + width), end)
    left, right = text[first:start].replace("\n", " "), text[end:last].replace("\n", " ")
    begins, ends = _without_margins(text)
    is_cut = begins < first, last < ends
    return _Occurrence(left, text[start:end], right, passage, rule, start, end, is_cut)


@lru_cache(maxsize=1)
def _without_margins(text: str) -> tuple[int, int]:
    """Return where a text begins and ends, apart from white space around it. Cached, as it is asked
    for each occurrence in a passage: else that took the square of a long passage."""
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _found(
    store: Store,
    phrases: Sequence[Phrase],
    query: str,
    narrow: PassageFilter,
    hidden: Collection[str],
    width: int,
) -> Iterator[_Occurrence]:
    """Yield the occurrences of some phrases or, without any, of the mentions and citations that a
    filter asks for, passage by passage, in the order of the pages.

    phrases, width: as for `_occurrences`. query: the full-text query for the phrases.
    hidden: the ids of passages that are left out.
    """
    if not query:
        spans = store.passages.edge_spans(narrow)
        return (_occurrence(*row, width) for row in spans if row[0] not in hidden)
    passages = store.passages.occurrences(query, narrow)
    return _occurrences((row for row in passages if row[0] not in hidden), phrases, width)


def _count_lines(
    store: Store, words: SearchWords, merge_editions: bool, narrow: PassageFilter, most: int
) -> int:
    """Return how many lines a concordance has, or `most` if there are more.

    A passage may have several, and one that fits the filter none: an example of a rule that cites
    another has no citation itself.
    """
    phrases, query, _ = _as_phrase(store, words, narrow, {})
    older = _older_editions(store, query, narrow) if merge_editions else _NO_EDITIONS
    lines = _found(store, phrases, query, narrow, older.hidden, 1)
    return sum(1 for _ in islice(lines, most))


def _occurrences(
    passages: Iterable[tuple[str, str | None, str]], phrases: Sequence[Phrase], width: int
) -> Iterator[_Occurrence]:
    """Yield the occurrences of some phrases in some passages, passage by passage, in the order of
    the text; a passage that has none yields none.

    passages: (id, id of the rule that it gives or None, text).
    phrases: the normal forms of the words of each phrase.
    width: how many characters of context each occurrence has on either side.
    """
    for passage, rule, text in passages:
        for start, end in find_phrases(text, phrases):
            yield _occurrence(passage, rule, text, start, end, width)
