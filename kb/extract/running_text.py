"""Finds what is no running text on pages about cards: the labels of their boxes, and names."""

from __future__ import annotations

import re

from kb.extract.page_context import PageContext
from kb.extract.terms import subject_of
from kb.language.fold import fold
from kb.language.headwords import Headword, parse_headword
from scraper import Passage

# Rows whose value is a name or a story: nothing in it speaks of the game's terms.
_NO_RULES = re.compile(
    r"\s*(?:フレ[ーイ]バ|カード名|名前|名称|読み|英語名|イラスト|絵師|flavou?r|artist|illus|name)",
    re.IGNORECASE,
)


def card_of_page(context: PageContext) -> Headword | None:
    """Return the name of the card that a page is about; None for a page about anything else."""
    page = context.page
    if page.engine == "wisdomguild":
        is_details = bool(page.passages) and page.passages[0].kind == "title"
        return parse_headword(page.passages[0].text) if is_details else None
    subject = subject_of(context)
    return subject.name if subject and "/card/" in subject.node else None


def start_of_running_text(passage: Passage, card: Headword) -> int:
    """Return where the running text of a passage on the page of a card begins.

    Before it is a label of the card's box (the header of the row), or the name of the card. It is
    the end of the passage if that has no running text.

    >>> start_of_running_text(Passage("row", "タイプ\\tクリーチャー", row_heads=1), Headword("霧"))
    4
    """
    text = passage.text
    if passage.kind in {"title", "heading"}:
        name = fold(card.label)
        return len(text) if name and name in fold(text) else 0
    if not passage.row_heads or _NO_RULES.match(text):
        return len(text) if passage.row_heads else 0
    cells = text.split("\t", passage.row_heads)
    return len(text) - len(cells[-1]) if len(cells) > passage.row_heads else 0
