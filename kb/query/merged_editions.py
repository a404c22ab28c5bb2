"""Merges rules and passages of rulebooks that differ only by edition, for pictures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from graphs.model import Edge, Node, page_and_section
from graphs.natural_order import natural_key
from graphs.store.titles import PageTitle
from kb.query.references import ON_NO_PAGE


def merge_editions(
    nodes: Iterable[Node], edges: Iterable[Edge], pages: Mapping[str, PageTitle]
) -> tuple[list[Node], list[Edge], dict[str, str]]:
    """Return nodes and edges in which a rule, or a text on a rulebook's pages, stands once in each
    language, for all its editions; and {id of a node: id of the node that stands for it}.

    The newest edition's node stands for the others; its `edition` has all, with commas. Of edges
    that then have the same ends and words there is one. The order is kept.

    pages: the titles of the pages that passages stand on, by id; they say of which edition it is.

    >>> rules = [Node(f"x/{e}/5", "rule", edition=e, lang="en", number="5") for e in ("1", "2")]
    >>> [(node.id, node.edition) for node in merge_editions(rules, [], {})[0]]
    [('x/2/5', '1, 2')]
    """
    things: dict[tuple[str | None, ...], dict[str, Node]] = defaultdict(dict)
    for node in nodes:
        page = pages.get(page_and_section(node.id)[0]) if node.kind not in ON_NO_PAGE else None
        if page and page.edition:
            node = replace(node, edition=page.edition)
        things[_thing(node)].setdefault(node.id, node)
    merged: list[Node] = []
    stands_for: dict[str, str] = {}
    for thing in things.values():
        in_order = sorted(thing.values(), key=lambda node: natural_key(node.edition or ""))
        editions = ", ".join(dict.fromkeys(node.edition for node in in_order if node.edition))
        newest = in_order[-1]
        merged.append(replace(newest, edition=editions) if len(in_order) > 1 else newest)
        stands_for |= dict.fromkeys(thing, newest.id)
    return merged, _merged_edges(edges, stands_for), stands_for


def _thing(node: Node) -> tuple[str | None, ...]:
    """Return what a node has in common with the same node of another edition."""
    if not node.edition:
        return (node.id,)
    if node.kind == "rule":
        return node.kind, node.game, node.lang, node.number
    section = node.section_title
    return node.kind, node.game, node.source, node.lang, section, node.label, node.text


def _merged_edges(edges: Iterable[Edge], stands_for: dict[str, str]) -> list[Edge]:
    """Return edges between the nodes that stand for their ends, each with the same words once."""
    found: dict[tuple[object, ...], Edge] = {}
    for edge in edges:
        source = stands_for.get(edge.source, edge.source)
        target = edge.target and stands_for.get(edge.target, edge.target)
        key = edge.kind, source, target, edge.target_label, edge.evidence.text
        found.setdefault(key, replace(edge, source=source, target=target))
    return list(found.values())
