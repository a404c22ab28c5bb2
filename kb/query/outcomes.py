"""Finds the outcomes stated on a term: what happens on which condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.query.common_filters import Scope
from kb.query.find_nodes import unknown_ref
from kb.query.left_out import LeftOut, left_out_as_json
from kb.query.list_result import ListResult
from kb.query.places import Place
from kb.query.steps_and_outcomes import (
    Statement,
    Subject,
    collect_statements,
    find_subject,
    quotations_left_out,
    rules_about,
    rules_quoted_from_elsewhere,
    statements_defining,
)
from kb.query.table_result import Table, table_row

_SUBJECT_FORMS = ("{}", "「{}」", "《{}》", "“{}”", "the {}", "a {}", "an {}")  # of a name


@dataclass(frozen=True, slots=True)
class Outcome:
    """A statement of the form "if condition, then result".

    subject: what it is about, in the words of the page.
    condition, result: its two parts; empty if not stated.
    modality: `must`, `may`, `cannot` or `is`.
    exception_to: the id of the outcome, or the words, to which this is an exception, or None.
    node: the outcome's node.
    evidence: the passage that states it, and its words there.
    place: where that passage stands.
    same: where else the same is stated: other editions, captures and pages.
    """

    subject: str
    condition: str
    result: str
    modality: str
    exception_to: str | None
    node: Node
    evidence: Evidence
    place: Place
    same: tuple[Place, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Outcomes(ListResult[Outcome]):
    """The outcomes stated on a term, in the order of the pages, each once.

    also: what was left out: outcomes of older editions, and those of other rules that the term's
        page only quotes.
    """

    outcomes: tuple[Outcome, ...]
    also: tuple[LeftOut, ...] = ()

    _ITEM = "outcome"

    def _items(self) -> tuple[Outcome, ...]:
        return self.outcomes

    def table(self) -> Table:
        """Return a table with a row per outcome and the passage that states it.

        The columns are `game`, `subject`, `condition`, `result`, `modality`, `exception_to`,
        `passage` (its id) and `notice`.
        """
        return Table(
            tuple(
                table_row(
                    game=outcome.node.game,
                    subject=outcome.subject,
                    condition=outcome.condition,
                    result=outcome.result,
                    modality=outcome.modality,
                    exception_to=outcome.exception_to,
                    passage=outcome.evidence.passage,
                    notice=outcome.node.notice,
                )
                for outcome in self.outcomes
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho outcomes --json` prints: `outcomes`, a list of dicts with
        the fields of `Outcome`, and `also`.

        In each, `node` is as in `Node.as_json`, `evidence` has `page`, `passage`, `start`, `end`
        and `text`; `place` and `same` are as in `Place.as_json`.
        """
        return {
            "outcomes": [
                {
                    "subject": outcome.subject,
                    "condition": outcome.condition,
                    "result": outcome.result,
                    "modality": outcome.modality,
                    "exception_to": outcome.exception_to,
                    "node": outcome.node.as_json(),
                    "evidence": asdict(outcome.evidence),
                    "place": outcome.place.as_json(),
                    "same": [place.as_json() for place in outcome.same],
                }
                for outcome in self.outcomes
            ],
            "also": left_out_as_json(self.also),
        }


def outcomes(store: Store, ref: str, scope: Scope) -> Outcomes:
    """Return the outcomes stated on a term's page, under its rule, or with the term as subject.

    If there are none, the outcomes under the rules that a rulebook's glossary cites for the term
    are returned. The result may be empty. What several editions or captures state in the same
    words is one outcome.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Without an edition in it, outcomes
        that a newer edition words otherwise are left out; `also` says so.

    Raises QuestionError if the reference names nothing and nothing is stated of it.
    """
    subject = find_subject(store, ref, scope.game)
    on_page = statements_defining(store, subject, "outcome")
    quoted = rules_quoted_from_elsewhere(store, subject, on_page)
    nodes = [node for node in on_page if node.id not in quoted]
    nodes += store.stated_in("outcome", store.passages_giving(rules_about(store, subject)))
    nodes += _on_subject(store, subject)
    if not nodes:  # a glossary's entry only refers to the rules
        nodes = store.stated_in(
            "outcome", store.passages_giving(rules_about(store, subject, cited=True))
        )
    if not nodes and not subject.nodes:
        raise unknown_ref(store, ref)
    found = {node.id for node in nodes}
    only_quoted = [place for node_id, place in quoted.items() if node_id not in found]
    statements, outdated = collect_statements(store, nodes, scope, _content)
    ids = {key: statement.node.id for statement in statements for key in statement.ids}
    return Outcomes(
        tuple(_outcome(statement, ids) for statement in statements),
        (*quotations_left_out(only_quoted, "outcomes"), *outdated),
    )


def _on_subject(store: Store, subject: Subject) -> list[Node]:
    """Return the outcomes whose subject is a term or any of its names, in its games."""
    subjects = [form.format(name) for name in subject.names for form in _SUBJECT_FORMS]
    games = {node.game for node in subject.nodes}
    return [
        node
        for node in store.outcomes_on(subject.term_ids, subjects)
        if not games or node.game in games
    ]


def _content(node: Node) -> tuple[str, ...]:
    """Return the texts of an outcome that say what it states."""
    details = node.details or {}
    parts = (str(details.get(part) or "") for part in ("condition", "result", "modality"))
    return node.label or "", *parts


def _outcome(statement: Statement, ids: Mapping[str, str]) -> Outcome:
    """Return an outcome; a part that the details of its node lack is empty.

    ids: {id of an outcome: id of the one that stands for it}; what it is an exception to becomes
        the latter.
    """
    details = statement.node.details or {}
    exception_to = details.get("exception_to")
    return Outcome(
        details.get("subject", ""),
        details.get("condition", ""),
        details.get("result", ""),
        details.get("modality", ""),
        ids.get(exception_to, exception_to) if exception_to else None,
        statement.node,
        statement.evidence,
        statement.place,
        statement.same,
    )
