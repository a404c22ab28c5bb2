"""Finds where a text names an edition of the rules by a date, or the language of rules."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from datetime import datetime
from functools import cache
from itertools import chain
from typing import NamedTuple

from kb.reason import sentences
from scraper.rulebook.languages import LANGUAGES, UNDETERMINED, alternatives

# Characters before a date that say what it is of: by hand; the words that do (`rules as they were
# on the`) have some 30. It bounds the search, as patterns are tried at each of them.
_LONGEST_BEFORE = 50
# By name, in English also by the first three and four letters: Jan, Sept.
_MONTHS = {
    name[:size].lower(): number
    for lang in LANGUAGES
    for number, name in enumerate(lang.months, 1)
    for size in ((None, 4, 3) if lang.code == "en" else (None,))
}
_MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_IN_FORCE = alternatives(lambda lang: (*lang.effective, *lang.updated))
# 2023-11-17, 2023年11月17日, November 17, 2023, 17. November 2023, 2023-11 or 2023; a year only
# from 1900 on and not behind `rule`, as numbers of rules have four digits, too.
_DATE = re.compile(
    r"(?<![\d.-])(?:(?P<y1>(?:19|20)\d\d)(?P<sep>[-/.]?)(?P<m1>[01]\d|(?<=\D)\d)(?P=sep)"
    r"(?P<d1>[0-3]\d|(?<=\D)\d)"
    r"|(?P<y2>(?:19|20)\d\d)年(?:\s?(?P<m2>[01]?\d)月(?:\s?(?P<d2>[0-3]?\d)日)?)?"
    rf"|(?P<m3>{_MONTH})\s(?:(?P<d3>[0-3]?\d)(?:st|nd|rd|th)?,?\s)?(?P<y3>(?:19|20)\d\d)"
    rf"|(?P<d4>[0-3]?\d)(?:st|nd|rd|th|er|\.)?\s(?:de\s)?(?P<m4>{_MONTH}),?\s(?:de\s)?"
    r"(?P<y4>(?:19|20)\d\d)"
    r"|(?<!rule )(?<!rules )(?<!CR )(?P<y5>(?:19|20)\d\d)(?:-(?P<m5>0\d|1[0-2]))?)"
    r"(?![\d年]|[-.]\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")  # that each date has, by which they are found faster
_LONGEST_DATE = 40  # characters before a year and behind it: `17th September`, and spaces
# What says beside a date that it is an edition's.
_RULES_BEFORE = re.compile(
    r"(?:\b(?:rules?|rulebook|edition|version|CR)|ルール|版)"
    r"(?:,?\s?\(?(?:of|from|as of|dated|effective|released|in effect on|as they were (?:on|in)))?"
    r"\s?\(?(?:the\s)?$"
    r"|\b(?:Regeln|Regelwerks?|règles|reglas|regole|regras)\s(?:vom|du|de|del|do|dal)\s$"
    rf"|(?:{_IN_FORCE})[\s:：]*(?:vom|le|du|de|del|do|dal)?\s?$"
    r"|\b(?:effective(?:\s(?:from|on))?|as (?:of|at))\s$"
    r"|\d\.\d+[a-z]?\s(?:of|from|in)\s$",
    re.IGNORECASE,
)
# Behind the number of a rule, in brackets: of that rule alone.
_NUMBER_BEFORE = re.compile(
    r"(?P<number>\d[\w.-]*)[”\"’」]?\s?[(（](?:(?:as of|in|of|from|since|until)\s)?$",
    re.IGNORECASE,
)
_RULES_BEHIND = re.compile(
    r"['’]?s?,?\s?(?:the\s)?(?:(?:Comprehensive|Comp|Magic|Lorcana|MTG)\s){0,2}"
    r"(?:rules?|rulebook|edition|version|CR)\b"
    r"|付?け?の?(?:総合)?(?:ルール|規則|版)|版|改訂|適用|発効|施行|時点|現在|当時",
    re.IGNORECASE,
)
# What says in the sentence of a date that it speaks of editions. One rule doesn't: whoever cites it
# may tell of a day.
_OF_EDITIONS = re.compile(
    r"\b(?:rules|rulebooks?|editions?|versions?|CR of)\b|版|ルールブック|総合ルール|改訂|改定|時点",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。！？!?\n]|\.\s")
_LONGEST_SENTENCE = 300  # characters before a date and behind it: a guard


class NamedEdition(NamedTuple):
    """An edition that a text names by a date in text[start:end].

    edition: the date as digits, of a year or a month as well: `2020`, `202203`.
    number_start: where the rule's number begins for which alone it is named; None if it is named
        for all that the sentence says.
    """

    start: int
    end: int
    edition: str
    number_start: int | None


def edition_dates(text: str, loaded: Container[str], every: bool = False) -> Iterator[NamedEdition]:
    """Yield where a text names an edition, in order and without overlaps: by a date beside a word
    for rules or behind a rule's number, or by that of an edition that is loaded, in a sentence that
    speaks of rules, an edition or a version. What is no day of the calendar is passed over.

    loaded: the editions that such a sentence may name; every: take every date for an edition's.

    >>> text = "In the rules of April 2013, and on 2014-01-02; rule 701.15 (2020)"
    >>> [(named.edition, named.number_start) for named in edition_dates(text, ())]
    [('201304', None), ('2020', 52)]
    """
    near: list[tuple[int, int]] = []  # pieces of the text around years
    for year in _YEAR.finditer(text):
        first, last = max(0, year.start() - _LONGEST_DATE), year.end() + _LONGEST_DATE
        if near and first <= near[-1][1]:
            near[-1] = near[-1][0], last
        else:
            near.append((first, last))
    for match in chain.from_iterable(_DATE.finditer(text, *piece) for piece in near):
        start, end = match.span()
        date = _date(match)
        before = max(0, start - _LONGEST_BEFORE)
        number = _NUMBER_BEFORE.search(text, before, start)
        is_of_rules = _RULES_BEFORE.search(text, before, start) or _RULES_BEHIND.match(text, end)
        is_edition = date in loaded and _OF_EDITIONS.search(_sentence_around(text, start, end))
        if date and (every or number or is_of_rules or is_edition):
            yield NamedEdition(start, end, date, number.start() if number else None)


def _sentence_around(text: str, start: int, end: int) -> str:
    before = _SENTENCE_END.split(text[max(0, start - _LONGEST_SENTENCE) : start])[-1]
    return f"{before} {_SENTENCE_END.split(text[end : end + _LONGEST_SENTENCE], 1)[0]}"


def _date(match: re.Match[str]) -> str | None:
    """Return a date as its digits: YYYYMMDD, YYYYMM or YYYY, as far as it is given; None of what is
    no day or month of the calendar."""
    groups = match.groupdict()
    year, month, day = (
        next((found for n in range(1, 6) if (found := groups.get(f"{letter}{n}"))), "")
        for letter in "ymd"
    )
    if month and not month.isdigit():
        month = str(_MONTHS[month.lower().rstrip(".")])
    date = year + month.zfill(2) * bool(month) + day.zfill(2) * bool(day)
    try:
        datetime.strptime(date, "%Y%m%d"[: len(date) - 2 if len(date) > 4 else 2])
    except ValueError:
        return None
    return date


def rules_languages(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, code) where text[start:end] names the language of rules, as places in the
    whole text, in order and without overlaps.

    >>> list(rules_languages("in the Japanese rules 8.9, 英語版では8.10", 0, 40))
    [(7, 21, 'ja'), (27, 30, 'en')]
    """
    for match in _rules_in_language().finditer(text, start, end):
        yield *match.span(), _language_names()[match[match.lastindex or 0].lower()]


@cache
def _language_names() -> dict[str, str]:
    """Return {name of a language, in English or Japanese and small letters: its code}."""
    return {
        name.lower(): code.removeprefix("language_")
        for lang in ("en", "ja")
        for code, name in sentences(lang).items()
        if code.startswith("language_") and code != f"language_{UNDETERMINED}"
    }


@cache
def _rules_in_language() -> re.Pattern[str]:
    names = "|".join(sorted(_language_names(), key=len, reverse=True))
    return re.compile(
        rf"({names})(?:版|の?(?:総合)?(?:ルール|規則|条文|ルールブック)|では|だと)"
        rf"|\bin\s({names})\b(?!\s(?:(?:it|this|that)\s(?:is|was)\s)?(?:called|named|known|as)\b)"
        rf"|\b({names})\s(?:(?:comprehensive|official)\s)?"
        r"(?:rules?|rulebook|book|edition|version|text|numbering|number|one)\b",
        re.IGNORECASE,
    )
