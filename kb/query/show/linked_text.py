"""Shows texts with their references in place: which words cite, link or mention what."""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from graphs.store.linked_texts import (
    PassageRow,
    TextEdge,
    TextRow,
    edges_in_passages,
    passages_of_texts,
    read_texts,
)
from graphs.store.reader import Store
from kb.language.english_inflection import EnglishFinder, FoundName, has_form, inflection_base
from kb.query.answers.stop_words import COMMON_ENGLISH_WORDS, ENGLISH_STOP_WORDS
from kb.query.lookup.passage_places import without_rule_number
from kb.result import Result

# The kinds of edges that are shown in a text. Of those on the same words the first is kept: what a
# page says by a number or a link is surer than a name that was found. What a passage says of itself
# (`defines`, `part_of` and so on) leads nowhere. Only the order of the numbers matters.
_RANKS = {"cites": 0, "links_to": 1, "redirects_to": 1, "mentions": 2, "name": 3}
# Words of everyday English that are names of terms as well, by hand, from what Magic's rules have
# most: marked, they stand in every other line. The first in any inflection.
_EVERYDAY_VERBS = frozenset("creat nam remov".split())
_EVERYDAY = (
    ENGLISH_STOP_WORDS
    | COMMON_ENGLISH_WORDS
    | frozenset("during there time times unless x".split())
)
_OBSOLETE = "(Obsolete)"  # in ids of terms, as Magic's glossary says it
# Edges to a term that are counted: a guard on the time; of terms with more none is the likelier.
_MOST_USES = 20_000


@dataclass(frozen=True, slots=True)
class TextLink:
    """Words of a text that refer to something: text[start:end].

    target: the id of what they refer to; None if it is not there, for the `reason` that is given.
    label: the target as the page names it, or else the target's own label.
    kind: the kind of edge: `cites`, `links_to`, `redirects_to` or `mentions`; or `name` where an
        English text has a name of a term, which is found as the text is shown and is no edge.
    also: the ids of what the same words refer to besides, such as the term whose page they link.
    """

    start: int
    end: int
    target: str | None
    label: str
    kind: str
    reason: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkedText(Result):
    """A node's text with its references in place.

    id: of the node.
    passage: the id of the passage in which the text stands, of several the first; None if it is not
        known, and then there are no links.
    text: the text of the node.
    links: the words in it that refer to something, in order; they don't overlap.
    """

    id: str
    passage: str | None
    text: str
    links: tuple[TextLink, ...] = ()


def linked_texts(store: Store, ids: Iterable[str]) -> dict[str, LinkedText]:
    """Return the texts of some nodes with their references in place, by id, in the order given.

    Ids of nothing, and of nodes without a text, are left out.
    """
    asked = list(dict.fromkeys(ids))
    rows = {row.id: row for row in read_texts(store, asked)}
    candidates = passages_of_texts(store, list(rows.values()))
    parts = {row.id: list(_parts(row, candidates.get(row.key, ()))) for row in rows.values()}
    passages = {part.passage.key: part.passage for found in parts.values() for part in found}
    edges = edges_in_passages(store, passages.values(), tuple(_RANKS))
    return {
        node_id: LinkedText(
            node_id,
            parts[node_id][0].passage.id if parts[node_id] else None,
            rows[node_id].text,
            _without_overlaps(
                chain(
                    _links(rows[node_id].text, parts[node_id], edges),
                    _english_names(store, rows[node_id]),
                )
            ),
        )
        for node_id in asked
        if node_id in rows
    }


class _Part(NamedTuple):
    """A passage that has a part of a text: what stands at n in it stands at n + shift in the
    text."""

    passage: PassageRow
    shift: int


def _parts(row: TextRow, passages: Sequence[PassageRow]) -> Iterator[_Part]:
    """Yield the passages of which a text is made, or in which it stands, in their order; others are
    left out. Several pages may give a rule in the same words: the passages of each page are
    compared from the text's beginning."""
    reached: dict[int, int] = defaultdict(int)  # where the next passage of each page can begin
    for passage in passages:
        shift = _shift(row, passage.text, reached[passage.page])
        if shift is not None:
            reached[passage.page] = len(passage.text) + shift
            yield _Part(passage, shift)


def _shift(row: TextRow, given: str, reached: int) -> int | None:
    """Return how far the text of a node stands from that of a passage; None if the passage is no
    part of it, nor the text of the passage.

    The passage may begin with the rule's number, in any form, and the text may go on in others.
    """
    text = row.text
    if row.kind == "passage":
        return 0
    own = without_rule_number(given, row.number or "").strip() if row.kind == "rule" else given
    place = _place_of_lines(text, own, reached)
    if place is not None:
        return place - given.rindex(own)
    inside = given.find(text)
    if inside >= 0:
        return -inside
    line = text.partition("\n")[0]
    begin = given.find(line) if line else -1
    is_beginning = begin >= 0 and _place_of_lines(text, given[begin:].rstrip(), 0) == 0
    return -begin if is_beginning else None


def _place_of_lines(text: str, lines: str, start: int) -> int | None:
    """Return where some lines stand in a text, as whole lines, from `start` on; None if nowhere.

    >>> _place_of_lines("札\\n札を引く", "札を引く", 0), _place_of_lines("札を引く", "札", 0)
    (2, None)
    """
    place = text.find(lines, start) if lines else -1
    while place >= 0:
        end = place + len(lines)
        if (not place or text[place - 1] == "\n") and text[end : end + 1] in ("", "\n"):
            return place
        place = text.find(lines, place + 1)
    return None


def _links(
    text: str, parts: Iterable[_Part], edges: Mapping[int, Sequence[TextEdge]]
) -> Iterator[TextLink]:
    """Yield the edges of a text that is made of some parts, as links, part by part; they may
    overlap. Edges whose words the text does not have at their place are left out.

    edges: those of each passage, by its key.
    """
    for passage, shift in parts:
        for edge in edges.get(passage.key, ()):
            start, end = edge.start + shift, edge.end + shift
            is_inside = 0 <= start < end <= len(text)
            if is_inside and text[start:end] == passage.text[edge.start : edge.end]:
                yield TextLink(start, end, edge.target, edge.label, edge.kind, edge.reason)


def _english_names(store: Store, row: TextRow) -> Iterator[TextLink]:
    """Yield the names of terms of its game in a text, in order, if it is English; else nothing."""
    for found in english_terms(store, row.text, row.game) if row.lang == "en" else ():
        term, *others = found.concepts
        yield TextLink(found.start, found.end, term, "", "name", None, tuple(others))


def _without_overlaps(links: Iterable[TextLink]) -> tuple[TextLink, ...]:
    """Return links in order. Of those that overlap the strongest kind is kept, then the longest,
    then the first; what else the very same words refer to is in its `also`."""
    kept: dict[int, TextLink] = {}
    starts: list[int] = []  # of those that are kept, sorted
    for link in sorted(links, key=_preference):
        place = bisect(starts, link.start)
        before = kept[starts[place - 1]] if place else None
        if before and (before.start, before.end) == (link.start, link.end):
            if link.target and link.target not in (before.target, *before.also):
                kept[before.start] = replace(before, also=(*before.also, link.target))
        elif not (before and before.end > link.start) and not (
            place < len(starts) and starts[place] < link.end
        ):
            kept[link.start] = link
            starts.insert(place, link.start)
    return tuple(kept[start] for start in starts)


def _preference(link: TextLink) -> tuple[int, int, int, bool, str, str]:
    """Return the sort key of a link among those that may overlap with it: the one to keep is least.
    Of links on the same words those with a target come first."""
    rank, length = _RANKS[link.kind], link.start - link.end
    return rank, length, link.start, link.target is None, link.target or "", link.label


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is known of the terms of a knowledge base.

    finders: of their names, by game. names: of each term. uses: how many edges lead to a term, of
        those that were asked for.
    """

    finders: dict[str | None, EnglishFinder]
    names: Mapping[str, Sequence[str]]
    uses: dict[str, int] = field(default_factory=dict)


# In what the store keeps: made when a text is first read; of a game with 10,000 terms it takes a
# tenth of a second.
_TERMS = "the names of English terms"


def english_terms(store: Store, text: str, game: str | None) -> list[FoundName]:
    """Return where an English text has names of terms of a game, in any common inflection, in
    order and without overlaps: of several names that begin at a word, the longest. Of terms that
    have one name, the one that most refers to comes first. Everyday words such as `if`, `time` and
    `instead` are no names here, nor are words of an address, nor forms of another word than the
    term's: `modify` is not Modified.
    """
    terms: _Terms | None = store.kept.get(_TERMS)
    if terms is None:
        names: dict[str | None, list[tuple[str, str]]] = defaultdict(list)
        of_term: dict[str, list[str]] = defaultdict(list)
        for term, name, of_game in store.english_term_names():
            if not _is_everyday(name):
                names[of_game].append((term, name))
                of_term[term].append(name)
        finders = {of: EnglishFinder(each) for of, each in names.items()}
        terms = store.kept[_TERMS] = _Terms(finders, of_term)
    found = terms.finders[game].find(text) if game in terms.finders else []
    addresses = [address.span() for address in _ADDRESS.finditer(text)] if found else []
    kept = []
    for each in found:
        words = text[each.start : each.end]
        named = tuple(
            term
            for term in each.concepts
            if any(has_form(name, words) for name in terms.names[term])
        )
        in_address = any(start <= each.start < end for start, end in addresses)
        if named and not in_address and not _is_everyday(words):
            kept.append(_most_used_first(store, terms.uses, each._replace(concepts=named)))
    return kept


_ADDRESS = re.compile(r"https?://\S+|\b[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+(?:/\S*)?")


def _is_everyday(words: str) -> bool:
    return words.casefold() in _EVERYDAY or inflection_base(words) in _EVERYDAY_VERBS


def _most_used_first(store: Store, uses: dict[str, int], found: FoundName) -> FoundName:
    """Return a name with its terms sorted by how often they are referred to, then by id; those that
    a glossary calls obsolete come last.

    uses: the numbers that are known; those that are looked up are added.
    """
    if len(found.concepts) < 2:
        return found
    uses |= store.uses(set(found.concepts) - uses.keys(), _MOST_USES)
    ranked = sorted(found.concepts, key=lambda term: (_OBSOLETE in term, -uses[term], term))
    return found._replace(concepts=tuple(ranked))
