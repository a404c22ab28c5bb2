"""What a page says, as nodes and edges: one file a kind of knowledge."""

from __future__ import annotations

from graphs.writing.claims import PageClaims
from kb.extract import (
    cards,
    citations,
    cross_game_names,
    glossary,
    links,
    name_lists,
    outcomes,
    pages,
    procedures,
    rules,
    rulings,
    terms,
    terms_in_text,
)
from kb.extract.context import PageContext
from kb.language.tokens import Tokenizer
from scraper import Page


def extract(page: Page, words: Tokenizer, notice: str = "") -> PageClaims:
    """All that one page puts into the graph.

    Which rule each passage gives comes first, for a passage that gives a rule speaks for it:
    its citations and links are the rule's.
    """
    context = PageContext.of(page, words, notice)
    claims = PageClaims(page=context.page_id)
    given = rules.extract(context, claims)
    pages.extract(context, claims, given)
    terms.extract(context, claims)
    terms_in_text.extract(context, claims, given)
    glossary.extract(context, claims)
    cards.extract(context, claims)
    name_lists.extract(context, claims)
    rulings.extract(context, claims)
    procedures.extract(context, claims, given)
    outcomes.extract(context, claims)
    citations.extract(context, claims, given)
    links.extract(context, claims, given)
    cross_game_names.extract(context, claims)
    return claims
