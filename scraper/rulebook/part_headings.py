"""Tells the headings of the parts of a rulebook that are not rules, and the rules of outlines.

In an outline `A.` stands below `I.`, then `1.` and `a.`: each line has its own label alone, and is
cited as `I.A.1.a`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from operator import attrgetter
from string import ascii_lowercase, ascii_uppercase
from typing import Literal

from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import Form, NumberedLine, number_at, number_key

_LABEL = re.compile(r"([IVX]{1,6}|[A-Z]|\d{1,2}|[a-z])[.)]\s+(?=\S)")
_CITED = re.compile(r"(?<![\w.])[IVX]{1,6}\.[A-Z](?:\.\d{1,2}(?:\.[a-z])?)?(?![\w.]*\w)")
# Citations of an outline, and its rules. By hand: fewer citations may be of another book, and fewer
# rules may be a list.
_FEWEST_CITED, _FEWEST = 3, 8
# Lines that may be the first of the outline, each tried to the end: those in the contents, running
# heads and lists come before. By hand.
_MOST_STARTS = 5
# The labels of each level, in order; the four that are known to be cited (`I.A.1.a`).
_LEVELS: tuple[Sequence[str], ...] = (
    "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split(),
    ascii_uppercase,
    tuple(map(str, range(1, 100))),
    ascii_lowercase,
)


def outline_rules(lines: Sequence[str], omitted: Container[int]) -> list[NumberedLine]:
    """Return the rules of a book that is laid out as an outline, in order; empty for others.

    It is one if it has at least three citations by the labels above them (`II.C.3`), and eight
    rules. A label counts if it is the next of its level, or the first below the last one; others
    are text. Of several lines with `I` the one with the most rules below it is the first.

    omitted: the indices of lines that are skipped.

    >>> text = "I. Play|A. Draw|1. See I.A.2 or I.B.|2. Keep it.|B. Go|1. By I.A.1.|2. End.|3. Or"
    >>> [rule.number for rule in outline_rules([f"{line} not." for line in text.split("|")], ())]
    ['I', 'I.A', 'I.A.1', 'I.A.2', 'I.B', 'I.B.1', 'I.B.2', 'I.B.3']
    """
    if sum(len(_CITED.findall(line)) for line in lines) < _FEWEST_CITED:
        return []
    labels = [
        (n, match)
        for n, line in enumerate(lines)
        if n not in omitted and (match := _LABEL.match(line.strip()))
    ]
    # The contents begin as the text does.
    starts = [at for at, (_, match) in enumerate(labels) if match[1] == "I"][:_MOST_STARTS]
    found = max((_chain(labels[at:]) for at in starts), key=len, default=[])
    return found if len(found) >= _FEWEST else []


def _chain(labels: Sequence[tuple[int, re.Match[str]]]) -> list[NumberedLine]:
    """Return the rules of the labels that follow each other from the first on.

    labels: the lines that begin with one, and its match in the stripped line.
    """
    path: list[int] = []  # the place of the last label at each level
    found = []
    for n, match in labels:
        level = _level(match[1], path)
        if level is None:
            continue
        path[level:] = [path[level] + 1 if level < len(path) else 0]
        number = ".".join(names[place] for names, place in zip(_LEVELS, path, strict=False))
        form: Form = (False, "outline", level)
        found.append(
            NumberedLine(n, number, number_key(number, {0}), form, match.span(1), match.end())
        )
    return found


def _level(label: str, path: Sequence[int]) -> int | None:
    """Return the level of a label, from 0 for `I`, the deepest where it is the next one; None where
    it is at none.

    path: as in `_chain`.
    """
    for level in range(min(len(path), len(_LEVELS) - 1), -1, -1):
        due = path[level] + 1 if level < len(path) else 0
        if due < len(_LEVELS[level]) and _LEVELS[level][due] == label:
            return level
    return None


Part = Literal["glossary", "credits", "history", "appendix"]

_LONGEST = 60  # characters of a heading; those of five games' books have up to 23
# Behind a part's name its name in another language or a remark: `用語集 / Glossary (A–Z)`.
_BETWEEN = r"\s*[/／|｜・:：–—-]?\s*"
# Bounds of both are by hand, below `_LONGEST` with the name itself.
_TRANSLATED = r"\s*[/／|｜]\s*[^\W\d_][^\n/]{0,30}"
_REMARK = r"(?:\s*[(（［\[][^()（）［］\[\]]{1,30}[)）］\]])?"
_WHOLE: tuple[Part, ...] = ("glossary", "credits", "history")  # whose name is the whole heading
_APPENDIX = (
    alternatives(lambda lang: lang.appendix) + r"\s*(?:[A-ZＡ-Ｚ]|\d{1,2}|[IVX]{1,4})?(?!\w)"
)
_PATTERNS = {
    part: re.compile(f"{name}(?:{_BETWEEN}{name}|{_TRANSLATED})?{_REMARK}", re.IGNORECASE)
    for part in _WHOLE
    for name in (alternatives(attrgetter(part)),)
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
