"""Read the names and definitions of nodes, merge synonymous nodes, and store derived edges and
names: those that no page alone gives.

In an update, the names and definitions of the nodes that it affects can be compared with those in
the old graph.

The keys by which names are found although they are mistyped are written here, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from typing import NamedTuple

from graphs.model import EdgeKind, NodeKind, Role
from graphs.store.file.connection import batches
from graphs.store.name_index import (
    LENGTH_BITS,
    LONGEST_KEY,
    NameKey,
    first_row_id,
    indexed_key,
)
from graphs.writing.page_claims import EdgeClaim, details_as_json
from graphs.writing.writer import INSERT_EDGE, Writer

_BATCH = 2000  # names whose keys are made at once; by hand: bounds what is sent to another process


def update_name_keys(
    writer: Writer,
    kinds: Sequence[str],
    make_keys: Callable[[Iterator[list[str]]], Iterable[list[NameKey]]],
) -> None:
    """Make the table of keys agree with the shown names of a graph that is resolved.

    Keys are made only of names that the table does not have yet; those of names that no node has
    any more are deleted. Names of more than LONGEST_KEY characters get none.

    kinds: of the nodes whose names count.
    make_keys: returns the keys of each batch of names, in any order; they must depend on nothing
        but the names. A name without keys is asked for again in each update.
    """
    db = writer.db
    db.execute("CREATE TEMP TABLE current_name (name TEXT PRIMARY KEY) WITHOUT ROWID")
    db.execute(
        "INSERT OR IGNORE INTO current_name SELECT l.text FROM label l "
        f"JOIN node n ON n.key = l.node AND n.kind IN ({','.join('?' * len(kinds))}) "
        "WHERE l.shown AND length(l.text) <= ?",
        (*kinds, LONGEST_KEY),
    )
    if not writer.is_new:
        _delete_unused(writer)
    new = db.execute("SELECT name FROM current_name EXCEPT SELECT name FROM name_key ORDER BY 1")
    names = [name for (name,) in new]
    if names:
        _insert(writer, (key for keys in make_keys(batches(names, _BATCH)) for key in keys))
    db.execute("DROP TABLE current_name")


def _delete_unused(writer: Writer) -> None:
    """Delete the keys of names that are not current, also from the index."""
    rows = writer.db.execute(
        "SELECT id, key FROM name_key WHERE name NOT IN (SELECT name FROM current_name)"
    ).fetchall()
    writer.db.executemany(
        "INSERT INTO name_gram (name_gram, rowid, key) VALUES ('delete', ?, ?)",
        ((row, indexed_key(key)) for row, key in rows),
    )
    writer.db.executemany("DELETE FROM name_key WHERE id = ?", ((row,) for row, _ in rows))


def _insert(writer: Writer, keys: Iterable[NameKey]) -> None:
    """Insert keys and index them."""
    db = writer.db
    db.execute("CREATE TEMP TABLE new_key (id INTEGER, name TEXT, form TEXT, key TEXT, exact TEXT)")
    db.executemany(
        "INSERT INTO new_key VALUES (?, ?, ?, ?, ?)", ((_row_id(key), *key) for key in keys)
    )
    # In the order of their ids: the index is written in one run only if its rows come so.
    in_order = db.execute("SELECT * FROM new_key ORDER BY id, rowid")
    while rows := in_order.fetchmany(_BATCH):
        db.executemany("INSERT OR REPLACE INTO name_key VALUES (?, ?, ?, ?, ?)", rows)
        db.executemany(
            "INSERT OR REPLACE INTO name_gram (rowid, key) VALUES (?, ?)",
            ((row, indexed_key(key)) for row, _, _, key, _ in rows),
        )
    in_order.close()
    db.execute("DROP TABLE new_key")


def _row_id(key: NameKey) -> int:
    """Return the id of the row of a key: the same in every build, by its length and a hash."""
    digest = hashlib.blake2b("\0".join(key).encode("utf-8", "surrogatepass"), digest_size=8)
    return first_row_id(len(key.key)) + (int.from_bytes(digest.digest(), "big") >> LENGTH_BITS)


# Not an edge of a row that only gives a name in another language.
_DEFINES_MORE = "coalesce(e.details, '') NOT LIKE '%\"names_only\"%'"
# Passages after a heading in which what it names may be defined. By hand: higher reads more that
# defines nothing, lower misses definitions behind an introduction or a list.
_OPENING = 8


@dataclass(frozen=True, slots=True)
class NodeName:
    """A name that some page gives to a node.

    node: the id of the node
    lang: the language of the name
    role: the role of the name, as in `graphs.model.Label`
    folded: the name as it is looked up
    text: the name as it is written
    """

    node: str
    lang: str
    role: str
    folded: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DefiningPassage:
    """A passage that may define a node.

    node: the id of the node
    lang: the language of the passage; empty if it is not known
    passage: the id of the passage
    text: the text of the passage
    sure: True if a page states that this passage defines the node; False if it states that of a
        page or a section, and the passage is the one that names the node there or one of the
        first after it
    """

    node: str
    lang: str
    passage: str
    text: str
    sure: bool


class NodeLabels:
    """The names and definitions of nodes in a graph that all pages have been added to.

    Only nodes that some page claims to exist are returned, and no names that are only proposed or
    listed: nothing is decided by those. With `original`, methods return what pages state, as if no
    nodes were merged.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def all(self, kind: NodeKind, original: bool = False) -> list[NodeName]:
        """Return every name of the nodes of a kind, in no order.

        original: whether names belong to the nodes that pages give them to, as if none were
            merged; if not, the names of a merged node are those of the node it was merged into
        """
        return self._names(kind, original)

    def changed_names(
        self, kind: NodeKind, original: bool = False
    ) -> tuple[set[NodeName], set[NodeName]]:
        """Return (removed, new): the names that nodes of a kind have only in the old graph, and
        those that they have only now. Only for an update.

        original: as in `all`
        """
        condition = "l.node IN (SELECT key FROM touched)"
        if original:
            condition = f"({condition} OR l.original_node IN (SELECT key FROM touched))"
        before = set(self._names(kind, original, condition, "old"))
        now = set(self._names(kind, original, condition))
        return before - now, now - before

    def added_or_removed(self, kind: NodeKind) -> set[str]:
        """Return the ids of nodes that pages claim to be of a kind either now or in the old graph,
        but not in both. Only for an update."""
        before, now = (
            {
                node
                for (node,) in self._db.execute(
                    f"SELECT n.id FROM touched t JOIN {schema}.node n ON n.key = t.key "
                    f"WHERE {_claimed(schema, 't.key', original=False, few=True)}",
                    (kind,),
                )
            }
            for schema in ("old", "main")
        )
        return before ^ now

    def names_before_and_now(
        self, kind: NodeKind, folded: Iterable[str]
    ) -> tuple[list[NodeName], list[NodeName]]:
        """Return (before, now): the nodes of a kind that have one of some folded names in the old
        graph, and those that have one now, each with the name. Only for an update.

        Nodes whose names did not change are in both lists.
        """
        self._db.execute("CREATE TEMP TABLE called (folded TEXT PRIMARY KEY)")
        self._db.executemany(
            "INSERT OR IGNORE INTO called VALUES (?)", ((name,) for name in folded)
        )
        condition = "l.folded IN (SELECT folded FROM called)"
        before, now = (self._names(kind, False, condition, schema) for schema in ("old", "main"))
        self._db.execute("DROP TABLE called")
        return before, now

    def _names(
        self, kind: NodeKind, original: bool, condition: str = "1", schema: str = "main"
    ) -> list[NodeName]:
        """Return the names of nodes of a kind that fulfil an SQL condition on the label `l`.

        original: as in `all`
        schema: the graph to read, "main" or "old"
        """
        node = "coalesce(l.original_node, l.node)" if original else "l.node"
        role = "coalesce(l.original_role, l.role)" if original else "l.role"
        claimed = _claimed(schema, node, original, few=condition != "1")
        rows = self._db.execute(
            f"SELECT DISTINCT n.id, l.lang, {role}, l.folded, l.text FROM {schema}.label l "
            f"JOIN {schema}.node n ON n.key = {node} WHERE {condition} AND {claimed} "
            "AND l.role NOT IN ('proposed', 'listed')",
            (kind,),
        )
        return [NodeName(intern(node_id), *name) for node_id, *name in rows]

    def defining_passages(self, kind: NodeKind, original: bool = False) -> list[DefiningPassage]:
        """Return the passages that may define the nodes of a kind.

        Not all do: see `DefiningPassage.sure`. A node may have many, and a passage be listed for
        several nodes. The nodes are in no order; what follows a heading is in the page's order.

        original: as in `all`
        """
        return self._definitions(kind, original)

    def redefinitions(
        self, kind: NodeKind
    ) -> tuple[list[NodeName], list[DefiningPassage], list[DefiningPassage]]:
        """Return (names, before, now) for the nodes of a kind that changed pages define.

        Only for an update. Nodes count that a changed page defines or did define before.

        names: the names that these nodes have now
        before, now: the passages that may define them in the old graph, and now
        """
        condition = "{} IN (SELECT key FROM redefined)"
        of_label, of_edge = condition.format("l.node"), condition.format("e.wanted")
        before, now = (
            self._definitions(kind, False, of_edge, schema) for schema in ("old", "main")
        )
        return self._names(kind, False, of_label), before, now

    def _definitions(
        self, kind: NodeKind, original: bool, condition: str = "1", schema: str = "main"
    ) -> list[DefiningPassage]:
        """Return what may define the nodes of a kind, where an SQL condition on the edge `e` from
        the definition holds.

        Passages that only give names, as rows of lists do, define nothing.

        original: as in `all`
        schema: the graph to read, "main" or "old"
        """
        node = "coalesce(e.original_wanted, e.wanted)" if original else "e.wanted"
        claimed = _claimed(schema, node, original, few=condition != "1")
        edges = self._db.execute(
            f"SELECT DISTINCT n.id, e.source, e.passage FROM {schema}.edge e "
            f"JOIN {schema}.node n ON n.key = {node} "
            f"WHERE e.kind = 'defines' AND {_DEFINES_MORE} AND {condition} AND {claimed}",
            (kind,),
        ).fetchall()
        definitions = []
        for node_id, source, passage in edges:
            # The keys of a page's passages are consecutive, so no table is searched.
            rows = self._db.execute(
                f"SELECT p.lang, p.id, p.text FROM {schema}.node p "
                f"JOIN {schema}.node w ON w.key = ?1 "
                "WHERE p.key BETWEEN ?2 AND ?3 AND p.kind = 'passage' "
                "AND p.page = w.page AND p.section = w.section ORDER BY p.key",
                (passage, passage, passage + (source != passage) * _OPENING),
            )
            definitions += [
                DefiningPassage(node_id, lang or "", passage_id, text or "", source == passage)
                for lang, passage_id, text in rows
            ]
        return definitions

    def claimed_at_best(self, kind: NodeKind, rank: int, period: int) -> set[str]:
        """Return the ids of the nodes of a kind that no page claims with a lower rank, as if none
        were merged.

        rank: the rank to compare with
        period: what ranks are counted in: only the remainder of a rank by it is compared
        """
        rows = self._db.execute(
            "SELECT n.id FROM (SELECT coalesce(original_node, node) AS own FROM claim "
            "WHERE kind = ? GROUP BY own HAVING min(rank % ?) >= ?) JOIN node n ON n.key = own",
            (kind, period, rank),
        )
        return {node_id for (node_id,) in rows}

    def names_of(self, kind: NodeKind, nodes: Iterable[str]) -> list[NodeName]:
        """Return the names of some nodes of a kind, given by their ids, as if none were merged. A
        node that no page claims to be of that kind has none."""
        self._db.execute("CREATE TEMP TABLE named (key INTEGER PRIMARY KEY)")
        self._db.executemany(
            "INSERT OR IGNORE INTO named SELECT key FROM node WHERE id = ?",
            ((node,) for node in nodes),
        )
        condition = "coalesce(l.original_node, l.node) IN (SELECT key FROM named)"
        names = self._names(kind, True, condition)
        self._db.execute("DROP TABLE named")
        return names

    def are_touched(self, nodes: Iterable[str]) -> bool:
        """Return whether an update affects any of some nodes, given by their ids."""
        query = "SELECT 1 FROM touched t JOIN node n ON n.key = t.key WHERE n.id = ?"
        return any(self._db.execute(query, (node,)).fetchone() for node in nodes)

    # -- merging --------------------------------------------------------------------------
    def merged(self) -> dict[str, str]:
        """Return {id of a node that was merged: id of the node that it was merged into}."""
        return dict(
            self._db.execute(
                "SELECT o.id, n.id FROM merged m JOIN node o ON o.key = m.old "
                "JOIN node n ON n.key = m.new"
            )
        )

    def merge(self, into: Mapping[str, str], lang: str) -> None:
        """Merge nodes: all claims, names and edges of a node become those of another.

        Nodes that were merged before and are not in the mapping are separated again. A merged
        node's preferred names in `lang` become redirects; the other node keeps its own.

        into: {id of a node: id of the node to merge it into} of all merges, old and new; an
            unknown id raises AssertionError
        lang: the language in which merged nodes lose their preferred names
        """
        before = dict(self._db.execute("SELECT old, new FROM merged"))
        now = {
            self._writer.must_shared_key(old): self._writer.must_shared_key(new)
            for old, new in into.items()
        }
        changed = {old for old in before.keys() | now.keys() if before.get(old) != now.get(old)}
        if separated := changed & before.keys():
            self._undo_merges(separated)
        self._db.execute("DELETE FROM merged")
        self._db.executemany("INSERT INTO merged VALUES (?, ?)", now.items())
        for merges in (before, now):
            self._writer.touch(merges[old] for old in changed if old in merges)
        self._writer.touch(changed)
        self._db.execute(
            "INSERT OR IGNORE INTO touched SELECT new FROM merged "
            "WHERE old IN (SELECT key FROM touched)"
        )
        if now:
            self._apply_merges(lang)
        if not self._writer.is_new:
            affected = {merges.get(old) for merges in (before, now) for old in changed} | changed
            self._db.executemany(
                "INSERT OR IGNORE INTO unannotated SELECT passage FROM edge "
                "WHERE wanted = ? AND kind = 'links_to'",
                ((key,) for key in affected),
            )

    def _undo_merges(self, nodes: Iterable[int]) -> None:
        """Give nodes, by their keys, their own claims, names and edges back.

        Names get back the role that the page gave them, and edges to the nodes their target. Nodes
        that were not merged stay as they are.
        """
        self._db.execute("CREATE TEMP TABLE apart (key INTEGER PRIMARY KEY)")
        self._db.executemany("INSERT INTO apart VALUES (?)", ((node,) for node in nodes))
        for table, column, more in (
            ("claim", "node", ""),
            ("label", "node", ", role = original_role, original_role = NULL"),
            ("edge", "wanted", ", target = original_wanted"),
            ("edge", "source", ""),
        ):
            self._db.execute(
                f"UPDATE {table} SET {column} = original_{column}, original_{column} = NULL{more} "
                f"WHERE original_{column} IN (SELECT key FROM apart)"
            )
        self._db.execute("DROP TABLE apart")

    def _apply_merges(self, lang: str) -> None:
        """Move claims, names and edges as the table `merged` has it; the `original_…` columns keep
        what pages state."""
        role = f"CASE WHEN role = 'preferred' AND lang = '{lang}' THEN 'redirect' ELSE role END"
        for table, column, more in (
            ("claim", "node", ""),
            ("label", "node", f", original_role = role, role = {role}"),
            ("edge", "wanted", ", target = new"),
            ("edge", "source", ""),
        ):
            self._db.execute(
                f"UPDATE {table} SET original_{column} = old, {column} = new{more} "
                f"FROM merged WHERE {column} = old"
            )

    # -- derived edges and cached definitions ---------------------------------------------
    def write_derived_edges(self, kind: EdgeKind, edges: Iterable[EdgeClaim] | None) -> None:
        """Replace the derived edges of a kind: those that no single page gives.

        edges: all of them, between nodes of the graph; None if they are the same as in the old
            graph
        """
        if edges is None:  # but a page that was read again has passages with other keys
            self._db.execute(
                "UPDATE edge SET passage = (SELECT n.key FROM old.node o "
                "JOIN node n ON n.id = o.id WHERE o.key = edge.passage) "
                "WHERE rowid IN (SELECT edge FROM derived_edge) AND kind = ? "
                "AND passage NOT IN (SELECT key FROM node)",
                (kind,),
            )
            return
        self._db.execute(
            "DELETE FROM edge WHERE rowid IN (SELECT edge FROM derived_edge) AND kind = ?", (kind,)
        )
        self._db.execute(
            "DELETE FROM derived_edge WHERE NOT EXISTS "
            "(SELECT 1 FROM edge e WHERE e.rowid = derived_edge.edge)"
        )
        keys = "SELECT key FROM node WHERE id = ?"
        for edge in edges:
            passage, source, target = (
                self._db.execute(keys, (node_id,)).fetchone()[0]
                for node_id in (edge.passage, edge.source, edge.target)
            )
            row = (
                kind,
                source,
                target,
                edge.target_label,
                edge.reason,
                passage,
                edge.start,
                edge.end,
                details_as_json(edge.details),
            )
            cursor = self._db.execute(INSERT_EDGE, row)
            self._db.execute("INSERT INTO derived_edge VALUES (?)", (cursor.lastrowid,))

    def cached_definitions(self) -> dict[str, str]:
        """Return {id of a term: text}, all that `cache_definitions` stored, in this build or in an
        earlier one that it updates. The id "" has what concerns all terms."""
        return dict(self._db.execute("SELECT term, packed FROM cached_definition"))

    def cache_definitions(self, found: Mapping[str, str]) -> None:
        """Store what was computed from the definitions of terms, for the next update.

        found: {id of a term, or "" for what concerns all terms: any text}; it takes the place of
            what is stored for the same id
        """
        self._db.executemany(
            "INSERT OR REPLACE INTO cached_definition VALUES (?, ?)", sorted(found.items())
        )

    def clear_cache(self) -> None:
        """Delete everything that `cache_definitions` stored."""
        self._db.execute("DELETE FROM cached_definition")


def _claimed(schema: str, node: str, original: bool, few: bool) -> str:
    """Return the SQL condition that some page claims a node to be of the kind that is bound to ?1.

    schema: the graph, "main" or "old"
    node: the SQL expression for the key of the node
    original: whether the node is one as pages state it, before nodes were merged
    few: whether it is tested for few nodes; if not, a list of all claimed nodes is quicker
    """
    claim = f"FROM {schema}.claim c WHERE c.kind = ?1"
    if not few:
        claimed_node = "coalesce(c.original_node, c.node)" if original else "c.node"
        return f"{node} IN (SELECT {claimed_node} {claim})"
    if not original:
        return f"EXISTS (SELECT 1 {claim} AND c.node = {node})"
    by_original = f"SELECT 1 {claim} AND c.original_node = {node}"
    return (
        f"EXISTS ({by_original} "
        f"UNION ALL SELECT 1 {claim} AND c.node = {node} AND c.original_node IS NULL)"
    )


def stated_names(
    writer: Writer, kinds: Sequence[NodeKind], without: Collection[str] = ()
) -> Iterator[NodeName]:
    """Yield each name that pages give to nodes of some kinds, once, in no order.

    Only nodes that some page claims to exist are named. What pages state counts, as if no nodes
    were merged. It may be called before `Writer.finish_pages`.

    without: the ids of pages whose names and claims don't count.
    """
    pages = [key for page in without if (key := writer.key(page))]
    others = f"page NOT IN ({','.join(map(str, pages))})"
    marks = ",".join("?" * len(kinds))
    rows = writer.db.execute(
        "SELECT DISTINCT coalesce(original_node, node), lang, coalesce(original_role, role), "
        f"folded, text FROM label WHERE {others} "
        "AND rowid NOT IN (SELECT label FROM derived_label) AND coalesce(original_node, node) IN "
        f"(SELECT coalesce(original_node, node) FROM claim WHERE kind IN ({marks}) AND {others})",
        kinds,
    ).fetchall()
    ids = writer.shared_ids({row[0] for row in rows})
    for key, lang, role, folded, text in rows:
        yield NodeName(ids[key], intern(lang), intern(role), folded, text)


def passage_texts(writer: Writer, page: str) -> list[str]:
    """Return the texts of the passages of a page that is in the graph, in their order; one without
    a text is empty. Raises AssertionError for an unknown page."""
    rows = writer.db.execute(
        "SELECT text FROM node WHERE page = ? AND kind = 'passage' ORDER BY position",
        (writer.must_shared_key(page),),
    )
    return [text or "" for (text,) in rows]


class DerivedLabel(NamedTuple):
    """A name that follows from several pages.

    node: the id of the node.
    folded: the name as it is looked up.
    passage: the id of a passage that has the name.
    """

    node: str
    lang: str
    text: str
    role: Role
    folded: str
    passage: str


class DerivedLabels:
    """The derived labels of a graph that all pages have been added to.

    An update deletes them and inserts them anew: which there are may depend on any page.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def delete(self) -> None:
        """Delete all derived labels; nodes that had one are touched by the update."""
        if not self._writer.is_new:
            self._db.execute(
                "INSERT OR IGNORE INTO touched SELECT node FROM label "
                "WHERE rowid IN (SELECT label FROM derived_label)"
            )
        self._db.execute("DELETE FROM label WHERE rowid IN (SELECT label FROM derived_label)")
        self._db.execute("DELETE FROM derived_label")

    def insert(self, labels: Iterable[DerivedLabel]) -> None:
        """Insert derived labels beside those that there are; their nodes are touched. The nodes and
        passages must be in the graph."""
        for label in labels:
            node = self._writer.must_shared_key(label.node)
            [passage, page] = self._db.execute(
                "SELECT key, page FROM node WHERE id = ? AND kind = 'passage'", (label.passage,)
            ).fetchone()
            row = self._db.execute(
                "INSERT INTO label (node, page, lang, text, role, folded, passage) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (node, page, label.lang, label.text, label.role, label.folded, passage),
            ).lastrowid
            self._db.execute("INSERT INTO derived_label VALUES (?)", (row,))
            if not self._writer.is_new:
                self._writer.touch([node])
