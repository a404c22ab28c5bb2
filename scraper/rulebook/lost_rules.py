"""Tells what may have been lost of a rulebook, by its own numbers.

Nothing here is sure. A warning is worth its reader's time where a good book gives none: the bounds
were chosen on 33 rulebooks of nine games, none of which passes them but where numbers are missing.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from scraper.page import ReadWarning
from scraper.rulebook import page_layout
from scraper.rulebook.classified_lines import ClassifiedLines
from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import (
    ALONE,
    MISREAD,
    NumberedLine,
    doubtful_number_at,
    follows,
    levels,
    number_at,
    number_key,
)
from scraper.rulebook.part_headings import heading_number
from scraper.rulebook.statutes import is_article

# Possessive: else a long run of letters took a time that doubles with each of them.
_NUMBER = re.compile(r"(?<![\w.])(\d{1,4})\.\d{1,3}+(?:\.?[a-z\d]{1,3})*+(?!\w)")
# Bounds without a figure beside them are by hand; all were held against the 33 books.
_FEWEST_MENTIONS = 2  # of the numbers of a section that is missing; one may be a decimal
_SECTION = 2  # steps of the key of a section, by `number_key`: 4.2, and 421 of chapter 4
_FEWEST_CITED = 5  # numbers without a rule; the authors of good books have up to four
# Of the numbers in the contents, where most are those of rules; where more are missing, a part of
# the book is loaded, or its contents are numbered otherwise.
_MOST_MISSING = 0.3
_SHOWN = 3  # places in a warning, which is one line: enough to see what they have in common
_LONG = 5000  # characters of a rule; the longest of a good book has 4,200
_TIMES = 20  # as many characters as most rules; in a good book at most 18
# Characters of the median rule at most, as if it were that; where hardly any number is read, it is
# far longer, and no rule would be long beside it.
_USUAL = 400


def health_warnings(source: ClassifiedLines, front: Sequence[str]) -> list[ReadWarning]:
    """Return a warning each of jumps in the numbers of a book, of numbers that are only cited or
    in its contents, of those in its glossary, of misread ones, and of rules without end, with the
    first three places of each (`line 12: 4.2`); none for a book without rules. `where` of each is
    `numbering`.

    front: the lines before the rules. A book that calls itself an excerpt there may jump.
    """
    rules = [source.rules[n] for n in sorted(source.rules)]
    if not rules:
        return []
    # Lines break within words in Japanese, and between them in English.
    is_excerpt = any(_excerpt().search(separator.join(front)) for separator in ("", " "))
    found = []
    for what, find in _OF_ANY if is_excerpt else (*_OF_WHOLE, *_OF_ANY):
        if places := list(find(source, rules)):
            found.append(f"{what}: {len(places)} ({'; '.join(places[:_SHOWN])})")
    return [ReadWarning("numbering", what) for what in found]


@cache
def _excerpt() -> re.Pattern[str]:
    return re.compile(alternatives(lambda lang: lang.excerpt), re.IGNORECASE)


def _jumps(source: ClassifiedLines, rules: list[NumberedLine]) -> Iterator[str]:
    """Yield where a number does not follow the one before, as `line 12: 4.2 → 4.4`.

    Authors leave out whole sections (183, 300). Those count only if the book speaks of their rules.
    """
    if is_article(rules[0]):  # 第14条の2 stands behind 第14条; paragraphs are in order
        rules = [replace(rule, key=rule.key[:1]) for rule in rules if is_article(rule)]
    mentioned = Counter[int]()
    for before, after in pairwise(rules):
        if before.key == after.key or follows(before.key, after.key):
            continue
        mentioned = mentioned or _mentioned(source)
        missing = _missing_sections(before, after)
        if missing and sum(mentioned[section] for section in missing) < _FEWEST_MENTIONS:
            continue
        yield f"line {after.line + 1}: {before.number} → {after.number}"


def _mentioned(source: ClassifiedLines) -> Counter[int]:
    """Return how often the book has numbers of rules of each section (the digits before the first
    dot), or cites it; one in its contents counts twice, so that it is enough."""
    found = Counter(int(number) for line in source.lines for number in _NUMBER.findall(line))
    cited = (match for line in source.lines for match in _cited().finditer(line))
    found.update(int(match[1] or match[2]) for match in cited)
    for number in _contents(source).values():
        if (first := levels(number.number)[0]).isdigit():
            found[int(first)] += _FEWEST_MENTIONS
    return found


@cache
def _cited() -> re.Pattern[str]:
    """Return the pattern of a section of three digits that is cited: `see 433. Combat` (group 1 is
    the number), 433. 戦闘を参照 (group 2)."""
    before = alternatives(lambda lang: lang.rule_words + lang.see_before)
    behind = alternatives(lambda lang: lang.see_behind)
    return re.compile(
        rf"{before}\s?(\d{{3}})(?!\d|\.\d)|(?<![\d.])(\d{{3}})\.\s[^。.\n]{{1,30}}?{behind}",
        re.IGNORECASE,
    )


def _contents(source: ClassifiedLines) -> dict[int, NumberedLine]:
    """Return the numbers that lines of the contents begin with, by line, in order; these may be a
    column of numbers alone before the first rule."""
    first = min(source.rules, default=0)
    alone = ((n, doubtful_number_at(source.lines[n].strip())) for n in range(first))
    column = {n for n, number in alone if number and number.form == ALONE}
    lines = column | {n for n, why in source.omitted.items() if why == page_layout.CONTENTS}
    found = ((n, number_at(f"{source.lines[n].strip()} .", n)) for n in sorted(lines))
    return {n: number for n, number in found if number}


def _in_contents_only(source: ClassifiedLines, rules: list[NumberedLine]) -> Iterator[str]:
    """Yield the numbers in the contents that no rule and no heading of a part has, before the first
    rule or behind the last, as `line 12: 4.2`, if most others are those of rules: the jumps between
    rules do not tell what is missing at either end."""
    contents = _contents(source)
    known = {rule.key for rule in rules}
    known |= {number.key for n in source.parts if (number := heading_number(source.lines[n]))}
    missing = {n: number for n, number in contents.items() if number.key not in known}
    outside = [n for n in missing if not rules[0].key < missing[n].key < rules[-1].key]
    if outside and len(missing) < _MOST_MISSING * len(contents):
        yield from (f"line {n + 1}: {missing[n].number}" for n in outside)


def _in_glossary(source: ClassifiedLines, rules: list[NumberedLine]) -> Iterator[str]:
    """Yield the lines of glossaries that begin with numbers of several levels behind that of the
    last rule, as `line 12: 4.2`, if there are at least five."""
    numbers = (
        number
        for n in source.glossaries
        if n not in source.rules and (number := number_at(source.lines[n].strip(), n))
    )
    found = [each for each in numbers if len(levels(each.number)) > 1 and each.key > rules[-1].key]
    if len(found) >= _FEWEST_CITED:
        yield from (f"line {number.line + 1}: {number.number}" for number in found)


def _missing_sections(before: NumberedLine, after: NumberedLine) -> range | None:
    """Return the numbers of the sections, if they have three digits, or else chapters, that are
    missing whole between two rules; None if part of one is missing, or none at all.

    >>> from scraper.rulebook.numbering import number_at
    >>> pairs = (("183.1", "300"), ("4.2", "6.1"), ("4.2", "4.4"), ("183.1", "300.5"))
    >>> [_missing_sections(number_at(f"{a} A"), number_at(f"{b} A")) for a, b in pairs]
    [range(184, 300), range(5, 6), None, None]
    """
    index = int(len(levels(after.number)[0]) > 2 and after.number[0].isdigit())
    if len(before.key) <= index:
        return None
    missing = range(before.key[index] + 1, after.key[index])
    is_first = all(step in (0, 1) for step in after.key[index + 1 :])
    return missing if missing and is_first else None


def _cited_only(source: ClassifiedLines, rules: list[NumberedLine]) -> Iterator[str]:
    """Yield the numbers that the book speaks of, and that no rule has, each once with its first
    line (`line 12: 4.2`), if there are at least five; those of sections that are not there may be
    of a part of the book that is not loaded."""
    numbers = {rule.number for rule in rules}
    sections = {rule.key[:2] for rule in rules}
    found: dict[str, int] = {}
    for n, line in enumerate(source.lines):
        if n >= rules[0].line and n not in source.omitted:
            for match in _NUMBER.finditer(line):
                key = number_key(match[0])
                if match[0] not in numbers and len(key) > _SECTION and key[:2] in sections:
                    found.setdefault(match[0], n + 1)
    if len(found) >= _FEWEST_CITED:
        yield from (f"line {line}: {number}" for number, line in found.items())


def _long_rules(source: ClassifiedLines, rules: list[NumberedLine]) -> Iterator[str]:
    """Yield which rules are long out of all proportion, as `line 12: 4.2`: above `_LONG`, and
    `_TIMES` the median, or `_USUAL` if that is less. A rule's text goes to the next rule or heading
    of a part; omitted lines do not count."""
    ends = [*(rule.line for rule in rules[1:]), len(source.lines)]
    parts = sorted(source.parts)
    sizes = []
    for rule, end in zip(rules, ends, strict=True):
        place = bisect(parts, rule.line)
        end = min(end, parts[place]) if place < len(parts) else end
        lines = (n for n in range(rule.line, end) if n not in source.omitted)
        sizes.append(sum(len(source.lines[n].strip()) for n in lines))
    usual = sorted(sizes)[len(sizes) // 2]
    for rule, size in zip(rules, sizes, strict=True):
        if size > max(_LONG, _TIMES * min(usual, _USUAL)):
            yield f"line {rule.line + 1}: {rule.number}"


def _misread(_: ClassifiedLines, rules: list[NumberedLine]) -> Iterator[str]:
    """Yield the rules whose numbers were read where letters stand for digits, as `line 12: 4.2`."""
    yield from (f"line {rule.line + 1}: {rule.number}" for rule in rules if rule.form == MISREAD)


# What is said of a whole book, and of an excerpt as well, with what finds the places.
_OF_WHOLE = (
    ("places where the numbers jump, so that rules may be missing or unread", _jumps),
    ("numbers that are cited in their own sections, but are no rules", _cited_only),
    ("headings of the contents that the book does not have", _in_contents_only),
)
_OF_ANY = (
    ("numbered lines below the heading of a glossary, which are no rules there", _in_glossary),
    ("numbers read where letters stand for digits", _misread),
    ("rules that are far longer than others, so that they may hold others", _long_rules),
)
