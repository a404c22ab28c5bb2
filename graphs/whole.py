"""What is asked and told of a graph as a whole, when all pages are in it.

Where an old graph is renewed, each of these does as much as the change may touch: what nodes are
told is told anew of those in the table `touched`, what passages are, of those in `retold`
(`graphs.write.Writer` notes them). A new graph is touched everywhere.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from sys import intern
from typing import Any

from graphs.batches import batches
from graphs.facts import Aimed, Defined, Named, Spelling, Telling, Told, Want
from graphs.model import EdgeKind, NodeKind
from graphs.rows import SHARED, as_json
from graphs.write import EDGE, Writer

_OPEN = tuple(1 + SHARED.index(name) for name in ("reading", "text", "details"))  # behind the kind
_NOTICE = 1 + SHARED.index("notice")
_WITNESSES = 3  # passages shown for one name of a node
_OPENING = 8  # passages behind a heading in which what it names may be defined
_TOLD = 1000  # passages that are told of at once

Teller = Callable[[Iterable[list[Told]]], Iterable[Sequence[Telling]]]


class Whole:
    """The graph that a writer has put all pages into."""

    def __init__(self, writer: Writer) -> None:
        self.anew = writer.anew
        self._writer = writer
        self._db = writer.db

    # -- names and definitions ------------------------------------------------------------
    def names(self, kind: NodeKind, said: bool = False) -> list[Named]:
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
        now = {self._key(old): self._key(new) for old, new in into.items()}
        changed = {old for old in before.keys() | now.keys() if before.get(old) != now.get(old)}
        if apart := changed & before.keys():
            self._take_apart(apart)
        self._db.execute("DELETE FROM merged")
        self._db.executemany("INSERT INTO merged VALUES (?, ?)", now.items())
        for ends in (before, now):
            self._touch(ends[old] for old in changed if old in ends)
        self._touch(changed)
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
            row = (want.kind, self._key(want.source), self._key(want.want), want.target_label,
                   want.reason, passage[0], want.start, want.end,
                   as_json(want.details))  # fmt: skip
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

    # -- what passages say ----------------------------------------------------------------
    def spell(self, gone: Iterable[Spelling], new: Iterable[Spelling]) -> None:
        """Change how names are found in passages."""
        for order, rows in (
            ("DELETE FROM spelling WHERE game = ? AND spelled = ? AND node = ? AND name = ?", gone),
            ("INSERT OR IGNORE INTO spelling VALUES (?, ?, ?, ?)", new),
        ):
            self._db.executemany(
                order, ((s.game, s.spelled, self._key(s.term), s.name) for s in rows)
            )

    def spellings(self) -> list[Spelling]:
        """How the names of all games are found of which passages are to be told."""
        query = (
            "SELECT s.game, s.spelled, n.id, s.name FROM spelling s JOIN node n ON n.key = s.node"
        )
        if not self._writer.anew:
            query += " WHERE s.game IN (SELECT p.game FROM retold r JOIN node p ON p.key = r.key)"
        rows = self._db.execute(query)
        return [Spelling(intern(game), spelled, intern(term), name)
                for game, spelled, term, name in rows]  # fmt: skip

    def words(self, pieces: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Of the words of passages those that some pieces of text may be, as they are spelled or
        normal: (as spelled, normal and folded, normal)."""
        for batch in batches(pieces):
            marks = ",".join("?" * len(batch))
            yield from self._db.execute(
                f"SELECT * FROM word WHERE spelled IN ({marks}) OR folded IN ({marks})",
                [*batch, *batch],
            )

    def is_found(self, query: str | None) -> bool:
        """Whether a full-text query finds any passage that was told of before; None may be any."""
        if not query:
            return query is None
        found = self._db.execute("SELECT 1 FROM search WHERE search MATCH ? LIMIT 1", (query,))
        return found.fetchone() is not None

    def retell(self, game: str, query: str | None) -> None:
        """Have the passages of a game told of anew that a full-text query finds; all, if None."""
        found = (
            "" if query is None else "AND key IN (SELECT rowid FROM search WHERE search MATCH ?)"
        )
        self._db.execute(
            "INSERT OR IGNORE INTO retold SELECT key FROM node WHERE kind = 'passage' "
            f"AND game = ? {found}", (game,) if query is None else (game, query)
        )  # fmt: skip

    def retell_linked(self) -> None:
        """Have the passages told of anew whose links lead to what defines other nodes now."""
        gives = (
            "SELECT source, want FROM {0}.edge WHERE kind = 'defines' "
            "AND want IN (SELECT key FROM touched) "
            "UNION SELECT node, node FROM {0}.claim WHERE node IN (SELECT key FROM touched)"
        )
        before, now = (set(self._db.execute(gives.format(name))) for name in ("old", "main"))
        self._db.executemany(
            "INSERT OR IGNORE INTO retold SELECT passage FROM edge "
            "WHERE want = ? AND kind = 'links_to'", {(giver,) for giver, _ in before ^ now}
        )  # fmt: skip

    def tell(self, told: Teller) -> None:
        """Give passages to `told`, some at a time, and record what it tells of each, in their
        order: the passage's words, for searching, and the nodes that it speaks of."""
        self._gather_links()
        known: set[int] = set()
        if not self._writer.anew:
            self._unsay()
            known.update(key for (key,) in self._db.execute(
                "SELECT key FROM words WHERE key IN (SELECT key FROM retold)"
            ))  # fmt: skip
        waiting: deque[list[tuple[int, int]]] = deque()
        for answers in told(self._passages(waiting)):
            words, edges = [], []
            for (key, source), telling in zip(waiting.popleft(), answers, strict=True):
                if key not in known:
                    words.append((key, telling.words))
                for node, label, start, end in telling.spoken:
                    edges.append((source, self._key(node), label, key, start, end))
                if telling.met:
                    self._db.executemany("INSERT OR IGNORE INTO word VALUES (?, ?, ?)", telling.met)
            self._db.executemany("INSERT INTO words VALUES (?, ?)", words)
            self._db.executemany("INSERT INTO search (rowid, words) VALUES (?, ?)", words)
            self._db.executemany(
                "INSERT INTO edge VALUES "
                "('mentions', ?1, ?2, ?2, ?3, '', ?4, ?5, ?6, NULL, NULL, NULL)", edges
            )  # fmt: skip
        self._db.execute("DROP TABLE linked")

    def _unsay(self) -> None:
        """Take out what the passages that are told of anew speak of."""
        self._db.execute(
            "DELETE FROM edge WHERE rowid IN (SELECT e.rowid FROM retold r "
            "CROSS JOIN node p ON p.key = r.key "
            "CROSS JOIN edge e ON e.source = coalesce(p.speaks, p.key) "
            "AND e.kind = 'mentions' AND e.passage = p.key)"
        )

    def _passages(self, waiting: deque[list[tuple[int, int]]]) -> Iterator[list[Told]]:
        """The passages to tell of, some at a time, with their links; into `waiting` goes where
        they lie."""
        ids = dict(self._db.execute(
            "SELECT key, id FROM node WHERE key IN (SELECT node FROM linked)"
        ))  # fmt: skip
        rows = self._db.execute(
            "SELECT key, game, lang, text, speaks FROM node WHERE kind = 'passage' "
            f"{self._retold('key')} ORDER BY key"
        )
        while batch := rows.fetchmany(_TOLD):
            links: dict[int, list[tuple[int, int, frozenset[str]]]] = defaultdict(list)
            found = self._db.execute(
                "SELECT * FROM linked WHERE passage BETWEEN ? AND ?", (batch[0][0], batch[-1][0])
            )
            for (passage, *span), nodes in groupby(found, key=itemgetter(0, 1, 2)):
                links[passage].append((*span, frozenset(ids[node] for *_, node in nodes)))
            waiting.append([(key, speaks or key) for key, *_, speaks in batch])
            yield [
                Told(game or "", lang or "", text or "", links.get(key, ()))
                for key, game, lang, text, _ in batch
            ]

    def _gather_links(self) -> None:
        """The links that lead to what is or defines a node, in the order of their passages."""
        self._db.execute(
            'CREATE TEMP TABLE linked (passage INTEGER, start INTEGER, "end" INTEGER, '
            'node INTEGER, PRIMARY KEY (passage, start, "end", node)) WITHOUT ROWID'
        )
        links = "SELECT * FROM edge WHERE kind = 'links_to'"
        gives = "SELECT source, want FROM edge WHERE kind = 'defines'"
        claims = "SELECT node, node FROM claim"
        if not self._writer.anew:
            links = (
                "SELECT e.* FROM retold r CROSS JOIN node p ON p.key = r.key "
                "CROSS JOIN edge e ON e.source = coalesce(p.speaks, p.key) "
                "WHERE e.kind = 'links_to' AND e.passage = p.key"
            )
            gives += " AND source IN (SELECT want FROM links)"
            claims += " WHERE node IN (SELECT want FROM links)"
        self._db.execute(
            f"WITH links AS MATERIALIZED ({links}), "
            f"gives (giver, node) AS MATERIALIZED ({gives} UNION {claims}) "
            'INSERT OR IGNORE INTO linked SELECT e.passage, e.start, e."end", g.node '
            "FROM gives g JOIN links e ON g.giver = e.want"
        )

    # -- what is settled ------------------------------------------------------------------
    def settle(self, instead: Callable[[str], Iterable[str]]) -> None:
        """Settle what speaks for shared nodes, and what edges lead to.

        `instead` gives, for a wanted id that no page gives, ids to take in its place.
        """
        self._settle_claims()
        self._settle_labels()
        self._db.execute("CREATE TEMP TABLE missing (key INTEGER PRIMARY KEY, found INTEGER)")
        for key, wanted in self._missing():
            others = (self._writer.key(other) for other in instead(wanted))
            found = next((other for other in others if other and self._is_there(other)), None)
            self._db.execute("INSERT INTO missing VALUES (?, ?)", (key, found))
        self._db.execute(
            "INSERT OR IGNORE INTO retargeted SELECT e.rowid FROM missing m "
            "JOIN edge e ON e.want = m.key WHERE e.target IS NOT m.found"
        )
        self._db.execute(
            "UPDATE edge SET target = found FROM missing WHERE want = missing.key "
            "AND edge.rowid IN (SELECT edge FROM retargeted)"
        )
        if not self._writer.anew:
            self._settle_changed()
        self._db.execute("DROP TABLE missing")

    def _missing(self) -> list[tuple[int, str]]:
        """The wanted nodes that no page gives; if nothing has come or gone, those touched: for
        others stands in what did before."""
        gone = [(key, "") for key in self._writer.gone]
        only = ""
        if (
            not self._writer.anew
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

    def _settle_changed(self) -> None:
        """Of the nodes that the change touches: lead to those that are there now, let go of those
        that nobody wants any more."""
        self._db.execute(
            "UPDATE edge SET target = want WHERE want IN (SELECT key FROM touched) "
            "AND want NOT IN (SELECT key FROM missing) AND target IS NOT want"
        )
        self._db.execute(
            "DELETE FROM node WHERE key IN (SELECT t.key FROM touched t JOIN missing USING (key) "
            "WHERE NOT EXISTS (SELECT 1 FROM edge WHERE want = t.key) "
            "AND NOT EXISTS (SELECT 1 FROM edge WHERE source = t.key) "
            "AND NOT EXISTS (SELECT 1 FROM merged WHERE old = t.key) "
            "AND NOT EXISTS (SELECT 1 FROM label WHERE node = t.key))"
        )

    def _settle_claims(self) -> None:
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
        if not self._writer.anew:
            nothing = ", ".join(f"{name} = NULL" for name in ("kind", *SHARED))
            self._db.execute(
                f"UPDATE node SET {nothing} WHERE key IN (SELECT key FROM touched) "
                "AND page IS NULL AND key NOT IN (SELECT node FROM claim)"
            )

    def _settle_labels(self) -> None:
        """Of many pages that give a node the same name, a few are enough to show it."""
        if not self._writer.anew:
            self._db.execute(f"UPDATE label SET shown = NULL WHERE 1 {self._touched('node')}")
        self._db.execute(
            "UPDATE label SET shown = 1 WHERE rowid IN (SELECT row FROM (SELECT l.rowid AS row, "
            "row_number() OVER (PARTITION BY l.node, l.lang, l.text, l.role "
            "ORDER BY l.passage IS NULL, p.id, q.position) AS place "
            "FROM label l JOIN node p ON p.key = l.page LEFT JOIN node q ON q.key = l.passage "
            f"WHERE 1 {self._touched('l.node')}) WHERE place <= ?)", (_WITNESSES,)
        )  # fmt: skip

    def amend(self, kind: EdgeKind, amended: Callable[[Aimed], Mapping[str, Any]]) -> None:
        """Change the details of the edges of a kind to what is known now that they are settled."""
        changed = (
            ""
            if self._writer.anew
            else (
                "AND (e.want IN (SELECT key FROM touched) OR e.target IN (SELECT key FROM touched) "
                "OR e.rowid IN (SELECT edge FROM retargeted))"
            )
        )
        rows = self._db.execute(
            "SELECT e.rowid, e.details, n.label, n.text FROM edge e "
            "LEFT JOIN node n ON n.key = e.target "
            f"WHERE e.kind = ? AND e.details IS NOT NULL {changed}", (kind,)
        )  # fmt: skip
        changes = []
        for row, stored, label, text in rows:
            now = as_json(amended(Aimed(json.loads(stored), label or "", text or "")))
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
        )  # fmt: skip
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
                    "UPDATE node SET details = ? WHERE key = ?", (as_json(details), key)
                )

    def editions(self) -> list[tuple[str, str, str]]:
        """The (game, edition, language) of the rules in the graph, newest first."""
        rows = self._db.execute(
            "SELECT DISTINCT game, edition, lang FROM claim WHERE kind = 'rule' "
            "ORDER BY game, edition DESC, lang"
        )
        return [(game or "", edition or "", lang or "") for game, edition, lang in rows]

    # -- rows -----------------------------------------------------------------------------
    def _key(self, node_id: str) -> int:
        key = self._writer.key(node_id)
        assert key is not None, node_id
        return key

    def _touch(self, keys: Iterable[int]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO touched VALUES (?)", ((key,) for key in keys))

    def _touched(self, column: str) -> str:
        return "" if self._writer.anew else f"AND {column} IN (SELECT key FROM touched)"

    def _retold(self, column: str) -> str:
        return "" if self._writer.anew else f"AND {column} IN (SELECT key FROM retold)"


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


def _spoken_for(claims: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Of claims in the order of their nodes, and the best first: what is said of each node."""
    for node, of_node in groupby(claims, key=itemgetter(0)):
        best, *others = (list(values) for _, *values in of_node)
        for place in _OPEN:
            same = (o[place] for o in others if o[_NOTICE] in (None, best[_NOTICE]))
            best[place] = best[place] or next(filter(None, same), None)
        yield [*best, node]
