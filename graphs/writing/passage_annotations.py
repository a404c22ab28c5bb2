"""Annotate passages when all names are known: store index words for search, and term mentions."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from sys import intern
from typing import Any, NamedTuple

from graphs.store.file.connection import batches
from graphs.writing.writer import Writer

# By hand: what is annotated at once, in another process perhaps, is in memory with all its words.
_BATCH = 1000  # passages
_BATCH_CHARACTERS = 200_000  # about the most that they have together, where passages are long


class SiteLink(NamedTuple):
    """A link that the site itself set in text[start:end] of a passage.

    start, end: the span of the linked words
    nodes: the ids of the nodes that the link's target is, defines, or redirects to; empty if no
        page gives any
    label: what the site calls the target: mostly the name of a page, or an address
    """

    start: int
    end: int
    nodes: frozenset[str]
    label: str


class PassageText(NamedTuple):
    """A passage to annotate.

    game: the game of the passage; empty if it has none
    lang: the language of the passage; empty if it is not known
    text: the text of the passage
    links: the site's own links in the text, by their spans
    start: where the running text begins; before it is a label, which mentions nothing
    """

    game: str
    lang: str
    text: str
    links: tuple[SiteLink, ...]
    start: int = 0


class Mention(NamedTuple):
    """A mention of a node in text[start:end] of a passage, in any spelling or inflection.

    node: the id of the node
    label: the name of the node
    start, end: the span of the words that mention it
    """

    node: str
    label: str
    start: int
    end: int


class Spelling(NamedTuple):
    """A folded form by which a term's name is found in passages.

    game: the game of the term
    spelled: the form to look for, folded
    term: the id of the term
    name: the name that has this form
    """

    game: str
    spelled: str
    term: str
    name: str


class Annotation(NamedTuple):
    """What was found in a passage.

    words: the words to index the passage by
    mentions: the nodes that the passage mentions
    new_words: (spelling folded, normal form folded, normal form) of each word in the passage that
        the annotator had not met before
    """

    words: str
    mentions: Sequence[Mention]
    new_words: Sequence[tuple[str, str, str]]


Annotate = Callable[[Iterable[list[PassageText]]], Iterable[Sequence[Annotation]]]


class PassageAnnotations:
    """The index words and mentions of passages in a graph that all pages have been added to."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db
        self._has_links = False
        self._annotated_to = 0  # the last key of passages that were annotated elsewhere

    def update_spellings(self, removed: Iterable[Spelling], new: Iterable[Spelling]) -> None:
        """Delete and add spellings by which names are found in passages.

        First `removed` are deleted, then `new` are added; to delete a missing one or to add a known
        one changes nothing. A term without a key raises AssertionError.
        """
        for statement, spellings in (
            (
                "DELETE FROM spelling WHERE game = ? AND spelled = ? AND node = ? AND name = ?",
                removed,
            ),
            ("INSERT OR IGNORE INTO spelling VALUES (?, ?, ?, ?)", new),
        ):
            self._db.executemany(
                statement,
                (
                    (s.game, s.spelled, self._writer.must_shared_key(s.term), s.name)
                    for s in spellings
                ),
            )

    def spellings(self) -> list[Spelling]:
        """Return all spellings that are stored, in no order; in an update only those of games that
        have passages to annotate."""
        query = (
            "SELECT s.game, s.spelled, n.id, s.name FROM spelling s JOIN node n ON n.key = s.node"
        )
        if not self._writer.is_new:
            query += (
                " WHERE s.game IN (SELECT p.game FROM unannotated r JOIN node p ON p.key = r.key)"
            )
        rows = self._db.execute(query)
        return [
            Spelling(intern(game), spelled, intern(term), name)
            for game, spelled, term, name in rows
        ]

    def spellings_with_keys(self) -> Iterator[tuple[str, str, str, str, int]]:
        """Yield the fields of each spelling that is stored, and the key of its term, in no
        order."""
        yield from self._db.execute(
            "SELECT s.game, s.spelled, n.id, s.name, s.node FROM spelling s "
            "JOIN node n ON n.key = s.node"
        )

    def known_words(self, pieces: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Yield the words of annotated passages whose spelling or normal form, folded, is one of
        some strings: (spelling folded, normal form folded, normal form), in no order.

        A word may be yielded more than once. The normal form is empty if it is not indexed.

        pieces: the strings, folded
        """
        for batch in batches(pieces):
            marks = ",".join("?" * len(batch))
            yield from self._db.execute(
                f"SELECT * FROM vocabulary WHERE spelled IN ({marks}) OR folded IN ({marks})",
                [*batch, *batch],
            )

    def any_match(self, query: str | None) -> bool:
        """Return whether a full-text query matches any passage that is annotated already.

        The query None matches every passage, an empty one none. The result for None is True even
        if no passage is annotated.

        query: in the syntax of SQLite's FTS5, over normal forms of words
        """
        if not query:
            return query is None
        cursor = self._db.execute("SELECT 1 FROM search WHERE search MATCH ? LIMIT 1", (query,))
        return cursor.fetchone() is not None

    def mark_matching(self, game: str, query: str | None) -> None:
        """Mark the passages of a game that match a full-text query to be annotated again.

        The query None matches every passage, an empty one is an error of SQLite: unlike in
        `any_match`.

        query: in the syntax of SQLite's FTS5, over normal forms of words
        """
        condition = (
            "" if query is None else "AND key IN (SELECT rowid FROM search WHERE search MATCH ?)"
        )
        self._db.execute(
            "INSERT OR IGNORE INTO unannotated SELECT key FROM node WHERE kind = 'passage' "
            f"AND game = ? {condition}",
            (game,) if query is None else (game, query),
        )

    def mark_linked(self) -> None:
        """Mark passages to be annotated again if they link to something that is or defines other
        nodes than in the old graph, or redirects to what does. Only for an update."""
        select_linked = (
            "WITH defined (giver, node) AS (SELECT source, wanted FROM {0}.edge "
            "WHERE kind = 'defines' AND wanted IN (SELECT key FROM touched)) "
            "SELECT giver, node FROM defined "
            "UNION SELECT node, node FROM {0}.claim WHERE node IN (SELECT key FROM touched) "
            "UNION SELECT r.source, d.node FROM defined d "
            "JOIN {0}.edge r ON r.wanted = d.giver WHERE r.kind = 'redirects_to' "
            "UNION SELECT r.source, d.wanted FROM touched t "
            "CROSS JOIN {0}.edge r ON r.source = t.key AND r.kind = 'redirects_to' "
            "JOIN {0}.edge d ON d.source = r.wanted AND d.kind = 'defines'"
        )
        before, now = (
            set(self._db.execute(select_linked.format(schema))) for schema in ("old", "main")
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO unannotated SELECT passage FROM edge "
            "WHERE wanted = ? AND kind = 'links_to'",
            {(link_target,) for link_target, _ in before ^ now},
        )

    def count(self) -> int:
        """Return the number of passages that `annotate` will annotate."""
        query = f"SELECT count(*) FROM node WHERE kind = 'passage' {self._and_unannotated()}"
        return int(self._db.execute(query).fetchone()[0])

    def annotate(self, annotate_batches: Annotate) -> None:
        """Annotate passages and store the results: all of a new graph, marked ones in an update.

        In a new graph it can be called only once. In an update the index words of marked passages
        that have some are kept, and only their mentions are replaced.

        annotate_batches: takes batches of passages and returns, for each batch in order, the
            annotations of its passages in order
        """
        self.collect_links()
        indexed: set[int] = set()
        if not self._writer.is_new:
            self._delete_mentions()
            indexed.update(
                key
                for (key,) in self._db.execute(
                    "SELECT key FROM passage_words WHERE key IN (SELECT key FROM unannotated)"
                )
            )
        pending: deque[list[tuple[int, int]]] = deque()
        for results in annotate_batches(self._passage_batches(pending)):
            words, mentions, new_words = [], [], list[tuple[str, str, str]]()
            for (key, source), annotation in zip(pending.popleft(), results, strict=True):
                if key not in indexed:
                    words.append((key, annotation.words))
                for node, label, start, end in annotation.mentions:
                    mentions.append(
                        (source, self._writer.must_shared_key(node), label, key, start, end)
                    )
                new_words += annotation.new_words
            self.store(words, mentions, new_words)
        self._db.execute("DROP TABLE linked")
        self._has_links = False

    def store(
        self,
        words: Sequence[tuple[int, str]],
        mentions: Iterable[tuple[int, int, str, int, int, int]],
        new_words: Iterable[tuple[str, str, str]],
    ) -> None:
        """Store what was found in passages, which were not annotated before.

        words: (key of the passage, the words to index it by).
        mentions: (key of the node that the mention starts from, key of the node that is mentioned,
            its name, key of the passage, start, end).
        new_words: as in `Annotation`; words that are known already change nothing.
        """
        db = self._db
        db.executemany("INSERT OR IGNORE INTO vocabulary VALUES (?, ?, ?)", new_words)
        db.executemany("INSERT INTO passage_words VALUES (?, ?)", words)
        db.executemany("INSERT INTO search (rowid, words) VALUES (?, ?)", words)
        db.executemany(
            "INSERT INTO edge VALUES "
            "('mentions', ?1, ?2, ?2, ?3, '', ?4, ?5, ?6, NULL, NULL, NULL)",
            mentions,
        )

    def skip_to(self, last: int) -> None:
        """Leave out passages that were annotated elsewhere, up to the last of their keys. Only for
        a new graph."""
        self._annotated_to = last

    def links(self, first: int, end: int) -> Iterator[tuple[int, int, int, str, int, str]]:
        """Yield the links in the passages with keys from `first` up to `end`, which is excluded, by
        passage and place: (key of the passage, start, end, label, key and id of a node that is
        linked), a row for each such node; 0 and an empty id where there is none. `collect_links`
        must be called before."""
        yield from self._db.execute(
            "SELECT l.passage, l.start, l.\"end\", l.label, l.node, coalesce(n.id, '') "
            "FROM linked l LEFT JOIN node n ON n.key = l.node WHERE l.passage BETWEEN ? AND ?",
            (first, end - 1),
        )

    def _and_unannotated(self) -> str:
        """Return the SQL condition that a passage is to be annotated."""
        if self._writer.is_new:
            return f"AND key > {self._annotated_to}"
        return "AND key IN (SELECT key FROM unannotated)"

    def _delete_mentions(self) -> None:
        """Delete the mentions in the passages that are annotated again.

        These are the passages in the table `unannotated`. Of a passage that gives a rule, the
        mentions lead from the rule. Mentions with details are statements of pages, and stay.
        """
        self._db.execute(
            "DELETE FROM edge WHERE rowid IN (SELECT e.rowid FROM unannotated r "
            "CROSS JOIN node p ON p.key = r.key "
            "CROSS JOIN edge e ON e.source = coalesce(p.gives_rule, p.key) "
            "AND e.kind = 'mentions' AND e.passage = p.key AND e.details IS NULL)"
        )

    def _passage_batches(
        self, pending: deque[list[tuple[int, int]]]
    ) -> Iterator[list[PassageText]]:
        """Yield the passages to annotate, in batches, with their links.

        pending: gets, for each batch, (key of the passage, key of the node that its mentions start
            from) of each passage
        """
        ids = dict(
            self._db.execute("SELECT key, id FROM node WHERE key IN (SELECT node FROM linked)")
        )
        condition = self._and_unannotated()
        rows = self._db.execute(
            "SELECT key, game, lang, text, gives_rule, details FROM node WHERE kind = 'passage' "
            f"{condition} ORDER BY key"
        )
        while batch := _next_batch(rows):
            links: dict[int, list[SiteLink]] = defaultdict(list)
            linked = self._db.execute(
                "SELECT * FROM linked WHERE passage BETWEEN ? AND ?", (batch[0][0], batch[-1][0])
            )
            for (passage, start, end, label), rows_of_link in groupby(
                linked, key=itemgetter(0, 1, 2, 3)
            ):
                nodes = frozenset(ids[node] for *_, node in rows_of_link if node)
                links[passage].append(SiteLink(start, end, nodes, label))
            pending.append([(key, gives_rule or key) for key, *_, gives_rule, _ in batch])
            yield [
                PassageText(
                    game or "",
                    lang or "",
                    text or "",
                    tuple(links.get(key, ())),
                    text_start(details),
                )
                for key, game, lang, text, _, details in batch
            ]

    def collect_links(self) -> None:
        """Fill the temporary table `linked` with all links, in the order of their passages, unless
        that was done before.

        A row is (passage, start, end, label, node): one for each node that the link's target is,
        defines or redirects to; the node is 0 for a link without any. In an update only the links
        in the passages that are marked are collected.
        """
        if self._has_links:
            return
        self._has_links = True
        self._db.execute(
            'CREATE TEMP TABLE linked (passage INTEGER, start INTEGER, "end" INTEGER, label TEXT, '
            'node INTEGER, PRIMARY KEY (passage, start, "end", label, node)) WITHOUT ROWID'
        )
        links = "SELECT * FROM edge WHERE kind = 'links_to'"
        redirects = "SELECT source, wanted FROM edge WHERE kind = 'redirects_to'"
        definitions = "SELECT source, wanted FROM edge WHERE kind = 'defines'"
        claims = "SELECT node, node FROM claim"
        if not self._writer.is_new:
            links = (
                "SELECT e.* FROM unannotated r CROSS JOIN node p ON p.key = r.key "
                "CROSS JOIN edge e ON e.source = coalesce(p.gives_rule, p.key) "
                "WHERE e.kind = 'links_to' AND e.passage = p.key"
            )
            redirects += " AND source IN (SELECT wanted FROM links)"
            definitions += (
                " AND source IN (SELECT wanted FROM links UNION SELECT target FROM redirects)"
            )
            claims += " WHERE node IN (SELECT wanted FROM links)"
        self._db.execute(
            f"WITH links AS MATERIALIZED ({links}), "
            f"redirects (giver, target) AS MATERIALIZED ({redirects}), "
            f"definitions (giver, node) AS MATERIALIZED ({definitions}), "
            f"gives (giver, node) AS MATERIALIZED (SELECT * FROM definitions UNION {claims} "
            "UNION SELECT r.giver, d.node FROM redirects r JOIN definitions d "
            "ON d.giver = r.target) "
            'INSERT OR IGNORE INTO linked SELECT e.passage, e.start, e."end", e.label, '
            "coalesce(g.node, 0) FROM links e LEFT JOIN gives g ON g.giver = e.wanted"
        )


def _next_batch(rows: Iterator[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the next rows of passages that are annotated at once; none if there are no more.

    rows: as `_passage_batches` selects them; the fourth column is the text
    """
    batch, characters = [], 0
    for row in rows:
        batch.append(row)
        characters += len(row[3] or "")
        if len(batch) == _BATCH or characters > _BATCH_CHARACTERS:
            break
    return batch


def text_start(details: str | None) -> int:
    """Return where the running text of a passage begins, from its stored details; 0 if they do not
    say it."""
    return json.loads(details).get("text_start", 0) if details else 0
