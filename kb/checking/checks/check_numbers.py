"""Finds numbers and counts that a draft changed or lost."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from kb.checking.draft import Finding, comparable_parts, finding_at
from kb.checking.house_usage import ReadSegment
from kb.language.amounts import Amount, amounts, differing_amounts
from kb.reason import Reason


def changed_numbers(read: ReadSegment) -> Iterator[Finding]:
    """Yield the amounts that the source and the target of a segment don't have in common: those of
    the target, with the one that the source has instead, in the order of either; then limits and
    signs that changed; last the amounts that only the source has, without a place. Nothing if the
    target isn't the translation of all of a source."""
    if read.source is None or read.source_lang is None or not read.is_whole:
        return
    source, target = comparable_parts(read.source, read.target)
    lost, added = differing_amounts(source, read.source_lang, target, read.target_lang)
    for index, amount in enumerate(added):
        instead = lost[index] if index < len(lost) else None
        written = target[amount.start : amount.end]
        if instead:
            words = source[instead.start : instead.end]
            said = Reason("source_says_not", source=words, written=written)
        else:
            said = Reason("source_does_not_say", written=written)
        yield finding_at(
            read.segment,
            amount.start,
            amount.end,
            "number",
            said,
            expected=_shown(instead) if instead else None,
            giver=Reason("source"),
            source_text=words if instead else None,
        )
    if not lost and not added:
        turned = list(_turned_limits(read, source, target))
        yield from turned or _lost_limits(read, source, target)
        yield from _added_half(read, source, target)
        yield from _changed_times(read, source, target)
        yield from _changed_clock(read, source, target)
        yield from _changed_direction(read, source, target)
        yield from _changed_comparison(read, source, target)
    yield from _changed_signs(read, source, target)
    yield from _changed_symbols(read, source, target)
    for amount in lost[len(added) :]:
        words = source[amount.start : amount.end]
        yield finding_at(
            read.segment,
            0,
            0,
            "number",
            Reason("only_source_says", source=words),
            expected=_shown(amount),
            giver=Reason("source"),
            source_text=words,
        )


# A counter or a change of power: −1/−1, +2. Not a range, a hyphen in a word, or the end of a date.
_SIGNED = re.compile(r"(?<![A-Za-z\d./])[+＋−－–-][\d０-９]+(?:/[+＋−－–-][\d０-９]+)?")


def _changed_signs(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the numbers with plus or minus, such as −1/−1, that only the target has, each with the
    next one that only the source has; nothing if the source lacks none. Each counts once, however
    its signs are written; its place is the last in the target."""
    written = {_sign(match[0]): match for match in _SIGNED.finditer(target)}
    given = list(dict.fromkeys(map(_sign, _SIGNED.findall(source))))
    lost = [number for number in given if number not in written]
    for number, match in written.items():
        if number not in given and lost:
            instead = lost.pop(0)
            yield _instead(read, match.span(), instead)


_SYMBOL = re.compile(r"\{[^{}\s]{1,8}\}")


def _changed_symbols(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the symbols, such as `{2}`, that the target has in place of others of the source: those
    that only the target has, each with the next that only the source has; nothing if either has
    more of them."""
    given, written = _SYMBOL.findall(source), list(_SYMBOL.finditer(target))
    if len(given) != len(written):
        return
    lost = list((Counter(given) - Counter(match[0] for match in written)).elements())
    added = Counter(match[0] for match in written) - Counter(given)
    for match in written:
        if added[match[0]] and lost:
            added[match[0]] -= 1
            yield _instead(read, match.span(), lost.pop(0))


_HALF = {
    "en": re.compile(r"\b(?:half|halve[ds]?|halves)\b", re.IGNORECASE),
    "ja": re.compile("(?<![大前後過])半(?!径|ば)|1/2|２分の１|2分の1"),
}


def _added_half(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the half that only the target has."""
    own, other = _HALF.get(read.source_lang or ""), _HALF.get(read.target_lang)
    found = other.search(target) if own and other and not own.search(source) else None
    if found:
        yield finding_at(
            read.segment,
            *found.span(),
            "number",
            Reason("source_does_not_say", written=found[0]),
            giver=Reason("source"),
        )


# How often something may be done, and the words for it.
_TIMES = {
    "en": re.compile(r"\b(once|twice)\b(?! more)", re.IGNORECASE),
    "ja": re.compile("([1-9１-９一二三])[回度](?!目)"),
}
_HOW_OFTEN = {"once": 1, "twice": 2, "一": 1, "二": 2, "三": 3}


def _changed_times(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield `once` or `twice` where the other text says another number of times; both say one."""
    langs = read.source_lang or "", read.target_lang
    if sorted(langs) != ["en", "ja"]:
        return
    own, other = (
        list(_TIMES[lang].finditer(text))
        for lang, text in zip(langs, (source, target), strict=True)
    )
    if len(own) == len(other) == 1 and _times(own[0][1]) != _times(other[0][1]):
        yield _instead(read, other[0].span(), own[0][0])


def _times(word: str) -> int:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return _HOW_OFTEN.get(folded) or int(folded)


_CLOCK = re.compile(
    r"(?P<noon>午前|午後)?(?<!\d)(?P<hour>\d{1,2})(?:時(?!間)(?:(?P<minutes>\d{1,2})分|(?P<half>半))?"
    r"|[:：](?P<past>\d{2})(?!\d)(?:\s?(?P<part>[ap])\.?m\b\.?)?|\s?(?P<day>[ap])\.?m\b\.?)",
    re.IGNORECASE,
)


def _changed_clock(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the first time of day that is another one in the target, if both name as many: 18時 and
    8 p.m. One without 午後 or p.m. may be of the morning or the afternoon."""
    own, other = (
        list(_CLOCK.finditer(unicodedata.normalize("NFKC", text))) for text in (source, target)
    )
    if len(own) != len(other) or len(target) != len(unicodedata.normalize("NFKC", target)):
        return
    for given, written in zip(own, other, strict=True):
        if _clock(given).isdisjoint(_clock(written)):
            yield _instead(read, written.span(), given[0])
            return


def _clock(found: re.Match[str]) -> set[int]:
    """Return the minutes since midnight that a time of day may mean."""
    hour, part = int(found["hour"]), (found["part"] or found["day"] or "").casefold()
    minutes = int(found["minutes"] or found["past"] or (30 if found["half"] else 0))
    is_late = part == "p" or found["noon"] == "午後"
    hours = {hour % 12 + 12 * is_late} if part or found["noon"] else {hour}
    if not part and not found["noon"] and hour <= 12:
        hours.add(hour % 12 + 12)
    return {60 * each + minutes for each in hours}


# Comparisons with what is no number, that take in what is as great, by their direction.
_DIRECTION = {
    "en": re.compile(
        r"\b(?:equal to or |(?=(?:more|greater|higher|less|fewer|lower) than or equal))"
        r"(?:(?P<up>more|greater|higher)|less|fewer|lower) than\b",
        re.IGNORECASE,
    ),
    "ja": re.compile("(?:それ|これ|同じか|等しいか)(?:(?P<up>以上)|以下)"),
}


def _changed_direction(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the comparison of the target that goes the other way than the only one of the source:
    それ以下 for `equal to or greater than it`."""
    langs = read.source_lang or "", read.target_lang
    if not all(lang in _DIRECTION for lang in langs):
        return
    own, other = (
        list(_DIRECTION[lang].finditer(text))
        for lang, text in zip(langs, (source, target), strict=True)
    )
    if len(own) == len(other) == 1 and bool(own[0]["up"]) != bool(other[0]["up"]):
        yield _instead(read, other[0].span(), own[0][0])


# Whether a comparison with something that is no number takes in what is as great.
_AS_GREAT = {
    "en": re.compile(
        r"\b(?:equal|same|at (?:least|most)|or (?:more|greater|less|fewer|higher|lower)"
        r"|no (?:more|less|fewer)|not exceed|up to|minimum|maximum|least|most|exceed\w*|over|within"
        r"|any number)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile("以上|以下|以内|まで|同じ|等し"),
}
_ONLY_GREATER = {
    "en": re.compile(
        r"(?<!\bor )\b(?:greater|higher|larger|less|lower|smaller) than\b(?! \d)"
        r"|\b(?:more|fewer) (?:\w+ ){1,3}than (?!\d|one\b|two\b)",
        re.IGNORECASE,
    ),
    "ja": re.compile("(?:より(?:も)?(?:大き|高|小さ|低)|を超え|未満|上回|下回)"),
}
_COMPARED = frozenset(("以上", "以下", "equal", "or greater", "or less", "or higher", "or lower"))


def _changed_comparison(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the first comparison of the target that leaves out what is as great, where the source's
    takes it in: `greater than` for 以上."""
    own, other = _AS_GREAT.get(read.source_lang or ""), _AS_GREAT.get(read.target_lang)
    if own is None or other is None or other.search(target):
        return
    given, found = own.search(source), _ONLY_GREATER[read.target_lang].search(target)
    strict = _ONLY_GREATER[read.source_lang or ""].search(source)
    if found and not strict and given and given[0] in _COMPARED:
        yield _instead(read, found.span(), given[0])


def _instead(read: ReadSegment, span: tuple[int, int], words: str) -> Finding:
    """Return that the source has other words than those in a span of the target."""
    written = read.target[slice(*span)]
    return finding_at(
        read.segment,
        *span,
        "number",
        Reason("source_says_not", source=words, written=written),
        expected=words,
        giver=Reason("source"),
        source_text=words,
    )


def _sign(number: str) -> str:
    return re.sub("[−–]", "-", unicodedata.normalize("NFKC", number))


def _shown(amount: Amount) -> str:
    """Return an amount in digits."""
    return f"{amount.value:g}"


# -- limits ----------------------------------------------------------------------------------------

# A number beside which a limit is looked for; in words up to twenty, as rules write greater ones in
# digits.
_NUMBER = (
    r"(?:\d+|[０-９]+|one|two|three|four|five|six|seven|eight|nine|ten|[a-z]+teen|twenty"
    r"|[一二三四五六七八九十]+)"
)
# Between a Japanese number and 以上: counters of one to three signs; ロア is Lorcana's.
_COUNTER = r"[枚個つ人回体点種類度本ロアの]{0,3}\s?"
# By language: what makes of a number the least or the most that there may be, and what may say so
# anywhere in a translation. The former are narrow and the latter wide, even words of the opposite
# (`less than`, 未満: not at least so many), so that a limit said in other words is no fault.
_LIMITS = {
    "least": {
        "en": rf"\bat least {_NUMBER}\b|\b{_NUMBER} (?:\w+ )?or (?:more|greater)\b",
        "ja": rf"少なくとも{_NUMBER}|{_NUMBER}{_COUNTER}以上",
    },
    "most": {
        "en": rf"\b(?:up to|at most|no more than) {_NUMBER}\b"
        rf"|\b{_NUMBER} (?:\w+ )?or (?:less|fewer)\b",
        "ja": rf"(?:最大|最多){_NUMBER}|{_NUMBER}{_COUNTER}(?:以下|以内|まで)",
    },
}
_SAID = {
    "least": {
        "en": r"at least|or more|or greater|more than|minimum|not? (?:less|fewer)|exceed|least|any"
        r"|\d(?: to |[–-])\d|between",
        "ja": "以上|少なくとも|最低|最小|超え|超過|より多|より大|いずれか|何らか|複数|未満|ずつ"
        "|から|[〜～]|のみ|どれか|誰か",
    },
    "most": {
        "en": r"\bto \d|up to|at most|or less|or fewer|no more|maximum|limit|within|until"
        r"|not exceed|less than|fewer than|more than|only|\d(?: to |[–-])\d|between",
        "ja": "まで|最大|最多|以下|以内|任意|上限|未満|より少な|限り|だけ|超え",
    },
}


def _lost_limits(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the limits of numbers, such as `at least` and `up to`, that the target doesn't have in
    any words, without a place: one of the least and one of the most, the first in the source. Only
    English and Japanese are known."""
    for limit, patterns in _LIMITS.items():
        pattern, said = patterns.get(read.source_lang or ""), _SAID[limit].get(read.target_lang)
        found = re.search(pattern, source, re.IGNORECASE) if pattern else None
        if found and said and not re.search(said, target, re.IGNORECASE):
            yield finding_at(
                read.segment,
                0,
                0,
                "number",
                Reason("limit_lost", source=found[0]),
                expected=found[0],
                giver=Reason("source"),
                source_text=found[0],
            )


# A negation a few words before a bound: `can't have more than four`.
_DENIED = r"(?:n['’]t|\bnot|\bcannot|\bnever|\bno \w+ (?:may|can))\b[^.;,]{0,40}?"
# What a number bounds, by language: (what is said, 1 for a least number and -1 for a most one, how
# many units the bound is away from the number). Longer words come first.
_BOUNDS: dict[str, tuple[tuple[re.Pattern[str], int, int], ...]] = {
    lang: tuple(
        (re.compile(pattern.replace("#", f"(?P<n>{_NUMBER}){counter}"), re.IGNORECASE), side, away)
        for pattern, side, away in rows
    )
    for lang, counter, rows in (
        (
            "en",
            r"\b",
            (
                (rf"{_DENIED} (?:more|greater|higher|larger) than #", -1, 0),
                (rf"{_DENIED} (?:less|fewer|lower|smaller) than #", 1, 0),
                (r"\b(?:no|not) more than #", -1, 0),
                (r"\b(?:no|not) (?:less|fewer) than #", 1, 0),
                (r"\b(?:more|greater|higher|larger) than #", 1, 1),
                (r"\b(?:exceed(?:s|ed|ing)?|over) #", 1, 1),
                (r"\b(?:less|fewer|lower|smaller) than #", -1, 1),
                (r"\b(?:below|under) #", -1, 1),
                (r"\bat least #", 1, 0),
                (r"\b# (?:[\w ]{1,20} )?or (?:more|greater|higher|above)\b", 1, 0),
                (r"\b(?:at most|up to) #", -1, 0),
                (r"\b# (?:[\w ]{1,20} )?or (?:less|fewer|lower|below)\b", -1, 0),
            ),
        ),
        (
            "ja",
            _COUNTER,
            (
                ("#(?:を(?:超|越)え|より(?:も)?(?:多|大き|高)|超)", 1, 1),
                ("#(?:未満|より(?:も)?(?:少な|小さ|低)|に満たな)", -1, 1),
                ("#以上", 1, 0),
                ("(?:少なくとも|最低(?:でも)?)#", 1, 0),
                ("#(?:以下|以内|まで)", -1, 0),
                ("(?:最大|最多|上限は)#", -1, 0),
            ),
        ),
    )
}


def _turned_limits(read: ReadSegment, source: str, target: str) -> Iterator[Finding]:
    """Yield the bounds of numbers that the target turned: `more than eight` for 8以上, 以上 for
    `no more than`. Each must have a number that the source bounds otherwise, and state what no
    bound of the source does; only English and Japanese are known."""
    given = list(_bounds(source, read.source_lang or ""))
    stated = {(side, value) for _, side, _, value in given}
    for match, side, number, value in _bounds(target, read.target_lang):
        other = next((found[0] for found, _, same, _ in given if same == number), None)
        if other and (side, value) not in stated:
            yield _instead(read, match.span(), other)


def _bounds(text: str, lang: str) -> Iterator[tuple[re.Match[str], int, float, float]]:
    """Yield (where it is said, 1 for a least number or -1 for a most one, the number that is
    written, the number that is the bound) of each bound in a text."""
    taken: list[tuple[int, int]] = []
    for pattern, side, away in _BOUNDS.get(lang, ()):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(first < end and start < last for first, last in taken):
                continue
            taken.append((start, end))
            values = [one.value for one in amounts(f"{match['n']}枚", "ja")]
            values += [one.value for one in amounts(match["n"], "en")]
            if values:
                yield match, side, values[0], values[0] + side * away
