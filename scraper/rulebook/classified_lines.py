"""Classifies the lines of a rulebook: rules, headings of parts, what is printed beside the text.

Which lines begin a rule is inferred (`scraper.rulebook.rule_chain`), as is where the file breaks
its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scraper.page import text_size
from scraper.rulebook import page_layout
from scraper.rulebook.contents_entries import ContentsEntry, unstated_entries
from scraper.rulebook.glossary import Piece
from scraper.rulebook.glossary_chapters import (
    ends_chapter,
    is_in_chapter,
    read_glossaries,
)
from scraper.rulebook.languages import begins_example
from scraper.rulebook.lettered_rules import with_lettered_rules
from scraper.rulebook.markdown import without_markdown
from scraper.rulebook.numbering import (
    Key,
    NumberedLine,
    ends_sentence,
    follows,
    is_number_alone,
    levels,
    looks_like_heading,
    number_at,
    number_key,
    roman_levels,
)
from scraper.rulebook.part_headings import heading_number, part_of_heading
from scraper.rulebook.rule_chain import rule_lines

# A line that begins with a number of two levels or more, however it is written. It shares nothing
# with the grammar of `numbering`, as it finds the lines which that does not understand.
_NUMBERED_LINE = re.compile(
    r"(?m)^\W{0,6}(?:\d{1,3}|[A-Z０-９])[^\w\s]{1,2}[\dA-Za-z０-９]{1,3}"
    r"(?![^\W\d_])(?:[^\w\s]{0,2}[\dA-Za-z０-９]{1,3}(?![^\W\d_]))*+[^\w\s]{0,2}[ \t\u3000]+\S"
)
BULLET = re.compile(r"[・•●○◎◊◆◇■□▪▸►‣※＊*‐–—-]\s|[・•●◊◆◇■□▪‣※①-⑳](?=\S)|[(（]\d{1,2}[)）]")


def unread_lines(source: ClassifiedLines) -> Iterator[int]:
    """Yield the indices of the lines that begin with a number of two levels or more, but are no
    rules; lines that are in other parts of the book or continue a sentence do not count."""
    in_part = False
    for n, line in enumerate(source.lines):
        in_part = (in_part or source.parts.get(n, "appendix") != "appendix") and (
            n not in source.rules
        )
        known = n in source.omitted or n in source.rules or n in source.broken
        if not in_part and not known and _NUMBERED_LINE.match(line[:200]):
            yield n


@dataclass(frozen=True, slots=True)
class ClassifiedLines:
    """The lines of a rulebook, and what each of them is; all other fields hold their indices.

    omitted: the reasons to leave lines out.
    entries: those of them that name rules which the book does not have, in its contents.
    parts: the headings of parts that are not rules, and which part (a `Part`).
    rules: the lines that begin a rule.
    headings: those of them that may be headings of further rules.
    glossaries: the lines of glossaries, and the headwords and glosses in each.
    edge: the column where lines are broken; None if each line is a paragraph.
    broken: the lines that continue a sentence of the line before.
    unread: lines that begin as rules do, but whose numbers come twice or out of order.
    marks: the number of characters of Markdown that the lines are without.
    """

    lines: Sequence[str]
    omitted: dict[int, str]
    entries: Mapping[int, ContentsEntry]
    parts: Mapping[int, str]
    rules: dict[int, NumberedLine]
    headings: frozenset[int]
    glossaries: dict[int, tuple[Piece, ...]]
    edge: int | None
    broken: frozenset[int]
    unread: list[int]
    marks: int


def classify_lines(text: str) -> ClassifiedLines:
    """Classify the lines of a rulebook.

    Page furniture and tables of contents are omitted. Of the rest, a heading of a part is never a
    rule. A rule may be a heading if the next one is below it, or if its number has one component.
    """
    printed, breaks = page_layout.split_pages(text)
    lines = _join_lone_numbers(without_markdown(printed))
    marks = text_size("".join(printed)) - text_size("".join(lines))
    omitted = page_layout.page_furniture(lines, breaks)
    contents = page_layout.contents_lines(lines, omitted)
    omitted = {**dict.fromkeys(contents, page_layout.CONTENTS), **omitted}
    for n in _first_of_running_heads(lines, omitted):
        del omitted[n]
    parts = {
        n: part
        for n, line in enumerate(lines)
        if n not in omitted and (part := part_of_heading(line))
    }
    numbered = [
        numbered_line
        for n, line in enumerate(lines)
        if n not in omitted and n not in parts and (numbered_line := number_at(line.strip(), n))
    ]
    roman = roman_levels(rule.number for rule in numbered)
    if roman:
        numbered = [replace(rule, key=number_key(rule.number, roman)) for rule in numbered]
    edge = _find_edge(lines, omitted, numbered)
    broken = _continuation_lines(lines, omitted, edge) if edge else frozenset()
    candidates = _candidates(lines, numbered, parts)
    chain = rule_lines(candidates, broken)
    chain = with_lettered_rules(lines, chain, omitted)
    parents = {
        rule.line
        for rule, following in pairwise(chain)
        if following.key[: len(rule.key)] == rule.key
    }
    headings = frozenset(
        rule.line
        for rule in chain
        if rule.line in parents or len(rule.key) == 1 or rule.number.isdigit()
    )
    rules = {rule.line: rule for rule in chain}
    glossaries = read_glossaries(lines, omitted, parts, rules, edge)
    unread = [n for n in _unlike_rules(candidates, chain) if n not in broken]
    entries = unstated_entries(
        lines,
        [n for n, reason in omitted.items() if reason == page_layout.CONTENTS],
        rules | _numbered_parts(lines, parts),
        omitted.keys() | glossaries.keys(),
    )
    return ClassifiedLines(
        lines, omitted, entries, parts, rules, headings, glossaries, edge, broken, unread, marks
    )


def _numbered_parts(lines: Sequence[str], parts: Iterable[int]) -> dict[int, NumberedLine]:
    """Return the numbers of the headings of parts that have one, by line."""
    return {n: number for n in parts if (number := heading_number(lines[n]))}


def _unlike_rules(candidates: Sequence[NumberedLine], rules: Sequence[NumberedLine]) -> list[int]:
    """Return the lines whose numbers are written as those of rules are, but that are no rules: a
    number that comes twice, or out of order."""
    forms = {(rule.depth, rule.form) for rule in rules if len(rule.key) > 1}
    found = {rule.line for rule in rules}
    return [
        candidate.line
        for candidate in candidates
        if candidate.line not in found and (candidate.depth, candidate.form) in forms
    ]


def _join_lone_numbers(lines: list[str]) -> list[str]:
    """Return the lines with each number that is alone on its line before the text of the next.

    The line of the text becomes empty. Nothing changes unless the numbers of most rules are so:
    the few of another book are citations at the end of a sentence, or page numbers.
    """
    alone = [n for n, line in enumerate(lines[:-1]) if is_number_alone(line.strip())]
    if len(alone) <= sum(_NUMBERED_LINE.match(line[:200]) is not None for line in lines):
        return lines
    joined = list(lines)
    for n in alone:
        following = next((m for m in range(n + 1, min(n + 4, len(lines))) if lines[m].strip()), 0)
        if following and not is_number_alone(lines[following].strip()):
            joined[n] = f"{lines[n].rstrip()} {lines[following].strip()}"
            joined[following] = ""
    return joined


def _first_of_running_heads(lines: Sequence[str], omitted: dict[int, str]) -> list[int]:
    """Return the indices of the headings of parts that recur as running heads of their pages."""
    first: dict[str, int] = {}
    for n, reason in sorted(omitted.items()):
        if reason == page_layout.RUNNING_HEAD and (part := part_of_heading(lines[n])):
            first.setdefault(part, n)
    return list(first.values())


def _candidates(
    lines: Sequence[str], numbered: Sequence[NumberedLine], parts: Mapping[int, str]
) -> list[NumberedLine]:
    """Return the numbered lines that may begin a rule.

    In a part that is not rules, none may until the next chapter begins, which has rules of its own
    (other numbers may be those of the senses of a glossary's entry); but those may whose number is
    below that of a glossary's heading, or, in an appendix, begins with its letter (`A-1`).

    lines: all lines of the book; numbered: those of them that begin with a number, in order.
    parts: as in `ClassifiedLines`.
    """
    headings = iter(sorted(parts))
    heading = next(headings, None)
    candidates: list[NumberedLine] = []
    chapter, in_part = -1, False
    glossary: Key = ()  # the number of the glossary's heading
    last_rules = {rule.key[0]: rule.line for rule in numbered if len(rule.key) > 1}
    for index, candidate in enumerate(numbered):
        while heading is not None and heading < candidate.line:
            number = heading_number(lines[heading])
            chapter, in_part = number.key[0] if number else chapter, True
            glossary = number.key if number and parts[heading] == "glossary" else ()
            heading = next(headings, None)
        if len(levels(candidate.number)) == 1 and not _may_be_rule(lines, numbered, index):
            continue
        begins_chapter = candidate.key == (chapter + 1,) or (chapter < 0 and candidate.key == (1,))
        begins_chapter = begins_chapter and last_rules.get(candidate.key[0], -1) > candidate.line
        of_glossary = is_in_chapter(glossary, candidate.key) or candidate.number[0].isalpha()
        begins_section = begins_chapter or ends_chapter(glossary, candidate.key)
        if in_part and not begins_section and not of_glossary:
            continue
        in_part = in_part and not begins_section
        candidates.append(candidate)
        chapter = candidate.key[0] if len(candidate.key) > 1 else chapter
    return candidates


def _may_be_rule(lines: Sequence[str], numbered: Sequence[NumberedLine], index: int) -> bool:
    """Whether a line that begins with a number of one level may be a rule, not an item of a list.

    It may if it has the shape of a heading, a number of three digits or more, or its own first
    sub-rule next; a letter, a roman numeral, or `1)` only by the last.

    numbered: the lines that begin with a number; index: that of the line among them.
    """
    rule = numbered[index]
    following = numbered[index + 1].key if index + 1 < len(numbered) else ()
    if following[:1] == rule.key and follows(rule.key, following):
        return True
    is_heading = len(rule.number) > 2 or looks_like_heading(lines[rule.line].strip())
    return bool(rule.form[0]) or (is_heading and rule.number.isdigit() and rule.form[2] != ")")


def begins_item_or_example(text: str) -> bool:
    """Whether a line begins an example or a list item."""
    return begins_example(text) or BULLET.match(text) is not None


def _find_edge(
    lines: Sequence[str], omitted: dict[int, str], numbered: Sequence[NumberedLine]
) -> int | None:
    """Return the column where the file breaks its lines; None if each line is a paragraph.

    Japanese characters are two columns wide.

    omitted: as in `ClassifiedLines`; numbered: the lines that begin with a number.
    """
    edge = page_layout.right_edge([line for n, line in enumerate(lines) if n not in omitted])
    # A line with a bare number ("3 枚の…") may continue a sentence, so it is not taken for the
    # beginning of a passage here.
    certain = [rule for rule in numbered if any(rule.form[:3])]
    starts = {rule.line for rule in certain}
    broken = 0
    for rule in certain:
        next_index = rule.line + 1
        following = lines[next_index].strip() if next_index < len(lines) else ""
        if not following or next_index in omitted or next_index in starts:
            continue
        if begins_item_or_example(following):
            continue
        line = lines[rule.line]
        broken += not ends_sentence(line) and page_layout.is_full(line, following, edge)
    return edge if broken and broken * 100 >= len(numbered) else None


def _continuation_lines(lines: Sequence[str], omitted: dict[int, str], edge: int) -> frozenset[int]:
    """Return the indices of the lines that continue a sentence of the line before.

    Omitted lines between the two do not matter, as a sentence may continue on the next page.

    omitted: as in `ClassifiedLines`; only its keys are used.
    edge: the column where lines are broken.
    """
    continuations = []
    before, after_blank, after_page_break = "", True, False
    for n, line in enumerate(lines):
        if n in omitted:
            after_page_break = True
        elif not line.strip():
            after_blank = True
        else:
            adjacent = after_page_break or not after_blank
            if before and adjacent and not ends_sentence(before):
                continuations += [n] if page_layout.is_full(before, line, edge) else []
            before, after_blank, after_page_break = line, False, False
    return frozenset(continuations)
