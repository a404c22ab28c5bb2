"""Words that results and doors have in common: numbers with nouns, dates, and what edges say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphs.model import Edge

_DATE = re.compile(r"(?:19|20)\d{6}")  # of an edition; other eight digits are no year of a rulebook
# What an edge of each kind says of its source, and of its target.
VERBS = {
    "defines": ("defines", "defined by"),
    "cites": ("cites", "cited by"),
    "redirects_to": ("redirects to", "redirected from"),
    "same_concept": ("same concept as", "same concept as"),
    "quotes": ("gives the text of", "text given by"),
    "succeeds": ("succeeds", "succeeded by"),
    "translates": ("translates", "translates"),
    "links_to": ("links to", "linked from"),
    "mentions": ("mentions", "mentioned by"),
    "part_of": ("part of", "contains"),
}


def how_proposed(edge: Edge) -> str:
    """Return on what an edge rests that no page states (`Edge.is_proposed`): in how many rules the
    two stand together; None in the place of figures that it lacks."""
    details = edge.details or {}
    return f"proposed: together in {details.get('both')} of {details.get('of')} rules"


def date_of(edition: str | None) -> str:
    """Return the date of an edition as people write it; other editions as they are.

    >>> date_of("20231117"), date_of("2.1"), date_of(None)
    ('2023-11-17', '2.1', '')
    """
    if edition and _DATE.fullmatch(edition):
        return f"{edition[:4]}-{edition[4:6]}-{edition[6:]}"
    return edition or ""


def dotted(*facts: str | None) -> str:
    """Return facts in one text with ` · ` between them; what is None or empty is left out.

    >>> dotted("rule", None, "mtg")
    'rule · mtg'
    """
    return " · ".join(filter(None, facts))


def only_shared(shared: str) -> str:
    """Return what a path is whose ends have nothing in common but what both are in, of a kind.

    >>> only_shared("rule")
    'no connection but that both are in one chapter'
    """
    where = "are in one chapter" if shared == "rule" else "stand in one list"
    return f"no connection but that both {where}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with a noun, in the plural where needed.

    noun: in the singular; of `page of wikis` the first word gets the ending.
    plural: if it isn't formed with `s` or `ies`.

    >>> counted(1, "page"), counted(2000, "page of wikis"), counted(0, "entry")
    ('1 page', '2,000 pages of wikis', '0 entries')
    """
    if number == 1:
        return f"1 {noun}"
    head, of, rest = noun.partition(" of ")
    head = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return f"{number:,} {plural or head + of + rest}"
