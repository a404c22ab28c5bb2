"""Tells the headings of the parts of a rulebook that are not rules, such as its glossary."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import NumberedLine, number_at

Part = Literal["glossary", "credits", "history", "appendix"]

_LONGEST = 60  # characters of a heading; those of five games' books have up to 23
# Behind a part's name its name in another language or a remark: `用語集 / Glossary (A–Z)`.
_BETWEEN = r"\s*[/／|｜・:：–—-]?\s*"
# Bounds of both are by hand, below `_LONGEST` with the name itself.
_TRANSLATED = r"\s*[/／|｜]\s*[^\W\d_][^\n/]{0,30}"
_REMARK = r"(?:\s*[(（［\[][^()（）［］\[\]]{1,30}[)）］\]])?"
_NAMES: dict[Part, str] = {
    "glossary": alternatives(lambda lang: lang.glossary),
    "credits": alternatives(lambda lang: lang.credits),
    "history": alternatives(lambda lang: lang.history),
}
_APPENDIX = (
    alternatives(lambda lang: lang.appendix) + r"\s*(?:[A-ZＡ-Ｚ]|\d{1,2}|[IVX]{1,4})?(?!\w)"
)
_PATTERNS = {
    part: re.compile(f"{name}(?:{_BETWEEN}{name}|{_TRANSLATED})?{_REMARK}", re.IGNORECASE)
    for part, name in _NAMES.items()
}
_APPENDIX_NAME = re.compile(rf"{_APPENDIX}(?:\s*[:：.．—–-]\s*|\s+|(?=[(（])|$)", re.IGNORECASE)
_OPENING = re.compile(
    r"\A(?:#{1,6}\s+|[*_=~■□◆◇●○◎▼▽▲△★☆※▪▸►【［\[〔〈《＜<「『〖\-–—―・~〜～\s]+)"
)
_CLOSING = re.compile(r"[*_=~#■□◆◇●○◎▼▽▲△★☆※▪◂◄】］\]〕〉》＞>」』〗\-–—―・〜～:：\s]+$")
# A space between Japanese or Chinese characters that stand alone: 用 語 集.
_SPACED = re.compile(r"(?<=[ぁ-ヺ一-鿿])\s(?=[ぁ-ヺ一-鿿](?:\s|$))")
_SENTENCE_END = re.compile(r"[。．.!?！？;；…]['\"”’]*$")


def part_of_heading(line: str) -> Part | None:
    """Return the part of a rulebook that a line is the heading of; None if it heads none.

    The heading is the whole line, at most 60 characters, except for a number before it and signs
    around it; what follows the name of an appendix does not matter. An appendix that is a glossary
    is a glossary. Several words all in small letters, without number or signs, are a line of prose.

    >>> part_of_heading("第12章 用語集（五十音順）"), part_of_heading("## Appendix A: Glossary")
    ('glossary', 'glossary')
    >>> part_of_heading("付録A 色の一覧"), part_of_heading("See the glossary.")
    ('appendix', None)
    """
    text = line.strip()
    if not text or len(text) > _LONGEST or _SENTENCE_END.search(text):
        return None
    title = _title(text)
    if title.islower() and title == text and " " in title:
        return None  # a broken line of prose
    for part, pattern in _PATTERNS.items():
        if pattern.fullmatch(title):
            return part
    appendix = _APPENDIX_NAME.match(title)
    if not appendix:
        return None
    named = _CLOSING.sub("", _OPENING.sub("", title[appendix.end() :]))
    return "glossary" if _PATTERNS["glossary"].fullmatch(named) else "appendix"


def heading_number(line: str) -> NumberedLine | None:
    """Return the number before a part's heading, also behind signs, with spans in the stripped
    line; None if it has none. The line need not head a part.

    >>> heading_number("12. Glossary").number, heading_number("Glossary")
    ('12', None)
    """
    text = line.strip()
    number = number_at(text)
    if number or not (opening := _OPENING.match(text)):
        return number
    number, shift = number_at(text[opening.end() :]), opening.end()
    if number is None:
        return None
    start, end = number.span
    return replace(number, span=(start + shift, end + shift), start=number.start + shift)


def _title(text: str) -> str:
    """Return a heading without its number and the signs around it, and without wide setting (用語集
    for 用 語 集); case stays."""
    number = heading_number(text)
    title = _OPENING.sub("", text[number.start :] if number else text)
    return _SPACED.sub("", _CLOSING.sub("", title))
