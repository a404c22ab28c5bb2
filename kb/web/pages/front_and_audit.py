"""The front page, where every character went, and the verification of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

import kb
from kb.web.base_counts import loaded
from kb.web.examples import Examples
from kb.web.pages.programs import newest_pairs
from kb.web.request_and_reply import Reply, Visit

if TYPE_CHECKING:
    from scraper import ReadWarning

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
    return Reply("verify.html", values | {"found": shown}, shown.as_json, table=shown.table)


def _differing(claim: kb.Claim) -> list[tuple[int, int]]:
    """Return (start, end) of the words of a claim that are not those of its source, in order."""
    return [(change.start, change.end) for change in claim.changes]


_MOST = 200  # missing targets and warnings that are listed, by hand; the JSON has all
_MOST_NEWS = 8  # editions on the front page, by hand, likewise


@dataclass(frozen=True)
class Shelf:
    """What there is to read of a game.

    editions: (edition, what is loaded of it in each language), the newest first.
    newest: the newest edition in each language, that of the explorer first.
    terms: some that are mentioned most.
    """

    game: str
    editions: list[tuple[str, list[kb.LoadedEdition]]]
    newest: list[kb.LoadedEdition]
    terms: Sequence[kb.Node]


def front(visit: Visit) -> Reply:
    """Return the front page: questions to ask, what there is to read of each game, what is new, and
    the twelve rules that are cited most; as JSON the counts of `stats`."""
    stats = loaded(visit.base).stats
    examples = Examples(visit.base, visit.interface)
    values = {
        "stats": stats,
        "top": examples.cited,
        "examples": examples,
        "questions": examples.questions,
        "shelves": [_shelf(game, editions, examples) for game, editions in _books(stats)],
        "news": newest_pairs(visit.base)[:_MOST_NEWS],
    }
    return Reply("front.html", values, stats.as_json)


def _shelf(
    game: str, editions: list[tuple[str, list[kb.LoadedEdition]]], examples: Examples
) -> Shelf:
    newest: dict[str, kb.LoadedEdition] = {}
    for _, of_edition in editions:
        for book in of_edition:
            newest.setdefault(book.lang, book)
    own = examples.interface.lang
    return Shelf(
        game,
        editions,
        sorted(newest.values(), key=lambda book: book.lang != own),
        examples.terms_of(game),
    )


def _books(stats: kb.Stats) -> list[tuple[str, list[tuple[str, list[kb.LoadedEdition]]]]]:
    """Return (game, [(edition, what is loaded of it in each language)]): the games with most rules
    first, then those without any, the newest edition first, the languages sorted; without editions
    of which nothing is loaded."""
    books = sorted((book for book in stats.rulebooks if book.rules), key=lambda book: book.lang)
    books.sort(key=lambda book: kb.edition_key(book.edition), reverse=True)
    of_game: dict[str, list[kb.LoadedEdition]] = {game: [] for game in stats.games if game}
    for book in books:
        of_game[book.game].append(book)
    ordered = sorted(of_game, key=lambda game: (-sum(book.rules for book in of_game[game]), game))
    return [
        (
            game,
            [(edition, [*of]) for edition, of in groupby(of_game[game], lambda book: book.edition)],
        )
        for game in ordered
    ]


def _without_folder(warnings: Sequence[ReadWarning]) -> tuple[ReadWarning, ...]:
    """Return warnings whose files are named below the folder that all are in: what stands above it
    is the server's own."""
    files = [each.where for each in warnings if _FROM_ROOT.match(each.where)]
    first, last = min(files, default=""), max(files, default="")
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    alike = first[: len(list(pairs))]
    length = max(alike.rfind("/"), alike.rfind("\\")) + 1
    return tuple(
        replace(each, where=each.where[length:]) if _FROM_ROOT.match(each.where) else each
        for each in warnings
    )


_FROM_ROOT = re.compile(r"/|\\\\|[A-Za-z]:[/\\]")  # how the whole path of a file begins


def audit(visit: Visit) -> Reply:
    """Return the audit.

    Parameters: `dangling` (several: kinds of references, of which each that leads to what is not
    loaded is then listed where it stands), and `start` of what is missing. A page lists 200 of
    each kind of thing, the JSON all.
    """
    kinds = visit.texts("dangling")
    found = visit.base.audit(kinds)
    found = replace(found, warnings=_without_folder(found.warnings))
    start, following = visit.part_of(len(found.missing), _MOST)
    values = {
        "found": found,
        "start": start,
        "next": following,
        "missing": found.missing[start : start + _MOST],
        "warnings": found.warnings[:_MOST],
        "places": found.dangling[:_MOST] if kinds else (),
    }
    return Reply("audit.html", values, found.as_json)
