"""The names and definitions of nodes, as pages give them, and which nodes are one.

Where an old graph is renewed, it is told how they were before and are now, of the nodes that the
change touches (`graphs.write.Writer` notes them).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import intern
from graphs.build.claims import EdgeClaim
from graphs.model import NodeKind
from graphs.build.page_rows import details_as_json
from graphs.build.writer import INSERT_EDGE, Writer
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from graphs.model import EdgeKind, Label, Node

_OPENING = 8  # passages behind a heading in which what it names may be defined


@dataclass(frozen=True, slots=True)
class NodeName:
    """A name that a page gives a node, as it is looked up and as it is written."""

    node: str
    lang: str
    role: str
    folded: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DefiningPassage:
    """A passage that may define a node: it is said to itself (`sure`), or a page is, and it is
    what names the node there or one of the first behind that."""

    node: str
    lang: str
    passage: str
    text: str
    sure: bool


class NodeLabels:
    """What the nodes are called in a graph that a writer has put all pages into."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def all(self, kind: NodeKind, original: bool = False) -> list[NodeName]:
        """Every name of the nodes of a kind that some page claims to be there; if as `original`, as
        pages say it, and none are made one."""
        return self._names(kind, original)

    def changed_names(self, kind: NodeKind, original: bool = False) -> tuple[set[NodeName], set[NodeName]]:
        """The names that nodes of a kind had before and have no more, and those that are new."""
        only = "l.node IN (SELECT key FROM touched)"
        if original:
            only = f"({only} OR l.original_node IN (SELECT key FROM touched))"
        before = set(self._names(kind, original, only, "old"))
        now = set(self._names(kind, original, only))
        return before - now, now - before

    def appeared_or_gone(self, kind: NodeKind) -> set[str]:
        """The nodes that pages claim to be of a kind now and did not before, or the other way."""
        before, now = (
            {node for (node,) in self._db.execute(
                f"SELECT n.id FROM touched t JOIN {schema}.node n ON n.key = t.key "
                f"WHERE {_claimed(schema, 't.key', original=False, few=True)}", (kind,)
            )} for schema in ("old", "main")
        )
        return before ^ now

    def holders(self, kind: NodeKind, folded: Iterable[str]) -> tuple[list[NodeName], list[NodeName]]:
        """All nodes that had one of some names before, and that have it now."""
        self._db.execute("CREATE TEMP TABLE called (folded TEXT PRIMARY KEY)")
        self._db.executemany("INSERT OR IGNORE INTO called VALUES (?)", ((f,) for f in folded))
        only = "l.folded IN (SELECT folded FROM called)"
        before, now = (self._names(kind, False, only, schema) for schema in ("old", "main"))
        self._db.execute("DROP TABLE called")
        return before, now

    def _names(
        self, kind: NodeKind, original: bool, only: str = "1", schema: str = "main"
    ) -> list[NodeName]:
        node = "coalesce(l.original_node, l.node)" if original else "l.node"
        role = "coalesce(l.original_role, l.role)" if original else "l.role"
        claimed = _claimed(schema, node, original, few=only != "1")
        rows = self._db.execute(
            f"SELECT DISTINCT n.id, l.lang, {role}, l.folded, l.text FROM {schema}.label l "
            f"JOIN {schema}.node n ON n.key = {node} WHERE {only} AND {claimed}", (kind,)
        )
        return [NodeName(intern(node), *name) for node, *name in rows]

    def defining_passages(self, kind: NodeKind, original: bool = False) -> list[DefiningPassage]:
        """The passages that may define the nodes of a kind; if as `original`, as pages say it."""
        return self._defined(kind, original)

    def redefinitions(self, kind: NodeKind) -> tuple[list[NodeName], list[DefiningPassage], list[DefiningPassage]]:
        """The nodes of a kind that changed pages define: their names, the passages that may have
        defined them before, and those that may now."""
        only = "{} IN (SELECT key FROM redefined)"
        names, wanted = only.format("l.node"), only.format("e.wanted")
        before, now = (self._defined(kind, False, wanted, schema) for schema in ("old", "main"))
        return self._names(kind, False, names), before, now

    def _defined(
        self, kind: NodeKind, original: bool, only: str = "1", schema: str = "main"
    ) -> list[DefiningPassage]:
        node = "coalesce(e.original_wanted, e.wanted)" if original else "e.wanted"
        claimed = _claimed(schema, node, original, few=only != "1")
        edges = self._db.execute(
            f"SELECT DISTINCT n.id, e.source, e.passage FROM {schema}.edge e "
            f"JOIN {schema}.node n ON n.key = {node} "
            f"WHERE e.kind = 'defines' AND {only} AND {claimed}", (kind,)
        ).fetchall()
        found = []
        for node_id, source, passage in edges:
            # A page's passages have keys that follow each other, so that no table is searched.
            rows = self._db.execute(
                f"SELECT p.lang, p.id, p.text FROM {schema}.node p "
                f"JOIN {schema}.node w ON w.key = ?1 "
                "WHERE p.key BETWEEN ?2 AND ?3 AND p.kind = 'passage' "
                "AND p.page = w.page AND p.section = w.section ORDER BY p.key",
                (passage, passage, passage + (source != passage) * _OPENING),
            )
            found += [
                DefiningPassage(node_id, lang or "", key, text or "", source == passage)
                for lang, key, text in rows
            ]
        return found

    # -- what is one ----------------------------------------------------------------------
    def merged(self) -> dict[str, str]:
        """The nodes that were made one with others before, and those others."""
        return dict(self._db.execute(
            "SELECT o.id, n.id FROM merged m JOIN node o ON o.key = m.old "
            "JOIN node n ON n.key = m.new"
        ))

    def merge(self, into: Mapping[str, str], lang: str) -> None:
        """Make nodes one, and no others: all that is said of the first is said of the second. In
        `lang` the second keeps its preferred name, and the first's becomes one that redirects to
        it."""
        before = dict(self._db.execute("SELECT old, new FROM merged"))
        now = {self._writer.must_key(old): self._writer.must_key(new) for old, new in into.items()}
        changed = {old for old in before.keys() | now.keys() if before.get(old) != now.get(old)}
        if apart := changed & before.keys():
            self._take_apart(apart)
        self._db.execute("DELETE FROM merged")
        self._db.executemany("INSERT INTO merged VALUES (?, ?)", now.items())
        for ends in (before, now):
            self._writer.touch(ends[old] for old in changed if old in ends)
        self._writer.touch(changed)
        self._db.execute(
            "INSERT OR IGNORE INTO touched SELECT new FROM merged "
            "WHERE old IN (SELECT key FROM touched)"
        )
        if now:
            self._put_together(lang)
        if not self._writer.is_new:
            leads = {ends.get(old) for ends in (before, now) for old in changed} | changed
            self._db.executemany(
                "INSERT OR IGNORE INTO unannotated SELECT passage FROM edge "
                "WHERE wanted = ? AND kind = 'links_to'", ((end,) for end in leads)
            )

    def _take_apart(self, nodes: Iterable[int]) -> None:
        self._db.execute("CREATE TEMP TABLE apart (key INTEGER PRIMARY KEY)")
        self._db.executemany("INSERT INTO apart VALUES (?)", ((node,) for node in nodes))
        for table, column, more in (
            ("claim", "node", ""), ("label", "node", ", role = original_role, original_role = NULL"),
            ("edge", "wanted", ", target = original_wanted"), ("edge", "source", ""),
        ):
            self._db.execute(
                f"UPDATE {table} SET {column} = original_{column}, original_{column} = NULL{more} "
                f"WHERE original_{column} IN (SELECT key FROM apart)"
            )
        self._db.execute("DROP TABLE apart")

    def _put_together(self, lang: str) -> None:
        role = f"CASE WHEN role = 'preferred' AND lang = '{lang}' THEN 'redirect' ELSE role END"
        for table, column, more in (
            ("claim", "node", ""), ("label", "node", f", original_role = role, role = {role}"),
            ("edge", "wanted", ", target = new"), ("edge", "source", ""),
        ):
            self._db.execute(
                f"UPDATE {table} SET original_{column} = old, {column} = new{more} "
                f"FROM merged WHERE {column} = old"
            )

    def write_derived_edges(self, edges: Iterable[EdgeClaim] | None) -> None:
        """Put in all edges that no page gives alone; None if they are as before. What they name
        must be in the graph."""
        if edges is None:  # the page with the words may be a new one
            self._db.execute(
                "UPDATE edge SET passage = (SELECT n.key FROM old.node o "
                "JOIN node n ON n.id = o.id WHERE o.key = edge.passage) "
                "WHERE rowid IN (SELECT edge FROM derived_edge) AND passage NOT IN (SELECT key FROM node)"
            )
            return
        self._db.execute("DELETE FROM edge WHERE rowid IN (SELECT edge FROM derived_edge)")
        self._db.execute("DELETE FROM derived_edge")
        for edge in edges:
            [passage] = self._db.execute("SELECT key FROM node WHERE id = ?", (edge.passage,))
            ends = (self._writer.must_key(end) for end in (edge.source, edge.target))
            row = (edge.kind, *ends, edge.target_label, edge.reason, passage[0], edge.start,
                   edge.end, details_as_json(edge.details))
            done = self._db.execute(INSERT_EDGE, row)
            self._db.execute("INSERT INTO derived_edge VALUES (?)", (done.lastrowid,))

    def cached_definitions(self) -> dict[str, str]:
        """What was kept of nodes for another time."""
        return dict(self._db.execute("SELECT term, packed FROM cached_definition"))

    def cache_definitions(self, found: Mapping[str, str]) -> None:
        """Keep what was worked out of some nodes for another time."""
        self._db.executemany("INSERT OR REPLACE INTO cached_definition VALUES (?, ?)", sorted(found.items()))

    def clear_cache(self) -> None:
        """Keep nothing that was worked out before."""
        self._db.execute("DELETE FROM cached_definition")


def _claimed(schema: str, node: str, original: bool, few: bool) -> str:
    """The condition that some page claims a node of the kind ?1 to be there: where nodes were
    made one, as it is, or as pages `original` it. Asked for a `few`, no list is made of all."""
    claim = f"FROM {schema}.claim c WHERE c.kind = ?1"
    if not few:
        return f"{node} IN (SELECT {'coalesce(c.original_node, c.node)' if original else 'c.node'} {claim})"
    if not original:
        return f"EXISTS (SELECT 1 {claim} AND c.node = {node})"
    by_original = f"SELECT 1 {claim} AND c.original_node = {node}"
    return (
        f"EXISTS ({by_original} UNION ALL SELECT 1 {claim} AND c.node = {node} AND c.original_node IS NULL)"
    )
