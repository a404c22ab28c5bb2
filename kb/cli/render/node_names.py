"""What nodes are called when they are shown to people: names, origins, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb import page_and_section
from kb.cli.render.line_breaking import shortened

if TYPE_CHECKING:
    from kb import Node

_MAX_QUESTION = 60  # columns of a ruling's question, by hand: with where it is from a line of 80


def name_of(node: Node) -> str:
    """Return the name that people use for a node: a rule's number and heading, a ruling's question
    (in 「」, cut to 60 columns), the place of a passage or section, another node's label, or its id
    if it has none. Of terms of one game and name all but one are numbered: `Draw (2)`."""
    if node.series:
        heading = f" {node.label}" if node.label else ""
        return f"{node.number}{heading}"
    if node.kind == "ruling":
        return f"「{shortened(node.label or '', _MAX_QUESTION)}」"
    if node.kind in ("passage", "section"):
        return place_name(node.id)
    if node.kind == "term" and node.label and node.id.endswith(")"):
        # Another term of the game has the name, and the id says which this is: `Draw (2)`.
        own = node.id.split("/", 2)[-1]
        return own if own.startswith(f"{node.label} (") else node.label
    return node.label or node.id


def origin_of(node: Node) -> str:
    """Return a node's kind, game, edition (`edition 20231117`), date, language and source, in this
    order and as far as it has them, in one text with ` · ` between them."""
    edition = node.edition and f"edition {node.edition}"
    parts = [node.kind, node.game, edition, node.date, node.lang, node.source]
    return " · ".join(part for part in parts if part)


def place_name(place: str) -> str:
    """Return where something stands, for people: the page, and the section behind `›`.

    place: the id of a page, section or passage; the names in it are the page's own.

    >>> place_name("mtgwiki/引く#ルール¶4"), place_name("mtgwiki/引く¶2")
    ('引く › ルール', '引く')
    >>> place_name("rulebook/mtg/cr/20231117/en#Glossary¶382")
    'mtg/cr/20231117/en › Glossary'
    """
    page, section = page_and_section(place)
    page = page.partition("/")[2] or page
    return f"{page} › {section}" if section else page
