"""Ranks the captures of a page by a sort key, and says why a capture is not used."""

from __future__ import annotations

from scraper.sources.capture_times import timestamp

# Reasons against a capture, the gravest first, in the order of the key's first field.
_FLAWS = (
    "it has a notice to readers", "a revision that was replaced",
    "a view of the page, not the page", "it breaks off", "its text alone",
)  # fmt: skip
# Seconds since 1970, more than any capture's (the year 5138): newer captures get smaller keys. The
# widths in the key hold it: seven digits of days, eleven of seconds with a point and three more.
_LATEST = 10**11
_DAY = 86_400  # seconds
_OLDER, _OTHER_FORM, _SAME = "older", "another form of the page", "the same"
_BARE = "no address is known of it"


def fitness(
    taken: str,
    form: str,
    sha256: str,
    place: str,
    *,
    url: str = "",
    notice: bool,
    old: bool,
    via: bool,
    whole: bool,
) -> str:
    """Return a key by which the captures of a page sort, the fittest first.

    A capture with no flaw, or with a lesser one, is fitter. Among equals the later day wins, then
    HTML, because it contains what a wiki's source only transcludes, then the later time, then
    that whose address is known: a bare copy never takes the place of a capture that a manifest
    describes. The hash and the place only make the order definite.

    taken: when it was captured, in ISO 8601 or as in an HTTP header; anything else is the oldest.
    form: the form of the document, such as `html`; `text capture` is a flaw.
    sha256: the hash of the bytes, in hex.
    place: the file that the bytes are in, or the member of an archive.

    url: the address that it was fetched from; empty if it is not known.

    The other arguments state flaws:

    notice: it has a notice to readers.
    old: it is a revision that its site has replaced.
    via: it is a view of the page under another name or for print.
    whole: false if the document breaks off.

    >>> flawless = dict(notice=False, old=False, via=False, whole=True)
    >>> current = fitness("2026-01-01", "html", "", "a", **flawless)
    >>> replaced = fitness("2026-02-01", "html", "", "b", **flawless | {"old": True})
    >>> sorted([replaced, current]) == [current, replaced]
    True
    """
    flaws = "".join("01"[flaw] for flaw in (notice, old, via, not whole, form == "text capture"))
    age = _LATEST - (timestamp(taken) or 0.0)
    ranks = f"{int(age // _DAY):07d} {form != 'html':d} {age:015.3f} {not url:d}"
    return f"{flaws} {ranks} {sha256} {place}"


def reason_not_chosen(other: str, best: str) -> str:
    """Return why a page is taken from its best capture and not from another, in words, for a person
    who builds.

    other, best: the keys of the two captures, as `fitness` returns them; `best` is the fitter.

    The result is the gravest flaw that only the other has, such as `it breaks off`; else `older`,
    `another form of the page`, `no address is known of it`, or `the same` if only hash or place
    differ. It is empty if the keys are equal.

    >>> flawless = dict(notice=False, old=False, via=False, whole=True)
    >>> newer = fitness("2026-02-01", "html", "", "a", **flawless)
    >>> older = fitness("2026-01-01", "html", "", "b", **flawless)
    >>> reason_not_chosen(older, newer), reason_not_chosen(newer, newer)
    ('older', '')
    """
    if other == best:
        return ""
    flaws, *rest = other.split(" ", 5)
    best_flaws, *best_rest = best.split(" ", 5)
    for reason, flaw, best_flaw in zip(_FLAWS, flaws, best_flaws, strict=True):
        if flaw > best_flaw:
            return reason
    reasons = (_OLDER, _OTHER_FORM, _OLDER, _BARE)  # the day, the form, the second, the address
    for reason, value, best_value in zip(reasons, rest, best_rest, strict=False):
        if value != best_value:
            return reason
    return _SAME
