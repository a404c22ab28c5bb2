"""Counts what refers to a node: mentions and their spellings, citations, rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphs.store.reader import Store
from graphs.store.row_checks import check_columns, of_file, record


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
    target: the id of the rule that it cites.
    page: the key of the page that it stands on.
    number: of a rule, else None.
    id: of a rule, or of what stands in a rulebook; None for other pages: each comes once.
    text: of a passage of a rulebook, else None.
    """

    in_rulebook: bool
    target: str
    page: int
    number: str | None
    id: str | None
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


def citing(store: Store, rules: Sequence[str], rulebook: str) -> list[Citing]:
    """Return what cites some rules, given by ids, in no order.

    rulebook: the source of the pages of rulebooks.
    """
    marks = ",".join("?" * len(rules))
    rows = store.db.execute(
        "SELECT DISTINCT g.source IS ?1, t.id, p.page, iif(a.kind = 'rule', a.number, NULL), "
        "iif(a.kind = 'rule' OR g.source IS ?1, a.id, NULL), "
        "iif(a.kind = 'passage' AND g.source IS ?1, a.text, NULL) "
        f"FROM node t CROSS JOIN edge e ON e.target = t.key AND e.kind = 'cites' "
        "JOIN node a ON a.key = e.source JOIN node p ON p.key = e.passage "
        f"JOIN node g ON g.key = p.page WHERE t.id IN ({marks})",
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
