"""Finds the terms and citations in the texts of aligned rules, as the graph has them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from graphs.model import Edge, Node
from graphs.store.reader import Store
from kb.query.places import without_rule_number


@dataclass(frozen=True, slots=True)
class TextMark:
    """A term or citation in text[start:end] of a rule.

    kind: `term` or `citation`.
    target: the id of the term, or of the rule that is cited.
    names: the term's names in the other language, preferred ones first; of a citation none.
    proposed: those of the names that no page states: aligned rules suggest them.
    """

    kind: str
    start: int
    end: int
    target: str
    names: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()


def marks_in_pair_texts(
    store: Store, rules: Mapping[str, Mapping[str, Node]]
) -> dict[str, dict[str, tuple[TextMark, ...]]]:
    """Return {number of a rule: {language: the marks in its text}}, in order, none in another.

    rules: the rules of two languages, by language and number.

    The marks are the mentions and citations that the graph has, and the names of terms that the
    rule in the other language mentions. Of those that overlap, the longest is kept. Those in the
    examples below a rule are left out, as its text has none.
    """
    edges = {lang: _edges(store, by_number.values()) for lang, by_number in rules.items()}
    every = [edge for found in edges.values() for each in found.values() for edge in each]
    passages = store.get({edge.evidence.passage for edge in every})
    terms = store.get({edge.target for edge in every if edge.kind == "mentions" and edge.target})
    marked: dict[str, dict[str, tuple[TextMark, ...]]] = defaultdict(dict)
    langs = list(rules)
    for lang, other in (langs, langs[::-1]):
        names = {term.id: _names(term, other) for term in terms.values()}
        own_names = {term.id: _names(term, lang).names for term in terms.values()}
        for number, rule in rules[lang].items():
            marks = list(_own_marks(rule, edges[lang].get(rule.id, ()), passages, names))
            there = rules[other].get(number)
            mentioned = {edge.target for edge in edges[other].get(there.id, ())} if there else ()
            for term in mentioned:
                if term in terms:
                    marks += _named_in(rule.text or "", own_names[term], term, names[term])
            marked[number][lang] = _without_overlaps(marks)
    return marked


class _TermNames(NamedTuple):
    """The names of a term in one language, and those of them that no page states."""

    names: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()


def _edges(store: Store, rules: Iterable[Node]) -> dict[str, list[Edge]]:
    """Return the mentions and citations of some rules, by the id of the rule."""
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges([rule.id for rule in rules], "out", ("mentions", "cites")):
        found[edge.source].append(edge)
    return found


def _named_in(
    text: str, own_names: Iterable[str], term: str, names: _TermNames
) -> Iterator[TextMark]:
    """Yield where a text has a name of a term, in any common inflection.

    own_names: in the language of the text; names: in the other.
    """
    for name in own_names:
        for found in _name_pattern(name).finditer(text):
            yield TextMark("term", *found.span(), term, *names)


@lru_cache(maxsize=10_000)
def _name_pattern(name: str) -> re.Pattern[str]:
    if not name.isascii():
        return re.compile(re.escape(name))
    return re.compile(
        rf"(?<![A-Za-z]){re.escape(name)}(?:e?s|e?d|n|ing)?(?![A-Za-z])", re.IGNORECASE
    )


def _own_marks(
    rule: Node,
    edges: Iterable[Edge],
    passages: Mapping[str, Node],
    names: Mapping[str, _TermNames],
) -> Iterator[TextMark]:
    """Yield the marks of a rule's own edges in its text, of those whose words are there."""
    text = rule.text or ""
    shifts: dict[str, int | None] = {}  # from the text of a passage to that of the rule
    for edge in edges:
        evidence = edge.evidence
        if evidence.passage not in shifts:
            shifts[evidence.passage] = _shift(text, passages.get(evidence.passage), rule.number)
        shift = shifts[evidence.passage]
        if shift is None:
            continue
        start, end = evidence.start + shift, evidence.end + shift
        if not 0 <= start < end or text[start:end] != evidence.text:
            continue
        target = edge.target or edge.target_label
        if edge.kind == "mentions":
            yield TextMark("term", start, end, target, *names.get(target, _TermNames()))
        else:
            yield TextMark("citation", start, end, target)


def _shift(text: str, passage: Node | None, number: str | None) -> int | None:
    """Return how far the text of a rule stands from its passage's, which begins with the number;
    None if the passage is not a part of it."""
    given = (passage.text or "") if passage else ""
    own = without_rule_number(given, number or "")
    place = text.find(own) if own else -1
    return place - (len(given) - len(own)) if place >= 0 else None


def _names(term: Node, lang: str) -> _TermNames:
    """Return the names of a term in a language, preferred ones first, those that no page states
    last; without readings."""
    labels = [label for label in term.labels if label.lang == lang and label.role != "reading"]
    labels.sort(key=lambda label: (label.role == "proposed", label.role != "preferred"))
    stated = {label.text for label in labels if label.role != "proposed"}
    names = tuple(dict.fromkeys(label.text for label in labels))
    return _TermNames(names, tuple(name for name in names if name not in stated))


def _without_overlaps(marks: Iterable[TextMark]) -> tuple[TextMark, ...]:
    """Return marks in order, of those that overlap the longest."""
    kept: list[TextMark] = []
    covered: set[int] = set()
    for mark in sorted(marks, key=lambda one: (one.start - one.end, one.start, one.target)):
        span = range(mark.start, mark.end)
        if covered.isdisjoint(span):
            covered.update(span)
            kept.append(mark)
    return tuple(sorted(kept, key=lambda one: one.start))
