"""Which of several captures of a page it is taken from, and why not from the others."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime

# What makes a capture unfit, the gravest first.
_FLAWS = (
    "it has a notice to readers", "a revision that was replaced",
    "a view of the page, not the page", "it breaks off", "its text alone",
)  # fmt: skip
_LAST = 10**11  # seconds; later than any time
_DAY = 86_400
_OLDER, _OTHER_FORM, _SAME = "older", "another form of the page", "the same"


def fitness(
    taken: str,
    form: str,
    sha256: str,
    where: str,
    *,
    notice: bool,
    old: bool,
    via: bool,
    whole: bool,
) -> str:
    """A text by which the captures of a page sort, the fittest first.

    That is one without a notice to readers, of the revision that stands, of the page itself and no
    view of it, whole, with its markup; among these the newest, but of one day HTML, which shows
    what the source only calls for.

    >>> standing = dict(notice=False, old=False, via=False, whole=True)
    >>> one = fitness("2026-01-01", "html", "", "a", **standing)
    >>> other = fitness("2026-02-01", "html", "", "b", **standing | {"old": True})
    >>> sorted([other, one]) == [one, other]
    True
    """
    flaws = "".join("01"[flaw] for flaw in (notice, old, via, not whole, form == "text capture"))
    age = _LAST - _moment(taken)
    return f"{flaws} {int(age // _DAY):07d} {form != 'html':d} {age:015.3f} {sha256} {where}"


def unfitness(other: str, best: str) -> str:
    """Why a page is taken from the best capture and not from another, by their fitness.

    >>> standing = dict(notice=False, old=False, via=False, whole=True)
    >>> best = fitness("2026-02-01", "html", "", "a", **standing)
    >>> one = fitness("2026-01-01", "html", "", "b", **standing)
    >>> unfitness(one, best), unfitness(best, best)
    ('older', '')
    """
    if other == best:
        return ""
    flaws, *rest = other.split(" ", 4)
    best_flaws, *best_rest = best.split(" ", 4)
    for flaw, here, there in zip(_FLAWS, flaws, best_flaws, strict=True):
        if here > there:
            return flaw
    for why, here, there in zip((_OLDER, _OTHER_FORM, _OLDER), rest, best_rest, strict=False):
        if here != there:
            return why
    return _SAME


def _moment(taken: str) -> float:
    """A time as served or as noted, in seconds; 0 where there is none."""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(taken).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return 0.0
