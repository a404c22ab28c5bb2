"""Read the rules of a graph that is being written, by edition and language, and the passages that
give them; and write which of them are versions of one rule."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass
from operator import itemgetter
from sys import intern
from typing import NamedTuple

from graphs.sort_orders import edition_key
from graphs.store.file.connection import batches
from graphs.store.rule_versions import BookRow
from graphs.writing.writer import Writer

# Of a passage that are read: what is longer is seldom a rule. The longest rule of a good book has
# 4,200 characters (`scraper.rulebook.lost_rules`).
_MOST_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule in one language, and the passage that gives its text.

    id: of the rule's node.
    heading: the rule's label, if it is a heading; else empty.
    passage, text: the id and the text of the passage; of a very long text the beginning.
    start, end: the span of the rule's text in it, which begins behind the number.
    is_sure: whether it is sure to be the rule in another language that it is aligned with.
    """

    id: str
    game: str
    edition: str
    number: str
    lang: str
    heading: str
    passage: str
    text: str
    start: int
    end: int
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class CitedHeading:
    """A heading that a passage gives behind the number of a rule: in a citation, or in a table of
    contents.

    wanted: the id of the rule in the passage's language and edition, in the graph or not.
    start, end: the span of the heading in the passage's text.
    """

    wanted: str
    heading: str
    passage: str
    start: int
    end: int


class RuleTexts:
    """The rules of a graph that all pages have been added to, and the passages that give them."""

    def __init__(self, writer: Writer) -> None:
        self._db = writer.db
        self._db.execute("CREATE TEMP TABLE giving (rule INTEGER, page INTEGER, passage INTEGER)")
        self._db.execute(
            "INSERT INTO giving SELECT gives_rule, page, min(key) FROM node "
            "WHERE gives_rule NOT NULL GROUP BY gives_rule, page"
        )
        self._db.execute("CREATE INDEX temp.giving_rule ON giving (rule, page)")

    def close(self) -> None:
        """Free what was read."""
        self._db.execute("DROP TABLE giving")

    def books(self) -> dict[str, dict[str, set[str]]]:
        """Return {game: {edition: its languages}} of all rulebooks, sorted by game, then the newest
        edition."""
        rows = self._db.execute(
            "SELECT DISTINCT game, edition, lang FROM claim WHERE kind = 'rule' "
            "AND game NOT NULL AND edition NOT NULL AND lang NOT NULL AND number NOT NULL"
        ).fetchall()
        rows.sort(key=lambda row: edition_key(row[1]), reverse=True)
        rows.sort(key=itemgetter(0))
        found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for game, edition, lang in rows:
            found[game][edition].add(lang)
        return found

    def of_edition(self, game: str, edition: str) -> dict[str, dict[str, StatedRule]]:
        """Return {language: {number: rule}} of an edition, both sorted as texts. Of several claims
        of a number the best counts. Rules that no passage gives are left out; an unknown edition
        gives nothing."""
        of_lang: dict[str, dict[str, StatedRule]] = defaultdict(dict)
        for rule in self._rules("c.game = ? AND c.edition = ?", (game, edition)):
            of_lang[rule.lang].setdefault(rule.number, rule)
        return {lang: of_lang[lang] for lang in sorted(of_lang)}

    def with_ids(self, ids: Iterable[str]) -> dict[str, StatedRule]:
        """Return the rules of some ids, by id, each as its best claim has it; those that no passage
        gives are left out."""
        found: dict[str, StatedRule] = {}
        for batch in batches(sorted(ids)):
            marks = ",".join("?" * len(batch))
            for rule in self._rules(f"n.id IN ({marks})", batch):
                found.setdefault(rule.id, rule)
        return found

    def _rules(self, condition: str, values: Sequence[str]) -> list[StatedRule]:
        """Return the rules for which an SQL condition holds, a claim of one after the other, the
        best first; sorted by number and language."""
        rows = self._db.execute(
            "SELECT n.id, coalesce(c.game, ''), coalesce(c.edition, ''), c.number, c.lang, "
            f"coalesce(c.label, ''), p.id, substr(p.text, 1, {_MOST_CHARACTERS}), length(p.text) "
            "FROM claim c JOIN node n ON n.key = c.node "
            "JOIN giving g ON g.rule = c.node AND g.page = c.page "
            "JOIN node p ON p.key = g.passage JOIN node w ON w.key = c.page "
            f"WHERE c.kind = 'rule' AND {condition} AND c.lang NOT NULL AND c.number NOT NULL "
            "ORDER BY c.number, c.lang, c.rank, w.id, p.id",
            values,
        )
        return [
            StatedRule(
                rule,
                intern(game),
                intern(edition),
                number,
                intern(lang),
                heading,
                passage,
                text,
                _text_start(number, text),
                length,
            )
            for rule, game, edition, number, lang, heading, passage, text, length in rows
        ]


def _text_start(number: str, text: str) -> int:
    """Return where the text of a rule begins behind its number; 0 if it does not begin with it.

    >>> _text_start("104.3b", "104.3b. A player…"), _text_start("1", "A player…")
    (8, 0)
    """
    if not text.startswith(number):
        return 0
    rest = text[len(number) :]
    return len(text) - len(rest.lstrip(" \u3000.．:：\t"))


def cited_headings(writer: Writer) -> list[CitedHeading]:
    """Return the headings that passages give with the numbers of rules, sorted by the rule: those
    in tables of contents, then those behind citations. A citation that gives a rule another heading
    than the contents is wrong about its number, and left out, as is a heading that the passage does
    not have from there on."""
    rows = writer.db.execute(
        "SELECT w.id, json_extract(e.details, '$.heading'), p.id, p.text, e.start, e.end, e.kind "
        "FROM edge e JOIN node w ON w.key = coalesce(e.original_wanted, e.wanted) "
        "JOIN node p ON p.key = e.passage WHERE e.kind IN ('cites', 'links_to') "
        "AND e.details LIKE '%\"heading\"%' "
        "ORDER BY w.id, e.kind = 'cites', p.id, e.start"
    )
    found = []
    of_contents: dict[str, set[str]] = defaultdict(set)
    for wanted, heading, passage, text, start, end, kind in rows:
        is_cited = kind == "cites"
        begin = end if is_cited else start
        place = (text or "").find(heading, begin) if isinstance(heading, str) and heading else -1
        if place < 0 or (is_cited and _differs(heading, of_contents.get(wanted, ()))):
            continue
        if not is_cited:
            of_contents[wanted].add(heading)
        found.append(CitedHeading(wanted, heading, passage, place, place + len(heading)))
    return found


def _differs(heading: str, others: Collection[str]) -> bool:
    """Whether there are others, and none of them has a heading in it or is in it, white space
    aside."""
    compact = "".join(heading.split())
    compact_others = ["".join(other.split()) for other in others]
    return bool(others) and not any(
        compact in other or other in compact for other in compact_others
    )


_NUMBERED = "kind IN ('rule', 'document')"
_IN_BOOK = f"{_NUMBERED} AND game NOT NULL AND edition NOT NULL AND lang NOT NULL"
Book = tuple[str, str]  # edition, language
Version = tuple[str, str, str]  # edition, language, number


@dataclass(frozen=True, slots=True)
class RuleOfBook:
    """A rule in one book: the key of its node, its text and its examples, a line each."""

    key: int
    text: str
    examples: str


class StepsRow(NamedTuple):
    """What became of the rules from one book to another, and a digest of what that was made of;
    see the table `book_steps`."""

    game: str
    lang: str
    before: str
    after: str
    digest: str
    steps: str


class VersionRow(NamedTuple):
    """A version of a rule, with keys of nodes; see the table `rule_version`."""

    node: int
    rule: int
    change: str
    before: int | None
    absent_in: str | None
    split_from: int | None
    gone: str | None
    gone_in: str | None
    merged_into: int | None
    grounds: str | None
    sure: float


class RuleVersionTables:
    """The tables of rules and their versions, when the rules of all pages are resolved."""

    def __init__(self, writer: Writer) -> None:
        self._db = writer.db

    def books(self) -> dict[str, dict[Book, dict[str, RuleOfBook]]]:
        """Return {game: {(edition, language): {number: the rule}}}, also of documents beside the
        rulebooks, each sorted as texts. If a book has a number twice, the first by id counts."""
        rows = self._db.execute(
            "SELECT game, edition, lang, number, key, coalesce(text, ''), details FROM node "
            f"WHERE {_IN_BOOK} AND number NOT NULL ORDER BY game, edition, lang, number, id"
        )
        found: dict[str, dict[Book, dict[str, RuleOfBook]]] = defaultdict(dict)
        for game, edition, lang, number, key, text, details in rows:
            rules = found[game].setdefault((edition, lang), {})
            rules.setdefault(number, RuleOfBook(key, text, _examples(details)))
        return found

    def cited(self, game: str, edition: str, lang: str) -> set[str]:
        """Return the numbers of the rules that those of a rulebook cite, in the graph or not; none
        for a document beside it."""
        rows = self._db.execute(
            "SELECT DISTINCT w.id FROM node a CROSS JOIN edge e ON e.source = a.key "
            "CROSS JOIN node w ON w.key = e.wanted WHERE e.kind = 'cites' AND a.kind = 'rule' "
            "AND a.game = ? AND a.edition = ? AND a.lang = ?",
            (game, edition, lang),
        )
        return {wanted.rpartition("/")[2] for (wanted,) in rows}

    def translated(self, game: str) -> list[tuple[Version, Version]]:
        """Return the versions of a game's rules that translate each other, in no order."""
        rows = self._db.execute(
            "SELECT a.edition, a.lang, a.number, b.edition, b.lang, b.number "
            "FROM edge e JOIN node a ON a.key = e.source JOIN node b ON b.key = e.target "
            f"WHERE e.kind = 'translates' AND a.game = ? AND a.{_NUMBERED} AND b.{_NUMBERED}",
            (game,),
        )
        return [(row[:3], row[3:]) for row in rows]

    def steps(self) -> dict[tuple[str, ...], StepsRow]:
        """Return {(game, language, edition before, edition after): what is stored}."""
        rows = self._db.execute("SELECT * FROM book_steps")
        return {row[:4]: StepsRow(*row) for row in rows}

    def write(
        self,
        books: Iterable[BookRow],
        steps: Iterable[StepsRow],
        versions: Iterable[VersionRow],
    ) -> None:
        """Write all rows, in place of those of the build before."""
        for table, rows in (
            ("book", list(map(astuple, books))),
            ("book_steps", list(steps)),
            ("rule_version", list(versions)),
        ):
            self._db.execute(f"DELETE FROM {table}")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _examples(details: str | None) -> str:
    """Return the examples of a rule, a line each, from its details as they are stored; empty if it
    has none."""
    if not details or '"examples"' not in details:
        return ""
    return "\n".join(json.loads(details).get("examples", ()))
