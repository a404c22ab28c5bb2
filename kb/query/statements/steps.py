"""Finds the procedures of a term, with their steps in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import unknown_ref
from kb.query.lookup.passage_places import Place, find_places
from kb.query.statements.steps_and_outcomes import (
    MOST_MENTIONS,
    Statement,
    Subject,
    collect_statements,
    find_subject,
    left_out_by_filters,
    mentions_left_out,
    quotations_left_out,
    rules_about,
    rules_quoted_from_elsewhere,
    statements_defining,
)
from kb.reason import LeftOut
from kb.result import ListResult, columns

# A rule's number, of several levels, at the beginning of a step.
_RULE_NUMBER = re.compile(r"^\s*\d+(?:[.-]\d+)+[a-z]{0,2}\.?\s+")
_REASONS = ("page", "rule", "mention")  # how a procedure belongs to a term, the closest first


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a procedure.

    n: its number in the procedure, from 1.
    text: what is to be done.
    node: the step's node.
    rule: the number of the rule that the step is, with which its text begins; empty if it is an
        item of a list.
    """

    n: int
    text: str
    node: Node
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Procedure:
    """An ordered list of steps.

    node: the procedure's node.
    steps: its steps, in order.
    why: how it belongs to the term: it stands on the term's `page`, under the term's `rule`, or
        after an introduction that makes `mention` of the term.
    evidence: the passage that introduces it, and its words there.
    place: where that passage stands.
    same: where else the same procedure stands: other editions, captures and pages.
    """

    node: Node
    steps: tuple[Step, ...]
    why: str
    evidence: Evidence
    place: Place
    same: tuple[Place, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Procedures(ListResult[Procedure], items="procedures", item="procedure"):
    """The procedures of a term: those on its page, then under its rule, then mentioning it.

    also: what was left out: procedures of older editions, and those of other rules that the
        term's page only quotes; and if there are no procedures, how many the filters leave out.
    """

    procedures: tuple[Procedure, ...]
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns("procedure n text why step notice")

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for procedure in self.procedures:
            for step in procedure.steps:
                yield {
                    "procedure": procedure.node.label,
                    "n": step.n,
                    "text": step.text,
                    "why": procedure.why,
                    "step": step.node.id,
                    "notice": step.node.notice,
                }


def steps(store: Store, ref: str, scope: Scope) -> Procedures:
    """Return the procedures on a term's page, under its rule, or whose introduction mentions it.

    A procedure is returned once, for the first of these reasons; those on the page come first. The
    result may be empty. What several editions have in the same words is one procedure.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Without an edition in it, procedures
        that a newer edition words otherwise are left out; `also` says so.

    Raises NotFoundError if the reference names nothing.
    """
    procedures, also = _found(store, ref, scope)
    if not procedures:
        also += left_out_by_filters(
            scope, "procedure", lambda wider: len(_found(store, ref, wider)[0])
        )
    return Procedures(tuple(procedures), tuple(also))


def _found(store: Store, ref: str, scope: Scope) -> tuple[list[Procedure], list[LeftOut]]:
    """Return the procedures of what a reference names, those on its page first, then those under
    its rule, then those that mention it, and what was left out of them; arguments and errors as for
    `steps`."""
    subject = find_subject(store, ref, scope.game)
    if not subject.nodes:
        raise unknown_ref(store, ref, Scope(game=scope.game))
    on_page = statements_defining(store, subject, "procedure")
    quoted = rules_quoted_from_elsewhere(store, subject, on_page)
    under_rule = store.stated_in(
        "procedure", store.passages_giving(rules_about(store, subject, cited=True))
    )
    why: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for reason, procedures in (
        ("page", [node for node in on_page if node.id not in quoted]),
        ("rule", under_rule),
        ("mention", _mentioning(store, subject)),
    ):
        for node in procedures:
            why.setdefault(node.id, reason)
            nodes.setdefault(node.id, node)
    parts = {
        node_id: [part for part in store.parts(node_id) if part.kind == "step"] for node_id in nodes
    }
    statements, outdated = collect_statements(
        store,
        nodes.values(),
        scope,
        lambda node: (node.label or "", *(_numberless(part) for part in parts[node.id])),
    )
    reasons = {
        statement.node.id: min((why[key] for key in statement.ids), key=_REASONS.index)
        for statement in statements
    }
    statements.sort(key=lambda statement: _REASONS.index(reasons[statement.node.id]))
    rules = _rule_numbers(store, [p.id for s in statements for p in parts[s.node.id]])
    only_quoted = [
        place for key, place in quoted.items() if key not in nodes and scope.includes(place)
    ]
    return [
        _procedure(statement, parts[statement.node.id], reasons[statement.node.id], rules)
        for statement in statements
    ], [
        *quotations_left_out(only_quoted, "steps"),
        *outdated,
        *mentions_left_out(store, subject, "procedure", scope),
    ]


def _procedure(
    statement: Statement, parts: list[Node], why: str, rules: Mapping[str, str]
) -> Procedure:
    """Return a procedure with its steps; `rules` has the numbers of the steps that are rules.

    A step without a number gets its position, from 1; without text it gets an empty one.
    """
    return Procedure(
        statement.node,
        tuple(
            Step(int(part.number or n), part.text or "", part, rules.get(part.id, ""))
            for n, part in enumerate(parts, 1)
        ),
        why,
        statement.evidence,
        statement.place,
        statement.same,
    )


def _mentioning(store: Store, subject: Subject) -> list[Node]:
    """Return the procedures whose introduction mentions a subject's terms; in English also those
    whose introduction contains one of its names.

    English names (in ASCII) are found as whole words in either case, in the games of the subject's
    nodes, and only if it has terms. A procedure that is found both ways occurs twice.
    """
    found = store.procedures_on(subject.term_ids, MOST_MENTIONS)
    english = [re.escape(name) for name in subject.names if name.isascii()]
    if english and subject.term_ids:
        games = sorted({node.game for node in subject.nodes if node.game})
        name_pattern = re.compile(rf"\b(?:{'|'.join(english)})\b", re.IGNORECASE)
        in_english = store.procedures_in("en", games)
        found += (node for node in in_english if name_pattern.search(node.label or ""))
    return found


def _rule_numbers(store: Store, steps: list[str]) -> dict[str, str]:
    """Return {id of a step: the number of the rule that it is, or "" for an item of a list} for the
    steps whose passage is there. steps: their ids."""
    passages = {
        edge.source: edge.evidence.passage for edge in store.edges(steps, "out", ["part_of"])
    }
    places = find_places(store, set(passages.values()))
    return {step: places[passage].number for step, passage in passages.items() if passage in places}


def _numberless(step: Node) -> str:
    """Return the text of a step without the number of the rule that it begins with, if any."""
    return _RULE_NUMBER.sub("", step.text or "")
