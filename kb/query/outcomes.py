"""Finds the outcomes stated on a term: what happens on which condition."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.query.common_filters import Scope
from kb.query.find_nodes import unknown_ref
from kb.query.steps_and_outcomes import (
    find_subject,
    rules_about,
    statements_defining,
    with_evidence,
)
from kb.query.table_result import Table, TableResult, table_row

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
    """

    subject: str
    condition: str
    result: str
    modality: str
    exception_to: str | None
    node: Node
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Outcomes(TableResult):
    """The outcomes stated on a term, in the order of the pages."""

    outcomes: tuple[Outcome, ...]

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
        the fields of `Outcome`.

        In each, `node` is as in `Node.as_json`, and `evidence` has `page`, `passage`, `start`,
        `end` and `text`.
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
                }
                for outcome in self.outcomes
            ]
        }


def outcomes(store: Store, ref: str, scope: Scope) -> Outcomes:
    """Return the outcomes stated on a term's page, under its rule, or with the term as subject.

    If there are none, the outcomes under the rules that a rulebook's glossary cites for the term
    are returned. The result may be empty.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Of a rulebook, only the outcomes of
        one edition are returned: the scope's, or else the newest.

    Raises QuestionError if the reference names nothing and nothing is stated of it.
    """
    subject = find_subject(store, ref, scope.game)
    nodes = statements_defining(store, subject, "outcome")
    nodes += store.stated_in("outcome", store.passages_giving(rules_about(store, subject)))
    subjects = [form.format(name) for name in subject.names for form in _SUBJECT_FORMS]
    games = {node.game for node in subject.nodes}
    nodes += (
        node
        for node in store.outcomes_on(subject.term_ids, subjects)
        if not games or node.game in games
    )
    if not nodes:  # a glossary's entry only refers to the rules
        nodes = store.stated_in(
            "outcome", store.passages_giving(rules_about(store, subject, cited=True))
        )
    if not nodes and not subject.nodes:
        raise unknown_ref(store, ref)
    statements = with_evidence(store, {node.id: node for node in nodes}.values(), scope)
    return Outcomes(tuple(_outcome(node, evidence) for node, evidence in statements))


def _outcome(node: Node, evidence: Evidence) -> Outcome:
    """Return the outcome that a node stands for.

    node: a node of kind `outcome`; a part that its `details` lack is empty.
    evidence: the words of the passage that states it, as `with_evidence` yields them.
    """
    details = node.details or {}
    return Outcome(
        details.get("subject", ""),
        details.get("condition", ""),
        details.get("result", ""),
        details.get("modality", ""),
        details.get("exception_to"),
        node,
        evidence,
    )
