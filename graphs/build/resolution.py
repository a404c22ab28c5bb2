"""What is settled when all that will be in a graph is in it: what gives_rule for nodes that many pages
state, and where edges lead.

Where an old graph is renewed, it is settled of the nodes in the table `touched`; a new graph is
touched everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any
from graphs.model import EdgeKind, NodeKind
from graphs.build.page_rows import SHARED, details_as_json
from graphs.build.writer import Writer
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from graphs.model import EdgeKind, Label, Node

_OPEN = tuple(1 + SHARED.index(name) for name in ("reading", "text", "details"))  # behind the kind
_NOTICE = 1 + SHARED.index("notice")
_WITNESSES = 3  # passages shown for one name of a node


@dataclass(frozen=True, slots=True)
class ResolvedEdge:
    """An edge's details, and the label and text of the node that it leads to."""

    details: Mapping[str, Any]
    label: str
    text: str


class Resolution:
    """Settles a graph that a writer has put all pages into."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def resolve(self, instead: Callable[[str], Iterable[str]]) -> None:
        """Settle what gives_rule for shared nodes, and what edges lead to.

        `instead` gives, for a wanted id that no page gives, ids to take in its place.
        """
        self._resolve_claims()
        self._resolve_labels()
        self._db.execute("CREATE TEMP TABLE missing (key INTEGER PRIMARY KEY, found INTEGER)")
        for key, wanted in self._missing():
            others = (self._writer.key(other) for other in instead(wanted))
            found = next((other for other in others if other and self._is_there(other)), None)
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
            self._resolve_changed()
        self._db.execute("DROP TABLE missing")

    def _missing(self) -> list[tuple[int, str]]:
        """The wanted nodes that no page gives; if nothing has come or gone, those touched: for
        others stands in what did before."""
        gone = [(key, "") for key in self._writer.deleted]
        only = ""
        if (
            not self._writer.is_new
            and not self._db.execute(
                "SELECT 1 FROM touched t LEFT JOIN old.node o ON o.key = t.key "
                "LEFT JOIN node n ON n.key = t.key WHERE (o.kind IS NULL) <> (n.kind IS NULL)"
            ).fetchone()
        ):
            only = self._touched("key")
        rows = self._db.execute(f"SELECT key, id FROM node WHERE kind IS NULL {only}")
        return gone + rows.fetchall()

    def _is_there(self, key: int) -> bool:
        row = self._db.execute("SELECT kind FROM node WHERE key = ?", (key,)).fetchone()
        return bool(row and row[0])

    def _resolve_changed(self) -> None:
        """Of the nodes that the change touches: lead to those that are there now, let go of those
        that nobody wants any more."""
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

    def _resolve_claims(self) -> None:
        """Each shared node says what its best claim says: lowest rank, then by page and text.

        A reading, a text or details that it leaves open are taken from the next claim that has one.
        """
        columns = ", ".join(f"c.{name}" for name in SHARED)
        rows = self._db.execute(
            f"SELECT c.node, c.kind, {columns} FROM claim c JOIN node p ON p.key = c.page "
            f"WHERE 1 {self._touched('c.node')} ORDER BY c.node, c.rank, p.id, c.text, c.label"
        )
        settings = ", ".join(f"{name} = ?" for name in ("kind", *SHARED))
        self._db.executemany(f"UPDATE node SET {settings} WHERE key = ?", _spoken_for(rows))
        if not self._writer.is_new:
            nothing = ", ".join(f"{name} = NULL" for name in ("kind", *SHARED))
            self._db.execute(
                f"UPDATE node SET {nothing} WHERE key IN (SELECT key FROM touched) "
                "AND page IS NULL AND key NOT IN (SELECT node FROM claim)"
            )

    def _resolve_labels(self) -> None:
        """Of many pages that give a node the same name, a few are enough to show it."""
        if not self._writer.is_new:
            self._db.execute(f"UPDATE label SET shown = NULL WHERE 1 {self._touched('node')}")
        self._db.execute(
            "UPDATE label SET shown = 1 WHERE rowid IN (SELECT row FROM (SELECT l.rowid AS row, "
            "row_number() OVER (PARTITION BY l.node, l.lang, l.text, l.role "
            "ORDER BY l.passage IS NULL, p.id, q.position) AS place "
            "FROM label l JOIN node p ON p.key = l.page LEFT JOIN node q ON q.key = l.passage "
            f"WHERE 1 {self._touched('l.node')}) WHERE place <= ?)", (_WITNESSES,)
        )

    def amend_details(self, kind: EdgeKind, amended: Callable[[ResolvedEdge], Mapping[str, Any]]) -> None:
        """Change the details of the edges of a kind to what is known now that they are settled."""
        changed = (
            ""
            if self._writer.is_new
            else (
                "AND (e.wanted IN (SELECT key FROM touched) OR e.target IN (SELECT key FROM touched) "
                "OR e.rowid IN (SELECT edge FROM retargeted))"
            )
        )
        rows = self._db.execute(
            "SELECT e.rowid, e.details, n.label, n.text FROM edge e "
            "LEFT JOIN node n ON n.key = e.target "
            f"WHERE e.kind = ? AND e.details IS NOT NULL {changed}", (kind,)
        )
        changes = []
        for row, stored, label, text in rows:
            now = details_as_json(amended(ResolvedEdge(json.loads(stored), label or "", text or "")))
            if now != stored:
                changes.append((now, row))
        self._db.executemany("UPDATE edge SET details = ? WHERE rowid = ?", changes)

    def keep_wordings(
        self, kind: NodeKind, differ: Callable[[str, str], Sequence[Sequence[int]]]
    ) -> None:
        """Keep, with a node of a kind, what other pages that give it say in other words, and
        where that differs: `differ` gives the places in the node's text and in the other."""
        rows = self._db.execute(
            "SELECT n.key, n.text, n.details, p.id, c.text FROM claim c "
            "JOIN node n ON n.key = c.node JOIN node p ON p.key = c.page "
            f"WHERE c.kind = ? AND c.text <> n.text {self._touched('n.key')} "
            "ORDER BY n.key, p.id, c.text", (kind,)
        )
        for key, of_node in groupby(rows.fetchall(), key=itemgetter(0)):
            wordings: list[Mapping[str, Any]] = []
            details: dict[str, Any] = {}
            for _, text, stored, page, other in of_node:
                details = json.loads(stored) if stored else {}
                if other and (places := differ(text, other)):
                    wordings.append({"page": page, "text": other, "differs": places})
            if wordings:
                details["wordings"] = wordings
                self._db.execute(
                    "UPDATE node SET details = ? WHERE key = ?", (details_as_json(details), key)
                )

    def editions(self) -> list[tuple[str, str, str]]:
        """The (game, edition, language) of the rules in the graph, newest first."""
        rows = self._db.execute(
            "SELECT DISTINCT game, edition, lang FROM claim WHERE kind = 'rule' "
            "ORDER BY game, edition DESC, lang"
        )
        return [(game or "", edition or "", lang or "") for game, edition, lang in rows]

    def _touched(self, column: str) -> str:
        return "" if self._writer.is_new else f"AND {column} IN (SELECT key FROM touched)"


def _spoken_for(claims: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Of claims in the order of their nodes, and the best first: what is said of each node."""
    for node, of_node in groupby(claims, key=itemgetter(0)):
        best, *others = (list(values) for _, *values in of_node)
        for place in _OPEN:
            same = (o[place] for o in others if o[_NOTICE] in (None, best[_NOTICE]))
            best[place] = best[place] or next(filter(None, same), None)
        yield [*best, node]
