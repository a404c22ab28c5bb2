"""Finds the numbers in a rule's text that may be citations of other rules, of any rulebook.

It is coarser than `kb.language.citations.citation_grammar`, which says what a text cites: here the
text of one edition is held against that of another, and what changed in step with the rules was
one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# `704.5k`, `107.5.a`, `103.1.a.(1)`, `903`, `5-1-2`, `A-1-01`: any depth. A dash in a number with
# dots is that of a range: `103.2a-e`, `510.1-2`. Dashes must be folded. At most 12 steps are read,
# so that the pattern takes bounded time; real numbers have up to five or six.
_STEP = r"(?:\.\d{1,4}|\.[a-z](?![A-Za-z])|\.?\((?:\d{1,2}|[a-z]|[ivx]{2,4})\))"
_END = r"(?:(?<=\))|(?![A-Za-z0-9]|\.\d))"
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9.])"
    rf"(?:(?:[A-Z]-)?\d{{1,4}}(?:-\d{{1,4}}){{1,12}}[a-z]?{_END}"
    rf"|(?:[A-Z][.\-]?)?\d{{1,4}}{_STEP}{{0,12}}[a-z]{{0,2}}{_END}"
    r"(?P<last>-(?:[a-z]{1,2}|\d{1,3})(?![A-Za-z0-9]|\.\d))?)"
)
_PLAIN = re.compile(r"\d+")
# What shows that a plain number, such as 7 or 704, cites: a word before it, or what follows.
_LEAD = re.compile(
    r"(?:\b(?:rules?|sections?|chapters?|parts?|see|cr)|ルール|規則|规则|規定|第|参照)[ :.]?$",
    re.IGNORECASE,
)
_TRAIL = re.compile(r",\"|〔|[章節条項]")
# What stands between two numbers of which the second cites because the first does.
_JOINT = re.compile(r"[ ,、・/~\-]*(?:and|or|to|と|や|及び|または|から|和|或|至)? ?$")


class CitedNumber(NamedTuple):
    """A number in a text that may cite a rule.

    number: the number, the first one of a range such as `103.2a-e`.
    last: the letter or number at the end of such a range; empty if there is none.
    cites: whether it looks like a citation even if no rule had this number: it has several steps,
        or it stands where rules are cited. Of `100 cards` it does not.
    """

    number: str
    last: str
    cites: bool


def split_at_numbers(text: str) -> tuple[list[str], list[CitedNumber]]:
    """Return the text around the numbers that may cite, and these numbers, in order.

    text: a text whose typography is folded (`kb.language.typography.fold_typography`).

    The first list has one item more than the second.

    >>> split_at_numbers("See rules 103.2a-e and 7. Draw 2.")[1]
    ... # doctest: +NORMALIZE_WHITESPACE
    [CitedNumber(number='103.2a', last='e', cites=True),
     CitedNumber(number='7', last='', cites=True),
     CitedNumber(number='2', last='', cites=False)]
    """
    around: list[str] = []
    numbers: list[CitedNumber] = []
    position = 0
    for match in _NUMBER.finditer(text):
        between = text[position : match.start()]
        last = match["last"] or ""
        number = match[0][: len(match[0]) - len(last)]
        joined = bool(numbers) and numbers[-1].cites and _JOINT.fullmatch(between) is not None
        cites = (
            not _PLAIN.fullmatch(number)
            or joined
            or _LEAD.search(between[-16:]) is not None
            or _TRAIL.match(text, match.end()) is not None
        )
        around.append(between)
        numbers.append(CitedNumber(number, last[1:], cites))
        position = match.end()
    around.append(text[position:])
    return around, numbers


def mask_numbers(text: str, mask: str = "#") -> str:
    """Return a text with a sign in place of each number that may cite: of several steps, or of
    three digits or four.

    text: as for `split_at_numbers`.

    >>> mask_numbers("See rule 614.1a, A-1-01, or 903. Draw 2 cards.")
    'See rule #, #, or #. Draw 2 cards.'
    """
    return _NUMBER.sub(lambda match: match[0] if _is_small(match[0]) else mask, text)


def _is_small(number: str) -> bool:
    """Return whether a number is a plain one of one or two digits: an amount rather than a rule."""
    return len(number) < 3 and number.isdigit()
