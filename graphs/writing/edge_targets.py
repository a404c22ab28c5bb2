"""Points the edges of a graph to their targets, when all pages are in and nodes are described.

An edge whose target no page gives leads to another node that is meant, or is dangling. In an update
only the edges at the nodes in the table `touched` are resolved again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphs.model import EdgeKind
from graphs.writing.page_claims import details_as_json
from graphs.writing.writer import Writer


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
            condition = self._writer.and_touched("key")
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
