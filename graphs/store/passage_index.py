"""The full-text index of passages: search, ranking, word frequency, neighbouring passages.

A search may be limited to some passages by a filter.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from graphs.model import EdgeKind
from graphs.store.file.connection import batches, rows_of
from graphs.store.file.row_checks import RowError, check_columns, record
from graphs.store.file.sql_views import PAGE_NAME

# In these conditions `p` is the node of the passage and `r` that of the rule that it gives, if any.
_STATES_KIND = (
    "EXISTS (SELECT 1 FROM node k WHERE k.heading = p.key AND k.kind = ? "
    "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling'))"
)
_EDITION = "coalesce(r.edition, p.edition, (SELECT b.edition FROM node b WHERE b.key = p.page))"
_MATCHING_EDGES = (
    "FROM edge WHERE kind = ? AND target IN "
    "(SELECT key FROM node WHERE id IN (SELECT value FROM json_each(?)))"
)
# The first condition follows from the second, and leads from the edges to their passages: else all
# passages would be read.
_HAS_EDGE = (
    f"(p.key IN (SELECT passage {_MATCHING_EDGES} UNION SELECT source {_MATCHING_EDGES} "
    f"UNION SELECT key FROM node WHERE gives_rule IN (SELECT source {_MATCHING_EDGES})) "
    f"AND (coalesce(p.gives_rule, p.key) IN (SELECT source {_MATCHING_EDGES}) "
    f"OR p.key IN (SELECT passage {_MATCHING_EDGES})))"
)


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The properties that a passage must have, all of them. A field that is None or empty asks for
    nothing.

    game, lang: of the rule that the passage gives, or of the passage itself.
    edition: of the rule that it gives, or else of its page.
    source: where its page comes from, such as `mtgwiki`.
    kind: what the passage states: `rule`, `ruling`, `procedure`, `step` or `outcome`.
    section: called with the id of the passage's section; returns whether the passage may match.
    edges: pairs of an edge kind and the ids of nodes. For each pair the passage must have an edge
        of that kind to any of the nodes. The edges of a rule count for the passages that give it.
    """

    game: str | None = None
    source: str | None = None
    edition: str | None = None
    lang: str | None = None
    kind: str | None = None
    section: Callable[[str], bool] | None = None
    edges: tuple[tuple[EdgeKind, tuple[str, ...]], ...] = ()

    def condition(self) -> tuple[str, list[str]]:
        """Return an SQL condition and its parameters, for all fields but `section`.

        In the query, `p` must be the node of the passage and `r` that of the rule that it gives.

        >>> PassageFilter(source="mtgwiki", kind="rule").condition()
        ('p.source = ? AND p.gives_rule IS NOT NULL', ['mtgwiki'])
        >>> ALL_PASSAGES.condition()
        ('1', [])
        """
        conditions = list(self._conditions())
        return (
            " AND ".join(condition for condition, _ in conditions) or "1",
            [value for _, values in conditions for value in values],
        )

    def edge_condition(self, edge: str) -> tuple[str, list[str]]:
        """Return an SQL condition and its parameters: that an edge is one that `edges` asks for.

        edge: the name of the table `edge` in the query.

        >>> PassageFilter(edges=(("cites", ("mtg/cr/20231117/ja/121",)),)).edge_condition("e")[1]
        ['cites', '["mtg/cr/20231117/ja/121"]']
        >>> ALL_PASSAGES.edge_condition("e")
        ('0', [])
        """
        condition = (
            f"({edge}.kind = ? AND {edge}.target IN "
            "(SELECT key FROM node WHERE id IN (SELECT value FROM json_each(?))))"
        )
        values = [value for kind, ids in self.edges for value in (kind, json.dumps(ids))]
        any_of = " OR ".join([condition] * len(self.edges))
        return (f"({any_of})" if any_of else "0"), values

    def _conditions(self) -> Iterator[tuple[str, list[str]]]:
        """Yield a condition and its parameters for each property.

        Properties that are None or empty are skipped, and so is `section`, which is no SQL. The
        kind `rule` asks for a passage that gives a rule, any other for one that states such a node.
        """
        for column in ("game", "lang"):
            if value := getattr(self, column):
                yield f"coalesce(r.{column}, p.{column}) = ?", [value]
        if self.edition:  # a glossary gives no rules: its edition is that of its book
            yield f"{_EDITION} = ?", [self.edition]
        if self.source:
            yield "p.source = ?", [self.source]
        if self.kind == "rule":
            yield "p.gives_rule IS NOT NULL", []
        elif self.kind:
            yield _STATES_KIND, [self.kind]
        for kind, ids in self.edges:
            yield _HAS_EDGE, [kind, json.dumps(ids)] * 5


ALL_PASSAGES = PassageFilter()


# Rows that a search ranks at first: to keep the best few takes half the time. By hand: more than
# most questions read, and all others are ranked when they are not enough.
_FIRST_ROWS = 100
_ALL_ROWS = -1  # no limit, in SQL
# Passages that a search counts: bounds the time for common words. By hand: what is more is shown as
# so many or more, and nobody reads so far. `kb.cli.render.passages` has the same number.
MOST_COUNTED = 50_000
INDEXED = "indexed"  # the key in the table `meta`
# By hand, by the time that they take: passages that are not all sorted if the first are wanted;
# pages that are asked one by one for a common word, and how many more for each passage that these
# give, after which sorting all takes less; pages that are read together.
_MANY = 5_000
_PAGES_ASKED, _PAGES_PER_MATCH = 100, 20
_PAGES_AT_ONCE = 32
_ROWS_OF_TABLES = 6  # numbers of a page's rows before its keys: two for each of three tables


class IndexedPassage(NamedTuple):
    """A passage with its words and its context. What does not apply is None.

    id: the id of the passage.
    rule: the id of the rule that it gives.
    lang, game: of the passage.
    edition, number: of the rule that it gives, or the edition of its page.
    words: the normal forms of its words, separated by spaces.
    heading: whether it is the heading of its section.
    title: whether it is the title of its page: the first passage, before any heading, without 。
    under: the words of its section's heading, as in `words`.
    page: the name of its page.
    parent: the id of the passage that it is part of, such as the list item above it.
    states: the kinds of nodes that are extracted from it, joined by commas (`outcome,ruling`).
    """

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
    edition: str | None = None
    number: str | None = None


class PassageText(NamedTuple):
    """A passage's text and what it is on its page.

    id: the id of the passage.
    game, lang, edition, number: of the rule that it gives, or else of the passage; None if it has
        none.
    text: its text; words: the normal forms of its words, separated by spaces.
    bare: whether it is the heading of its section, the title of its page, or an entry of contents.
    """

    id: str
    game: str | None
    lang: str | None
    edition: str | None
    number: str | None
    text: str
    words: str
    bare: bool


class EditionText(NamedTuple):
    """A passage of a rulebook: its id, the game, language and edition, the number of the rule that
    it gives (empty if none), and its text."""

    passage: str
    game: str
    lang: str
    edition: str
    number: str
    text: str


class PassagePlace(NamedTuple):
    """Where a passage stands. What does not apply is None.

    passage, page, section, rule: ids: of the passage, of its page, of the section that it stands
        in, if it is not the page itself, and of the rule that it gives.
    page_label, section_label, number: the names of the first two, and the rule's number.
    edition: of the rule, or else of the page.
    game, lang, source, url: of the passage, or else of the page.
    """

    passage: str
    page: str
    page_label: str | None
    section: str | None
    section_label: str | None
    rule: str | None
    number: str | None
    edition: str | None
    game: str | None
    lang: str | None
    source: str | None
    url: str | None


class PassageIndex:
    """The full-text index of the passages of a graph that is open for reading.

    Queries are in the syntax of SQLite's FTS5. The indexed words are normal forms.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        """Read the index in an open database."""
        self._db = db

    def matching(
        self, query: str, most: int, passage_filter: PassageFilter = ALL_PASSAGES
    ) -> list[tuple[str, str | None, float]]:
        """Return the best passages for a query, `most` of them: (passage, rule, score) of each.

        The query, the filter and the results are as in `ranked`.
        """
        return list(islice(self.ranked(query, passage_filter, first_rows=most + 1), most))

    def ranked(
        self,
        query: str,
        passage_filter: PassageFilter = ALL_PASSAGES,
        first_rows: int = _FIRST_ROWS,
    ) -> Iterator[tuple[str, str | None, float]]:
        """Yield (passage, rule, score) for each passage that matches a query, best first.

        passage and rule are ids: of the passage, and of the rule that it gives, or None. The
        score is higher for better passages; passages of the same score are sorted by id. The best
        `first_rows` are ranked first, and all others when those are not enough.

        query: in the syntax of SQLite's FTS5, over normal forms of words, not a person's words.
            Raises sqlite3.OperationalError while iterating if its syntax is wrong.
        """
        condition, values = passage_filter.condition()
        fits_section = passage_filter.section or (lambda _: True)
        seen = 0
        for limit in (first_rows, _ALL_ROWS):
            # The subquery ranks by the index alone. CROSS JOIN keeps its order, and nodes are
            # looked up only for the rows that are read.
            rows = self._db.execute(
                f"SELECT p.id, r.id, -f.score, coalesce(s.id, ''), {condition} FROM "
                "(SELECT rowid, bm25(search) AS score FROM search WHERE search MATCH ? "
                "ORDER BY score LIMIT ?) f CROSS JOIN node p ON p.key = f.rowid "
                "LEFT JOIN node r ON r.key = p.gives_rule LEFT JOIN node s ON s.key = p.section",
                [*values, query, limit],
            )
            for _, group in groupby(islice(rows, seen, None), key=itemgetter(2)):
                alike = sorted(group, key=itemgetter(0))
                if seen + len(alike) == limit:
                    break  # the limit may have cut off others of this score
                seen += len(alike)
                for passage, rule, score, section, fits in alike:
                    if fits and fits_section(section):
                        yield passage, rule, round(score, 4)
            else:
                return

    def occurrences(
        self, query: str, passage_filter: PassageFilter
    ) -> Iterator[tuple[str, str | None, str]]:
        """Yield (passage, rule, text) for each passage that matches a query, page by page.

        passage and rule are ids as in `ranked`, and so is the query. The text is the whole text
        of the passage; where in it the words are is not returned. Pages are sorted by id, and
        passages are in the page's order. An empty query matches every passage.
        """
        fits_section = passage_filter.section or (lambda _: True)
        for passage, rule, text, section in self._in_page_order(query, passage_filter):
            if fits_section(section):
                yield passage, rule, text

    def _in_page_order(
        self, query: str, passage_filter: PassageFilter
    ) -> Iterator[tuple[str, str | None, str, str]]:
        """Yield (passage, rule, text, section) as `occurrences` does, whatever the section.

        Of words that very many passages have, the first pages are asked one by one, for as long as
        these have the words: to sort all that match takes the longer the more there are.
        """
        columns = "SELECT p.id, r.id, p.text, coalesce(s.id, '')"
        begun = 0
        if query and self.frequency(query, _MANY) == _MANY:
            for asked, page in enumerate(self._pages(passage_filter.source)):
                if asked > _PAGES_ASKED + _PAGES_PER_MATCH * begun:
                    break
                rows = self._db.execute(*_matching(columns, query, passage_filter, of_page=page))
                for row in rows:
                    begun += 1
                    yield row
            else:
                return
        every = self._db.execute(*_matching(columns, query, passage_filter))
        yield from islice(every, begun, None)

    def _pages(self, source: str | None) -> Iterator[tuple[int, int]]:
        """Yield the keys (first, end excluded) of what stands on each page, sorted by its id.

        source: only pages of this source; None for all.
        """
        last, number = "", _PAGES_AT_ONCE
        while True:
            rows = self._db.execute(
                "SELECT n.id, r.ranges FROM node n INDEXED BY node_page "
                "LEFT JOIN page_rows r ON r.page = n.key WHERE n.id > ? AND n.kind = 'page' "
                "AND (?2 IS NULL OR n.source = ?2) ORDER BY n.id LIMIT ?3",
                (last, source, number),
            ).fetchall()
            for _, ranges in check_columns(rows, (str, bytes), "pages"):
                yield _private_keys(ranges)
            if len(rows) < number:
                return
            last = rows[-1][0]

    def editions_of_texts(self, query: str, passage_filter: PassageFilter) -> Iterator[EditionText]:
        """Yield the passages that match a query and a filter and belong to an edition, in the order
        of `occurrences`. An empty query matches every passage."""
        columns = (
            "SELECT coalesce(s.id, ''), p.id, coalesce(r.game, p.game, ''), "
            "coalesce(r.lang, p.lang, ''), coalesce(r.edition, p.edition, b.edition), "
            "coalesce(r.number, ''), p.text"
        )
        book = "LEFT JOIN node b ON b.key = p.page "
        statement, values = _matching(columns, query, passage_filter, extra_join=book)
        for section, *fields in self._db.execute(statement, values):
            fits = passage_filter.section is None or passage_filter.section(section)
            if fits and fields[3] is not None:
                yield EditionText(*fields)

    def edge_spans(
        self, passage_filter: PassageFilter
    ) -> Iterator[tuple[str, str | None, str, int, int]]:
        """Yield (passage, rule, text, start, end) for each span that an edge rests on, of the edges
        that the filter asks for.

        Passages that do not fit the whole filter are left out. The order is that of `occurrences`,
        within a passage that of the spans; each span comes once.
        """
        condition, values = passage_filter.condition()
        kinds, kind_values = passage_filter.edge_condition("e")
        # Without the passages' rows: to get the text once for each of its references takes the
        # square of a long passage's length.
        spans: dict[int, list[tuple[int, int]]] = {}
        for key, start, end in self._db.execute(
            f'SELECT DISTINCT e.passage, e.start, e."end" FROM edge e WHERE {kinds} ORDER BY 2, 3',
            kind_values,
        ):
            spans.setdefault(key, []).append((start, end))
        rows = self._db.execute(
            "SELECT p.key, p.id, r.id, p.text, coalesce(s.id, '') FROM node p "
            "LEFT JOIN node r ON r.key = p.gives_rule LEFT JOIN node s ON s.key = p.section "
            f"WHERE p.key IN (SELECT e.passage FROM edge e WHERE {kinds}) AND {condition} "
            "ORDER BY (SELECT g.id FROM node g WHERE g.key = p.page), p.position",
            [*kind_values, *values],
        )
        for key, passage, rule, text, section in rows:
            if passage_filter.section is None or passage_filter.section(section):
                yield from ((passage, rule, text, start, end) for start, end in spans[key])

    def count(self, query: str, passage_filter: PassageFilter, most: int = MOST_COUNTED) -> int:
        """Return the number of passages that match a query and a filter, or `most` if there are
        more. An empty query matches every passage."""
        if query and passage_filter == ALL_PASSAGES:
            return self.frequency(query, most)
        columns = "SELECT coalesce(s.id, '')" if passage_filter.section else "SELECT 1"
        rows = self._db.execute(*_matching(columns, query, passage_filter, ordered=False))
        fits = passage_filter.section or (lambda _: True)
        return sum(1 for _ in islice((row for row in rows if fits(row[0])), most))

    def those_matching(self, query: str, passages: Iterable[str]) -> set[str]:
        """Return the ids of those of some passages, given by ids, that match a query of FTS5."""
        matching = (
            "SELECT p.id FROM node p JOIN search f ON f.rowid = p.key "
            "WHERE p.id IN ({marks}) AND f.search MATCH ?"
        )
        rows = rows_of(self._db, matching, sorted(passages), [query])
        return {passage for (passage,) in rows}

    def version(self) -> str:
        """Return a text that is another one if other passages, or other words, are indexed: how
        many passages there are, and how many characters their words have, with a space between
        them; empty if a build did not record it."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (INDEXED,)).fetchone()
        return str(row[0]) if row else ""

    def texts(self, ids: Iterable[str]) -> dict[str, PassageText]:
        """Return the texts of passages by their ids. An id that is no passage's is left out."""
        query = (
            "SELECT p.id, coalesce(r.game, p.game), coalesce(r.lang, p.lang), "
            "coalesce(r.edition, p.edition, g.edition), r.number, p.text, coalesce(w.words, ''), "
            "coalesce(s.heading = p.key, 0) OR (p.section = p.page AND p.id = g.id || '¶1' "
            "AND instr(p.text, '。') = 0) "
            "OR EXISTS (SELECT 1 FROM edge e WHERE e.source = p.key AND e.kind = 'links_to' "
            "AND e.details LIKE '%\"heading\"%') "
            "FROM node p JOIN node g ON g.key = p.page LEFT JOIN node s ON s.key = p.section "
            "LEFT JOIN node r ON r.key = p.gives_rule LEFT JOIN passage_words w ON w.key = p.key "
            "WHERE p.id IN ({marks})"
        )
        return {
            fields[0]: record(PassageText, [*fields, bool(bare)])
            for *fields, bare in rows_of(self._db, query, list(ids))
        }

    def plain_texts(self, ids: Iterable[str]) -> dict[str, str]:
        """Return {id: text} of passages, or of any nodes; empty if one has no text. An id that is
        no node's is left out."""
        query = "SELECT id, coalesce(text, '') FROM node WHERE id IN ({marks})"
        rows = rows_of(self._db, query, list(ids))
        return dict(check_columns(rows, (str, str), "passages"))

    def reference_spans(self, ids: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        """Return, for passages by their ids, the spans that are links, mentions or citations.

        Each list is sorted by start, then by end; spans may overlap, and come as often as there are
        edges on them. A passage without any is left out.
        """
        found: dict[str, list[tuple[int, int]]] = {}
        for batch in batches(list(ids)):
            # Without the ids: to get one from a long passage's row again and again, for each of its
            # references, takes the square of the passage's length.
            marks = ",".join("?" * len(batch))
            nodes = self._db.execute(
                f"SELECT key, id, coalesce(gives_rule, key) FROM node WHERE id IN ({marks})", batch
            ).fetchall()
            ids_by_key = {key: passage for key, passage, _ in nodes}
            sources = {source for _, _, source in nodes}
            for key, start, end in self._db.execute(
                'SELECT passage, start, "end" FROM edge '
                f"WHERE source IN ({','.join('?' * len(sources))}) "
                f"AND passage IN ({','.join('?' * len(ids_by_key))}) "
                "AND kind IN ('links_to', 'mentions', 'cites') ORDER BY 1, 2, 3",
                [*sources, *ids_by_key],
            ):
                found.setdefault(ids_by_key[key], []).append((start, end))
        return found

    def frequency(self, query: str, most: int = 50_000) -> int:
        """Return the number of passages that match a query, or `most` if there are more.

        query: in the syntax of SQLite's FTS5, over normal forms of words
        """
        row = self._db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)",
            (query, most),
        ).fetchone()
        return int(row[0])

    def lookup(self, ids: Iterable[str]) -> dict[str, IndexedPassage]:
        """Return passages by their ids. An id that is no passage's is left out."""
        query = (
            "SELECT p.id, r.id, p.lang, p.game, w.words, s.heading IS p.key, "
            "p.section = p.page AND p.id = g.id || '¶1' AND instr(p.text, '。') = 0, "
            "h.words, g.label, CASE WHEN u.kind = 'passage' THEN u.id END, "
            "(SELECT group_concat(DISTINCT k.kind) FROM node k WHERE k.heading = p.key "
            "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling')), "
            "coalesce(r.edition, p.edition, g.edition), r.number "
            "FROM node p JOIN passage_words w ON w.key = p.key "
            "JOIN node g ON g.key = p.page LEFT JOIN node s ON s.key = p.section "
            "LEFT JOIN passage_words h ON h.key = s.heading "
            "LEFT JOIN node r ON r.key = p.gives_rule LEFT JOIN node u ON u.key = p.parent "
            "WHERE p.id IN ({marks})"
        )
        return {row[0]: record(IndexedPassage, row) for row in rows_of(self._db, query, ids)}

    def places(self, ids: Iterable[str]) -> Iterator[PassagePlace]:
        """Yield where passages stand, in no order. An id that is no passage's is left out."""
        query = (
            f"SELECT p.id, g.id, {PAGE_NAME.format('g')}, nullif(s.id, g.id), "
            "CASE WHEN s.key <> g.key THEN s.label END, r.id, r.number, "
            "coalesce(r.edition, p.edition, g.edition), coalesce(p.game, g.game), "
            "coalesce(p.lang, g.lang), coalesce(p.source, g.source), coalesce(g.url, p.url) "
            "FROM node p JOIN node g ON g.key = p.page LEFT JOIN node s ON s.key = p.section "
            "LEFT JOIN node r ON r.key = p.gives_rule "
            "WHERE p.id IN ({marks}) AND p.kind = 'passage'"
        )
        for row in rows_of(self._db, query, list(ids)):
            yield record(PassagePlace, row)

    def neighbouring_words(self, passages: Iterable[str]) -> dict[str, str]:
        """Return {id: the words of the passages before and after it in its section} for passages
        by id.

        The words are normal forms, separated by spaces. A passage that is alone in its section is
        left out, and so is an id that is no passage's.
        """
        query = (
            "SELECT p.id, group_concat(w.words, ' ') FROM node p "
            "JOIN node q ON q.key IN (p.key - 1, p.key + 1) "
            "AND q.section = p.section AND q.kind = 'passage' "
            "JOIN passage_words w ON w.key = q.key WHERE p.id IN ({marks}) GROUP BY p.key"
        )
        return dict(rows_of(self._db, query, passages))

    def following(self, passages: Iterable[str], most: int) -> dict[str, list[str]]:
        """Return, for passages by id, the ids of the passages after each on its page.

        There are `most` for each in the page's order, or fewer at the end of the page; none for
        an unknown id. They may be in other sections. The keys of a page's passages are
        consecutive, so that no table is searched.
        """
        return self._beside(passages, "q.key + 1 AND q.key + ?2", "p.key", most)

    def preceding(self, passages: Iterable[str], most: int) -> dict[str, list[str]]:
        """Return, for passages by id, the ids of the passages before each on its page, the nearest
        first: `most` for each, or fewer at the beginning of the page; none for an unknown id."""
        return self._beside(passages, "q.key - ?2 AND q.key - 1", "p.key DESC", most)

    def _beside(
        self, passages: Iterable[str], keys: str, order: str, most: int
    ) -> dict[str, list[str]]:
        query = (
            f"SELECT p.id FROM node q JOIN node p ON p.key BETWEEN {keys} "
            f"AND p.page = q.page AND p.kind = 'passage' WHERE q.id = ?1 ORDER BY {order}"
        )
        return {
            passage: [row[0] for row in self._db.execute(query, (passage, most))]
            for passage in passages
        }

    def passages_giving(self, rules: Iterable[str]) -> list[str]:
        """Return the ids of the passages that give some rules by id, without their sub-rules, in
        the order of the file; of many rules, each batch by itself."""
        query = (
            "SELECT p.id FROM node r JOIN node p ON p.gives_rule = r.key "
            "WHERE r.id IN ({marks}) ORDER BY p.key"
        )
        return [row[0] for row in rows_of(self._db, query, list(rules))]

    def giving_numbers(
        self, numbers: Iterable[str], passage_filter: PassageFilter
    ) -> list[tuple[str, str]]:
        """Return (passage, rule), ids, of the passages that fit a filter and give a rule with one
        of some numbers, in any edition, language and game; sorted."""
        condition, values = passage_filter.condition()
        fits_section = passage_filter.section or (lambda _: True)
        query = (
            "SELECT p.id, r.id, coalesce(s.id, '') FROM node r "
            "JOIN node p ON p.gives_rule = r.key LEFT JOIN node s ON s.key = p.section "
            f"WHERE r.number IN ({{marks}}) AND {condition}"
        )
        rows = rows_of(self._db, query, sorted(numbers), values)
        return sorted((passage, rule) for passage, rule, section in rows if fits_section(section))

    def first_passage_giving(self, rules: Iterable[str]) -> dict[str, str]:
        """Return {rule: passage} for rules by id: of the passages that give a rule, the first on
        the page with the least id. The next ones on a page are the rule's further paragraphs.

        Rules that no passage gives are left out.
        """
        query = (
            "SELECT r.id, p.id FROM node r JOIN node p ON p.gives_rule = r.key "
            "JOIN node q ON q.key = p.page WHERE r.id IN ({marks}) ORDER BY q.id DESC, p.key DESC"
        )
        return dict(rows_of(self._db, query, rules))


def _private_keys(ranges: bytes) -> tuple[int, int]:
    """Return the first key of a page's passages and of what they state, and the end, excluded.

    ranges: as the table `page_rows` holds it. RowError if it is something else.

    >>> _private_keys(array("q", [0, 0, 0, 9, 9, 9, 12, 34, 35]).tobytes())
    (12, 34)
    """
    if len(ranges) < (_ROWS_OF_TABLES + 2) * 8:
        raise RowError("the rows of a page are cut off")
    first, end = array("q", ranges[_ROWS_OF_TABLES * 8 : (_ROWS_OF_TABLES + 2) * 8])
    return first, end


def _matching(
    columns: str,
    query: str,
    passage_filter: PassageFilter,
    ordered: bool = True,
    extra_join: str = "",
    of_page: tuple[int, int] | None = None,
) -> tuple[str, list[Any]]:
    """Return the SQL query, and its parameters, for the passages that match a full-text query and
    a filter, all but its section.

    columns: what to select, of `p` (passage), `r` (the rule that it gives) and `s` (its section).
    query: in the syntax of FTS5; an empty one matches every passage.
    ordered: whether pages are sorted by id and passages are in the page's order.
    extra_join: further tables for the columns.
    of_page: only passages with these keys (the first, and the end excluded), all of one page.
    """
    condition, values = passage_filter.condition()
    bounds: list[Any] = []
    if of_page:
        first, end = of_page
        bounds = [first, end - 1]
    joins = "LEFT JOIN node r ON r.key = p.gives_rule LEFT JOIN node s ON s.key = p.section "
    joins += extra_join
    if query:
        # CROSS JOIN makes SQLite use the index first: words are rarer than any filtered property.
        within = " AND f.rowid BETWEEN ? AND ?" if bounds else ""
        tables = (
            f"FROM search f CROSS JOIN node p ON p.key = f.rowid {joins}"
            f"WHERE f.search MATCH ?{within}"
        )
    else:
        tables = f"FROM node p {joins}WHERE p.kind = 'passage'"
    order = " ORDER BY (SELECT g.id FROM node g WHERE g.key = p.page), p.position"
    return (
        f"{columns} {tables} AND {condition}{order if ordered else ''}",
        [query, *bounds, *values] if query else [*values],
    )
