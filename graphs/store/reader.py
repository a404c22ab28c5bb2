"""Reading a graph: look-ups in the SQLite file, nothing else loaded."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from graphs.errors import StoreError
from graphs.model import Edge, EdgeKind, Evidence, Label, Node
from graphs.store.batches import batches
from graphs.store.passage_index import PassageIndex
from graphs.store.provenance import Provenance
from graphs.store.schema import APPLICATION, VERSION

_NODE = (
    "n.id, n.kind, n.game, n.source, n.lang, n.edition, n.number, n.label, n.reading, n.text, "
    "s.id, n.url, n.notice, n.date, n.details, n.key"
)
_FROM = "FROM node n LEFT JOIN node s ON s.key = n.section"
_EDGE = (
    "SELECT l.kind, a.id, b.id, coalesce(nullif(l.label, ''), b.label, b.number, b.id, w.id), "
    'l.reason, g.id, p.id, l.start, coalesce(l."end", length(p.text)), '
    'substr(p.text, l.start + 1, coalesce(l."end", length(p.text)) - l.start), l.details '
    "FROM any_edge l JOIN node a ON a.key = l.source JOIN node w ON w.key = l.wanted "
    "LEFT JOIN node b ON b.key = l.target "
    "JOIN node p ON p.key = l.passage JOIN node g ON g.key = p.page "
)
_ROLES = {"preferred": 0, "alias": 1, "abbreviation": 2, "redirect": 3, "reading": 4}


class Store:
    """A graph that is open for reading. Use as a context manager, or `close` it. What it was read
    from is in its `ledger`, its passages are searched by `texts`.

    Raises StoreError if there is no file, if it is no knowledge base, or if a newer sansho
    made it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise StoreError(f"{path}: no knowledge base there; make one with `sansho build`")
        try:
            self.db = sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)
            self.provenance, self.passages = Provenance(self.db), PassageIndex(self.db)
            self._check()
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path}: not a knowledge base ({error})") from None

    def _check(self) -> None:
        application = self.db.execute("PRAGMA application_id").fetchone()[0]
        version = self.db.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise StoreError(f"{self.path}: an SQLite file, but no knowledge base of sansho")
        if version > VERSION:
            raise StoreError(
                f"{self.path}: made by a newer sansho (schema {version}, this one reads "
                f"{VERSION}); upgrade sansho, or build it again"
            )
        if version < VERSION:
            raise StoreError(
                f"{self.path}: made by an older sansho (schema {version}, this one reads "
                f"{VERSION}); build it again: sansho build --again --kb {self.path}"
            )

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise StoreError(f"{self.path}: damaged ({error}); build it again") from error

    # -- nodes --------------------------------------------------------------------------
    def node(self, node_id: str) -> Node | None:
        """The node of an id, or None."""
        return next(iter(self._nodes("WHERE n.id = ? AND n.kind IS NOT NULL", (node_id,))), None)

    def numbered(self, number: str) -> list[Node]:
        """The rules with a number, the newest edition first."""
        return self._nodes(
            "WHERE n.number = ? AND n.kind = 'rule' ORDER BY n.edition DESC, n.lang DESC, n.id",
            (number,),
        )

    def editions(self) -> list[tuple[str, str, str]]:
        """(game, edition, language) of all rules that are there, the oldest first."""
        return self.db.execute(
            "SELECT DISTINCT game, edition, lang FROM node WHERE kind = 'rule' "
            "AND game IS NOT NULL AND edition IS NOT NULL AND lang IS NOT NULL ORDER BY 1, 2, 3"
        ).fetchall()

    def editions_in(self, words: str) -> list[str]:
        """The editions that were read from files with some words in their names or folders."""
        rows = self.db.execute(
            "SELECT DISTINCT p.edition FROM capture s JOIN node p ON p.id = s.page "
            "WHERE p.edition IS NOT NULL AND instr(s.place, ?) > 0 ORDER BY 1",
            (words,),
        )
        return [row[0] for row in rows]

    def rules(self, game: str, edition: str, lang: str) -> list[Node]:
        """The rules of an edition, in the order of their ids."""
        return self._nodes(
            "WHERE n.kind = 'rule' AND n.game = ? AND n.edition = ? AND n.lang = ? ORDER BY +n.id",
            (game, edition, lang),
        )

    def terms(self, game: str | None, source: str | None, lang: str | None) -> list[Node]:
        """The terms of a game, given by a page of a source, with a name in a language."""
        return self._nodes(
            "WHERE n.kind = 'term' AND (?1 IS NULL OR n.game = ?1) "
            "AND (?2 IS NULL OR n.key IN (SELECT node FROM claim WHERE source = ?2)) "
            "AND (?3 IS NULL OR n.key IN (SELECT node FROM label WHERE lang = ?3 AND shown)) "
            "ORDER BY +n.id",
            (game, source, lang),
        )

    def labelled(self, folded: str) -> list[Node]:
        """The nodes that have a name, given as it is looked up."""
        return self._nodes(
            "WHERE n.key IN (SELECT node FROM label WHERE folded = ? AND shown) "
            "AND n.kind IS NOT NULL ORDER BY n.id",
            (folded,),
        )

    def named(self, folded: Sequence[str]) -> list[tuple[str, Node]]:
        """The nodes that have any of some names, each with the name; readings are no names."""
        pairs: list[tuple[str, str]] = []
        for batch in batches(folded):
            marks = ",".join("?" * len(batch))
            pairs += self.db.execute(
                "SELECT DISTINCT l.folded, n.id FROM label l JOIN node n ON n.key = l.node "
                f"WHERE l.folded IN ({marks}) AND l.shown AND n.kind IN ('term', 'card') "
                "AND l.role <> 'reading' ORDER BY 1, 2",
                batch,
            )
        nodes = self.get({node_id for _, node_id in pairs})
        return [(name, nodes[node_id]) for name, node_id in pairs]

    def near(self, folded: str, most: int = 5) -> list[str]:
        """Names that begin as a name does, for a person who has mistyped it."""
        if not folded:
            return []
        rows = self.db.execute(
            "SELECT DISTINCT text FROM label WHERE folded >= ? AND folded < ? AND shown "
            "ORDER BY folded LIMIT ?",
            (folded[:2], folded[:2] + "\U0010ffff", most),
        )
        return [row[0] for row in rows]

    def nodes(self, kind: str | None = None) -> list[Node]:
        """All nodes (of a kind), by id."""
        if kind:
            return self._nodes("WHERE n.kind = ? ORDER BY +n.id", (kind,))
        return self._nodes("WHERE n.kind IS NOT NULL ORDER BY n.id", ())

    def get(self, ids: Iterable[str]) -> dict[str, Node]:
        """The nodes of several ids."""
        wanted = list(ids)
        found: dict[str, Node] = {}
        for batch in batches(wanted):
            marks = ",".join("?" * len(batch))
            for node in self._nodes(f"WHERE n.id IN ({marks}) AND n.kind IS NOT NULL", batch):
                found[node.id] = node
        return found

    def _nodes(self, where: str, values: Sequence[Any]) -> list[Node]:
        rows = self.db.execute(f"SELECT {_NODE} {_FROM} {where}", values).fetchall()
        labels = self._labels([row[-1] for row in rows if row[1] not in {"passage", "section"}])
        return [_node(row, labels.get(row[-1], ())) for row in rows]

    def _labels(self, keys: Sequence[int]) -> dict[int, tuple[Label, ...]]:
        """The names of nodes: one preferred a language, each name once."""
        rows: list[tuple[int, str, str, str, str | None]] = []
        for batch in batches(keys):
            marks = ",".join("?" * len(batch))
            rows += self.db.execute(
                "SELECT l.node, l.lang, l.text, l.role, p.id FROM label l "
                f"LEFT JOIN node p ON p.key = l.passage WHERE l.node IN ({marks}) AND l.shown "
                "ORDER BY p.id",
                batch,
            )
        rows.sort(key=lambda row: (row[0], _ROLES[row[3]], row[1] != "ja", row[1], row[2]))
        found: dict[int, dict[tuple[str, str, bool], Label]] = {}
        for key, lang, text, role, passage in rows:
            names = found.setdefault(key, {})
            place = lang, text, role == "reading"
            label = names.get(place)
            if label is None:
                taken = any(n.lang == lang and n.role == "preferred" for n in names.values())
                role = "alias" if role == "preferred" and taken else role
                label = Label(lang, text, role)  # type: ignore[arg-type]
            if passage and passage not in label.passages:
                label = replace(label, passages=(*label.passages, passage))
            names[place] = label
        return {key: tuple(names.values()) for key, names in found.items()}

    def parts(self, node_id: str) -> list[Node]:
        """What a node consists of: sections and passages in the page's order, or sub-rules."""
        owned = self._nodes(
            "WHERE n.parent = (SELECT key FROM node WHERE id = ?) ORDER BY n.position", (node_id,)
        )
        rules = self._nodes(
            "WHERE n.key IN (SELECT e.source FROM edge e JOIN node t ON t.key = e.target "
            "WHERE e.kind = 'part_of' AND t.id = ?)",
            (node_id,),
        )
        return owned + sorted(rules, key=lambda node: _natural(node.number or node.id))

    def inside(self, node_id: str) -> tuple[list[str], list[str]]:
        """The ids of a node and all that it consists of, and of the rules given there."""
        rows = self.db.execute(
            "WITH RECURSIVE below (key) AS (SELECT key FROM node WHERE id = ? "
            "UNION SELECT n.key FROM node n JOIN below b ON n.parent = b.key) "
            "SELECT n.id, r.id FROM below b JOIN node n ON n.key = b.key "
            "LEFT JOIN node r ON r.key = n.gives_rule",
            (node_id,),
        ).fetchall()
        return [row[0] for row in rows], list(dict.fromkeys(row[1] for row in rows if row[1]))

    def below(self, ids: Iterable[str]) -> list[str]:
        """The ids of some rules and of all their sub-rules; of other nodes their own alone."""
        # Level after level: for a recursive query SQLite would read the index of all edges.
        found = ring = {key: None for batch in batches(list(ids)) for key in self.keys(batch)}
        while ring:
            rows: list[tuple[int]] = []
            for batch in batches(list(ring)):
                rows += self.db.execute(
                    "SELECT source FROM edge WHERE kind = 'part_of' "
                    f"AND target IN ({','.join('?' * len(batch))})",
                    batch,
                )
            ring = {key: None for (key,) in rows if key not in found}
            found |= ring
        return sorted(self.ids(found).values())

    def first_passages(self, page_id: str, most: int) -> list[Node]:
        """The passages that a page opens with, its title and headings left out."""
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
        """The edges at some nodes: out of them, into them, or both; of some kinds, or all.

        In the order of their passages and spans.
        """
        wanted, kinds = list(ids), list(kinds)
        found: dict[tuple[Any, ...], Edge] = {}
        ends = {"out": ("source",), "in": ("target",), "both": ("source", "target")}[direction]
        only = f" AND l.kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        # Keys in the query itself: only so does SQLite look them up in each part of the view.
        for batch in batches([key for part in batches(wanted) for key in self.keys(part)]):
            marks = ",".join("?" * len(batch))
            for end in ends:
                where = (
                    f"WHERE l.{end} IN ({marks}){only} "
                    "ORDER BY g.id, p.position, l.start, l.kind, w.id"
                )
                for row in self.db.execute(_EDGE + where, [*batch, *kinds]):
                    found.setdefault(tuple(row), _edge(row))
        return list(found.values())

    def all_edges(self) -> Iterator[Edge]:
        """Every edge, in the order of ids."""
        order = 'ORDER BY a.id, l.kind, w.id, p.id, l.start, l."end"'
        return (_edge(row) for row in self.db.execute(_EDGE + order))

    def dangling(self) -> list[Edge]:
        """Every edge whose target is not there."""
        rows = self.db.execute(_EDGE + "WHERE l.target IS NULL ORDER BY a.id, w.id, p.id, l.start")
        return [_edge(row) for row in rows]

    def degrees(self, keys: Iterable[int]) -> Iterator[tuple[int, EdgeKind, bool, int]]:
        """How many edges of each kind stand at some nodes: (key, kind, whether out of it or into
        it, number). Dangling edges do not count."""
        for batch in batches(list(keys)):
            for end, out in (("source", True), ("target", False)):
                for key, kind, number in self.db.execute(
                    f"SELECT {end}, kind, count(*) FROM any_edge WHERE {end} IN "
                    f"({','.join('?' * len(batch))}) AND target IS NOT NULL GROUP BY 1, 2",
                    batch,
                ):
                    yield key, kind, out, number

    def across(self, keys: Iterable[int], kind: EdgeKind, out: bool) -> Iterator[tuple[int, int]]:
        """(key, key of the other end) for the edges of a kind out of some nodes, or into them."""
        here, there = ("source", "target") if out else ("target", "source")
        for batch in batches(list(keys)):
            yield from self.db.execute(
                f"SELECT DISTINCT {here}, {there} FROM any_edge WHERE {here} IN "
                f"({','.join('?' * len(batch))}) AND target IS NOT NULL AND kind = ?",
                [*batch, kind],
            )

    def between(self, key: int, other: int) -> list[Edge]:
        """The edges from one node to another, given by their keys."""
        rows = self.db.execute(_EDGE + "WHERE l.source = ? AND l.target = ?", (key, other))
        return [_edge(row) for row in rows]

    def keys(self, ids: Iterable[str]) -> list[int]:
        """The keys of ids, as `across` takes them."""
        wanted = list(ids)
        marks = ",".join("?" * len(wanted))
        rows = self.db.execute(f"SELECT key FROM node WHERE id IN ({marks})", wanted)
        return [row[0] for row in rows]

    def ids(self, keys: Iterable[int]) -> dict[int, str]:
        """The ids of keys."""
        found: dict[int, str] = {}
        for batch in batches(list(keys)):
            marks = ",".join("?" * len(batch))
            found.update(self.db.execute(f"SELECT key, id FROM node WHERE key IN ({marks})", batch))
        return found

    def citations(self, game: str, edition: str, lang: str) -> list[tuple[str, str]]:
        """(number of a rule, id of a rule that it cites), there or not, of an edition."""
        return self.db.execute(
            "SELECT DISTINCT a.number, w.id FROM edge e JOIN node a ON a.key = e.source "
            "JOIN node w ON w.key = e.wanted WHERE e.kind = 'cites' AND a.kind = 'rule' "
            "AND a.game = ? AND a.edition = ? AND a.lang = ?",
            (game, edition, lang),
        ).fetchall()

    # -- statements: procedures and outcomes ----------------------------------------------
    def giving(self, rules: Iterable[str]) -> list[str]:
        """The passages that give some rules and their sub-rules."""
        found: list[str] = []
        for batch in batches(list(rules)):
            marks = ",".join("?" * len(batch))
            found += (
                row[0]
                for row in self.db.execute(
                    f"WITH RECURSIVE below (key) AS (SELECT key FROM node WHERE id IN ({marks}) "
                    "UNION SELECT e.source FROM edge e JOIN below b ON e.target = b.key "
                    "WHERE e.kind = 'part_of') "
                    "SELECT p.id FROM below b JOIN node p ON p.gives_rule = b.key",
                    batch,
                )
            )
        return found

    def stated_in(self, kind: str, passages: Iterable[str]) -> list[Node]:
        """The procedures that some passages introduce, or the outcomes that they state."""
        found: list[Node] = []
        for batch in batches(list(passages)):
            said = f"FROM node WHERE id IN ({','.join('?' * len(batch))})"
            found += self._nodes(
                f"WHERE n.parent IN (SELECT section {said}) AND n.heading IN (SELECT key {said}) "
                "AND +n.kind = ?",
                [*batch, *batch, kind],
            )
        return found

    def procedures_on(self, terms: Sequence[str]) -> list[Node]:
        """The procedures whose introduction mentions one of some terms."""
        return self._nodes(
            "WHERE n.key IN (SELECT k.key FROM edge e CROSS JOIN node k ON k.heading = e.passage "
            # As the index has it, that it may be used.
            "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling') "
            f"WHERE e.kind = 'mentions' AND e.target IN ({_keys(terms)})) "
            "AND +n.kind = 'procedure'",
            terms,
        )

    def procedures_in(self, lang: str, games: Sequence[str]) -> list[Node]:
        """The procedures in a language, of some games, in the order of their ids."""
        marks = ",".join("?" * len(games))
        return self._nodes(
            f"WHERE n.kind = 'procedure' AND n.lang = ? AND n.game IN ({marks}) ORDER BY +n.id",
            [lang, *games],
        )

    def outcomes_on(self, terms: Sequence[str], names: Sequence[str]) -> list[Node]:
        """The outcomes whose subject mentions one of some terms, or is one of some names."""
        return self._nodes(
            "WHERE n.key IN (SELECT e.source FROM edge e "
            f"WHERE e.kind = 'mentions' AND e.target IN ({_keys(terms)}) "
            "UNION SELECT k.key FROM node k WHERE k.kind = 'outcome' "
            f"AND k.label COLLATE NOCASE IN ({','.join('?' * len(names))})) "
            "AND +n.kind = 'outcome'",
            [*terms, *names],
        )

    # -- the whole ----------------------------------------------------------------------
    def counts(self) -> tuple[dict[str, int], dict[str, int], int]:
        """Nodes by kind, edges by kind, and how many edges dangle."""
        nodes = self.db.execute("SELECT kind, count(*) FROM node WHERE kind NOT NULL GROUP BY 1")
        # Each part of the view `link` by itself: so the indexes are enough.
        edges = self.db.execute(
            "SELECT kind, sum(number) FROM ("
            "SELECT kind, count(*) AS number FROM edge INDEXED BY edge_source GROUP BY kind "
            "UNION ALL SELECT 'part_of', count(*) FROM node WHERE parent NOT NULL "
            "UNION ALL SELECT 'quotes', count(*) FROM node WHERE gives_rule NOT NULL) "
            "WHERE number GROUP BY kind ORDER BY kind"
        )
        dangling = self.db.execute("SELECT count(*) FROM edge WHERE target IS NULL").fetchone()
        return dict(nodes.fetchall()), dict(edges.fetchall()), int(dangling[0])

    def meta(self, key: str) -> str | None:
        """A fact on the file as a whole."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def table(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of one of this package's own queries."""
        return self.db.execute(query).fetchall()


def _node(row: Sequence[Any], labels: tuple[Label, ...]) -> Node:
    node_id, kind, game, source, lang, edition, number, label, *rest = row
    reading, text, section, url, notice, date, details, _ = rest
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
        _details(details),
    )


def _edge(row: Sequence[Any]) -> Edge:
    kind, source, target, label, reason, page, passage, start, end, text, details = row
    evidence = Evidence(page, passage, start, end, text)
    reason = reason if target is None else None
    return Edge(kind, source, target, label, evidence, reason, _details(details))


def _details(stored: str | None) -> dict[str, Any] | None:
    return json.loads(stored) if stored else None


def _keys(ids: Sequence[str]) -> str:
    """The query for the keys of some ids."""
    return f"SELECT key FROM node WHERE id IN ({','.join('?' * len(ids))})"


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Sorts 120.10 behind 120.9."""
    parts = "".join(c if c.isdigit() else f" {c} " for c in text).split()
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
