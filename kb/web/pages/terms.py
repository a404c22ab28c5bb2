"""The pages about terms in several games, and about what pages state of them."""

from __future__ import annotations

from typing import Any

from kb.web.examples import Examples
from kb.web.page_visit import Reply, Visit


def compare(visit: Visit) -> Reply:
    """Return terms beside the terms of other games that are the same concept; without `ref` the
    form, with an example and without JSON.

    Parameters: `ref` (several), `game`.
    """
    refs = visit.texts("ref")
    values: dict[str, Any] = {"refs": refs, "found": None}
    if not refs:
        example = Examples(visit.base, visit.interface).compared
        return Reply("compare.html", values | {"example": example})
    found = visit.base.compare(*refs, **visit.filters("game"))
    terms = {row.term.id: row.term for row in found.rows}
    defined = {row.term.id for row in found.rows if row.definition is not None}
    # Terms of which one lacks a definition were not compared: that is said, not that they differ.
    uncompared = [
        each
        for each in found.not_joined
        if not defined.issuperset(each.terms)
        and len({terms[term].game for term in each.terms if term in terms}) > 1
    ]
    said = {term for each in uncompared for term in each.terms}
    values |= {
        "found": found,
        "terms": terms,
        "uncompared": uncompared,
        "alone": [term for term in found.alone if term not in said],
    }
    return Reply("compare.html", values, found.as_json)


def rulings(visit: Visit) -> Reply:
    """Return the rulings on a term, card, rule or page; without `ref` the form, with an example and
    without JSON. Parameters: `ref`, `most`, and filters."""
    ref = visit.text("ref")
    values: dict[str, Any] = {"ref": ref, "found": None, "most": 0}
    if not ref:
        return Reply(
            "rulings.html", values | {"example": Examples(visit.base, visit.interface).ruled}
        )
    most = visit.number("most", 20, 10_000)
    found = visit.base.rulings(ref, most=most, **visit.filters())
    return Reply("rulings.html", values | {"found": found, "most": most}, found.as_json)


def steps(visit: Visit) -> Reply:
    """Return the procedures of a term; without `ref` the form, with examples and without JSON.
    Parameters: `ref`, and filters."""
    ref = visit.text("ref")
    values: dict[str, Any] = {"ref": ref, "procedures": None, "outcomes": None}
    if not ref:
        return Reply(
            "statements.html", values | {"examples": Examples(visit.base, visit.interface)}
        )
    found = visit.base.steps(ref, **visit.filters())
    return Reply("statements.html", values | {"procedures": found}, found.as_json)


def outcomes(visit: Visit) -> Reply:
    """Return what happens to a term on which condition; without `ref` the form, with examples and
    without JSON. Parameters: `ref`, `most`, and filters."""
    ref = visit.text("ref")
    values: dict[str, Any] = {"ref": ref, "procedures": None, "outcomes": None}
    if not ref:
        return Reply(
            "statements.html", values | {"examples": Examples(visit.base, visit.interface)}
        )
    found = visit.base.outcomes(ref, most=visit.number("most", 50, 10_000), **visit.filters())
    return Reply("statements.html", values | {"outcomes": found}, found.as_json)
