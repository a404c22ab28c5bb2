"""Writes what is found in passages once all names are known: search words and mentions."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from sys import intern
from graphs.store.batches import batches
from graphs.build.writer import Writer
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from graphs.model import EdgeKind, Label, Node

_TOLD = 1000  # passages that are told of at once

class PassageText(NamedTuple):
    """A passage, and the site's own links in it: start, end, and the nodes that a link is to."""

    game: str
    lang: str
    text: str
    links: Sequence[tuple[int, int, frozenset[str]]]


class Mention(NamedTuple):
    """That text[start:end] gives_rule of a node, whose name is `label`."""

    node: str
    label: str
    start: int
    end: int


class Spelling(NamedTuple):
    """That a name of a game's term is found where it says `spelled`, folded."""

    game: str
    spelled: str
    term: str
    name: str


class Annotation(NamedTuple):
    """What is told of a passage: its words for searching, the nodes that it gives_rule of, and those
    of its words (as spelled, normal and folded, normal) that were not met before."""

    words: str
    mentions: Sequence[Mention]
    new_words: Sequence[tuple[str, str, str]]


Annotate = Callable[[Iterable[list[PassageText]]], Iterable[Sequence[Annotation]]]


class PassageAnnotations:
    """The passages of a graph that a writer has put all pages into."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def update_spellings(self, gone: Iterable[Spelling], new: Iterable[Spelling]) -> None:
        """Change how names are found in passages."""
        for order, rows in (
            ("DELETE FROM spelling WHERE game = ? AND spelled = ? AND node = ? AND name = ?", gone),
            ("INSERT OR IGNORE INTO spelling VALUES (?, ?, ?, ?)", new),
        ):
            self._db.executemany(
                order, ((s.game, s.spelled, self._writer.must_key(s.term), s.name) for s in rows)
            )

    def spellings(self) -> list[Spelling]:
        """How the names of all games are found of which passages are to be told."""
        query = (
            "SELECT s.game, s.spelled, n.id, s.name FROM spelling s JOIN node n ON n.key = s.node"
        )
        if not self._writer.is_new:
            query += " WHERE s.game IN (SELECT p.game FROM unannotated r JOIN node p ON p.key = r.key)"
        rows = self._db.execute(query)
        return [Spelling(intern(game), spelled, intern(term), name)
                for game, spelled, term, name in rows]

    def known_words(self, pieces: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Of the words of passages those that some pieces of text may be, as they are spelled or
        normal: (as spelled, normal and folded, normal)."""
        for batch in batches(pieces):
            marks = ",".join("?" * len(batch))
            yield from self._db.execute(
                f"SELECT * FROM vocabulary WHERE spelled IN ({marks}) OR folded IN ({marks})",
                [*batch, *batch],
            )

    def any_match(self, query: str | None) -> bool:
        """Whether a full-text query finds any passage that was told of before; None may be any."""
        if not query:
            return query is None
        found = self._db.execute("SELECT 1 FROM search WHERE search MATCH ? LIMIT 1", (query,))
        return found.fetchone() is not None

    def mark_matching(self, game: str, query: str | None) -> None:
        """Have the passages of a game told of anew that a full-text query finds; all, if None."""
        found = (
            "" if query is None else "AND key IN (SELECT rowid FROM search WHERE search MATCH ?)"
        )
        self._db.execute(
            "INSERT OR IGNORE INTO unannotated SELECT key FROM node WHERE kind = 'passage' "
            f"AND game = ? {found}", (game,) if query is None else (game, query)
        )

    def mark_linked(self) -> None:
        """Have the passages told of anew whose links lead to what defines other nodes now."""
        gives = (
            "SELECT source, wanted FROM {0}.edge WHERE kind = 'defines' "
            "AND wanted IN (SELECT key FROM touched) "
            "UNION SELECT node, node FROM {0}.claim WHERE node IN (SELECT key FROM touched)"
        )
        before, now = (set(self._db.execute(gives.format(name))) for name in ("old", "main"))
        self._db.executemany(
            "INSERT OR IGNORE INTO unannotated SELECT passage FROM edge "
            "WHERE wanted = ? AND kind = 'links_to'", {(giver,) for giver, _ in before ^ now}
        )

    def annotate(self, told: Annotate) -> None:
        """Give passages to `told`, some at a time, and record what it tells of each, in their
        order: the passage's words, for searching, and the nodes that it gives_rule of."""
        self._gather_links()
        known: set[int] = set()
        if not self._writer.is_new:
            self._unsay()
            known.update(key for (key,) in self._db.execute(
                "SELECT key FROM passage_words WHERE key IN (SELECT key FROM unannotated)"
            ))
        waiting: deque[list[tuple[int, int]]] = deque()
        for answers in told(self._passages(waiting)):
            words, edges = [], []
            for (key, source), telling in zip(waiting.popleft(), answers, strict=True):
                if key not in known:
                    words.append((key, telling.words))
                for node, label, start, end in telling.mentions:
                    edges.append((source, self._writer.must_key(node), label, key, start, end))
                if telling.new_words:
                    self._db.executemany("INSERT OR IGNORE INTO vocabulary VALUES (?, ?, ?)", telling.new_words)
            self._db.executemany("INSERT INTO passage_words VALUES (?, ?)", words)
            self._db.executemany("INSERT INTO search (rowid, words) VALUES (?, ?)", words)
            self._db.executemany(
                "INSERT INTO edge VALUES "
                "('mentions', ?1, ?2, ?2, ?3, '', ?4, ?5, ?6, NULL, NULL, NULL)", edges
            )
        self._db.execute("DROP TABLE linked")

    def _unsay(self) -> None:
        """Take out what the passages that are told of anew speak of."""
        self._db.execute(
            "DELETE FROM edge WHERE rowid IN (SELECT e.rowid FROM unannotated r "
            "CROSS JOIN node p ON p.key = r.key "
            "CROSS JOIN edge e ON e.source = coalesce(p.gives_rule, p.key) "
            "AND e.kind = 'mentions' AND e.passage = p.key)"
        )

    def _passages(self, waiting: deque[list[tuple[int, int]]]) -> Iterator[list[PassageText]]:
        """The passages to tell of, some at a time, with their links; into `waiting` goes where
        they lie."""
        ids = dict(self._db.execute(
            "SELECT key, id FROM node WHERE key IN (SELECT node FROM linked)"
        ))
        only = "" if self._writer.is_new else "AND key IN (SELECT key FROM unannotated)"
        rows = self._db.execute(
            "SELECT key, game, lang, text, gives_rule FROM node WHERE kind = 'passage' "
            f"{only} ORDER BY key"
        )
        while batch := rows.fetchmany(_TOLD):
            links: dict[int, list[tuple[int, int, frozenset[str]]]] = defaultdict(list)
            found = self._db.execute(
                "SELECT * FROM linked WHERE passage BETWEEN ? AND ?", (batch[0][0], batch[-1][0])
            )
            for (passage, *span), nodes in groupby(found, key=itemgetter(0, 1, 2)):
                links[passage].append((*span, frozenset(ids[node] for *_, node in nodes)))
            waiting.append([(key, gives_rule or key) for key, *_, gives_rule in batch])
            yield [
                PassageText(game or "", lang or "", text or "", links.get(key, ()))
                for key, game, lang, text, _ in batch
            ]

    def _gather_links(self) -> None:
        """The links that lead to what is or defines a node, in the order of their passages."""
        self._db.execute(
            'CREATE TEMP TABLE linked (passage INTEGER, start INTEGER, "end" INTEGER, '
            'node INTEGER, PRIMARY KEY (passage, start, "end", node)) WITHOUT ROWID'
        )
        links = "SELECT * FROM edge WHERE kind = 'links_to'"
        gives = "SELECT source, wanted FROM edge WHERE kind = 'defines'"
        claims = "SELECT node, node FROM claim"
        if not self._writer.is_new:
            links = (
                "SELECT e.* FROM unannotated r CROSS JOIN node p ON p.key = r.key "
                "CROSS JOIN edge e ON e.source = coalesce(p.gives_rule, p.key) "
                "WHERE e.kind = 'links_to' AND e.passage = p.key"
            )
            gives += " AND source IN (SELECT wanted FROM links)"
            claims += " WHERE node IN (SELECT wanted FROM links)"
        self._db.execute(
            f"WITH links AS MATERIALIZED ({links}), "
            f"gives (giver, node) AS MATERIALIZED ({gives} UNION {claims}) "
            'INSERT OR IGNORE INTO linked SELECT e.passage, e.start, e."end", g.node '
            "FROM gives g JOIN links e ON g.giver = e.wanted"
        )
