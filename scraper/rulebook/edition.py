"""Finds what names the edition of a rulebook: the date on its title page, else a version.

No library is used for the dates: those for English guess where a date is ambiguous, and those that
know other languages are slow to load and take numbers of rules for dates.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain

from scraper.rulebook.languages import (
    LANGUAGES,
    RulebookLanguage,
    Words,
    alternatives,
    in_digits,
)
from scraper.rulebook.numbering import ends_sentence

# All by hand, in characters of a line in NFKC.
_LONGEST_LINE = 300  # that are looked at; a guard: patterns try each place of a line
_LONGEST_HEADER = 80  # of a line that is no running text: a printed line is hardly longer
_LONGEST_COLOPHON = 60  # of the last lines, which may be of anything
_CONTEXT = 40  # before a date in which its label stands, other words between: half a line
# Beside a date and its label, in a line that is of a title: more says what happens on that day.
_MOST_WORDS, _MOST_LETTERS = 1, 12
# Before a date, where a word shows it to be another's, whatever stands behind: 前版は2025年…適用.
_DIRECTLY = 6
_CLOSE = 20  # for `_CONTEXT` before a month without a day in running text, which may be a season's
_EFFECTIVE, _UPDATED, _HEADER, _IN_TEXT = range(4)  # what a date says, the strongest first

# The numbers of months by their names; only those in English are abbreviated (Set 3 is no date).
_MONTHS = {
    name[:size]: number
    for lang in LANGUAGES
    for size in ((None, 4, 3) if lang.code == "en" else (None,))
    for number, name in enumerate(lang.months, 1)
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
# The year before the first of each era.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|o)?"
_GAP = r"[ .,/-]{0,2}"
# The surer ones first: where two overlap, the earlier of the list is the date.
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<era>{'|'.join(_ERAS)}) ?(?P<year>元|\d{{1,3}}) ?年 ?(?:\((?:19|20)\d\d年?\) ?)?"
        r"(?P<month>\d{1,2}) ?月(?: ?(?P<day>\d{1,2}) ?日)?",
        rf"(?<!\d){_YEAR} ?[-/.年년] ?(?P<month>\d{{1,2}}) ?[-/.月월] ?(?P<day>\d{{1,2}})(?!\d)"
        r"(?: ?[日일])?",
        rf"\b{_MONTH}{_GAP}{_DAY}\b{_GAP}{_YEAR}\b",
        rf"(?<!\d)(?<!\d\.){_DAY}{_GAP}(?:(?:of|de) )?{_MONTH}(?: de)?{_GAP}{_YEAR}\b",
        rf"\b{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}\b",
        r"(?<![\d./-])(?P<one>\d{1,2})(?P<sign>[/.-])(?P<two>\d{1,2})(?P=sign)"
        r"(?P<three>(?:19|20)\d\d)(?!\d)",
        r"(?<![\d./-])(?P<one>\d{1,2})(?P<sign>/)(?P<two>\d{1,2})/(?P<three>\d\d)(?![\d/])",
        r"(?<!\d)(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-2]\d|3[01])(?!\d)",
        rf"\b{_MONTH},? {_YEAR}\b",
        rf"(?<!\d){_YEAR} ?[年년] ?(?P<month>\d{{1,2}}) ?[月월]度?",
    )
)
_IN_FILE_NAME = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<sign>[-_.]?)(?P<month>0[1-9]|1[0-2])(?P=sign)"
    r"(?P<day>[0-2]\d|3[01])(?!\d)"
)
# Four numerals are a year digit by digit; months and days have up to three (二十五).
_IN_KANJI = re.compile(r"[〇一二三四五六七八九十]{1,4}(?=\s?[年月日])")
# A year alone is no version; an ordinal counts only before a word for an edition.
_VERSION = re.compile(
    r"(?:(?<![a-z])(?:versi(?:on|one|ón)|versão|vers?\.?|v\.?|rev(?:ision|isione|isión|isão|\.)?|révision|fassung|edition)"
    r"|バージョン|版本|버전|第(?=[\d.]+版))[ :]{0,2}"
    r"(?P<version>(?!(?:19|20)\d\d\b)\d+(?:\.\d+){0,3}[a-z]?)(?![\w.]*\d)版?"
    r"|(?<![\w.])(?P<ordinal>\d{1,2})(?:st|nd|rd|th|e|[.ªº])? ?"
    r"(?:edition|auflage|fassung|édition|edición|edizione|edição|printing)\b",
    re.IGNORECASE,
)
# Behind `v`, or with three levels: two may be a date or a size.
_VERSION_OF_FILE = re.compile(
    r"(?:(?<![a-z])v(?:er(?:sion)?)?[._-]?|(?<![\d.])(?=\d+\.\d+\.\d))"
    r"(?P<version>\d+(?:\.\d+){0,3})(?!\.?\d)",
    re.IGNORECASE,
)
# Names of editions as they are given: a date without or with signs, also of a month, with a letter
# behind it for a corrected edition; a version that has a point, or a word or letter before it.
_DATE_NAME = re.compile(
    r"(?P<year>(?:19|20)\d\d)(?P<sign>[-/.]?)(?P<month>\d\d)"
    r"(?:(?P=sign)(?P<day>\d\d)(?P<suffix>[a-z]|[-.]\d)?)?",
)
_VERSION_NAME = re.compile(
    r"(?:(?:v|ver|version|r|rev|revision|第)[. _-]?\d+|\d+\.\d+)(?:[._-]\d+)*"
    r"(?:[._-]?[a-z]{1,10}[._-]?\d{0,4})?版?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-*+•・●■]\s|\|)")
_Day = tuple[int, int, int]  # year, month and day; the day is 0 if only the month is given


@dataclass(frozen=True, slots=True)
class Edition:
    """What the edition of a rulebook is called.

    name: a date as YYYYMMDD or YYYYMM, or a version such as `v1.8`; None if there is neither.
    doubt: what the reader should be told of where the name comes from; empty if nothing.
    """

    name: str | None
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class _Mention:
    """A date in a text. rank: what it says of the edition; days: what it may mean; text: itself;
    in_header: whether its line is one of a title page."""

    rank: int
    days: tuple[_Day, ...]
    text: str
    in_header: bool


def find_edition(
    front: Sequence[str], end: Sequence[str], numeric_dates: str, file: str
) -> Edition:
    """Return the edition of a rulebook.

    The date from which the rules are in force is the best name, then that of the last update, then
    any other; of several of a kind those on lines of their own, and of these the newest. Dates at
    the end of the book count if there are none in front. Without a date in the text it is that in
    the file's name, then the version, else None. A date that may be read in several ways, while
    nothing tells in which, gives no name. `doubt` says where a name comes from unless a line of its
    own states it.

    front: the lines before the first rule, and running heads; no contents or history.
    end: the last lines of the book, from which only dates that stand alone or have a label count.
    numeric_dates: a text by whose dates `3/4/2026` is understood, such as the whole book.
    file: the name of the file, or empty.

    >>> find_edition(["Last updated: 1/16/2026", "Effective January 23rd, 2026"], [], "", "").name
    '20260123'
    >>> find_edition(["2025 年 10 月 31 日施行"], [], "", "").name
    '20251031'
    >>> find_edition(["Version 1.8"], [], "", "rules.txt").name
    'v1.8'
    >>> find_edition([], [], "", "rules.txt").name is None
    True
    """
    front = [_simple(line) for line in front]
    of_file = _day_of_file(file)
    mentions = list(_mentions(front))
    known = [m for m in mentions if len(m.days) == 1]
    doubtful = [m for m in mentions if len(m.days) > 1]
    if doubtful:
        known += _decided(doubtful, numeric_dates, of_file)
    if not known:
        last = (_simple(line) for line in end)
        colophon = (m for line in last if _is_colophon(line) for m in _mentions([line]))
        known = [m for m in colophon if len(m.days) == 1]
    decided = {mention.text for mention in known}
    unclear = next(
        (
            f"the date {m.text} may be read in several ways"
            for m in doubtful
            if m.text not in decided
        ),
        "",
    )
    if known:
        best = min(mention.rank for mention in known)
        ranked = [mention for mention in known if mention.rank == best]
        stated = [mention for mention in ranked if mention.in_header] or ranked
        day = max(mention.days[0] for mention in stated)
        name = _name_of(day)
        after_update = (m for m in known if best == _UPDATED < m.rank and m.days[0] > day)
        later = next((mention.text for mention in after_update), "")
        if best == _IN_TEXT and not unclear and day != of_file:
            unclear = "no line says of which date the rules are; a sentence has one"
        elif later and not unclear and day != of_file:
            unclear = f"a later date stands there, too, {later}"
        elif not stated[0].in_header and not unclear and day != of_file:
            # What a sentence says to be in force may be another document.
            titled = (m.text for m in known if m.rank == _HEADER and m.days[0] != day)
            alone = next(titled, "")
            unclear = alone and f"a sentence has that date; another stands alone, {alone}"
        return Edition(name, unclear and f"{unclear}; the edition is taken to be {name}")
    where = unclear or "no date of the edition was found in the text"
    if of_file:
        name = _name_of(of_file)
        return Edition(name, f"{where}; the edition is {name}, from the file's name")
    headers = [line for line in front if _is_header(line) and len(_ORDINAL.findall(line)) < 2]
    if version := _version(headers, file):
        return Edition(version, f"{where}; the edition is named by its version, {version}")
    return Edition(None, f"{where}; say which edition it is, or name it in the manifest")


def edition_of(given: str) -> str | None:
    """Return the name of an edition that a person or a manifest gives: a date as ids write it, a
    version as it is given, without spaces; None if it is neither, such as a word or a year alone,
    or a date that may be read in several ways.

    >>> [edition_of(given) for given in ("2023-11-17", "17 Nov 2023", "202407", "v1.10", "2.2.0")]
    ['20231117', '20231117', '202407', 'v1.10', '2.2.0']
    >>> [edition_of(given) for given in ("soon", "2024", "20241399", "version 2")]
    [None, None, None, 'version2']
    >>> edition_of("令和五年五月五日")
    '20230505'
    """
    text = _simple(given)
    if match := _DATE_NAME.fullmatch(text):
        day = int(match["day"] or 1)
        try:
            date(int(match["year"]), int(match["month"]), day)
        except ValueError:
            return None
        return f"{match['year']}{match['month']}{match['day'] or ''}{match['suffix'] or ''}"
    for match, days in _dates_in(text):
        if match[0] == text and len(days) == 1:
            return _name_of(days[0])
    return text.replace(" ", "") if _VERSION_NAME.fullmatch(text) else None


def without_dates(text: str) -> str:
    """Return a line without the dates and versions in it, in NFKC, each replaced by a space; at
    most 300 characters of it.

    >>> without_dates("見本 ver.1.2 2025年1月2日").split()
    ['見本']
    """
    return _VERSION.sub(" ", _cut_dates(_simple(text)))


def is_date(line: str) -> bool:
    """Whether a line is nothing but a date, with or without its label, two letters aside.

    >>> is_date("3 Feb 2025"), is_date("3 Cards")
    (True, False)
    """
    text = _simple(line)
    dates = list(_dates_in(text))
    return bool(dates) and len(re.findall(r"\w", without_dates(_LABEL.sub("", text)))) < 3


def _simple(line: str) -> str:
    """Return the first 300 characters of a line in NFKC, stripped, with single spaces and without
    Markdown's marks, and with digits in dates that are in kanji (令和五年五月五日)."""
    text = unicodedata.normalize("NFKC", line[:_LONGEST_LINE])
    text = _IN_KANJI.sub(lambda match: in_digits(match[0]), text)
    return " ".join(re.sub(r"[*_\\]+|^\s*(?:#+|>)\s", "", text).split())


_WORDS: tuple[tuple[Callable[[RulebookLanguage], Words], int | None], ...] = (
    (lambda lang: lang.other_editions, None),
    (lambda lang: lang.effective, _EFFECTIVE),
    (lambda lang: lang.updated, _UPDATED),
)


def _unspaced(words: Callable[[RulebookLanguage], Words]) -> str:
    """Return the alternatives of such words, as a pattern, in languages that do without spaces."""
    return alternatives(lambda lang: () if lang.spaced else words(lang))


_BEFORE = tuple((re.compile(alternatives(words), re.IGNORECASE), kind) for words, kind in _WORDS)
# Languages without spaces put such words directly behind a date, unless they are the next label.
_BEHIND = tuple(
    (
        re.compile(f"[ (]?(?:に|より|から|起|以降)?{_unspaced(words)}(?!日? ?:)"),
        kind,
    )
    for words, kind in _WORDS
)
_RULES = re.compile(alternatives(lambda lang: lang.generic_titles), re.IGNORECASE)
_OTHER_DOCUMENT = re.compile(r"\bFAQ\b|\bQ ?& ?A\b")  # whose date the line has; in capitals only
_TIME = re.compile(r"T?\d\d:\d\d(?::\d\d)?Z?")
_EDITION = re.compile(
    r"第?[\d.〇一二三四五六七八九十]*版|\b(?:edition|édition|ausgabe|edición|edizione|edição)\b",
    re.IGNORECASE,
)
# Of several on a line each date is of its own edition: `1. Auflage 2019 · 2. Auflage 2. Mai 2022`.
_ORDINAL = re.compile(
    r"\d{1,2}(?:st|nd|rd|th|e|\.)? ?(?:edition|auflage|édition|edición|edizione|edição)\b", re.I
)
_RANGE = re.compile(r" ?[~〜～–—] ?(?=\d)")
_RANGE_BEFORE = re.compile(r"\d[^\s\d]? ?[~〜～–—] ?$")
_LABEL = re.compile(
    alternatives(lambda lang: (*lang.effective, *lang.updated)) + r"日?|最終|最后|最後|"
    r"\b(?:last|date|as of|on)\b",
    re.IGNORECASE,
)


def _mentions(lines: Sequence[str]) -> Iterator[_Mention]:
    """Yield the dates in lines that may be those of the edition, in order; the lines are `_simple`.

    Left out are those of other editions, the ends of a range, all of a line about several editions,
    and months without a day in running text, unless a label is near.
    """
    for n, line in enumerate(lines):
        behind = 0
        for match, days in _dates_in(line):
            before = line[max(behind, match.start() - _CONTEXT) : match.start()]
            if not before.strip() and n and _is_label(lines[n - 1]):
                before = lines[n - 1]
            behind = match.end()
            if _is_of_range(line, match) or len(_ORDINAL.findall(line)) > 1:
                continue
            has_day = days[0][2] > 0
            if not has_day and not _is_header(line):  # as of a season that a sentence speaks of
                before = before[-_CLOSE:]
            rank = _rank(before, line[match.end() : match.end() + 12], line)
            said = f"{lines[n - 1]} {line}" if n else line  # a bracket may open a line before
            place = match.start() + len(said) - len(line)
            if rank is not None and not _is_header(said) and _is_aside(said, place):
                rank = _IN_TEXT
            if rank is not None and (has_day or rank < _IN_TEXT):
                yield _Mention(rank, days, match[0], _is_header(line))


def _is_of_range(line: str, date: re.Match[str]) -> bool:
    """Whether a date is the first or last one of a season or the like: `2024년 9월 ~ 2025년 8월`.

    date: its match in the line.
    """
    before = _VERSION.sub("", line[: date.start()])  # `revision 4 – 5 May 2020` is none
    return bool(_RANGE.match(line, date.end()) or _RANGE_BEFORE.search(before))


def _is_aside(line: str, place: int) -> bool:
    """Whether a place in a sentence stands in brackets behind what these are on, such as another
    document."""
    begin = max(line.rfind("(", 0, place), line.rfind("[", 0, place))
    closed = max(line.rfind(")", begin, place), line.rfind("]", begin, place)) > begin >= 0
    return begin > 0 and not closed and any(map(str.isalpha, line[:begin]))


def _rank(before: str, behind: str, line: str) -> int | None:
    """Return what a date says (`_EFFECTIVE` to `_IN_TEXT`), by the words beside it; None if it is
    that of another edition or document. Words behind it come before those in front of it."""
    if _OTHER_DOCUMENT.search(line) or _BEFORE[0][0].search(before[-_DIRECTLY:]):
        return None
    for pattern, rank in _BEHIND:
        if pattern.match(behind):
            return rank
    for pattern, rank in _BEFORE:
        if pattern.search(before):
            return rank
    return _HEADER if _is_header(line) and _is_of_title(line) else _IN_TEXT


def _is_of_title(line: str) -> bool:
    """Whether a line says nothing but its date and of which rules it is: no release, championship
    or foreword of that day. One word of 12 letters may be beside it; any, if the line names rules
    or begins with a version."""
    if _RULES.search(line) or _VERSION.match(line):  # a row of a table of versions
        return True
    rest = _LABEL.sub(" ", _EDITION.sub(" ", without_dates(_TIME.sub(" ", line))))
    return len(re.findall(r"\w+", rest)) <= _MOST_WORDS and len(rest) <= _MOST_LETTERS


def _is_label(line: str) -> bool:
    """Whether a line begins as the label of a date on the next line, and has none itself; it is
    short."""
    found = len(line) < _CONTEXT and _LABEL.match(line) is not None
    return found and not any(_dates_in(line))


def _is_header(line: str) -> bool:
    """Whether a line is one of a title page, not of a text or a list: it is short, no sentence, and
    has no bullet. True for an empty one."""
    return len(line) <= _LONGEST_HEADER and not ends_sentence(line) and not _BULLET.match(line)


def _is_colophon(line: str) -> bool:
    """Whether a line at the end of a book may say its date: it is that, or has a label and is no
    sentence; at most 60 characters."""
    return len(line) <= _LONGEST_COLOPHON and (
        is_date(line) or (_is_header(line) and _LABEL.search(line) is not None)
    )


def _dates_in(line: str) -> Iterator[tuple[re.Match[str], tuple[_Day, ...]]]:
    """Yield the dates in a line, in order and without overlap, and the days that each may mean (at
    least one); what the calendar does not have is no date."""
    found: list[tuple[re.Match[str], tuple[_Day, ...]]] = []
    for pattern in _DATES:
        for match in pattern.finditer(line):
            free = all(m.end() <= match.start() or match.end() <= m.start() for m, _ in found)
            if free and (days := _days(match)):
                found.append((match, days))
    yield from sorted(found, key=lambda item: item[0].start())


def _days(match: re.Match[str]) -> tuple[_Day, ...]:
    """Return the days that a date may mean, without those that the calendar does not have; empty
    if it has none. Several only of a date in figures, in ascending order."""
    parts = match.groupdict()
    if "one" in parts:
        return tuple(sorted({day for _, day in _orders(match)}))
    month = parts["month"].lower()
    number = int(month) if month.isdigit() else _MONTHS[month]
    year = 1 if parts["year"] == "元" else int(parts["year"])
    year += _ERAS.get(parts.get("era") or "", 0)
    day = int(parts.get("day") or 0)
    return ((year, number, day),) if _exists(year, number, day or 1) else ()


def _orders(match: re.Match[str]) -> Iterator[tuple[str, _Day]]:
    """Yield (order, day) for each order in which a date in figures may be read, such as ("dmy",
    (2026, 4, 3)); with full stops the day is first. A year of two digits may come first, too."""
    one, two, three = (int(match[name]) for name in ("one", "two", "three"))
    short = len(match["three"]) == 2
    year = 2000 + three if short else three
    orders = [("dmy", (year, two, one))]
    if match["sign"] != ".":
        orders.append(("mdy", (year, one, two)))
    if short:
        orders.append(("ymd", (2000 + one, two, three)))
    yield from ((order, day) for order, day in orders if _exists(*day))


def _decided(doubtful: Sequence[_Mention], text: str, of_file: _Day | None) -> Iterator[_Mention]:
    """Yield the dates that may be read in several ways but are decided, each with its one day: by
    the date in the file's name, or as the other dates in `text`, if all in one order, show what
    stands first. Others are left out."""
    shown = {
        possible[0][0]
        for match in _in_figures(text)
        if match["sign"] != "." and len(possible := list(_orders(match))) == 1
    }
    for mention in doubtful:
        orders = dict(order for match in _in_figures(mention.text) for order in _orders(match))
        day = of_file if of_file in mention.days else None
        if day is None and len(shown) == 1:
            day = orders.get(next(iter(shown)))
        if day:
            yield replace(mention, days=(day,))


_IN_FIGURES = tuple(pattern for pattern in _DATES if "one" in pattern.groupindex)


def _in_figures(text: str) -> Iterator[re.Match[str]]:
    """Yield the dates in a text whose order of day, month and year is not shown by words, those
    with four digits of the year first."""
    return chain.from_iterable(pattern.finditer(text) for pattern in _IN_FIGURES)


def _exists(year: int, month: int, day: int) -> bool:
    """Whether the calendar has a day, in a year that a rulebook may be of: 1970 to 2099."""
    try:
        return 1970 <= date(year, month, day).year <= 2099
    except ValueError:
        return False


def _day_of_file(file: str) -> _Day | None:
    """Return the date in a file's name, year first; None if it has none, or different ones."""
    matches = _IN_FILE_NAME.finditer(file)
    days = {day for match in matches for day in _days(match)}
    return days.pop() if len(days) == 1 else None


def _version(header: Iterable[str], file: str) -> str | None:
    """Return the first version in the lines of a title page, else in the file's name, as `v1.8`;
    an ordinal (`3rd edition`) as `v3`; None if there is none."""
    matches = (_VERSION.search(without) for without in map(_cut_dates, header))
    match = next((match for match in matches if match), None)
    if match:
        return f"v{match['version'] or match['ordinal']}"
    stem = re.sub(r"\.[a-z]{2,4}$", "", file, flags=re.IGNORECASE)
    match = _VERSION_OF_FILE.search(stem)
    return f"v{match['version']}" if match else None


def _cut_dates(text: str) -> str:
    """Return a line with a space for each of its dates."""
    for pattern in _DATES:
        text = pattern.sub(" ", text)
    return text


def _name_of(day: _Day) -> str:
    """Return a date as ids write it: YYYYMMDD, or YYYYMM without a day."""
    year, month, number = day
    return f"{year}{month:02}{number:02}" if number else f"{year}{month:02}"
