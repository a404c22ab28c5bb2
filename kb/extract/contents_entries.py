"""Extracts the entries of a rulebook's table of contents that name rules which it does not have."""

from __future__ import annotations

from graphs.writing.page_claims import EdgeClaim, PageClaims
from kb.extract.page_context import PageContext
from kb.extract.rules import editions, rule_id
from scraper import Link
from scraper.rulebook.numbering import number_at

_WITHOUT_LETTERS = frozenset({"ja", "zh", "ko"})  # languages that are not written in ASCII


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add an edge `links_to` from each entry to the rule of its number, in the page's language and
    edition, with the heading in its details if it is in that language.

    An entry states no rule and cites none: it says what a rule is called that may be elsewhere.
    """
    entries = [
        (place, passage)
        for place, passage in enumerate(context.page.passages)
        if passage.kind == "contents"
    ]
    section_editions = editions(context) if entries else []
    for place, passage in entries:
        if edition := section_editions[passage.section]:
            claims.edges += [
                _edge(context, place, edition, link)
                for link in passage.links
                if link.kind == "rule"
            ]


def _edge(context: PageContext, place: int, edition: str, link: Link) -> EdgeClaim:
    """Return the edge of an entry. place: the index of its passage; link: to the rule."""
    lang, passage_id = context.page.lang, context.passage_ids[place]
    text = context.page.passages[place].text[link.start : link.end]
    number = number_at(text)
    heading = text[number.start :] if number else ""
    if heading.isascii() and lang in _WITHOUT_LETTERS:
        heading = ""  # it is in another language
    return EdgeClaim(
        kind="links_to",
        source=passage_id,
        target=rule_id(context.game, edition, lang, link.target),
        target_label=link.target,
        passage=passage_id,
        start=link.start,
        end=link.end,
        reason=f"rule {link.target} is not among the loaded rules of {edition} ({lang})",
        details={"heading": heading} if heading else None,
    )
