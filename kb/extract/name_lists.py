"""Extracts cards from lists of card names in two languages."""

from __future__ import annotations

import re

from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.cards import card_id
from kb.extract.page_context import PageContext
from kb.language.fold import plain
from kb.language.headwords import Headword, label_claims, labels_of
from scraper import Passage

_RANK = 9  # behind the claims of pages on cards: a list knows no more than their names
_NO_NAME = frozenset({"", "-", "?", "n/a", "none", "null", "nil", "undefined", "unknown"})
_NO_KANJI = re.compile(r"[^一-鿿々〆]*[ぁ-ゖァ-ヺ][^一-鿿々〆]*")  # some kana and no kanji


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a card for every row that has a Japanese name, with its English name and reading.

    Header rows, and pages that are no lists of names, add nothing.
    """
    if context.page.engine != "namelist":
        return
    for place, passage in enumerate(context.page.passages):
        if passage.kind == "row" and not passage.head:
            _claim_card(context, claims, place, passage)


def _claim_card(context: PageContext, claims: PageClaims, place: int, row: Passage) -> None:
    """Add the card of a row; nothing if its name is empty or a placeholder such as `-`.

    The row's cells, separated by tabs, are the name, the English name and the reading; the last
    two may be absent.

    place: the index of the row among the page's passages.
    """
    cells = [*(cell.strip() for cell in row.text.split("\t")), "", ""]
    name, english, reading_cell = cells[:3]
    label = plain(name)
    if label.casefold() in _NO_NAME:
        return
    node_id, passage_id = card_id(context.game, label), context.passage_ids[place]
    reading = _reading(row, name, reading_cell)
    node = context.make_node(node_id, "card", lang="ja", label=label, reading=reading)
    claims.nodes.append(NodeClaim(node, context.rank(_RANK)))
    headword = Headword(
        label,
        reading=reading,
        english=plain(english) if english.casefold() not in _NO_NAME else None,
    )
    claims.labels += label_claims(node_id, labels_of(headword), passage_id)
    claims.edges.append(
        EdgeClaim(
            kind="defines",
            source=context.page_id,
            target=node_id,
            target_label=label,
            passage=passage_id,
            start=0,
            end=len(name),
            reason="",
        )
    )


def _reading(row: Passage, name: str, reading_cell: str) -> str | None:
    """Return the reading of a row's name: that in its cell, else the name with its ruby in place
    of the words below them; None if that has kanji or no kana.

    name, reading_cell: the texts of the row's first and third cells; the latter may be empty.
    """
    if reading_cell and _NO_KANJI.fullmatch(reading_cell):
        return plain(reading_cell)
    if not row.ruby:
        return None
    pieces, end = [], 0
    for ruby in row.ruby:
        pieces += [name[end : ruby.start], ruby.reading]
        end = ruby.end
    reading = plain("".join([*pieces, name[end:]]))
    return reading if _NO_KANJI.fullmatch(reading) else None
