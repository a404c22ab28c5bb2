"""The Store class: opens a graph's SQLite file read-only and looks up nodes and edges."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, cast, get_args

from graphs.errors import StoreError
from graphs.model import Edge, EdgeKind, Evidence, Label, Node, NodeKind, Role
from graphs.sort_orders import edition_key, in_order, language_key, natural_key
from graphs.store.build_records import Provenance
from graphs.store.edge_counts import stored_counts
from graphs.store.file.connection import (
    ReadConnection,
    ReadConnections,
    batches,
    refuse_what_is_no_file,
    rows_of,
)
from graphs.store.file.file_checks import check_schema
from graphs.store.file.row_checks import (
    EDGE_KINDS,
    NODE_KINDS,
    ROLES,
    RowError,
    check_columns,
    check_form,
    check_forms,
    check_node,
    check_one_of,
    check_texts,
    of_file,
    parse_details,
    parse_values,
)
from graphs.store.file.schema import stored_checksum
from graphs.store.file.sql_views import RULE_ID
from graphs.store.file.untrusted_file import one_line
from graphs.store.name_index import NameIndex
from graphs.store.passage_index import PassageIndex

# Aliases in these queries: n is the node, s its section; l is the edge, a its source, b its target,
# w the node that it aims at, p the passage of its evidence, g the page of that passage.
_NODE_COLUMNS = (
    "n.id, n.kind, n.game, n.source, n.lang, n.edition, n.number, n.label, n.reading, n.text, "
    f"s.id, n.url, n.notice, n.date, n.details, {RULE_ID.format('r')}, n.key"
)
_NODE_TABLES = (
    "FROM node n LEFT JOIN node s ON s.key = n.section "
    "LEFT JOIN rule_version v ON v.node = n.key LEFT JOIN node r ON r.key = v.rule"
)
# Without the passage that is the evidence, which `_read_edges` adds: to get a long passage's row
# for each edge that rests on it takes the square of its length.
_EDGE_COLUMNS = (
    "l.kind, a.id, b.id, coalesce(nullif(l.label, ''), b.label, b.number, b.id, w.id), "
    'l.reason, l.start, l."end", l.details, l.passage, w.id'
)
_EDGE_ENDS = (
    "JOIN node a ON a.key = l.source JOIN node w ON w.key = l.wanted "
    "LEFT JOIN node b ON b.key = l.target "
)
_EDGE_QUERY = f"SELECT {_EDGE_COLUMNS} FROM any_edge l {_EDGE_ENDS}"
# The table `edge` with the columns of the view `any_edge`, and `place`, the number of the row.
STORED = (
    "(SELECT rowid AS place, kind, source, wanted, target, label, reason, passage, start, "
    '"end", details FROM edge)'
)
_PAGE_LANGUAGES = (
    "SELECT DISTINCT lang FROM (SELECT lang, game FROM node "
    "WHERE kind = 'page' AND source = ?1 LIMIT 1000) WHERE (?2 IS NULL OR game = ?2) "
    "AND lang NOT NULL"
)
# Characters of a passage that show that something stands in it. By hand: only long paragraphs are
# cut. The schema says the same number.
_LONGEST_CONTAINER = 1000
_RULE = "a rule"  # for messages
# Of nodes that pages give; a forged one without a kind is read, too, and refused then.
_GIVEN = "(n.kind IS NOT NULL OR n.game IS NOT NULL)"
_START, _PASSAGE, _WANTED = 5, 8, 9  # columns of `_EDGE_QUERY`
# That are in memory while all are read, with their labels or passages. By hand: fewer cost more
# queries, which take 400 keys at once.
_ROWS_AT_ONCE = 1_000
_MOST_KEPT = 3_000  # nodes, keys and passages of one page in memory, each; a guard
_MOST_SUSPECTED = 100  # nodes of one name or number; a guard: any number that is soon read would do
_SHOWN = 40  # characters of an id in a message, which a file may make of any length
# Each kind once: from one to the next greater one, as the index has them in order.
_KINDS = (
    "WITH RECURSIVE each (kind) AS (SELECT min(kind) FROM node UNION ALL "
    "SELECT (SELECT min(n.kind) FROM node n WHERE n.kind > each.kind) FROM each "
    "WHERE each.kind NOT NULL) SELECT kind FROM each"
)
_WITHOUT_LABELS = ("passage", "section")  # kinds of nodes
# What most of all says what a node is called comes first; `sql_views._RANK` has the same order.
_ROLE_ORDER = {
    "preferred": 0,
    "alias": 1,
    "abbreviation": 2,
    "redirect": 3,
    "listed": 4,
    "reading": 5,
    "proposed": 6,
}

_Row = tuple[Any, ...]


class Store:
    """A graph that is open for reading. Use it as a context manager, or `close` it.

    path: the file. digest: what tells its content from that of any other file.

    Unless a method says otherwise, nodes are named by ids, ids that are not in the graph are
    ignored, and an empty result means that nothing was found. Several threads may use it at once,
    but what a method returns belongs to the thread that called it until it is read to its end.
    Every method raises StoreError if the file is damaged, and after `close`.
    """

    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises StoreError if there is no file, if it is no knowledge base, or if it was made by a
        version of sansho with another schema.
        """
        self.path = path
        # What questions have made of the file, for the next ones; gone when it is closed.
        self.kept: dict[Hashable, Any] = {}
        refuse_what_is_no_file(path)
        try:
            self._connections = ReadConnections(path)
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path}: can't be opened ({one_line(error)})") from None
        except OSError as error:
            raise StoreError(f"{path}: can't be opened ({error.strerror})") from None
        try:
            check_schema(self.db, path)
            self._check_kinds()
        except BaseException:
            self.close()
            raise
        with path.open("rb") as file:
            self.digest = stored_checksum(file)
        self._languages: dict[tuple[str, str | None], frozenset[str]] = {}
        self._last: Node | None = None

    def _check_kinds(self) -> None:
        """Raise StoreError if a node is of a kind that there is not: look-ups by kind would not see
        it. Of each kind one entry of the index is read."""
        with of_file(self.path):
            for (kind,) in self.db.execute(_KINDS):
                if kind is not None and kind not in NODE_KINDS:
                    query = "SELECT id FROM node WHERE kind = ? LIMIT 1"
                    first = self.db.execute(query, (kind,)).fetchone()
                    of_node = f"the node {str(first[0])[:_SHOWN]!r}" if first else "a node"
                    check_one_of(kind, NODE_KINDS, of_node)

    def refuse_forged(self, ref: str, number: str | None, folded: str) -> None:
        """Raise StoreError if a row that no build writes keeps a reference from being found: a node
        whose kind is another one than it was, or none.

        ref, number, folded: an id; the number of a rule, or None; a name as labels have it folded.
        """
        where = (
            "WHERE n.key IN (SELECT key FROM node WHERE id = ?1 UNION ALL "
            "SELECT key FROM (SELECT key FROM node WHERE number = ?2 LIMIT ?4) UNION ALL "
            "SELECT node FROM label WHERE folded = ?3) AND (n.kind NOT NULL OR n.game NOT NULL "
            "OR n.number NOT NULL OR n.label NOT NULL OR n.text NOT NULL) LIMIT ?4"
        )
        self._nodes(where, (ref, number, folded, _MOST_SUSPECTED))

    @property
    def db(self) -> ReadConnection:
        """The connection of the thread that calls; its errors are StoreErrors."""
        return self._connections.get()

    @property
    def provenance(self) -> Provenance:
        """The records of what the graph was built from."""
        return Provenance(self.db)

    @property
    def passages(self) -> PassageIndex:
        """The full-text index of the passages."""
        return PassageIndex(self.db)

    @property
    def names(self) -> NameIndex:
        """The index of the names of nodes, by which they are found although they are mistyped."""
        return NameIndex(self.db)

    def remembering(self) -> AbstractContextManager[None]:
        """Return a context manager within which this thread asks the file each question once: what
        is asked again is answered from memory."""
        return self.db.remembering()

    def begin_question(self) -> None:
        """Count the work of what follows, in this thread, as that of another question; a question
        whose work is beyond all measure raises StoreError."""
        self.db.work.renew()

    def close(self) -> None:
        """Close the file, for all threads."""
        self._connections.close()
        self.kept.clear()

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._connections.is_closed

    def __enter__(self) -> Store:
        self._connections.get()  # raises StoreError if it is closed
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- nodes --------------------------------------------------------------------------
    def node(self, node_id: str) -> Node | None:
        """Return the node of an id; None if no page gives it, even if edges aim at it.

        The last one is kept, as a page asks several questions of the node that it shows.
        """
        memory = self._connections.get().memory  # raises StoreError if it is closed
        last = memory.nodes.get(node_id, self._last) if memory else self._last
        if last is None or last.id != node_id:
            found = self._nodes(f"WHERE n.id = ? AND {_GIVEN}", (node_id,))
            self._last = last = found[0] if found else None
        return last and _own(last)

    def find_by_number(self, number: str, kind: NodeKind = "rule") -> list[Node]:
        """Return the rules with a number (`121.4`), of all games, the newest edition first, in one
        the languages in the order of `language_key`.

        The number must be the same to the letter; sub-rules are not returned.

        kind: `document` for the sections of documents beside the rules instead.
        """
        found = self._nodes("WHERE n.number = ? AND n.kind = ? ORDER BY n.id", (number, kind))
        found.sort(key=lambda node: language_key(node.lang))
        return sorted(found, key=lambda node: edition_key(node.edition), reverse=True)

    def rules_numbered(self, beginning: str, most: int, game: str | None = None) -> list[Node]:
        """Return the rules of all editions, of one game or of all, whose number begins with some
        letters, as nodes without text and names.

        most: how many numbers at most, by number as a text: 120.10 before 120.9.
        """
        ends = beginning, beginning + "\U0010ffff"
        rows = self._forms(
            ("", "game", "source", "lang", "edition", "number"),
            "SELECT id, game, source, lang, edition, number FROM node WHERE kind = 'rule' "
            "AND number IN (SELECT DISTINCT number FROM node WHERE kind = 'rule' AND number >= ? "
            "AND number < ? AND (? IS NULL OR game = ?) ORDER BY number LIMIT ?) "
            "AND (? IS NULL OR game = ?) ORDER BY number",
            (*ends, game, game, most, game, game),
        )
        return [Node(node_id, "rule", *fields) for node_id, *fields in rows]

    def _forms(self, names: Sequence[str], query: str, values: Sequence[Any] = ()) -> list[_Row]:
        """Return the rows of a query on rules. names: of the forms of their columns, as
        `check_forms` has them."""
        with of_file(self.path):
            return list(check_forms(names, self.db.execute(query, values), _RULE))

    def editions(self) -> list[tuple[str, str, str]]:
        """Return the (game, edition, language) of all rules, each once, by game, the oldest edition
        first, then by the code of the language."""
        found = self._forms(
            ("game", "edition", "lang"),
            "SELECT game, edition, lang FROM book "
            "EXCEPT SELECT game, edition, lang FROM node WHERE kind = 'document' ORDER BY 1, 3",
        )
        return sorted(found, key=lambda each: (each[0], edition_key(each[1])))

    def pages_by_source(self) -> dict[str, dict[str, int]]:
        """Return {game: {source: number of its pages}}; the game is empty where none is known."""
        query = "SELECT coalesce(game, ''), source, count(*) FROM node WHERE kind = 'page' "
        pages: dict[str, dict[str, int]] = {}
        for game, source, number in self.table(
            f"{query} GROUP BY 1, 2 ORDER BY 1, 2", str, str, int
        ):
            pages.setdefault(game, {})[source] = number
        return pages

    def rule_numbers(self, kind: NodeKind = "rule") -> list[tuple[str, str, str, str]]:
        """Return the (game, edition, language, number) of all rules, in no order; with `document`
        of all sections of documents beside them."""
        # "+": the index of numbers has those of all steps, too; that of kinds is a hundred times as
        # fast where there are many.
        return self._forms(
            ("game", "edition", "lang", "number"),
            "SELECT game, edition, lang, number FROM node WHERE kind = ? AND game IS NOT NULL "
            "AND edition IS NOT NULL AND lang IS NOT NULL AND +number IS NOT NULL",
            (kind,),
        )

    def numbers_of_book(self, kind: NodeKind, game: str, edition: str, lang: str) -> frozenset[str]:
        """Return the numbers of an edition's rules, or of a document's sections, in a language."""
        rows = self._forms(
            ("number",),
            "SELECT number FROM node WHERE kind = ? AND game = ? AND edition = ? AND lang = ? "
            "AND +number IS NOT NULL",
            (kind, game, edition, lang),
        )
        return frozenset(number for (number,) in rows)

    def editions_in(self, text: str) -> list[str]:
        """Return the editions (`20231117`) that were read from files whose paths contain a text.

        They are of all games, each once, the oldest first. The case of letters counts; an empty
        text gives all.
        """
        rows = self.db.execute(
            "SELECT DISTINCT p.edition FROM capture s JOIN node p ON p.id = s.page "
            "WHERE p.edition IS NOT NULL AND instr(s.place, ?) > 0",
            (text,),
        )
        return in_order(row[0] for row in rows)

    def rules(self, game: str, edition: str, lang: str) -> list[Node]:
        """Return the rules of an edition in a language, sorted by id; of an edition of a document
        its sections.

        Sub-rules are rules of their own and are among them.
        """
        return self._nodes(
            "WHERE n.kind IN ('rule', 'document') AND n.game = ? AND n.edition = ? AND n.lang = ? "
            "ORDER BY +n.id",
            (game, edition, lang),
        )

    def games_with_terms(self) -> list[str]:
        """Return the games that have terms, sorted."""
        rows = self.db.execute(
            "SELECT DISTINCT game FROM node WHERE kind = 'term' AND game NOT NULL ORDER BY 1"
        )
        return [row[0] for row in rows]

    def rule_texts(self, game: str) -> list[tuple[str, str]]:
        """Return (edition, text) of the rules of a game in all languages, and of the sections of
        documents beside them, in no order; those without a text are left out."""
        return self.db.execute(
            "SELECT edition, text FROM node WHERE kind IN ('rule', 'document') AND game = ? "
            "AND edition NOT NULL AND text NOT NULL",
            (game,),
        ).fetchall()

    def terms(self, game: str | None, source: str | None, lang: str | None) -> list[Node]:
        """Return the terms of a game that a page of a source gives, with a name in a language.

        An argument that is None selects all. Names that are only proposed don't count. The terms
        are sorted by id.
        """
        return self._nodes(
            "WHERE n.kind = 'term' AND (?1 IS NULL OR n.game = ?1) "
            "AND (?2 IS NULL OR n.key IN (SELECT node FROM claim WHERE source = ?2)) "
            "AND (?3 IS NULL OR n.key IN (SELECT node FROM label WHERE lang = ?3 "
            "AND shown AND role <> 'proposed')) "
            "ORDER BY +n.id",
            (game, source, lang),
        )

    def find_by_label(self, *folded: str, unsure: bool = False) -> list[Node]:
        """Return the nodes of any kind that have one of some names, in any language and role,
        sorted by id.

        folded: the names as `kb.language.fold` returns them
        unsure: whether to find the nodes for which the name is only proposed, or that only lists
            of names call so, and no others
        """
        marks = ",".join("?" * len(folded))
        return self._nodes(
            f"WHERE n.key IN (SELECT node FROM label WHERE folded IN ({marks}) "
            f"AND shown = 1 AND (role IN ('proposed', 'listed')) = ?) AND {_GIVEN} ORDER BY n.id",
            (*folded, unsure),
        )

    def find_by_names(self, folded: Sequence[str], listed: bool = False) -> list[tuple[str, Node]]:
        """Return (name, node) for the terms and cards that have any of some names.

        The names are folded, as `kb.language.fold` returns them, in the result too. A name may
        come with several nodes; names that no node has are left out. Readings and names that are
        only proposed do not count. The pairs are sorted by name, then by id; of very many names,
        each batch by itself.

        listed: whether names count that only lists call a term
        """
        idle = "'reading', 'proposed'" if listed else "'reading', 'proposed', 'listed'"
        query = (
            "SELECT DISTINCT l.folded, n.id FROM label l JOIN node n ON n.key = l.node "
            "WHERE l.folded IN ({marks}) AND l.shown = 1 AND n.kind IN ('term', 'card') "
            f"AND l.role NOT IN ({idle}) ORDER BY 1, 2"
        )
        return self._with_nodes(rows_of(self.db, query, folded))

    def _with_nodes(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, Node]]:
        """Return (name, node) for (name, id) of nodes that are there."""
        found = list(pairs)
        nodes = self.get({node_id for _, node_id in found})
        return [(name, nodes[node_id]) for name, node_id in found]

    def english_term_names(self) -> list[tuple[str, str, str | None]]:
        """Return (id, name, game) for all names of terms in English, each once, sorted; names that
        are only proposed or listed do not count."""
        return self.db.execute(
            "SELECT DISTINCT n.id, l.text, n.game FROM node n JOIN label l ON l.node = n.key "
            "WHERE n.kind = 'term' AND l.shown AND l.lang = 'en' "
            "AND l.role NOT IN ('reading', 'proposed', 'listed') ORDER BY 1, 2"
        ).fetchall()

    def named(self, names: Sequence[str], kinds: Sequence[str]) -> dict[str, list[Node]]:
        """Return {name: nodes} for the nodes of some kinds that have any of some names, each list
        sorted by id.

        names: to the letter, as in labels, in any language and role. A name that no such node has
            is left out.
        """
        query = (
            "SELECT DISTINCT l.text, n.id FROM label l JOIN node n ON n.key = l.node "
            "WHERE l.text IN ({marks}) AND l.shown "
            f"AND n.kind IN ({','.join('?' * len(kinds))}) ORDER BY 1, 2"
        )
        found: dict[str, list[Node]] = {}
        for name, node in self._with_nodes(rows_of(self.db, query, names, kinds)):
            found.setdefault(name, []).append(node)
        return found

    def uses(self, ids: Iterable[str], most: int) -> dict[str, int]:
        """Return how many edges lead to each of some nodes, {id: number}; 0 if none does, or if the
        graph has no such node. What is part of a page or quotes a rule does not count.

        most: where the counting ends, so that a node to which very many lead costs no more.
        """
        query = (
            "SELECT count(*) FROM (SELECT 1 FROM edge "
            "WHERE target = (SELECT key FROM node WHERE id = ?) LIMIT ?)"
        )
        return {
            node_id: self.db.execute(query, (node_id, most)).fetchone()[0] for node_id in set(ids)
        }

    def labels_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return {id: label} of nodes, in no order; those without a label, or with an empty one,
        are left out."""
        query = "SELECT id, label FROM node WHERE id IN ({marks}) AND label <> ''"
        return dict(rows_of(self.db, query, ids))

    def section_names(self) -> list[str]:
        """Return the names of all sections and pages, each once, in no order."""
        rows = self.db.execute(
            "SELECT DISTINCT label FROM node WHERE kind IN ('page', 'section') AND label NOT NULL"
        )
        return [row[0] for row in rows]

    def nodes(self, kind: str | None = None) -> list[Node]:
        """Return all nodes, or those of a kind, sorted by id."""
        if kind:
            return self._nodes("WHERE n.kind = ? ORDER BY +n.id", (kind,))
        return self._nodes("WHERE n.kind IS NOT NULL ORDER BY n.id", ())

    def names_of_kind(self, kind: NodeKind, game: str | None = None) -> list[Node]:
        """Return the nodes of a kind, of one game or of all, sorted by id, with nothing but their
        game and names: a third of the time that whole ones take."""
        rows = self.db.execute(
            "SELECT id, game, key FROM node WHERE kind = ?1 AND (?2 IS NULL OR game = ?2) "
            "ORDER BY +id",
            (kind, game),
        ).fetchall()
        with of_file(self.path):
            labels = self._labels([key for _, _, key in rows])
            return [Node(one, kind, of, labels=labels.get(key, ())) for one, of, key in rows]

    def all_nodes(self) -> Iterator[Node]:
        """Yield every node, sorted by id, without keeping all of them in memory."""
        query = f"SELECT {_NODE_COLUMNS} {_NODE_TABLES} WHERE n.kind IS NOT NULL ORDER BY n.id"
        rows = self.db.execute(query)
        while chunk := rows.fetchmany(_ROWS_AT_ONCE):
            yield from self._nodes_from_rows(chunk)

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        """Return {id: node} in no order, without the ids that no page gives."""
        memory = self.db.memory
        asked = list(ids)
        known = memory.nodes if memory else {}
        found = {node_id: _own(known[node_id]) for node_id in asked if node_id in known}
        others = [node_id for node_id in asked if node_id not in known]
        for node in self._nodes_of("WHERE n.id IN ({marks}) AND n.kind IS NOT NULL", others):
            found[node.id] = node
        return found

    def _nodes_of(self, where: str, values: Iterable[Any]) -> Iterator[Node]:
        """Yield the nodes `n` that an SQL clause selects for some values, those of each batch of
        these by themselves. where: with `({marks})` in the place of the values."""
        for batch in batches(values):
            yield from self._nodes(where.replace("{marks}", ",".join("?" * len(batch))), batch)

    def _nodes(self, where: str, values: Sequence[Any]) -> list[Node]:
        """Return the nodes `n` that an SQL clause with some parameters selects.

        where: everything behind FROM, such as "WHERE n.id = ? ORDER BY n.id"
        """
        rows = self.db.execute(f"SELECT {_NODE_COLUMNS} {_NODE_TABLES} {where}", values)
        return self._nodes_from_rows(rows.fetchall())

    def _nodes_from_rows(self, rows: Sequence[_Row]) -> list[Node]:
        """Return the nodes of rows of `_NODE_COLUMNS`, with their labels."""
        memory = self.db.memory
        known = memory.nodes if memory else {}
        with of_file(self.path):
            labels = self._labels(
                [row[-1] for row in rows if row[1] not in _WITHOUT_LABELS and row[0] not in known]
            )
            found = [
                _own(known[row[0]])
                if row[0] in known
                else _node_from_row(row, labels.get(row[-1], ()))
                for row in rows
            ]
        if memory and len(known) < _MOST_KEPT:
            known |= {node.id: node for node in found if node.kind and node.id not in known}
            memory.keys |= {row[0]: row[-1] for row in rows}
        return found

    def _labels(self, keys: Sequence[int]) -> dict[int, tuple[Label, ...]]:
        """Return {key: labels} of nodes: each name once, in the order of their roles.

        Read are the labels that are marked as shown: of a name in one role those of the first three
        passages that give it. Nodes without labels are left out. Of a name with several roles the
        first role counts, and its passages are those of all; but a reading is a label besides a
        name of the same text. Of several names that are preferred in the same language, all but the
        first are aliases. Labels of the same role are sorted by language, Japanese first, then by
        text. Raises StoreError for a label that no build writes.
        """
        query = (
            "SELECT l.node, l.lang, l.text, l.role, p.id FROM label l LEFT JOIN node p "
            "ON p.key = l.passage WHERE l.node IN ({marks}) AND l.shown = 1 ORDER BY p.id"
        )
        rows: list[tuple[int, str, str, str, str | None]] = list(rows_of(self.db, query, keys))
        for _, *texts in rows:
            check_texts(texts, "a label")
            check_one_of(texts[2], ROLES, "a label")
            check_form("lang", texts[0], "a label")
        rows.sort(key=lambda row: (row[0], _ROLE_ORDER[row[3]], row[1] != "ja", row[1], row[2]))
        found: dict[int, dict[tuple[str, str, bool], tuple[Role, list[str]]]] = {}
        for key, lang, text, role, passage in rows:
            labels = found.setdefault(key, {})
            name = lang, text, role == "reading"
            if name not in labels:
                has_preferred = any(
                    known[0] == lang and of_known == "preferred"
                    for known, (of_known, _) in labels.items()
                )
                is_second = role == "preferred" and has_preferred
                labels[name] = ("alias" if is_second else cast("Role", role)), []
            passages = labels[name][1]
            if passage and passage not in passages:
                passages.append(passage)
        return {
            key: tuple(
                Label(lang, text, role, tuple(passages))
                for (lang, text, _), (role, passages) in labels.items()
            )
            for key, labels in found.items()
        }

    def parts(self, node_id: str) -> list[Node]:
        """Return the direct parts of a node: sections, passages and what they state, or sub-rules.

        Parts of a page are in its order; sub-rules are sorted by number, 120.9 before 120.10.

        node_id: an id that is not in the graph gives an empty list
        """
        on_page = self._nodes(
            "WHERE n.parent = (SELECT key FROM node WHERE id = ?) ORDER BY n.position", (node_id,)
        )
        sub_rules = self._nodes(
            "WHERE n.key IN (SELECT e.source FROM edge e JOIN node t ON t.key = e.target "
            "WHERE e.kind = 'part_of' AND t.id = ?)",
            (node_id,),
        )
        return on_page + sorted(sub_rules, key=lambda node: natural_key(node.number or node.id))

    def steps(self, procedures: Iterable[str]) -> dict[str, list[Node]]:
        """Return {id of a procedure: its steps in their order}, for those that have any."""
        where = (
            "WHERE n.parent IN (SELECT key FROM node WHERE id IN ({marks})) "
            "AND +n.kind = 'step' ORDER BY n.parent, n.position"
        )
        found: dict[str, list[Node]] = {}
        for step in self._nodes_of(where, procedures):
            found.setdefault(step.id.rpartition(".")[0], []).append(step)
        return found

    def contents(self, node_id: str) -> tuple[list[str], list[str]]:
        """Return two lists of ids: a node with all its parts, at any depth; the rules they give.

        The parts are sections, passages and what these state, not sub-rules. Each id is in its list
        once, in no order.

        node_id: an id that is not in the graph gives two empty lists
        """
        rows = self.db.execute(
            "WITH RECURSIVE below (key) AS (SELECT key FROM node WHERE id = ? "
            "UNION SELECT n.key FROM node n JOIN below b ON n.parent = b.key) "
            "SELECT n.id, r.id FROM below b JOIN node n ON n.key = b.key "
            "LEFT JOIN node r ON r.key = n.gives_rule",
            (node_id,),
        ).fetchall()
        return [row[0] for row in rows], list(dict.fromkeys(row[1] for row in rows if row[1]))

    def parts_on_page(self, ids: Iterable[str]) -> dict[str, list[Node]]:
        """Return {id: the sections and passages that are directly in it, in their order} of pages,
        sections and passages, such as the items of a list in an item; those that have none are left
        out."""
        query = (
            "SELECT n.id, p.id FROM node p JOIN node n ON n.parent = p.key WHERE p.id IN ({marks}) "
            "AND +n.kind IN ('section', 'passage') ORDER BY n.position"
        )
        parent_of = dict[str, str](rows_of(self.db, query, ids))
        nodes = self.get(parent_of)
        found: dict[str, list[Node]] = defaultdict(list)
        for part, parent in parent_of.items():
            if part in nodes:
                found[parent].append(nodes[part])
        return found

    def with_sub_rules(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of some nodes and, for rules, of all their sub-rules; sorted.

        Sub-rules of sub-rules are included. Sections and passages of a page are not added to it. An
        id that only edges aim at is kept.
        """
        return sorted(self.ids(self._with_sub_rules(ids)).values())

    def with_sub_rules_of_each(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return {id: as `with_sub_rules` returns of it alone}, for each of some nodes."""
        below = self._with_sub_rules(ids)
        id_of = self.ids(below)
        found: dict[str, list[str]] = {}
        for node_id, key in self.keys_by_id(ids).items():
            inside = {key: None}
            for each in iter(pending := [key]):
                new = [one for one in below[each] if one not in inside]
                inside |= dict.fromkeys(new)
                pending += new
            found[node_id] = sorted(id_of[each] for each in inside if each in id_of)
        return found

    def _with_sub_rules(self, ids: Iterable[str]) -> dict[int, list[int]]:
        """Return {key: the keys of what is directly below it} of some nodes, given by ids, and of
        all their sub-rules, nearer ones first."""
        # One query for each level: for a recursive query SQLite would read the index of all edges.
        query = "SELECT target, source FROM edge WHERE kind = 'part_of' AND target IN ({marks})"
        level = self.keys(ids)
        found: dict[int, list[int]] = {key: [] for key in level}
        while level:
            rows = list(rows_of(self.db, query, level))
            for above, below in rows:
                found[above].append(below)
            level = list(dict.fromkeys(key for _, key in rows if key not in found))
            found |= {key: [] for key in level}
        return found

    def first_passages(self, page_id: str, most: int) -> list[Node]:
        """Return the first passages of a page, `most` of them, without its title and headings.

        They are in the page's order, from any of its sections. Its title is a passage whose text is
        the page's label.

        page_id: an id that is not in the graph gives an empty list
        """
        return self._nodes(
            "WHERE n.key IN (WITH RECURSIVE below (key) AS (SELECT key FROM node WHERE id = ?1 "
            "UNION SELECT c.key FROM node c JOIN below b ON c.parent = b.key) "
            "SELECT key FROM below) "
            "AND +n.kind = 'passage' AND n.text IS NOT (SELECT label FROM node WHERE id = ?1) "
            "AND s.heading IS NOT n.key ORDER BY n.position LIMIT ?2",
            (page_id, most),
        )

    # -- edges --------------------------------------------------------------------------
    def edges(
        self, ids: Iterable[str], direction: str = "both", kinds: Iterable[str] = ()
    ) -> list[Edge]:
        """Return the edges of some nodes, each once.

        ids: of the nodes; those that are not in the graph are ignored
        direction: `out` for the edges whose source is one of the nodes, `in` for those whose
            target is, or `both`; KeyError for anything else.
        kinds: the kinds of edges; all if there are none.

        Dangling edges are returned too. Edges are sorted by passage and span. With `both`, edges
        out of the nodes come before edges into them. Of many nodes, each batch is sorted by
        itself.
        """
        kinds = list(kinds)
        found: dict[_Row, Edge] = {}
        ends = {"out": ("source",), "in": ("target",), "both": ("source", "target")}[direction]
        and_kind = f" AND l.kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        # Keys are parameters and not a subquery: else SQLite doesn't look them up in the index for
        # each branch of the view.
        keys = self.keys(ids)
        for batch in batches(keys):
            marks = ",".join("?" * len(batch))
            for end in ends:
                where = f"WHERE l.{end} IN ({marks}){and_kind}"
                with of_file(self.path):
                    rows = self._read_edges(_EDGE_QUERY + where, [*batch, *kinds])
                    for row, passage in sorted(rows, key=_edge_order):
                        found.setdefault(row[:_WANTED], _edge_from_row(row, passage))
        if kinds and not found:
            self._check_kinds_of_edges(keys, ends)
        return list(found.values())

    def _check_kinds_of_edges(self, keys: Sequence[int], ends: Iterable[str]) -> None:
        """Raise StoreError if an edge of some nodes is of a kind that there is not, so that asking
        for a kind does not find it."""
        for end in ends:
            query = f"SELECT DISTINCT kind FROM edge WHERE {end} IN ({{marks}})"
            with of_file(self.path):
                for (kind,) in rows_of(self.db, query, keys):
                    check_one_of(kind, EDGE_KINDS, "an edge")

    def _edges(self, query: str, values: Sequence[Any] = ()) -> Iterator[Edge]:
        """Yield the edges of a query for the rows of `_EDGE_QUERY`."""
        with of_file(self.path):
            for row, passage in self._read_edges(query, values):
                yield _edge_from_row(row, passage)

    def edges_with(
        self, columns: str, table: str, clause: str, values: Sequence[Any]
    ) -> Iterator[tuple[Edge, _Row]]:
        """Yield the edges of a table in the order that an SQL clause gives them, each with the
        values of some more columns.

        columns: of the table, which is called `l`, such as `l.target`.
        table: one with the columns of the view `any_edge`, or a query for such.
        clause: everything behind FROM, such as `WHERE l.source = ? LIMIT 10`.
        """
        width = _WANTED + 1
        # The table is read first, so that a limit bounds what is read of the others.
        ends = _EDGE_ENDS.replace("JOIN node a", "CROSS JOIN node a", 1)
        query = f"SELECT {_EDGE_COLUMNS}, {columns} FROM {table} l {ends}{clause}"
        with of_file(self.path):
            for row, passage in self._read_edges(query, values):
                yield _edge_from_row(row[:width], passage), row[width:]

    def edges_at(self, table: str, places: Collection[int]) -> dict[int, Edge]:
        """Return {number of a row: its edge} of some rows of a table, in the order of their
        numbers; those whose edge can't be read are left out. table: such as `STORED`."""
        where = f"WHERE l.place IN ({','.join('?' * len(places))}) ORDER BY l.place"
        return {
            place: edge for edge, (place,) in self.edges_with("l.place", table, where, [*places])
        }

    def _read_edges(self, query: str, values: Sequence[Any]) -> Iterator[tuple[_Row, _Row]]:
        """Yield the rows of a query for the columns of `_EDGE_QUERY`, each with the passage that
        the edge rests on: its id, its page's id, its position, its text."""
        passages: dict[int, _Row] = {}
        rows = self.db.execute(query, values)
        while chunk := rows.fetchmany(_ROWS_AT_ONCE):
            passages = self._passages({row[_PASSAGE] for row in chunk}, passages)
            yield from (
                (row, passages[row[_PASSAGE]]) for row in chunk if row[_PASSAGE] in passages
            )

    def _passages(self, keys: Iterable[int], known: Mapping[int, _Row]) -> dict[int, _Row]:
        """Return passages by their keys, as `_read_edges` does; those that are known are not read
        again."""
        memory = self.db.memory
        if memory and len(memory.passages) < _MOST_KEPT:
            known = memory.passages
        found = {key: known[key] for key in keys if key in known}
        query = (
            "SELECT p.key, p.id, g.id, p.position, p.text FROM node p "
            "JOIN node g ON g.key = p.page WHERE p.key IN ({marks})"
        )
        others = (key for key in keys if key not in known)
        found |= {key: tuple(passage) for key, *passage in rows_of(self.db, query, others)}
        if memory and known is memory.passages:
            memory.passages |= found
        return found

    def all_edges(self) -> Iterator[Edge]:
        """Yield every edge, dangling ones too, sorted by its source's id, its kind and the id of
        the node that it aims at."""
        order = (
            'JOIN node p ON p.key = l.passage ORDER BY a.id, l.kind, w.id, p.id, l.start, l."end"'
        )
        return self._edges(_EDGE_QUERY + order)

    def dangling(self) -> list[Edge]:
        """Return every edge whose target is not in the graph, sorted by its source's id, then by
        the id that it aims at and by its passage and place."""
        where = (
            "JOIN node p ON p.key = l.passage WHERE l.target IS NULL "
            "ORDER BY a.id, w.id, p.id, l.start"
        )
        return list(self._edges(_EDGE_QUERY + where))

    def degrees(self, keys: Iterable[int]) -> Iterator[tuple[int, EdgeKind, bool, int]]:
        """Yield (key, kind, out, count), in no order: how many edges of each kind some nodes have.

        `out` is True for edges out of the node, False for edges into it. Nodes are given by
        their keys. Dangling edges do not count, and a count of 0 is not yielded.
        """
        wanted = list(keys)
        yield from ((key, kind, False, count) for key, kind, count in self.in_degrees(wanted))
        query = (
            "SELECT source, kind, count(*) FROM any_edge WHERE source IN ({marks}) "
            "AND target IS NOT NULL GROUP BY 1, 2"
        )
        for key, kind, count in rows_of(self.db, query, wanted):
            yield key, kind, True, count

    def in_degrees(self, keys: Iterable[int]) -> Iterator[tuple[int, EdgeKind, int]]:
        """Yield (key, kind, count): how many edges of each kind lead to some nodes, given by their
        keys. Of a node to which very many lead they are not counted, but looked up."""
        wanted = list(keys)
        with of_file(self.path):
            stored = list(stored_counts(self.db, wanted))
        yield from stored
        uncounted = {key: set[str](get_args(EdgeKind)) for key, _, _ in stored}
        for key, kind, _ in stored:
            uncounted[key].discard(kind)
        query = "SELECT target, kind, count(*) FROM any_edge WHERE target IN ({marks})"
        for key, kinds in uncounted.items():
            of_kinds = f"{query} AND kind IN ({','.join('?' * len(kinds))}) GROUP BY 1, 2"
            yield from rows_of(self.db, of_kinds, [key], sorted(kinds))
        others = (key for key in wanted if key not in uncounted)
        yield from rows_of(self.db, f"{query} GROUP BY 1, 2", others)

    def group_sizes(
        self, keys: Iterable[int], kind: EdgeKind, out: bool
    ) -> Iterator[tuple[int, int]]:
        """Yield (key, count): how many edges of a kind lead out of some nodes, or into them.

        As in `degrees`; nodes without such edges are left out.
        """
        wanted = list(keys)
        stored: dict[int, int] = {}
        if not out:
            with of_file(self.path):
                stored = {key: count for key, _, count in stored_counts(self.db, wanted, kind)}
        yield from stored.items()
        end = "source" if out else "target"
        query = (
            f"SELECT {end}, count(*) FROM any_edge WHERE {end} IN ({{marks}}) "
            "AND target IS NOT NULL AND kind = ? GROUP BY 1"
        )
        yield from rows_of(self.db, query, (key for key in wanted if key not in stored), [kind])

    def neighbour_pairs(
        self, keys: Iterable[int], kind: EdgeKind, out: bool
    ) -> Iterator[tuple[int, int]]:
        """Yield (key, neighbour's key) for the edges of a kind out of some nodes, or into them.

        Nodes are given by their keys. Of several edges between two nodes there is one pair. The
        first of a pair is always one of the given nodes. Dangling edges give none.
        """
        here, there = ("source", "target") if out else ("target", "source")
        query = (
            f"SELECT DISTINCT {here}, {there} FROM any_edge WHERE {here} IN ({{marks}}) "
            "AND target IS NOT NULL AND kind = ?"
        )
        return rows_of(self.db, query, keys, [kind])

    def between(self, source: int, target: int) -> list[Edge]:
        """Return the edges of all kinds from one node to another, given by their keys.

        Edges in the other direction are not returned. They are in no order.
        """
        return list(
            self._edges(_EDGE_QUERY + "WHERE l.source = ? AND l.target = ?", (source, target))
        )

    def keys(self, ids: Iterable[str]) -> list[int]:
        """Return the keys of some ids, in no order; unknown ids are left out.

        An id that edges aim at has a key even if no page gives its node.
        A key is the number of a node inside the file.
        """
        return list(self.keys_by_id(ids).values())

    def keys_by_id(self, ids: Iterable[str]) -> dict[str, int]:
        """Return {id: key} of some ids, as `keys` finds them, however many there are."""
        asked = dict.fromkeys(ids)
        memory = self.db.memory
        known = memory.keys if memory else {}
        found = {node_id: known[node_id] for node_id in asked if node_id in known}
        others = (node_id for node_id in asked if node_id not in known)
        found |= rows_of(self.db, "SELECT id, key FROM node WHERE id IN ({marks})", others)
        if memory and len(known) < _MOST_KEPT:
            known |= found
        return found

    def ids(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the ids of some keys, by key.

        Keys that no node has are left out.
        """
        return dict(rows_of(self.db, "SELECT key, id FROM node WHERE key IN ({marks})", keys))

    def citations(self, game: str, edition: str, lang: str) -> list[tuple[str, str]]:
        """Return (number of a rule, id of a rule that it cites) for the rules of an edition.

        The cited rule need not be in the graph. Each pair comes once, in no order.
        """
        # CROSS JOIN: from the rules to what they cite, not through the citations of all pages.
        return self.db.execute(
            "SELECT DISTINCT a.number, w.id FROM node a CROSS JOIN edge e ON e.source = a.key "
            "CROSS JOIN node w ON w.key = e.wanted WHERE e.kind = 'cites' AND a.kind = 'rule' "
            "AND a.game = ? AND a.edition = ? AND a.lang = ?",
            (game, edition, lang),
        ).fetchall()

    # -- statements: procedures and outcomes ----------------------------------------------
    def passages_giving(self, rules: Iterable[str]) -> list[str]:
        """Return the ids of the passages that give some rules, by id, or their sub-rules.

        Sub-rules at any depth count. Rules that no passage gives add nothing. The ids
        are in no order.
        """
        query = "SELECT id FROM node WHERE gives_rule IN ({marks})"
        return [row[0] for row in rows_of(self.db, query, self._with_sub_rules(rules))]

    def stated_in(self, kind: str, passages: Iterable[str]) -> list[Node]:
        """Return the nodes of a kind that are extracted from some passages, in no order.

        kind: `procedure` for the procedures that the passages introduce, `outcome` for the
            outcomes that they state.
        passages: the ids of the passages.
        """
        found: list[Node] = []
        for batch in batches(list(passages)):
            given = f"FROM node WHERE id IN ({','.join('?' * len(batch))})"
            found += self._nodes(
                # By the index `node_heading`, whose condition the query must have: a page that
                # lists names has tens of thousands of parts.
                f"WHERE n.heading IN (SELECT key {given}) AND n.kind = ? "
                "AND n.kind IN ('step', 'procedure', 'outcome', 'ruling') "
                f"AND +n.parent IN (SELECT section {given})",
                [*batch, kind, *batch],
            )
        return found

    def procedures_on(self, terms: Sequence[str], most: int) -> list[Node]:
        """Return the procedures whose introduction mentions any of some terms, given by id, in no
        order.

        most: how many mentions are looked at, so that terms with very many cost no more.
        """
        return self._nodes(
            # Each passage once: it may mention a term as often as it has steps.
            "WHERE n.key IN (SELECT k.key FROM (SELECT DISTINCT passage FROM (SELECT passage "
            f"FROM edge WHERE kind = 'mentions' AND target IN ({_keys_query(terms)}) LIMIT ?)) e "
            "CROSS JOIN node k ON k.heading = e.passage "
            # The condition of the index `node_heading`: SQLite uses it only if the query has it.
            "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling')) "
            "AND +n.kind = 'procedure'",
            [*terms, most],
        )

    def procedures_in(self, lang: str, games: Sequence[str]) -> list[Node]:
        """Return the procedures in a language, of any of some games, sorted by id; of those sources
        that have pages in it, as `languages_of` says."""
        sources = [each for each in self.values()["source"] if lang in self.languages_of(each)]
        of_games, of_sources = (",".join("?" * len(values)) for values in (games, sources))
        return self._nodes(
            f"WHERE n.kind = 'procedure' AND n.source IN ({of_sources}) AND n.lang = ? "
            f"AND n.game IN ({of_games}) ORDER BY +n.id",
            [*sources, lang, *games],
        )

    def outcomes_on(self, terms: Sequence[str], names: Sequence[str], most: int) -> list[Node]:
        """Return the outcomes whose subject mentions any of some terms, or is any of some names, in
        no order.

        terms: ids; names: as the subject is written, but ASCII letters in either case.
        most: how many mentions are looked at, so that terms with very many cost no more.
        """
        return self._nodes(
            "WHERE n.key IN (SELECT source FROM (SELECT source, passage FROM edge "
            f"WHERE kind = 'mentions' AND target IN ({_keys_query(terms)}) LIMIT ?) "
            # Most edges lead from the passage itself: these need no look-up.
            "WHERE source <> passage UNION SELECT k.key FROM node k WHERE k.kind = 'outcome' "
            f"AND k.label COLLATE NOCASE IN ({','.join('?' * len(names))})) "
            "AND +n.kind = 'outcome'",
            [*terms, most, *names],
        )

    # -- the whole ----------------------------------------------------------------------
    def counts(self) -> tuple[dict[str, int], dict[str, int], int]:
        """Return the number of nodes by kind, of edges by kind, and of dangling edges.

        Nodes that no page gives are not counted. Dangling edges are counted by their kind too.
        Kinds of which there is nothing are left out.
        """
        nodes = self.db.execute("SELECT kind, count(*) FROM node WHERE kind NOT NULL GROUP BY 1")
        # Counts each branch of the view `any_edge` by itself, for which the indexes are enough.
        edges = self.db.execute(
            "SELECT kind, sum(number) FROM ("
            "SELECT kind, count(*) AS number FROM edge INDEXED BY edge_source GROUP BY kind "
            "UNION ALL SELECT 'part_of', count(*) FROM node WHERE parent NOT NULL "
            "UNION ALL SELECT 'quotes', count(*) FROM node WHERE gives_rule NOT NULL) "
            "WHERE number GROUP BY kind ORDER BY kind"
        )
        dangling = self.db.execute("SELECT count(*) FROM edge WHERE target IS NULL").fetchone()
        by_kind, edges_by_kind = dict(nodes.fetchall()), dict(edges.fetchall())
        with of_file(self.path):
            for kind in by_kind:
                check_one_of(kind, NODE_KINDS, "a node")
            for kind in edges_by_kind:
                check_one_of(kind, EDGE_KINDS, "an edge")
        return by_kind, edges_by_kind, int(dangling[0])

    def meta(self, key: str) -> str | None:
        """Return a fact about the whole file, by its name in the table `meta`; None if it has none.

        key: such as `built from`; `graphs.store.file.schema` lists them
        """
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        with of_file(self.path):
            check_texts(row or (), "the table of facts")
        return row[0] if row else None

    def values(self) -> dict[str, list[str]]:
        """Return the values that the nodes of this graph have, for filters to be checked against.

        The keys are `game`, `lang` (of nodes and of their names), `source` and `edition`; each
        list is sorted and has each value once.

        A graph whose build did not record them gives empty lists.
        """
        stored = self.meta("values")
        with of_file(self.path):
            return parse_values(stored, "the list of values")

    def languages_of(self, source: str, game: str | None = None) -> frozenset[str]:
        """Return the languages of the pages of a source. Of a source that has very many pages, only
        the first are looked at, once: these are wikis, which have one language.

        game: of the pages; None for all.
        """
        known = self._languages.get((source, game))
        if known is None:
            rows = self.db.execute(_PAGE_LANGUAGES, (source, game))
            with of_file(self.path):
                known = frozenset(lang for (lang,) in check_columns(rows, (str,), "languages"))
            self._languages[source, game] = known
        return known

    def texts(self, kind: str) -> Iterator[str]:
        """Yield the texts of the nodes of a kind all of which have one, in no order."""
        rows = self.db.execute("SELECT text FROM node WHERE kind = ?", (kind,))
        with of_file(self.path):
            for (text,) in check_columns(rows, (str,), "texts"):
                yield text

    def table(self, query: str, *columns: Any) -> list[tuple[Any, ...]]:
        """Return the rows of an SQL query, which must be one of this program's own.

        columns: the type of each column, such as `str` or `str | None`.
        """
        with of_file(self.path):
            return list(check_columns(self.db.execute(query), columns, "rows"))


def _own(node: Node) -> Node:
    """Return a copy of a node: whoever gets one may change what is in its details."""
    return replace(node, details=deepcopy(node.details)) if node.details else node


def _node_from_row(row: Sequence[Any], labels: tuple[Label, ...]) -> Node:
    """Return the node of a row of `_NODE_COLUMNS`; RowError if a value is not what it must be.

    labels: all labels of the node, which are not in the row
    """
    check_texts(row[:-1], "a node")
    check_node(*row[:7])
    node_id, kind, game, source, lang, edition, number, label, *rest = row
    reading, text, section, url, notice, date, details, rule, _ = rest
    check_form("date", date, "a node")
    check_form("rule_id", rule, "a node")
    return Node(
        node_id,
        kind,
        game,
        source,
        lang,
        edition,
        number,
        label,
        labels,
        reading,
        text,
        section,
        url,
        notice,
        date,
        parse_details(details, "a node"),
        rule,
    )


def _edge_order(found: tuple[_Row, _Row]) -> tuple[str, int, int, str, str]:
    """Return the sort key of an edge, of its row and passage as `_read_edges` yields them: by the
    page, the place on it, the kind and what was wanted. Values of the wrong type are equal: these
    are refused later."""
    row, (_, page, position, _) = found
    place, start = (value if type(value) is int else 0 for value in (position, row[_START]))
    return page, place, start, row[0], row[_WANTED]


def _edge_from_row(row: _Row, passage: _Row) -> Edge:
    """Return the edge of a row and its passage, as `_read_edges` yields them; RowError if a value
    is not what it must be."""
    kind, source, target, label, reason, start, end, details, _, _ = row
    passage_id, page, _, text = passage
    check_texts((kind, source, target, label, reason, page, passage_id, text, details), "an edge")
    text = text or ""
    if end is None:  # what stands in a long passage is not followed by all of it each time
        end = min(len(text), _LONGEST_CONTAINER) if kind == "part_of" else len(text)
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        raise RowError(f"an edge from {source} rests on words that are not there")
    check_one_of(kind, EDGE_KINDS, "an edge")
    evidence = Evidence(page, passage_id, start, end, text[start:end])
    reason = (
        reason if target is None else None
    )  # stored for all edges: an update may remove the target
    return Edge(kind, source, target, label, evidence, reason, parse_details(details, "an edge"))


def _keys_query(ids: Sequence[str]) -> str:
    """Return the SQL query for the keys of some ids, which are its parameters."""
    return f"SELECT key FROM node WHERE id IN ({','.join('?' * len(ids))})"
