"""Compare an updated graph with the old one: count nodes and edges added, removed and changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from graphs.writing.writer import Writer

ChangeKind = Literal["added", "removed", "changed"]
# Of nodes whose ids are listed, in this order: first what says most about what was read.
_NAMED_KINDS = ("page", "edition", "term", "rule", "card")
_MOST_NAMED = 100  # ids that are listed; by hand: a person reads the first, the rest is counted
_COMPARED_COLUMNS = (
    "label", "reading", "text", "details", "lang", "edition", "url", "notice", "date",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GraphChanges:
    """What an update changed in a graph. It is false if nothing changed.

    nodes, edges: {kind of node or edge: {change: number}}; an edge counts as changed if it dangles
        now and did not before, or the other way round
    named: (change, kind, id) of the first pages, editions, terms, rules and cards that changed,
        100 at most, those that were removed first
    """

    nodes: Mapping[str, Mapping[ChangeKind, int]] = field(default_factory=dict)
    edges: Mapping[str, Mapping[ChangeKind, int]] = field(default_factory=dict)
    named: tuple[tuple[ChangeKind, str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges)

    @property
    def nameable(self) -> int:
        """How many nodes changed of the kinds that are in `named`."""
        return sum(sum(self.nodes.get(kind, {}).values()) for kind in _NAMED_KINDS)


def graph_changes(writer: Writer) -> GraphChanges:
    """Return the differences between the graph of a writer, updated and resolved, and the old.

    The writer must be one for an update. A passage whose text changed counts as one removed and
    one added. Edges that lead from a part of a page to what it is in, or from a passage to the
    rule that it gives, are not counted.
    """
    private_counts, changed_pages = _compare_private_nodes(writer)
    nodes = list(_compare_public_nodes(writer, changed_pages))
    public_counts = [(kind, change, 1) for change, kind, _ in nodes]
    named = sorted(
        (node for node in nodes if node[1] in _NAMED_KINDS),
        # Removals first: they are never left out for what was added.
        key=lambda node: (node[0] != "removed", _NAMED_KINDS.index(node[1]), node[0], node[2]),
    )
    return GraphChanges(
        _sum_by_kind([*public_counts, *private_counts]),
        _sum_by_kind(_compare_edges(writer)),
        tuple(named[:_MOST_NAMED]),
    )


def _sum_by_kind(
    counts: Iterable[tuple[str, ChangeKind, int]],
) -> dict[str, dict[ChangeKind, int]]:
    """Return {kind: {change: number}} from (kind, change, number), adding numbers up; sorted by
    kind, then by change.

    counts: of nodes or of edges; several may have the same kind and change
    """
    sums: dict[str, dict[ChangeKind, int]] = {}
    for kind, change, number in sorted(counts):
        of_kind = sums.setdefault(kind, {})
        of_kind[change] = of_kind.get(change, 0) + number
    return sums


def _compare_public_nodes(
    writer: Writer, changed_pages: set[str]
) -> Iterator[tuple[ChangeKind, str, str]]:
    """Yield (change, kind, id) of pages, sections and the nodes that several pages may name.

    Only touched nodes are compared: by _COMPARED_COLUMNS and by their shown names in each
    language. A node that no page gives, before or now, counts as absent there.

    changed_pages: the ids of pages whose private nodes changed; these pages count as changed
    """
    differs = " OR ".join(f"o.{name} IS NOT n.{name}" for name in _COMPARED_COLUMNS)
    names = (
        "(SELECT group_concat(name, '|') FROM (SELECT DISTINCT lang || text AS name "
        "FROM {}.label WHERE node = t.key AND shown ORDER BY 1))"
    )
    differs += f" OR {names.format('old')} IS NOT {names.format('main')}"
    rows = writer.db.execute(
        f"SELECT coalesce(n.id, o.id), o.kind, n.kind, {differs} "
        "FROM touched t LEFT JOIN old.node o ON o.key = t.key LEFT JOIN node n ON n.key = t.key "
        "WHERE o.kind NOT NULL OR n.kind NOT NULL"
    )
    for node_id, kind_before, kind_now, different in rows:
        if kind_now is None:
            yield "removed", kind_before, node_id
        elif kind_before is None:
            yield "added", kind_now, node_id
        elif different or node_id in changed_pages:
            yield "changed", kind_now, node_id


def _compare_private_nodes(
    writer: Writer,
) -> tuple[list[tuple[str, ChangeKind, int]], set[str]]:
    """Compare passages and what is stated in them: return (kind, change, number) of each kind and
    change, and the ids of the pages that they are on.

    Their positions are not compared: these change when a passage is inserted before them.
    """
    before, now = (
        Counter(_private_nodes(writer, schema, ranges))
        for schema, ranges in (("old", writer.removed_ranges), ("main", writer.added_ranges))
    )
    removed, added = before - now, now - before
    numbers: Counter[tuple[str, ChangeKind]] = Counter()
    for change, nodes in (("removed", removed), ("added", added)):
        for (kind, *_), number in nodes.items():
            numbers[kind, change] += number  # type: ignore[index]
    pages = {page for _, page, *_ in (*removed, *added)}
    return [(kind, change, number) for (kind, change), number in numbers.items()], pages


def _private_nodes(
    writer: Writer, schema: str, ranges: Iterable[tuple[int, int]]
) -> Iterator[tuple[Any, ...]]:
    """Yield (kind, id of the page, label, text, notice, details) of the nodes with keys in some
    ranges (first, and end excluded).

    schema: `main` for the graph as it is now, `old` for that before the update
    """
    for first, end in ranges:
        yield from writer.db.execute(
            f"SELECT n.kind, p.id, n.label, n.text, n.notice, n.details FROM {schema}.node n "
            f"JOIN {schema}.node p ON p.key = n.page WHERE n.key >= ? AND n.key < ?",
            (first, end),
        )


def _compare_edges(writer: Writer) -> Iterator[tuple[str, ChangeKind, int]]:
    """Yield (kind, change, number) of edges that are gone, that are new, and that dangle now and
    did not before or the other way round.

    Only the table `edge` is compared, not what `parent` and `gives_rule` of nodes stand for.
    """
    columns = ("source", "wanted", "target", "passage", "start", "details")
    same = " AND ".join(f"e.{name} IS o.{name}" for name in columns)
    counters = []
    for schema, other in (("old", "main"), ("main", "old")):
        rows = writer.db.execute(
            "SELECT o.target NOT NULL, o.kind, p.id, w.id, "
            'substr(t.text, o.start + 1, o."end" - o.start), o.details '
            f"FROM {schema}.edge o LEFT JOIN {other}.edge e ON e.rowid = o.rowid AND {same} "
            f"JOIN {schema}.node t ON t.key = o.passage JOIN {schema}.node p ON p.key = t.page "
            f"JOIN {schema}.node w ON w.key = o.wanted WHERE e.rowid IS NULL"
        )
        counters.append(Counter(rows.fetchall()))
    before, now = counters
    removed, added = (_ignore_target(edges) for edges in (before - now, now - before))
    for change, edges in (
        ("changed", removed & added),
        ("removed", removed - added),
        ("added", added - removed),
    ):
        for (kind, *_), number in edges.items():
            yield kind, change, number  # type: ignore[misc]


def _ignore_target(edges: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Return the counts of edges without their first field, which is whether they have a target."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for (_, *edge), number in edges.items():
        counts[tuple(edge)] += number
    return counts
