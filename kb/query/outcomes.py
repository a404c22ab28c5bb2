"""The outcomes stated on a term: what happens on which condition."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.query.lookup import unknown_ref
from kb.query.scope import Scope
from kb.query.statements import find_subject, rules_of, stated_on_pages, with_evidence
from kb.query.table_result import Table, TableResult, table_row

_FORMS = ("{}", "「{}」", "《{}》", "“{}”", "the {}", "a {}", "an {}")  # of a subject


@dataclass(frozen=True, slots=True)
class Outcome:
    """If `condition`, then `result`, for `subject`. `exception_to` is the id of another
    outcome, or the words to which this is an exception."""

    subject: str
    condition: str
    result: str
    modality: str
    exception_to: str | None
    node: Node
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Outcomes(TableResult):
    """The outcomes on a term, in the order in which its pages state them."""

    outcomes: tuple[Outcome, ...]

    def table(self) -> Table:
        """A row an outcome, with the passage that states it."""
        return Table(
            tuple(
                table_row(
                    game=one.node.game,
                    subject=one.subject,
                    condition=one.condition,
                    result=one.result,
                    modality=one.modality,
                    exception_to=one.exception_to,
                    passage=one.evidence.passage,
                    notice=one.node.notice,
                )
                for one in self.outcomes
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho outcomes --json` prints it."""
        return {
            "outcomes": [
                {
                    "subject": found.subject,
                    "condition": found.condition,
                    "result": found.result,
                    "modality": found.modality,
                    "exception_to": found.exception_to,
                    "node": found.node.as_json(),
                    "evidence": asdict(found.evidence),
                }
                for found in self.outcomes
            ]
        }


def outcomes(store: Store, ref: str, scope: Scope) -> Outcomes:
    """The outcomes on a term's page, under its rule, or whose subject is the term."""
    subject = find_subject(store, ref, scope.game)
    found = stated_on_pages(store, subject, "outcome")
    found += store.stated_in("outcome", store.giving(rules_of(store, subject)))
    subjects = [form.format(name) for name in subject.names for form in _FORMS]
    games = {node.game for node in subject.nodes}
    found += (
        node
        for node in store.outcomes_on(subject.terms, subjects)
        if not games or node.game in games
    )
    if not found:  # a glossary's entry says where the rules on it are
        found = store.stated_in("outcome", store.giving(rules_of(store, subject, cited=True)))
    if not found and not subject.nodes:
        raise unknown_ref(store, ref)
    said = with_evidence(store, {node.id: node for node in found}.values(), scope)
    return Outcomes(tuple(_outcome(node, evidence) for node, evidence in said))


def _outcome(node: Node, evidence: Evidence) -> Outcome:
    said = node.details or {}
    return Outcome(
        said.get("subject", ""),
        said.get("condition", ""),
        said.get("result", ""),
        said.get("modality", ""),
        said.get("exception_to"),
        node,
        evidence,
    )
