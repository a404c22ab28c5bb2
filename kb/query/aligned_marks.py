"""Finds the terms and citations in the texts of aligned rules, as the graph has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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


def marks_in_rules(
    store: Store, rules: Iterable[Node], other_lang: str
) -> dict[str, tuple[TextMark, ...]]:
    """Return {id of a rule: the marks in its text, in order, none in another}.

    other_lang: the language in which the names of terms are given.

    Of mentions and citations that overlap, the longest is kept. Those in the examples below a rule
    are left out, as its text has none.
    """
    by_id = {rule.id: rule for rule in rules}
    edges = store.edges(by_id, "out", ("mentions", "cites"))
    passages = store.get({edge.evidence.passage for edge in edges})
    terms = store.get({edge.target for edge in edges if edge.kind == "mentions" and edge.target})
    names = {term.id: _names(term, other_lang) for term in terms.values()}
    found: dict[str, list[TextMark]] = defaultdict(list)
    for edge in edges:
        rule, passage = by_id.get(edge.source), passages.get(edge.evidence.passage)
        if rule and passage:
            found[rule.id] += _mark(edge, rule, passage, names)
    return {rule: _without_overlaps(marks) for rule, marks in found.items()}


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
    for mark in sorted(marks, key=lambda one: (one.start - one.end, one.start, one.kind)):
        if all(mark.end <= other.start or other.end <= mark.start for other in kept):
            kept.append(mark)
    return tuple(sorted(kept, key=lambda one: one.start))
