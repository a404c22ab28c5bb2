"""The page that verifies the citations and quotations of a text."""

from __future__ import annotations

from typing import Any

from kb.web.visit import Reply, Visit

_LONGEST = 100_000  # characters


def verify(visit: Visit) -> Reply:
    """Return what is true of the citations and quotations in a text.

    Parameters: `text`, `game`, `edition`, `lang`; a text is sent by POST, as it may be long.
    """
    text = visit.text("text")
    values: dict[str, Any] = {"text": text, "found": None, "longest": _LONGEST}
    if not text:
        return Reply("verify.html", values)
    found = visit.base.verify(text[:_LONGEST], **visit.filters("game", "edition", "lang"))
    return Reply("verify.html", values | {"found": found}, found.as_json)
