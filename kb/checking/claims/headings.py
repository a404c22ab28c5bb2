"""Holds the heading that a text gives a rule against the headings of the rulebook."""

from __future__ import annotations

from dataclasses import replace

from graphs.store.reader import Store
from kb.checking.claims.claim import Claim
from kb.checking.claims.find_quotations import word_count
from kb.language.fold import fold
from scraper.rulebook.numbering import looks_like_heading

_LONGEST = 8.0  # words
_ALIKE = 70  # percent of the letters of a heading that is misspelt


def heading_claim(store: Store, heading: str, citation: Claim, sure: bool) -> Claim | None:
    """Return a citation with the verdict that the heading beside it gives; None if the words are
    no heading, or nothing can be said.

    sure: whether the words surely belong to the citation.
    """
    node = citation.node
    if node is None or not sure or word_count(heading) > _LONGEST:
        return None
    rules = [rule for rule in store.find_by_number(node.number or "") if rule.game == node.game]
    headings = {
        rule.lang: name
        for rule in rules
        for name in (rule.label or rule.text or "",)
        if name and looks_like_heading(name)
    }
    if not headings:
        return None
    given = fold(heading.strip(" .,。、"))
    names = {fold(name): name for name in headings.values()}
    if given in names or any(given == fold(label.text) for rule in rules for label in rule.labels):
        return citation
    if citation.verdict != "exact":
        return None
    owners = [
        rule
        for rule in store.find_by_label(given)
        if rule.kind == "rule" and rule.game == node.game and rule.number != node.number
    ]
    shown = headings.get(node.lang) or next(iter(headings.values()))
    if owners:
        newest = max(owners, key=lambda rule: rule.edition or "")
        return replace(
            citation,
            verdict="repaired",
            expected=newest.number,
            message=f"“{heading}” is the heading of {newest.number}; {node.number} is “{shown}”",
        )
    from rapidfuzz import fuzz

    if max(fuzz.ratio(given, name) for name in names) >= _ALIKE:
        return replace(
            citation,
            verdict="repaired",
            expected=shown,
            message=f"The heading of {node.number} is “{shown}”, not “{heading}”",
        )
    return None
