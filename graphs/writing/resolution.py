"""Resolve what pages claim, when all are in: edges are pointed to their targets, and nodes that
several pages claim, such as rules and terms, are described as the best claim does.

An edge without a target is dangling. In an update only the nodes in the table `touched`, and the
edges at them, are resolved again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from graphs.edition_order import edition_key
from graphs.model import EdgeKind, NodeKind
from graphs.writing.page_rows import SHARED_COLUMNS, details_as_json
from graphs.writing.writer import Writer

# Positions in a claim's values: the kind, then SHARED_COLUMNS.
_FILLED_COLUMNS = tuple(1 + SHARED_COLUMNS.index(name) for name in ("reading", "text", "details"))
_NOTICE = 1 + SHARED_COLUMNS.index("notice")
# Passages shown for one name of a node. By hand: who looks it up needs one or two; a common name
# has thousands, which no look-up should read.
_SHOWN_LABELS = 3


@dataclass(frozen=True, slots=True)
class ResolvedEdge:
    """An edge after its target was resolved.

    details: the details of the edge
    label, text: those of the target; empty if it has none, or if the edge is dangling
    """

    details: Mapping[str, Any]
    label: str
    text: str


class EdgeTargets:
    """Resolves the targets of the edges of a graph whose shared nodes are resolved."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def resolve(self, alternatives: Callable[[str], Iterable[str]]) -> None:
        """Point the edges whose target no page gives to another node; without one they dangle.

        alternatives: takes the id of a node that no page gives, and returns the ids of nodes to
            use as an edge's target instead, the best first; the first that exists is used, and
            the edge is dangling if none does. The id may be empty: there were two nodes with
            the id, and this one was deleted
        """
        self._db.execute("CREATE TEMP TABLE missing (key INTEGER PRIMARY KEY, found INTEGER)")
        for key, wanted in self._missing_nodes():
            candidates = (self._writer.key(candidate) for candidate in alternatives(wanted))
            found = next(
                (candidate for candidate in candidates if candidate and self._exists(candidate)),
                None,
            )
            self._db.execute("INSERT INTO missing VALUES (?, ?)", (key, found))
        self._db.execute(
            "INSERT OR IGNORE INTO retargeted SELECT e.rowid FROM missing m "
            "JOIN edge e ON e.wanted = m.key WHERE e.target IS NOT m.found"
        )
        self._db.execute(
            "UPDATE edge SET target = found FROM missing WHERE wanted = missing.key "
            "AND edge.rowid IN (SELECT edge FROM retargeted)"
        )
        if not self._writer.is_new:
            self._resolve_touched()
        self._db.execute("DROP TABLE missing")

    def choose(
        self,
        kind: EdgeKind,
        alternatives: Callable[[str], Iterable[str]],
        chosen: Callable[[Sequence[ResolvedEdge]], int],
        grounds: str,
    ) -> None:
        """Point the edges of a kind that have details, and whose target no page gives, to the best
        of several nodes, whatever `resolve` took; in an update all of them again.

        alternatives: as for `resolve`. chosen: returns which of the nodes an edge is pointed to, by
            its place; it is asked if there are several. grounds: by what another one than the first
            is chosen, for `edition_by` in the details.
        """
        rows = self._db.execute(
            "SELECT e.rowid, e.details, e.target, w.id FROM edge e JOIN node w ON w.key = e.wanted "
            "WHERE e.kind = ? AND w.kind IS NULL AND e.details IS NOT NULL ORDER BY e.rowid",
            (kind,),
        )
        known: dict[str, list[tuple[int, str, str]]] = {}
        changes = []
        for edge, stored, target, wanted in rows.fetchall():
            if wanted not in known:
                found = (self._described(each) for each in alternatives(wanted))
                known[wanted] = [node for node in found if node]
            nodes = known[wanted]
            details = json.loads(stored)
            resolved = [ResolvedEdge(details, *node[1:]) for node in nodes]
            place = chosen(resolved) if len(nodes) > 1 else 0
            key = nodes[place][0] if nodes else None
            details.pop("edition_by", None)  # of an earlier build, in which there were others
            amended = details_as_json(details | ({"edition_by": grounds} if place else {}))
            if (key, amended) != (target, stored):
                changes.append((key, amended, edge))
        self._db.executemany("UPDATE edge SET target = ?, details = ? WHERE rowid = ?", changes)
        self._db.executemany(
            "INSERT OR IGNORE INTO retargeted VALUES (?)", [(edge,) for *_, edge in changes]
        )

    def _described(self, node: str) -> tuple[int, str, str] | None:
        """Return (key, label, text) of a node that some page gives; None for another."""
        row: tuple[int, str, str] | None = self._db.execute(
            "SELECT key, coalesce(label, ''), coalesce(text, '') FROM node "
            "WHERE id = ? AND kind IS NOT NULL",
            (node,),
        ).fetchone()
        return row

    def _missing_nodes(self) -> list[tuple[int, str]]:
        """Return (key, id) of each wanted node that no page gives; the id is empty if the node was
        deleted as a duplicate.

        In an update in which no node appeared or disappeared, only touched ones: for the others
        the same alternatives exist as before.
        """
        deleted = [(key, "") for key in self._writer.deleted]
        condition = ""
        if (
            not self._writer.is_new
            and not self._db.execute(
                "SELECT 1 FROM touched t LEFT JOIN old.node o ON o.key = t.key "
                "LEFT JOIN node n ON n.key = t.key WHERE (o.kind IS NULL) <> (n.kind IS NULL)"
            ).fetchone()
        ):
            condition = self._and_touched("key")
        rows = self._db.execute(f"SELECT key, id FROM node WHERE kind IS NULL {condition}")
        return deleted + rows.fetchall()

    def _exists(self, key: int) -> bool:
        """Return whether some page gives a node, by its key; False if the file has no such key."""
        row = self._db.execute("SELECT kind FROM node WHERE key = ?", (key,)).fetchone()
        return bool(row and row[0])

    def _resolve_touched(self) -> None:
        """Point edges to touched nodes that exist now, and delete those that do not and that
        nothing refers to any more.

        The temporary table `missing` has the nodes that do not exist.
        """
        self._db.execute(
            "UPDATE edge SET target = wanted WHERE wanted IN (SELECT key FROM touched) "
            "AND wanted NOT IN (SELECT key FROM missing) AND target IS NOT wanted"
        )
        self._db.execute(
            "DELETE FROM node WHERE key IN (SELECT t.key FROM touched t JOIN missing USING (key) "
            "WHERE NOT EXISTS (SELECT 1 FROM edge WHERE wanted = t.key) "
            "AND NOT EXISTS (SELECT 1 FROM edge WHERE source = t.key) "
            "AND NOT EXISTS (SELECT 1 FROM merged WHERE old = t.key) "
            "AND NOT EXISTS (SELECT 1 FROM label WHERE node = t.key))"
        )

    def amend_details(
        self, kind: EdgeKind, amend: Callable[[ResolvedEdge], Mapping[str, Any]]
    ) -> None:
        """Change the details of the edges of a kind, now that their targets are known.

        amend: returns the new details of an edge. It is not called for edges without details and,
            in an update, only for edges with a touched or another target
        """
        condition = (
            ""
            if self._writer.is_new
            else (
                "AND (e.wanted IN (SELECT key FROM touched) "
                "OR e.target IN (SELECT key FROM touched) "
                "OR e.rowid IN (SELECT edge FROM retargeted))"
            )
        )
        rows = self._db.execute(
            "SELECT e.rowid, e.details, n.label, n.text FROM edge e "
            "LEFT JOIN node n ON n.key = e.target "
            f"WHERE e.kind = ? AND e.details IS NOT NULL {condition}",
            (kind,),
        )
        changes = []
        for rowid, stored, label, text in rows:
            edge = ResolvedEdge(json.loads(stored), label or "", text or "")
            amended = details_as_json(amend(edge))
            if amended != stored:
                changes.append((amended, rowid))
        self._db.executemany("UPDATE edge SET details = ? WHERE rowid = ?", changes)

    def _and_touched(self, column: str) -> str:
        """Return the SQL condition that, in an update, a column's node is touched; "" otherwise."""
        return "" if self._writer.is_new else f"AND {column} IN (SELECT key FROM touched)"


class SharedNodes:
    """Resolves the claims and labels of a graph that all pages have been added to."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def resolve(self) -> None:
        """Resolve which claims describe shared nodes, and which labels are shown.

        The claim of the least rank describes a node; of the passages that give it the same name,
        three are shown. In an update only touched nodes are resolved.
        """
        self._resolve_claims()
        self._resolve_labels()

    def _resolve_claims(self) -> None:
        """Describe each shared node as its best claim does: by rank, then by page, text and label.

        If the best claim has no reading, text or details, they are those of the next claim that
        has them. In an update, touched nodes that no page claims any more lose their kind.
        """
        columns = ", ".join(f"c.{name}" for name in SHARED_COLUMNS)
        claims = self._db.execute(
            f"SELECT c.node, c.kind, {columns} FROM claim c JOIN node p ON p.key = c.page "
            f"WHERE 1 {self._and_touched('c.node')} "
            "ORDER BY c.node, c.rank, p.id, c.text, c.label"
        )
        assignments = ", ".join(f"{name} = ?" for name in ("kind", *SHARED_COLUMNS))
        self._db.executemany(f"UPDATE node SET {assignments} WHERE key = ?", _best_claims(claims))
        if not self._writer.is_new:
            resets = ", ".join(f"{name} = NULL" for name in ("kind", *SHARED_COLUMNS))
            self._db.execute(
                f"UPDATE node SET {resets} WHERE key IN (SELECT key FROM touched) "
                "AND page IS NULL AND key NOT IN (SELECT node FROM claim)"
            )

    def _resolve_labels(self) -> None:
        """Mark the labels to show: of many pages that give a node the same name, only a few.

        These are three rows for each name, language and role of a node: those with a passage before
        those without, then by page and by place on the page.
        """
        if not self._writer.is_new:
            self._db.execute(f"UPDATE label SET shown = NULL WHERE 1 {self._and_touched('node')}")
        self._db.execute(
            "UPDATE label SET shown = 1 WHERE rowid IN (SELECT row FROM (SELECT l.rowid AS row, "
            "row_number() OVER (PARTITION BY l.node, l.lang, l.text, l.role "
            "ORDER BY l.passage IS NULL, p.id, q.position) AS place "
            "FROM label l JOIN node p ON p.key = l.page LEFT JOIN node q ON q.key = l.passage "
            f"WHERE 1 {self._and_touched('l.node')}) WHERE place <= ?)",
            (_SHOWN_LABELS,),
        )

    def keep_wordings(
        self, kind: NodeKind, differences: Callable[[str, str], Sequence[Sequence[int]]]
    ) -> None:
        """Store in the details of nodes of a kind how other claims word the same text.

        The details get a list `wordings` of {"page": the id of the page, "text": its text,
        "differs": what `differences` returned}, if there are any.

        differences: takes the node's text and the other; returns (start, end in the first, start,
            end in the second) of each difference, and nothing if they count as the same
        """
        rows = self._db.execute(
            "SELECT n.key, n.text, n.details, p.id, c.text FROM claim c "
            "JOIN node n ON n.key = c.node JOIN node p ON p.key = c.page "
            f"WHERE c.kind = ? AND c.text <> n.text {self._and_touched('n.key')} "
            "ORDER BY n.key, p.id, c.text",
            (kind,),
        )
        for key, claims in groupby(rows.fetchall(), key=itemgetter(0)):
            wordings: list[Mapping[str, Any]] = []
            details: dict[str, Any] = {}
            for _, text, stored, page, other in claims:
                details = json.loads(stored) if stored else {}
                if other and (spans := differences(text, other)):
                    wordings.append({"page": page, "text": other, "differs": spans})
            if wordings:
                details["wordings"] = wordings
                self._db.execute(
                    "UPDATE node SET details = ? WHERE key = ?", (details_as_json(details), key)
                )

    def editions(self) -> list[tuple[str, str, str]]:
        """Return the (game, edition, language) of the rules in the graph, and of documents beside.

        They are sorted by game, and the newest edition of a game comes first, its languages by
        their codes. A field that is not known is empty.
        """
        rows = self._db.execute(
            "SELECT DISTINCT game, edition, lang FROM claim WHERE kind IN ('rule', 'document') "
            "ORDER BY game, lang"
        )
        found = [(game or "", edition or "", lang or "") for game, edition, lang in rows]
        found.sort(key=lambda each: edition_key(each[1]), reverse=True)
        return sorted(found, key=itemgetter(0))

    def _and_touched(self, column: str) -> str:
        """Return the SQL condition that, in an update, a column's node is touched; "" otherwise."""
        return "" if self._writer.is_new else f"AND {column} IN (SELECT key FROM touched)"


def _best_claims(claims: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Yield the values of each node's best claim, then the node's key.

    claims: (key of the node, values) of each claim, ordered by node and the best first. Values
    that the best claim lacks are filled in from the other claims, unless these have a notice that
    the best does not have.
    """
    for node, claims_of_node in groupby(claims, key=itemgetter(0)):
        best, *others = (list(values) for _, *values in claims_of_node)
        for column in _FILLED_COLUMNS:
            fitting = (other[column] for other in others if other[_NOTICE] in (None, best[_NOTICE]))
            best[column] = best[column] or next(filter(None, fitting), None)
        yield [*best, node]
