"""Finds the terms and citations in the texts of aligned rules, as the graph has them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from graphs.model import Edge, Node
from graphs.store.reader import Store
from kb.query.places import without_rule_number


@dataclass(frozen=True, slots=True)
class TextMark:
    """A term or citation in text[start:end] of a rule.

    kind: `term` or `citation`.
    target: the id of the term, or of the rule that is cited.
    names: the term's names in the other language, preferred ones first; of a citation none.
    """

    kind: str
    start: int
    end: int
    target: str
    names: tuple[str, ...] = ()


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
        own_names = {term.id: _names(term, lang) for term in terms.values()}
        for number, rule in rules[lang].items():
            marks = [
                mark
                for edge in edges[lang].get(rule.id, ())
                if (passage := passages.get(edge.evidence.passage))
                for mark in _mark(edge, rule, passage, names)
            ]
            there = rules[other].get(number)
            for term in {edge.target for edge in edges[other].get(there.id, ())} if there else ():
                if term in terms:
                    marks += _named_in(rule.text or "", term, own_names, names)
            marked[number][lang] = _without_overlaps(marks)
    return marked


def _edges(store: Store, rules: Iterable[Node]) -> dict[str, list[Edge]]:
    """Return the mentions and citations of some rules, by the id of the rule."""
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges([rule.id for rule in rules], "out", ("mentions", "cites")):
        found[edge.source].append(edge)
    return found


def _named_in(
    text: str,
    term: str,
    own_names: Mapping[str, tuple[str, ...]],
    names: Mapping[str, tuple[str, ...]],
) -> list[TextMark]:
    """Return where a text has a name of a term, in any common inflection.

    own_names: the names of terms in the language of the text; names: those in the other.
    """
    return [
        TextMark("term", *found.span(), term, names[term])
        for name in own_names[term]
        for found in _name_pattern(name).finditer(text)
    ]


@lru_cache(maxsize=10_000)
def _name_pattern(name: str) -> re.Pattern[str]:
    if not name.isascii():
        return re.compile(re.escape(name))
    return re.compile(
        rf"(?<![A-Za-z]){re.escape(name)}(?:e?s|e?d|n|ing)?(?![A-Za-z])", re.IGNORECASE
    )


def _mark(
    edge: Edge, rule: Node, passage: Node, names: Mapping[str, tuple[str, ...]]
) -> list[TextMark]:
    """Return the mark of an edge in the text of its rule; none if its words are not there."""
    text, given = rule.text or "", passage.text or ""
    own = without_rule_number(given, rule.number or "")
    place = text.find(own) if own else -1
    start = place + edge.evidence.start - (len(given) - len(own))
    end = start + len(edge.evidence.text)
    if place < 0 or start < place or text[start:end] != edge.evidence.text or start == end:
        return []
    target = edge.target or edge.target_label
    if edge.kind == "mentions":
        return [TextMark("term", start, end, target, names.get(target, ()))]
    return [TextMark("citation", start, end, target)]


def _names(term: Node, lang: str) -> tuple[str, ...]:
    """Return the names of a term in a language, preferred ones first; without readings."""
    labels = [label for label in term.labels if label.lang == lang and label.role != "reading"]
    labels.sort(key=lambda label: label.role != "preferred")
    return tuple(dict.fromkeys(label.text for label in labels))


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
