"""The front page: what is loaded, and where to begin."""

from __future__ import annotations

from kb.web.loaded import loaded
from kb.web.visit import Reply, Visit


def front(visit: Visit) -> Reply:
    """Return the front page."""
    stats = loaded(visit.base).stats
    top = visit.base.top(most=12).nodes
    return Reply("front.html", {"stats": stats, "top": top}, stats.as_json)
