"""Cards, from lists of names in two languages."""

from __future__ import annotations

import re

from graphs.facts import Claim, Facts, Want
from kb.extract.cards import card_id
from kb.extract.labels import labels_of, named
from kb.extract.reading import Reading
from kb.fold import plain
from kb.names import Name
from scraper import Passage

_RANK = 9  # a list knows a card's names alone
_NO_NAME = frozenset({"", "-", "?", "n/a", "none", "null", "nil", "undefined", "unknown"})
_KANA = re.compile(r"[^一-鿿々〆]*[ぁ-ゖァ-ヺ][^一-鿿々〆]*")


def extract(reading: Reading, facts: Facts) -> None:
    """A card for every row that has a Japanese name, with its English and its reading."""
    if reading.page.source != "namelist":
        return
    for place, passage in enumerate(reading.page.passages):
        if passage.kind == "row" and not passage.head:
            _card(reading, facts, place, passage)


def _card(reading: Reading, facts: Facts, place: int, passage: Passage) -> None:
    name, english, above = [*(cell.strip() for cell in passage.text.split("\t")), "", ""][:3]
    label = plain(name)
    if label.casefold() in _NO_NAME:
        return
    node_id = card_id(reading.game, label)
    read = _reading(passage, name, above)
    node = reading.node(node_id, "card", lang="ja", label=label, reading=read)
    facts.claims.append(Claim(node, reading.rank(_RANK)))
    names = Name(label, read, plain(english) if english.casefold() not in _NO_NAME else None)
    facts.labels += named(node_id, labels_of(names), reading.passage_ids[place])
    facts.wants.append(
        Want("defines", reading.page_id, node_id, label, reading.passage_ids[place], 0,
             len(name), "")
    )  # fmt: skip


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
