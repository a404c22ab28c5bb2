"""Looks up titles: those of pages, the headings of their sections, and the headings that rules
without one stand under."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from graphs.model import Node
from graphs.store.file.connection import rows_of
from graphs.store.file.row_checks import record
from graphs.store.file.sql_views import PAGE_NAME
from graphs.store.reader import Store

_TITLES = (
    f"SELECT id, {PAGE_NAME.format('node')}, game, source, edition, lang FROM node "
    "WHERE id IN ({marks})"
)
_PARENTS = (
    "SELECT a.id, b.id, b.label FROM edge e JOIN node a ON a.key = e.source "
    "JOIN node b ON b.key = e.target WHERE e.kind = 'part_of' AND b.kind IN ('rule', 'document') "
    "AND e.source IN (SELECT key FROM node WHERE id IN ({marks}))"
)


@dataclass(frozen=True, slots=True)
class PageTitle:
    """What a reader must know of a page to recognize it. Fields that are not known are None.

    title: its title; of a card's page whose title is a code the name of the card.
    game, source, edition, lang: as the fields of its node.
    """

    title: str | None
    game: str | None
    source: str | None
    edition: str | None
    lang: str | None


def page_name(page: Node) -> str | None:
    """Return the title of a page; of a card's page whose title is only a code (`card/AKH204`) the
    name that it gives the card, as `page_titles` does.

    page: its node.

    >>> from graphs.model import Label
    >>> name = Label("ja", "予言/Foresee", "alias")
    >>> page_name(Node("w/card/X1", "page", label="card/X1", labels=(name,)))
    '予言/Foresee'
    """
    if not (page.label or "").startswith("card/"):
        return page.label
    return min((each.text for each in page.labels if each.role == "alias"), default=page.label)


def page_titles(db: sqlite3.Connection, pages: Iterable[str]) -> dict[str, PageTitle]:
    """Return {id: title} of pages.

    pages: their ids; unknown ones are left out.
    """
    return {page: record(PageTitle, fields) for page, *fields in rows_of(db, _TITLES, pages)}


def inherited_headings(db: sqlite3.Connection, rules: Iterable[str]) -> dict[str, str]:
    """Return {id of a rule: heading of the nearest rule that it is part of and that has one}, in
    the order of `rules`. A rule's own heading does not count.

    rules: the ids of rules; those without such a rule above them are left out.
    """
    above: dict[str, tuple[str, str | None]] = {}
    asked = list(dict.fromkeys(rules))
    level = asked
    while level:
        for rule, parent, label in rows_of(db, _PARENTS, level):
            above.setdefault(rule, (parent, label))
        parents = {above[rule][0] for rule in level if rule in above and not above[rule][1]}
        level = sorted(parents - above.keys())
    return {rule: heading for rule in asked if (heading := _heading_above(rule, above))}


def _heading_above(rule: str, above: dict[str, tuple[str, str | None]]) -> str | None:
    """Return the first heading on the way up from a rule; None if there is none.

    above: {rule: (the rule that it is part of, its heading)}
    """
    seen: set[str] = set()
    while rule in above and rule not in seen:
        seen.add(rule)
        rule, heading = above[rule]
        if heading:
            return heading
    return None


def section_headings(store: Store, page: str) -> list[tuple[int, str]]:
    """Return (level, heading) of the sections of a page, given by its id, in its order.

    Sections that are in no other have level 1. Those without a heading are left out, but count as a
    level of what is in them. Empty for an unknown id.
    """
    # One query for each level: for a recursive one SQLite reads the index of all parents.
    found: list[tuple[int, int, str]] = []  # position, level, heading
    parents, level = store.keys([page]), 0
    seen = set(parents)  # a damaged file may go in circles
    while parents:
        level += 1
        query = (
            "SELECT key, position, label FROM node WHERE parent IN ({marks}) AND +kind = 'section'"
        )
        rows = list(rows_of(store.db, query, parents))
        found += [(position, level, label) for _, position, label in rows if label]
        parents = [key for key, _, _ in rows if key not in seen]
        seen.update(parents)
    return [(level, label) for _, level, label in sorted(found)]


def pages_of_cards(store: Store, pages: Iterable[str]) -> set[str]:
    """Return those of some pages, given by ids, that are about a card: that define one which their
    title names, or which their first passage does. Others only list cards."""
    query = (
        "SELECT DISTINCT g.id FROM node g JOIN edge e ON e.source = g.key "
        "AND e.kind = 'defines' JOIN node t ON t.key = e.target AND t.kind = 'card' "
        "JOIN node p ON p.key = e.passage WHERE g.id IN ({marks}) "
        "AND (instr(g.label, t.label) OR p.id = g.id || '¶1')"
    )
    return {page for (page,) in rows_of(store.db, query, sorted(pages))}
