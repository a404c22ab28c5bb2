"""Classifies the lines of a rulebook: rules, headings of parts, what is printed beside the text.

Which lines begin a rule is inferred, as is where the file breaks its lines.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise, zip_longest
from operator import attrgetter
from typing import NamedTuple

from scraper.page import text_size
from scraper.rulebook import page_layout
from scraper.rulebook.contents_entries import ContentsEntry, unstated_entries
from scraper.rulebook.glossary import Piece, ends_chapter, is_in_chapter, read_glossaries
from scraper.rulebook.languages import alternatives, begins_example
from scraper.rulebook.numbering import (
    ALONE,
    HALF_WIDTH,
    Depth,
    Form,
    Key,
    NumberedLine,
    doubtful_number_at,
    ends_sentence,
    follows,
    have_digit_levels,
    is_number_alone,
    levels,
    looks_like_heading,
    number_at,
    number_key,
    parent_number,
    roman_levels,
    with_levels_apart,
)
from scraper.rulebook.part_headings import heading_number, outline_rules, part_of_heading
from scraper.rulebook.statutes import article_rules, chapter_headings, is_article

_LOG = logging.getLogger(__name__)
# A line that begins with a number of two levels or more, however it is written. It shares nothing
# with the grammar of `numbering`, as it finds the lines which that does not understand.
_NUMBERED_LINE = re.compile(
    r"(?m)^\W{0,6}(?:\d{1,3}|[A-Z０-９])[^\w\s]{1,2}[\dA-Za-z０-９]{1,3}"
    r"(?![^\W\d_])(?:[^\w\s]{0,2}[\dA-Za-z０-９]{1,3}(?![^\W\d_]))*+[^\w\s]{0,2}[ \t\u3000]+\S"
)
# \uf0a7 and \uf0b7 are bullets of symbol fonts as PDFs give them; `o` is one before wide space.
BULLET = re.compile(
    r"[・•●○◎◊◆◇■□▪▸►‣\uf0a7\uf0b7※＊*‐–—-]\s|[・•●◊◆◇■□▪‣※①-⑳](?=\S)|[(（]\d{1,2}[)）]|o\s{2,}"
)
# An item of a list below a rule: `a.`, `(a)`, `a`, `①` or `(1)`.
_ITEM = re.compile(
    r"\s*(?:(?P<open>\(?)(?P<letter>[a-z])(?:[.:)]|(?=\s))|(?P<circled>[①-⑳])|\((?P<digit>\d)\))"
    r"\s*(?=\S)"
)
# A paragraph of an article, from the second on bare in Japanese law: `２　`.
_PARAGRAPH = re.compile(
    r"\s*(?:(?P<circled>[①-⑳])|[(（](?P<digit>\d{1,2})[)）]|(?P<bare>\d{1,2})(?=[\s\u3000])|(?P<point>\d{1,2})\.(?=\s))"
    r"\s*(?=\S)"
)
_BARE_SIGNS = frozenset("第제")  # of articles whose first paragraph has no number
# A rule's number, and the item of the list in it: `1.1.2a`, `1.1.2.a`, `1.1.2(a)`, `1.1.2の①`.
_CITED = re.compile(
    r"(?<![\w.-])(?P<number>(?:[A-Z][.-])?\d{1,4}(?:[.-]\d{1,3})+|[A-Z]-\d{1,3})"
    r"(?:(?P<sign>[.(]?)(?P<letter>[a-z])(?!\w)|(?:の|의)?\s?(?P<circled>[①-⑳])"
    r"|\s(?P<closed>[a-z])\)(?!\w)|(?:의\s)?\((?P<digit>\d)\))"
)
# The mark of an item alone on its line.
_LONE_ITEM = re.compile(r"\s*\(?[a-z][.)]\s*")
_GLUED = re.compile(r"[A-Z]\d")  # A1.1
_AT_END = ("at end",)  # the form of a number at the end of the line before its text
# Of one level only with three digits and a full stop: less is an amount, or ends a sentence.
_NUMBER_AT_END = re.compile(r"\s(\d{3,4}\.|\d{1,4}(?:[.-](?:\d{1,3}|[a-z]{1,2}))+[.)]?)\s*$")
_ROMAN = frozenset("IVX")  # up to XXXIX, enough for chapters
# Lines, and share of those that another follows: between the files that break their lines and the
# others, see `_find_edge`; three, as one or two in a short text may be full by chance.
_FEWEST_BROKEN, _BROKEN_SHARE = 3, 0.1
_LONGEST_LOGGED = 60  # characters of a line: enough to know it by, in one line of a log
_CHAINS = 100  # that are tried for the next number; a gap rarely holds as many doubtful numbers
# By hand: the text of a number alone on its line is less than so many lines below it, blank ones
# and page furniture counted; farther away is the text of something else.
_FARTHEST = 6
# Citations of items such as `1.1.2a` in a book in which these are sub-rules. By hand: one or two
# may be of another book, or misprints.
_FEWEST = 3
_HEADING = re.compile(r"\s*#{1,6}\s+(?=\S)")  # Markdown has six levels
_NUMBERED_HEADING = re.compile(r"\s*#{1,6}\s+\d+(?:[.\-]\d+)*\.?\s+\S")
_MARK_INSIDE = re.compile(r"^(\s*\d[\d.()-]*)\s+#{2,6}\s+(?=\S)")  # behind a heading's number
# A number in bold type.
_NUMBERED = re.compile(r"\s*(?:[-*+]\s+)?\*\*[\dA-Z]{1,4}[.\-)]")
# A list item, as rules are in some Markdown.
_RULE_ITEM = re.compile(r"(\s*)[-*+]\s+(?=\S)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_LINKS = re.compile(  # to the chapters before and behind, as in each file of a book
    r"\s*+\[[^\[\]]*+(?<=→)\]\([^()\s]*+\)\s*+|\s*+\[←[^\[\]]*+\]\([^()\s]*+\)\s*+"
    r"|\s*+\[[^\[\]]*+\]\([^()\s]*+\)(?:[\s|·•←→/–—-]*+\[[^\[\]]*+\]\([^()\s]*+\))++\s*+"
)
NAVIGATION = "navigation"  # a reason to omit a line, beside those of `page_layout`
_QUOTED = re.compile(r"\s*>\s?")
# The bounds of 200 here and below are far above what pages have: they bound time.
_TAG = r"</?(?:a|br|span|sup|sub|[biu]|em|strong|p|div|img)\b[^<>]{0,200}>"
_MARKS = re.compile(rf"\*\*|__|`|{_TAG}|\[\^\w{{1,9}}\]|\\(?=[^\w\s])")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*]{1,200})(?<=\S)\*(?![\w*])")
# Possessive: else a line of spaces alone took the square of its length.
_TABLE_RULER = re.compile(r"\s*+\|?(?:\s*+:?-{3,}+:?\s*+\|)+(?:\s*+:?-{3,}+:?)?\s*+")
# Share of a book's rules that are titles in its contents, where all that look like titles are. By
# hand, above a half: documents on tournaments number sections only, rulebooks mostly sentences.
_MOST_ARE = 0.6
# Headings or numbers in bold type in a text that is Markdown; the same, headings with numbers. By
# hand: one or two lines of a plain text may begin with `#`, hardly two also with a number.
_FEWEST_HEADINGS, _FEWEST_NUMBERED = 3, 2


def unread_lines(source: ClassifiedLines) -> Iterator[int]:
    """Yield the indices of the lines that begin with a number of two levels or more, but are no
    rules, in order; lines that are in other parts of the book, appendices aside, or continue a
    sentence do not count."""
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
    chapters: the headings of chapters in a book of articles, which are no rules there.
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
    chapters: frozenset[int]
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
    marks = text_size("".join(printed)) - text_size("".join(lines)) if lines != printed else 0
    omitted = _omitted_lines(printed, lines, breaks)
    parts = {
        n: part
        for n, line in enumerate(lines)
        if n not in omitted and (part := part_of_heading(line)) and not _is_rule(lines, n)
    }
    numbered = _numbered_lines(lines, omitted.keys() | parts.keys())
    edge = _find_edge(lines, omitted, numbered)
    broken = _continuation_lines(lines, omitted, edge) if edge else frozenset()
    for n in [n for n, part in parts.items() if part == "appendix" and n in broken]:
        del parts[n]  # `… chosen from / Appendix A and may be lowered`
    book = _Book(lines, omitted, parts, numbered, broken)
    found = next(found for layout in _LAYOUTS if (found := layout(book)))
    edge = _find_edge(lines, omitted, found.chain) if found.has_own_edge else edge
    broken -= found.begun
    contents = [n for n, why in omitted.items() if why == page_layout.CONTENTS]
    headings = _headings(found.chain) | _titles(lines, found.chain, contents)
    rules = {rule.line: rule for rule in found.chain}
    glossaries = read_glossaries(lines, omitted, parts, rules, edge)
    unlike = _unlike_rules(found.candidates, found.chain)
    unread = [n for n in unlike if n not in broken and not _citing().search(lines[n - 1])]
    numbers = rules | {n: number for n in parts if (number := heading_number(lines[n]))}
    entries = unstated_entries(lines, contents, numbers, omitted.keys() | glossaries.keys())
    _log_others(lines, [*numbered, *found.candidates], rules, broken, unread)
    return ClassifiedLines(
        lines, omitted, entries, parts, rules, headings, found.chapters, glossaries, edge, broken,
        unread, marks,
    )  # fmt: skip


def _omitted_lines(
    printed: Sequence[str], lines: Sequence[str], breaks: Collection[int]
) -> dict[int, str]:
    """Return {line: why} of the lines that are no text: page furniture, contents and, in Markdown,
    lines of links.

    printed: the lines as they are in the file; lines: without marks of Markdown.
    breaks: as `page_layout.split_pages` returns them.
    """
    omitted = page_layout.page_furniture(lines, breaks)
    contents = page_layout.contents_lines(lines, omitted)
    omitted = {**dict.fromkeys(contents, page_layout.CONTENTS), **omitted}
    if lines != printed:  # Markdown
        omitted |= {n: NAVIGATION for n, line in enumerate(printed) if _LINKS.fullmatch(line)}
    for n in _first_of_running_heads(lines, omitted):
        del omitted[n]
    return omitted


def _numbered_lines(lines: Sequence[str], omitted: Container[int]) -> list[NumberedLine]:
    """Return what `number_at` finds at the beginning of lines, with the levels that numbers have in
    this book: Roman numerals, or each digit a level."""
    numbered = [
        numbered_line
        for n, line in enumerate(lines)
        if n not in omitted and (numbered_line := number_at(line.strip(), n))
    ]
    glued = [rule for rule in numbered if _GLUED.match(rule.number)]
    if 2 * len(glued) < len(numbered):  # what else a letter and a number may name
        numbered = [rule for rule in numbered if not _GLUED.match(rule.number)]
    if roman := roman_levels(rule.number for rule in numbered):
        return [_with_roman_levels(rule, lines[rule.line], roman) for rule in numbered]
    if have_digit_levels([rule.number for rule in numbered]):
        return [replace(rule, key=number_key(with_levels_apart(rule.number))) for rule in numbered]
    return numbered


@dataclass(frozen=True, slots=True)
class _Book:
    """What tells how a book is laid out: its lines, those omitted, the headings of its parts, the
    numbers at the beginning of lines, and the lines that go on with a sentence."""

    lines: list[str]
    omitted: dict[int, str]
    parts: Mapping[int, str]
    numbered: Sequence[NumberedLine]
    broken: frozenset[int]


@dataclass(frozen=True, slots=True)
class _FoundRules:
    """The rules of a book that is laid out in one way.

    chain: the rules, in order.
    chapters: the headings of chapters that are no rules.
    candidates: the numbers among which they were chosen; empty if the layout leaves none.
    begun: lines that seemed to go on with a sentence and begin a rule or its text.
    has_own_edge: whether the numbers are none of those that `_find_edge` looked at.
    """

    chain: list[NumberedLine]
    chapters: frozenset[int] = frozenset()
    candidates: Sequence[NumberedLine] = ()
    begun: Set[int] = frozenset()
    has_own_edge: bool = False


def _as_statute(book: _Book) -> _FoundRules | None:
    """Return the articles and paragraphs of a book that has such; None of any other."""
    omitted = {*book.omitted, *_history_lines(book.lines, book.parts)}
    articles = article_rules(book.lines, omitted, book.numbered)
    if not articles:
        return None
    chapters = chapter_headings(book.lines, book.omitted, [rule.line for rule in articles])
    if not is_article(articles[0]):  # they are numbered like rules
        return _FoundRules(with_lettered_rules(book.lines, articles, book.omitted), chapters)
    chain = with_paragraphs(book.lines, articles, book.omitted)
    return _FoundRules(chain, chapters, has_own_edge=True)


def _as_outline(book: _Book) -> _FoundRules | None:
    """Return the rules of an outline (`I.`, `A.`, `1.`, `a.`); None of any other book."""
    chain = outline_rules(book.lines, book.omitted.keys() | book.parts.keys())
    return _FoundRules(with_lettered_rules(book.lines, chain, book.omitted)) if chain else None


def _as_numbered(book: _Book) -> _FoundRules:
    """Return the rules of a book whose numbers have all their levels, as most have."""
    lines, omitted = book.lines, book.omitted
    candidates = _candidates(lines, book.numbered, book.parts)
    chain = _without_gaps(
        rule_lines(candidates, book.broken), lines, candidates, omitted, book.parts
    )
    chain, begun = _with_texts(lines, chain, omitted)
    chain = with_lettered_rules(lines, chain, omitted)
    return _FoundRules(chain, candidates=candidates, begun=begun)


# In their order: the first that returns rules is the layout of the book; the last always does.
_LAYOUTS: Sequence[Callable[[_Book], _FoundRules | None]] = (_as_statute, _as_outline, _as_numbered)


def _headings(rules: Sequence[NumberedLine]) -> frozenset[int]:
    """Return the lines of the rules that may be headings: those with rules below them, chapters and
    sections."""
    parents = {
        rule.line
        for rule, following in pairwise(rules)
        if following.key[: len(rule.key)] == rule.key
    }
    return frozenset(
        rule.line
        for rule in rules
        if rule.line in parents or len(rule.key) == 1 or rule.number.isdigit()
    )


def _log_others(
    lines: Sequence[str],
    numbered: Iterable[NumberedLine],
    rules: Container[int],
    broken: Container[int],
    unread: Collection[int],
) -> None:
    """Log, for each line that begins with a number but no rule, why not; only at level DEBUG."""
    if not _LOG.isEnabledFor(logging.DEBUG):
        return
    for n, number in sorted({each.line: each.number for each in numbered}.items()):
        if n in rules:
            continue
        why = "rules are numbered otherwise here"
        if n in broken:
            why = "it goes on with a sentence"
        elif n in unread:
            why = "its number comes twice or out of order"
        text = lines[n].strip()[:_LONGEST_LOGGED]
        _LOG.debug("line %d, %s, begins no rule: %s: %s", n + 1, number, why, text)


def _history_lines(lines: Sequence[str], parts: Mapping[int, str]) -> Iterator[int]:
    """Yield the lines of each history, from its heading to the next heading of a part: numbers in
    it are those of rules that stand elsewhere."""
    history = (n for n, part in parts.items() if part == "history")
    for begin in history:
        end = min((n for n in parts if n > begin), default=len(lines))
        yield from range(begin, end)


def _with_roman_levels(rule: NumberedLine, line: str, roman: Container[int]) -> NumberedLine:
    """Return a numbered line with the key that it has in a book with roman numerals at some levels
    (`roman`, from 0 on).

    Where chapters have them, `Chapter IV` is IV, as it is in the numbers of its rules.
    """
    chapter = line.strip()[slice(*rule.span)]
    number = chapter if 0 in roman and rule.form[0] and set(chapter) <= _ROMAN else rule.number
    return replace(rule, number=number, key=number_key(number, roman))


def _titles(
    lines: Sequence[str], rules: Sequence[NumberedLine], contents: Iterable[int]
) -> frozenset[int]:
    """Return the lines of the rules whose whole text is their entry in a table of contents: titles,
    however long the text below them is.

    Where most rules have such titles, as in documents on tournaments, all have that look like one.
    None has without contents.
    """
    entries = "".join("".join(lines[n].split()) for n in sorted(contents))
    if not entries:
        return frozenset()
    shaped = [rule for rule in rules if looks_like_heading(lines[rule.line].strip())]
    titles = [rule for rule in shaped if _is_entry(lines[rule.line].strip(), rule, entries)]
    found = shaped if len(titles) > _MOST_ARE * len(rules) else titles
    return frozenset(rule.line for rule in found)


def _is_entry(text: str, rule: NumberedLine, entries: str) -> bool:
    """Whether a line's number and title stand in the contents, whose white space is left out, one
    behind the other or with a full stop between. Not if it has no title."""
    title = "".join(text[rule.start :].split())
    written = text[slice(*rule.span)]
    return bool(title) and any(f"{written}{mark}{title}" in entries for mark in ("", ".", "．"))


def _is_rule(lines: Sequence[str], heading: int) -> bool:
    """Whether the heading of a part is a rule without text: the next line with text, if near, has
    the number after that of the heading. Never if the heading has none, or one of one level."""
    number = heading_number(lines[heading])
    if number is None:
        return False
    below = (lines[n].strip() for n in range(heading + 1, min(heading + _FARTHEST, len(lines))))
    after = number_at(next(filter(None, below), ""))
    return after is not None and ends_chapter(number.key, after.key)


def _unlike_rules(candidates: Sequence[NumberedLine], rules: Sequence[NumberedLine]) -> list[int]:
    """Return the lines whose numbers are written as those of rules are, but that are no rules: a
    number that comes twice, or out of order. Forms that only chapters have do not count."""
    forms = {(rule.depth, rule.form) for rule in rules if len(rule.key) > 1}
    found = {rule.line for rule in rules}
    return [
        candidate.line
        for candidate in candidates
        if candidate.line not in found and (candidate.depth, candidate.form) in forms
    ]


def _join_lone_numbers(lines: list[str]) -> list[str]:
    """Return the lines with each number that is alone on its line before the text of the next.

    The line of the number becomes empty. The same list comes back unless more numbers of several
    levels are alone than stand before a text: the few of another book are citations at the end of a
    sentence, or page numbers. A number of one level is joined only with a mark, as that of a page
    has none.
    """
    alone = {n for n, line in enumerate(lines[:-1]) if is_number_alone(line.strip())}
    if len(alone) <= sum(_NUMBERED_LINE.match(line[:200]) is not None for line in lines):
        return lines
    joined = list(lines)
    for n, line in enumerate(lines):
        rule = doubtful_number_at(line.strip())
        is_marked = bool(_LONE_ITEM.fullmatch(line)) or (rule is not None and rule.form == ALONE)
        following = _text_below(lines, n, ()) if is_marked or n in alone else None
        if following is not None:
            joined[n], joined[following] = "", f"{line.rstrip()} {lines[following].strip()}"
    return joined


def _first_of_running_heads(lines: Sequence[str], omitted: dict[int, str]) -> list[int]:
    """Return, of the headings of parts that recur as running heads of their pages, the index of
    the first one of each part."""
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
    below that of a glossary's heading, or, in an appendix, begins with its letter (`A-1`). Numbers
    of one level are left out unless `_may_be_rule`.

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

    A chapter's (第7章) may. Another may if it has the shape of a heading, a number of three digits
    or more, or its own first sub-rule next; a letter, a roman numeral, or `1)` only by the last.

    numbered: the lines that begin with a number; index: that of the line among them.
    """
    rule = numbered[index]
    following = numbered[index + 1].key if index + 1 < len(numbered) else ()
    looks_so = looks_like_heading(lines[rule.line].strip())
    before = numbered[index - 1] if index else None
    is_item = before and (before.form, before.key) == (rule.form, (rule.key[0] - 1,))
    if following[:1] == rule.key and follows(rule.key, following) and (looks_so or not is_item):
        return True
    is_heading = len(rule.number) > 2 or looks_so
    return bool(rule.form[0]) or (is_heading and rule.number.isdigit() and rule.form[2] != ")")


def begins_item_or_example(text: str) -> bool:
    """Whether a line begins an example or a list item: a bullet, a number in a circle or in
    brackets. A number such as `1.` is no item."""
    return begins_example(text) or BULLET.match(text) is not None


def _find_edge(
    lines: Sequence[str], omitted: dict[int, str], numbered: Sequence[NumberedLine]
) -> int | None:
    """Return the column where the file breaks its lines; None if each line is a paragraph.

    It breaks them if many (three, and one in ten) are full and end no sentence, while another line
    follows at once, or some (one in a hundred) of those that begin a rule. Of 40 files, in six
    languages, a third of such lines or more are so in those that do, and at most one in a hundred
    in the others. Japanese characters are two columns wide.

    omitted: as in `ClassifiedLines`; numbered: the lines that begin with a number.
    """
    edge = page_layout.right_edge([line for n, line in enumerate(lines) if n not in omitted])
    # A line with a bare number ("3 枚の…") may continue a sentence.
    starts = {rule.line for rule in numbered if any(rule.form[:3])}
    pairs = broken = of_rules = 0
    for n, (line, following) in enumerate(pairwise(lines)):
        begins = n + 1 in starts or begins_item_or_example(following.strip())
        if line.strip() and following.strip() and not begins and not {n, n + 1} & omitted.keys():
            is_broken = not ends_sentence(line) and page_layout.is_full(line, following, edge)
            pairs += 1
            broken += is_broken
            of_rules += is_broken and n in starts
    some = of_rules and of_rules * 100 >= len(numbered)
    return edge if some or broken >= max(_FEWEST_BROKEN, _BROKEN_SHARE * pairs) else None


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


def rule_lines(candidates: Sequence[NumberedLine], broken: frozenset[int]) -> list[NumberedLine]:
    """Return the candidates that begin a rule, in order; their keys strictly increase.

    candidates: what `number_at` returned for the lines, in the order of the lines.
    broken: the lines that continue a sentence of the line before, by `NumberedLine.line`.

    A number in an unusual form, or in a line that continues a sentence, must directly follow the
    number before it. A number to which both apply is not a rule.
    """
    usual_forms = _usual_forms(candidates)
    weights = [
        1
        + 2 * (candidate.form == usual_forms[candidate.depth])
        + 3 * (candidate.line not in broken)
        for candidate in candidates
    ]
    kept: list[NumberedLine] = []
    for index in _heaviest_increasing([candidate.key for candidate in candidates], weights):
        candidate, weight = candidates[index], weights[index]
        is_next = follows(kept[-1].key if kept else (), candidate.key)
        if weight == 6 or (weight > 1 and is_next):
            kept.append(candidate)
    return kept


def _without_gaps(
    chain: Sequence[NumberedLine],
    lines: Sequence[str],
    candidates: Sequence[NumberedLine],
    omitted: Container[int],
    parts: Collection[int],
) -> list[NumberedLine]:
    """Return the rules with those lines between them whose number continues theirs, though it is
    doubtful for itself: it is alone on its line, or written in another way than most.

    chain: the rules that are sure, in order; candidates: the lines that may begin a rule.
    lines, omitted, parts: as in `ClassifiedLines`.
    """
    sure = {rule.line for rule in chain}
    doubtful = {c.line: c for c in candidates if c.line not in sure}
    end = next((n for n in sorted(parts) if chain and n > chain[-1].line), len(lines))
    found: list[NumberedLine] = []
    for before, after in zip_longest((None, *chain), chain):
        found += [before] if before else []
        between: list[NumberedLine] = []
        first = before.line if before else 0
        for n in range(first, after.line if after else end):
            at_start = doubtful.get(n), _doubtful_rule(lines, n, omitted, parts)
            at_end = _number_at_end(lines, n, omitted)
            rules = (at_end,) if before and n == first else (*at_start, at_end)
            between += [rule for rule in rules if rule and _is_below(rule, after)]
        found += _longest_chain(before.key if before else (), between)
        above = [rule for rule in between if after and rule.key == after.key[:-1]]
        if above and found and found[-1].key < above[-1].key and found[-1].line < above[-1].line:
            found.append(above[-1])  # though numbers before it are reserved: its own rules follow
    return found


def _is_below(rule: NumberedLine, after: NumberedLine | None) -> bool:
    """Whether a number is below the next one that is sure, if there is one.

    A number of one level that has no mark, or stands at the end of a line, may be that of a page or
    an amount: then the next must follow directly.
    """
    if after and rule.key >= after.key:
        return False
    is_sure = rule.form[0] is True or len(levels(rule.number)) > 1 or rule.form == ALONE
    return is_sure or (after is not None and follows(rule.key, after.key))


def _longest_chain(before: Key, rules: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the most of some rules of which each continues the number before it, the first one
    `before`; of several chains the one that comes first; empty if none continues it.

    rules: in the order of their lines; of two on one line at most one is taken.
    """
    chains: dict[Key, _Chain] = {before: _Chain(0, None, None)}
    for rule in rules:
        fitting = (
            chain
            for key, chain in islice(reversed(chains.items()), _CHAINS)
            if follows(key, rule.key) and (chain.rule is None or chain.rule.line < rule.line)
        )
        longest = max(fitting, key=attrgetter("length"), default=None)
        known = chains.get(rule.key)
        if longest and (known is None or longest.length >= known.length):
            chains.pop(rule.key, None)
            chains[rule.key] = _Chain(longest.length + 1, rule, longest)
    last: _Chain | None = max(chains.values(), key=attrgetter("length"))
    found = []
    while last and last.rule:
        found.append(last.rule)
        last = last.before
    return found[::-1]


class _Chain(NamedTuple):
    """Rules whose numbers continue each other: how many, the last, and those before it."""

    length: int
    rule: NumberedLine | None
    before: _Chain | None


def _number_at_end(lines: Sequence[str], n: int, omitted: Container[int]) -> NumberedLine | None:
    """Return the number at the end of a line that may be meant to begin the text in the lines
    below; None if a line has none, or cites it. `NumberedLine.line` is the index of the line below,
    the form `_AT_END`."""
    match = None if n in omitted else _NUMBER_AT_END.search(lines[n])
    if not match or n + 1 in omitted or _text_below(lines, n, omitted) is None:
        return None
    cites = _citing().search(lines[n], 0, match.start(1))
    rule = None if cites else doubtful_number_at(match[1], n + 1)
    return rule and replace(rule, form=_AT_END)


@cache
def _citing() -> re.Pattern[str]:
    """Return the pattern of what stands before a number that cites a rule: a word such as `rule`,
    or another number."""
    words = alternatives(
        lambda lang: lang.rule_words + lang.rule_codes + lang.section_words + lang.see_before
    )
    another = rf"\d\S*\s?(?:,|{alternatives(lambda lang: lang.conjunctions + lang.ranges)})"
    return re.compile(rf"(?<![A-Za-z])(?:{words}|{another})\W{{0,3}}$", re.IGNORECASE)


def _doubtful_rule(
    lines: Sequence[str], n: int, omitted: Container[int], parts: Container[int]
) -> NumberedLine | None:
    """Return the number that a line may be meant to begin with; None if it is no text of rules, or
    alone, and what follows is neither its text nor its first sub-rule."""
    rule = None if n in omitted or n in parts else doubtful_number_at(lines[n].strip(), n)
    if not rule or rule.form[0] != "alone" or _text_below(lines, n, omitted) is not None:
        return rule
    return rule if _has_first_sub_rule_below(lines, rule, omitted) else None


def _has_first_sub_rule_below(
    lines: Sequence[str], rule: NumberedLine, omitted: Container[int]
) -> bool:
    """Whether the next line begins with the first sub-rule of a number that is alone on its line:
    such a rule has no text but theirs. A number of one level may be that of a page."""
    following = _next_line(lines, rule.line, omitted)
    if following is None or len(levels(rule.number)) == 1:
        return False
    below = number_at(text := lines[following].strip()) or doubtful_number_at(text)
    return (
        below is not None
        and parent_number(below.number) == rule.number
        and (follows(rule.key, below.key))
    )


def _next_line(lines: Sequence[str], n: int, omitted: Container[int]) -> int | None:
    """Return the index of the next line with text that is not omitted; None without one among the
    five lines below."""
    below = (m for m in range(n + 1, min(n + _FARTHEST, len(lines))) if m not in omitted)
    return next((m for m in below if lines[m].strip()), None)


def _text_below(lines: Sequence[str], n: int, omitted: Container[int]) -> int | None:
    """Return the index of the line whose text may belong to a number alone on its line; None if the
    next line with text is far, or begins with a number of several levels or a doubtful one."""
    following = _next_line(lines, n, omitted)
    if following is None or doubtful_number_at(text := lines[following].strip()):
        return None
    number = number_at(text)  # of one level, it may count something
    return None if number and len(levels(number.number)) > 1 else following


def _with_texts(
    lines: list[str], rules: Sequence[NumberedLine], omitted: Container[int]
) -> tuple[list[NumberedLine], set[int]]:
    """Put each number that is alone on its line before the text below it; return the rules with
    the lines that they then begin, in their order, and which lines are no longer what they were.

    lines: changed in place. A number at the end of a line is first put on the next line.
    """
    changed: set[int] = set()
    found: list[NumberedLine] = []
    for rule in reversed(rules):  # the text of one may end with the number of the next
        if rule.form == _AT_END:
            lines[rule.line - 1], _, number = lines[rule.line - 1].rstrip().rpartition(" ")
            lines[rule.line] = f"{number} {lines[rule.line].strip()}".rstrip()
            changed.add(rule.line)
        is_alone = rule.form[0] in ("alone", "at end") and doubtful_number_at(
            lines[rule.line].strip()
        )
        following = _text_below(lines, rule.line, omitted) if is_alone else None
        if following is not None:
            lines[following] = f"{lines[rule.line].strip()} {lines[following].strip()}"
            lines[rule.line] = ""
            changed |= {rule.line, following}
            rule = replace(rule, line=following)
        found.append(rule)
    return found[::-1], changed


def _usual_forms(candidates: Sequence[NumberedLine]) -> dict[Depth, Form]:
    """Return the form that most candidates of each depth have; of equally many, the first.

    Those with sub-rules decide, where a depth has any: a chapter's heading does, while the lines of
    a table or list may be more than the chapters, but have none.
    """
    forms: dict[Depth, Counter[Form]] = {}
    for candidate, following in zip_longest(candidates, candidates[1:]):
        has_sub_rules = following and following.key[: len(candidate.key)] == candidate.key
        counts = forms.setdefault(candidate.depth, Counter())
        counts[candidate.form] += len(candidates) if has_sub_rules else 1
    return {depth: counts.most_common(1)[0][0] for depth, counts in forms.items()}


def _heaviest_increasing(keys: Sequence[Key], weights: Sequence[int]) -> list[int]:
    """Return the indices of the strictly increasing subsequence of keys with the most weight.

    The indices ascend; there are none without keys. `weights` has a positive number for each key.

    A Fenwick tree over the ranks of the keys holds the best total weight up to each rank.
    """
    order = sorted(set(keys))
    best: list[tuple[int, int]] = [(0, -1)] * (
        len(order) + 1
    )  # total weight, index of the last key
    previous: list[int] = []  # of each key in its best chain
    for index, (key, weight) in enumerate(zip(keys, weights, strict=True)):
        rank = bisect_left(order, key)
        heaviest, node = (0, -1), rank
        while node > 0:
            heaviest = max(heaviest, best[node], key=lambda pair: pair[0])
            node -= node & -node
        previous.append(heaviest[1])
        node, total = rank + 1, heaviest[0] + weight
        while node <= len(order):
            if total > best[node][0]:
                best[node] = (total, index)
            node += node & -node
    node, last, total = len(order), -1, 0
    while node > 0:
        if best[node][0] > total:
            total, last = best[node]
        node -= node & -node
    chain = []
    while last >= 0:
        chain.append(last)
        last = previous[last]
    return chain[::-1]


def with_lettered_rules(
    lines: Sequence[str], rules: list[NumberedLine], omitted: Container[int]
) -> list[NumberedLine]:
    """Return the rules of a book with the sub-rules that have only a letter, or a number in a
    circle, in order.

    Lists are taken for sub-rules only if the book cites three of their items, as `1.1.2a` or
    `1.1.2.a`, or any as `1.1.2(a)` or `1.1.2の①`, has no rules with such numbers, and at least half
    of such citations are of items that there are: else they are part of their rule's text, and
    `rules` itself is returned. Sub-rules are numbered in the way that most citations write.

    lines: all lines of the book; rules: those that begin with a number; omitted: the indices of
        lines that are no text.
    """
    lists = list(_lists(lines, rules, omitted))
    if not lists:
        return rules
    numbers = {rule.number for rule in rules}
    text = "\n".join(lines)
    cited = {
        (m["number"], m["sign"] or "" if m["letter"] else "(", m["closed"] or _label(m))
        for m in _CITED.finditer(text.translate(HALF_WIDTH))
    }
    cited = {each for each in cited if f"{each[0]}{each[1]}{each[2]}" not in numbers}
    items = {(rule.number, label) for rule, label, _, _ in lists}
    proofs = Counter(sign for number, sign, label in cited if (number, label) in items)
    if proofs.total() < max(1 if proofs["("] else _FEWEST, len(cited) // 2):
        return rules
    sign = proofs.most_common(1)[0][0]
    sub_rules = [
        _sub_rule(rule, f"({label})" if sign == "(" else sign + label, line, match)
        for rule, label, line, match in lists
    ]
    return sorted([*rules, *sub_rules], key=lambda rule: rule.line)


def with_paragraphs(
    lines: Sequence[str], articles: Sequence[NumberedLine], omitted: Container[int]
) -> list[NumberedLine]:
    """Return the articles of a book with their paragraphs as sub-rules, in order: `4(2)` is
    `§ 4 Abs. 2` and `第4条第2項`.

    Paragraphs are numbered from one on, in brackets or with a full stop; bare numbers may begin
    with two, where the first paragraph stands behind the number of its article.
    """
    found = list(articles)
    for article, following in zip_longest(articles, articles[1:]):
        signs = ("circled", "digit", "bare" if article.form[2] in _BARE_SIGNS else "point")
        last, used = 0, ""
        for n in range(article.line + 1, following.line if following else len(lines)):
            match = None if n in omitted else _PARAGRAPH.match(lines[n])
            group = (match and match.lastgroup) or ""
            if not match or group not in ((used,) if used else signs):
                continue
            number = int(unicodedata.normalize("NFKC", match[group]))
            is_list = group == "point" and any(map(str.strip, lines[article.line + 1 : n]))
            begins = number == 1 or (number == 2 and group == "bare")
            if number == last + 1 if used else begins and not is_list:
                last, used = number, group
                found.append(_sub_rule(article, f"({number})", n, match))
    return sorted(found, key=lambda rule: rule.line)


def _label(match: re.Match[str]) -> str:
    """Return the letter or number of an item of a list, without brackets or circle: `a`, `1`."""
    written = match["letter"] or match["circled"] or match["digit"]
    return unicodedata.normalize("NFKC", written)


def _lists(
    lines: Sequence[str], rules: Sequence[NumberedLine], omitted: Container[int]
) -> Iterator[tuple[NumberedLine, str, int, re.Match[str]]]:
    """Yield (rule, label, line, match of its mark) of the items of lists from `a` or `①` on.

    Only the first list under a rule counts. It goes on with the next letter or number, whatever
    stands between; what begins it decides which of the two.

    lines, rules, omitted: as for `with_lettered_rules`.
    """
    for rule, following in zip_longest(rules, rules[1:]):
        end = following.line if following else len(lines)
        due = "a①1"
        for index in range(rule.line + 1, end):
            match = None if index in omitted else _ITEM.match(lines[index])
            sign = match and (match["letter"] or match["circled"] or match["digit"])
            if match and sign and sign in due:
                yield rule, _label(match), index, match
                due = chr(ord(sign) + 1)


def _sub_rule(rule: NumberedLine, suffix: str, line: int, match: re.Match[str]) -> NumberedLine:
    """Return the sub-rule that a line states: its number is that of the rule above and a suffix.

    match: the match of the letter or number at the beginning of the line.
    """
    number = rule.number + suffix
    key: Key = number_key(number)
    group = match.lastgroup or ""
    # Spans are counted in the line without indent, which ends where the mark begins.
    indent = match.start("open" if group == "letter" else group) - (group == "digit")
    span = (match.start(group) - indent, match.end(group) - indent)
    return NumberedLine(line, number, key, (False, "letter"), span, match.end() - indent)


def without_markdown(lines: Sequence[str]) -> list[str]:
    """Return the lines without the marks of headings, bold type, quotations, code and links; a
    list item that begins with the number of a rule loses its bullet, and a heading that is only a
    number gets the text below it, unless that is a heading itself. A text is Markdown if it has
    three headings or bold numbers, or two headings with numbers; the lines of others are returned
    as they are.

    There are as many lines as before; the rulers of tables become empty.

    >>> without_markdown(["# Rules", "## 1. Zones", "### 1-1. Hand", "- **1-1-1.** It is hidden."])
    ['Rules', '1. Zones', '1-1. Hand', '1-1-1. It is hidden.']
    >>> without_markdown(["# 2 Deck", "**2.1. ** ## **Hand**", "## 3 Play"])
    ['2 Deck', '2.1. Hand', '3 Play']
    >>> without_markdown(["- 1.1 A zone"])
    ['- 1.1 A zone']
    """
    marked = sum(bool(_HEADING.match(line) or _NUMBERED.match(line)) for line in lines)
    numbered = sum(bool(_NUMBERED_HEADING.match(line)) for line in lines)
    if marked < _FEWEST_HEADINGS and numbered < _FEWEST_NUMBERED:
        return list(lines)
    plain = [_plain(line) for line in lines]
    for n, line in enumerate(lines):
        if _HEADING.match(line) and is_number_alone(plain[n].strip()):
            following = next((m for m in range(n + 1, len(lines)) if lines[m].strip()), None)
            if following is not None and not _HEADING.match(lines[following]):
                plain[n] = f"{plain[n].rstrip()} {plain[following].strip()}"
                plain[following] = ""
    return plain


def _plain(line: str) -> str:
    """Return a line of Markdown without its marks; empty for the ruler of a table. A list item
    keeps its bullet, unless it is alone before the number of a rule."""
    if _TABLE_RULER.fullmatch(line):
        return ""
    if quoted := _QUOTED.match(line):
        line = line[quoted.end() :]
    if heading := _HEADING.match(line):
        line = line[heading.end() :].rstrip("# ")
    line = _EMPHASIS.sub(r"\1", _MARKS.sub("", _LINK.sub(r"\1", line)))
    line = _MARK_INSIDE.sub(r"\1 ", line)
    item = _RULE_ITEM.match(line)
    rest = line[item.end() :] if item else ""
    number = number_at(rest)
    begins_rule = is_number_alone(rest.strip()) or (number and len(levels(number.number)) > 1)
    return item[1] + rest if item and begins_rule else line
