"""Finds the procedures of a term, with their steps in order."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.query.common_filters import Scope
from kb.query.find_nodes import unknown_ref
from kb.query.steps_and_outcomes import (
    Subject,
    find_subject,
    rules_about,
    statements_defining,
    with_evidence,
)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a procedure.

    n: its number in the procedure, from 1.
    text: what is to be done.
    node: the step's node.
    """

    n: int
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Procedure:
    """An ordered list of steps.

    node: the procedure's node.
    steps: its steps, in order.
    why: how it belongs to the term: it stands on the term's `page`, under the term's `rule`, or
        after an introduction that makes `mention` of the term.
    evidence: the passage that introduces it, and its words there.
    """

    node: Node
    steps: tuple[Step, ...]
    why: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Procedures:
    """The procedures of a term: those on its page, then under its rule, then mentioning it."""

    procedures: tuple[Procedure, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho steps --json` prints: `procedures`, a list of dicts.

        Each has `node` (as in `Node.as_json`), `steps` (a list of `{"n", "text", "node"}`), `why`,
        and `evidence` with `page`, `passage`, `start`, `end` and `text`.
        """
        return {
            "procedures": [
                {
                    "node": procedure.node.as_json(),
                    "steps": [
                        {"n": step.n, "text": step.text, "node": step.node.as_json()}
                        for step in procedure.steps
                    ],
                    "why": procedure.why,
                    "evidence": asdict(procedure.evidence),
                }
                for procedure in self.procedures
            ]
        }


def steps(store: Store, ref: str, scope: Scope) -> Procedures:
    """Return the procedures on a term's page, under its rule, or whose introduction mentions it.

    A procedure is returned once, for the first of these reasons; those on the page come first. The
    result may be empty.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Of a rulebook, only the procedures
        of one edition are returned: the scope's, or else the newest.

    Raises QuestionError if the reference names nothing.
    """
    subject = find_subject(store, ref, scope.game)
    if not subject.nodes:
        raise unknown_ref(store, ref)
    why: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for reason, procedures in (
        ("page", statements_defining(store, subject, "procedure")),
        (
            "rule",
            store.stated_in(
                "procedure", store.passages_giving(rules_about(store, subject, cited=True))
            ),
        ),
        ("mention", _mentioning(store, subject)),
    ):
        for node in procedures:
            why.setdefault(node.id, reason)
            nodes.setdefault(node.id, node)
    statements = list(with_evidence(store, nodes.values(), scope))
    order = ("page", "rule", "mention")
    statements.sort(key=lambda pair: order.index(why[pair[0].id]))
    return Procedures(
        tuple(
            Procedure(node, _steps(store, node), why[node.id], evidence)
            for node, evidence in statements
        )
    )


def _mentioning(store: Store, subject: Subject) -> list[Node]:
    """Return the procedures whose introduction mentions a subject's terms; in English also those
    whose introduction contains one of its names.

    English names (in ASCII) are found as whole words in either case, in the games of the subject's
    nodes, and only if it has terms. A procedure that is found both ways occurs twice.
    """
    found = store.procedures_on(subject.term_ids)
    english = [re.escape(name) for name in subject.names if name.isascii()]
    if english and subject.term_ids:
        games = sorted({node.game for node in subject.nodes if node.game})
        name_pattern = re.compile(rf"\b(?:{'|'.join(english)})\b", re.IGNORECASE)
        in_english = store.procedures_in("en", games)
        found += (node for node in in_english if name_pattern.search(node.label or ""))
    return found


def _steps(store: Store, procedure: Node) -> tuple[Step, ...]:
    """Return the steps of a procedure (given as its node), in order, without its other parts.

    A step without a number gets its position among all parts, from 1; without text it gets an
    empty one.
    """
    return tuple(
        Step(int(part.number or n), part.text or "", part)
        for n, part in enumerate(store.parts(procedure.id), 1)
        if part.kind == "step"
    )
