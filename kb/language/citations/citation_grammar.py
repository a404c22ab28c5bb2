"""Finds citations of numbered rules in text: `rule 614.1a`, `rules 103.2a–c`, `第7章`, `A-1-02`.

The patterns and their words, in every language, are in `citation_patterns`.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from kb.language.citations import citation_patterns as patterns
from kb.language.citations.citation_patterns import How, fold_width
from kb.language.citations.rule_numbers import expand_range, normalize_number
from scraper.rulebook.documents_beside_rulebook import RULEBOOK, named_documents
from scraper.rulebook.languages import in_digits

_LOG = logging.getLogger(__name__)
# Characters before a number, so that a search there costs little: room for the longest word of LEAD
# with what stands behind it; for the other words (`described or explained in`); and for 例外, up to
# 50 characters and a bracket. Shorter windows cut these; nothing is known to need longer ones.
_LEAD_WINDOW, _BEFORE_WINDOW, _HOW_WINDOW = 24, 30, 70
_UNSPACED_WINDOW = 12  # in languages without spaces, whose words are shorter
_USUAL_LEAD = 10  # characters of most words of LEAD, looked at first to save time: `sub-rules `
_RULE_WORDS = frozenset(
    ("rule", "code", "document", "wide", "section", "wide_section")
)  # groups of LEAD
_SECTION_WORDS = frozenset(("section", "wide_section"))
_IN_BRACKETS = re.compile(r"\s*[(（〔【\[]([^()（）〔〕【】\[\]]*)[)）〕】\]]")
_OPEN_QUOTE = re.compile(r"[\"“][^\"”]*$")
# A letter without a point before it, and a level in brackets: they may belong to the text.
_DOUBTFUL_LEVEL = re.compile(r"(?:\d{1,3}(?P<letter>[a-z]+)|.+?(?P<bracket>(?:\.?\(\w+\))+))")
_LIKE_A_RULE = re.compile(patterns.LIKE_A_RULE)
_LIKE_A_SCORE = re.compile(r"\d{1,3}-\d{1,3}")
_LIKE_A_DECIMAL = re.compile(r"\d{1,3}\.\d{1,3}")
_LIKE_A_YEAR = re.compile(r"\d{4}")  # a range has two of them or none: 2019-20 is none of rules
_ASCII_LETTER = re.compile("[A-Za-z]")
_DIGITS_OF_A_SECTION = 3  # as in Magic's rules, the only ones that are cited as CR704
# Of a list, as far as words behind it are looked for at each of its numbers. By hand: all of them
# would take the square of a long list's time.
_NEXT_ITEMS = 4
_NO_HEADINGS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Citation:
    """A rule that is cited in text[start:end].

    number: the rule's number, such as `614.1a`.
    heading: the heading that the text gives the rule, if any.
    how: how the text refers to the rule: as to one that it is an exception to, is subject to or
        takes a definition from, or merely as to one to see.
    document: what the text says the number is of, as `named_documents` calls it; None if it does
        not say.
    """

    number: str
    start: int
    end: int
    heading: str | None = None
    how: How = "see"
    document: str | None = None


def find_citations(
    text: str,
    known: Container[str] = (),
    begin: int = 0,
    alone: bool = True,
    headings: Mapping[str, str] = _NO_HEADINGS,
) -> list[Citation]:
    """Return the citations in a text, in order; for a list or range, one for each rule.

    The span text[start:end] includes words such as `rule` and 章, but not the heading; the rules
    of a range share one span. Numbers have half-width digits and letters; they are those that the
    text writes, whether a book has them or not, and one that it cites twice comes twice.

    known: the numbers of the rulebook that the text belongs to: these need no word such as
        `rule` beside them, but for chapters (`9`) and what may be a score (`2-1`).
    begin: where to start, as an offset in the text: behind the number of the rule that the text
        itself states.
    alone: whether a number without a word such as `rule` may be a citation at all. If it is False,
        only numbers with such a word, or joined to such a number, are cited.
    headings: the headings of that rulebook, by number. A number that stands beside its heading
        needs no word such as `rule` (`“9. Owls”`).

    >>> [c.number for c in find_citations("rule 614〔置換効果〕、rule 615〔軽減効果〕参照。")]
    ['614', '615']
    >>> [c.number for c in find_citations("See rules 103.2a–c and 509.1, and section 7.")]
    ['103.2a', '103.2b', '103.2c', '509.1', '7']
    >>> [(c.number, c.how) for c in find_citations("rule 101.4に従う。rule 116.2aを除く。")]
    [('101.4', 'subject to'), ('116.2a', 'exception')]
    >>> [c.number for c in find_citations("a 2-1 win (see 8-3 and 9)", {"2-1", "8-3", "9"})]
    ['8-3', '9']
    >>> find_citations("バージョン 1.4.7、2024.11.17、3/3 のクリーチャー")
    []
    """
    has_roman_chapters = "II" in known
    if not has_roman_chapters and not patterns.DIGIT.search(text, begin):
        return []
    if not alone and not patterns.LEAD_WORD.search(text, begin):
        return []  # as most passages of most wikis
    # What stands before `begin` is no part of the text: `1-1．8-3に従う` has no number 1-1.8-3.
    folded = " " * begin + fold_width(text[begin:]) if begin else fold_width(text)
    groups = list(_groups(folded, known, begin, alone, headings))
    if has_roman_chapters:
        found = chain(groups, _roman_chapters(folded, known), _outline_numbers(folded, known))
        groups = sorted(found, key=lambda group: group[0].start)
    named = named_documents(folded) if groups else []
    return [
        Citation(number, item.start, item.end, heading, how, document)
        for group in groups
        for how in (_how(folded, group),)
        for item, document in zip(group, _documents(folded, group, named), strict=True)
        for heading in (text[slice(*item.heading)] if item.heading else None,)
        for number in item.numbers
    ]


def _documents(
    text: str, group: Sequence[_Item], named: Sequence[tuple[int, int, str]]
) -> list[str | None]:
    """Return for each item of a group which document it is of, None if the text doesn't say it: the
    document is named directly before the item or one that it is joined to, by a sign such as CR, or
    behind the last of them, whose word counts (`section 2.3 and rule 103.1 of the comprehensive
    rules`): items with another word stay without.

    named: what `named_documents` returns for the text.
    """
    found: list[str | None] = []
    for item in group:
        before = (
            document
            for start, end, document in named
            if start <= item.start
            and patterns.DOCUMENT_BEFORE.fullmatch(text, min(end, item.start), item.start)
        )
        goes_on = found and text[item.start].isdigit()
        is_coded = item.lead == "code" and text[item.start] in "Cc"
        otherwise = RULEBOOK if is_coded else found[-1] if goes_on else None
        found.append(next(before, otherwise))
    stop = group[-1].stop
    behind = (
        document
        for start, _, document in named
        if start >= stop and patterns.DOCUMENT_BEHIND.fullmatch(text, stop, start)
    )
    last = None if any(found) else next(behind, None)
    return [last if item.lead == group[-1].lead else None for item in group] if last else found


def is_citation(text: str) -> bool:
    """Return whether a text is nothing but citations, with words such as `see` or without, as
    brackets behind a name may hold: they are no other name of what is named. False for a text
    without digits, and for a number that nothing shows to be a rule's.

    >>> [is_citation(text) for text in ("CR:121.1", "rule 704.5f参照", "see rules 103.2a–c")]
    [True, True, True]
    >>> is_citation("Rule of Law"), is_citation("キーワード処理"), is_citation("2")
    (False, False, False)
    """
    if not patterns.DIGIT.search(text):
        return False
    folded = fold_width(text).strip(" .。→")
    beside, end = [], 0
    for citation in find_citations(folded):
        if citation.start >= end:  # the rules of a range share one span
            beside.append(folded[end : citation.start])
            end = citation.end
    beside.append(folded[end:])
    return patterns.BESIDE_CITATIONS.fullmatch(" ".join(beside)) is not None


def without_bracketed_citations(text: str) -> str:
    """Return a text without the brackets in it that hold nothing but citations.

    >>> [without_bracketed_citations(text) for text in ("引く／Draw（CR:121.1）", "山 (Mountain)")]
    ['引く／Draw', '山 (Mountain)']
    """
    if not patterns.DIGIT.search(text):
        return text
    return _IN_BRACKETS.sub(lambda brackets: "" if is_citation(brackets[1]) else brackets[0], text)


@dataclass(frozen=True, slots=True)
class _Item:
    """A number or range that is cited in text[start:end].

    numbers: the numbers of all rules in the range.
    start, end: the span, with the word in front (`rule`), without the heading behind.
    lead: what that word is, a group of LEAD; without one, that of the item it is joined to.
    joined: whether it is joined to the item before by a comma or conjunction.
    heading: the span of the heading that the text gives the rule behind the number, if any.
    stop: where the heading's closing quotation mark ends; `end` without heading.
    """

    numbers: list[str]
    start: int
    end: int
    lead: str
    joined: bool
    heading: tuple[int, int] | None
    stop: int


# In place of the item before the first: its end, -99, is farther away than any window reaches.
_NO_ITEM = _Item([], -99, -99, "", False, None, -99)


@dataclass(slots=True)
class _Number:
    """A number in text[start:end] that may be cited; `end` grows as what follows is read.

    lead, begin: the word before it, as a group of LEAD, and where that begins; empty and `start`
        without.
    previous: the item before it in the text; _NO_ITEM if none.
    joined: whether a comma or conjunction joins it to that item.
    numbers: all numbers of the range that it begins, or only itself, as ids write them.
    in_full: whether the range's last number is written with its levels (`4.1-4.3`).
    chapter: whether a sign such as 章 shows it to be a chapter.
    is_sent_to: whether the text sends the reader to a rule of the book of this number.
    """

    start: int
    end: int
    lead: str
    begin: int
    previous: _Item
    joined: bool
    numbers: list[str]
    in_full: bool = False
    chapter: bool = False
    is_sent_to: bool = False

    @property
    def has_levels(self) -> bool:
        """Whether the number is more than digits, such as `4.3` and `A-1-02`."""
        return not self.numbers[0].isdigit()


def _groups(
    text: str, known: Container[str], begin: int, alone: bool, headings: Mapping[str, str]
) -> Iterator[list[_Item]]:
    """Yield what a text cites, in order; items joined by commas or conjunctions are one group.

    text: the text as `fold_width` returns it.
    known, begin, alone, headings: as for `find_citations`.
    """
    group: list[_Item] = []
    position, previous = begin, _NO_ITEM
    while match := patterns.NUMBER.search(text, position):
        number = _read_number(text, match, previous, known, headings)
        item = _as_item(text, number, known, alone) if number else None
        if number and not item and _LOG.isEnabledFor(logging.DEBUG):
            _log_no_citation(text, number, known)
        position = match.end()
        if item and not item.joined and group:
            yield group
            group = []
        while item:
            group.append(item)
            previous, position = item, item.stop
            item = None if item.heading else _parse_next_letter(text, item, known)
    if group:
        yield group


def _roman_chapters(text: str, known: Container[str]) -> Iterator[list[_Item]]:
    """Yield the chapters with Roman numerals that a text cites, each as a group, in order; only
    those that are in `known`."""
    for match in patterns.ROMAN_CHAPTER.finditer(text):
        if (number := match["numeral"]) in known:
            yield [_Item([number], match.start(), match.end(), "section", False, None, match.end())]


def _outline_numbers(text: str, known: Container[str]) -> Iterator[list[_Item]]:
    """Yield the numbers of an outline that a text cites (`II.C.3`), each as a group, in order; none
    for the book of another kind, which has no I.A. They need not be in `known`."""
    for match in patterns.OUTLINE_NUMBER.finditer(text) if "I.A" in known else ():
        first, last = match["first"], match["last"]
        numbers = expand_range(first, last, known) if last else [first]
        start, end = match.span() if len(numbers) > 1 else match.span("first")
        number = _Number(start, end, "section", start, _NO_ITEM, False, numbers)
        if not _is_of_other_document(text, number):
            yield [_Item(numbers, start, end, "section", False, None, end)]


def _how(text: str, group: list[_Item]) -> How:
    """Return how a group is cited, by the words before its first and after its last item.

    The words before count first, up to 70 characters of them, then those after, behind a quoted
    heading and closing signs. `see` if neither shows anything else.
    """
    start, end = group[0].start, group[-1].stop
    closing = patterns.CLOSING.match(text, end)
    end = closing.end() if closing else end
    how = patterns.HOW_BEFORE.search(
        text, max(0, start - _HOW_WINDOW), start
    ) or patterns.HOW_BEHIND.match(text, end)
    return patterns.HOWS[how.lastgroup or ""] if how else "see"


def _read_number(
    text: str,
    match: re.Match[str],
    previous: _Item,
    known: Container[str],
    headings: Mapping[str, str],
) -> _Number | None:
    """Return the number that a match of NUMBER begins, with its range; None if it surely cites
    nothing. One that is returned need not be a citation: `_as_item` decides.

    previous: the item before it in the text; _NO_ITEM if none.
    known, headings: as for `find_citations`.
    """
    start, end = match.span("numeral") if match["numeral"] else match.span()
    letters = None
    if start > 1 and text[start - 1] in "-–.":
        if text[start - 2].isdigit():
            if previous.stop != start - 1 and "." not in match[0]:
                return None  # the middle of a longer number that is none of a rule
        elif text[start - 2].isupper():
            letters = patterns.LETTERS_BEFORE.search(text, max(0, start - 6), start)
            mixed = patterns.MIXED_NUMBER.match(text, start) if letters else None
            if not letters or not mixed or patterns.QUANTITY_BEFORE.search(text, start - 2, start):
                return None
            start, end = letters.start(), mixed.end()
    elif known and (glued := patterns.GLUED_NUMBER.match(text, max(0, start - 1))):
        letters = glued if normalize_number(glued[0], known) in known else None
        start, end = glued.span() if letters else (start, end)
    lead = None
    if text[max(0, start - 4) : start].rstrip(patterns.LEAD_GAP)[-1:] in patterns.LEAD_SIGNS:
        lead = patterns.LEAD.search(text, max(0, start - _USUAL_LEAD), start)
        lead = lead or patterns.LEAD.search(text, max(0, start - _LEAD_WINDOW), start)
    begin, group = (lead.start(), lead.lastgroup or "") if lead else (start, "")
    if not (letters or match["numeral"]) and _is_in_a_word(text, start, end, group):
        return None
    if headings and group == "rule":  # « Alliances », règle 2.1
        title = patterns.TITLE_BEFORE.search(text, max(previous.stop, begin - _HOW_WINDOW), begin)
        above = (text[start:stop] for stop in range(start + 1, end + 1))
        if title and title[1] not in map(headings.get, above):
            return None
    joined = 0 <= begin - previous.stop < _LEAD_WINDOW and bool(
        patterns.CONJUNCTION.fullmatch(text, previous.stop, begin)
    )
    signs = ("-", "–", ".") if known else ("-", "–")
    if not letters and text[end : end + 1] in signs:
        end = _end_of_levels(text, start, end, lead, known)
    is_sent_to = bool(known) and _is_sent_to(text, start, end, known, headings)
    is_marked = lead or joined or is_sent_to
    if end - start < 3 and not (is_marked or patterns.CHAPTERS_BEHIND.match(text, end)):
        return None
    if match["numeral"]:
        name = in_digits(match["numeral"])
    else:
        written = text[start:end]
        name = normalize_number("".join(written.split()) if known else written, known)
        is_year = len(name) > 3 and name[:4].isdigit() and not (group == "rule" and "." in name)
        if is_year and name not in known:
            return None
        doubt = None if name.isdigit() else _DOUBTFUL_LEVEL.fullmatch(name)
        sure = name[: doubt.start(doubt.lastgroup or 0)] if doubt else name
        if sure != name and name not in known and (not group or sure in known):
            name, end = sure, start + len(sure)
    if item := _item_behind(text, name, end, known):
        name, end, is_sent_to = *item, True
    number = _Number(start, end, group, begin, previous, joined, [name], is_sent_to=is_sent_to)
    _read_chapter(text, number, known)
    if not number.chapter:
        _read_range(text, number, known)
    return number


def _item_behind(text: str, name: str, end: int, known: Container[str]) -> tuple[str, int] | None:
    """Return the number of the item that stands behind the number of its rule, such as `1-2(3)`,
    and where it ends; None if there is none that the book knows.

    name, end: the rule's number, and where it ends.
    """
    item = patterns.ITEM_BEHIND.match(text, end) if known else None
    label = (item["paragraph"] or _label(item)) if item else ""
    number = f"{name}({label})"
    return (number, item.end()) if item and number in known else None


def _label(item: re.Match[str]) -> str:
    """Return the letter of an item of a list in lower case, or its number in digits (③ is 3)."""
    return (item["label"] or unicodedata.normalize("NFKC", item["circled"])).lower()


def _next_item(text: str, previous: _Item, known: Container[str]) -> _Item | None:
    """Return the items of the same rule that are cited behind one of them, by their labels alone:
    `1-2①～③`, `1.3.1 b) and c)`; None if there are none that the book knows."""
    match = patterns.NEXT_ITEM_BEHIND.match(text, previous.stop)
    if match is None:
        return None
    first = previous.numbers[-1]
    last = f"{first.rpartition('(')[0]}({_label(match)})"
    numbers = expand_range(first, last, known)[1:] if match["range"] else [last]
    if not numbers or any(number not in known for number in numbers):
        return None
    start = match.start("circled" if match["circled"] else "label")
    return _Item(numbers, start, match.end(), previous.lead, True, None, match.end())


def _is_in_a_word(text: str, start: int, end: int, lead: str) -> bool:
    """Whether a number stands directly behind letters of A to Z that don't make it a citation.
    Behind kana and kanji, which are written without spaces, it never does.

    `CR704.5f` and `rule704` are citations; of digits alone only three are: a `CR2032` is a battery.

    lead: the word before the number, as a group of LEAD; empty without.
    """
    if not _ASCII_LETTER.match(text, start - 1):
        return False
    digits = text[start:end].isdigit()
    return lead not in _RULE_WORDS or (digits and end - start != _DIGITS_OF_A_SECTION)


def _end_of_levels(
    text: str, start: int, end: int, lead: re.Match[str] | None, known: Container[str]
) -> int:
    """Return the end of the number that begins at `start` and has a dash or point at `end`: behind
    all of its levels if the sign separates levels, and `end` if it ends a sentence or is the sign
    of a range.

    One dash separates levels if the book knows the number, if small Roman numerals follow a letter
    (`1.2a-ii`) or, behind a word such as `rule`, if it is a plain hyphen and the word is not a
    plural. A number that the end of a line breaks is one that the book knows.
    """
    if known and (broken := patterns.BROKEN_NUMBER.match(text, start)):
        is_cited = patterns.CITED_BEHIND.match(text, broken.end())
        number = normalize_number("".join(broken[0].split()))
        if number in known and (is_cited or broken["sign"] != "."):
            return broken.end()
    if text[end] == ".":
        return end
    if text[end - 1].isalpha() and (roman := patterns.ROMAN_LEVEL_BEHIND.match(text, end)):
        return roman.end()
    mixed = patterns.MIXED_NUMBER.match(text, start)
    if mixed and mixed.end() > end and normalize_number(mixed[0], known) in known:
        return mixed.end()
    dashed = patterns.DASHED_NUMBER.match(text, start)
    if not dashed:
        return end
    number = normalize_number(dashed[0])
    if number.count("-") > 1:
        return dashed.end()
    first, _, last = number.partition("-")
    is_range = dashed["dash"] != "-" or (first < last and len(first) == len(last) == 3)
    if is_range or not lead or lead.lastgroup not in ("rule", "wide", "code", "document"):
        return end
    return end if lead[0].rstrip().lower().endswith("s") else dashed.end()


def _is_sent_to(
    text: str, start: int, end: int, known: Container[str], headings: Mapping[str, str]
) -> bool:
    """Whether text[start:end] is the number of a rule of the book that stands beside the rule's
    heading, or digits alone that the text sends the reader to.

    known, headings: as for `find_citations`.
    """
    name = text[start:end]
    if name in headings and _is_beside_heading(text, start, end, headings[name]):
        return True
    if not name.isdigit() or name not in known:
        return False
    if patterns.SEE_BEHIND.match(text, end) or (
        end - start > 2 and patterns.USED_BEHIND.match(text, end)
    ):
        return patterns.APART_BEFORE.search(text, max(0, start - 1), start) is not None
    if _is_behind(text, start, patterns.SEE_BEFORE):
        return patterns.ENDING_BEHIND.match(text, end) is not None
    if end - start > 2 and patterns.BRACKET_BEHIND.match(text, end):
        return patterns.BRACKET_BEFORE.search(text, max(0, start - 10), start) is not None
    is_in_brackets = patterns.REFERENCE_BEFORE.search(text, max(0, start - 2), start)
    return is_in_brackets is not None and text[end : end + 1] == "]"


def _is_beside_heading(text: str, start: int, end: int, heading: str) -> bool:
    """Whether the number text[start:end] stands before its heading, behind a quotation mark,
    bracket or word such as `see`, or behind its heading in brackets: `“9. Owls”`, `Owls (9)`;
    of three digits or more also before の and the heading."""
    title = fold_width(heading)
    before = text[max(0, start - 1) : start]
    if before in ("(", "[") and text[end : end + 1] in (")", "]"):
        before = text[max(0, start - 2 - len(title)) : start - 1]
        return before.rstrip().lower().endswith(title.lower())
    gap = patterns.TITLE_BEHIND.match(text, end)
    stop = (gap.end() if gap else end) + len(title)
    if text[stop - len(title) : stop].lower() != title.lower():
        return False
    if title[-1:].isascii() and text[stop : stop + 1].isalnum():
        return False
    if gap and gap["of"] and end - start > 2:
        return True
    return before in patterns.OPENING or _is_behind(text, start, patterns.SEE_BEFORE)


def _read_chapter(text: str, number: _Number, known: Container[str]) -> None:
    """Add to a number the sign for a chapter behind it, and the range of chapters, if any.

    Nothing changes without such a sign, or for three digits or more with nothing else beside them
    that are no section of the book (`407節`).
    """
    name = number.numbers[0]
    is_marked = bool(number.lead)
    pattern = patterns.CHAPTER_BEHIND if is_marked else patterns.BARE_CHAPTER_BEHIND
    chapter = pattern.match(text, number.end)
    is_long = len(name) > 2 and not number.has_levels and name not in known
    if not chapter or (is_long and not (is_marked or number.joined)):
        return
    number.chapter, number.end = True, chapter.end()
    last = patterns.CHAPTER_RANGE_BEHIND.match(text, number.end)
    if last and name.isdigit():
        number.numbers = expand_range(name, in_digits(last["last"]))
        number.end = last.end()


def _read_range(text: str, number: _Number, known: Container[str]) -> None:
    """Add to a number the end of the range that it begins, if any; else nothing changes.

    Digits alone, without levels, begin a range only of chapters or behind a word such as `rule`.
    Two numbers of one shape with nothing countable between them (`1.2-3.4`) are only those two, and
    only behind such a word.
    """
    first = number.numbers[0]
    is_pointed = "-" not in first
    pattern = patterns.RANGE_BEHIND if is_pointed else patterns.DASHED_RANGE_BEHIND
    match = pattern.match(text, number.end)
    if not match or patterns.UNIT_BEHIND.match(text, match.end()):
        return
    last = normalize_number(match["last"], known)
    if bool(_LIKE_A_YEAR.match(last)) != bool(_LIKE_A_YEAR.match(first)) or _is_former(
        text, number
    ):
        return
    numbers = expand_range(first, last, known)
    if len(numbers) == 1:
        if number.lead in _RULE_WORDS and _are_alike(first, last):
            number.numbers, number.end = [first, last], match.end()
        return
    chapter = None
    if not number.has_levels:
        chapter = patterns.BARE_CHAPTER_BEHIND.match(text, match.end())
        is_rule = number.lead in _RULE_WORDS and (number.lead != "wide" or len(first) == 3)
        if not (chapter or is_rule):
            return
    number.numbers, number.end = numbers, chapter.end() if chapter else match.end()
    number.chapter = chapter is not None
    number.in_full = not last.isalnum()


def _are_alike(first: str, last: str) -> bool:
    """Whether two numbers differ only in the digits of their levels, and are more than digits, so
    that both may end a range."""
    shape = re.sub(r"\d+", "0", first)
    return first != last and not first.isdigit() and re.sub(r"\d+", "0", last) == shape


def _log_no_citation(text: str, number: _Number, known: Container[str]) -> None:
    """Log why a number cites nothing; not for digits alone that the book doesn't know, which are
    any amount."""
    if not number.has_levels and number.numbers[0] not in known:
        return
    why = "nothing beside it says that it is a rule's"
    if _is_quantity(text, number):
        why = "it counts or measures something"
    elif _is_of_other_document(text, number):
        why = "it is of another document"
    elif _is_former(text, number):
        why = "it is the number of an edition before"
    around = text[max(0, number.start - _BEFORE_WINDOW) : number.end + _BEFORE_WINDOW]
    _LOG.debug("%s cites nothing: %s: %s", number.numbers[0], why, around)


def _as_item(text: str, number: _Number, known: Container[str], alone: bool) -> _Item | None:
    """Return what a number or range cites, with the heading behind it and the lead of the item that
    it is joined to if it has none; None if it is not a citation.

    known, alone: as in `find_citations`.
    """
    is_known = number.has_levels and number.numbers[0] in known  # 第5.2.1条
    if number.lead == "part" and not (number.chapter or is_known):
        return None
    if not (alone or number.lead in _RULE_WORDS or number.joined):
        return None
    if not number.chapter and _is_quantity(text, number):
        return None
    if not _is_citation(text, number, known) or _is_former(text, number):
        return None
    lead = number.lead or (number.previous.lead if number.joined else "")
    heading, stop = _heading_behind(text, number.end)
    return _Item(number.numbers, number.begin, number.end, lead, number.joined, heading, stop)


def _heading_behind(text: str, end: int) -> tuple[tuple[int, int] | None, int]:
    """Return the span of the quoted heading behind a number, and where its quotation ends.

    None and `end`, which is where the number ends, without one.
    """
    heading = patterns.HEADING_BEHIND.match(text, end)
    return (heading.span(heading.lastindex or 0), heading.end()) if heading else (None, end)


def _is_quantity(text: str, number: _Number) -> bool:
    """Whether a number counts or measures something, by what stands beside it: a unit behind it,
    or, of a number with levels that is joined to no other, a sign of inches behind it or words or
    signs of a quantity before it.

    A number with levels behind a word such as `rule` never does.
    """
    if number.lead in _RULE_WORDS:
        return not number.has_levels and patterns.UNIT_BEHIND.match(text, number.end) is not None
    if patterns.UNIT_BEHIND.match(text, number.end):
        return True
    if not number.has_levels or number.joined:
        return False
    start = max(0, number.start - _BEFORE_WINDOW)
    if text[number.end : number.end + 1] in ('"', "”"):  # inches, if no quotation ends there
        line = max(0, number.start - 10 * _BEFORE_WINDOW)
        if not _OPEN_QUOTE.search(text, line, number.start):
            return True
    return patterns.QUANTITY_BEFORE.search(text, start, number.start) is not None


def _is_former(text: str, number: _Number) -> bool:
    """Whether a number is one that a rule had before, by the words beside it: `moved from 9.3`."""
    begin = number.begin
    before = text[max(0, begin - 2) : begin].rstrip()[-1:]
    is_former = before in patterns.FORMER_SIGNS and patterns.FORMER_BEFORE.search(
        text, max(0, begin - _BEFORE_WINDOW), begin
    )
    return bool(is_former or patterns.FORMER_BEHIND.match(text, number.end))


def _is_citation(text: str, number: _Number, known: Container[str]) -> bool:
    """Whether a number or range that is no quantity is a citation, not a version or a score.

    Never if it is of another document that has no name. Surely behind a word such as `rule`, as a
    chapter, or where the text sends the reader to it; else it depends on the number (one of the
    book, three digits, levels like a rule's) and on the words and headings beside it.

    known: the numbers of the rulebook that the text belongs to.
    """
    first, lead, levels = number.numbers[0], number.lead, number.has_levels
    if _is_of_other_document(text, number):
        return False
    if number.chapter or number.is_sent_to or lead in ("rule", "code", "document"):
        return True
    if lead in ("", "part") and levels and not number.chapter:
        if _is_of_document(text, number.begin):
            return True
        if _is_no_citation(text, number, known):
            return False
    if lead in _SECTION_WORDS:
        return levels or len(first) < 3 or first in known
    if lead == "wide":
        return levels or len(first) == 3 or first in known
    if number.joined and (levels or len(first) == 3 or number.previous.lead in _SECTION_WORDS):
        return True
    if not levels and number.joined and first in known:
        return bool(
            patterns.ENDING_BEHIND.match(text, number.end)
            or patterns.SEE_BEHIND.match(text, number.end)
        )
    if not levels:
        return len(first) == 3 and _is_section_cited(text, number, known)
    is_known = all(each in known for each in number.numbers)
    if is_known and (not _may_count(text, number) or _is_used(text, number.end)):
        return True
    like_a_rule = _LIKE_A_RULE.fullmatch(first)
    # `145.3-170` is a range of tempos: in a range of rules both numbers are written in full.
    if number.in_full and len(number.numbers) > 1 and (like_a_rule or first.count(".") > 1):
        return True
    if like_a_rule and like_a_rule["letter"]:
        return True
    return bool(
        _is_behind(text, number.start, patterns.CITED_BEFORE)
        or patterns.CITED_BEHIND.match(text, number.end)
        or patterns.HEADING_BEHIND.match(text, number.end)
        or _next_is_cited(text, number.end, known)
    )


def _is_of_document(text: str, begin: int) -> bool:
    """Whether the name of a document stands directly before a number that begins there."""
    return any(
        end <= begin and patterns.DOCUMENT_BEFORE.fullmatch(text, end, begin)
        for _, end, _ in named_documents(text)
    )


def _is_of_other_document(text: str, number: _Number) -> bool:
    """Whether a number is of a document of which only that is known, by words before or behind it:
    `PCG 2.4`, `section 2.1 of the Judge Handbook`. Not if a document that has a name stands
    directly before it or is named behind it."""
    if number.lead == "code" or _is_of_document(text, number.begin):  # MTG CR:104.3
        return False
    start = max(number.previous.stop, number.begin - _HOW_WINDOW, 0)
    before = patterns.OTHER_DOCUMENT_BEFORE.search(text, start, number.begin)
    if before and not _is_behind(text, number.begin, patterns.SEE_BEFORE):
        return True
    end = number.end
    return patterns.OTHER_DOCUMENT_BEHIND.match(
        text, end, end + _HOW_WINDOW
    ) is not None and not any(
        start >= end and patterns.DOCUMENT_BEHIND.fullmatch(text, end, start)
        for start, _, _ in named_documents(text)
    )


def _is_no_citation(text: str, number: _Number, known: Container[str]) -> bool:
    """Whether a number (of a range, the first) is one that the book does not know and that stands
    as rules begin: behind the beginning of the text, or the end of a line, sentence or bracket,
    with a point behind it and then the end of a line or of the text, or a digit."""
    start = number.start
    is_label = patterns.LABEL_BEHIND.match(text, number.end) and number.numbers[0] not in known
    return bool(is_label and patterns.LABEL_BEFORE.search(text, max(0, start - 4), start))


def _is_behind(text: str, start: int, words: tuple[re.Pattern[str], re.Pattern[str]]) -> bool:
    """Whether one of some words stands directly before a number.

    start: where the number begins.
    words: the patterns of the words of languages with spaces between words, and without.
    """
    spaced, unspaced = words
    if not start:
        return False
    last = text[max(0, start - 2) : start].rstrip()[-1:]
    found = None
    if last.isascii() and (last.isalpha() or last in (".", ":")):
        found = spaced.search(text, max(0, start - _BEFORE_WINDOW), start)
    if not found and (last == ":" or not last.isascii()):
        found = unspaced.search(text, max(0, start - _UNSPACED_WINDOW), start)
    return found is not None


def _is_section_cited(text: str, number: _Number, known: Container[str]) -> bool:
    """Whether three digits without a word such as `rule` cite a section.

    They do behind words such as `see` if a heading follows or the book has the section, before a
    heading in 〔〕, and before one in other quotes if the book has the section.
    """
    heading = patterns.HEADING_BEHIND.match(text, number.end)
    if heading and heading[0][-1] == "〕":
        return True
    is_known = number.numbers[0] in known
    if not (heading or is_known):
        return False
    if _is_behind(text, number.start, patterns.SEE_BEFORE):
        return True
    return is_known and bool(
        patterns.SEE_BEHIND.match(text, number.end)
        or _next_is_cited(text, number.end, known)
        or (heading and heading[0][0] in ",.")
    )


def _may_count(text: str, number: _Number) -> bool:
    """Whether a number without a word such as `rule` may be a score or decimal: `2-1`, `1.5 of`. A
    range never is."""
    first = number.numbers[0]
    if len(number.numbers) > 1:
        return False
    return bool(
        _LIKE_A_SCORE.fullmatch(first)
        or (_LIKE_A_DECIMAL.fullmatch(first) and patterns.AMOUNT_BEHIND.match(text, number.end))
    )


def _is_used(text: str, end: int) -> bool:
    """Whether the words behind a number of the book that ends at `end`, or behind the end of the
    range that it begins, show that it is not a score."""
    sign = patterns.RANGE_SIGN.match(text, end)
    last = patterns.MIXED_NUMBER.match(text, sign.end()) if sign else None
    return patterns.USED_BEHIND.match(text, last.end() if last else end) is not None


def _next_is_cited(text: str, end: int, known: Container[str]) -> bool:
    """Whether other numbers are joined behind the one that ends at `end`, and the words behind one
    of them, or before it, show a citation.

    False if no number follows a conjunction there. At most four are looked at; one that has no
    levels and is not in the book doesn't count, though those behind it may.

    known: the numbers of the book.
    """
    for _ in range(_NEXT_ITEMS):
        conjunction = patterns.CONJUNCTION.match(text, end)
        following = patterns.MIXED_NUMBER.match(text, conjunction.end()) if conjunction else None
        if not following:
            return False
        end = following.end()
        is_rule = not following[0].isdigit() or following[0] in known
        if is_rule and patterns.CITED_BEHIND.match(text, end):
            return True
        if following[0] in known and patterns.USED_BEHIND.match(text, end):
            return True
    return False


def _parse_next_letter(text: str, previous: _Item, known: Container[str]) -> _Item | None:
    """Return the sub-rules that are cited by letters alone behind another (`103.2a and c`); None
    if there are none.

    previous: the item that the letter would follow at once.
    known: as for `find_citations`.
    """
    number = previous.numbers[-1] if previous.numbers else ""
    if number.endswith(")"):
        return _next_item(text, previous, known)
    match = (
        patterns.NEXT_LETTER_BEHIND.match(text, previous.stop) if number[-1:].isalpha() else None
    )
    if not match or match["first"].lower() <= number[-1]:
        return None
    first = number[:-1] + match["first"].lower()
    numbers = expand_range(first, match["last"], known) if match["last"] else [first]
    start, end = match.start("first"), match.end()
    return _Item(numbers, start, end, previous.lead, True, *_heading_behind(text, end))
