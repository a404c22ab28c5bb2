"""Lists the edges at a node in parts, the strongest first, however many edges it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple, cast

from graphs.model import STRENGTH, Edge, EdgeKind
from graphs.store.paged_edges import (
    EdgePlace,
    EdgeRun,
    End,
    count_edges,
    count_edges_elsewhere,
    edges_behind,
)
from graphs.store.reader import Store
from graphs.store.sql_batches import batches
from kb.query.lookup.arguments import Direction
from kb.query.lookup.cursor import cursor_place, next_part, not_of_this_list
from kb.query.lookup.named_nodes import NamedNodes
from kb.query.refs.grouped_edges import CONTAINMENT, leads_inward
from kb.query.refs.refs import FoundEdge, Refs, is_page, with_ends

_ENDS: tuple[End, ...] = ("out", "in")
_FOLLOWED = tuple(kind for kind in STRENGTH if kind not in CONTAINMENT)
_BEGINNING = (0, 0, 0)  # table, key and row of a place before all edges of a run: keys begin at 1


def refs_in_parts(
    store: Store,
    asked: NamedNodes,
    direction: Direction,
    kinds: tuple[str, ...],
    with_parts: bool,
    most: int,
    after: str | None,
    depth: int = 1,
) -> Refs:
    """Return the next edges at the nodes that a reference names, at most `most`, and how many there
    are in all. Strong kinds come first, then edges out of the nodes, then those of the newest
    edition; containment is left out unless `kinds` names it, and is not followed.

    direction, kinds, with_parts, depth: as for `kb.query.refs.refs.refs`. The edges into a page are
        those into its parts, not those into the rules that are given there.
    after: `more` of the part before this one; None for the first part. QuestionError if it is of
        another question.
    """
    groups = [_group(store, node.id, is_page(node), with_parts) for node in asked.nodes]
    steps = 1 if is_page(asked.nodes[0]) else depth
    wanted = _Wanted(direction, kinds or _FOLLOWED, with_parts)
    # A place is given by the numbers of rows, which are others after each build.
    [rows] = store.db.execute("SELECT max(rowid) FROM edge").fetchone()
    question = (str(rows), direction, *kinds, str(with_parts), *(node.id for node in asked.nodes))
    question = (*question, f"depth {steps}") if steps > 1 else question
    numbers = cursor_place(after, question)
    place = EdgePlace(*numbers) if numbers else None
    rings = islice(_rings(store, groups, wanted), steps)
    edges, last = _next_edges(store, rings, most, place, direction)
    if place and not edges:
        raise not_of_this_list()
    centre = {node_id for group in groups for node_id in group.ids}
    found = with_ends(store, asked, edges, centre, direction, kinds, with_parts)
    counts: dict[End, Counter[str]] = {end: Counter() for end in _ENDS}
    for group in groups:
        for end in _ENDS:
            counts[end].update(group.counts[end])
        counts["out"].subtract(group.elsewhere)
    more = next_part(last, question) if last else None
    return replace(found, counts={end: _sorted(counts[end]) for end in _ENDS}, more=more)


class _Wanted(NamedTuple):
    """Which edges are followed, as for `kb.query.refs.refs.refs`; `kinds` has all that are."""

    direction: Direction
    kinds: tuple[str, ...]
    with_parts: bool

    @property
    def ends(self) -> tuple[End, ...]:
        """Where the edges are at the nodes from which they are followed."""
        return tuple(end for end in _ENDS if self.direction in (end, "both"))


class _Ring(NamedTuple):
    """The edges that are a number of steps away.

    nodes: the ids of the nodes at which they are, if edges in both directions are wanted.
    runs: what is read, in order. is_shown: whether an edge of a run is one of these edges, and has
        not been read in another run.
    """

    nodes: Collection[str]
    runs: Sequence[EdgeRun]
    is_shown: Callable[[EdgeRun, Edge], bool]


def _next_edges(
    store: Store, rings: Iterable[_Ring], most: int, place: EdgePlace | None, direction: Direction
) -> tuple[list[FoundEdge], EdgePlace | None]:
    """Return the edges behind a place (None for all), at most `most`, and the place of the last one
    if there are more, else None. The runs of a place are counted from those of the first ring."""
    edges: list[FoundEdge] = []
    before = 0
    for steps, (nodes, runs, is_shown) in enumerate(rings, 1):
        is_behind = place is not None and place.run >= before + len(runs)
        begin = place._replace(run=place.run - before) if place and place.run >= before else None
        begin = None if begin and begin[1:] == _BEGINNING else begin
        if not is_behind:
            left = most - len(edges)
            found, last = edges_behind(store, runs, max(left, 1), begin, is_shown, sort_few=True)
            if found and not left:
                return edges, EdgePlace(before, *_BEGINNING)
            edges += (
                FoundEdge(edge, steps, leads_inward(edge, direction, nodes)) for edge in found
            )
            if last:
                return edges, last._replace(run=before + last.run)
        before += len(runs)
    return edges, None


def _rings(store: Store, groups: Sequence[_Group], wanted: _Wanted) -> Iterator[_Ring]:
    """Yield the edges at some nodes, those one step further away, and so on, without end: rings of
    which nothing is new are yielded, too. An edge is in the nearest ring alone."""
    inside = {node_id for group in groups for node_id in group.inside}
    centre = {node_id for group in groups for node_id in group.ids}

    def is_at_centre(run: EdgeRun, edge: Edge) -> bool:
        # A rule's edges are the page's if they rest on its words.
        leads_out = edge.source in inside or (
            edge.source in centre and edge.evidence.passage in inside
        )
        return leads_out if run.end == "out" else wanted.direction == "in" or not leads_out

    yield _Ring(centre, _runs(groups, wanted), is_at_centre)
    visited = {key for group in groups for keys in group.keys.values() for key in keys}
    frontier = visited
    while True:
        seen = frozenset(store.ids(visited).values())
        frontier = _neighbours(store, frontier, wanted) - visited
        visited = visited | frontier
        keys = tuple(sorted(frontier))
        own = frozenset(store.ids(keys).values()) if wanted.direction == "both" else frozenset()
        ids = list(own)
        group = _Group(ids, ids, dict.fromkeys(_ENDS, keys), _counts(store, keys, wanted.ends))
        yield _Ring(own, _runs([group], wanted), partial(_is_new, wanted.direction, seen, own))


def _is_new(
    direction: Direction, seen: Collection[str], own: Collection[str], run: EdgeRun, edge: Edge
) -> bool:
    """Return whether an edge is at no node that is nearer, nor was read where it leads out.

    seen, own: the ids of the nodes that are nearer, and of those that the run is of.
    """
    if direction != "both":  # an edge is met at its one end alone
        return True
    if run.end == "out":
        return edge.target not in seen
    return edge.source not in seen and edge.source not in own


def _neighbours(store: Store, keys: Collection[int], wanted: _Wanted) -> set[int]:
    """Return the keys of the nodes that are one step away from some nodes by edges of the wanted
    kinds and directions; with parts, of their sub-rules, too. Some of the nodes may be among
    them."""
    found = {
        neighbour
        for kind in wanted.kinds
        for end in wanted.ends
        for _, neighbour in store.neighbour_pairs(keys, cast(EdgeKind, kind), end == "out")
    }
    if wanted.with_parts:
        ids = store.with_sub_rules(store.ids(found).values())
        found = set(_keys(store, ids))
    return found


class _Group(NamedTuple):
    """A named node with the parts that count as it does.

    inside: the ids of all these; ids: and of the rules that a page gives.
    keys, counts: of each direction, the keys of what has the edges, sorted; and how many there are
        of each kind.
    elsewhere: how many of these, by kind, lead out of the rules and are stated on other pages:
        they are no edges of the page.
    """

    inside: Sequence[str]
    ids: Sequence[str]
    keys: dict[End, tuple[int, ...]]
    counts: dict[End, dict[str, int]]
    elsewhere: Mapping[str, int] = {}


def _group(store: Store, node: str, with_contents: bool, with_sub_rules: bool) -> _Group:
    """Return a node, given by its id, with the parts that count as it does: a page's contents, or a
    rule's sub-rules; without either it is alone."""
    inside, rules = [node], list[str]()
    if with_contents:
        inside, rules = store.contents(node)
    elif with_sub_rules:
        inside = store.with_sub_rules([node])
    own, given = _keys(store, inside), _keys(store, rules)
    keys: dict[End, tuple[int, ...]] = {"in": own, "out": tuple(sorted({*own, *given}))}
    counts = {end: count_edges(store, keys[end], end) for end in _ENDS}
    elsewhere = count_edges_elsewhere(store, given, frozenset(own))
    return _Group(inside, [*inside, *rules], keys, counts, elsewhere)


def _counts(store: Store, keys: tuple[int, ...], ends: Iterable[End]) -> dict[End, dict[str, int]]:
    return {end: count_edges(store, keys, end) for end in ends}


def _keys(store: Store, ids: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted(key for batch in batches(ids) for key in store.keys(batch)))


def _runs(groups: Iterable[_Group], wanted: _Wanted) -> list[EdgeRun]:
    """Return what is read, in order: strong kinds first, of one kind the edges out, then those in;
    of these those of the first groups, which are the newest editions'."""
    return [
        EdgeRun(kind, end, group.keys[end], group.counts[end].get(kind, 0))
        for kind in sorted(set(wanted.kinds), key=STRENGTH.__getitem__)
        for end in wanted.ends
        for group in groups
    ]


def _sorted(numbers: Counter[str]) -> dict[str, int]:
    """Return {kind: the number of edges}, the strongest kind first, without those of 0."""
    return {kind: numbers[kind] for kind in STRENGTH if numbers[kind]}
