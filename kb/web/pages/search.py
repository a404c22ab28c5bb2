"""The search page: what a name or number names, and the passages with the words."""

from __future__ import annotations

from kb.web.visit import Reply, Visit

_MOST = 20


def search(visit: Visit) -> Reply:
    """Return what is called by some words, and the passages that have them.

    Parameters: `q`, `most`, `any_word`, and the filters of `KnowledgeBase.search`.
    """
    words = visit.text("q")
    filters = visit.filters(
        "game", "edition", "lang", "source", "section", "kind", "mentions", "cites"
    )
    if not words and not filters:
        return Reply("search.html", {"words": "", "hits": None, "shown": None})
    most = visit.number("most", _MOST, 200)
    hits = visit.base.search(words, most=most, any_word=visit.flag("any_word"), **filters)
    scope = {name: filters[name] for name in ("game", "edition", "lang") if name in filters}
    shown = visit.base.show(words, **scope) if words else None
    values = {"words": words, "hits": hits, "shown": shown, "most": most}
    return Reply("search.html", values, hits.as_json)
