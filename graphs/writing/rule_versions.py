"""Read the rules of a graph by book, and write which of them are versions of one rule."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from graphs.store.rule_versions import BookRow
from graphs.writing.writer import Writer

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


@dataclass(frozen=True, slots=True)
class StepsRow:
    """What became of the rules from one book to another, and a digest of what that was made of;
    see the table `book_steps`."""

    game: str
    lang: str
    before: str
    after: str
    digest: str
    steps: str


@dataclass(frozen=True, slots=True)
class VersionRow:
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
        for table, rows in (("book", books), ("book_steps", steps), ("rule_version", versions)):
            self._db.execute(f"DELETE FROM {table}")
            values = [_values(row) for row in rows]
            if values:
                marks = ", ".join("?" * len(values[0]))
                self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", values)


def _examples(details: str | None) -> str:
    """Return the examples of a rule, a line each, from its details as they are stored; empty if it
    has none."""
    if not details or '"examples"' not in details:
        return ""
    return "\n".join(json.loads(details).get("examples", ()))


def _values(row: Any) -> tuple[Any, ...]:
    """Return the fields of a row, in the order of its table's columns."""
    return tuple(getattr(row, name) for name in row.__slots__)
