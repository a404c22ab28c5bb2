"""Finds citations of numbered rules in text: `rule 614.1a`, `rules 103.2a–c`, `第7章`, `5-1-2`."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Literal

How = Literal["see", "exception", "subject to", "as defined in"]

# The patterns. They are matched against text with half-width digits and letters (_HALF_WIDTH).
_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}(?:(?<=\d\.\d)[a-z]|(?<=\.\d\d)[a-z]|(?<=\.\d{3})[a-z])?"
_RANGE_SIGN = r"(?:\.?\s?(?:[-–—~〜]|から|through|thru|to)\s?)"
_NUMBERS = re.compile(
    rf"(?<![\w.])(?P<first>{_NUMBER})(?![\d%]|\.\d)"
    rf"(?:{_RANGE_SIGN}(?P<last>{_NUMBER}|[a-km-np-z])(?![\w%]|\.\d))?",
    re.ASCII,
)
_DASHED = re.compile(r"(?<![\w.-])\d{1,3}(?:-\d{1,3}){1,4}(?![\w.-])", re.ASCII)
_NEXT_LETTER = re.compile(r"(?:\s(?:and|or)|、|,|と|または)\s?(?P<first>[b-km-np-z])(?![A-Za-z])")
_CHAPTER = re.compile(r"\s?(?:章|節|項(?!目)|編)")
_CHAPTER_RANGE = re.compile(r"\s?[-–—~〜]\s?第?\s?(?P<last>\d{1,2})\s?(?:章|節|編)")
_LEAD_WORD = re.compile(
    r"(?:(?<![A-Za-z])(?P<word>sub-?rules?|rules?|sections?|chapters?)\s+"
    r"|(?<![A-Za-z])(?P<cr>CR)\s?[:：=]?\s?|(?<![ァ-ヶー])(?P<ja>ルール)[ \u3000]?"
    r"|(?P<part>第)\s?)$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\.?,?\s?(?:〔(?P<a>[^〔〕]{1,80})〕|「(?P<b>[^「」]{1,60})」|“(?P<c>[^“”]{1,80}?)[,;.]?”"
    r"|\"(?P<d>[^\"]{1,80}?)[,;.]?\")"
)
_CONJUNCTION = re.compile(
    r"\.?[)）]?\s?(?:[、,;]\s?(?:and/or|and|or|および|または)?|・|および|及び|または|又は|並びに|"
    r"や|と|〜|and/or|and|or|&|/)\s?(?:the\s)?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s?(?:番台|枚|個|つ(?!の章)|点|人|回|体|種|度|年|月|日|円|ドル|版|倍|周年|ページ|頁|試合|勝|秒|分|時"
    r"|cm|kg|gram|points?|cards?|times|days)"
)
_CITED_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?:see|follow|following|compare|also|(?:described|specified|listed|outlined|"
    r"defined|stated|found|given|steps|ability|abilities|actions?|process)\s(?:in|by)|"
    r"proceed to|exception to|repeat|under)\s|【|総合ルールの)$",
    re.IGNORECASE,
)
_CITED_AFTER = re.compile(
    r"\.?(?:[】」』]?\s?(?:を?参照|を(?:見|読)|に(?:従|戻|進|記|書か|定め|基づ|よ[りる])|で(?:定め|定義|規定)"
    r"|を除|の(?:手順|規則|ルール|定義|条件|表現|図))|】|の?手順"
    r"|\.(?=[ぁ-ゖァ-ヺ一-鿿]))"  # `4.1.2.の`: versions and decimals are not written so
)
_HOW_BEFORE: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("exception", re.compile(
        r"(?:\bexceptions? (?:to|of|in|for)|\b(?:except|unless)\b[^.;,]{0,40}|"
        r"\b(?:despite|regardless of|notwithstanding|contrary to|other than|overrides?)|"
        r"例外(?!を除)[^。]{0,50}[(（])\s?(?:the )?$", re.IGNORECASE)),
    ("subject to", re.compile(
        r"\b(?:subject to|(?:modified|restricted|limited|governed|constrained) by|according to|"
        r"in accordance with|in compliance with)\s(?:the )?$", re.IGNORECASE)),
    ("as defined in", re.compile(
        r"\b(?:(?:defined|described|specified|determined|stated|explained|set out|laid out)|"
        r"as (?:given|noted|outlined|detailed|provided|mentioned|shown))"
        r"\s(?:in|by|under)\s(?:the )?$", re.IGNORECASE)),
)  # fmt: skip
_HOW_AFTER: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("exception", re.compile(r"(?:\s?の(?:唯一の|みの)?例外|\s?を除|\s?に反し|\s?にかかわらず)")),
    ("subject to", re.compile(
        r"\s?(?:の[^、。の]{0,10})?に(?:従[いうっわ]|準じ|則|のっと)|\s?の(?:制限|制約)を受")),
    ("as defined in", re.compile(
        r"\s?(?:に(?:定め|規定|記載|書か|記され|示|基づ)|で(?:定め|定義|規定|説明)|が(?:定め|定義))")),
)  # fmt: skip
_CLOSING = re.compile(r"[.」』】〕]{0,2}")  # may stand between a citation and the words after it
_RULE_WORDS = frozenset(("word", "cr", "ja"))  # groups of _LEAD_WORD
_DIGIT = re.compile(r"\d", re.ASCII)
_LETTERS = "abcdefghijkmnpqrstuvwxyz"  # of sub-rules, which skip l and o
_HALF_WIDTH = str.maketrans(
    "０１２３４５６７８９．ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ～",
    "0123456789.abcdefghijklmnopqrstuvwxyz〜",
)


@dataclass(frozen=True, slots=True)
class Citation:
    """A rule that is cited in text[start:end].

    number: the rule's number, such as `614.1a`.
    heading: the heading that the text gives the rule, if any.
    how: how the text refers to the rule: as to one that it is an exception to, is subject to or
        takes a definition from, or merely as to one to see.
    """

    number: str
    start: int
    end: int
    heading: str | None = None
    how: How = "see"


def find_citations(
    text: str, known: Container[str] = (), begin: int = 0, alone: bool = True
) -> list[Citation]:
    """Return the citations in a text, in order; for a list or range, one for each rule.

    The span text[start:end] includes words such as `rule` and 章, but not the heading; the rules
    of a range share one span. Numbers have half-width digits and letters.

    known: the numbers of the rulebook that the text belongs to: these need no word such as
        `rule` beside them.
    begin: where to start, as an offset in the text: behind the number of the rule that the text
        itself states.
    alone: whether a number without a word such as `rule` may be a citation at all. If it is False,
        only numbers with such a word, or joined to such a number, are cited.

    >>> [c.number for c in find_citations("rule 614〔置換効果〕、rule 615〔軽減効果〕参照。")]
    ['614', '615']
    >>> [c.number for c in find_citations("See rules 103.2a–c and 509.1, and section 7.")]
    ['103.2a', '103.2b', '103.2c', '509.1', '7']
    >>> [(c.number, c.how) for c in find_citations("rule 101.4に従う。rule 116.2aを除く。")]
    [('101.4', 'subject to'), ('116.2a', 'exception')]
    >>> find_citations("バージョン 1.4.7、2024.11.17、3/3 のクリーチャー")
    []
    """
    text = text.translate(_HALF_WIDTH)
    if not _DIGIT.search(text, begin):
        return []
    return [
        Citation(number, item.start, item.end, item.heading, how)
        for group in _groups(text, known, begin, alone)
        for how in (_how(text, group),)
        for item in group
        for number in item.numbers
    ]


def _groups(text: str, known: Container[str], begin: int, alone: bool) -> Iterator[list[_Item]]:
    """Yield what a text cites, in order; items joined by commas or conjunctions are one group.

    text: the text in half-width digits and letters.
    known, begin, alone: as for `find_citations`.
    """
    group: list[_Item] = []
    position, previous = begin, _NO_ITEM
    while numbers := _NUMBERS.search(text, position):
        dashed = _DASHED.match(text, numbers.start())
        if dashed and dashed[0] in known:
            numbers = dashed
        item = _parse_item(text, numbers, previous, known, alone)
        position = item.end if item else numbers.end()
        if item and not item.joined and group:
            yield group
            group = []
        while item:
            match = _HEADING.match(text, item.end)
            heading = next(filter(None, match.groups()), None) if match else None
            group.append(replace(item, heading=heading))
            position = match.end() if match else item.end
            previous = replace(item, end=position)
            item = _parse_next_letter(text, previous) if not match else None
    if group:
        yield group


def _how(text: str, group: list[_Item]) -> How:
    """Return how a group is cited, by the words before its first and after its last item.

    The words before count first, up to 70 characters of them, then those after, behind a quoted
    heading and closing signs. `see` if neither shows anything else.
    """
    start, end = group[0].start, group[-1].end
    if heading := _HEADING.match(text, end):
        end = heading.end()
    closing = _CLOSING.match(text, end)
    end = closing.end() if closing else end
    before = text[max(0, start - 70) : start]
    for how, pattern in _HOW_BEFORE:
        if pattern.search(before):
            return how
    for how, pattern in _HOW_AFTER:
        if pattern.match(text, end):
            return how
    return "see"


@dataclass(frozen=True, slots=True)
class _Item:
    """A number or range that is cited in text[start:end].

    numbers: the numbers of all rules in the range.
    start, end: the span, with the word in front (`rule`), without the heading behind.
    word: that word in lower case; without one, the word of the item that this one is joined to.
    joined: whether it is joined to the item before by a comma or conjunction.
    heading: the heading that the text gives the rule behind the span, if any.
    """

    numbers: list[str]
    start: int
    end: int
    word: str = ""
    joined: bool = False
    heading: str | None = None


_NO_ITEM = _Item([], -1, -1)


def _parse_item(
    text: str, match: re.Match[str], previous: _Item, known: Container[str], alone: bool
) -> _Item | None:
    """Return what a match of _NUMBERS or _DASHED cites; None if it is not a citation.

    previous: the item before it in the text, its end behind its heading; _NO_ITEM if none.
    known, alone: as in `find_citations`.
    """
    start, end = match.span()
    lead = _LEAD_WORD.search(text, max(0, start - 14), start)
    lead_group = lead.lastgroup or "" if lead else ""
    chapter = _CHAPTER.match(text, end)
    numbers = [match[0]]
    if match.re is _NUMBERS:
        numbers = _expand_range(match["first"], match["last"])
        if len(numbers) == 1:  # not a range, even if it looks like one: only its first number
            end = match.end("first")
            chapter = _CHAPTER.match(text, end)
    if chapter and (chapters := _CHAPTER_RANGE.match(text, chapter.end())) and match[0].isdigit():
        numbers = [str(n) for n in range(int(match[0]), int(chapters["last"]) + 1)]
        chapter = chapters
    begin = lead.start() if lead else start
    joined = previous.end >= 0 and _CONJUNCTION.fullmatch(text, previous.end, begin) is not None
    if (lead_group == "part" and not chapter) or not (alone or lead_group in _RULE_WORDS or joined):
        return None
    if _UNIT.match(text, end):
        return None
    if not _is_citation(
        text, numbers, start, end, lead_group, bool(chapter), joined, previous, known
    ):
        return None
    word = lead[0].strip().lower() if lead else previous.word if joined else ""
    return _Item(numbers, begin, chapter.end() if chapter else end, word, joined)


def _is_citation(
    text: str,
    numbers: list[str],
    start: int,
    end: int,
    lead_group: str,
    chapter: bool,
    joined: bool,
    previous: _Item,
    known: Container[str],
) -> bool:
    """Whether the number or range in text[start:end] is a citation, not a version or a score.

    numbers: all numbers of the range, or the only one.
    lead_group: the group of _LEAD_WORD that matches before it, or empty.
    chapter: whether a word such as 章 stands behind it.
    joined: whether it is joined to the previous item by a comma or conjunction.
    known: the numbers of the rulebook that the text belongs to.
    """
    number = numbers[0]
    dotted, lettered = "." in number, number[-1].isalpha()
    if lead_group == "word":
        before = text[max(0, start - 12) : start].lower().rstrip()
        is_section = before.endswith(("section", "sections"))
        return dotted or not is_section or len(number) < 3
    if lead_group == "cr" or (
        chapter and (dotted or lead_group == "part" or joined or len(number) < 3)
    ):
        return True
    if lead_group == "ja":
        return dotted or len(number) == 3
    if joined and (dotted or len(number) == 3 or previous.word.startswith(("section", "chapter"))):
        return True
    if not dotted and "-" not in number:
        return False
    if all(each in known for each in numbers):
        return True
    rule_like = re.fullmatch(r"[1-9]\d\d\.\d{1,3}[a-z]?", number) is not None
    # `145.3-170` is a range of tempos: in a range of rules both numbers are written in full.
    in_full = re.match(r"[^\d]*\d+\.", text[start + len(number) : end]) is not None
    if rule_like and (lettered or (in_full and len(numbers) > 1)):
        return True
    if not (rule_like or number.count(".") < 5):
        return False
    if in_full and len(numbers) > 1 and number.count(".") > 1:
        return True
    return bool(
        _CITED_BEFORE.search(text, max(0, start - 30), start)
        or _CITED_AFTER.match(text, end)
        or (dotted and _HEADING.match(text, end))
        or _next_is_cited(text, end)
    )


def _next_is_cited(text: str, end: int) -> bool:
    """Whether another number is joined behind the one that ends at `end`, and the words after that
    show a citation.

    False if no number follows a conjunction there, or the number has no point in it.
    """
    conjunction = _CONJUNCTION.match(text, end)
    following = _NUMBERS.match(text, conjunction.end()) if conjunction else None
    return bool(
        following and "." in following["first"] and _CITED_AFTER.match(text, following.end())
    )


def _parse_next_letter(text: str, previous: _Item) -> _Item | None:
    """Return the sub-rule that is cited by its letter alone behind another (`103.2a and c`); None
    if there is none.

    previous: the item that the letter would follow at once.
    """
    match = _NEXT_LETTER.match(text, previous.end)
    number = previous.numbers[-1] if previous.numbers else ""
    if not match or not number[-1:].isalpha() or match["first"] <= number[-1]:
        return None
    letter = match["first"]
    return _Item([number[:-1] + letter], match.start("first"), match.end(), previous.word, True)


def _expand_range(first: str, last: str | None) -> list[str]:
    """Return all numbers from the first to the last; only the first if that is not a range. Of
    numbers without letters at most 100 are returned.

    last: the number in full, or its last letter or part alone; None if there is none.

    >>> _expand_range("103.2a", "c"), _expand_range("119.7", "8")
    (['103.2a', '103.2b', '103.2c'], ['119.7', '119.8'])
    >>> _expand_range("701.2", "701.4"), _expand_range("701.2", None)
    (['701.2', '701.3', '701.4'], ['701.2'])
    """
    if last is None:
        return [first]
    if first[-1].isalpha():
        if last[:-1] not in ("", first[:-1]) or not last[-1].isalpha():
            return [first]
        begin, end = _LETTERS.find(first[-1]), _LETTERS.find(last[-1])
        letters = _LETTERS[begin : end + 1] if 0 <= begin < end else first[-1]
        return [first[:-1] + letter for letter in letters]
    stem, _, low = first.rpartition(".")
    last_stem, _, high = last.rpartition(".")
    if not stem or not high.isdigit() or last_stem not in ("", stem) or int(high) <= int(low):
        return [first]
    return [f"{stem}.{n}" for n in range(int(low), min(int(high), int(low) + 99) + 1)]
