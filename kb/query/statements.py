"""Which procedures and outcomes belong to a name: shared by `steps` and `outcomes`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.language.fold import fold, plain
from kb.query.lookup import edition_of, find
from kb.query.scope import Scope

_NUMBER = re.compile(r"\d+$")


# -- what a name stands for ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subject:
    """What a person's words name: nodes, the terms among them, and all names of these."""

    nodes: tuple[Node, ...]
    terms: tuple[str, ...]
    names: tuple[str, ...]


def find_subject(store: Store, ref: str, game: str | None) -> Subject:
    """What a reference names in a game, or in any; its nodes are none if nothing has the name."""
    nodes = tuple(find(store, ref, Scope(game=game)))
    found = [node for node in nodes if node.kind in {"term", "card"}]
    labels = [label.text for node in found for label in node.labels if label.role != "reading"]
    names = dict.fromkeys([plain(ref), *(plain(text) for text in labels), ref.strip(), *labels])
    return Subject(nodes, tuple(node.id for node in found), tuple(names))


def stated_on_pages(store: Store, subject: Subject, kind: str) -> list[Node]:
    """What is stated on the pages and sections that define a term or are called so.

    A glossary defines all terms of a rulebook: of it the one entry counts, not the page.
    """
    within = [node.id for node in subject.nodes if node.kind in {"page", "section"}]
    entries = []
    definers = store.get(edge.source for edge in store.edges(subject.terms, "in", ["defines"]))
    for node in definers.values():
        if node.kind in {"page", "section"}:
            within.append(node.id)
        elif node.section and node.source != "rulebook":
            within.append(node.section)
        else:
            entries.append(node.id)
    inside = (part for place in dict.fromkeys(within) for part in store.inside(place)[0])
    found = [node for node in store.get(inside).values() if node.kind == kind]
    return found + store.stated_in(kind, entries)


def rules_of(store: Store, subject: Subject, cited: bool = False) -> list[str]:
    """The rules that are headed by a term's name, and those that its definition cites."""
    games = {node.game for node in subject.nodes}
    rules = [node for node in subject.nodes if node.kind == "rule"]
    for name in subject.names if subject.terms else ():
        rules += (node for node in store.labelled(fold(name)) if node.kind == "rule")
    found = [node.id for node in rules if node.game in games]
    if cited and subject.terms:
        glosses = [edge.source for edge in store.edges(subject.terms, "in", ["defines"])]
        passages = [n.id for n in store.get(glosses).values() if n.source == "rulebook"]
        found += (edge.target for edge in store.edges(passages, "out", ["cites"]) if edge.target)
    return list(dict.fromkeys(found))


# -- what is stated, and where --------------------------------------------------------------


def with_evidence(
    store: Store, nodes: Iterable[Node], scope: Scope
) -> Iterator[tuple[Node, Evidence]]:
    """Statements and the passages that make them, in the order of the pages.

    Of a rulebook that is there in several editions, those of one edition: the newest, if none
    is asked for.
    """
    wanted = replace(scope, edition=None)  # the page has the edition, not the statement
    found = {node.id: node for node in nodes if wanted.includes(node)}
    edges = {edge.source: edge.evidence for edge in store.edges(found, "out", ["part_of"])}
    pages = store.get({evidence.page for evidence in edges.values()})
    edition = edition_of(store, scope.edition) if scope.edition else None
    newest: dict[tuple[str | None, str | None], str] = {}
    for page in pages.values():
        key = page.game, page.lang
        newest[key] = max(page.edition or "", newest.get(key, ""))
    order = {evidence.passage: place for place, evidence in enumerate(edges.values())}
    for node_id in sorted(edges, key=lambda one: (order[edges[one].passage], _counted(one))):
        node, evidence = found[node_id], edges[node_id]
        page = pages[evidence.page]
        if page.edition in (None, edition or newest[page.game, page.lang]):
            yield node, _words(node, evidence)


def _counted(node_id: str) -> int:
    """The number at the end of the id of a statement."""
    number = _NUMBER.search(node_id)
    return int(number[0]) if number else 0


def _words(node: Node, evidence: Evidence) -> Evidence:
    """The very words of a statement within its passage."""
    start = evidence.text.find(node.text) if node.text else -1
    if not node.text or start < 0:
        return evidence
    return replace(evidence, start=start, end=start + len(node.text), text=node.text)
