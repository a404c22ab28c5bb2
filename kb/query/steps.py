"""The procedures that belong to a term, step by step."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.query.lookup import unknown_ref
from kb.query.scope import Scope
from kb.query.statements import Subject, find_subject, rules_of, stated_on_pages, with_evidence


@dataclass(frozen=True, slots=True)
class Step:
    """One of the things that a procedure asks to be done, counted from 1."""

    n: int
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Procedure:
    """An order of steps. `why` says how it belongs to the term: it stands on the term's
    `page`, under its `rule`, or its introduction makes `mention` of it."""

    node: Node
    steps: tuple[Step, ...]
    why: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Procedures:
    """The procedures that belong to a term."""

    procedures: tuple[Procedure, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho steps --json` prints it."""
        return {
            "procedures": [
                {
                    "node": found.node.as_json(),
                    "steps": [
                        {"n": s.n, "text": s.text, "node": s.node.as_json()} for s in found.steps
                    ],
                    "why": found.why,
                    "evidence": asdict(found.evidence),
                }
                for found in self.procedures
            ]
        }


def steps(store: Store, ref: str, scope: Scope) -> Procedures:
    """The procedures on a term's page, under its rule, or that its name introduces."""
    subject = find_subject(store, ref, scope.game)
    if not subject.nodes:
        raise unknown_ref(store, ref)
    why: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for reason, found in (
        ("page", stated_on_pages(store, subject, "procedure")),
        ("rule", store.stated_in("procedure", store.giving(rules_of(store, subject, cited=True)))),
        ("mention", _introduced(store, subject)),
    ):
        for node in found:
            why.setdefault(node.id, reason)
            nodes.setdefault(node.id, node)
    said = list(with_evidence(store, nodes.values(), scope))
    order = ("page", "rule", "mention")
    said.sort(key=lambda pair: order.index(why[pair[0].id]))
    return Procedures(
        tuple(
            Procedure(node, _steps(store, node), why[node.id], evidence) for node, evidence in said
        )
    )


def _introduced(store: Store, subject: Subject) -> list[Node]:
    """The procedures whose introduction speaks of a term; in English, by its very name."""
    found = store.procedures_on(subject.terms)
    english = [re.escape(name) for name in subject.names if name.isascii()]
    if english and subject.terms:
        games = sorted({node.game for node in subject.nodes if node.game})
        word = re.compile(rf"\b(?:{'|'.join(english)})\b", re.IGNORECASE)
        procedures = store.procedures_in("en", games)
        found += (node for node in procedures if word.search(node.label or ""))
    return found


def _steps(store: Store, node: Node) -> tuple[Step, ...]:
    return tuple(
        Step(int(part.number or n), part.text or "", part)
        for n, part in enumerate(store.parts(node.id), 1)
        if part.kind == "step"
    )
