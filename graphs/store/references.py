"""Counts and finds what refers to nodes: mentions and their spellings, citations, rulings."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphs.model import Edge, EdgeKind
from graphs.store.file.connection import batches, rows_of
from graphs.store.file.row_checks import check_columns, check_form, check_texts, of_file, record
from graphs.store.file.sql_views import PAGE_NAME
from graphs.store.reader import STORED, Store

# The index alone is read, not the edges.
_ALL = (
    "SELECT target, count(*) FROM edge INDEXED BY edge_target "
    "WHERE target IS NOT NULL AND kind = ? GROUP BY target ORDER BY 2 DESC"
)
# The joins are CROSS JOINs because SQLite would begin with all edges.
# The sources of edges: the rules of editions, and all that stands on the pages that give these.
_FROM_EDITIONS = (
    "WITH RECURSIVE start (key) AS (SELECT key FROM node "
    "WHERE kind IN ('page', 'rule', 'document') "
    "AND edition NOT NULL AND (game, edition) IN (VALUES {editions})), "
    "source (key) AS (SELECT key FROM start "
    "UNION SELECT n.key FROM source s CROSS JOIN node n ON n.parent = s.key) "
    "SELECT e.target, count(*) FROM source s "
    "CROSS JOIN edge e ON e.source = s.key AND e.kind = ? AND e.target NOT NULL GROUP BY 1"
)
_TARGETS = "SELECT key, id, kind, game, source, lang, edition FROM node WHERE key IN ({marks})"
_AT_ONCE = 50  # rulings; by hand: about what is shown, so that those behind need not be read
# The edges that rest on words of a ruling, by its passage. The condition on the kinds is that of
# the index `node_heading`: SQLite uses it only if the query has it.
_REFERRING = (
    "SELECT r.id, e.place FROM (SELECT rowid AS place, passage FROM edge WHERE target IN ({marks}) "
    "AND kind IN ('cites', 'links_to', 'mentions') LIMIT ?) e "
    "CROSS JOIN node r ON r.heading = e.passage "
    "AND r.kind IN ('step', 'procedure', 'outcome', 'ruling') AND r.kind = 'ruling'"
)


class MentionedWords(NamedTuple):
    """The words of one mention, and where they stand.

    text: the words, as they stand there.
    passage, start: the id of the passage, and where in its text they begin.
    page: the key of its page.
    """

    text: str
    passage: str
    start: int
    page: int


@dataclass(frozen=True, slots=True)
class Citing:
    """Something that cites a rule: a rule, a passage of a rulebook, or a page of another source.

    in_rulebook: whether it stands on a page of a rulebook.
    target: the id of the version that it cites.
    page: the key of the page that it stands on.
    rule, number: of a rule, the id of its newest version, and the number of that; else None.
    own_number: the number of the version that cites.
    id: of a rule, or of what stands in a rulebook; None for other pages: each comes once.
    """

    in_rulebook: bool
    target: str
    page: int
    rule: str | None
    number: str | None
    own_number: str | None
    id: str | None


def count_mentions(store: Store, node: str) -> int:
    """Return how many edges say that something mentions a node, given by its id; 0 for an unknown
    one. A passage and what it states count each."""
    row = store.db.execute(
        "SELECT count(*) FROM edge WHERE kind = 'mentions' "
        "AND target = (SELECT key FROM node WHERE id = ?)",
        (node,),
    ).fetchone()
    return int(row[0])


def mentioned_words(store: Store, node: str, most: int) -> list[MentionedWords]:
    """Return the words of the mentions of a node, given by its id; of `most` edges at most, in the
    order in which they were written. Edges of a passage and of what it states are one mention."""
    rows = store.db.execute(
        'SELECT substr(p.text, e.start + 1, e."end" - e.start), p.id, e.start, p.page '
        "FROM (SELECT passage, start, \"end\" FROM edge WHERE kind = 'mentions' "
        "AND target = (SELECT key FROM node WHERE id = ?) LIMIT ?) e "
        "JOIN node p ON p.key = e.passage",
        (node, most),
    )
    with of_file(store.path):
        found = dict.fromkeys(check_columns(rows, (str, str, int, int), "mentions"))
    return [MentionedWords(*row) for row in found]


def count_rulings(store: Store, node: str, most: int) -> int:
    """Return how many rulings mention a node, given by its id, according to its first mentions; 0
    for an unknown one.

    most: how many mentions are looked at, so that a node with very many costs no more.
    """
    row = store.db.execute(
        "SELECT count(DISTINCT r.key) FROM (SELECT source, passage FROM edge "
        "WHERE kind = 'mentions' AND target = (SELECT key FROM node WHERE id = ?) LIMIT ?) e "
        "CROSS JOIN node r ON r.key = e.source AND r.kind = 'ruling' "
        "WHERE e.source <> e.passage",  # most edges lead from the passage: these need no look-up
        (node, most),
    ).fetchone()
    return int(row[0])


def citing(store: Store, rules: Sequence[str], rulebook: str) -> list[Citing]:
    """Return what cites some rules, given by ids, each once, in no order.

    rulebook: the source of the pages of rulebooks.
    """
    marks = ",".join("?" * len(rules))
    rows = store.db.execute(
        "SELECT DISTINCT g.source IS ?1, t.id, p.page, r.id, r.number, "
        "iif(r.id IS NULL, NULL, a.number), "
        "iif(r.id IS NOT NULL OR g.source IS ?1, a.id, NULL) "
        "FROM node t CROSS JOIN edge e ON e.target = t.key AND e.kind = 'cites' "
        "JOIN node a ON a.key = e.source JOIN node p ON p.key = e.passage "
        "JOIN node g ON g.key = p.page LEFT JOIN rule_version v ON v.node = a.key "
        f"LEFT JOIN node r ON r.key = v.rule WHERE t.id IN ({marks})",
        [rulebook, *rules],
    )
    return [record(Citing, row) for row in rows]


def claim_editions(store: Store, node: str) -> set[str]:
    """Return the editions of the pages that say something about a node, given by its id: that give
    it, name it or define it."""
    rows = store.db.execute(
        "WITH k (key) AS (SELECT key FROM node WHERE id = ?) "
        "SELECT DISTINCT p.edition FROM node p WHERE p.edition NOT NULL AND p.key IN ("
        "SELECT page FROM claim WHERE node = (SELECT key FROM k) "
        "UNION SELECT page FROM label WHERE node = (SELECT key FROM k) "
        "UNION SELECT d.page FROM edge e JOIN node d ON d.key = e.passage "
        "WHERE e.kind = 'defines' AND e.target = (SELECT key FROM k))",
        (node,),
    )
    return {row[0] for row in rows}


class Target(NamedTuple):
    """A node that edges lead to, with the fields that filters need."""

    key: int
    id: str
    kind: str
    game: str | None
    source: str | None
    lang: str | None
    edition: str | None


def count_references(db: sqlite3.Connection, kind: EdgeKind) -> dict[int, int]:
    """Return {key: number of edges of a kind that lead to it} of the nodes to which any leads, the
    greatest number first, equal ones in no order. What columns of nodes stand for is not counted.
    """
    return dict(db.execute(_ALL, (kind,)).fetchall())


def count_from_editions(
    db: sqlite3.Connection, kind: EdgeKind, editions: Collection[tuple[str, str]]
) -> dict[int, int]:
    """Return {key: number of edges of a kind that lead to it} of edges from the rules of some
    editions and from what else stands on the pages that give them.

    editions: (game, edition) of each; none give an empty result.
    """
    if not editions:
        return {}
    query = _FROM_EDITIONS.format(editions=",".join(["(?, ?)"] * len(editions)))
    values = [value for pair in editions for value in pair]
    return dict(db.execute(query, [*values, kind]).fetchall())


def count_rules(db: sqlite3.Connection) -> list[tuple[str, str, str | None, int]]:
    """Return (game, edition, language, number of rules) of the editions of which rules are loaded,
    in no order."""
    rows = db.execute(
        "SELECT game, edition, lang, count(*) FROM node WHERE kind = 'rule' "
        "AND game IS NOT NULL AND edition IS NOT NULL GROUP BY 1, 2, 3"
    ).fetchall()
    for row in rows:
        for name, value in zip(("game", "edition", "lang"), row[:3], strict=True):
            check_texts((value,), "a rule")
            check_form(name, value, "a rule")
    return rows


def targets(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Target]:
    """Return {key: node} of some keys; keys that no node has are left out."""
    return {row[0]: record(Target, row) for row in rows_of(db, _TARGETS, keys)}


def rulings_referring(store: Store, nodes: Iterable[str], most: int) -> Iterator[tuple[str, Edge]]:
    """Yield the ids of the rulings that cite, link or mention some nodes, given by ids, each once
    with the first edge that says so, in the order of the file.

    most: how many references to the nodes are looked at (of very many nodes, to each batch), so
        that those with very many cost no more.
    """
    seen: set[str] = set()
    for batch in batches(store.keys(nodes)):
        query = _REFERRING.format(marks=",".join("?" * len(batch)))
        rows = store.db.execute(query, [*batch, most])
        places: dict[int, str] = {}
        with of_file(store.path):
            for ruling, place in check_columns(rows, (str, int), "rulings"):
                if ruling not in seen:
                    seen.add(ruling)
                    places[place] = ruling
                if len(places) == _AT_ONCE:
                    yield from _with_edges(store, places)
                    places = {}
        yield from _with_edges(store, places)


def _with_edges(store: Store, places: dict[int, str]) -> Iterator[tuple[str, Edge]]:
    """Yield rulings with edges, in the order in which they are given: {row of the edge: ruling}.
    Those whose edge can't be read are left out."""
    edges = store.edges_at(STORED, places) if places else {}
    yield from ((ruling, edges[place]) for place, ruling in places.items() if place in edges)


class NearReference(NamedTuple):
    """One end of a reference, for a reader to recognize.

    node, kind, number, label, edition, lang, text: the id of the node at that end, and its fields.
    page, title, source: the id of the page on which the words stand, its title and its source.
    passage, words, start, end: the id and the text of the passage, and where the words stand in it.
    """

    node: str
    kind: str
    number: str | None
    label: str | None
    edition: str | None
    lang: str | None
    text: str | None
    page: str
    title: str | None
    source: str | None
    passage: str
    words: str
    start: int
    end: int


_NEAR = (
    "SELECT a.id, a.kind, a.number, a.label, a.edition, a.lang, a.text, g.id, "
    f"{PAGE_NAME.format('g')}, g.source, "
    "p.id, coalesce(p.text, ''), e.start, e.\"end\" FROM ({edges}) e "
    "CROSS JOIN node a ON a.key = e.{end} AND a.kind NOT NULL "
    "JOIN node p ON p.key = e.passage JOIN node g ON g.key = p.page"
)


def references_to(
    store: Store, node: str, kinds: Sequence[EdgeKind], most: int
) -> list[NearReference]:
    """Return what refers to a node, given by its id, by edges of some kinds, in the order of the
    file; the first `most` of them, so that a node to which very many lead costs no more."""
    marks = ",".join("?" * len(kinds))
    edges = (
        "SELECT * FROM edge WHERE target = (SELECT key FROM node WHERE id = ?) "
        f"AND kind IN ({marks}) LIMIT ?"
    )
    return _near(store, edges, "source", [node, *kinds, most])


def rules_cited_in(store: Store, passages: Sequence[str], most: int) -> list[NearReference]:
    """Return the rules that some passages, given by ids, cite, in the order of the file, at most
    `most`."""
    edges = (
        f"SELECT * FROM edge WHERE source IN (SELECT key FROM node WHERE id IN "
        f"({','.join('?' * len(passages))})) AND kind = 'cites' AND target NOT NULL LIMIT ?"
    )
    return _near(store, edges, "target", [*passages, most])


def _near(store: Store, edges: str, end: str, values: list[str | int]) -> list[NearReference]:
    rows = store.db.execute(_NEAR.format(edges=edges, end=end), values)
    return [record(NearReference, row) for row in rows]
