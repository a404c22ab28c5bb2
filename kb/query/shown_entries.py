"""Merges the nodes that a reference names where they say the same, and adds their context."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphs.model import Node
from graphs.natural_order import natural_key
from graphs.store.reader import Store
from graphs.store.titles import section_headings
from kb.result import ID_ALONE

if TYPE_CHECKING:  # a look-up loads only what its kind of node needs: loading is most of its time
    from kb.query.rule_context import RuleContext
    from kb.query.term_profile import TermProfile

_MOST_COMPARED = 1_000  # sub-rules of a rule, in all editions
_OPENING = 6  # passages among which the first text of a page is looked for


@dataclass(frozen=True, slots=True)
class PageSummary:
    """What a page holds.

    sections: (level, heading) of its sections, in its order; those that are in no other have
        level 1.
    opening: its first text below its title that says something, and not only what the page is
        about; None if it has no text.
    """

    sections: tuple[tuple[int, str], ...]
    opening: str | None


@dataclass(frozen=True, slots=True)
class ChangedBelow:
    """Sub-rules of a rule that are not the same in two editions, by their numbers, in order.

    otherwise: those with another heading or text, not counting typography.
    in_one_only: those that only one of the editions has, or of which only one is loaded.
    """

    otherwise: tuple[str, ...]
    in_one_only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One thing that a reference names; editions of a rule in one language are one thing.

    node: the node; of a rule in several editions the newest.
    same: the rule of the same number in other editions, where heading and text are the same but for
        typography; newest first.
    different: the same for editions where they are not.
    changed_below: what is not the same of the rule's sub-rules, at any depth, in an edition in
        `same`, by the id of the rule there; an edition where all are is not in it. None if the
        rule has too many sub-rules to be compared, or none.
    rule, term, page: what belongs to a rule, to a term or card, or to a page; None for other kinds.
    """

    node: Node = field(metadata=ID_ALONE)
    same: tuple[Node, ...] = field(default=(), metadata=ID_ALONE)
    different: tuple[Node, ...] = field(default=(), metadata=ID_ALONE)
    rule: RuleContext | None = None
    term: TermProfile | None = None
    page: PageSummary | None = None
    changed_below: Mapping[str, ChangedBelow] | None = None


def shown_entries(store: Store, nodes: Iterable[Node]) -> tuple[ShownEntry, ...]:
    """Return some nodes as entries, in their order: a rule of one game, language and number is one
    entry, whatever the edition; every other node is one of its own."""
    groups: dict[tuple[str | None, ...], list[Node]] = defaultdict(list)
    for node in nodes:
        of_rule = node.kind == "rule" and node.edition
        key = ("rule", node.game, node.lang, node.number) if of_rule else ("node", node.id)
        groups[key].append(node)
    return tuple(_entry(store, group) for group in groups.values())


def _entry(store: Store, group: Sequence[Node]) -> ShownEntry:
    if group[0].kind == "rule":
        from kb.query.rule_context import rule_context

        rules = sorted(group, key=lambda node: node.edition or "", reverse=True)
        newest = rules[0]
        same = tuple(rule for rule in rules[1:] if _say_the_same(rule, newest))
        different = tuple(rule for rule in rules[1:] if rule not in same)
        context = rule_context(store, newest, rules)
        changed = _changed_below(store, newest, same) if same and context.sub_rules else None
        return ShownEntry(newest, same, different, rule=context, changed_below=changed)
    node = group[0]
    if node.kind in ("term", "card"):
        from kb.query.term_profile import term_profile

        return ShownEntry(node, term=term_profile(store, node))
    if node.kind == "page":
        return ShownEntry(node, page=_summary(store, node))
    return ShownEntry(node)


def _changed_below(
    store: Store, rule: Node, others: Sequence[Node]
) -> Mapping[str, ChangedBelow] | None:
    """Return for a rule in other editions which of its sub-rules are not the same, as in
    `ShownEntry.changed_below`."""
    from kb.language.typography import fold_typography
    from kb.query.rule_outline import rules_of_trees

    trees = rules_of_trees(store, [rule.id, *(other.id for other in others)], _MOST_COMPARED)
    if trees is None:
        return None
    said = {
        root: {
            row.number: (fold_typography(row.label or ""), fold_typography(row.text or ""))
            for row in rows
        }
        for root, rows in trees.items()
    }
    numbers = sorted(
        dict.fromkeys(n for of_tree in said.values() for n in of_tree), key=natural_key
    )
    here = said[rule.id]
    found: dict[str, ChangedBelow] = {}
    for other in others:
        there = said[other.id]
        in_both = here.keys() & there.keys()
        changed = ChangedBelow(
            tuple(n for n in numbers if n in in_both and here[n] != there[n]),
            tuple(n for n in numbers if n not in in_both and (n in here or n in there)),
        )
        if changed.otherwise or changed.in_one_only:
            found[other.id] = changed
    return found


def _say_the_same(rule: Node, other: Node) -> bool:
    """Whether headings and texts of two rules differ at most in typography."""
    if (rule.label, rule.text) == (other.label, other.text):
        return True
    from kb.language.typography import fold_typography

    pairs = (rule.label, other.label), (rule.text, other.text)
    return all(fold_typography(one or "") == fold_typography(two or "") for one, two in pairs)


def _summary(store: Store, page: Node) -> PageSummary:
    from kb.query.definitions import first_definition

    passages = store.first_passages(page.id, _OPENING)
    defining = first_definition(passages)
    opening = defining[0] if defining else next(iter(passages), None)
    headings = section_headings(store, page.id)
    return PageSummary(tuple(headings), opening.text if opening else None)
