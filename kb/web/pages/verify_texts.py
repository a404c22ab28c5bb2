"""The page that verifies the citations and quotations of a text."""

from __future__ import annotations

from typing import Any

import kb
from kb.web.examples import Examples
from kb.web.page_visit import Reply, Visit

# Characters, by hand: well within the ten seconds of a request (six texts of 99 kB once took 25
# together). In a form a Japanese letter takes nine bytes, so that LARGEST_FORM of `kb.web.safety`
# must be more than nine times this.
LONGEST = 100_000


def verify(visit: Visit) -> Reply:
    """Return what is true of the citations and quotations in a text; without one the form, without
    JSON. Raises kb.QuestionError for a text that is too long.

    Parameters: `text`, `game`, `edition`, `lang`, and `problems` for what is not right alone. A
    text is sent by POST, as it may be long.
    """
    text = visit.text("text").replace("\r\n", "\n")  # as browsers send the ends of lines
    examples = Examples(visit.base, visit.interface)
    values: dict[str, Any] = {
        "text": text, "found": None, "longest": LONGEST, "examples": examples,
        "differing": _differing,
    }  # fmt: skip
    if not text:
        return Reply("verify.html", values)
    if len(text) > LONGEST:
        raise kb.QuestionError("text_too_long", characters=len(text), most=LONGEST)
    found = visit.base.verify(text, **visit.filters("game", "edition", "lang"))
    shown = found.problems if visit.flag("problems") else found
    return Reply("verify.html", values | {"found": shown}, shown.as_json)


def _differing(claim: kb.Claim) -> list[tuple[int, int]]:
    """Return (start, end) of the words of a claim that are not those of its source, in order."""
    return [(change.start, change.end) for change in claim.changes]
