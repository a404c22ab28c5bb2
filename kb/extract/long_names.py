"""Drops what a page names with names that are too long to be any."""

from __future__ import annotations

from dataclasses import replace

from graphs.writing.page_claims import PageClaims
from kb.wording import counted
from scraper.markup.size_limits import LONGEST_NAME, LONGEST_TARGET

_LONGEST_ID = 2 * LONGEST_TARGET  # of an edge's target: the address of a link, with what it is


def without_long_names(claims: PageClaims) -> int:
    """Remove terms, names and edges to terms from claims where a name is too long, and cut the
    headings of rules that are.

    The text stays, as passages do. Return how many names were too long.
    """
    claims.nodes = [
        claim._replace(node=replace(claim.node, label=f"{heading[: LONGEST_NAME - 1]}…"))
        if claim.node.kind == "rule" and len(heading := claim.node.label or "") > LONGEST_NAME
        else claim
        for claim in claims.nodes
    ]
    long_ids = {
        claim.node.id
        for claim in claims.nodes
        if len(claim.node.label or "") > LONGEST_NAME or len(claim.node.id) > _LONGEST_ID
    }
    long_ids |= {edge.target for edge in claims.edges if len(edge.target) > _LONGEST_ID}
    names = {claim.label.text for claim in claims.labels if len(claim.label.text) > LONGEST_NAME}
    if not (long_ids or names):
        return 0
    claims.nodes = [claim for claim in claims.nodes if claim.node.id not in long_ids]
    claims.labels = [
        claim
        for claim in claims.labels
        if claim.node not in long_ids and claim.label.text not in names
    ]
    claims.edges = [edge for edge in claims.edges if edge.target not in long_ids]
    return max(len(long_ids), len(names))


def long_names_warning(number: int) -> str:
    """Return what to warn of where so many names were too long; empty for 0.

    >>> long_names_warning(2)
    '2 names of more than 500 characters; not taken for names, the text is kept'
    """
    if not number:
        return ""
    return (
        f"{counted(number, 'name')} of more than {LONGEST_NAME:,} characters; not taken for names, "
        "the text is kept"
    )
