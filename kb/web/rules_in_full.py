"""A rule's sub-rules in full, in parts: for sections whose outline gives headings alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import kb
from kb.web.recent import recent
from kb.web.visit import Visit

_AT_ONCE = 100  # rules on a page
_MOST = 20_000  # rules that are read of a section


@dataclass(frozen=True)
class FullLine:
    """A sub-rule with its text, as a line of an outline.

    depth: 1 for the sub-rules of the rule that the list is of.
    """

    depth: int
    id: str
    number: str
    label: str | None
    text: str | None
    examples: tuple[str, ...]


def rules_in_full(visit: Visit, rule_id: str) -> tuple[list[FullLine], int, int, int | None]:
    """Return (sub-rules of a rule, where among all of them they begin, how many there are in all,
    where the next part begins); None if there is no more.

    The address says by `start` where the part begins.
    """
    every = recent(visit.base, ("rules in full", rule_id), lambda: _below(visit.base, rule_id))
    start, following = visit.part_of(len(every), _AT_ONCE)
    part = [_line(depth, rule) for depth, rule in every[start:following]]
    return part, start, len(every), following


def _below(base: kb.KnowledgeBase, rule_id: str) -> list[tuple[int, kb.Node]]:
    """Return (depth, rule) of all rules below a rule, in the order of their numbers."""
    found: list[tuple[int, kb.Node]] = []
    seen = {rule_id}  # a damaged file may go in circles
    waiting = [(1, part) for part in reversed(base.parts(rule_id))]
    while waiting and len(found) < _MOST:
        depth, rule = waiting.pop()
        if rule.id not in seen and rule.kind == "rule":
            seen.add(rule.id)
            found.append((depth, rule))
            waiting += [(depth + 1, part) for part in reversed(base.parts(rule))]
    return found


def _line(depth: int, rule: kb.Node) -> FullLine:
    details: Mapping[str, Any] = rule.details or {}
    examples = tuple(str(each) for each in details.get("examples", ()))
    return FullLine(depth, rule.id, rule.number or "", rule.label, rule.text, examples)
