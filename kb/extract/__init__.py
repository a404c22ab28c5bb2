"""What a page says, as nodes and edges: one file a kind of knowledge."""

from __future__ import annotations

from graphs.facts import Facts
from kb.extract import (
    cards,
    citations,
    definitions,
    glossary,
    links,
    namelists,
    outcomes,
    pages,
    procedures,
    rules,
    rulings,
    statements,
    terms,
)
from kb.extract.reading import Reading
from kb.words import Words
from scraper import Page


def extract(page: Page, words: Words, notice: str = "") -> Facts:
    """All that one page puts into the graph.

    Which rule each passage gives comes first, for a passage that gives a rule speaks for it:
    its citations and links are the rule's.
    """
    reading = Reading.of(page, words, notice)
    facts = Facts(page=reading.page_id)
    given = rules.extract(reading, facts)
    pages.extract(reading, facts, given)
    terms.extract(reading, facts)
    definitions.extract(reading, facts, given)
    glossary.extract(reading, facts)
    cards.extract(reading, facts)
    namelists.extract(reading, facts)
    rulings.extract(reading, facts)
    procedures.extract(reading, facts, given)
    outcomes.extract(reading, facts)
    citations.extract(reading, facts, given)
    links.extract(reading, facts, given)
    statements.extract(reading, facts)
    return facts
