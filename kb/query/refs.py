"""Lists the edges at a node, and those that are more steps away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from graphs.breadth_first import closure
from graphs.model import Edge, EdgeKind, Node
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.query.graph_result import GraphResult
from kb.query.table_result import Table, TableResult, table_row


@dataclass(frozen=True, slots=True)
class Refs(TableResult, GraphResult):
    """The edges at a node.

    node: the node.
    edges: its edges, nearer ones first.
    depths: how many steps away each edge is, from 1, in the same order.
    nodes: the nodes at the ends of all these edges, by id.
    parts: if the node was taken together with its parts (a rule's sub-rules, a page's passages),
        the `part_of` and `quotes` edges that join these parts, for a graph or a picture.
    """

    node: Node
    edges: tuple[Edge, ...]
    depths: tuple[int, ...]
    nodes: Mapping[str, Node]
    parts: tuple[Edge, ...] = ()

    def table(self) -> Table:
        """Return a table with a row per edge and its evidence: the words and their passage.

        The column `depth` is empty if all edges are equally far away.
        """
        several = len(set(self.depths)) > 1
        return Table(
            tuple(
                table_row(
                    depth=depth if several else None,
                    kind=edge.kind,
                    source=edge.source,
                    target=edge.target or edge.target_label,
                    status=edge.status,
                    words=edge.evidence.text,
                    passage=edge.evidence.passage,
                    notice=self.nodes[edge.source].notice if edge.source in self.nodes else None,
                )
                for edge, depth in zip(self.edges, self.depths, strict=True)
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho refs --json` prints: `node`, `edges` and `depths`, with
        the node and the edges as in their `as_json`."""
        return {
            "node": self.node.as_json(),
            "edges": [edge.as_json() for edge in self.edges],
            "depths": list(self.depths),
        }

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        return [self.node, *self.nodes.values()], (*self.edges, *self.parts)


def refs(
    store: Store, node: Node, direction: str, kinds: tuple[str, ...], depth: int, with_parts: bool
) -> Refs:
    """Return the edges at a node; for a page or section those of all its parts.

    direction: `in` (edges whose target is the node), `out` (whose source it is) or `both`.
    kinds: only edges of these kinds; all kinds if empty.
    depth: how many steps to follow, 1 for the node's own edges; a page's or section's edges are
        followed one step only.
    with_parts: take rules together with their sub-rules. Their `part_of` edges are then left out
        of `edges` unless `kinds` names them.

    Raises QuestionError for a kind that there is not.
    """
    if unknown := sorted(set(kinds) - set(get_args(EdgeKind))):
        known = ", ".join(get_args(EdgeKind))
        raise QuestionError(f"no kind of edge {unknown[0]}; there are: {known}")
    if node.kind in {"page", "section"}:
        rings = [_page_edges(store, node, direction, kinds)]
    else:
        rings = list(closure(store, node.id, depth, direction, kinds, with_parts))
    edges = tuple(edge for ring in rings for edge in ring)
    depths = tuple(steps for steps, ring in enumerate(rings, 1) for _ in ring)
    ends = {end for edge in edges for end in (edge.source, edge.target) if end}
    parts: tuple[Edge, ...] = ()
    if with_parts or node.kind in {"page", "section"}:
        passages = {edge.evidence.passage for edge in edges} - ends
        quotes = [edge for edge in store.edges(passages, "out", ["quotes"]) if edge.target in ends]
        parts = (*_joining_edges(store, {node.id, *ends, *passages}), *quotes)
    ends |= {end for edge in parts for end in (edge.source, edge.target) if end}
    return Refs(node, edges, depths, store.get(ends), parts)


def _joining_edges(store: Store, nodes: set[str]) -> Iterator[Edge]:
    """Return the `part_of` edges on the way from each of some nodes (given by their ids) up to
    the nearest other one that it is part of, if there is one.

    Nodes without such another one give no edges. If a node on the way has several `part_of` edges,
    only the first is followed. No edge occurs twice.
    """
    above: dict[str, Edge] = {}
    ring = nodes
    while ring:
        edges = store.edges(ring, "out", ["part_of"])
        above |= {edge.source: edge for edge in reversed(edges)}
        ring = {edge.target for edge in edges if edge.target} - above.keys()
    joined: dict[Edge, None] = {}
    for node in sorted(nodes):
        passed: list[Edge] = []
        while (edge := above.get(node)) and edge.target and edge not in passed:
            passed.append(edge)
            node = edge.target
            if node in nodes:
                joined |= dict.fromkeys(passed)
                break
    return iter(joined)


def _page_edges(store: Store, node: Node, direction: str, kinds: tuple[str, ...]) -> list[Edge]:
    """Return the edges of all parts of a page or section, and of the rules given there.

    direction: `in`, `out` or `both`, as seen from the parts and rules.

    The `part_of` edges of the page's own structure are left out unless `kinds` names them.
    """
    inside, rules = store.contents(node.id)
    within = set(inside)
    return [
        edge
        for edge in store.edges([*inside, *rules], direction, kinds)
        if (edge.kind != "part_of" or "part_of" in kinds)
        and (edge.evidence.passage in within or edge.target in within)
    ]
