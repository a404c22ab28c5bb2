"""How one node leads to another: the ways that cost least.

An edge costs by its kind, and more, the more edges of its kind stand at one of its ends: that a
rule cites another says much of both, that it mentions a term that every page mentions says little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import inf
from operator import itemgetter

from graphs.model import STRENGTH, Edge, EdgeKind, Node
from graphs.store.reader import Store

Path = list[Node | Edge]
Route = tuple[int, ...]
Group = tuple[EdgeKind, bool]  # the edges of a kind at a node: out of it (True), or into it

COST: Mapping[EdgeKind, int] = {
    "defines": 4, "cites": 4, "redirects_to": 4, "same_concept": 4, "quotes": 4, "succeeds": 4,
    "translates": 4, "part_of": 5, "links_to": 8, "mentions": 12,
}  # fmt: skip
_MORE = 8  # what a way may cost beyond the least, to be told beside it
_MOST_COST = 120  # of a way; beyond it everything leads to everything
_MOST_NODES = 40_000  # that are looked at before the search is given up
_MOST_ROUTES = 400  # of one cost that are told apart


def paths(
    store: Store, starts: Sequence[str], ends: Sequence[str], most: int
) -> list[tuple[int, Path]]:
    """The ways from any of some nodes to any of others, as node, edge, node, …, each with its cost:
    the least of all first, then those that cost little more. Edges are followed both ways."""
    weights = _Weights(store)
    found = _routes(store, weights, set(store.keys(starts)), set(store.keys(ends)))
    routes = list(islice(found, most))
    names = store.ids({key for _, route in routes for key in route})
    nodes = store.get(names.values())
    ways = []
    for cost, route in routes:
        way: Path = [nodes[names[route[0]]]]
        for key, other in pairwise(route):
            way += [_cheapest(store, weights, key, other), nodes[names[other]]]
        ways.append((cost, way))
    return ways


class _Weights:
    """What edges cost. How many of a kind stand at a node is looked up once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._groups: dict[int, dict[Group, int]] = {}

    def look_at(self, keys: Iterable[int]) -> None:
        """Look up what stands at some nodes."""
        new: dict[int, dict[Group, int]] = {key: {} for key in keys if key not in self._groups}
        self._groups |= new
        for key, kind, out, number in self._store.degrees(new):
            self._groups[key][kind, out] = number

    @property
    def looked_at(self) -> int:
        """How many nodes."""
        return len(self._groups)

    def groups(self, key: int) -> Iterable[Group]:
        """What stands at a node that was looked at."""
        return self._groups[key]

    def least(self, key: int, group: Group) -> int:
        """What an edge of a group costs, as far as this end of it tells."""
        return COST[group[0]] + (self._groups[key][group] - 1).bit_length()

    def of(self, key: int, other: int, group: Group) -> int:
        """What an edge of a group costs that leads to another node."""
        kind, out = group
        return max(self.least(key, group), self.least(other, (kind, not out)))


class _Side:
    """What is reached from one end, nearest first (Dijkstra), all of one cost at a time.

    The edges of a group are read when half of what they cost at least is due: from the other side
    the other half is covered. Those of a page that defines thousands of cards are never read,
    where there is a better way.
    """

    def __init__(self, store: Store, weights: _Weights, keys: set[int]) -> None:
        self._store, self._weights = store, weights
        self.cost = dict.fromkeys(keys, 0)
        self._before: dict[int, set[int]] = {key: set() for key in keys}
        self._reached: dict[int, set[int]] = {0: set(keys)}
        self._due: dict[int, dict[Group, list[int]]] = {}

    @property
    def next(self) -> float:
        """The least cost at which anything is left to reach or to read."""
        return min((*self._reached, *self._due), default=inf)

    def step(self) -> Iterator[tuple[int, int, int]]:
        """Go on to the next cost; gives each edge that is read: from, to, and what it costs."""
        now = int(self.next)
        for group, keys in self._due.pop(now, {}).items():
            pairs = list(self._store.across(keys, *group))
            self._weights.look_at(other for _, other in pairs)
            for key, other in pairs:
                weight = self._weights.of(key, other, group)
                self._reach(other, key, self.cost[key] + weight)
                yield key, other, weight
        settled = [key for key in self._reached.pop(now, ()) if self.cost[key] == now]
        self._weights.look_at(settled)
        for key in settled:
            for group in self._weights.groups(key):
                due = self._due.setdefault(now + self._weights.least(key, group) // 2, {})
                due.setdefault(group, []).append(key)

    def _reach(self, key: int, before: int, cost: int) -> None:
        known = self.cost.get(key, inf)
        if cost < known:
            self.cost[key], self._before[key] = cost, set()
            self._reached.setdefault(cost, set()).add(key)
        if cost <= known:
            self._before[key].add(before)

    def behind(self, keys: Iterable[int]) -> set[int]:
        """Some nodes, and all on the best ways to them."""
        found: set[int] = set()
        ring = set(keys)
        while ring:
            found |= ring
            ring = {before for key in ring for before in self._before[key]} - found
        return found

    def ways(self, key: int, names: Mapping[int, str]) -> Iterator[Route]:
        """The best ways to a node, from it back to this side's end."""
        if not self._before[key]:
            yield (key,)
        for before in sorted(self._before[key], key=names.__getitem__):
            for way in self.ways(before, names):
                yield (key, *way)


def _routes(
    store: Store, weights: _Weights, starts: set[int], ends: set[int]
) -> Iterator[tuple[int, Route]]:
    """Cost and keys of the ways, the least cost first; of one cost the shorter, then by ids."""
    if shared := store.ids(starts & ends):
        yield from ((0, (key,)) for key in sorted(shared, key=shared.__getitem__))
        return
    first, last = _Side(store, weights, starts), _Side(store, weights, ends)
    crossings: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (key, other), weight in _meet(weights, first, last).items():
        crossings[first.cost[key] + weight + last.cost[other]].append((key, other))
    told: set[Route] = set()
    for cost in sorted(crossings):
        if cost > min(crossings) + _MORE:
            break
        pairs = crossings[cost]
        names = store.ids(first.behind(a for a, _ in pairs) | last.behind(b for _, b in pairs))
        pairs.sort(key=lambda pair: (names[pair[0]], names[pair[1]]))
        routes = set(islice(_joined(first, last, pairs, names), _MOST_ROUTES)) - told
        told |= routes
        ranked = sorted((len(route), [names[key] for key in route], route) for route in routes)
        for _, _, route in ranked:
            if not (starts | ends).intersection(route[1:-1]):
                yield cost, route


def _meet(weights: _Weights, first: _Side, last: _Side) -> dict[tuple[int, int], int]:
    """Go on from both ends until all ways of interest cross: the edges from what was reached from
    the first to what was reached from the last, with what each costs."""
    crossings: dict[tuple[int, int], int] = {}
    limit = float(_MOST_COST)
    while first.next + last.next <= limit and weights.looked_at <= _MOST_NODES:
        side, other = (first, last) if len(first.cost) <= len(last.cost) else (last, first)
        for key, reached, weight in side.step():
            if reached in other.cost:
                pair = (key, reached) if side is first else (reached, key)
                crossings[pair] = min(weight, crossings.get(pair, weight))
                limit = min(limit, side.cost[key] + weight + other.cost[reached] + _MORE)
    return crossings


def _joined(
    first: _Side, last: _Side, pairs: Iterable[tuple[int, int]], names: Mapping[int, str]
) -> Iterator[Route]:
    """The ways over some crossings, but for those that come to a node twice."""
    for key, other in pairs:
        for back in islice(first.ways(key, names), _MOST_ROUTES):
            for on in islice(last.ways(other, names), _MOST_ROUTES):
                if not set(back).intersection(on):
                    yield (*reversed(back), *on)


def _cheapest(store: Store, weights: _Weights, key: int, other: int) -> Edge:
    """The edge between two neighbours that costs least; of several the first that stands."""

    def rank(edge: Edge, out: bool) -> tuple[int, int, str, int]:
        words = edge.evidence
        cost = weights.of(key, other, (edge.kind, out))
        return cost, STRENGTH[edge.kind], words.passage, words.start

    edges = [(rank(edge, True), edge) for edge in store.between(key, other)]
    edges += [(rank(edge, False), edge) for edge in store.between(other, key)]
    return min(edges, key=itemgetter(0))[1]
