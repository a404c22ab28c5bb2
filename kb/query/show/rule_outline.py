"""Lists a rule with all its sub-rules, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.rule_rows import RuleRow, rules_below
from kb.query.show.rule_context import sorted_by_number
from kb.reason import Reason, again

# By hand: what a person scrolls through. A section of rules mostly has fewer; a chapter, and
# Magic's section 702 of 700 rules, have more.
_MAX_RULES = 200  # in full; of a longer part only headings are listed
_MAX_LINES = 250  # headings


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """A rule in an outline.

    depth: 0 for the rule that the outline is of, 1 for its sub-rules, and so on.
    text: None where the outline gives headings alone.
    below: how many rules are below it, at any depth.
    examples: the texts of its examples; none where the outline gives headings alone.
    """

    depth: int
    id: str
    number: str
    label: str | None
    text: str | None
    below: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleOutline:
    """A rule with its sub-rules.

    lines: the rule and its sub-rules, in the order of their numbers; of a long chapter only those
        down to some depth, without their texts.
    rules: how many rules there are below the rule, at any depth.
    full: whether `lines` has them all, with their texts.
    more: how to see the rest; None if `full`.
    """

    lines: tuple[OutlineLine, ...]
    rules: int
    full: bool
    more: Reason | None = None


def rule_outline(store: Store, rule: Node) -> RuleOutline:
    """Return a rule with all its sub-rules, in the order of their numbers; with more than 200
    rules, itself among them, only the headings of the upper levels, 250 at most, the beginning of
    the text for one without, and how to see more."""
    root = RuleRow(rule.id, rule.number or "", rule.label, rule.text)
    children = _all_below(store, rule.id)
    below = _counts(rule.id, children)
    everything = list(_walk(root, children))
    if len(everything) <= _MAX_RULES:
        nodes = store.get(row.id for _, row in everything)
        lines = [
            OutlineLine(
                depth,
                row.id,
                row.number,
                row.label,
                row.text,
                below[row.id],
                tuple((nodes[row.id].details or {}).get("examples", ())),
            )
            for depth, row in everything
        ]
        return RuleOutline(tuple(lines), below[rule.id], True)
    depth = _deepest_level(everything)
    shown = [(level, row) for level, row in everything if level <= depth]
    lines = [
        OutlineLine(level, row.id, row.number, row.label or _beginning(row), None, below[row.id])
        for level, row in shown[:_MAX_LINES]
    ]
    example = next(
        (line.number for line in lines if line.depth == depth and line.below), rule.number or ""
    )
    more = Reason("rules_below", again(ref=example))
    return RuleOutline(tuple(lines), below[rule.id], False, more)


def rules_of_trees(
    store: Store, roots: Sequence[str], most: int
) -> dict[str, list[RuleRow]] | None:
    """Return {rule: all rules below it, at any depth, in no order}; None if all trees together have
    more than `most` rules.

    roots: the ids of the rules, each of another edition, so that no rule is below two.
    """
    found: dict[str, list[RuleRow]] = {root: [] for root in roots}
    root_of = {root: root for root in roots}
    level: Sequence[str] = roots
    while level:
        below = rules_below(store, level)
        level = []
        for parent, rows in below.items():
            for row in rows:
                if row.id not in root_of:  # a damaged file may go in circles
                    root_of[row.id] = root_of[parent]
                    found[root_of[parent]].append(row)
                    level.append(row.id)
        if len(root_of) - len(roots) > most:
            return None
    return found


def _all_below(store: Store, rule: str) -> dict[str, list[RuleRow]]:
    """Return {rule: its sub-rules, sorted} for a rule and all that are below it, at any depth, of
    those that have any. rule: its id; so are the keys."""
    children: dict[str, list[RuleRow]] = {}
    level = [rule]
    while level:
        found = rules_below(store, level)
        new = {parent: sorted_by_number(rows) for parent, rows in found.items()}
        children.update((parent, rows) for parent, rows in new.items() if parent not in children)
        level = [row.id for rows in new.values() for row in rows if row.id not in children]
    return children


def _walk(root: RuleRow, children: Mapping[str, list[RuleRow]]) -> Iterator[tuple[int, RuleRow]]:
    """Yield (depth, rule) for a rule and all below it, in the order of their numbers, each once,
    though a damaged file goes in circles; the depth of `root` is 0."""
    seen = set()
    stack = [(0, root)]
    while stack:
        depth, row = stack.pop()
        if row.id in seen:
            continue
        seen.add(row.id)
        yield depth, row
        stack += [(depth + 1, child) for child in reversed(children.get(row.id, []))]


def _counts(root: str, children: Mapping[str, list[RuleRow]]) -> dict[str, int]:
    """Return {rule: how many rules are below it} for a rule and all below it."""
    counts = {root: 0}
    order = [root]
    for rule in order:  # grows while it is read: parents come before their sub-rules
        for child in children.get(rule, []):
            if child.id not in counts:
                counts[child.id] = 0
                order.append(child.id)
    parents = {child.id: rule for rule in order for child in children.get(rule, [])}
    for rule in reversed(order[1:]):
        counts[parents[rule]] += counts[rule] + 1
    return counts


def _deepest_level(rules: list[tuple[int, RuleRow]]) -> int:
    """Return the deepest level down to which there are few enough rules for a list, 250 at most; 1
    if there are more on that already. rules: (level, rule), at least one."""
    deepest = max(depth for depth, _ in rules)
    for level in range(deepest, 1, -1):
        if sum(depth <= level for depth, _ in rules) <= _MAX_LINES:
            return level
    return 1


def _beginning(row: RuleRow) -> str | None:
    """The first words of a rule without a heading, on one line, of at most 60 characters, the last
    … if it is cut; empty without a text."""
    text = " ".join((row.text or "").split())
    return text if len(text) <= 60 else text[:59] + "…"
