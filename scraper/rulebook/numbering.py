"""Parses rule numbers: their levels, the key they are sorted by, the number a line begins with.

A number is a chain of levels: digits, letters, roman or kanji numerals, joined by dots, dashes or
brackets (`121.2a`, `107.5.a`, `5-1-2`, `A-1-01`, `103.1.a.(1)`, 第7章). Nothing is configured for a
rulebook: which of its lines state rules is inferred by `scraper.rulebook.classified_lines`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from scraper.rulebook.languages import LANGUAGES, alternatives, in_digits

Key = tuple[int, ...]  # what rule numbers are sorted by: see `number_key`
Form = tuple[object, ...]  # how a number is written: see `NumberedLine`
Depth = tuple[int, str]

# A capital may follow directly, if it begins a word (`603.2aWhenever`).
_LETTERS = "(?:[ivx]{2,6}|[a-z]{1,2})(?![a-z]|[A-Z](?![a-z]))"
_CAPITAL = r"[A-Z](?=[.:)\]-])"
_STEP = rf"(?:\d{{1,3}}(?!\d)|{_LETTERS}|{_CAPITAL})"
_FIRST = (  # years are none: 1899 is the highest of four digits
    r"(?:\d{1,3}(?!\d)|1[0-8]\d\d(?=\.)"
    r"|[A-Z]\d{1,2}(?=\.?\d*\s|\.\d|$)"  # A1, A1.1
    rf"|(?:[IVX]{{2,5}}|[A-Z])(?=[.-](?:[\dA-Z]|{_LETTERS})|[.:]\s))"
)
# Dots come before dashes (`101.1a-ii`): the dot in `5-1-2.3枚` ends the number. Nine levels of each
# bound time: numbers of known books have up to six in all.
_NUMBER = (
    rf"{_FIRST}(?:\.{_STEP}|\.?\({_STEP}\)|(?<=\d){_LETTERS}){{0,9}}"
    rf"(?:-{_STEP}(?:\({_STEP}\)|(?<=\d){_LETTERS})?){{0,9}}"
)
_KANJI = "〇一二三四五六七八九十"
# Of a chapter; the numerals of one character go to twelve.
_COUNT = rf"(?:\d{{1,3}}|[{_KANJI}]{{1,3}}|[Ⅰ-Ⅻ])"
_BULLETS = "■□●○◆◇▼▽▶►▪★☆"
# Characters of a line that are looked at: more than a number and the word that is counted behind it
# take, few enough that most lines of a book are cached once.
_LONGEST_HEAD = 80
_LONGEST_NUMBER = 24  # characters of one alone on its line; those of known books have up to 11
# Full-width signs, dashes and spaces, one character for one, so that offsets stay as they are.
HALF_WIDTH: dict[int, int | str] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "‐‑‒–—−"), "-"),
    ord("\u3000"): " ",
}
_DASHES = ("– ", "— ", "- ")
# Behind the punctuation closing marks only; `ends_sentence` gives it the last 12 characters.
_SENTENCE_END = re.compile(r"[。．.!?！？:：;；…]['\"”’」』)）\]］】》]*$")
_LONGEST_HEADING = 80  # characters: by hand, a line of print; longer ones are broken sentences
_NOT_SUBRULES = (12, 15)  # the letters l and o: not used for subrules, as they look like digits
# What the position of a capital letter is added to, above all numbers of three digits: appendices
# come last.
_CAPITALS = 1000
_LAST_CAPITAL = _CAPITALS + 26
_LEVEL = re.compile(r"\(\w+\)|\d+|[IVX]{2,}|[A-Z]|[a-z]+")
# The first level of a number in small letters, which in books is a capital: `ii.1`, `a1.1`.
_FIRST_IN_CAPITALS = re.compile(r"^(?:[ivx]{1,5}\.[a-z](?=\.|$)|(?:[ivx]{2,5}|[a-z])(?=[.-]|\d))")
_OUTLINE = re.compile(r"[IVX]{1,5}\.[A-Z](?:\.\d{1,2}(?:\.[a-z])?)?")
_WRITTEN = re.compile(rf"(?:\d{{4}}|{_NUMBER})")
_APART = re.compile(  # 701.23 b 引く, 200.3C 引く
    r"(?P<above>\d{1,4}(?:[.-]\d{1,3})+)(?P<letter>[A-Z]|\s[a-z])"
    r"(?=[\s.)]*[^\x00-\x7f])[\s.)]*"
)
# The forms of numbers that `doubtful_number_at` gives: alone with a mark, misread.
ALONE: Form = ("alone", True)
MISREAD: Form = ("misread",)
_LIKE_DIGITS = str.maketrans("lIOoSZ", "110052")
# A word of digits and letters that look like them, four before the first separator: `lOO.la`.
_MISREAD = re.compile(r"(?=[\dIS.-]*[lIOoSZ])[\dlIOoSZ]{1,4}[.-][\dlIOoSZ.-]*[a-z]?[.)]?(?:\s+|$)")
# Chapters `5.0` and rules `5.31` behind `5.3` that show that each digit is a level: one or two of
# them a decimal may feign in any book.
_FEWEST_CHAPTERS, _FEWEST_BEGUN = 2, 3
_ONE_POINT = re.compile(r"\d+\.[1-9]\d?")
# Characters of a heading that ends in ! or ?; by hand: half of `_LONGEST_HEADING`, as questions in
# the text are longer than names.
_LONGEST_CALL = 40
_CALL = re.compile(r"[^。．.!?！？:：;；…\n]+[!?！？][)\"”’」』）］】》]?")
_NUMBER_BEFORE = re.compile(r"^[\d.\-]+[a-z]?[.)]?\s")
_QUOTES = frozenset("「『《〈【〔“‘")
_CLOSING = {"[": "]", "【": "】", "〔": "〕", "(": ")"}
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line that begins with a number.

    line: the index of the line.
    number: the number as ids write it: `第７章` is `7`, `５－１` is `5-1`.
    key: what the number is sorted by.
    form: how the number is written, by which rules are told from other numbered lines: whether as
        a chapter (第7章), its separators, the marks around it, whether a space follows it. Numbers
        that are not read by `number_at` have forms of their own, such as `ALONE`.
    span: the start and end of the number in the line without indent.
    start: where the text after the number starts in it.
    """

    line: int
    number: str
    key: Key
    form: Form
    span: tuple[int, int]
    start: int

    @property
    def depth(self) -> Depth:
        """The number of steps of the key, and what the last level is: `0`, `a` or `A`, or one of
        them in brackets.

        The key of `121.2a` has the step 1 for its hundred, so that its depth is (4, "a").
        """
        last = self.number.rstrip(")")[-1]
        kind = "0" if last.isdigit() else "a" if last.islower() else "A"
        return len(self.key), f"({kind})" if self.number.endswith(")") else kind


def ends_sentence(text: str) -> bool:
    """Whether a text ends with the punctuation of a sentence, closing brackets ignored.

    Colon and ellipsis count as such; space at the end is ignored. False for an empty text.

    >>> ends_sentence("カードを引く。」"), ends_sentence("黄金律（ルール適用の原則）")
    (True, False)
    """
    return _SENTENCE_END.search(text.rstrip()[-12:]) is not None


@cache  # the patterns are made when they are needed: to look up a rule takes none of them
def _head() -> re.Pattern[str]:
    """Return the pattern of a number at the beginning of a line, with half-width characters.

    Its groups are the number (`number`), what encloses it (`open`, `end`) and the space behind it
    (`gap`); a chapter's are `chapter`, or `count` without a prefix such as 第.
    """
    prefix = alternatives(lambda lang: lang.chapter_prefixes if lang.chapter_suffixes else ())
    suffix = alternatives(lambda lang: lang.chapter_suffixes)
    word = alternatives(lambda lang: () if lang.chapter_suffixes else lang.chapter_prefixes)
    rule = alternatives(lambda lang: lang.rule_words + lang.rule_codes)
    ways = (
        rf"[{_BULLETS}【]?\s?{prefix}\s?(?P<chapter>{_COUNT})\s?{suffix}(?=[.:]?\s*\S)",  # 第7章
        rf"(?P<count>{_COUNT})\s?{suffix}(?=[.:\s]\s*\S)",  # 7章
        rf"(?i:{word})\s+(?P<word>\d{{1,3}}|(?i:[ivxlc]+)|[A-Z])(?=[.:-]?\s)",  # Chapter 7
        rf"(?P<open>#{{1,6}}\s+|\*\*|[{_BULLETS}]\s?|[\[【〔(]\s?(?i:{rule})\s?|[\[【〔(§]\s?)?"
        rf"(?P<number>{_NUMBER})",
        rf"(?P<kanji>[{_KANJI[1:]}]{{1,3}}(?=[.、])|[Ⅰ-Ⅻ](?=[.、\s]))",
    )
    behind = r"(?P<end>[.:、)\]】〕-]{0,2})(?:\*\*)?(?P<gap>\s*)(?=\S)"
    return re.compile(f"(?:{'|'.join(ways)}){behind}")


@cache
def _alone() -> re.Pattern[str]:
    """Return the pattern of a number that is alone on its line, in half-width characters, with up
    to two marks behind it, or of a chapter's (第7章)."""
    prefix = alternatives(lambda lang: lang.chapter_prefixes if lang.chapter_suffixes else ())
    suffix = alternatives(lambda lang: lang.chapter_suffixes)
    return re.compile(rf"{_NUMBER}[.:)]{{0,2}}|{prefix}\s?{_COUNT}\s?{suffix}")


def number_at(text: str, line: int = 0) -> NumberedLine | None:
    """Parse the number that a line begins with; None if it begins with no rule number.

    text: the line without indent, with text after the number (`1.` alone is no rule number).
    line: the index of the line, only passed on to the result.

    >>> [n and n.number for n in map(number_at, ("５－１－２　引く", "第7章 領域", "121.2a 引く"))]
    ['5-1-2', '7', '121.2a']
    >>> [n and n.number for n in map(number_at, ("第七章 領域", "7章 領域", "Chapter IV: Zones"))]
    ['7', '7', '4']
    >>> [n and n.number for n in map(number_at, ("107.5.a. Draw.", "A-1-01 引く", "9.1.(2) Draw"))]
    ['107.5.a', 'A-1-01', '9.1.(2)']
    >>> [n and n.number for n in map(number_at, ("1-1-1．2人で行う", "1.1.1.2人で", "1001.1 引く"))]
    ['1-1-1', '1.1.1', '1001.1']
    >>> number_at("[RULE 1.2a] 引く").number, number_at("[RULE 1.2a] 引く").start
    ('1.2a', 12)
    >>> number_at("3枚のカード"), number_at("2025 年")
    (None, None)
    """
    found = _parse_head(text[:_LONGEST_HEAD]) if _may_begin_number(text) else None
    return NumberedLine(line, *found) if found else None


# A line is parsed when its page, its part and its rule are looked for; the longest known book has
# 9,300 lines.
@lru_cache(maxsize=20_000)
def _parse_head(head: str) -> tuple[str, Key, Form, tuple[int, int], int] | None:
    """Return the number, key, form, span and start of `NumberedLine`; None without a number.

    head: the beginning of a line.
    """
    match = _head().match(head.translate(HALF_WIDTH))
    if not match:
        return None
    group = next(name for name in _NUMBER_GROUPS if match[name])
    number = match[group] if group == "number" else _chapter_number(match[group])
    opening, end = (match["open"] or "").strip(f"#* {_BULLETS}")[:1], match["end"]
    (first, last), start = match.span(group), match.end()
    if group != "number" and head[start : start + 2] in _DASHES:  # Chapter IV — Zones
        start += 2
    if group == "number" and not (_is_number(number) and _is_closed(number, opening, end, match)):
        number, end = _without_quantity(number, match), "."
        last, start = first + len(number), first + len(number) + 1
        if not number:
            return None
    separators = tuple(sorted(set(re.sub(r"[0-9A-Za-z]", "", number))))
    form = (group != "number", separators, opening + end, bool(match["gap"]))
    return number, number_key(number), form, (first, last), start


def _may_begin_number(text: str) -> bool:
    """Whether the first two characters of a line may begin a number: a quick test that rules out
    most lines of prose, and no number. True for an empty text."""
    first, second = text[:1], text[1:2]
    if first.isascii() and first.isalpha():
        return not second.isalpha() or second in "IVX" or first.lower() in _word_initials()
    return first.isdigit() or not first.isalpha() or first in _head_signs()


@cache
def _word_initials() -> frozenset[str]:
    """Return the first letters, small ones, of the words before a chapter's number (Chapter 7)."""
    return frozenset(
        word[0] for lang in LANGUAGES if not lang.chapter_suffixes for word in lang.chapter_prefixes
    )


@cache
def _head_signs() -> frozenset[str]:
    """Return the letters other than a to z that a number may begin with: numerals and 第."""
    prefixes = (prefix for lang in LANGUAGES for prefix in lang.chapter_prefixes)
    return frozenset(_KANJI).union(prefix[0] for prefix in prefixes)


_NUMBER_GROUPS = ("number", "chapter", "count", "word", "kanji")


@cache
def _number_alone() -> re.Pattern[str]:
    """Return the pattern of a number (`number`) and its mark (`end`), which may be empty."""
    return re.compile(rf"(?P<number>{_NUMBER})(?P<end>[.:)]{{0,2}})")


def doubtful_number_at(text: str, line: int = 0) -> NumberedLine | None:
    """Parse what may be meant as a number at the beginning of a line, though `number_at` sees
    another there, or none: a number alone, of one level too, one whose letter is a capital or
    stands behind a space, one whose last level may count what follows without a space, or one with
    letters that look like digits, as recognition of printed pages gives them. None if it may be no
    number.

    text, line: as for `number_at`.

    >>> [doubtful_number_at(text).number for text in ("200.", "701.23 b コマンド", "200.3C 面")]
    ['200', '701.23b', '200.3c']
    >>> [doubtful_number_at(text).number for text in ("5.1.2人目が引く。", "lOO.la 引く。")]
    ['5.1.2', '100.1a']
    >>> doubtful_number_at("200. Zones"), doubtful_number_at("103.2 a player"), number_at("200.")
    (None, None, None)
    """
    head = text[:_LONGEST_HEAD].rstrip().translate(HALF_WIDTH)
    form: Form
    if len(head) <= _LONGEST_NUMBER and (alone := _number_alone().fullmatch(head)):
        number, span, start = alone["number"], alone.span("number"), len(head) + 1
        form = ALONE if alone["end"] else ("alone", False)
    elif apart := _APART.match(head):
        number = apart["above"] + apart["letter"].strip().lower()
        span, start, form = (0, apart.end("letter")), apart.end(), ("apart",)
    elif (glued := _number_alone().match(head)) and _is_glued(text, head, glued.end()):
        number, span, start = glued["number"], glued.span("number"), glued.end()
        form = ("glued",)
    elif _MISREAD.match(head) and (read := number_at(_with_digits(head))):
        number, span, start, form = read.number, read.span, read.start, MISREAD
    else:
        return None
    if not _is_number(number):
        return None
    return NumberedLine(line, number, number_key(number), form, span, start)


def _is_glued(text: str, head: str, place: int) -> bool:
    """Whether behind a number of several levels follows at once what it may count, a quotation, or,
    behind a letter, a digit of full width: then `number_at` sees none, or one level less.

    text: the line; head: its beginning in half width.
    """
    behind = head[place : place + 1]
    if head[place - 1].isalpha():
        return behind.isdigit() and not text[place].isascii()
    is_digit = len(re.findall(r"\d+", head[:place])) > 1
    return is_digit and (behind == '"' or _unit().match(head, place) is not None)


def _with_digits(head: str) -> str:
    """Return a line, not blank, whose first word has digits for the letters that look like them:
    `100.1a` for `lOO.la`. All else stays, and all offsets."""
    word = head.split(maxsplit=1)[0]
    return word.translate(_LIKE_DIGITS) + head[len(word) :]


def _is_number(number: str) -> bool:
    """Whether all letters of a number are levels: single, doubled (bb follows z), or roman; the
    letters of `2.5cm` are not."""
    return all(
        len(set(level)) == 1 or level.isdigit() or level[0] == "(" or _roman_value(level.lower())
        for level in levels(number)
    )


def _is_closed(number: str, opening: str, end: str, match: re.Match[str]) -> bool:
    """Whether the marks around a number are those of a rule's number.

    A bracket before it must be closed behind it, and one behind it be opened, but for `1.2)`. `(1)`
    is an item of a list: around a single level no bracket may stand. A single level needs a mark or
    a space behind it, as `3枚` counts cards; several may stand directly before Japanese or Chinese.

    opening, end: the marks before and behind the number, such as `[` and `].`; either may be empty.
    match: the match of `_head`, whose space behind the number and next character count, too.
    """
    single = len(levels(number)) == 1
    bracket = _CLOSING.get(opening)
    closed = [mark for mark in end if mark in _CLOSING.values()]
    if closed != ([bracket] if bracket else []) and closed != [")"]:
        return False
    following = match.string[match.end() : match.end() + 1]
    if match["gap"] or (end and (not following.isdecimal() or "-" in number)):
        return not (single and bracket) and not end.startswith(("-", "、"))
    if single or end or not _begins_text(match.string, match.end()):
        return False
    return not number[-1].isdigit() or not _unit().match(match.string, match.end())


def _begins_text(head: str, place: int) -> bool:
    """Whether a text may begin directly behind a number: with a letter of Japanese, Chinese or
    Korean, with a mark that opens a quotation, or with a word in a capital.

    >>> [_begins_text(text, 0) for text in ("引く", "「", "규칙", "Draw", "GB", "th", ", ")]
    [True, True, True, True, False, False, False]
    """
    first, second = head[place : place + 1], head[place + 1 : place + 2]
    if first.isascii():
        return first.isupper() and second.islower()
    return first in _QUOTES or ("ぁ" <= first <= "鿿" or "가" <= first <= "힣")


def _without_quantity(number: str, match: re.Match[str]) -> str:
    """Return a number without its last level, if that counts something (`1.1.1.2人` is rule 1.1.1);
    empty if it is not so, or if less than two levels would be left.

    match: the match of `_head`.
    """
    above, _, last = number.rpartition(".")
    directly = not match["end"] and not match["gap"]
    counts = above and last.isdigit() and directly and _unit().match(match.string, match.end())
    return above if counts and len(levels(above)) > 1 else ""


@cache
def _unit() -> re.Pattern[str]:
    """Return the pattern of a Japanese or Chinese word that counts what a number stands before."""
    return re.compile(alternatives(lambda lang: lang.units if lang.chapter_suffixes else ()))


def _chapter_number(number: str) -> str:
    """Return a chapter's number in digits, if it is one in kanji (below a hundred, or written
    digit by digit) or roman; else as it is.

    A single letter that is no roman numeral is returned as it is.

    >>> [_chapter_number(number) for number in ("十二", "二十", "一〇", "一二", "Ⅳ", "iv", "c")]
    ['12', '20', '10', '12', '4', '4', 'c']
    """
    if "Ⅰ" <= number[0] <= "Ⅻ":
        return str(int(unicodedata.numeric(number)))
    value = _roman_value(number.lower()) if len(number) > 1 or number.lower() in "ivx" else 0
    return str(value) if value else in_digits(number)


def _roman_value(numeral: str) -> int:
    """Return the value of a text of the letters i, v, x, l and c as a roman numeral, well formed or
    not (`iiii` is 4); 0 for other texts, and for an empty one."""
    if not numeral or not set(numeral) <= set(_ROMAN_DIGITS):
        return 0
    values = [_ROMAN_DIGITS[digit] for digit in numeral]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def levels(number: str) -> list[str]:
    """Return the levels of a number, brackets included; empty for an empty text.

    number: a number in the form of `NumberedLine.number`.

    >>> levels("121.2a"), levels("103.1.a.(1)"), levels("A-1-01")
    (['121', '2', 'a'], ['103', '1', 'a', '(1)'], ['A', '1', '01'])
    """
    return _LEVEL.findall(number)


def parent_number(number: str) -> str | None:
    """Return the number of the rule that a rule is part of; None for a chapter, and for
    what has no levels.

    A section of three or four digits belongs to the chapter of its hundreds.

    number: a number in the form of `NumberedLine.number`.

    >>> [parent_number(n) for n in ("121.2a", "121.2", "121", "1", "5.1.2", "5-1-2", "1.10")]
    ['121.2', '121', '1', None, '5.1', '5-1', '1']
    >>> [parent_number(n) for n in ("107.5.a", "103.1.a.(1)", "A-1-01", "A-1")]
    ['107.5', '103.1.a', 'A-1', 'A']
    """
    last = (levels(number) or [number])[-1]
    above = number[: -len(last)].rstrip(".-")
    if above:
        return above
    return number[:-2] if number.isdigit() and len(number) > 2 else None


def with_numbers_above(number: str) -> list[str]:
    """Return a rule's number and those of the rules that it is part of, the nearest first.

    >>> with_numbers_above("121.2a")
    ['121.2a', '121.2', '121', '1']
    """
    numbers = [number]
    while above := parent_number(numbers[-1]):
        numbers.append(above)
    return numbers


def is_number_alone(text: str) -> bool:
    """Whether a line is nothing but a number of several levels, or a chapter's (第7章).

    Its text may be on the next line. A number of one level may be that of a page.

    text: the line without indent.

    >>> is_number_alone("5.1.2."), is_number_alone("第7章"), is_number_alone("12")
    (True, True, False)
    """
    if len(text) > _LONGEST_NUMBER or not _alone().fullmatch(half := text.translate(HALF_WIDTH)):
        return False
    return not half[0].isalnum() or not half[0].isascii() or len(levels(half)) > 1


def parse_number(text: str) -> str | None:
    """Return the number of a rule, however a person writes it, as ids write it; None if a text is
    no such number.

    A word such as `rule` before it, a full stop behind it, width and case do not count.

    >>> [parse_number(text) for text in ("121.2A.", "rule ５．１", "a-1-01", "第7章", "规则903")]
    ['121.2a', '5.1', 'A-1-01', '7', '903']
    >>> parse_number("a1.1"), parse_number("ii.1"), parse_number("iv.c.3")
    ('A1.1', 'II.1', 'IV.C.3')
    >>> parse_number("引く"), parse_number("3枚")
    (None, None)
    """
    written = text.strip().translate(HALF_WIDTH).lower()
    bare = written.rstrip(".")
    bare = _FIRST_IN_CAPITALS.sub(lambda first: first[0].upper(), bare)
    if _OUTLINE.fullmatch(bare):
        return bare
    if _WRITTEN.fullmatch(bare):
        return bare if _is_number(bare) else None
    words = alternatives(lambda lang: lang.rule_words + lang.rule_codes) + r"\s*[:=]?\s*"
    citing = re.match(words, written, re.IGNORECASE)
    if citing and citing.end() < len(written):
        return parse_number(written[citing.end() :])
    chapter = number_at(f"{written} .")
    is_chapter = chapter and chapter.form[0] and chapter.span[1] + 1 >= len(written)
    return chapter.number if chapter and is_chapter else None


def roman_levels(numbers: Iterable[str]) -> frozenset[int]:
    """Return at which levels, counted from 0, the numbers of a document have roman numerals.

    These are levels that have II or iii, but neither B nor c: `i` alone may be a letter.

    numbers: in the form of `NumberedLine.number`.

    >>> roman_levels(["I.1", "II.1", "II.1.b", "II.1.i"])
    frozenset({0})
    """
    by_level: dict[int, set[str]] = {}
    for number in numbers:
        for index, level in enumerate(levels(number)):
            if not level.isdigit():
                by_level.setdefault(index, set()).add(level.strip("()").lower())
    return frozenset(
        index
        for index, found in by_level.items()
        if found & {"ii", "iii"} and not found & {"b", "c"}
    )


def number_key(number: str, roman: Container[int] = ()) -> Key:
    """Return what a rule number is sorted by: its levels as integers.

    A section of three or four digits gets its hundreds as the first step (121 is in chapter 1).
    Letters count from 1, those below another letter as roman numerals (`1.a.iv`); capitals follow
    all digits.

    number: a number in the form of `NumberedLine.number`, so not `第5章`. The key of an empty text
        is ().
    roman: the levels at which `i`, `v` and `x` alone are roman numerals, as `roman_levels` returns
        them. Several letters such as `iv` are always read so.

    >>> number_key("5-1-2"), number_key("121.2a"), number_key("001")
    ((5, 1, 2), (1, 121, 2, 1), (0, 1))
    >>> number_key("A-1"), number_key("1.2.b.iv"), number_key("1.(3)")
    ((1001, 1), (1, 2, 2, 4), (1, 3))
    """
    return _key(number, roman) if roman else _usual_key(number)


@lru_cache(1 << 15)  # editions have most numbers in common; the longest known book has 3,300
def _usual_key(number: str) -> Key:
    return _key(number, ())


def _key(number: str, roman: Container[int]) -> Key:
    steps: list[int] = []
    below_letter = False
    for index, level in enumerate(levels(number)):
        level = level.strip("()")
        steps.append(_step(level, below_letter or index in roman))
        below_letter = level.islower()
        if len(steps) == 1 and len(level) > 2 and level.isdigit():
            steps.insert(0, int(level) // 100)
    return tuple(steps)


def _step(level: str, may_be_roman: bool) -> int:
    """Return the position of a level among its siblings.

    Letters count from `a` as 1; of several letters that are no roman numeral, `aa` follows `z`. Of
    several capitals only the first counts.

    level: digits, small letters, or capital letters.
    may_be_roman: whether a single letter that is a roman numeral is read as one.
    """
    if level.isdigit():
        return int(level)
    roman = _roman_value(level.lower())
    if roman and (may_be_roman or len(set(level)) > 1 or level.lower() in ("ii", "iii")):
        return roman
    if level.isupper():
        return _CAPITALS + ord(level[0]) - ord("A") + 1
    return ord(level[0]) - ord("a") + 1 + 26 * (len(level) - 1)


def have_digit_levels(numbers: Sequence[str]) -> bool:
    """Whether in a document each digit behind the point is a level, as in wargames: `5.31` is the
    first rule below `5.3`, and `5.0` is chapter 5.

    It has such chapters, and more rules that begin a level so than rules `5.10` behind `5.9`.

    numbers: in the form of `NumberedLine.number`, in the order of the document.

    >>> have_digit_levels(["5.0", "5.1", "5.11", "5.12", "5.2", "5.21", "6.0", "6.1", "6.11"])
    True
    >>> have_digit_levels(["5.0", "5.1", "5.2", "6.0", "6.1", "6.9", "6.10", "6.11"])
    False
    """
    chapters = sum(number.endswith(".0") for number in numbers)
    pairs = list(pairwise(numbers))
    begun = sum(_ONE_POINT.fullmatch(a) is not None and b == f"{a}1" for a, b in pairs)
    tens = sum(a.endswith(".9") and b == f"{a[:-1]}10" for a, b in pairs)
    return chapters >= _FEWEST_CHAPTERS and begun >= _FEWEST_BEGUN and begun > tens


def with_levels_apart(number: str) -> str:
    """Return a number of a document that `have_digit_levels` with a point before each level.

    >>> with_levels_apart("5.31"), with_levels_apart("5.0"), with_levels_apart("5.31a")
    ('5.3.1', '5', '5.3.1a')
    """
    chapter, _, rest = number.partition(".")
    return chapter + re.sub(r"(?<![a-z])\d", r".\g<0>", "" if rest == "0" else rest)


def follows(before: Key, after: Key) -> bool:
    """Whether the key `after` comes directly after `before`, both as `number_key` gives them.

    That is its first child (or first descendant, `1.1.1` after `1`), its next sibling or the next
    sibling of one of its ancestors, or a first descendant of such; or the first appendix. A first
    child ends in 1 or 0; letters may skip l and o. False for two equal keys. After () comes only a
    first number.

    >>> follows((1, 2), (1, 2, 1)), follows((1, 2, 9), (1, 3)), follows((1, 2), (1, 4))
    (True, True, False)
    """
    if len(after) > len(before) and after[: len(before)] == before:
        return _are_first_steps(after, len(before))
    changed = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if changed is None:
        return False
    increase = after[changed] - before[changed]
    skips_letter = (
        increase == 2 and after[changed] - 1 in _NOT_SUBRULES and changed == len(after) - 1
    )
    first_appendix = changed == 0 and before[0] < _CAPITALS < after[0]
    return (increase == 1 or skips_letter or first_appendix) and _are_first_steps(
        after, changed + 1
    )


def _are_first_steps(key: Key, begin: int) -> bool:
    """Whether every step of a key from the index `begin` on is 0 or 1.

    A section of three digits is counted within its hundred (100 and 101 are first), a capital
    letter from A. True if the key has no step there.
    """
    for index in range(begin, len(key)):
        base = key[0] * 100 if index == 1 and key[1] >= 100 else 0
        base = _CAPITALS if _CAPITALS < key[index] <= _LAST_CAPITAL else base
        if key[index] - base not in (0, 1):
            return False
    return True


def looks_like_heading(text: str) -> bool:
    """Whether a text has the shape of a heading: it is short and not a sentence.

    Short is at most 80 characters. True for an empty text.
    """
    return len(text) <= _LONGEST_HEADING and not ends_sentence(text)


def is_call_or_question(text: str) -> bool:
    """Whether a text is short and one call or question, as the name of an ability or a heading may
    be: of the marks of sentences it has only one, at its end, a bracket behind it aside. A number
    before it does not count. False for an empty text.

    >>> [is_call_or_question(text) for text in ("4.2. Go, Fight!", "4.2. 引く？", "4. Go! Fight!")]
    [True, True, False]
    """
    bare = _NUMBER_BEFORE.sub("", text.strip())
    return len(bare) <= _LONGEST_CALL and _CALL.fullmatch(bare) is not None
