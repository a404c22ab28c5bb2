"""Following edges: what can be reached, and how one node leads to another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from graphs.model import STRENGTH, Edge, Node
from graphs.store import Store

Path = list[Node | Edge]
_LONGEST = 8
_MOST_ROUTES = 400


def closure(
    store: Store, start: str, depth: int, direction: str = "both", kinds: Iterable[str] = ()
) -> list[Edge]:
    """The edges within `depth` steps of a node, each once, the nearest first."""
    found: dict[Edge, None] = {}
    seen, frontier, kinds = {start}, [start], list(kinds)
    for _ in range(depth):
        edges = store.edges(frontier, direction, kinds)
        found.update(dict.fromkeys(edges))
        reached = dict.fromkeys(
            end for edge in edges for end in (edge.source, edge.target) if end is not None
        )
        frontier = [end for end in reached if end not in seen]
        seen.update(frontier)
    return list(found)


def paths(store: Store, starts: Sequence[str], ends: Sequence[str], most: int) -> list[Path]:
    """The shortest ways from any of some nodes to any of others, as node, edge, node, …

    Edges are followed both ways; among ways of one length those over strong edges (see
    `STRENGTH`) come first.
    """
    first, last = set(store.keys(starts)), set(store.keys(ends))
    routes = list(_routes(store, first, last))
    names = store.ids({key for route in routes for key in route})
    nodes = store.get(names.values())
    between = _strongest(store, nodes)
    ways: list[tuple[tuple[int, list[str]], Path]] = []
    for route in routes:
        ids = [names[key] for key in route]
        edges = [between[frozenset(pair)] for pair in pairwise(ids)]
        way: Path = [nodes[ids[0]]]
        for edge, node_id in zip(edges, ids[1:], strict=True):
            way += [edge, nodes[node_id]]
        ways.append(((sum(STRENGTH[edge.kind] for edge in edges), ids), way))
    return [way for _, way in sorted(ways, key=lambda ranked: ranked[0])[:most]]


def _routes(store: Store, first: set[int], last: set[int]) -> Iterator[list[int]]:
    """Shortest routes as keys, found from both ends at once, at most some hundreds."""
    if not first or not last:
        return
    from_first, from_last = dict.fromkeys(first, 0), dict.fromkeys(last, 0)
    edge_first, edge_last = first, last
    while not (from_first.keys() & from_last.keys()):
        if not edge_first or not edge_last or len(from_first) + len(from_last) > 2_000_000:
            return
        steps = max(from_first.values()) + max(from_last.values())
        if steps >= _LONGEST:
            return
        if len(edge_first) <= len(edge_last):
            edge_first = _step(store, edge_first, from_first)
        else:
            edge_last = _step(store, edge_last, from_last)
    shortest = min(from_first[key] + from_last[key] for key in from_first.keys() & from_last.keys())
    for middle in sorted(from_first.keys() & from_last.keys()):
        if from_first[middle] + from_last[middle] == shortest:
            back = list(_descend(store, middle, from_first))
            on = list(_descend(store, middle, from_last))
            count = 0
            for before in back:
                for after in on:
                    if (count := count + 1) > _MOST_ROUTES:
                        return
                    yield before[::-1] + after[1:]


def _step(store: Store, frontier: set[int], seen: dict[int, int]) -> set[int]:
    """The next ring of nodes, with their distance put into `seen`."""
    distance = max(seen.values()) + 1
    ring = {other for _, other in store.neighbours(frontier) if other not in seen}
    seen.update(dict.fromkeys(ring, distance))
    return ring


def _descend(store: Store, key: int, distance: dict[int, int]) -> Iterator[list[int]]:
    """Routes from a node down to distance 0."""
    if distance[key] == 0:
        yield [key]
        return
    below = {
        other
        for _, other in store.neighbours([key])
        if distance.get(other, _LONGEST + 1) == distance[key] - 1
    }
    for other in sorted(below):
        for rest in _descend(store, other, distance):
            yield [key, *rest]


def _strongest(store: Store, nodes: dict[str, Node]) -> dict[frozenset[str], Edge]:
    """For each pair of neighbours among some nodes, the strongest edge between them."""
    between: dict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in store.edges(nodes, "out"):
        if edge.target in nodes:
            between[frozenset((edge.source, edge.target))].append(edge)
    return {
        pair: min(edges, key=lambda e: (STRENGTH[e.kind], e.evidence.passage, e.evidence.start))
        for pair, edges in between.items()
    }
