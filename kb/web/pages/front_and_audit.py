"""The front page, where every character went, and the verification of a text."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import kb
from kb.web.base_counts import loaded
from kb.web.examples import Examples
from kb.web.request_and_reply import Reply, Visit

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


_MOST = 200  # missing targets and warnings that are listed, by hand; the JSON has all
_MOST_CITED = 12  # by hand: a glance on the front page; `top` has more


def front(visit: Visit) -> Reply:
    """Return the front page: what is loaded, examples of questions, and the twelve rules that are
    cited most; as JSON the counts of `stats`."""
    stats = loaded(visit.base).stats
    own, langs = visit.interface.lang, {book.lang for book in stats.rulebooks if book.rules}
    values = {
        "stats": stats,
        "top": visit.base.top(most=_MOST_CITED, lang=own if own in langs else None),
        "examples": Examples(visit.base, visit.interface),
        "books": _books(stats.rulebooks),
    }
    return Reply("front.html", values, stats.as_json)


def _books(
    editions: tuple[kb.LoadedEdition, ...],
) -> list[tuple[str, list[tuple[str, list[kb.LoadedEdition]]]]]:
    """Return (game, [(edition, what is loaded of it in each language)]), sorted by game, the newest
    edition first, the languages sorted; without editions of which nothing is loaded."""
    books = sorted(
        (book for book in editions if book.rules), key=lambda book: (book.edition, book.lang)
    )
    books.sort(key=lambda book: kb.edition_key(book.edition), reverse=True)
    books.sort(key=lambda book: book.game)
    return [
        (game, [(edition, [*each]) for edition, each in groupby(of, lambda book: book.edition)])
        for game, of in groupby(books, lambda book: book.game)
    ]


def audit(visit: Visit) -> Reply:
    """Return the audit.

    Parameters: `dangling` (several: kinds of references, of which each that leads to what is not
    loaded is then listed where it stands). A page lists 200 of each kind of thing, the JSON all.
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
