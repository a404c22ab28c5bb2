"""Walks of the graph: the cheapest paths between nodes, by a bidirectional Dijkstra search, and the
edges within a number of steps, breadth first.

On a path each kind of edge has a cost. An edge costs more if one of its ends has many edges of the
same kind and direction: that a rule cites another says much about both, but that it mentions a term
that every page mentions says little.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import inf
from operator import itemgetter
from typing import NamedTuple, get_args

from graphs.model import STRENGTH, Edge, EdgeKind, Node, is_proposed
from graphs.sort_orders import EditionKey, edition_key, in_order
from graphs.store.edge_counts import MOST_OUT
from graphs.store.edges import BoundedEdges
from graphs.store.file.connection import rows_of
from graphs.store.file.row_checks import RowError, of_file, parse_details
from graphs.store.reader import Store

_QUERY = (
    "SELECT n.key, coalesce(n.edition, g.edition), n.lang, v.rule, n.kind, n.game, n.number, "
    "n.source, n.label, n.text, s.label FROM node n LEFT JOIN node g ON g.key = n.page "
    "LEFT JOIN node s ON s.key = n.section LEFT JOIN rule_version v ON v.node = n.key "
    "WHERE n.key IN ({marks})"
)
_EDITIONS = (
    "SELECT n.key, coalesce(n.game, g.game), coalesce(n.edition, g.edition) FROM node n "
    "LEFT JOIN node g ON g.key = n.page WHERE n.key IN ({marks})"
)
_NUMBERS = (
    "SELECT key, number FROM node WHERE key IN ({marks}) AND kind = 'rule' AND number NOT NULL"
)


def most_out(store: Store) -> dict[EdgeKind, int]:
    """Return how many edges of a kind lead out of any one node at most, dangling ones too, by kind;
    kinds of which that is not stored are left out."""
    with of_file(store.path):
        stored = parse_details(store.meta(MOST_OUT), "the greatest numbers of edges") or {}
        if not all(isinstance(number, int) for number in stored.values()):
            raise RowError("the greatest numbers of edges are of another type")
    return {kind: stored[kind] for kind in get_args(EdgeKind) if kind in stored}


def proposed_translations(store: Store, keys: Iterable[int]) -> set[tuple[int, int]]:
    """Return (source, target), by their keys, of the edges `translates` out of some nodes that are
    only proposed, as far as no other edge says the same."""
    proposed: dict[tuple[int, int], bool] = {}
    query = (
        "SELECT source, target, details FROM edge WHERE kind = 'translates' "
        "AND source IN ({marks}) AND target IS NOT NULL"
    )
    with of_file(store.path):
        for source, target, details in rows_of(store.db, query, sorted(set(keys))):
            one = is_proposed(parse_details(details, "an edge"))
            proposed[source, target] = one and proposed.get((source, target), True)
    return {pair for pair, only in proposed.items() if only}


class InEdition(NamedTuple):
    """A node, split into what it is, in which edition and in which language.

    thing: equal for nodes that differ only by edition, and for the versions of a rule.
    edition: its edition, or that of its page; None if it has none.
    lang: its language; None if it has none.
    """

    thing: tuple[object, ...]
    edition: str | None
    lang: str | None


def split_by_edition(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, InEdition]:
    """Return {key: what the node is, its edition and its language}; unknown keys are left out.

    Whatever stands on the pages of a rulebook is the same by its section and text. A node without
    an edition is only the same as itself.
    """
    found: dict[int, InEdition] = {}
    for key, edition, lang, *fields in rows_of(db, _QUERY, keys):
        thing = _thing(fields, lang) if edition else (key,)
        found[key] = InEdition(thing, edition, lang)
    return found


def rule_numbers(db: sqlite3.Connection, keys: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield (key, number) of those of some nodes that are rules, in no order; sections of documents
    are none."""
    yield from rows_of(db, _NUMBERS, keys)


def _thing(fields: list[str | None], lang: str | None) -> tuple[object, ...]:
    """Return what a node of an edition has in common with the same node of another edition; a rule
    also with that of another language."""
    rule, kind, game, number, source, label, text, section = fields
    if rule is not None:
        return kind, rule
    if kind == "edition":
        return kind, game
    return kind, lang, number, source, label, text, section


Path = list[Node | Edge]  # node, edge, node, …
_Route = tuple[int, ...]  # the keys of a path's nodes
_EdgeGroup = tuple[EdgeKind, bool]  # a node's edges of a kind: those out of it (True), or into it

# By hand: a way over three citations (12) comes before one over two mentions (24) of an everyday
# term. A doubling of the edges at an end costs 1 (`_EdgeCosts.least`).
COST: Mapping[EdgeKind, int] = {
    "defines": 4, "cites": 4, "redirects_to": 4, "same_concept": 4, "quotes": 4, "succeeds": 4,
    "translates": 4, "part_of": 5, "links_to": 8, "mentions": 12,
}  # fmt: skip
# A rule that cites another of its section says little more than that both are part of it; so the
# way from the section down to a rule goes from part to part, not by another rule's citation.
_WITHIN_SECTION = 6  # what such a citation costs more: in all 10, as much as two parts
_PROPOSED = 20  # what a translation costs more that no page states: as two mentions in all
# By hand: paths that cost up to this much more than the cheapest, as two citations do, are returned
# too; a path costs at most as much as ten mentions, as at higher costs every node leads to every
# other.
_EXTRA_COST = 8
_MAX_COST = 120
# Guards, by hand: they bound time and memory where nodes have very many edges. The search is given
# up when it has loaded more nodes; of routes of the same cost so many are compared.
_MOST_NODES = 40_000
_MOST_ROUTES = 400


class FoundPath(NamedTuple):
    """A path, or several that differ only by the editions and languages of their nodes.

    cost: its cost, that of the cheapest.
    steps: node, edge, node, …, node; of several equally cheap paths that in one language, in one
        edition, and in the newest.
    editions: for each node the editions in which it is on such a path, the oldest first; empty for
        a node without an edition.
    languages: for each node those in which it is on such a path, its own first; empty for a node
        without a language.
    """

    cost: int
    steps: Path
    editions: tuple[tuple[str, ...], ...]
    languages: tuple[tuple[str, ...], ...]


Editions = Callable[[str | None, str], bool]  # whether an edition of a game is walked through


def paths(
    store: Store,
    starts: Sequence[str],
    ends: Sequence[str],
    most: int,
    editions: Editions | None = None,
    tell_others: bool = True,
) -> list[FoundPath]:
    """Return the cheapest paths from any of some nodes to any of others, the cheapest first.

    A path is a list [node, edge, node, …, node] that begins at a start and ends at an end. Edges
    are followed in both directions, so an edge may point back to the node before it. Paths that
    differ only by the editions and languages of their nodes are one. Paths that cost over
    _EXTRA_COST more than the cheapest, and those over _MAX_COST, are left out; of equal ones the
    shorter comes first, then by ids. The list is empty if no path was found. A node that is both a
    start
    and an end is a path of cost 0; if there are any, no others are returned.

    starts, ends: ids of nodes; ids that are not in the graph are ignored.
    most: the greatest number of paths to return.
    editions: through which editions paths may lead; what has none is walked through in any case.
        None for all.
    tell_others: whether the others are told in which such a path is, too.

    A path that comes twice through one rule, in two editions or languages, is only returned if
    there is no other, or if the rule is at both ends.
    """
    ends_of = set(store.keys(starts)), set(store.keys(ends))
    costs = _EdgeCosts(store, editions)
    routes = list(_cheapest_routes(store, costs, *ends_of))
    split = split_by_edition(store.db, {key for _, route in routes for key in route})
    others: list[tuple[int, _Route]] = []
    if editions and tell_others and any(each.edition for each in split.values()):
        others = list(_cheapest_routes(store, _EdgeCosts(store), *ends_of))
        split |= split_by_edition(store.db, {key for _, route in others for key in route})
    alike: dict[tuple[object, ...], list[tuple[int, _Route]]] = {}
    for cost, route in routes:
        alike.setdefault(tuple(split[key].thing for key in route), []).append((cost, route))
    once = {
        things: same
        for things, same in alike.items()
        if len(set(things)) == len(things) or things[0] == things[-1]
    }
    alike = once or alike
    chosen = [(_newest(same, split), same) for same in islice(alike.values(), most)]
    for cost, route in others:
        if same := alike.get(tuple(split[key].thing for key in route)):
            same.append((cost, route))
    ids = store.ids({key for (_, route), _ in chosen for key in route})
    nodes = store.get(ids.values())
    found = []
    for (cost, route), same in chosen:
        path: Path = [nodes[ids[route[0]]]]
        for key, neighbour in pairwise(route):
            path += [_cheapest_edge(store, costs, key, neighbour), nodes[ids[neighbour]]]
        found.append(FoundPath(cost, path, *_variants(route, same, split)))
    return found


def _newest(
    routes: Sequence[tuple[int, _Route]], split: Mapping[int, InEdition]
) -> tuple[int, _Route]:
    """Return (cost, route) of routes that differ only by edition and language: of the cheapest the
    one that keeps to one language and one edition, and of several such the newest.

    routes: (cost, route), the cheapest first.
    """

    def rank(route: _Route) -> tuple[int, int, list[EditionKey]]:
        languages = {split[key].lang for key in route} - {None}
        editions = [split[key].edition or "" for key in route]
        newest = [edition_key(edition) for edition in editions]
        return -len(languages), -len(set(editions) - {""}), newest

    least = routes[0][0]
    return least, max((route for cost, route in routes if cost == least), key=rank)


def _variants(
    chosen: _Route, routes: Sequence[tuple[int, _Route]], split: Mapping[int, InEdition]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return (editions, languages), each with a tuple for each node of a route: those that it has
    in all the routes that differ from it only by these; see `FoundPath`."""
    editions, languages = [], []
    for own, *column in zip(chosen, *(route for _, route in routes), strict=True):
        in_editions = {edition for key in column if (edition := split[key].edition)}
        editions.append(tuple(in_order(in_editions)))
        others = sorted({lang for key in column if (lang := split[key].lang)})
        first = [lang for lang in [split[own].lang] if lang]
        languages.append(tuple(dict.fromkeys([*first, *others])))
    return tuple(editions), tuple(languages)


class _EdgeCosts:
    """The costs of edges. Caches how many edges of a group a node has, and a rule's section.

    Of a node that is expanded all groups are counted, of its neighbours only the group of the edges
    that lead to them: most of these are never expanded. Not even that is counted where it can't
    make the edge cost more, as the node's own group is larger than any at the other end.
    """

    def __init__(self, store: Store, editions: Editions | None = None) -> None:
        """editions: as for `paths`."""
        self._store, self._editions = store, editions
        self._is_walked: dict[int, bool] = {}
        self._most_out = most_out(store)
        self._counts: dict[_EdgeGroup, dict[int, int]] = defaultdict(dict)
        self._groups: dict[int, list[_EdgeGroup]] = {}  # of nodes all of whose groups are counted
        self._reached: set[int] = set()
        self._sections: dict[int, str] = {}
        self._proposed: set[tuple[int, int]] = set()  # (source, target) of proposed translations

    def walked(self, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the pairs (key, neighbour's key) whose neighbours may be walked through."""
        pairs = list(pairs)
        if self._editions is None:
            return pairs
        new = {neighbour for _, neighbour in pairs} - self._is_walked.keys()
        for key, game, edition in rows_of(self._store.db, _EDITIONS, sorted(new)):
            self._is_walked[key] = edition is None or self._editions(game, edition)
        return [pair for pair in pairs if self._is_walked.get(pair[1])]

    def load(self, keys: Iterable[int]) -> None:
        """Count the edges of each group that some nodes have, given by their keys in the store.

        Nodes that are loaded already are skipped.
        """
        new: dict[int, list[_EdgeGroup]] = {key: [] for key in keys if key not in self._groups}
        self._groups |= new
        self._reached |= new.keys()
        for key, kind, out, count in self._store.degrees(new):
            self._counts[kind, out][key] = count
            new[key].append((kind, out))
        self._load_sections(new)

    def load_neighbours(self, pairs: Collection[tuple[int, int]], group: _EdgeGroup) -> None:
        """Count the edges of one group at the other ends of edges, as far as `exact` needs it.

        pairs: (key, neighbour's key) for edges of the opposite group; the first are loaded.
        group: as seen from the neighbours.
        """
        kind, out = group
        own, counts = self._counts[kind, not out], self._counts[group]
        most = self._most_out.get(kind, inf) if out else inf
        self._reached.update(neighbour for _, neighbour in pairs)
        wanted = {neighbour for key, neighbour in pairs if own[key] < most}
        new = sorted(wanted - counts.keys())  # neighbours in the file are read together
        counts.update(self._store.group_sizes(new, *group))
        if kind == "translates":
            ends = (end for pair in pairs for end in pair)
            self._proposed |= proposed_translations(self._store, ends)
        if kind == "cites":
            self._load_sections({neighbour for _, neighbour in pairs} - self._sections.keys())

    def _load_sections(self, keys: Collection[int]) -> None:
        self._sections |= dict.fromkeys(keys, "")  # of what is no rule
        for key, number in rule_numbers(self._store.db, keys):
            self._sections[key] = number.partition(".")[0]

    @property
    def loaded_nodes(self) -> int:
        """The number of nodes of which any edges were counted."""
        return len(self._reached)

    def groups(self, key: int) -> Iterable[_EdgeGroup]:
        """Return the groups (kind, whether out of the node) of edges that a loaded node has.

        key: the key of the node in the store
        """
        return self._groups[key]

    def least(self, key: int, group: _EdgeGroup) -> int:
        """Return the least cost of an edge of a group, as far as this end of it is known.

        It is the cost of the kind, and more the more edges are in the group: 0 more for one edge, 1
        for two, 2 for up to four, 3 for up to eight. KeyError if the node has no edge of the group.

        key: the key of a loaded node, which is the end that is known
        group: as seen from this node
        """
        return COST[group[0]] + (self._counts[group][key] - 1).bit_length()

    def exact(self, key: int, neighbour: int, group: _EdgeGroup) -> int:
        """Return the cost of the edge of a group that connects a node to a neighbour.

        It is the greater one of the least costs from either end; a citation within a section and a
        translation that is only proposed cost more. The first node must be loaded, and the
        neighbour by it.

        key, neighbour: the keys of the nodes
        group: as seen from the first node, not from the neighbour
        """
        kind, out = group
        cost = self.least(key, group)
        if neighbour in self._counts[kind, not out]:
            cost = max(cost, self.least(neighbour, (kind, not out)))
        if kind == "translates":
            pair = (key, neighbour) if out else (neighbour, key)
            return cost + _PROPOSED if pair in self._proposed else cost
        section = self._sections.get(key)
        within = kind == "cites" and section and section == self._sections.get(neighbour)
        return cost + _WITHIN_SECTION if within else cost


class _Search:
    """Dijkstra's algorithm from one end of the paths, over all nodes of the same cost at a time.

    The edges of a group are read when half of their least cost is reached: the search from the
    other end covers the other half. So the edges of a page that defines thousands of cards are
    not read at all if there is a cheaper path.
    """

    def __init__(self, store: Store, edge_costs: _EdgeCosts, keys: set[int]) -> None:
        self._store, self._edge_costs = store, edge_costs
        self.cost = dict.fromkeys(keys, 0)  # the least cost known of each node that was reached
        self._predecessors: dict[int, set[int]] = {key: set() for key in keys}
        # What is still to be done, by cost: nodes to expand, and groups of edges to read.
        self._reached: dict[int, set[int]] = {0: set(keys)}
        self._unread: dict[int, dict[_EdgeGroup, list[int]]] = {}

    @property
    def next_cost(self) -> float:
        """The least cost at which there is a node to expand or an edge to read; else infinity."""
        return min((*self._reached, *self._unread), default=inf)

    def advance(self) -> Iterator[tuple[int, int, int]]:
        """Advance to the next cost. Yield (from, to, cost) of each edge that is read.

        `from` and `to` are keys of nodes, and the cost is that of the edge alone. Must be
        iterated to the end, and not be called if `next_cost` is infinity.
        """
        now = int(self.next_cost)
        for group, keys in self._unread.pop(now, {}).items():
            pairs = self._edge_costs.walked(self._store.neighbour_pairs(keys, *group))
            kind, out = group
            self._edge_costs.load_neighbours(pairs, (kind, not out))
            for key, neighbour in pairs:
                edge_cost = self._edge_costs.exact(key, neighbour, group)
                self._reach(neighbour, key, self.cost[key] + edge_cost)
                yield key, neighbour, edge_cost
        final = [key for key in self._reached.pop(now, ()) if self.cost[key] == now]
        self._edge_costs.load(final)
        for key in final:
            for group in self._edge_costs.groups(key):
                half = self._edge_costs.least(key, group) // 2
                unread = self._unread.setdefault(now + half, {})
                unread.setdefault(group, []).append(key)

    def _reach(self, key: int, predecessor: int, cost: int) -> None:
        """Record that a node was reached from another; `cost` is that of the whole way.

        A cheaper way replaces the predecessors that are known, an equally cheap one adds its own,
        and a dearer one is ignored.

        key, predecessor: the keys of the nodes
        """
        known = self.cost.get(key, inf)
        if cost < known:
            self.cost[key], self._predecessors[key] = cost, set()
            self._reached.setdefault(cost, set()).add(key)
        if cost <= known:
            self._predecessors[key].add(predecessor)

    def with_predecessors(self, keys: Iterable[int]) -> set[int]:
        """Return some nodes and all nodes on the cheapest routes to them.

        keys: of nodes that were reached; KeyError for others. The result has keys too
        """
        found: set[int] = set()
        frontier = set(keys)
        while frontier:
            found |= frontier
            frontier = {
                predecessor for key in frontier for predecessor in self._predecessors[key]
            } - found
        return found

    def routes_back(self, key: int, ids: Mapping[int, str]) -> Iterator[_Route]:
        """Yield the cheapest routes from a node back to this end, ordered by the ids of nodes.

        A route has the keys of its nodes, the given one first.

        ids: {key: id} of the node and all that `with_predecessors` returns for it
        """
        if not self._predecessors[key]:
            yield (key,)
        for predecessor in sorted(self._predecessors[key], key=ids.__getitem__):
            for route in self.routes_back(predecessor, ids):
                yield (key, *route)


def _cheapest_routes(
    store: Store, edge_costs: _EdgeCosts, starts: set[int], ends: set[int]
) -> Iterator[tuple[int, _Route]]:
    """Yield (cost, route), cheapest first; at the same cost the shorter first, then by ids.

    A route has the keys of its nodes, from a start to an end. Nodes that are both give routes of
    cost 0, and then nothing else is yielded. Left out are routes that cost over _EXTRA_COST more
    than the cheapest crossing, and those that pass another start or end on the way.

    edge_costs: the nodes that the search reads are loaded into it
    starts, ends: the keys of nodes
    """
    if shared := store.ids(starts & ends):
        yield from ((0, (key,)) for key in sorted(shared, key=shared.__getitem__))
        return
    forward, backward = _Search(store, edge_costs, starts), _Search(store, edge_costs, ends)
    crossings: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (key, neighbour), edge_cost in _find_crossings(edge_costs, forward, backward).items():
        total = forward.cost[key] + edge_cost + backward.cost[neighbour]
        crossings[total].append((key, neighbour))
    yielded: set[_Route] = set()
    for cost in sorted(crossings):
        if cost > min(crossings) + _EXTRA_COST:
            break
        pairs = crossings[cost]
        ids = store.ids(
            forward.with_predecessors(key for key, _ in pairs)
            | backward.with_predecessors(neighbour for _, neighbour in pairs)
        )
        pairs.sort(key=lambda pair: (ids[pair[0]], ids[pair[1]]))
        routes = set(islice(_join(forward, backward, pairs, ids), _MOST_ROUTES)) - yielded
        yielded |= routes
        ranked = sorted((len(route), [ids[key] for key in route], route) for route in routes)
        for _, _, route in ranked:
            if not (starts | ends).intersection(route[1:-1]):
                yield cost, route


def _find_crossings(
    edge_costs: _EdgeCosts, forward: _Search, backward: _Search
) -> dict[tuple[int, int], int]:
    """Advance both searches until all paths that are cheap enough have met.

    Cheap enough is what costs at most _EXTRA_COST more than the cheapest, and at most _MAX_COST.
    The searches also stop when more than _MOST_NODES nodes are loaded.

    Return the costs of the edges where they meet: each edge is given as (node that the forward
    search reached, node that the backward search reached).

    edge_costs: the ones that both searches were made with; its loaded nodes are counted
    """
    crossings: dict[tuple[int, int], int] = {}
    limit = float(_MAX_COST)
    while (
        forward.next_cost + backward.next_cost <= limit and edge_costs.loaded_nodes <= _MOST_NODES
    ):
        search, other = (
            (forward, backward) if len(forward.cost) <= len(backward.cost) else (backward, forward)
        )
        for key, neighbour, edge_cost in search.advance():
            if neighbour in other.cost:
                pair = (key, neighbour) if search is forward else (neighbour, key)
                crossings[pair] = min(edge_cost, crossings.get(pair, edge_cost))
                total = search.cost[key] + edge_cost + other.cost[neighbour]
                limit = min(limit, total + _EXTRA_COST)
    return crossings


def _join(
    forward: _Search,
    backward: _Search,
    pairs: Iterable[tuple[int, int]],
    ids: Mapping[int, str],
) -> Iterator[_Route]:
    """Yield the whole routes over some crossings, without those that visit a node twice.

    pairs: the ends (in the forward search, in the backward search) of the edges where they meet
    ids: {key: id} of the pairs' nodes and of all that `with_predecessors` of the search that each
        is in returns for them
    """
    for key, neighbour in pairs:
        for to_start in islice(forward.routes_back(key, ids), _MOST_ROUTES):
            for to_end in islice(backward.routes_back(neighbour, ids), _MOST_ROUTES):
                if not set(to_start).intersection(to_end):
                    yield (*reversed(to_start), *to_end)


def _cheapest_edge(store: Store, edge_costs: _EdgeCosts, key: int, neighbour: int) -> Edge:
    """Return the cheapest edge between two nodes, given by their keys, in either direction.

    Of several it is the strongest, then the first by the passage and place of its words.

    edge_costs: both nodes are loaded into it
    """
    edge_costs.load((key, neighbour))

    def rank(edge: Edge, out: bool) -> tuple[int, int, bool, str, int]:
        cost = edge_costs.exact(key, neighbour, (edge.kind, out))
        place = edge.evidence.passage, edge.evidence.start
        return cost, STRENGTH[edge.kind], edge.is_proposed, *place

    edges = [(rank(edge, True), edge) for edge in store.between(key, neighbour)]
    edges += [(rank(edge, False), edge) for edge in store.between(neighbour, key)]
    return min(edges, key=itemgetter(0))[1]


class Ring(NamedTuple):
    """The edges that are a number of steps away, and the ids of the nodes at which they are: those
    that were reached one step before."""

    nodes: Collection[str]
    edges: list[Edge]


def closure(
    store: Store | BoundedEdges,
    starts: Iterable[str],
    depth: int,
    direction: str = "both",
    kinds: Iterable[str] = (),
    with_parts: bool = False,
) -> Iterator[Ring]:
    """Yield the edges at some nodes, then those one step further out, and so on: `depth` rings.

    Each edge is in one ring, the first possible. There are always `depth` rings; they may have no
    edges, and none has any if none of the nodes is in the graph. Dangling edges are yielded too.

    store: where the edges are read; a bounded one gives the strongest of each step.
    starts: the ids of the nodes.
    direction: `out` follows edges from source to target, `in` from target to source, `both`
        either way.
    kinds: the kinds of edges to follow; all if there are none.
    with_parts: at every step an edge of a sub-rule counts as an edge of the rule. The `part_of`
        edges are then left out, unless `kinds` names them.
    """
    yielded: set[Edge] = set()
    visited: set[str] = set()
    frontier, kinds = list(dict.fromkeys(starts)), list(kinds)
    for step in range(depth):
        nodes = store.with_sub_rules(frontier) if with_parts else frontier
        new = [node for node in nodes if node not in visited]
        visited.update(new)
        edges = store.edges(new, direction, kinds)
        if step:
            edges = [edge for edge in edges if edge not in yielded]
        if with_parts and "part_of" not in kinds:
            edges = [edge for edge in edges if edge.kind != "part_of"]
        yield Ring(frozenset(new), edges)
        if step + 1 == depth:
            return
        yielded.update(edges)
        ends = (end for edge in edges for end in (edge.source, edge.target) if end is not None)
        frontier = [end for end in dict.fromkeys(ends) if end not in visited]
