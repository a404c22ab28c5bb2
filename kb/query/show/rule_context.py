"""Says where a rule stands, what it cites and what cites it, and lists its sub-rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphs.model import Edge, Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.references import citing
from graphs.store.rule_versions import (
    RuleRow,
    rules_above_each,
    rules_below,
    rules_beside_each,
)
from kb.query.lookup.passage_places import entry_names
from kb.reason import Reason, again
from kb.result import UNREPORTED, reported_as
from scraper.rulebook.numbering import Key, number_key

_RULEBOOK = "rulebook"  # the source of rulebooks


@dataclass(frozen=True, slots=True)
class RuleName:
    """A rule by its number and heading.

    id: None if the rule is cited and not in the knowledge base.
    label: None if it has no heading, or none is known.
    """

    id: str | None
    number: str
    label: str | None


@dataclass(frozen=True, slots=True)
class CitedBy:
    """How much cites a rule, in whatever edition and language: as many as `refs` lists.

    rules: the numbers of the rules that do, sorted: in their newest versions; of the versions of
        one edition those in that edition.
    entries: how many entries of glossaries, by their headwords.
    pages: how many pages of wikis, and other sections of rulebooks.
    earlier: how many of all these cite only versions that a newer one has taken the place of.
    """

    rules: tuple[str, ...]
    entries: int
    pages: int
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class RuleContext:
    """A rule among the others of its edition.

    place: the chapter and section that it is part of, the outermost first.
    previous, next: its neighbours on its level; for the first and the last rule of a section, the
        section and what comes after it. None at the ends of the rulebook.
    sub_rules: its direct sub-rules, with their texts; the document has their numbers and headings.
    cites: the rules that it cites, each once, in the order of its text.
    cited_by: what cites it.
    """

    place: tuple[RuleName, ...]
    previous: RuleName | None
    next: RuleName | None
    sub_rules: tuple[RuleRow, ...] = field(metadata=UNREPORTED)
    cites: tuple[RuleName, ...]
    cited_by: CitedBy

    @reported_as("sub_rules")
    def names_of_sub_rules(self) -> tuple[RuleName, ...]:
        """The ids, numbers and headings of the direct sub-rules."""
        return tuple(map(_name, self.sub_rules))


def rule_contexts(
    store: Store, rules: Sequence[Node], versions: Mapping[str, Sequence[str]]
) -> dict[str, RuleContext]:
    """Return {id: where a rule stands, what it cites, and what cites it} for some rules, which are
    looked up together.

    versions: by the id of a rule, the ids of the versions of it that are shown; what cites any of
        them is counted in `cited_by`.
    """
    ids = [rule.id for rule in rules]
    above = rules_above_each(store, ids)
    neighbours = _neighbours(store, above)
    below = rules_below(store, ids)
    cites = store.edges(ids, "out", ["cites"])
    cited = store.get({edge.target for edge in cites if edge.target})
    cited_by = {of: _cited_by(store, of) for of in {tuple(versions[rule]) for rule in ids}}
    return {
        rule: RuleContext(
            tuple(map(_name, above[rule])),
            *neighbours[rule],
            tuple(sorted(below.get(rule, []), key=_order)),
            _cited_rules((edge for edge in cites if edge.source == rule), cited),
            cited_by[tuple(versions[rule])],
        )
        for rule in ids
    }


def _neighbours(
    store: Store, above: Mapping[str, Sequence[RuleRow]]
) -> dict[str, tuple[RuleName | None, RuleName | None]]:
    """Return {id of a rule: (the rule before it, the one after it)}: the siblings, for the first of
    a section the section, for the last what comes after it; None at the ends of the rulebook.

    above: by the id of a rule, the rules that it is part of, the outermost first.
    """
    beside = rules_beside_each(store, above)
    before: dict[str, RuleRow | None] = {}
    after: dict[str, RuleRow | None] = {}
    for rule, parents in above.items():
        previous, after[rule] = _beside(rule, beside.get(rule, ()))
        before[rule] = previous or (parents[-1] if parents else None)
    # Of those that are the last of a section, what comes after it; if that is the last, too, what
    # comes after what it is in.
    for up in range(1, max(map(len, above.values()), default=0) + 1):
        parent_of = {
            rule: parents[-up].id
            for rule, parents in above.items()
            if not after[rule] and len(parents) >= up
        }
        beside = rules_beside_each(store, parent_of.values())
        after |= {rule: _beside(of, beside.get(of, ()))[1] for rule, of in parent_of.items()}
    return {rule: (_name_of(before[rule]), _name_of(after[rule])) for rule in above}


def _beside(rule: str, rows: Iterable[RuleRow]) -> tuple[RuleRow | None, RuleRow | None]:
    """Return the siblings before and after a rule by their numbers; None for one that it has not.

    rows: the rule and its siblings.
    """
    siblings = sorted(rows, key=_order)
    place = next((i for i, sibling in enumerate(siblings) if sibling.id == rule), None)
    if place is None:
        return None, None
    before = siblings[place - 1] if place else None
    after = siblings[place + 1] if place + 1 < len(siblings) else None
    return before, after


def cited_rules(store: Store, ids: Iterable[str]) -> tuple[RuleName, ...]:
    """Return the rules that some nodes cite, each number once, in the order in which they first
    cite them; one that is not loaded has the number as it is cited. ids: of the nodes."""
    edges = store.edges(ids, "out", ["cites"])
    return _cited_rules(edges, store.get({edge.target for edge in edges if edge.target}))


def _cited_rules(edges: Iterable[Edge], nodes: Mapping[str, Node]) -> tuple[RuleName, ...]:
    found: dict[str, RuleName] = {}
    for edge in edges:
        node = nodes.get(edge.target or "")
        number = (node.number if node else None) or edge.target_label
        found.setdefault(number, RuleName(edge.target, number, node.label if node else None))
    return tuple(found.values())


def _cited_by(store: Store, rules: Sequence[str]) -> CitedBy:
    found = citing(store, rules, _RULEBOOK)
    names = entry_names(store, {each.id for each in found if each.id and not each.rule})
    newest: dict[str, str] = {}  # by language, of the cited rule
    for version in sorted(rules, key=lambda each: edition_key(each.split("/")[2])):
        newest[version.split("/")[3]] = version
    is_of_one_edition = len({version.split("/")[2] for version in rules}) == 1
    numbers: dict[str, str | None] = {}
    entries: set[object] = set()
    pages: set[object] = set()
    now: set[object] = set()
    for each in found:
        place: object = each.rule
        if each.rule:
            numbers[each.rule] = each.own_number if is_of_one_edition else each.number
        elif each.in_rulebook and each.id:
            name = names[each.id]
            place = name.lang, name.headword or name.section
            (entries if name.headword else pages).add(place)
        else:
            place = each.page
            pages.add(place)
        # Pages of wikis are no editions.
        if each.target in newest.values() or not each.in_rulebook:
            now.add(place)
    return CitedBy(
        tuple(sorted(filter(None, numbers.values()), key=_number_order)),
        len(entries),
        len(pages),
        len({*numbers, *entries, *pages} - now),
    )


def _name(rule: RuleRow) -> RuleName:
    return RuleName(rule.id, rule.number, rule.label)


def _name_of(rule: RuleRow | None) -> RuleName | None:
    return _name(rule) if rule else None


def _order(rule: RuleRow) -> tuple[int, Key, str]:
    return _number_order(rule.number)


def _number_order(number: str) -> tuple[int, Key, str]:
    """The order of a rule's number; numbers that can't be read come last."""
    try:
        return 0, number_key(number), number
    except (ValueError, IndexError):
        return 1, (), number


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
    everything = list(_walk(root, _all_below(store, [rule.id]) or {}))
    below = _counts(everything)
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
    children = _all_below(store, roots, most)
    if children is None:
        return None
    return {
        root: [row for _, row in _walk(RuleRow(root, "", None, None), children)][1:]
        for root in roots
    }


def _all_below(
    store: Store, rules: Sequence[str], most: int | None = None
) -> dict[str, list[RuleRow]] | None:
    """Return {rule: its sub-rules, sorted} for some rules and all that are below them, at any
    depth, of those that have any; None if more than `most` are. rules: their ids; so are the
    keys."""
    children: dict[str, list[RuleRow]] = {}
    level, number = rules, 0
    while level:
        found = rules_below(store, level)
        new = {parent: sorted(rows, key=_order) for parent, rows in found.items()}
        children.update((parent, rows) for parent, rows in new.items() if parent not in children)
        # A damaged file may go in circles.
        level = [row.id for rows in new.values() for row in rows if row.id not in children]
        number += len(level)
        if most is not None and number > most:
            return None
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


def _counts(rules: Sequence[tuple[int, RuleRow]]) -> dict[str, int]:
    """Return {rule: how many rules are below it}. rules: (depth, rule), as `_walk` yields them."""
    counts: dict[str, int] = {}
    above: list[str] = []
    for depth, row in rules:
        del above[depth:]
        for rule in above:
            counts[rule] += 1
        counts[row.id] = 0
        above.append(row.id)
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
