"""What a graph that was renewed has and the old one had not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from graphs.build.writer import Writer

ChangeKind = Literal["added", "removed", "changed"]
_SHOWN = ("term", "rule", "card", "edition", "page")
_MOST = 100  # nodes that are named
_SAID = ("label", "reading", "text", "details", "lang", "edition", "url", "notice", "date")


@dataclass(frozen=True, slots=True)
class GraphChanges:
    """How many nodes and edges of each kind were added, removed, changed; and the ids of the
    first terms, rules, cards and pages among them: (change, kind, id)."""

    nodes: Mapping[str, Mapping[ChangeKind, int]] = field(default_factory=dict)
    edges: Mapping[str, Mapping[ChangeKind, int]] = field(default_factory=dict)
    named: tuple[tuple[ChangeKind, str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges)


def graph_changes(writer: Writer) -> GraphChanges:
    """What is different now, in a graph that is renewed and settled."""
    parts, pages = _parts(writer)
    nodes = list(_nodes(writer, pages))
    counted = [(kind, change, 1) for change, kind, _ in nodes]
    named = sorted(
        (node for node in nodes if node[1] in _SHOWN),
        key=lambda node: (_SHOWN.index(node[1]), node[0], node[2]),
    )
    return GraphChanges(_by_kind([*counted, *parts]), _by_kind(_edges(writer)), tuple(named[:_MOST]))


def _by_kind(found: Iterable[tuple[str, ChangeKind, int]]) -> dict[str, dict[ChangeKind, int]]:
    counts: dict[str, dict[ChangeKind, int]] = {}
    for kind, change, number in sorted(found):
        of_kind = counts.setdefault(kind, {})
        of_kind[change] = of_kind.get(change, 0) + number
    return counts


def _nodes(writer: Writer, pages: set[str]) -> Iterator[tuple[ChangeKind, str, str]]:
    """Pages, sections and what many pages speak of: (change, kind, id). A page is changed if
    something that it consists of is."""
    differ = " OR ".join(f"o.{name} IS NOT n.{name}" for name in _SAID)
    names = (
        "(SELECT group_concat(name, '|') FROM (SELECT DISTINCT lang || text AS name "
        "FROM {}.label WHERE node = t.key AND shown ORDER BY 1))"
    )
    differ += f" OR {names.format('old')} IS NOT {names.format('main')}"
    rows = writer.db.execute(
        f"SELECT coalesce(n.id, o.id), o.kind, n.kind, {differ} "
        "FROM touched t LEFT JOIN old.node o ON o.key = t.key LEFT JOIN node n ON n.key = t.key "
        "WHERE o.kind NOT NULL OR n.kind NOT NULL"
    )
    for node_id, before, now, other in rows:
        if now is None:
            yield "removed", before, node_id
        elif before is None:
            yield "added", now, node_id
        elif other or node_id in pages:
            yield "changed", now, node_id


def _parts(writer: Writer) -> tuple[list[tuple[str, ChangeKind, int]], set[str]]:
    """Passages and what they state: (kind, change, number); and the pages that they are of. Where
    one is in a page says nothing: another may have come before it."""
    before, now = (
        Counter(_stated(writer, schema, ranges))
        for schema, ranges in (("old", writer.removed_ranges), ("main", writer.added_ranges))
    )
    removed, added = before - now, now - before
    numbers: Counter[tuple[str, ChangeKind]] = Counter()
    for change, found in (("removed", removed), ("added", added)):
        for (kind, *_), number in found.items():
            numbers[kind, change] += number  # type: ignore[index]
    pages = {page for _, page, *_ in (*removed, *added)}
    return [(kind, change, number) for (kind, change), number in numbers.items()], pages


def _stated(
    writer: Writer, schema: str, ranges: Iterable[tuple[int, int]]
) -> Iterator[tuple[Any, ...]]:
    for first, end in ranges:
        yield from writer.db.execute(
            f"SELECT n.kind, p.id, n.label, n.text, n.notice, n.details FROM {schema}.node n "
            f"JOIN {schema}.node p ON p.key = n.page WHERE n.key >= ? AND n.key < ?", (first, end)
        )


def _edges(writer: Writer) -> Iterator[tuple[str, ChangeKind, int]]:
    """Edges that are not there any more, new ones, and those that dangle or do not any more:
    (kind, change, number)."""
    columns = ("source", "wanted", "target", "passage", "start", "details")
    same = " AND ".join(f"e.{name} IS o.{name}" for name in columns)
    found = []
    for one, other in (("old", "main"), ("main", "old")):
        rows = writer.db.execute(
            "SELECT o.target NOT NULL, o.kind, p.id, w.id, "
            'substr(t.text, o.start + 1, o."end" - o.start), o.details '
            f"FROM {one}.edge o LEFT JOIN {other}.edge e ON e.rowid = o.rowid AND {same} "
            f"JOIN {one}.node t ON t.key = o.passage JOIN {one}.node p ON p.key = t.page "
            f"JOIN {one}.node w ON w.key = o.wanted WHERE e.rowid IS NULL"
        )
        found.append(Counter(rows.fetchall()))
    before, now = found
    removed, added = (_but_for_target(edges) for edges in (before - now, now - before))
    for change, edges in (
        ("changed", removed & added), ("removed", removed - added), ("added", added - removed),
    ):
        for (kind, *_), number in edges.items():
            yield kind, change, number  # type: ignore[misc]


def _but_for_target(edges: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """The same without a word on whether they lead to something."""
    found: Counter[tuple[Any, ...]] = Counter()
    for (_, *edge), number in edges.items():
        found[tuple(edge)] += number
    return found
