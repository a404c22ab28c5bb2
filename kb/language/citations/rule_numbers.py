"""Rule numbers in running text: their pattern, what a range holds, and the ids of rules.

A number has levels: `601.2a`, `107.5.a`, `103.1.a.(1)`, `10.1.1.2.1.1`, `A-1-01`. The patterns are
for text in half-width digits and letters, as `citation_patterns.fold_width` returns it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from scraper.rulebook.documents_beside_rulebook import document_of_edition

# The counts below bound what a search at each digit may cost. Real books have levels of at most
# three digits, sections of four, six levels or so behind the first (`10.1.1.2.1.1`), and items in
# brackets up to 99; behind z come aa, bb, …
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_LETTERS = rf"(?:{'|'.join(2 * letter for letter in _ALPHABET)}|[ivx]{{2,6}}|[a-z])(?![A-Za-z])"
_STEP = rf"(?:\d{{1,3}}|{_LETTERS}|[A-Z])(?![A-Za-z\d])"
_BRACKET = rf"\.?\((?:\d{{1,2}}|{_LETTERS}|[A-Z])\)"
_DEEPER = rf"(?:\.{_STEP}|{_LETTERS}|{_BRACKET}){{0,6}}"
# What may follow the first digit of a number with points; a number with dashes of one kind; any
# number that begins with a digit, which may also be a range; letters that may begin a number.
POINTED_REST = rf"\d{{0,3}}(?!\d)(?:\.\d{{1,3}}(?!\d)|\.{_STEP}|{_LETTERS}|{_BRACKET}){{0,9}}"
DASHED = rf"\d{{1,3}}(?P<dash>[-–])\d{{1,3}}(?:(?P=dash)\d{{1,3}})*(?!\d){_DEEPER}"
MIXED = rf"\d{{1,4}}(?:[-–.](?:\d{{1,3}}(?!\d)|{_STEP})|{_LETTERS}|{_BRACKET}){{0,9}}"
ROMAN_LEVEL = r"[-–][ivx]{2,6}(?![\w-])"  # behind a letter; a single one may end a range
FIRST_LETTERS = r"(?:[IVX]{2,5}|[A-Z])[-–.]"
_LAST_LEVEL = re.compile(r"(?P<open>\(?)(?P<step>\d+|[A-Za-z]+)\)?$", re.ASCII)
# The second level of an outline is a capital, too: I.A.1
_FIRST_LETTERS = re.compile(rf"[IVX]{{1,5}}\.[A-Z](?=\.|$)|{FIRST_LETTERS}|[A-Z](?=\d)")
_DASHES = re.compile("[‐‑‒–—−]")
_LONGEST_RANGE = 100  # rules; a guard: `1.1-1.999999999` must not fill the memory, no book has such
LATEST = "latest"  # the edition of a cited rule, in ids, if the citing text belongs to no edition


def edition_id(game: str, edition: str) -> str:
    """Return the id of an edition of a game's rules, or of a document beside them, which the name
    of a document at its beginning shows. Nothing is checked or escaped.

    >>> edition_id("mtg", "20231117"), edition_id("mtg", "tournament-rules-20240101")
    ('mtg/cr/20231117', 'mtg/document/tournament-rules-20240101')
    """
    return f"{game}/{'document' if document_of_edition(edition) else 'cr'}/{edition}"


def rule_id(game: str, edition: str, lang: str, number: str) -> str:
    """Return the id of a rule, or of a section of a document beside the rules.

    edition: an edition such as `20231117` or `tournament-rules-20240101`; or it ends in `undated`,
        or in `latest` for a rule that is cited without an edition.
    number: the rule's number, such as `121.4`; it is not normalized.

    >>> rule_id("mtg", "20231117", "ja", "121.4")
    'mtg/cr/20231117/ja/121.4'
    """
    return f"{edition_id(game, edition)}/{lang}/{number}"


def normalize_number(number: str, known: Container[str] = ()) -> str:
    """Return a rule number as ids write it: half-width, with hyphens, without points at the end.

    Letters are in lower case, but for those that begin the number before a digit, dash or point.
    Empty for a text of points alone; spaces stay.

    known: the numbers of the book; a number that it has with capital letters keeps them.

    >>> normalize_number("Ａ－１－０２"), normalize_number("103.1.A."), normalize_number("5–1–2")
    ('A-1-02', '103.1.a', '5-1-2')
    >>> normalize_number("103.1.A", known={"103.1.A"})
    '103.1.A'
    """
    if not number.isascii():
        number = _DASHES.sub("-", unicodedata.normalize("NFKC", number))
    number = number.rstrip(".")
    if number == number.lower() or number in known:
        return number
    first = _FIRST_LETTERS.match(number)
    return number[: first.end()] + number[first.end() :].lower() if first else number.lower()


def expand_range(first: str, last: str, known: Container[str] = ()) -> list[str]:
    """Return all numbers from the first to the last, at most 100, in order; only the first if they
    don't increase, or differ in more than the last level.

    first: a number in the form of `normalize_number`.
    last: another number, or only its last level, such as a letter.
    known: the numbers of the book. Letters skip l and o, as most rulebooks do, but for the first,
        the last, and those that the book has.

    >>> expand_range("103.2a", "c"), expand_range("103.1.a", "103.1.c")
    (['103.2a', '103.2b', '103.2c'], ['103.1.a', '103.1.b', '103.1.c'])
    >>> expand_range("A-1-09", "A-1-11"), expand_range("119.7", "8")
    (['A-1-09', 'A-1-10', 'A-1-11'], ['119.7', '119.8'])
    >>> expand_range("701.2", "702.4"), expand_range("704.5k", "m")
    (['701.2'], ['704.5k', '704.5m'])
    >>> expand_range("704.5l", "n")  # as it is written, whether the book has it or not
    ['704.5l', '704.5m', '704.5n']
    """
    low, high = _LAST_LEVEL.search(first), _LAST_LEVEL.search(last)
    if not low or not high:
        return [first]
    stem = first[: low.start("step")]
    if last[: high.start("step")] not in ("", high["open"], stem):
        return [first]
    close = ")" if low["open"] else ""
    return [f"{stem}{step}{close}" for step in _steps(low["step"], high["step"], stem, known)] or [
        first
    ]


def _steps(low: str, high: str, stem: str, known: Container[str]) -> list[str]:
    """Return the steps of a range within one level; empty if they do not increase, or are neither
    both digits nor both single letters. Digits with a zero before them keep their width.

    low, high: the first and the last.
    stem: what stands before the step in every number.
    known: as for `expand_range`.
    """
    if low.isdigit() and high.isdigit():
        width = len(low) if low[0] == "0" else 0
        last = min(int(high), int(low) + _LONGEST_RANGE - 1)
        return [f"{n:0{width}}" for n in range(int(low), last + 1)] if int(high) > int(low) else []
    begin, end = _ALPHABET.find(low), _ALPHABET.find(high.lower())
    if min(begin, end) < 0 or len(low) + len(high) > 2 or begin >= end:
        return []
    return [
        c
        for c in _ALPHABET[begin : end + 1]
        if c not in "lo" or c in (low, high.lower()) or stem + c in known
    ]
