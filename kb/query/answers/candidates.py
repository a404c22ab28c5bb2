"""Passages that may answer a question: those that have its words, define its terms, or stand
next to those that do; each with what it stands under."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from graphs.store.passage_index import IndexedPassage
from graphs.store.reader import Store
from kb.language.tokens import normal_forms, tokenizer
from kb.query.answers.question import QueryTerm, Question
from scraper.rulebook.numbering import number_key

_TOGETHER, _EACH, _PAIR = 250, 40, 60  # passages that words bring up: any, one, two of them
_RAREST = 8  # of what is asked for, that bring passages up
_MANY = 5_000  # passages; what stands in more brings none up by itself
_DEFINING = 40  # passages that define one term
_LEVELS = 3  # of a list, above a passage
_OPENING = 4  # passages with which a page on a term says what it is
_DEFINED_BELOW, _BELOW_EACH = 3, 5  # sub-rules of a rule that defines, of any other
_BEST = 60  # passages that bring up what their rules are part of, and have for parts


@dataclass(frozen=True, slots=True)
class _Defining:
    """The passages that define what a question names, and the rules that these cite for it,
    each with the term."""

    passages: Mapping[str, str]
    rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may answer: in its place; the normal forms of what it stands under; the
    passage that gives the rule that its own is part of, if it gives one; the terms that it
    defines, and for which it is cited where they are defined."""

    passage: IndexedPassage
    above: str
    whole: IndexedPassage | None
    defines: str
    cited_for: str


def any_of(forms: Iterable[str]) -> str:
    """The full-text query for passages that have one of some forms."""
    quoted = ('"' + form.replace('"', " ") + '"' for form in forms if any(map(str.isalnum, form)))
    return " OR ".join(quoted) or '""'


def find_candidates(
    store: Store, question: Question, often: Mapping[QueryTerm, int]
) -> list[Candidate]:
    """The passages that may answer, in no order; `often` is in how many passages each thing that
    is asked for stands."""
    defining = _defining(store, question)
    told = _brought_up(store, question, often, defining)
    above, wholes = _above(store, told), _wholes(store, told)
    return [
        Candidate(
            one,
            above[one.id],
            wholes.get(one.rule or ""),
            defining.passages.get(one.id, ""),
            defining.rules.get(one.rule or "", ""),
        )
        for one in told.values()
        if not one.heading and not one.title and (not question.games or one.game in question.games)
    ]


def _defining(store: Store, question: Question) -> _Defining:
    """Passages of which a page is sure, the openings of the terms' own pages; and what rules
    the first of these cite: a glossary is short, and says where to read on."""
    passages: dict[str, str] = {}
    openings: dict[str, str] = {}
    for one in question.wanted:
        for edge in store.edges(one.terms, "in", ["defines"])[:_DEFINING]:
            own_page = edge.source == edge.evidence.page
            (openings if own_page else passages).setdefault(
                edge.evidence.passage, edge.target or ""
            )
    for passage, behind in store.passages.following(openings, _OPENING).items():
        passages |= {one: openings[passage] for one in behind if one not in passages}
    cited = store.edges(passages, "out", ["cites"])
    rules = {edge.target: passages[edge.source] for edge in cited if edge.target}
    below = _sub_rules(store, rules, _DEFINED_BELOW)
    return _Defining(passages, {rule: rules[above] for rule, above in below.items()} | rules)


def _brought_up(
    store: Store, question: Question, often: Mapping[QueryTerm, int], defining: _Defining
) -> dict[str, IndexedPassage]:
    """Passages that have the words, define the terms, or stand next to those that do."""
    rarest = sorted(question.wanted, key=lambda one: often[one])[:_RAREST]
    # What stands in every other passage brings nothing up, and takes long to rank.
    alone = [one for one in rarest if often[one] <= _MANY] or rarest[:1]
    queries = [any_of(one.every if often[one] else one.wide) for one in alone]
    rows = [(" OR ".join(queries), _TOGETHER)] if queries else []
    rows += ((query, _EACH) for query in queries)
    rows += [
        (f"({any_of(one.wide)}) AND ({any_of(other.wide)})", _PAIR)
        for one, other in combinations(rarest, 2)
        if one in alone
    ]
    ids = dict.fromkeys(defining.passages)
    for query, most in rows:
        ids |= dict.fromkeys(row[0] for row in store.passages.matching(query, most))
    told = store.passages.lookup(ids)
    best = [one.rule for one in told.values() if one.rule][:_BEST]
    family = [*_rules_above(store, best).values(), *_sub_rules(store, best, _BELOW_EACH)]
    beside = store.passages.giving_passages([*family, *defining.rules, *question.rules])
    return told | store.passages.lookup(
        passage for passage in beside.values() if passage not in told
    )


def _above(store: Store, told: Mapping[str, IndexedPassage]) -> dict[str, str]:
    """For each passage the normal forms of what it stands under: its page's name, its heading,
    the list items above it."""
    known = dict(told)
    for _ in range(_LEVELS):
        parents = {one.parent for one in known.values() if one.parent} - known.keys()
        known |= store.passages.lookup(sorted(parents))
    pages = {
        page: " ".join(form for form, _, _ in normal_forms(tokenizer()(page)))
        for page in {one.page for one in told.values() if one.page}
    }
    found = {}
    for passage, one in told.items():
        parts, above = [pages.get(one.page or "", ""), one.under or ""], one
        while above.parent in known and len(parts) < _LEVELS + 2:
            above = known[above.parent]
            parts.append(above.words)
        found[passage] = " ".join(parts)
    return found


def _wholes(store: Store, told: Mapping[str, IndexedPassage]) -> dict[str, IndexedPassage]:
    """For each rule that is given the one that it is part of, where that is given too."""
    given = {one.rule: one for one in told.values() if one.rule}
    above = _rules_above(store, given)
    return {rule: given[above[rule]] for rule in given if above.get(rule) in given}


def _rules_above(store: Store, rules: Iterable[str]) -> dict[str, str]:
    """For rules those that they are part of."""
    edges = store.edges(rules, "out", ["part_of"])
    return {edge.source: edge.target for edge in edges if edge.target}


def _sub_rules(store: Store, rules: Iterable[str], most: int) -> dict[str, str]:
    """The first sub-rules of each of some rules, each with the rule."""
    found: dict[str, str] = {}
    below: dict[str, set[str]] = defaultdict(set)
    for edge in store.edges(rules, "in", ["part_of"]):
        below[edge.target or ""].add(edge.source)
    for rule in sorted(below):
        first = sorted(below[rule], key=lambda one: number_key(one.rpartition("/")[2]))[:most]
        found |= dict.fromkeys(first, rule)
    return found
