"""Makes concordances (KWIC): each occurrence of some words, or each mention or citation of a
reference, with its context on both sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.language.tokens import normal_forms, tokenizer
from kb.query.arguments import LineOrder
from kb.query.list_result import ListResult
from kb.query.passage_filters import (
    PassageFilters,
    materialized,
    passage_filter,
    refuse_unknown_section,
)
from kb.query.places import Place, find_places, without_rule_number
from kb.query.search import fulltext_query
from kb.query.table_result import Table, table_row


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One occurrence of the words, or one mention or citation.

    left, right: the context before and after, with line breaks as spaces.
    key: the words as they are written there: the passage's text[start:end].
    node: the rule that the passage gives, or the passage itself if it gives none.
    passage: the id of the passage.
    place: where the passage stands.
    same: where the same text stands in other editions.
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


@dataclass(frozen=True, slots=True, repr=False)
class Concordance(ListResult[ConcordanceLine]):
    """The lines of a concordance, in the order that was asked for.

    total: how many passages have lines, editions counted singly; 50,000 if there are more.
    more: how to go on, if not all lines are here; else None.
    """

    lines: tuple[ConcordanceLine, ...]
    total: int = 0
    more: str | None = None

    _ITEM = "line"

    def _items(self) -> tuple[ConcordanceLine, ...]:
        return self.lines

    def table(self) -> Table:
        """Return a table with a row per line.

        The columns are `game`, `left`, `key`, `right`, `number`, `passage` and `notice`.
        """
        return Table(
            tuple(
                table_row(
                    game=line.node.game,
                    left=line.left,
                    key=line.key,
                    right=line.right,
                    number=line.node.number,
                    passage=line.passage,
                    notice=line.node.notice,
                )
                for line in self.lines
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho kwic --json` prints: `lines`, a list of dicts with the
        fields of `ConcordanceLine`, in which `node` is as in `Node.as_json`; `total`, `more`."""
        return {
            "lines": [
                {
                    "left": line.left,
                    "key": line.key,
                    "right": line.right,
                    "node": line.node.as_json(),
                    "passage": line.passage,
                    "start": line.start,
                    "end": line.end,
                    "place": line.place.as_json(),
                    "same": [place.as_json() for place in line.same],
                }
                for line in self.lines
            ],
            "total": self.total,
            "more": self.more,
        }


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


def kwic(
    store: Store,
    text: str = "",
    order: LineOrder = "place",
    width: int = 30,
    most: int = 100,
    merge_editions: bool = False,
    filters: PassageFilters | None = None,
) -> Concordance:
    """Return a concordance of some words, in any inflection and spelling; without words, of the
    mentions and citations that the filters ask for.

    text: words to look for. Words written together are a phrase; of several phrases separated by
        spaces, each occurrence is a line, but only in passages that contain all of them. No
        lines if it has no content words.
    order: by `place` (in the order of the pages), or sorted by the context to the `left` (from
        its end) or to the `right`.
    width: how many characters of context to give on each side.
    most: at most how many lines, counted after sorting.
    merge_editions: a passage that several editions have in the same words gives lines once, for the
        newest of them; `same` says where else it stands.
    filters: only passages that fit these; None for all passages.

    Raises QuestionError without words if no mention or citation is asked for, for an unknown
    kind or section, and for a reference that names nothing.
    """
    filters = materialized(filters or {})
    narrow = passage_filter(store, filters)
    query = fulltext_query(text)
    older = _older_editions(store, query, narrow) if merge_editions else _NO_EDITIONS
    found: Iterable[_Occurrence]
    if not text.strip():
        if not narrow.edges:
            raise QuestionError(
                "a concordance of what? Give words, or the references that are to be its keys "
                "(mentions, cites)"
            )
        spans = store.passages.edge_spans(narrow)
        found = (_occurrence(*row, width) for row in spans if row[0] not in older.hidden)
    else:
        phrases = _phrases(text)
        if not query or not phrases:
            return Concordance(())
        passages = store.passages.occurrences(query, narrow)
        found = _occurrences(
            (row for row in passages if row[0] not in older.hidden), phrases, width
        )
    if order == "right":
        found = sorted(found, key=lambda occurrence: fold(occurrence.right))
    elif order == "left":
        found = sorted(found, key=lambda occurrence: fold(occurrence.left)[::-1])
    occurrences = list(islice(found, most + 1))
    if not occurrences:
        refuse_unknown_section(store, filters)
    return Concordance(
        tuple(_lines(store, occurrences[:most], older)),
        store.passages.count(query, narrow),
        f"--max {4 * most}" if len(occurrences) > most else None,
    )


class _OlderEditions(NamedTuple):
    """Passages that stand in the same words in several editions of a rulebook.

    hidden: the ids of those in older editions.
    copies: the ids of these, by the id of the passage of the newest edition.
    """

    hidden: frozenset[str]
    copies: Mapping[str, Sequence[str]]


_NO_EDITIONS = _OlderEditions(frozenset(), {})


def _older_editions(store: Store, query: str, narrow: PassageFilter) -> _OlderEditions:
    """Return the passages that match a query and stand in the same words in several editions."""
    versions: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for version in store.passages.editions_of_texts(query, narrow):
        text = without_rule_number(version.text, version.number)
        key = version.game, version.lang, text
        versions[key].append((version.edition, version.passage))
    copies: dict[str, list[str]] = {}
    for same in versions.values():
        newest = max(edition for edition, _ in same)
        current = next(passage for edition, passage in same if edition == newest)
        if older := [passage for edition, passage in sorted(same)[::-1] if edition != newest]:
            copies[current] = older
    return _OlderEditions(
        frozenset(passage for older in copies.values() for passage in older), copies
    )


def _lines(
    store: Store, occurrences: Sequence[_Occurrence], older: _OlderEditions
) -> Iterator[ConcordanceLine]:
    """Yield the lines for occurrences, with their nodes and places looked up."""
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
        )


def _phrases(text: str) -> list[tuple[str, ...]]:
    """Return the phrases of a text, which spaces separate, as the normal forms of their words."""
    parts = (normal_forms(tokenizer()(part)) for part in text.split())
    phrases = (tuple(form for form, _, _ in forms) for forms in parts)
    return [phrase for phrase in phrases if phrase]


def _occurrence(
    passage: str, rule: str | None, text: str, start: int, end: int, width: int
) -> _Occurrence:
    """Return an occurrence at a span of a passage's text, with `width` characters around it."""
    left = text[max(0, start - width) : start].replace("\n", " ")
    right = text[end : end + width].replace("\n", " ")
    return _Occurrence(left, text[start:end], right, passage, rule, start, end)


def _occurrences(
    passages: Iterable[tuple[str, str | None, str]],
    phrases: Sequence[tuple[str, ...]],
    width: int,
) -> Iterator[_Occurrence]:
    """Yield the occurrences of some phrases in some passages, passage by passage.

    Function words between the words of a phrase do not count. If several phrases begin at a word,
    the first of them is taken.

    passages: (id, id of the rule that it gives or None, text).
    phrases: the normal forms of the words of each phrase.
    width: how many characters of context each occurrence has on either side.
    """
    for passage, rule, text in passages:
        words = normal_forms(tokenizer()(text))
        forms = [form for form, _, _ in words]
        for first in range(len(forms)):
            phrase = next(
                (
                    phrase
                    for phrase in phrases
                    if tuple(forms[first : first + len(phrase)]) == phrase
                ),
                None,
            )
            if phrase:
                start, end = words[first][1], words[first + len(phrase) - 1][2]
                yield _occurrence(passage, rule, text, start, end, width)
