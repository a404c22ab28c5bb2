"""Other ways to the same answers: graph libraries and search engines on what sansho has stored.

Each takes the data and gives a function that answers; all that can be done beforehand is done
then (loading, indexes, prepared statements), so that only answering is measured.
"""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

# Edges that lead from what says something to what it speaks of; containment is none.
REFERENCES = ("cites", "defines", "links_to", "mentions", "redirects_to", "same_concept")
MOST = 20  # hits

Reach = Callable[[str], set[str]]  # from a node the nodes within two references of it
FindPath = Callable[[tuple[str, str]], int]  # the number of edges between two nodes; -1 if no way
Find = Callable[["Asked"], list[str]]  # for words the passages that have them, the best first


class Asked(NamedTuple):
    """Words as they are typed, as SQLite's full-text search is asked for them, and their normal
    forms: phrases, all of which must be there."""

    typed: str
    query: str
    phrases: tuple[tuple[str, ...], ...]


def references(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """The ends of all references, by id."""
    return db.execute(
        "SELECT a.id, b.id FROM edge e JOIN node a ON a.key = e.source JOIN node b "
        f"ON b.key = e.target WHERE e.kind IN ({','.join('?' * len(REFERENCES))})",
        REFERENCES,
    ).fetchall()


def nodes(db: sqlite3.Connection) -> list[str]:
    """The ids of all nodes."""
    return [row[0] for row in db.execute("SELECT id FROM node WHERE kind IS NOT NULL ORDER BY id")]


# -- two references away -----------------------------------------------------------------------


def networkx(db: sqlite3.Connection) -> tuple[Reach, FindPath]:
    """A graph in memory. (A library that sansho itself depends on.) Its shortest path counts edges,
    all alike, and goes through what everybody mentions."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    graph.add_nodes_from(nodes(db))
    graph.add_edges_from(references(db))
    after, before = graph.succ, graph.pred

    def reach(start: str) -> set[str]:
        seen = ring = {start}
        for _ in range(2):
            ring = {other for node in ring for ends in (after, before) for other in ends[node]}
            ring -= seen
            seen = seen | ring
        return seen

    either_way = graph.to_undirected(as_view=True)

    def path(ends: tuple[str, str]) -> int:
        try:
            return len(nx.bidirectional_shortest_path(either_way, *ends)) - 1
        except nx.NetworkXNoPath:
            return -1

    return reach, path


@contextmanager
def ladybug(db: sqlite3.Connection, folder: Path) -> Iterator[tuple[Reach, FindPath]]:
    """An embedded graph database, the one that Kùzu went on as. One thread, as all others have:
    with more it is no quicker here, and at times hangs when it loads."""
    import ladybug as lb

    of_nodes, of_edges = folder / "nodes.csv", folder / "edges.csv"
    _csv(of_nodes, ((node,) for node in nodes(db)))
    _csv(of_edges, references(db))
    # Of the five ways to ask this, the quickest here; a statement is prepared when it is first met.
    query = "MATCH (a:Node {id: $id})-[:Ref* SHORTEST 1..2]-(b:Node) RETURN b.id"
    path_query = (
        "MATCH p = (:Node {id: $a})-[:Ref* SHORTEST 1..20]-(:Node {id: $b}) RETURN length(p)"
    )
    with lb.Database(folder / "ladybug", buffer_pool_size=2 << 30, max_num_threads=1) as database:
        connection = lb.Connection(database)
        connection.execute("CREATE NODE TABLE Node(id STRING PRIMARY KEY)")
        connection.execute("CREATE REL TABLE Ref(FROM Node TO Node)")
        connection.execute(f'COPY Node FROM "{of_nodes}" (HEADER=false, PARALLEL=false)')
        connection.execute(f'COPY Ref FROM "{of_edges}" (HEADER=false, PARALLEL=false)')

        def reach(start: str) -> set[str]:
            rows = connection.execute(query, {"id": start}).get_all()
            return {start, *(row[0] for row in rows)}

        def path(ends: tuple[str, str]) -> int:
            rows = connection.execute(path_query, dict(zip("ab", ends, strict=True))).get_all()
            return int(rows[0][0]) if rows else -1

        yield reach, path
        connection.close()


def _csv(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)


def sqlite_reach(db: sqlite3.Connection) -> Reach:
    """Sansho's own file, asked for ids alone."""
    kinds = ",".join(f"'{kind}'" for kind in REFERENCES)
    step = (
        f"SELECT target FROM edge WHERE source = ?1 AND target IS NOT NULL AND kind IN ({kinds}) "
        f"UNION ALL SELECT source FROM edge WHERE target = ?1 AND kind IN ({kinds})"
    )

    def reach(start: str) -> set[str]:
        seen = ring = {row[0] for row in db.execute("SELECT key FROM node WHERE id = ?", (start,))}
        for _ in range(2):
            ring = {row[0] for key in ring for row in db.execute(step, (key,))} - seen
            seen = seen | ring
        ids = (db.execute("SELECT id FROM node WHERE key = ?", (key,)).fetchone() for key in seen)
        return {row[0] for row in ids}

    return reach


# -- words -------------------------------------------------------------------------------------


def tantivy(db: sqlite3.Connection, folder: Path) -> tuple[Find, Callable[[Asked], int]]:
    """A search engine library, over the same normal forms; and how many passages it finds."""
    import tantivy as tv

    schema = (
        tv.SchemaBuilder()
        .add_text_field("id", stored=True, tokenizer_name="raw")
        .add_text_field("words", tokenizer_name="words")
        .build()
    )
    (folder / "tantivy").mkdir()
    index = tv.Index(schema, str(folder / "tantivy"))
    by_spaces = tv.TextAnalyzerBuilder(tv.Tokenizer.whitespace()).build()
    index.register_tokenizer("words", by_spaces)
    writer = index.writer(heap_size=200_000_000)
    for node, words in db.execute(
        "SELECT n.id, w.words FROM passage_words w JOIN node n USING (key)"
    ):
        writer.add_document(tv.Document(id=node, words=words))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def query(asked: Asked) -> tv.Query:
        parts = [
            tv.Query.phrase_query(schema, "words", list(phrase))
            if len(phrase) > 1
            else tv.Query.term_query(schema, "words", phrase[0])
            for phrase in asked.phrases
        ]
        return tv.Query.boolean_query([(tv.Occur.Must, part) for part in parts])

    def find(asked: Asked) -> list[str]:
        hits = searcher.search(query(asked), MOST, count=False).hits
        return [searcher.doc(address)["id"][0] for _, address in hits]

    return find, lambda asked: int(searcher.search(query(asked), 1).count)


def trigrams(db: sqlite3.Connection, folder: Path) -> Find:
    """SQLite's own index of every three characters: finds spellings, of three characters or
    more, and no inflections."""
    index = sqlite3.connect(folder / "trigrams.db")
    index.execute("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, text, tokenize='trigram')")
    index.executemany(
        "INSERT INTO t VALUES (?, ?)", db.execute("SELECT id, text FROM node WHERE kind='passage'")
    )
    index.execute("INSERT INTO t (t) VALUES ('optimize')")
    index.commit()

    def find(asked: Asked) -> list[str]:
        query = " AND ".join('"' + part.replace('"', '""') + '"' for part in asked.typed.split())
        rows = index.execute(
            "SELECT id FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (query, MOST)
        )
        return [row[0] for row in rows]

    return find
