"""Reads what the search for paths must know of edges and nodes: how many edges lead out of one at
most, which are only proposed, and which nodes are the same thing in several editions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple, get_args

from graphs.model import EdgeKind, is_proposed
from graphs.store.edge_counts import MOST_OUT
from graphs.store.file.row_checks import RowError, of_file, parse_details
from graphs.store.reader import Store
from graphs.store.sql_batches import batches

_QUERY = (
    "SELECT n.key, coalesce(n.edition, g.edition), n.lang, v.rule, n.kind, n.game, n.number, "
    "n.source, n.label, n.text, s.label FROM node n LEFT JOIN node g ON g.key = n.page "
    "LEFT JOIN node s ON s.key = n.section LEFT JOIN rule_version v ON v.node = n.key "
    "WHERE n.key IN ({marks})"
)
_NUMBERS = (
    "SELECT key, number FROM node WHERE key IN ({marks}) AND kind = 'rule' AND number NOT NULL"
)


def most_out(store: Store) -> dict[EdgeKind, int]:
    """Return how many edges of a kind lead out of any one node at most, dangling ones too, by kind;
    kinds of which that is not stored are left out."""
    with of_file(store.path):
        stored = parse_details(store.meta(MOST_OUT), "the greatest numbers of edges") or {}
        if not all(isinstance(number, int) for number in stored.values()):
            raise RowError("the greatest numbers of edges are of another type")
    return {kind: stored[kind] for kind in get_args(EdgeKind) if kind in stored}


def proposed_translations(store: Store, keys: Iterable[int]) -> set[tuple[int, int]]:
    """Return (source, target), by their keys, of the edges `translates` out of some nodes that are
    only proposed, as far as no other edge says the same."""
    proposed: dict[tuple[int, int], bool] = {}
    for batch in batches(sorted(set(keys))):
        rows = store.db.execute(
            "SELECT source, target, details FROM edge WHERE kind = 'translates' "
            f"AND source IN ({','.join('?' * len(batch))}) AND target IS NOT NULL",
            batch,
        )
        with of_file(store.path):
            for source, target, details in rows:
                one = is_proposed(parse_details(details, "an edge"))
                proposed[source, target] = one and proposed.get((source, target), True)
    return {pair for pair, only in proposed.items() if only}


class InEdition(NamedTuple):
    """A node, split into what it is, in which edition and in which language.

    thing: equal for nodes that differ only by edition, and for the versions of a rule.
    edition: its edition, or that of its page; None if it has none.
    lang: its language; None if it has none.
    """

    thing: tuple[object, ...]
    edition: str | None
    lang: str | None


def split_by_edition(db: sqlite3.Connection, keys: Iterable[int]) -> dict[int, InEdition]:
    """Return {key: what the node is, and its edition}; unknown keys are left out.

    Whatever stands on the pages of a rulebook is the same by its section and text. A node without
    an edition is only the same as itself.
    """
    found: dict[int, InEdition] = {}
    for batch in batches(keys):
        marks = ",".join("?" * len(batch))
        for key, edition, lang, *fields in db.execute(_QUERY.format(marks=marks), batch):
            thing = _thing(fields, lang) if edition else (key,)
            found[key] = InEdition(thing, edition, lang)
    return found


def rule_numbers(db: sqlite3.Connection, keys: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield (key, number) of those of some nodes that are rules."""
    for batch in batches(keys):
        yield from db.execute(_NUMBERS.format(marks=",".join("?" * len(batch))), batch)


def _thing(fields: list[str | None], lang: str | None) -> tuple[object, ...]:
    """Return what a node of an edition has in common with the same node of another edition; a rule
    also with that of another language."""
    rule, kind, game, number, source, label, text, section = fields
    if rule is not None:
        return kind, rule
    if kind == "edition":
        return kind, game
    return kind, lang, number, source, label, text, section
