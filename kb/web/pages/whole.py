"""The page about the whole knowledge base: where every character went, and what is missing."""

from __future__ import annotations

from kb.web.visit import Reply, Visit

_MOST = 200  # missing targets and warnings that are listed


def audit(visit: Visit) -> Reply:
    """Return the audit.

    Parameters: `dangling` (several: kinds of references, of which each that leads to what is not
    loaded is then listed where it stands).
    """
    kinds = visit.texts("dangling")
    found = visit.base.audit(kinds)
    values = {
        "found": found,
        "missing": found.missing[:_MOST],
        "warnings": found.warnings[:_MOST],
        "places": found.dangling[:_MOST] if kinds else (),
    }
    return Reply("audit.html", values, found.as_json)
