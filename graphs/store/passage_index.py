"""Passages by their words: found, ranked, and what is known of them and of their neighbours."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from graphs.store.batches import batches
from graphs.store.passage_filter import ALL_PASSAGES, PassageFilter

_AT_ONCE, _MORE = 100, 10  # passages that a search ranks at first; how many times more then


class IndexedPassage(NamedTuple):
    """A passage in its place: the rule it gives, its language and game, its words in their normal
    forms; whether it is a heading or a title, what it stands under (the words of its heading, its
    page's name, the passage above it); the kinds of what it states (`outcome,ruling`)."""

    id: str
    rule: str | None
    lang: str | None
    game: str | None
    words: str
    heading: bool
    title: bool
    under: str | None
    page: str | None
    parent: str | None
    states: str | None


class PassageIndex:
    """The passages of one graph that is open for reading."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def matching(self, query: str, most: int) -> list[tuple[str, str | None, float]]:
        """(passage, the rule it gives or None, score) for a full-text query, the best of them."""
        return list(islice(self.ranked(query, at_once=most + 1), most))

    def ranked(
        self, query: str, within: PassageFilter = ALL_PASSAGES, at_once: int = _AT_ONCE
    ) -> Iterator[tuple[str, str | None, float]]:
        """(passage, the rule it gives or None, score) for a full-text query, best first. Read as
        they are asked for, `at_once` at first: who takes a few waits for few."""
        condition, values = within.condition()
        section = within.section or (lambda _: True)
        given, most = 0, at_once
        while True:
            # The index ranks by itself; nothing is looked up but for the best.
            rows = self._db.execute(
                f"SELECT p.id, r.id, -f.rank, coalesce(s.id, ''), {condition} FROM "
                "(SELECT rowid, rank FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?) f "
                "JOIN node p ON p.key = f.rowid LEFT JOIN node r ON r.key = p.gives_rule "
                "LEFT JOIN node s ON s.key = p.section ORDER BY f.rank, p.id",
                [*values, query, most],
            ).fetchall()
            whole = len(rows) < most
            # Of those that are equal to the last, some may be missing.
            known = rows if whole else [row for row in rows if row[2] > rows[-1][2]]
            for passage, rule, score, place, fits in known[given:]:
                if fits and section(place):
                    yield passage, rule, round(score, 4)
            if whole:
                return
            given, most = len(known), most * _MORE

    def occurrences(
        self, query: str, within: PassageFilter
    ) -> Iterator[tuple[str, str | None, str]]:
        """(passage, the rule it gives or None, text) for a full-text query, page after page."""
        condition, values = within.condition()
        section = within.section or (lambda _: True)
        # The words are looked up first, whatever else is asked: they are rarer than any of it.
        rows = self._db.execute(
            "SELECT p.id, r.id, p.text, coalesce(s.id, '') "
            "FROM search f CROSS JOIN node p ON p.key = f.rowid "
            "LEFT JOIN node r ON r.key = p.gives_rule LEFT JOIN node s ON s.key = p.section "
            f"WHERE f.search MATCH ? AND {condition} "
            "ORDER BY (SELECT g.id FROM node g WHERE g.key = p.page), p.position",
            [query, *values],
        )
        return ((passage, rule, text) for passage, rule, text, place in rows if section(place))

    def frequency(self, query: str, most: int = 50_000) -> int:
        """In how many passages a full-text query is found; beyond `most` nobody counts."""
        row = self._db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)",
            (query, most),
        ).fetchone()
        return int(row[0])

    def lookup(self, ids: Iterable[str]) -> dict[str, IndexedPassage]:
        """What is known of passages: the normal forms of their words, and of the headings that
        they stand under."""
        found: dict[str, IndexedPassage] = {}
        for batch in batches(ids):
            marks = ",".join("?" * len(batch))
            for row in self._db.execute(
                "SELECT p.id, r.id, p.lang, p.game, w.words, s.heading IS p.key, "
                "p.section = p.page AND p.id = g.id || '¶1' AND instr(p.text, '。') = 0, "
                "h.words, g.label, CASE WHEN u.kind = 'passage' THEN u.id END, "
                "(SELECT group_concat(DISTINCT k.kind) FROM node k WHERE k.heading = p.key "
                "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling')) "
                "FROM node p JOIN passage_words w ON w.key = p.key "
                "JOIN node g ON g.key = p.page LEFT JOIN node s ON s.key = p.section "
                "LEFT JOIN passage_words h ON h.key = s.heading "
                "LEFT JOIN node r ON r.key = p.gives_rule "
                "LEFT JOIN node u ON u.key = p.parent "
                f"WHERE p.id IN ({marks})",
                batch,
            ):
                found[row[0]] = IndexedPassage(*row)
        return found

    def preceding(self, passages: Iterable[str]) -> dict[str, str]:
        """For passages the normal forms of the one that stands before each in its section."""
        found: dict[str, str] = {}
        for batch in batches(passages):
            marks = ",".join("?" * len(batch))
            found.update(
                self._db.execute(
                    "SELECT p.id, w.words FROM node p JOIN node q ON q.key = p.key - 1 "
                    "AND q.section = p.section AND q.kind = 'passage' "
                    "JOIN passage_words w ON w.key = q.key "
                    f"WHERE p.id IN ({marks})",
                    batch,
                )
            )
        return found

    def following(self, passages: Iterable[str], most: int) -> dict[str, list[str]]:
        """For passages those of their page that follow: their keys do."""
        found: dict[str, list[str]] = {}
        for passage in passages:
            rows = self._db.execute(
                "SELECT p.id FROM node q JOIN node p ON p.key BETWEEN q.key + 1 AND q.key + ?2 "
                "AND p.page = q.page AND p.kind = 'passage' WHERE q.id = ?1 ORDER BY p.key",
                (passage, most),
            )
            found[passage] = [row[0] for row in rows]
        return found

    def giving_passages(self, rules: Iterable[str]) -> dict[str, str]:
        """For rules the first passage that gives each."""
        found: dict[str, str] = {}
        for batch in batches(rules):
            marks = ",".join("?" * len(batch))
            query = (
                "SELECT r.id, min(p.id) FROM node r JOIN node p ON p.gives_rule = r.key "
                f"WHERE r.id IN ({marks}) GROUP BY r.id"
            )
            found.update(self._db.execute(query, batch))
        return found
