"""The names and definitions of nodes, as pages give them, and which nodes are one.

Where an old graph is renewed, it is told how they were before and are now, of the nodes that the
change touches (`graphs.write.Writer` notes them).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import intern

from graphs.facts import Defined, Named, Want
from graphs.model import NodeKind
from graphs.rows import as_json
from graphs.write import EDGE, Writer

_OPENING = 8  # passages behind a heading in which what it names may be defined


class Names:
    """What the nodes are called in a graph that a writer has put all pages into."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def of(self, kind: NodeKind, said: bool = False) -> list[Named]:
        """Every name of the nodes of a kind that some page claims to be there; if as `said`, as
        pages say it, and none are made one."""
        return self._names(kind, said)

    def renamed(self, kind: NodeKind, said: bool = False) -> tuple[set[Named], set[Named]]:
        """The names that nodes of a kind had before and have no more, and those that are new."""
        only = "l.node IN (SELECT key FROM touched)"
        if said:
            only = f"({only} OR l.said_node IN (SELECT key FROM touched))"
        before = set(self._names(kind, said, only, "old"))
        now = set(self._names(kind, said, only))
        return before - now, now - before

    def flipped(self, kind: NodeKind) -> set[str]:
        """The nodes that pages claim to be of a kind now and did not before, or the other way."""
        before, now = (
            {node for (node,) in self._db.execute(
                f"SELECT n.id FROM touched t JOIN {schema}.node n ON n.key = t.key "
                f"WHERE {_claimed(schema, 't.key', said=False, few=True)}", (kind,)
            )} for schema in ("old", "main")
        )  # fmt: skip
        return before ^ now

    def called(self, kind: NodeKind, folded: Iterable[str]) -> tuple[list[Named], list[Named]]:
        """All nodes that had one of some names before, and that have it now."""
        self._db.execute("CREATE TEMP TABLE called (folded TEXT PRIMARY KEY)")
        self._db.executemany("INSERT OR IGNORE INTO called VALUES (?)", ((f,) for f in folded))
        only = "l.folded IN (SELECT folded FROM called)"
        before, now = (self._names(kind, False, only, schema) for schema in ("old", "main"))
        self._db.execute("DROP TABLE called")
        return before, now

    def _names(
        self, kind: NodeKind, said: bool, only: str = "1", schema: str = "main"
    ) -> list[Named]:
        node = "coalesce(l.said_node, l.node)" if said else "l.node"
        role = "coalesce(l.said_role, l.role)" if said else "l.role"
        claimed = _claimed(schema, node, said, few=only != "1")
        rows = self._db.execute(
            f"SELECT DISTINCT n.id, l.lang, {role}, l.folded, l.text FROM {schema}.label l "
            f"JOIN {schema}.node n ON n.key = {node} WHERE {only} AND {claimed}", (kind,)
        )  # fmt: skip
        return [Named(intern(node), *name) for node, *name in rows]

    def defined(self, kind: NodeKind, said: bool = False) -> list[Defined]:
        """The passages that may define the nodes of a kind; if as `said`, as pages say it."""
        return self._defined(kind, said)

    def redefined(self, kind: NodeKind) -> tuple[list[Named], list[Defined], list[Defined]]:
        """The nodes of a kind that changed pages define: their names, the passages that may have
        defined them before, and those that may now."""
        only = "{} IN (SELECT key FROM redefined)"
        names, wanted = only.format("l.node"), only.format("e.want")
        before, now = (self._defined(kind, False, wanted, schema) for schema in ("old", "main"))
        return self._names(kind, False, names), before, now

    def _defined(
        self, kind: NodeKind, said: bool, only: str = "1", schema: str = "main"
    ) -> list[Defined]:
        node = "coalesce(e.said_want, e.want)" if said else "e.want"
        claimed = _claimed(schema, node, said, few=only != "1")
        edges = self._db.execute(
            f"SELECT DISTINCT n.id, e.source, e.passage FROM {schema}.edge e "
            f"JOIN {schema}.node n ON n.key = {node} "
            f"WHERE e.kind = 'defines' AND {only} AND {claimed}", (kind,)
        ).fetchall()  # fmt: skip
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
                Defined(node_id, lang or "", key, text or "", source == passage)
                for lang, key, text in rows
            ]
        return found

    # -- what is one ----------------------------------------------------------------------
    def merged(self) -> dict[str, str]:
        """The nodes that were made one with others before, and those others."""
        return dict(self._db.execute(
            "SELECT o.id, n.id FROM merged m JOIN node o ON o.key = m.old "
            "JOIN node n ON n.key = m.new"
        ))  # fmt: skip

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
        if not self._writer.anew:
            leads = {ends.get(old) for ends in (before, now) for old in changed} | changed
            self._db.executemany(
                "INSERT OR IGNORE INTO retold SELECT passage FROM edge "
                "WHERE want = ? AND kind = 'links_to'", ((end,) for end in leads)
            )  # fmt: skip

    def _take_apart(self, nodes: Iterable[int]) -> None:
        self._db.execute("CREATE TEMP TABLE apart (key INTEGER PRIMARY KEY)")
        self._db.executemany("INSERT INTO apart VALUES (?)", ((node,) for node in nodes))
        for table, column, more in (
            ("claim", "node", ""), ("label", "node", ", role = said_role, said_role = NULL"),
            ("edge", "want", ", target = said_want"), ("edge", "source", ""),
        ):  # fmt: skip
            self._db.execute(
                f"UPDATE {table} SET {column} = said_{column}, said_{column} = NULL{more} "
                f"WHERE said_{column} IN (SELECT key FROM apart)"
            )
        self._db.execute("DROP TABLE apart")

    def _put_together(self, lang: str) -> None:
        role = f"CASE WHEN role = 'preferred' AND lang = '{lang}' THEN 'redirect' ELSE role END"
        for table, column, more in (
            ("claim", "node", ""), ("label", "node", f", said_role = role, role = {role}"),
            ("edge", "want", ", target = new"), ("edge", "source", ""),
        ):  # fmt: skip
            self._db.execute(
                f"UPDATE {table} SET said_{column} = old, {column} = new{more} "
                f"FROM merged WHERE {column} = old"
            )

    def join(self, wants: Iterable[Want] | None) -> None:
        """Put in all edges that no page gives alone; None if they are as before. What they name
        must be in the graph."""
        if wants is None:  # the page with the words may be a new one
            self._db.execute(
                "UPDATE edge SET passage = (SELECT n.key FROM old.node o "
                "JOIN node n ON n.id = o.id WHERE o.key = edge.passage) "
                "WHERE rowid IN (SELECT edge FROM joined) AND passage NOT IN (SELECT key FROM node)"
            )
            return
        self._db.execute("DELETE FROM edge WHERE rowid IN (SELECT edge FROM joined)")
        self._db.execute("DELETE FROM joined")
        for want in wants:
            [passage] = self._db.execute("SELECT key FROM node WHERE id = ?", (want.passage,))
            ends = (self._writer.must_key(end) for end in (want.source, want.want))
            row = (want.kind, *ends, want.target_label, want.reason, passage[0], want.start,
                   want.end, as_json(want.details))  # fmt: skip
            done = self._db.execute(EDGE, row)
            self._db.execute("INSERT INTO joined VALUES (?)", (done.lastrowid,))

    def kept(self) -> dict[str, str]:
        """What was kept of nodes for another time."""
        return dict(self._db.execute("SELECT node, what FROM kept"))

    def keep(self, found: Mapping[str, str]) -> None:
        """Keep what was worked out of some nodes for another time."""
        self._db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", sorted(found.items()))

    def forget(self) -> None:
        """Keep nothing that was worked out before."""
        self._db.execute("DELETE FROM kept")


def _claimed(schema: str, node: str, said: bool, few: bool) -> str:
    """The condition that some page claims a node of the kind ?1 to be there: where nodes were
    made one, as it is, or as pages `said` it. Asked for a `few`, no list is made of all."""
    claim = f"FROM {schema}.claim c WHERE c.kind = ?1"
    if not few:
        return f"{node} IN (SELECT {'coalesce(c.said_node, c.node)' if said else 'c.node'} {claim})"
    if not said:
        return f"EXISTS (SELECT 1 {claim} AND c.node = {node})"
    as_said = f"SELECT 1 {claim} AND c.said_node = {node}"
    return (
        f"EXISTS ({as_said} UNION ALL SELECT 1 {claim} AND c.node = {node} AND c.said_node IS NULL)"
    )
