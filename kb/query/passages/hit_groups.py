"""Puts passages together that are one hit of a search: copies of a text, and passages of a rule.

Passages that say nothing come last: headings, names, menus, and what has the words that are
searched for and no others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, takewhile

from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassageFilter, PassageText
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_of, versions_of
from kb.language.fold import fold
from kb.language.typography import fold_typography
from kb.query.lookup.passage_places import comparable_text, without_rule_number
from kb.query.lookup.search_words import is_searchable

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
