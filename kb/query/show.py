"""Shows the nodes that a reference names, merged where they say the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from graphs.store.references import claim_editions
from kb.language.fold import fold
from kb.query.common_filters import Scope
from kb.query.find_nodes import find_nodes, resolve_edition, unknown_ref
from kb.query.shown_entries import ShownEntry, shown_entries
from kb.reason import Ask, LeftOut, Reason
from kb.result import ListResult, columns
from scraper.rulebook.languages import begins_example
from scraper.rulebook.numbering import parse_number

if TYPE_CHECKING:
    from kb.query.page_content import PageContent
    from kb.query.rule_outline import RuleOutline

_UNDATED = {"term", "card"}  # kinds of nodes that pages of several editions name


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture of a page.

    place: the file that it was read from.
    url: its URL.
    taken: when it was taken, as its manifest or the server says; empty if neither does.
    form: its form, such as `html`.
    why_not: why the page is not read from this capture but from another; empty for the capture
        that the page is read from.
    """

    place: str
    url: str
    taken: str
    form: str
    why_not: str


@dataclass(frozen=True, slots=True, repr=False)
class Shown(ListResult[Node]):
    """The nodes that a reference names.

    matches: the nodes, the likeliest first.
    near: if there are none, names to suggest, the likeliest first.
    captures: the captures of the pages among the nodes, by the page's id, the fittest first.
    examples: the examples of the rules among the nodes, by the rule's id, in the order of the page:
        evidence with the passage of each.
    entries: the same nodes, each with what belongs to it; editions of a rule in one language are
        one entry.
    tree: if asked for, the rule of each entry with all its sub-rules, by the rule's id.
    contents: the whole text of each section among the nodes, by its id; if asked for with `tree`,
        of each page, too.
    also: what the reference also names and is not among the nodes.
    why_none: if there are no nodes, the reason, and what may help.
    """

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()
    captures: Mapping[str, tuple[Capture, ...]] = field(default_factory=dict)
    examples: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    entries: tuple[ShownEntry, ...] = ()
    tree: Mapping[str, RuleOutline] = field(default_factory=dict)
    also: tuple[LeftOut, ...] = ()
    why_none: Reason | None = None
    contents: Mapping[str, PageContent] = field(default_factory=dict)

    _ITEM = "node"
    _COLUMNS = columns("kind game lang edition number label names=labels.text text id notice")

    def _items(self) -> tuple[Node, ...]:
        return self.matches


def show(store: Store, ref: str, scope: Scope, tree: bool = False) -> Shown:
    """Return the nodes that a reference names, and the captures of the pages among them.

    ref, scope: as for `find_nodes`; but a term or card is in an edition if a page of that edition
        names or defines it. tree: give the sub-rules of rules, too, and the whole text of pages.

    If nothing is found, nothing is raised: `matches` is empty, `near` has names to suggest and
    `why_none` the reason.
    """
    nodes = _find(store, ref, scope)
    if not nodes:
        unknown = unknown_ref(store, ref, scope)
        return Shown((), unknown.near, why_none=unknown.reason)
    entries = shown_entries(store, nodes)
    return Shown(
        tuple(nodes),
        captures={node.id: _captures(store, node.id) for node in nodes if node.kind == "page"},
        examples=_examples(store, nodes),
        entries=entries,
        tree=_outlines(store, entries) if tree else {},
        also=_in_other_languages(store, ref, scope, nodes),
        contents=_contents(store, nodes, tree),
    )


def _in_other_languages(
    store: Store, ref: str, scope: Scope, nodes: Iterable[Node]
) -> tuple[LeftOut, ...]:
    """Return the rules that are found rules in another language, where a heading was looked for:
    each number and language once. A number finds all languages by itself."""
    rules = [node for node in nodes if node.kind == "rule"]
    if scope.lang or parse_number(ref) or any(node.id == ref.strip() for node in rules):
        return ()
    known = {(node.game, node.number, node.lang) for node in rules}
    editions = {(node.game, node.number, node.edition) for node in rules}
    found: dict[tuple[str | None, ...], LeftOut] = {}
    for number in sorted({node.number for node in rules if node.number}):
        for node in store.find_by_number(number):
            key = node.game, node.number, node.lang
            if key not in known and (node.game, node.number, node.edition) in editions:
                ask = Ask("show", ref=number, lang=node.lang)
                reason = Reason("other_heading", ask, lang=node.lang)
                found.setdefault(key, LeftOut(node.id, reason))
    return tuple(found.values())


def _contents(store: Store, nodes: Iterable[Node], tree: bool) -> dict[str, PageContent]:
    """Return {id: what it says} of the sections among some nodes; with `tree` of pages, too."""
    whole = [node for node in nodes if node.kind == "section" or (tree and node.kind == "page")]
    if not whole:
        return {}
    from kb.query.page_content import page_content

    return {node.id: page_content(store, node) for node in whole}


def _outlines(store: Store, entries: Iterable[ShownEntry]) -> dict[str, RuleOutline]:
    """Return {rule: the rule with its sub-rules} for the rules among some entries."""
    from kb.query.rule_outline import rule_outline

    rules = (entry.node for entry in entries if entry.node.kind == "rule")
    return {rule.id: rule_outline(store, rule) for rule in rules}


def _find(store: Store, ref: str, scope: Scope) -> list[Node]:
    """Return the nodes that a reference names. Terms and cards have no edition of their own: they
    are in those of the pages that name or define them."""
    undated = replace(scope, edition=None)
    nodes = find_nodes(store, ref, undated)
    if nodes and nodes[0].id == ref.strip():
        return nodes
    if nodes and nodes[0].kind == "rule":  # a number may be a name, too: of a card, a page
        named = store.find_by_label(fold(ref))
        known = {node.id for node in nodes}
        nodes += [node for node in named if node.id not in known and undated.includes(node)]
    if scope.edition:
        edition = resolve_edition(store, scope.edition)
        nodes = [
            node
            for node in nodes
            if node.edition == edition
            or (node.kind in _UNDATED and edition in claim_editions(store, node.id))
        ]
    return nodes


def _examples(store: Store, nodes: Iterable[Node]) -> dict[str, tuple[Evidence, ...]]:
    """Return the examples of the rules among some nodes, by the rule's id, in the order in which
    they stand; rules without examples are left out."""
    rules = [node.id for node in nodes if node.kind == "rule"]
    examples: dict[str, list[Evidence]] = defaultdict(list)
    for edge in store.edges(rules, "in", ["quotes"]):
        if edge.target and begins_example(edge.evidence.text):
            examples[edge.target].append(edge.evidence)
    return {
        rule: tuple(sorted(of_rule, key=lambda e: (e.page, int(e.passage.rpartition("¶")[2]))))
        for rule, of_rule in examples.items()
    }


def _captures(store: Store, page: str) -> tuple[Capture, ...]:
    """Return the captures of a page, the fittest first.

    page: the page's id. Captures that the page is not read from are included, with the reason in
        `why_not`. The result is empty if no capture of it is recorded.
    """
    from kb.building.best_capture import reason_not_chosen  # only for pages: it takes time to load

    records = [record for _, record in store.provenance.captures(page)]
    best = next((record.fitness for record in records if record.chosen), "")
    return tuple(
        Capture(
            record.place,
            record.url,
            record.taken,
            record.form,
            reason_not_chosen(record.fitness, best),
        )
        for record in records
    )
