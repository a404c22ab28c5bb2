"""Finds the rules that a text cites, also where their numbers are written with a slip."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from kb.checking.claims.claim import SpanIndex
from kb.language.citations import citation_patterns as patterns
from kb.language.citations.citation_grammar import find_citations
from kb.language.citations.citation_patterns import fold_width
from scraper.rulebook.documents_beside_rulebook import RULEBOOK

_LEAD = (
    r"(?:\b(?:CR|C\.\s?R\.|[Cc]omp(?:rehensive)?\.? [Rr]ules?|[Rr]ules?|RULES?|R)|総合ルール|ルール"
    r"|総合規則|規則|§)[\s:：#№]{0,3}(?:no\.?\s?|number\s)?"
)
# With the signs that stand for a point by a slip. Seven levels: no rulebook has more, and it bounds
# the work.
_NUMBER = r"\d{1,4}(?:\s?[.,:;・·_-]\s?\d{1,3}){0,6}"
# A number as people mistype it: a comma for a point, a space or point before the letter, a capital.
_LOOSE = re.compile(
    rf"(?P<lead>{_LEAD})?(?<![\w.,$€¥£/%+-])(?P<number>{_NUMBER}"
    r"(?:\s?[.\-]?\s?(?:\([A-Za-z]\)|[A-Za-z](?![A-Za-z\d])))?)(?![\d%])"
)
# `CR704.5`: the number, of which `_NUMBER[7:]` is what stands behind its first digits, has three
# digits, as rules of one level and versions (`r12`) have not.
_GLUED = re.compile(
    rf"(?P<lead>\b(?:CR|C\.R\.|R|r)|(?<![A-Za-z])rule)(?P<number>\d{{3}}{_NUMBER[7:]}[A-Za-z]?)"
)
# A number without a word that says what it is: 704.5b, 1.2.3 or 100.1.2, but no price, no date with
# signs, no address or decimal; 1.2 is too often a version or an amount.
_BARE = re.compile(
    r"(?<![A-Za-z0-9_.,$€¥£/%+#:-])(?P<number>(?:[1-9]|1[0-8])\d\d\.\d{1,3}[a-z]?(?![A-Za-z])"
    r"|\d{1,2}(?:\.\d{1,3}){2,7}(?:\.[a-z](?![A-Za-z])(?:\.\d{1,2}){0,3})?"
    r"|\d{3}\.\d{1,3}(?:\.\w{1,3})+)(?![\d%]|[.,]\d|°)",
    re.ASCII,
)
# A whole number directly before a quotation, or before `says`: `443: “…”`; it must be a rule's.
_QUOTED_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,$€¥£/%+#:-])(?P<number>[1-9]\d\d)"
    r"(?=\s?[:：]?\s?[\"“„「『](?=\S)|\s(?:says|states|reads)\b)"
)
# In the name of a test or function: `test_704_5c_poison`, `CR613_4`. Without a word it needs a
# letter, and something before or behind it.
_IN_NAME = re.compile(
    r"(?P<lead>(?:CR|Rule|(?<![A-Za-z])(?:cr|rule|RULE))s?_?)"
    r"(?P<number>[1-9]\d\d_\d{1,3}(?:[a-z]|[A-Z]{1,2})?)(?![A-Za-z\d])"
    r"|(?:(?<=_)|(?<![\w.])(?=\w+_[A-Za-z]{2}))(?P<bare>[1-9]\d\d_\d{1,3}[a-z])(?![A-Za-z\d])"
)
# A word before a number that isn't among those of `citation_grammar`.
_CODE_BEFORE = re.compile(r"(?<![A-Za-z])C(?:\.\s?R\.|R\.)\s{0,2}$", re.IGNORECASE)
# Behind a number: it is that of a version.
_VERSION_BEHIND = re.compile(r"-(?:rc|alpha|beta|pre|dev|snapshot|release)\d*\b", re.IGNORECASE)
_VERSION = re.compile(r"\d{1,2}\.\d{1,2}\.0")  # of a book: no rule of three levels has a number 0
# Versions, devices, steps, places in another text, prices, scores and times.
_NO_RULE_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?:ver(?:sion)?s?\.?|v|releases?|revision|build|patch|update|firmware|python"
    r"|java|node|iOS|iPadOS|android|macOS|windows|app|client|IP|steps?|fig(?:ure)?\.?|tables?|page"
    r"|score|price|USD|JPY|EUR)|バージョン|リリース|パッチ|アップデート|アプリ|ビルド|改訂|第|約|図|表|手順"
    r"|ステップ|スコア|得点|価格|値段|定価|日付|日時|時刻|\$)[は：:]?\s*$",
    re.IGNORECASE,
)
# Documents that are no rulebook, with the number of one and the section of it; and devices.
_OTHER_DOCUMENT = re.compile(
    r"\b(?:RFC|ISO|IEC|IEEE|NIST|ANSI|DIN|EN|ECMA|PEP|JIS|CFR|USC|GDPR)"
    r"(?:[ /-]?[A-Z]{0,4}[ -]?\d[\d-]*)?"
    r"(?:,? (?:sections?|sec\.|§|clauses?|part|article) ?)?[ ,.:§-]*$"
    r"|(?i:\b(?:drivers?|kernel|firmware|model) |[a-z_]version|version\s*[:=\s](?=\W))[\s:=\"']*$"
)
_OF_A_BOOK = re.compile(
    r"\s(?:of|in|from)\s(?:[\w’']+\s){0,2}?(?:(?<!rule\s)books?|novels?|thesis|manual|guide|stor(?:y|ies)"
    r"|report|article|paper|manga|comic|course)\b",
    re.IGNORECASE,
)
_OF_A_JAPANESE_BOOK = re.compile(r"(?:本|小説|書籍|著書|論文|漫画|記事|物語)(?:の|、)?第?$")
_ADDRESS = re.compile(r"\d+(?:\.\d+)*\.\d{3}(?:\.\d+)*")  # of a device: 192.168.0.1
_TIME = re.compile(r"(?:[01]?\d|2[0-3])\.[0-5]\d\.[0-5]\d")  # 12.30.45
# What is measured or counted, or comes in versions, is no rule.
_UNIT_BEHIND = re.compile(
    r"\s?(?:kg|g|mg|km|cm|mm|m|ms|s|sec|min|MB|GB|KB|MHz|GHz|Hz|fps|dollars?|USD|EUR|yen|円|ドル|点"
    r"|倍|秒|分|件|版|回|人|枚|%|％|pt|px|℃|パッチ|アップデート|リリース|(?i:patch|update|release|version|build)"
    r"|(?:(?:milli|micro|nano)?seconds|minutes|hours|points|pixels|(?:kilo|mega|giga)?bytes|(?:centi|kilo|milli)?met(?:er|re)s"
    r"|miles|pounds|grams|euros|percent)|号|番|階|頁|ページ|歳|度|以降|以上|以前|未満)(?![A-Za-z])"
    r"|\s(?:or|and)\s(?:newer|later|above|older|earlier|higher|up)\b"  # of a version
    r"|(?:\t|\s{2,}|\s*\|\s*)\d{1,2}\.\d{1,4}(?![\w.])"  # in a table of decimals
)
# Letters and digits that go on with a number, but no word, ordinal or plural.
_REST = re.compile(
    r"(?!(?:st|nd|rd|th|s|x|e|ff?)(?![A-Za-z0-9]))(?:[A-Za-z]{1,2}\d{0,3}|\d{1,3}[a-z]?"
    r"|(?<=[A-Za-z])\.\d{1,3}[a-z]{0,2})"
    r"(?:\.\d{1,3}[a-z]{0,2})*(?![A-Za-z0-9])",
    re.ASCII,
)
_LIST_SLIP = re.compile(r"[1-9]\d\d,\d{1,3}[a-z]")  # 704,5b: a letter behind shows it is no amount
_COMMA_SLIP = re.compile(r"[1-9]\d\d,\d{1,2}")  # only in a text that cites rules elsewhere
_LAST_NUMBER = re.compile(r"\d[\w.]*$", re.ASCII)
_DIGITS = str.maketrans("oil", "011")  # letters that are typed or read for digits
# A word in small letters behind digits, but for words that go on with a citation.
_THING_BEHIND = re.compile(r"\s(?!(?:and|or|to|through|is|are|says?|also|in|of)\b)[a-z]{2,}")
_IN_BRACKETS = re.compile(
    r"\s?[(（]([A-Z][^()（）\n\d]{1,40}|[ぁ-ヺ一-鿿][^()（）\n\d]{1,20})[)）]"
)
_WORD_BEHIND = re.compile(r"\s+[A-Za-z]")


@dataclass(frozen=True, slots=True)
class CitedRules:
    """Rules that a text cites by number in one place.

    numbers: as the text means them, in the form of ids; several of a range.
    start, end: with words such as `rule`.
    number_start, number_end: without.
    slip: what is wrong with how the number is written, in words; empty if nothing is.
    heading: that the text gives the rule; None without one.
    sure: whether words beside the number show that it is a rule's.
    document: of which the number is, if the text names one beside the rules.
    """

    numbers: tuple[str, ...]
    start: int
    end: int
    slip: str = ""
    heading: str | None = None
    sure: bool = True
    document: str | None = None


def find_rule_numbers(text: str, known: Container[str]) -> list[CitedRules]:
    """Return the rules that a text cites, in order of their beginnings; they repeat where the text
    does, and don't overlap. Numbers that have a rule's form but no word before them count, too;
    these are not `sure`, and needn't be known.

    known: the numbers of the rules that may be meant, of all editions.

    >>> found = find_rule_numbers("Rule 121,4, CR 704.5B and 114.6.", {"121.4", "704.5b"})
    >>> [(cited.numbers, cited.slip != "") for cited in found]
    [(('121.4',), True), (('704.5b',), True), (('114.6',), False)]
    """
    folded = fold_width(text)
    found: dict[tuple[int, int], CitedRules] = {}
    for one in find_citations(text, known):
        cited = found.get((one.start, one.end))
        numbers = (*(cited.numbers if cited else ()), one.number)
        document = None if one.document == RULEBOOK else one.document
        found[one.start, one.end] = CitedRules(
            numbers,
            one.start,
            one.end,
            heading=one.heading or _heading_in_brackets(text, one.end),
            document=document,
        )
    usual = [one for one in found.values() if not _is_measured(folded, one)]
    slips = list(_slips(folded, known, usual))
    sections = SpanIndex([one for one in usual if one.document])
    slips = [one for one in slips if not sections.touches(one.start, one.end)]
    slip_spans = SpanIndex(slips)
    kept = [one for one in usual if not slip_spans.touches(one.start, one.end)]
    kept = [one for one in kept if not _counts_something(folded, one, known)]
    kept += _in_names(folded, known)
    spans = SpanIndex([*kept, *slips])
    bare = [one for one in _bare(folded, known) if not spans.touches(one.start, one.end)]
    found_all = (_with_rest(folded, one, known) for one in [*kept, *slips, *bare])
    rules = (
        _with_code(folded, one)
        for one in found_all
        if not _is_version(one, known) and not _is_of_other_document(folded, one)
    )
    return sorted(rules, key=lambda one: one.start)


def _in_names(text: str, known: Container[str]) -> Iterator[CitedRules]:
    """Yield the numbers in names of code, of sections that there are."""
    for match in _IN_NAME.finditer(text) if "_" in text else ():
        written = match["number"] or match["bare"]
        if written[:3] in known:
            number = written.replace("_", ".").lower()  # RULE_704_5K, as constants are
            yield CitedRules((number,), match.start(), match.end())


def _with_code(text: str, cited: CitedRules) -> CitedRules:
    """Return a citation with `C.R.` or `cr.` before it, if it stands there."""
    code = _CODE_BEFORE.search(text, max(0, cited.start - 8), cited.start)
    return replace(cited, start=code.start(), sure=True) if code else cited


def _heading_in_brackets(text: str, end: int) -> str | None:
    """Return what stands in brackets behind a number and may be the heading of its rule: without
    digits, from a capital or a Japanese letter on; None for anything else."""
    found = _IN_BRACKETS.match(text, end)
    return found[1] if found else None


def _counts_something(text: str, cited: CitedRules, known: Container[str]) -> bool:
    """Whether digits alone, which no rule has as its number, count things: `chapter 2; 20 lore`,
    by a word in small letters behind them."""
    written = text[cited.start : cited.end]
    is_plain = written.isdigit() and written not in known
    return is_plain and _THING_BEHIND.match(text, cited.end) is not None


def _is_version(cited: CitedRules, known: Container[str]) -> bool:
    """Whether a number is that of a book, as in `Comprehensive Rules 2.2.0`."""
    number = cited.numbers[0]
    return number not in known and _VERSION.fullmatch(number) is not None


def _is_of_other_document(text: str, cited: CitedRules) -> bool:
    """Whether a number is that of a standard, law, version or book: `RFC 9110, section 15.5.1`."""
    number = re.search(r"\d", text[cited.start : cited.end])
    end = cited.start + (number.start() if number else 0)
    is_version = _VERSION_BEHIND.match(text, cited.end) is not None
    before = text[max(0, cited.start - 10) : cited.start]
    if _OF_A_BOOK.match(text, cited.end) or _OF_A_JAPANESE_BOOK.search(before):
        return True
    return is_version or _OTHER_DOCUMENT.search(text, max(0, end - 40), end) is not None


def _with_rest(text: str, cited: CitedRules, known: Container[str]) -> CitedRules:
    """Return a citation with the letters and digits that stand directly behind its number, which
    make it another number: `1.2b1`, and also `7O4.5b` with a letter for a digit, if that is known
    (with a slip). A range, and a number with nothing behind it, is returned as it is."""
    rest = _REST.match(text, cited.end)
    if rest is None or len(cited.numbers) > 1:
        return cited
    number = _LAST_NUMBER.search(text, cited.start, cited.end)
    if number is None:
        return cited
    whole = (number[0] + rest[0]).lower()
    meant = whole.translate(_DIGITS)
    end = rest.end()
    if whole in known:
        return replace(cited, numbers=(whole,), end=end)
    for one in (meant, re.sub(r"1(?=$)", "l", meant)):
        if one in known:
            return replace(cited, numbers=(one,), end=end, slip="with digits", heading=None)
    return replace(cited, numbers=(whole,), end=end, slip="", heading=None)


def _is_measured(text: str, cited: CitedRules) -> bool:
    """Whether a number without a word before it measures something: `702.5 ms`."""
    is_bare = text[cited.start : cited.start + 1].isdigit()
    return is_bare and _UNIT_BEHIND.match(text, cited.end) is not None


def _slips(text: str, known: Container[str], usual: list[CitedRules]) -> Iterator[CitedRules]:
    """Yield the numbers that are no rule's as they are written, and are one's without a slip, and
    known ones that are glued to their word (`CR704.5`, no slip): these first, then the others."""
    starts = {one.start for one in usual}
    done = -1
    for pattern in (_GLUED, _LOOSE):
        for match in pattern.finditer(text):
            start, end = match.start("number"), match.end("number")
            written = match["number"]
            is_led = bool(match["lead"])
            is_alone = _LIST_SLIP.fullmatch(written) or (
                usual and _COMMA_SLIP.fullmatch(written) and not _is_amount(text, start, end)
            )
            if start < done or not (is_led or start in starts or "." in written or is_alone):
                continue
            begin = match.start() if is_led else start
            if pattern is _GLUED and written.lower() in known:
                yield CitedRules((written.lower(),), begin, end)
                continue
            slip = _slip_of(written, known)
            if slip is None:
                continue
            number, what, length = slip
            end = start + length
            if " " in written and _WORD_BEHIND.match(text, end):
                continue  # `603.2 a player`: the letter is a word
            if not is_led and "," in written and not is_alone:
                continue
            done = end
            yield CitedRules((number,), begin, end, what)


def _slip_of(written: str, known: Container[str]) -> tuple[str, str, int] | None:
    """Return (number, what is put right, how many characters were read) for a number with a slip;
    None if it is right as it stands, or no rule's. Tried in this order: a capital or space, a point
    for another sign, a letter in brackets or behind a sign, a letter that lacks its point."""
    if written in known or written.rstrip(".") in known:
        return None
    compact = re.sub(r"\s", "", written)
    lower = compact.lower()
    tries = (
        (lower, "the letter is a small one" if compact == written else "without the space"),
        (re.sub(r"[,:;・·_-]", ".", lower), "with a point"),
        (re.sub(r"[.\-]?\(?([a-z])\)?$", r"\1", re.sub(r"[,:;・·_-]", ".", lower)), "written so"),
        (re.sub(r"(?<=[\d)])\(?([a-z])\)?$", r".\1", lower), "written so"),
    )
    for number, what in tries:
        if number in known and number != written:
            return number, what, len(written)
    return None


def _bare(text: str, known: Container[str]) -> Iterator[CitedRules]:
    """Yield the numbers that have the form of a rule's, without a word that says so; not versions,
    times, addresses, prices, and amounts with a unit. Of whole numbers only known ones."""
    quoted = (one for one in _QUOTED_NUMBER.finditer(text) if one["number"] in known)
    for match in chain(_BARE.finditer(text), quoted):
        start, end = match.span("number")
        before = text[max(0, start - 20) : start]
        if _NO_RULE_BEFORE.search(before):
            continue
        if _TIME.fullmatch(match["number"]) or _ADDRESS.fullmatch(match["number"]):
            continue
        if _is_amount(text, start, end):
            continue
        yield CitedRules((match["number"],), start, end, sure=False)


def _is_amount(text: str, start: int, end: int) -> bool:
    """Whether words beside a number say that it counts or measures something."""
    return bool(
        _UNIT_BEHIND.match(text, end)
        or patterns.UNIT_BEHIND.match(text, end)
        or patterns.QUANTITY_BEFORE.search(text[max(0, start - 20) : start])
    )
