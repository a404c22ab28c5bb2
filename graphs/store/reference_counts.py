"""Counts what refers to a node: mentions and their spellings, citations, rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphs.store.reader import Store
from graphs.store.row_checks import check_columns, of_file, record

_CITING = (
    "FROM edge e JOIN node a ON a.key = e.source JOIN node p ON p.key = e.passage "
    "JOIN node g ON g.key = p.page"
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
    """What a rulebook has that cites a rule.

    kind: of what cites: rule, passage… number: of a rule, else None.
    id: of what cites. text: of a passage, else None.
    """

    kind: str
    number: str | None
    id: str
    text: str | None


def count_mentions(store: Store, node: str) -> int:
    """Return how many edges say that something mentions a node, given by its id."""
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
    """Return how many rulings mention a node, given by its id, according to its first mentions.

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


def citing_in_rulebooks(store: Store, rule: str, source: str) -> list[Citing]:
    """Return the rules, and what else rulebooks have, that cite a rule, given by its id; each once,
    sorted by id.

    source: of the pages of rulebooks.
    """
    rows: list[Any] = store.db.execute(
        f"SELECT DISTINCT a.kind, a.number, a.id, iif(a.kind = 'passage', a.text, NULL) {_CITING} "
        "WHERE e.kind = 'cites' AND e.target = (SELECT key FROM node WHERE id = ?) "
        "AND (a.kind = 'rule' AND a.number NOT NULL OR g.source = ?) ORDER BY a.id",
        (rule, source),
    ).fetchall()
    return [record(Citing, row) for row in rows]


def count_citing_pages(store: Store, rules: Sequence[str], source: str) -> int:
    """Return how many pages have something other than a rule that cites any of some rules, given by
    ids.

    source: of the pages of rulebooks, which don't count.
    """
    marks = ",".join("?" * len(rules))
    row = store.db.execute(
        f"SELECT count(DISTINCT p.page) {_CITING} WHERE e.kind = 'cites' AND e.target IN "
        f"(SELECT key FROM node WHERE id IN ({marks})) AND a.kind <> 'rule' AND g.source IS NOT ?",
        [*rules, source],
    ).fetchone()
    return int(row[0])


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
