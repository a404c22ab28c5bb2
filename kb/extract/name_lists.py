"""Cards, from lists of names in two languages."""

from __future__ import annotations

import re

from graphs.writing.claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.cards import card_id
from kb.extract.context import PageContext
from kb.language.fold import plain
from kb.language.headwords import Headword, label_claims, labels_of
from scraper import Passage

_RANK = 9  # a list knows a card's names alone
_NO_NAME = frozenset({"", "-", "?", "n/a", "none", "null", "nil", "undefined", "unknown"})
_KANA = re.compile(r"[^一-鿿々〆]*[ぁ-ゖァ-ヺ][^一-鿿々〆]*")


def extract(context: PageContext, claims: PageClaims) -> None:
    """A card for every row that has a Japanese name, with its English and its reading."""
    if context.page.engine != "namelist":
        return
    for place, passage in enumerate(context.page.passages):
        if passage.kind == "row" and not passage.head:
            _card(context, claims, place, passage)


def _card(context: PageContext, claims: PageClaims, place: int, passage: Passage) -> None:
    name, english, above = [*(cell.strip() for cell in passage.text.split("\t")), "", ""][:3]
    label = plain(name)
    if label.casefold() in _NO_NAME:
        return
    node_id = card_id(context.game, label)
    read = _reading(passage, name, above)
    node = context.node(node_id, "card", lang="ja", label=label, reading=read)
    claims.nodes.append(NodeClaim(node, context.rank(_RANK)))
    names = Headword(label, read, plain(english) if english.casefold() not in _NO_NAME else None)
    claims.labels += label_claims(node_id, labels_of(names), context.passage_ids[place])
    claims.edges.append(
        EdgeClaim(
            "defines", context.page_id, node_id, label, context.passage_ids[place], 0, len(name), ""
        )
    )


def _reading(passage: Passage, name: str, above: str) -> str | None:
    """How the whole name is read: by its own cell, or with what stands above it put in."""
    if above and _KANA.fullmatch(above):
        return plain(above)
    if not passage.ruby:
        return None
    pieces, at = [], 0
    for ruby in passage.ruby:
        pieces += [name[at : ruby.start], ruby.reading]
        at = ruby.end
    read = plain("".join([*pieces, name[at:]]))
    return read if _KANA.fullmatch(read) else None
