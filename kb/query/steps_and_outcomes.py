"""Finds the procedures and outcomes that belong to a name, for `steps` and `outcomes`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.language.fold import fold, plain
from kb.query.common_filters import Scope
from kb.query.find_nodes import find_nodes, resolve_edition

_NUMBER = re.compile(r"\d+$")


# -- the subject --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subject:
    """What a reference names.

    nodes: the nodes that it names; empty if there are none.
    term_ids: the ids of the terms and cards among them.
    names: the reference and all names of these terms and cards, without readings.
    """

    nodes: tuple[Node, ...]
    term_ids: tuple[str, ...]
    names: tuple[str, ...]


def find_subject(store: Store, ref: str, game: str | None) -> Subject:
    """Return what a reference names in a game, or in any game if `game` is None.

    If it names nothing, `nodes` and `term_ids` are empty, and `names` has the reference alone.
    """
    nodes = tuple(find_nodes(store, ref, Scope(game=game)))
    terms = [node for node in nodes if node.kind in {"term", "card"}]
    labels = [label.text for term in terms for label in term.labels if label.role != "reading"]
    names = dict.fromkeys([plain(ref), *(plain(text) for text in labels), ref.strip(), *labels])
    return Subject(nodes, tuple(term.id for term in terms), tuple(names))


def statements_defining(store: Store, subject: Subject, kind: str) -> list[Node]:
    """Return the statements (nodes of a kind, `procedure` or `outcome`) on the pages and sections
    that define a subject or have its name.

    If a passage defines the subject, the statements in the passage's whole section are returned;
    but in a rulebook, whose glossary defines all terms, only those of that passage. A statement
    may occur twice.
    """
    places = [node.id for node in subject.nodes if node.kind in {"page", "section"}]
    entries = []
    definers = store.get(edge.source for edge in store.edges(subject.term_ids, "in", ["defines"]))
    for definer in definers.values():
        if definer.kind in {"page", "section"}:
            places.append(definer.id)
        elif definer.section and definer.source != "rulebook":
            places.append(definer.section)
        else:
            entries.append(definer.id)
    parts = (part for place in dict.fromkeys(places) for part in store.contents(place)[0])
    statements = [node for node in store.get(parts).values() if node.kind == kind]
    return statements + store.stated_in(kind, entries)


def rules_about(store: Store, subject: Subject, cited: bool = False) -> list[str]:
    """Return the ids of the rules that a subject names or that have its name as their heading.

    They are in the games of the subject's nodes; sub-rules are not added.

    cited: also the rules that a rulebook's glossary cites where it defines the subject.
    """
    games = {node.game for node in subject.nodes}
    rules = [node for node in subject.nodes if node.kind == "rule"]
    for name in subject.names if subject.term_ids else ():
        rules += (node for node in store.find_by_label(fold(name)) if node.kind == "rule")
    ids = [rule.id for rule in rules if rule.game in games]
    if cited and subject.term_ids:
        definers = [edge.source for edge in store.edges(subject.term_ids, "in", ["defines"])]
        entries = [n.id for n in store.get(definers).values() if n.source == "rulebook"]
        ids += (edge.target for edge in store.edges(entries, "out", ["cites"]) if edge.target)
    return list(dict.fromkeys(ids))


# -- evidence -----------------------------------------------------------------------------


def with_evidence(
    store: Store, nodes: Iterable[Node], scope: Scope
) -> Iterator[tuple[Node, Evidence]]:
    """Yield (statement, the words of the passage that states it), in the order of the pages.

    Statements outside the scope are left out. If a rulebook is there in several editions, only
    the statements of one edition are returned: the scope's, or else the newest. Statements on
    pages without an edition are yielded in any case.

    nodes: statements, such as procedures or outcomes.
    """
    # The edition is a field of the page, not of the statement.
    without_edition = replace(scope, edition=None)
    statements = {node.id: node for node in nodes if without_edition.includes(node)}
    edges = {edge.source: edge.evidence for edge in store.edges(statements, "out", ["part_of"])}
    pages = store.get({evidence.page for evidence in edges.values()})
    edition = resolve_edition(store, scope.edition) if scope.edition else None
    newest: dict[tuple[str | None, str | None], str] = {}
    for page in pages.values():
        key = page.game, page.lang
        newest[key] = max(page.edition or "", newest.get(key, ""))
    order = {evidence.passage: place for place, evidence in enumerate(edges.values())}
    for node_id in sorted(edges, key=lambda key: (order[edges[key].passage], _final_number(key))):
        statement, evidence = statements[node_id], edges[node_id]
        page = pages[evidence.page]
        if page.edition in (None, edition or newest[page.game, page.lang]):
            yield statement, _narrowed(statement, evidence)


def _final_number(node_id: str) -> int:
    """Return the number at the end of a statement's id, or 0."""
    number = _NUMBER.search(node_id)
    return int(number[0]) if number else 0


def _narrowed(statement: Node, evidence: Evidence) -> Evidence:
    """Return evidence narrowed to the statement's own text, or unchanged if it lacks that text.

    evidence: a whole passage: the narrowed span counts from the start of its text.
    """
    start = evidence.text.find(statement.text) if statement.text else -1
    if not statement.text or start < 0:
        return evidence
    return replace(evidence, start=start, end=start + len(statement.text), text=statement.text)
