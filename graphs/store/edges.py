"""Reads the edges of nodes: in parts, or the strongest with a count of the others.

So a node to which very many edges lead takes no longer than any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from graphs.model import STRENGTH, Edge
from graphs.store.file.connection import batches, rows_of
from graphs.store.file.row_checks import EDGE_KINDS, check_columns, check_one_of, of_file
from graphs.store.reader import STORED, Store

End = Literal["out", "in"]
_COLUMNS = {"out": "source", "in": "target"}
# The edges that a column of `node` stands for, as in the view `any_edge`.
_OF_COLUMN = (
    "(SELECT key AS place, '{kind}' AS kind, key AS source, {column} AS wanted, "
    "{column} AS target, '' AS label, '' AS reason, {passage} AS passage, 0 AS start, "
    'NULL AS "end", NULL AS details FROM node WHERE {column} IS NOT NULL)'
)
_OF_COLUMNS = {
    "part_of": ("parent", "coalesce(heading, key)"),
    "quotes": ("gives_rule", "key"),
}
# Rows at once, so that edges which are left out cost few queries. By hand: higher reads more in
# vain where few edges are shown.
_FEWEST_READ = 20
# Edges that are all read and sorted for each part that is shown. By hand: higher takes longer for
# every part, lower leaves more nodes to the order of the file, which depends on the build.
_FEW = 300
# Edges of several runs that are read together, though fewer may be shown: by hand, some more than a
# page shows; each run by itself is some queries.
_READ_TOGETHER = 60
_SORTED = 2  # the table of an `EdgePlace` in sorted edges: behind the two of `tables_of`


class EdgePlace(NamedTuple):
    """Where reading stopped: behind an edge, given by numbers that are valid in one file.

    run: which of the `EdgeRun`s it is in.
    table: 0 if the table `edge` has it, 1 if a column of `node` stands for it; 2 in sorted edges.
    key, row: the key of the node at which it is, and the number of its row; of sorted edges 0, and
        which of the run it is.
    """

    run: int
    table: int
    key: int
    row: int


class EdgeRun(NamedTuple):
    """Edges that are read one after another: those of one kind that lead out of some nodes, or
    into them.

    kind, end: of the edges.
    keys: of the nodes, sorted.
    number: how many edges these are.
    """

    kind: str
    end: End
    keys: tuple[int, ...]
    number: int


def tables_of(kind: str) -> tuple[str, ...]:
    """Return the tables, as SQL, that have the edges of a kind: with the columns of the view
    `any_edge`, and `place`, the number of the row."""
    if kind not in _OF_COLUMNS:
        return (STORED,)
    column, passage = _OF_COLUMNS[kind]
    return STORED, _OF_COLUMN.format(kind=kind, column=column, passage=passage)


def count_edges(store: Store, keys: Collection[int], end: End) -> dict[str, int]:
    """Return how many edges of each kind lead out of some nodes, or into them, as
    `count_edges_of_each` counts them."""
    [counts] = count_edges_of_each(store, [keys], end)
    return counts


def count_edges_of_each(
    store: Store, groups: Sequence[Collection[int]], end: End
) -> list[dict[str, int]]:
    """Return how many edges of each kind lead out of the nodes of each group, or into them, the
    strongest kind first; kinds of which there are none are left out. Only indexes are read. Raises
    StoreError if the file holds something else.

    groups: the keys of the nodes; these of all groups are asked for together.
    """
    keys = {key for group in groups for key in group}
    numbers: dict[int, Counter[str]] = {key: Counter() for key in keys}
    with of_file(store.path):
        rows = store.in_degrees(sorted(keys)) if end == "in" else _out_degrees(store, keys)
        for key, kind, number in check_columns(rows, (int, str, int), "counts"):
            numbers[key][kind] += number
        for kind in {kind for of_key in numbers.values() for kind in of_key}:
            check_one_of(kind, EDGE_KINDS, "an edge")
    found = []
    for group in groups:
        total = Counter[str]()
        for key in group:
            total.update(numbers[key])
        found.append({kind: total[kind] for kind in STRENGTH if total[kind]})
    return found


def count_edges_elsewhere(
    store: Store, keys: Collection[int], passages: Collection[int]
) -> dict[str, int]:
    """Return how many stored edges of each kind lead out of some nodes and rest on the words of
    other passages than some: kinds in no order, 0 for those of these passages alone.

    keys, passages: of the nodes, and of the passages.
    """
    numbers: Counter[str] = Counter()
    query = (
        "SELECT kind, passage, count(*) FROM edge WHERE source IN ({marks}) GROUP BY kind, passage"
    )
    rows = rows_of(store.db, query, sorted(keys))
    with of_file(store.path):
        for kind, passage, number in check_columns(rows, (str, int, int), "counts"):
            numbers[kind] += number if passage not in passages else 0
    return dict(numbers)


def _out_degrees(store: Store, keys: Collection[int]) -> Iterator[tuple[int, str, int]]:
    """Yield (key, kind, number) of the edges out of some nodes, dangling ones too."""
    for batch in batches(sorted(keys)):
        marks = ",".join(f"?{place}" for place in range(1, len(batch) + 1))  # used several times
        of_columns = " ".join(
            f"UNION ALL SELECT key, '{kind}', 1 FROM node WHERE key IN ({marks}) "
            f"AND {column} IS NOT NULL"
            for kind, (column, _) in _OF_COLUMNS.items()
        )
        yield from store.db.execute(
            f"SELECT source, kind, count(*) FROM edge WHERE source IN ({marks}) "
            f"GROUP BY source, kind {of_columns}",
            batch,
        )


def edges_behind(
    store: Store,
    runs: Sequence[EdgeRun],
    most: int,
    after: EdgePlace | None = None,
    is_shown: Callable[[EdgeRun, Edge], bool] = lambda *_: True,
    sort_few: bool = False,
) -> tuple[list[Edge], EdgePlace | None]:
    """Return the next edges of some runs, at most `most`, and the place of the last one if there
    are more, else None. Of a node with very many edges no more rows are read than these, and those
    that are left out among them.

    most: 1 or more.
    after: the place where an earlier call stopped; None for the beginning.
    is_shown: says of an edge whether it is returned.
    sort_few: whether each run is in the order of the pages, which does not depend on the build,
        unless there are so many edges that they are read in the order of the file.
    """
    edges: list[Edge] = []
    last: EdgePlace | None = None
    start = after or EdgePlace(0, 0, -1, -1)
    is_few = sort_few and sum(run.number for run in runs) <= _FEW
    every = _sorted(store, runs, start) if is_few else _placed(store, runs, most, start)
    for place, edge in every:
        if is_shown(runs[place.run], edge):
            if len(edges) == most:
                return edges, last
            edges.append(edge)
            last = place
    return edges, None


def _sorted(
    store: Store, runs: Sequence[EdgeRun], start: EdgePlace
) -> Iterator[tuple[EdgePlace, Edge]]:
    """Yield the edges behind a place, run by run in the order of the pages, each with its place."""
    read: dict[int, list[Edge]] = {}
    for number in range(start.run, len(runs)):
        if number not in read:
            read |= _read_together(store, runs, number)
        begin = start.row + 1 if number == start.run else 0
        for row, edge in enumerate(read[number][begin:], begin):
            yield EdgePlace(number, _SORTED, 0, row), edge


def _read_together(store: Store, runs: Sequence[EdgeRun], first: int) -> dict[int, list[Edge]]:
    """Return {number of a run: its edges in the order of the pages} for a run and those behind it,
    as far as they are of the same end and, together, few enough to be read at once."""
    last, number = first, 0
    while last < len(runs) and (number := number + runs[last].number) <= _READ_TOGETHER:
        last += 1
    group = range(first, max(last, first + 1))
    found: dict[int, list[Edge]] = {each: [] for each in group}
    for end, column in _COLUMNS.items():
        of_end = [each for each in group if runs[each].end == end and runs[each].number]
        if not of_end:
            continue
        ids = store.ids({key for each in of_end for key in runs[each].keys})
        edges = store.edges(sorted(ids.values()), end, sorted({runs[each].kind for each in of_end}))
        for each in of_end:
            own = {ids[key] for key in runs[each].keys if key in ids}
            kind = runs[each].kind
            found[each] = [e for e in edges if e.kind == kind and getattr(e, column) in own]
    return found


def _placed(
    store: Store, runs: Sequence[EdgeRun], most: int, start: EdgePlace
) -> Iterator[tuple[EdgePlace, Edge]]:
    """Yield the edges behind a place, run by run in the order of the file, each with its place; of
    a run those of the table `edge` first."""
    for number in range(start.run, len(runs)):
        run = runs[number]
        for table in range(len(tables_of(run.kind)) if run.number else 0):
            if (number, table) < (start.run, start.table):
                continue
            is_first = (number, table) == (start.run, start.table)
            begin = (start.key, start.row) if is_first else (-1, -1)
            for key, row, edge in _of_run(store, run, table, begin, max(most + 1, _FEWEST_READ)):
                yield EdgePlace(number, table, key, row), edge


def _of_run(
    store: Store, run: EdgeRun, table: int, begin: tuple[int, int], at_once: int
) -> Iterator[tuple[int, int, Edge]]:
    """Yield (key, row, edge) of the edges of a run in one table, in the order of its index.

    begin: the key and row behind which to begin.
    """
    key, row = begin
    for batch in batches([each for each in run.keys if each >= key]):  # sorted, as the index is
        while found := list(_rows(store, run, table, batch, (key, row), at_once)):
            yield from found
            key, row, _ = found[-1]
            if len(found) < at_once:
                break


def _rows(
    store: Store,
    run: EdgeRun,
    table: int,
    keys: Sequence[int],
    begin: tuple[int, int],
    most: int,
) -> Iterator[tuple[int, int, Edge]]:
    """Yield (key, row, edge) of the first edges of a run at some nodes, behind a place, by key and
    then by row; `most` at most."""
    source = tables_of(run.kind)[table]
    near = _COLUMNS[run.end]
    # The rest of the node at which reading stopped, and then the others: each a range of the index.
    first, others = [key for key in keys if key == begin[0]], [k for k in keys if k > begin[0]]
    for wanted, behind in ((first, begin[1]), (others, None)):
        if not wanted or most <= 0:
            continue
        marks = ",".join("?" * len(wanted))
        is_behind = "" if behind is None else "AND l.place > ? "
        clause = (
            f"WHERE l.{near} IN ({marks}) AND l.kind = ? {is_behind}"
            f"ORDER BY l.{near}, l.place LIMIT ?"
        )
        values = [*wanted, run.kind, *([] if behind is None else [behind]), most]
        for edge, (key, row) in store.edges_with(f"l.{near}, l.place", source, clause, values):
            most -= 1
            yield key, row, edge


# Edges out come first: what a node says of others, before what they say of it.
_ENDS: dict[str, tuple[End, ...]] = {"out": ("out",), "in": ("in",), "both": ("out", "in")}
_NEAR_AND_FAR = {"out": ("source", "wanted"), "in": ("target", "source")}
# Edges of one kind that are sorted to find the first. By hand: lower lets the picture of an updated
# file differ from that of a new one, higher takes longer for the commonest terms.
_MOST_SORTED = 4_000


class BoundedEdges:
    """Reads the edges of a store, at most so many at once.

    most: how many edges a call of `edges` returns at most.
    unread: how many edges of each kind the calls so far left out because of that.
    """

    def __init__(self, store: Store, most: int) -> None:
        self.unread: Counter[str] = Counter()
        self._store, self._most = store, most

    def edges(
        self, ids: Iterable[str], direction: str = "both", kinds: Iterable[str] = ()
    ) -> list[Edge]:
        """Return edges of some nodes, as many as the bound allows: the strongest kinds first, of
        each those that lead out before those that lead in, within these in the order of the file.

        ids, direction, kinds: as for `Store.edges`. Of a kind that has more edges than the bound
        allows those are returned whose other end has the first ids; if it has more than
        _MOST_SORTED, those that stand first in the file, the same ones until the next build. Ids
        that the graph has not give no edges.
        """
        nodes, wanted = set(ids), set(kinds) or set(STRENGTH)
        keys = tuple(sorted(self._store.keys(nodes)))
        ends = _ENDS[direction]
        counts = {end: count_edges(self._store, keys, end) for end in ends}
        found: list[Edge] = []
        for kind in STRENGTH:
            for end in ends if kind in wanted else ():
                number = counts[end].get(kind, 0)
                most = self._most - len(found)
                run = EdgeRun(kind, end, keys, number)
                if most < number <= _MOST_SORTED:
                    new = self._first_by_id(run, most)
                else:
                    new = edges_behind(self._store, [run], most)[0] if number and most else []
                self.unread[kind] += number - len(new)
                both = end == "in" and direction == "both"
                found += _without(new, nodes) if both else new
        self.unread += Counter()  # without the kinds of which nothing is left
        return found

    def with_sub_rules(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of some nodes and, for rules, of all their sub-rules; sorted."""
        return self._store.with_sub_rules(ids)

    def _first_by_id(self, run: EdgeRun, most: int) -> list[Edge]:
        """Return the first edges of a run by the id at the other end, at most `most`: chosen by
        ids, and listed table by table as the file has them."""
        near, far = _NEAR_AND_FAR[run.end]
        found: list[tuple[str, int, int]] = []
        tables = tables_of(run.kind)
        for number, table in enumerate(tables):
            query = (
                f"SELECT n.id, l.place FROM {table} l CROSS JOIN node n ON n.key = l.{far} "
                f"WHERE l.{near} IN ({{marks}}) AND l.kind = ? ORDER BY n.id, l.place LIMIT ?"
            )
            rows = rows_of(self._store.db, query, run.keys, [run.kind, most])
            with of_file(self._store.path):
                found += [(*row, number) for row in check_columns(rows, (str, int), "edges")]
        first = sorted(found)[:most]
        return [
            edge
            for number, table in enumerate(tables)
            for batch in batches(place for _, place, of_table in first if of_table == number)
            for edge in self._store.edges_at(table, batch).values()
        ]


def _without(edges: Iterable[Edge], nodes: Collection[str]) -> list[Edge]:
    """Return the edges that do not lead out of some nodes."""
    return [edge for edge in edges if edge.source not in nodes]
