"""Reads ban lists, each entry as a ruling with its date: `sansho rulings CARD` shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from graphs.model import Label
from graphs.writing.page_claims import NodeClaim, PageClaims, PageNode
from kb.knowledge import Kind
from kb.knowledge.cards import card_id
from kb.knowledge.claim_ranks import NAMED_IN_TEXT
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.rulings import mentions
from kb.language.headwords import label_claims
from scraper import Page

# What the heading of a list says; the first that fits counts, as 準制限 has 制限 in it.
_STATUS = {
    "banned": re.compile("禁止|プレミアム殿堂|banned|forbidden", re.IGNORECASE),
    "semi-limited": re.compile("準制限|semi-limited", re.IGNORECASE),
    "limited": re.compile("制限|殿堂(?!ゼロ)|restricted|limited", re.IGNORECASE),
}
_LIST = re.compile("カード|リスト|殿堂|card|list", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})\s?[/.年-]\s?(\d{1,2})\s?[/.月-]\s?(\d{1,2})")
_NAME = re.compile(
    r"《(?P<name>[^《》\n]{1,80})》|^(?P<whole>[^\n（(：:、。]{1,80}?)\s*(?=[（(：:\n]|$)"
)


class Entry(NamedTuple):
    """An entry: the index of its passage, its card and where that stands, and since which day."""

    place: int
    name: str
    start: int
    end: int
    status: str
    since: str | None


def entries(page: Page) -> Iterator[Entry]:
    """Yield the entries of the ban lists on a page: the items and rows below a heading that names
    one. The date is that of the heading, of one above it, or of the page's title.

    >>> from scraper import Passage, Section
    >>> sections = (Section(""), Section("2026年4月1日からの禁止カード", 2))
    >>> items = (Passage("item", "《空の龍》", section=1),)
    >>> page = Page("w", "改訂", url="", sections=sections, passages=items)
    >>> [(entry.name, entry.status, entry.since) for entry in entries(page)]
    [('空の龍', 'banned', '2026-04-01')]
    """
    for place, passage in enumerate(page.passages):
        if passage.kind not in ("item", "row", "entry"):
            continue
        titles = list(_titles_above(page, passage.section))
        status = next(filter(None, map(_status_of, titles)), None)
        if status and (found := _NAME.search(passage.text)):
            group = "name" if found["name"] else "whole"
            since = next(filter(None, map(_date_in, (*titles, page.title))), None)
            yield Entry(place, found[group], *found.span(group), status, since)


def _titles_above(page: Page, section: int | None) -> Iterator[str]:
    """Yield the title of a section, then those of the sections that it is in."""
    while section:
        yield (above := page.sections[section]).title
        section = above.parent


def _status_of(title: str) -> str | None:
    listed = _STATUS.items() if _LIST.search(title) else ()
    return next((name for name, words in listed if words.search(title)), None)


def _date_in(text: str) -> str | None:
    found = _DATE.search(text)
    with suppress(ValueError):  # no day of any year
        return date(*map(int, found.groups())).isoformat() if found else None
    return None


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a ruling for each entry, which mentions its card."""
    for entry in entries(context.page):
        section = context.section_ids[context.page.passages[entry.place].section]
        number = 1 + sum(part.node.id.startswith(f"{section}?") for part in claims.parts)
        passage = context.passage_ids[entry.place]
        question = f"{entry.name}: may it be played?"
        node = context.make_node(
            f"{section}?{number}", "ruling", label=question, text=entry.status, date=entry.since
        )
        claims.parts.append(PageNode(node, section, heading=passage))
        card = context.make_node(card_id(context.game, entry.name), "card", label=entry.name)
        claims.nodes.append(NodeClaim(card, context.rank(NAMED_IN_TEXT)))
        claims.labels += label_claims(card.id, [Label("ja", entry.name)], passage)
        target = (card.id, entry.name, entry.start, entry.end)
        claims.edges += mentions(context, node.id, entry.place, [target])


BAN_LIST = Kind(extract)
