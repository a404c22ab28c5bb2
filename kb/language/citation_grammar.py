"""The grammar of references: rules cited by their numbers, in Japanese and English."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Literal

How = Literal["see", "exception", "subject to", "as defined in"]

# The patterns, apart from what is done with them. They see the text in half-width letters.
_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}(?:(?<=\d\.\d)[a-z]|(?<=\.\d\d)[a-z]|(?<=\.\d{3})[a-z])?"
_THROUGH = r"(?:\.?\s?(?:[-–—~〜]|から|through|thru|to)\s?)"
_ATOM = re.compile(
    rf"(?<![\w.])(?P<first>{_NUMBER})(?![\d%]|\.\d)"
    rf"(?:{_THROUGH}(?P<last>{_NUMBER}|[a-km-np-z])(?![\w%]|\.\d))?",
    re.ASCII,
)
_DASHED = re.compile(r"(?<![\w.-])\d{1,3}(?:-\d{1,3}){1,4}(?![\w.-])", re.ASCII)
_LETTER = re.compile(r"(?:\s(?:and|or)|、|,|と|または)\s?(?P<first>[b-km-np-z])(?![A-Za-z])")
_PART = re.compile(r"\s?(?:章|節|項(?!目)|編)")
_PARTS = re.compile(r"\s?[-–—~〜]\s?第?\s?(?P<last>\d{1,2})\s?(?:章|節|編)")
_WORD = re.compile(
    r"(?:(?<![A-Za-z])(?P<word>sub-?rules?|rules?|sections?|chapters?)\s+"
    r"|(?<![A-Za-z])(?P<cr>CR)\s?[:：=]?\s?|(?<![ァ-ヶー])(?P<ja>ルール)[ \u3000]?"
    r"|(?P<part>第)\s?)$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\.?,?\s?(?:〔(?P<a>[^〔〕]{1,80})〕|「(?P<b>[^「」]{1,60})」|“(?P<c>[^“”]{1,80}?)[,;.]?”"
    r"|\"(?P<d>[^\"]{1,80}?)[,;.]?\")"
)
_JOINT = re.compile(
    r"\.?[)）]?\s?(?:[、,;]\s?(?:and/or|and|or|および|または)?|・|および|及び|または|又は|並びに|"
    r"や|と|〜|and/or|and|or|&|/)\s?(?:the\s)?",
    re.IGNORECASE,
)
_COUNTED = re.compile(
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
    r"|\.(?=[ぁ-ゖァ-ヺ一-鿿]))"  # `4.1.2.の`: no version or decimal is written so
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
_CLOSED = re.compile(r"[.」』】〕]{0,2}")  # what may stand between a citation and what follows it
_RULE_WORDS = frozenset(("word", "cr", "ja"))
_DIGIT = re.compile(r"\d", re.ASCII)
_LETTERS = "abcdefghijkmnpqrstuvwxyz"  # sub-rules skip l and o
_NARROW = str.maketrans(
    "０１２３４５６７８９．ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ～",
    "0123456789.abcdefghijklmnopqrstuvwxyz〜",
)


@dataclass(frozen=True, slots=True)
class Citation:
    """A rule cited in text[start:end], the heading that the text gives it, and how it is cited:
    as an exception to it, as subject to it, as defined in it, or merely to be seen."""

    number: str
    start: int
    end: int
    heading: str | None = None
    how: How = "see"


def find_citations(
    text: str, known: Container[str] = (), begin: int = 0, alone: bool = True
) -> list[Citation]:
    """The citations in a text, in order; lists and ranges as one citation a rule.

    known: the numbers of the rulebook that the text stands in: there a number alone cites.
    begin: where the text behind a rule's own number begins.
    alone: whether a number without a word such as `rule` may cite at all.

    >>> [c.number for c in find_citations("rule 614〔置換効果〕、rule 615〔軽減効果〕参照。")]
    ['614', '615']
    >>> [c.number for c in find_citations("See rules 103.2a–c and 509.1, and section 7.")]
    ['103.2a', '103.2b', '103.2c', '509.1', '7']
    >>> [(c.number, c.how) for c in find_citations("rule 101.4に従う。rule 116.2aを除く。")]
    [('101.4', 'subject to'), ('116.2a', 'exception')]
    >>> find_citations("バージョン 1.4.7、2024.11.17、3/3 のクリーチャー")
    []
    """
    narrow = text.translate(_NARROW)
    if not _DIGIT.search(narrow, begin):
        return []
    return [
        Citation(number, found.start, found.end, found.heading, how)
        for group in _groups(narrow, known, begin, alone)
        for how in (_how(narrow, group),)
        for found in group
        for number in found.numbers
    ]


def _groups(text: str, known: Container[str], begin: int, alone: bool) -> Iterator[list[_Found]]:
    """What is cited; together what is joined by commas or words."""
    group: list[_Found] = []
    at, last = begin, _NOTHING
    while atom := _ATOM.search(text, at):
        dashed = _DASHED.match(text, atom.start())
        if dashed and dashed[0] in known:
            atom = dashed
        found = _cited(text, atom, last, known, alone)
        at = found.end if found else atom.end()
        if found and not found.joined and group:
            yield group
            group = []
        while found:
            heading = _HEADING.match(text, found.end)
            named = next(filter(None, heading.groups()), None) if heading else None
            group.append(replace(found, heading=named))
            at = heading.end() if heading else found.end
            last = replace(found, end=at)
            found = _letter(text, last) if not heading else None
    if group:
        yield group


def _how(text: str, group: list[_Found]) -> How:
    """How a group is cited: by what stands before the first and behind the last of it."""
    start, end = group[0].start, group[-1].end
    if heading := _HEADING.match(text, end):
        end = heading.end()
    closed = _CLOSED.match(text, end)
    end = closed.end() if closed else end
    before = text[max(0, start - 70) : start]
    for how, pattern in _HOW_BEFORE:
        if pattern.search(before):
            return how
    for how, pattern in _HOW_AFTER:
        if pattern.match(text, end):
            return how
    return "see"


@dataclass(frozen=True, slots=True)
class _Found:
    """What a number and what stands around it cite: the word in front of it, the heading behind
    it, whether it is joined to what was cited before."""

    numbers: list[str]
    start: int
    end: int
    word: str = ""
    joined: bool = False
    heading: str | None = None


_NOTHING = _Found([], -1, -1)


def _cited(
    text: str, atom: re.Match[str], last: _Found, known: Container[str], alone: bool
) -> _Found | None:
    """What a number cites, or None if it is no citation."""
    start, end = atom.span()
    lead = _WORD.search(text, max(0, start - 14), start)
    word = lead.lastgroup or "" if lead else ""
    part = _PART.match(text, end)
    numbers = [atom[0]]
    if atom.re is _ATOM:
        numbers = _expanded(atom["first"], atom["last"])
        if len(numbers) == 1:  # what looks like a range names one rule
            end = atom.end("first")
            part = _PART.match(text, end)
    if part and (parts := _PARTS.match(text, part.end())) and atom[0].isdigit():
        numbers = [str(n) for n in range(int(atom[0]), int(parts["last"]) + 1)]
        part = parts
    begin = lead.start() if lead else start
    joined = last.end >= 0 and _JOINT.fullmatch(text, last.end, begin) is not None
    if (word == "part" and not part) or not (alone or word in _RULE_WORDS or joined):
        return None
    if _COUNTED.match(text, end):
        return None
    if not _cites(text, numbers, start, end, word, bool(part), joined, last, known):
        return None
    said = lead[0].strip().lower() if lead else last.word if joined else ""
    return _Found(numbers, begin, part.end() if part else end, said, joined)


def _cites(
    text: str,
    numbers: list[str],
    start: int,
    end: int,
    word: str,
    part: bool,
    joined: bool,
    last: _Found,
    known: Container[str],
) -> bool:
    number = numbers[0]
    dotted, lettered = "." in number, number[-1].isalpha()
    if word == "word":
        small = text[max(0, start - 12) : start].lower().rstrip().endswith(("section", "sections"))
        return dotted or not small or len(number) < 3
    if word == "cr" or (part and (dotted or word == "part" or joined or len(number) < 3)):
        return True
    if word == "ja":
        return dotted or len(number) == 3
    if joined and (dotted or len(number) == 3 or last.word.startswith(("section", "chapter"))):
        return True
    if not dotted and "-" not in number:
        return False
    if all(one in known for one in numbers):
        return True
    rule_like = re.fullmatch(r"[1-9]\d\d\.\d{1,3}[a-z]?", number) is not None
    # `145.3-170` is a range of tempos; one of rules has both of its numbers whole.
    whole = re.match(r"[^\d]*\d+\.", text[start + len(number) : end]) is not None
    if rule_like and (lettered or (whole and len(numbers) > 1)):
        return True
    if not (rule_like or number.count(".") < 5):
        return False
    if whole and len(numbers) > 1 and number.count(".") > 1:
        return True
    return bool(
        _CITED_BEFORE.search(text, max(0, start - 30), start)
        or _CITED_AFTER.match(text, end)
        or (dotted and _HEADING.match(text, end))
        or _goes_on_cited(text, end)
    )


def _goes_on_cited(text: str, end: int) -> bool:
    """Whether another number is joined behind, for which something says that it is cited."""
    joint = _JOINT.match(text, end)
    other = _ATOM.match(text, joint.end()) if joint else None
    return bool(other and "." in other["first"] and _CITED_AFTER.match(text, other.end()))


def _letter(text: str, last: _Found) -> _Found | None:
    """A sub-rule that is cited by its letter alone, behind another of the same rule."""
    found = _LETTER.match(text, last.end)
    stem = last.numbers[-1] if last.numbers else ""
    if not found or not stem[-1:].isalpha() or found["first"] <= stem[-1]:
        return None
    letter = found["first"]
    return _Found([stem[:-1] + letter], found.start("first"), found.end(), last.word, True)


def _expanded(first: str, last: str | None) -> list[str]:
    """The numbers that a number or a range names.

    >>> _expanded("103.2a", "c"), _expanded("119.7", "8"), _expanded("701.2", "701.4")
    (['103.2a', '103.2b', '103.2c'], ['119.7', '119.8'], ['701.2', '701.3', '701.4'])
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
    other, _, high = last.rpartition(".")
    if not stem or not high.isdigit() or other not in ("", stem) or int(high) <= int(low):
        return [first]
    return [f"{stem}.{n}" for n in range(int(low), min(int(high), int(low) + 99) + 1)]
