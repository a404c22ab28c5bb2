"""Suggests the known values nearest to a mistyped one, and refuses values that nothing has."""

from __future__ import annotations

from collections.abc import Iterable

from kb.errors import QuestionError
from kb.language.fold import fold
from kb.reason import Reason

_LIKE_ENOUGH = 0.66  # `jp` and `ja` have 0.667, `japanese` and `ja` 0.80, other words less than 0.6
_MOST_LISTED = 20  # known values in a message: some lines of a terminal; the rest is counted
_MOST_CHARACTERS = 80  # of a value in a message, a line of a terminal, and of what is compared


def nearest(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the known values that look most like a given one, the likest first; often none.

    given: what a person typed; case, width, kana and dashes do not count.
    known: the values that there are, in any order; of values that are equally alike, the first in
        alphabetical order comes first.
    most: at most how many are returned.

    Empty for a text that `fold` leaves nothing of. Only the first 80 characters are compared.

    >>> nearest("MTG", ["ygo", "mtg", "dm"]), nearest("jp", ["en", "ja"]), nearest("foo", ["ja"])
    (['mtg'], ['ja'], [])
    """
    from rapidfuzz import fuzz
    from rapidfuzz.distance import JaroWinkler

    looked_for = fold(given[:_MOST_CHARACTERS])
    scored: list[tuple[float, str]] = []
    for value in sorted(set(known)):
        folded = fold(value[:_MOST_CHARACTERS])
        # Jaro-Winkler finds what begins alike (`japanese`, `ja`); the ratio, what ends so (`wiki`).
        likeness = JaroWinkler.similarity(looked_for, folded)
        likeness = max(likeness, fuzz.ratio(looked_for, folded) / 100)
        if looked_for and likeness >= _LIKE_ENOUGH:
            scored.append((-likeness, value))
    return [value for _, value in sorted(scored)[:most]]


def refuse_unknown(
    what: str, given: str, known: Iterable[str], near: Iterable[str] | None = None
) -> None:
    """Raise QuestionError unless a value is known; the message gives the nearest and all others.

    what: what the value is, in the singular: `game`.
    given: the value; it must be the same as a known one to the letter.
    known: the values that there are.
    near: the nearest of them; None for those that look most like it.

    >>> refuse_unknown("game", "mtg", ["ygo", "mtg", "dm"])
    >>> refuse_unknown("game", "MTG", ["ygo", "mtg", "dm"])
    Traceback (most recent call last):
    kb.errors.QuestionError: no game MTG; nearest: mtg (there are: dm, mtg, ygo)
    """
    allowed = sorted(set(known))
    if given in allowed:
        return
    raise QuestionError(
        "unknown_value",
        what=what,
        given=shown(given),
        near=tuple(nearest(given, allowed) if near is None else near),
        there_are=_list_known(allowed),
    )


def known_value(what: str, given: str, known: Iterable[str]) -> str:
    """Return the known value that is meant: the same, or the only one that `fold` makes the same,
    as it differs just in case, width, kana or dashes.

    what: what it is, for the message: `game`.

    Raises QuestionError if there is none, or several; it names the nearest.

    >>> known_value("game", "MTG", ["mtg", "ygo"])
    'mtg'
    """
    allowed = list(known)
    if given not in allowed:
        same = [value for value in allowed if fold(value) == fold(given)]
        if len(same) == 1:
            return same[0]
        refuse_unknown(what, given, allowed)
    return given


def shown(given: object) -> str:
    """Return a value as a message shows it: text as it is, and in quotation marks if it is empty or
    spaces alone; anything else as Python writes it. At most 80 characters, the last … if cut.

    >>> shown("mtg"), shown(" "), shown(3)
    ('mtg', "' '", '3')
    """
    text = given if isinstance(given, str) and given.strip() else repr(given)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _list_known(known: list[str]) -> Reason:
    """Return which known values there are, in the order given: at most 20, and how many more; words
    of their own for one or none."""
    if len(known) < 2:
        return Reason("there_is_only", known=known[0]) if known else Reason("there_is_none")
    more = max(0, len(known) - _MOST_LISTED)
    return Reason("known_are", known=tuple(known[:_MOST_LISTED]), more=more)
