"""The page about the whole knowledge base: where every character went, and what is missing."""

from __future__ import annotations

from kb.web.visit import Reply, Visit

_MOST = 200  # missing targets and warnings that are listed


def audit(visit: Visit) -> Reply:
    """Return the audit."""
    found = visit.base.audit()
    values = {"found": found, "missing": found.missing[:_MOST], "warnings": found.warnings[:_MOST]}
    return Reply("audit.html", values, found.as_json)
