"""Finds numbers and counts that a draft changed or lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from kb.checking.comparable_parts import comparable_parts
from kb.checking.draft import Finding, finding_at
from kb.checking.house_usage import ReadSegment
from kb.language.amounts import Amount, differing_amounts
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
        yield from _lost_limits(read, source, target)
    yield from _changed_signs(read, source, target)
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
            yield finding_at(
                read.segment,
                *match.span(),
                "number",
                Reason("source_says_not", source=instead, written=match[0]),
                expected=instead,
                giver=Reason("source"),
                source_text=instead,
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
_COUNTER = r"[枚個つ人回体点種度本ロアの]{0,3}\s?"
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
        "en": r"at least|or more|or greater|more than|minimum|not? (?:less|fewer)|exceed|least|any",
        "ja": "以上|少なくとも|最低|最小|超え|超過|より多|より大|いずれか|何らか|複数|未満|ずつ"
        "|のみ|どれか|誰か",
    },
    "most": {
        "en": r"up to|at most|or less|or fewer|no more|maximum|limit|within|until|not exceed"
        r"|less than|fewer than|more than|only",
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
