"""Lists the edges at a node in parts, the strongest first, however many edges it has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple
from zlib import crc32

from graphs.model import STRENGTH, Edge
from graphs.store.edge_parts import EdgePlace, EdgeRun, End, count_edges, edges_behind
from graphs.store.reader import Store
from graphs.store.sql_batches import batches
from kb.errors import QuestionError
from kb.query.named_nodes import NamedNodes
from kb.query.references import CONTAINMENT
from kb.query.refs import Refs, is_page, with_ends

_ENDS: tuple[End, ...] = ("out", "in")
_TOKEN = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,18}){3}\.[0-9a-f]{8}")


def refs_in_parts(
    store: Store,
    asked: NamedNodes,
    direction: str,
    kinds: tuple[str, ...],
    with_parts: bool,
    most: int,
    after: str | None,
) -> Refs:
    """Return the next edges at the nodes that a reference names, at most `most`, and how many there
    are in all. Strong kinds come first, then edges out of the nodes, then those of the newest
    edition; containment is left out unless `kinds` names it.

    direction, kinds, with_parts: as for `kb.query.refs.refs`. The edges into a page are those into
        its parts, not those into the rules that are given there.
    after: `more` of the part before this one; None for the first part. QuestionError if it is of
        another question.
    """
    groups = [_group(store, node.id, is_page(node), with_parts) for node in asked.nodes]
    runs = _runs(groups, _ENDS if direction == "both" else (direction,), kinds)
    question = (direction, *kinds, str(with_parts), *(node.id for node in asked.nodes))
    place = _place(store, after, question, len(runs))
    inside = {node_id for group in groups for node_id in group.inside}
    centre = {node_id for group in groups for node_id in group.ids}

    def is_shown(run: EdgeRun, edge: Edge) -> bool:
        if run.end == "in":
            return direction == "in" or edge.source not in centre  # else it leads out as well
        return edge.source in inside or edge.evidence.passage in inside

    edges, last = edges_behind(store, runs, most, place, is_shown, sort_few=True)
    found = with_ends(
        store, asked, tuple(edges), (1,) * len(edges), centre, direction, kinds, with_parts
    )
    counts: dict[End, Counter[str]] = {end: Counter() for end in _ENDS}
    for group in groups:
        for end in _ENDS:
            counts[end].update(group.counts[end])
    more = _token(store, last, question) if last else None
    return replace(found, counts={end: _sorted(counts[end]) for end in _ENDS}, more=more)


class _Group(NamedTuple):
    """A named node with the parts that count as it does.

    inside: the ids of all these; ids: and of the rules that a page gives.
    keys, counts: of each direction, the keys of what has the edges, sorted; and how many there are
        of each kind.
    """

    inside: Sequence[str]
    ids: Sequence[str]
    keys: dict[End, tuple[int, ...]]
    counts: dict[End, dict[str, int]]


def _group(store: Store, node: str, with_contents: bool, with_sub_rules: bool) -> _Group:
    """Return a node, given by its id, with the parts that count as it does."""
    inside, rules = [node], list[str]()
    if with_contents:
        inside, rules = store.contents(node)
    elif with_sub_rules:
        inside = store.with_sub_rules([node])
    own = _keys(store, inside)
    keys: dict[End, tuple[int, ...]] = {"in": own, "out": own}
    if rules:
        keys["out"] = tuple(sorted({*own, *_keys(store, rules)}))
    counts = {end: count_edges(store, keys[end], end) for end in _ENDS}
    return _Group(inside, [*inside, *rules], keys, counts)


def _keys(store: Store, ids: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted(key for batch in batches(ids) for key in store.keys(batch)))


def _runs(groups: Iterable[_Group], ends: Iterable[str], kinds: tuple[str, ...]) -> list[EdgeRun]:
    """Return what is read, in order."""
    wanted = kinds or tuple(kind for kind in STRENGTH if kind not in CONTAINMENT)
    return [
        EdgeRun(kind, end, group.keys[end], group.counts[end].get(kind, 0))
        for kind in sorted(set(wanted), key=STRENGTH.__getitem__)
        for end in _ENDS
        if end in ends
        for group in groups
    ]


def _sorted(numbers: Counter[str]) -> dict[str, int]:
    """Return the numbers of edges by kind, the strongest first."""
    return {kind: numbers[kind] for kind in STRENGTH if numbers[kind]}


def _token(store: Store, place: EdgePlace, question: Iterable[str]) -> str:
    """Return a place as a short text that only the same question understands."""
    numbers = ".".join(map(str, place))
    return f"{numbers}.{_check(store, numbers, question)}"


def _place(store: Store, token: str | None, question: Iterable[str], runs: int) -> EdgePlace | None:
    """Return the place that `_token` wrote; QuestionError if it did not."""
    if token is None:
        return None
    if _TOKEN.fullmatch(token):
        numbers, _, check = token.rpartition(".")
        place = EdgePlace(*map(int, numbers.split(".")))
        if check == _check(store, numbers, question) and place.run < runs:
            return place
    raise QuestionError(
        "after does not continue this list; give what `more` of the part before says, "
        "or None to begin again"
    )


def _check(store: Store, numbers: str, question: Iterable[str]) -> str:
    """Return a checksum of a place, of what was asked, and of how many edges there are: after the
    next build a place means another one."""
    rows = store.db.execute("SELECT max(rowid) FROM edge").fetchone()
    words = "\0".join([numbers, str(rows[0]), *question])
    return f"{crc32(words.encode()):08x}"
