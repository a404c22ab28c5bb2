"""Draw the surroundings of a node as a picture: select the nodes and edges that are shown.

`wide` and `narrow` put them in their places, `lettering` says what is written in the boxes, `svg`
and `png` write it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from graphs.errors import DrawError
from graphs.model import EdgeKind
from graphs.natural_order import NaturalKey, natural_key
from graphs.networkx_view import structured
from graphs.picture.captions import Said, Words, kind_in_words
from graphs.picture.layout import DrawnEdge, DrawnGraph, columns_around
from graphs.picture.narrow import narrow_scene
from graphs.picture.picture import Picture, left_out_remark
from graphs.picture.scene import Scene
from graphs.picture.styles import EDGE_STYLES, NOT_LOADED, UNDIRECTED
from graphs.picture.wide import wide_scene
from graphs.walks import COST

if TYPE_CHECKING:
    import networkx as nx

# What a dangling edge costs more than others of its kind, so that of equal ones those to nodes that
# are loaded are drawn first. By hand: less than what a link costs more than a citation (`COST`).
_DANGLING_COST = 2


def draw(
    graph: nx.MultiDiGraph[str],
    centre: str | Iterable[str] | None = None,
    most: int = 24,
    columns: Mapping[str, int] | None = None,
    remarks: Iterable[str | Said] = (),
) -> Picture:
    """Return a picture of a graph as `KnowledgeBase.graph` and the results' `graph` return it.

    centre: the id of the node in the middle, or the ids of several, which the graph has; if None or
        empty, the node with the most edges, of several the first by id. Ignored if there are
        `columns`.
    most: how many nodes are drawn at most, 1 or more: those that the strongest edges connect to the
        centre, or to the starts. Nodes that no edges connect to these are never drawn.
    columns: {id: column} of every node, from left to right: starts are in column 0 and ends in
        the last one. If None, the centre is in the middle, nodes that lead to it are on its left,
        and nodes that it leads to on its right.

    remarks: to show below the picture, between how many nodes are left out and the notices of those
        that are shown; empty ones are left out.

    Raises DrawError if the graph is empty.

    >>> from networkx import MultiDiGraph
    >>> graph = MultiDiGraph()
    >>> graph.add_nodes_from([("a", {"kind": "rule"}), ("b", {"kind": "rule"})])
    >>> key = graph.add_edge("a", "b", kind="cites")
    >>> draw(graph)
    <a picture: nodes 2, edges 1>
    """
    if not graph:
        raise DrawError("there is nothing to draw: no node")
    strongest = _strongest_edges(graph)
    if columns is None:
        centres = [centre] if isinstance(centre, str) else list(centre or ())
        highlighted = set(centres or [max(sorted(graph), key=graph.degree)])
        predecessors = _nearest_nodes(strongest, highlighted, most)
        columns = columns_around(predecessors, _outward_nodes(strongest, highlighted))
    else:
        highlighted = {node for node in graph if columns[node] in (0, max(columns.values()))}
        starts = {node for node in graph if not columns[node]}
        predecessors = _nearest_nodes(strongest, starts, most)
    edges = [edge for edge in strongest if {edge.source, edge.target} <= predecessors.keys()]
    left_out = len(graph) - len(predecessors)
    nodes = {node: graph.nodes[node] for node in predecessors}
    notices = {fields["notice"] for fields in nodes.values() if fields.get("notice")}
    more = [left_out_remark(left_out)] if left_out else []
    shown = [remark for remark in (*more, *remarks, *sorted(notices)) if remark]
    drawn = DrawnGraph(nodes, predecessors, columns, edges, highlighted, shown, {})
    return Picture(partial(_scene, drawn), len(predecessors), len(edges), left_out)


def _scene(drawn: DrawnGraph, narrow: bool, words: Words) -> Scene:
    """Return a graph as a picture, for a narrow page or a wide one."""
    not_loaded = {"place": kind_in_words(NOT_LOADED, words)}
    nodes = {
        node: fields if fields.get("kind") else {**fields, **not_loaded}
        for node, fields in drawn.nodes.items()
    }
    worded = replace(drawn, nodes=nodes, words=words)
    return narrow_scene(worded) if narrow else wide_scene(worded)


def _strongest_edges(graph: nx.MultiDiGraph[str]) -> list[DrawnEdge]:
    """Return, for each pair of connected nodes, the edge that costs least and how many there are;
    of edges that cost the same, the first by its kind's name, then by its source.

    Both directions count together. An edge costs what its kind costs in a path, and more if its
    target is not loaded. The kind of a `same_concept` whose relation is `close` is given as
    `close_concept`. Edges from a node to itself are ignored.

    graph: as `draw` takes it; a node without a `kind` counts as not loaded
    """
    strongest: dict[frozenset[str], DrawnEdge] = {}
    for source, target, data in graph.edges(data=True):
        if source != target:
            kind: EdgeKind = data["kind"]
            cost = COST[kind] + _DANGLING_COST * ("kind" not in graph.nodes[target])
            close = (structured(data, "details") or {}).get("relation") == "close"
            edge = DrawnEdge(source, target, "close_concept" if close else kind, cost)
            pair = frozenset((source, target))
            known = strongest.get(pair, edge._replace(number=0))
            best = min(known, edge, key=lambda edge: (edge.cost, edge.kind, edge.source))
            strongest[pair] = best._replace(number=known.number + 1)
    return list(strongest.values())


def _outward_nodes(edges: Iterable[DrawnEdge], centre: Collection[str]) -> set[str]:
    """Return the nodes to which edges lead from the centre; an undirected edge leads both ways.

    centre: the ids of one or more nodes
    """
    undirected = {
        edge.source for edge in edges if edge.target in centre and edge.kind in UNDIRECTED
    }
    return undirected | {edge.target for edge in edges if edge.source in centre}


def _nearest_nodes(edges: Iterable[DrawnEdge], starts: Iterable[str], most: int) -> dict[str, str]:
    """Return {node: its predecessor on the cheapest way from any start} of the nearest nodes.

    Nodes are sorted by what the way costs, then by the kind of the last edge, in the order of
    EDGE_STYLES, then by name. Of ways that are equal in the first two, the one whose last edge
    stands for more edges is taken. A start is its own predecessor. There are `most` nodes at most,
    starts included; edges are followed in both directions, and nodes that none connects to a start
    are left out.
    """
    edges_at: dict[str, list[DrawnEdge]] = defaultdict(list)
    for edge in edges:
        edges_at[edge.source].append(edge)
        edges_at[edge.target].append(edge)
    kinds = list(EDGE_STYLES)
    # (cost, kind of the last edge, minus the number of edges, sortable name, node, predecessor)
    queue = sorted((0, 0, 0, natural_key(start), start, start) for start in starts)
    reached: dict[str, tuple[int, int, NaturalKey, str]] = {}
    while queue and len(reached) < most:
        cost, kind, _, name, node, predecessor = heappop(queue)
        if node not in reached:
            reached[node] = cost, kind, name, predecessor
            for edge in edges_at[node]:
                other = edge.target if edge.source == node else edge.source
                rank = kinds.index(edge.kind), -edge.number, natural_key(other)
                heappush(queue, (cost + edge.cost, *rank, other, node))
    return {
        node: reached[node][-1] for node in sorted(reached, key=lambda node: reached[node][:-1])
    }
