"""Reads texts with the edges that rest on their words, many texts at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from graphs.store.file.connection import rows_of
from graphs.store.file.row_checks import EDGE_KINDS, RowError, check_one_of, of_file, record
from graphs.store.reader import Store

_STATED = ("step", "procedure", "outcome", "ruling")  # what a passage states
# As the index `node_heading` has it: SQLite uses that only if the query has the same words.
_IS_STATED = "kind IN ('step', 'procedure', 'outcome', 'ruling')"
# By hand: passages that define a term of which the following are read; passages after a term's name
# or a question in which the text of it may stand. Lower misses the references of long texts, higher
# reads more passages for each term and ruling.
_MOST_DEFINING = 3
_FOLLOWING = 12
_TARGET_LABEL = "coalesce(nullif(e.label, ''), t.label, t.number, t.id, w.id)"


@dataclass(frozen=True, slots=True)
class TextRow:
    """A node with its text, and what says where that stands.

    key, id, kind, number, text, game, lang: as in the table `node`.
    heading: the key of the passage that states it, if it is an outcome, a step and so on.
    """

    key: int
    id: str
    kind: str
    number: str | None
    text: str
    heading: int | None
    game: str | None
    lang: str | None


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage: its key, its id, its page's key, the key of the rule that it gives, its text."""

    key: int
    id: str
    page: int
    rule: int | None
    text: str


@dataclass(frozen=True, slots=True)
class TextEdge:
    """An edge that rests on the words text[start:end] of a passage, given by its key.

    target: the id of what it leads to; None if it is dangling, for the reason that is given.
    label: the name of the target, as in `graphs.model.Edge`.
    """

    passage: int
    start: int
    end: int
    kind: str
    target: str | None
    label: str
    reason: str | None


def read_texts(store: Store, ids: Iterable[str]) -> list[TextRow]:
    """Return the nodes with some ids that have a text, in no order."""
    query = (
        "SELECT key, id, kind, number, text, heading, game, lang FROM node "
        "WHERE id IN ({marks}) AND kind NOT NULL AND text <> ''"
    )
    return [record(TextRow, row) for row in rows_of(store.db, query, ids)]


def passages_of_texts(store: Store, rows: Sequence[TextRow]) -> dict[int, list[PassageRow]]:
    """Return {key of a node: the passages in which its text may stand}, in the order of the pages:
    itself, those that give it if it is a rule, the one that states it (of a ruling also those
    behind the question), or those behind the words that define it. Nodes of other kinds have no
    entry."""
    own = {row.key: [row.key] for row in rows if row.kind == "passage"}
    own |= {
        row.key: _and_following(row.heading) if row.kind == "ruling" else [row.heading]
        for row in rows
        if row.heading and row.kind in _STATED
    }
    own |= _behind_definitions(store, [row.key for row in rows if row.kind in ("term", "card")])
    by_key = _passages(store, "key", {key for keys in own.values() for key in keys})
    known = {passage.key: passage for passage in by_key}
    found = {node: [known[key] for key in keys if key in known] for node, keys in own.items()}
    rules = [row.key for row in rows if row.kind in ("rule", "document")]
    for passage in _passages(store, "gives_rule", rules):
        found.setdefault(passage.rule or 0, []).append(passage)
    return found


def _passages(store: Store, column: str, keys: Collection[int]) -> list[PassageRow]:
    """Return the passages with some keys in a column, in the order of the pages."""
    query = (
        f"SELECT key, id, page, gives_rule, text FROM node WHERE {column} IN ({{marks}}) "
        "AND +kind = 'passage' AND page NOT NULL AND text NOT NULL ORDER BY +key"
    )
    return [record(PassageRow, row) for row in rows_of(store.db, query, sorted(keys))]


def _behind_definitions(store: Store, nodes: Sequence[int]) -> dict[int, list[int]]:
    """Return {key of a term or card: the keys of the first passages that define it, and of those
    that follow them}, sorted, each once; empty for one that none defines."""
    found: dict[int, list[int]] = {}
    for node in nodes:
        rows = store.db.execute(
            "SELECT DISTINCT passage FROM edge WHERE target = ? AND kind = 'defines' LIMIT ?",
            (node, _MOST_DEFINING),
        )
        found[node] = sorted({key for (start,) in rows for key in _and_following(start)})
    return found


def _and_following(passage: int) -> list[int]:
    """Return the key of a passage and the _FOLLOWING next ones, of the passages behind it; if there
    are not so many on its page, other nodes have them, or none."""
    return list(range(passage, passage + _FOLLOWING + 1))


def edges_in_passages(
    store: Store, passages: Collection[PassageRow], kinds: Sequence[str]
) -> dict[int, list[TextEdge]]:
    """Return {key of a passage: the edges of some kinds that rest on its words}, in no order;
    passages without any are left out.

    What leads from the passage counts, from the rule that it gives, from what it states and from
    its page; an edge may come more than once, for the passage and for what it states.
    """
    by_key = {passage.key: passage for passage in passages}
    sources = {*by_key, *(passage.rule for passage in passages if passage.rule)}
    sources |= {passage.page for passage in passages}
    stated = f"SELECT key FROM node WHERE heading IN ({{marks}}) AND {_IS_STATED}"
    sources |= {key for (key,) in rows_of(store.db, stated, sorted(by_key))}
    query = (
        f'SELECT e.passage, e.start, e."end", e.kind, t.id, {_TARGET_LABEL}, '
        "iif(e.target IS NULL, e.reason, NULL) FROM edge e "
        "JOIN node w ON w.key = e.wanted LEFT JOIN node t ON t.key = e.target "
        f"WHERE e.source IN ({{marks}}) AND e.kind IN ({','.join('?' * len(kinds))})"
    )
    found: dict[int, list[TextEdge]] = defaultdict(list)
    with of_file(store.path):
        for row in rows_of(store.db, query, sorted(sources), kinds):
            if row[0] in by_key:
                edge = _checked(record(TextEdge, row), by_key[row[0]])
                found[edge.passage].append(edge)
    return dict(found)


def _checked(edge: TextEdge, passage: PassageRow) -> TextEdge:
    """Return an edge; RowError if its words are not in the passage, or if there is no such kind."""
    if not 0 <= edge.start <= edge.end <= len(passage.text):
        raise RowError(f"an edge of {passage.id} rests on words that are not there")
    check_one_of(edge.kind, EDGE_KINDS, "an edge")
    return edge
