"""Says where a rule stands in its rulebook, what it cites and what cites it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphs.edition_order import edition_key
from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.references import citing
from graphs.store.rule_rows import RuleRow, rules_above, rules_below, rules_beside
from kb.query.lookup.passage_places import entry_names
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


def rule_context(store: Store, rule: Node, versions: Sequence[str]) -> RuleContext:
    """Return where a rule stands, what it cites, and what cites it.

    rule: the rule whose place counts.
    versions: the ids of the versions of the rule; what cites any of them is counted in `cited_by`.
    """
    above = rules_above(store, rule.id)
    previous, following = _neighbours(store, rule.id, above)
    below = rules_below(store, [rule.id]).get(rule.id, [])
    return RuleContext(
        tuple(map(_name, above)),
        previous,
        following,
        tuple(sorted(below, key=_order)),
        cited_rules(store, [rule.id]),
        _cited_by(store, versions),
    )


def _neighbours(
    store: Store, rule: str, above: Sequence[RuleRow]
) -> tuple[RuleName | None, RuleName | None]:
    """Return the rule before a rule and the one after it: the siblings, for the first of a section
    the section, for the last what comes after it; None at the ends of the rulebook.

    above: the rules that it is part of, the outermost first.
    """
    before, after = _beside(store, rule)
    previous = before or (above[-1] if above else None)
    for parent in reversed(above):
        if after:
            break
        after = _beside(store, parent.id)[1]
    return _name(previous) if previous else None, _name(after) if after else None


def _beside(store: Store, rule: str) -> tuple[RuleRow | None, RuleRow | None]:
    """Return the siblings before and after a rule by their numbers; None for one that it has
    not."""
    siblings = sorted(rules_beside(store, rule), key=_order)
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
    nodes = store.get({edge.target for edge in edges if edge.target})
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


def _order(rule: RuleRow) -> tuple[int, Key, str]:
    return _number_order(rule.number)


def _number_order(number: str) -> tuple[int, Key, str]:
    """The order of a rule's number; numbers that can't be read come last."""
    try:
        return 0, number_key(number), number
    except (ValueError, IndexError):
        return 1, (), number


def sorted_by_number(rules: Iterable[RuleRow]) -> list[RuleRow]:
    """Return rules in the order of their numbers: 120.9 before 120.10."""
    return sorted(rules, key=_order)
