"""Finds the amounts that a text states, in digits or words, and compares those of a translation.

Japanese, English and Chinese are known: `7枚`, `二つ`, `seven cards`, `twice`, `三张`. What merely
looks like an amount is left out: the numbers of rules, dates, versions, mana symbols (`{2}`), power
and toughness (`3/3`), the names of cards, and numerals within words (一番上, 第三者, `no one`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from kb.language.citation_grammar import find_citations
from kb.language.citation_patterns import fold_width

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 100, "thousand": 1000}
_WORDS = (
    {word: number for number, word in enumerate(_SMALL)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | _SCALES
)
_HAN = {
    "〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "十": 10, "百": 100, "千": 1000, "万": 10000,
}  # fmt: skip

# What is no amount, whatever digits are in it.
_NO_AMOUNT = re.compile(
    r"《[^《》\n]{1,60}》"  # the name of a card
    r"|\{[^{}\n]{1,8}\}"  # a mana symbol
    r"|[+–-]?[\dX*]{1,3}/[+–-]?[\dX*]{1,3}"  # power and toughness
    r"|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?|\d{1,2}月\d{1,2}日|\d{4}[-–/.]\d{1,2}[-–/.]\d{1,2}"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"\s\d{1,2}(?:,\s?\d{4})?"
    r"|\d{1,4}(?:\.\d{1,4}){2,9}[a-z]?|\d{3}\.\d{1,3}[a-z]?|\d{3,4}[a-z](?![a-z])"
    r"|^\s*[(（]?\d{1,3}[.)）．](?=\s)|^\s*\d{1,3}(?:[.-]\d{1,3}){1,9}[a-z]?[.:]?(?=\s)",
    re.MULTILINE,
)
_DIGITS = re.compile(
    r"(?<![\d.])(?P<sign>[A-Za-z_#@$])?(?P<number>\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that a text states in text[start:end].

    value: the number; of a half, 0.5.
    certain: whether it surely counts something. What may as well be a mere article, an order or a
        way of speaking is not certain: `a`, `one`, `both`, `first`, `第2`.
    """

    value: float
    start: int
    end: int
    certain: bool


def amounts(text: str, lang: str) -> tuple[Amount, ...]:
    """Return the numbers that a text states as counts, in digits or words, in order.

    lang: `ja`, `en` or `zh`; in any other language only digits are found.

    >>> [amount.value for amount in amounts("カードを７枚引き、二人に2つずつ渡す。", "ja")]
    [7, 2, 2]
    >>> [(amount.value, amount.certain) for amount in amounts("Draw a card, then seven.", "en")]
    [(1, False), (7, True)]
    >>> amounts("rule 104.3を見る。{2}と3/3と一番上。", "ja")
    ()
    """
    folded = fold_width(text)
    blanked = _without(folded, ((one.start, one.end) for one in find_citations(text)))
    blanked = _NO_AMOUNT.sub(lambda found: " " * len(found[0]), blanked)
    found = [*_in_digits(blanked, lang), *_in_words(blanked, lang)]
    return tuple(sorted(found, key=lambda amount: (amount.start, -amount.end)))


def differing_amounts(
    first_text: str, first_lang: str, second_text: str, second_lang: str
) -> tuple[tuple[Amount, ...], tuple[Amount, ...]]:
    """Return the amounts that only the first of two texts states, and those that only the second
    does, each once, in order.

    Only certain amounts that the other text neither states in any form nor implies.

    >>> first, second = differing_amounts("カードを2枚引く。", "ja", "Draw three cards.", "en")
    >>> [amount.value for amount in first], [amount.value for amount in second]
    ([2], [3])
    >>> differing_amounts("両プレイヤー", "ja", "two players", "en")
    ((), ())
    """
    return (
        unstated_amounts(first_text, first_lang, second_text, second_lang),
        unstated_amounts(second_text, second_lang, first_text, first_lang),
    )


def unstated_amounts(text: str, lang: str, other_text: str, other_lang: str) -> tuple[Amount, ...]:
    """Return the certain amounts of a text that another text neither states nor implies, each once,
    in order.

    >>> unstated_amounts("カードを2枚引く。", "ja", "Draw three cards.", "en")[0].value
    2
    """
    certain: dict[float, Amount] = {}
    for amount in amounts(text, lang):
        if amount.certain and amount.value != 1:
            certain.setdefault(amount.value, amount)
    if not certain:
        return ()
    implied = _implied(other_text, other_lang)
    return tuple(amount for value, amount in certain.items() if value not in implied)


def _without(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """Return a text with spaces in place of some spans."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


# -- digits ----------------------------------------------------------------------------------------

_ORDINAL_BEFORE = re.compile(r"第\s?$")
_ORDINAL_BEHIND = re.compile(r"\s?(?:番目?|目|(?:st|nd|rd|th)\b)")
_COUNTED = re.compile(r"[枚個つ人回体点種度本組色面行列名倍分枠巡箱問位張张个個次]")


def _in_digits(text: str, lang: str) -> Iterator[Amount]:
    """Yield the amounts that are written in digits. They are certain unless they may be a name or
    state an order."""
    for found in _DIGITS.finditer(text):
        start, end = found.span("number")
        if "." in found[0]:
            continue
        value = int(found["number"].replace(",", "")[:12])
        attached = found["sign"] or re.match(r"[A-Za-z_]", text[found.end() : found.end() + 1])
        ordinal = _ORDINAL_BEFORE.search(text[:start][-3:]) or (
            _ORDINAL_BEHIND.match(text[end : end + 4]) or re.match(r".目", text[end : end + 2])
        )
        yield Amount(value, start, end, not attached and not ordinal)


# -- words -----------------------------------------------------------------------------------------

_HAN_NUMBER = re.compile(f"[{''.join(_HAN)}]{{1,6}}")
_HAN_COUNTED = re.compile(
    "つ(?!つ)|枚|人(?!称|格|工|物)|個|回(?!復)|体|点|種類|度|本(?!勝)|倍|組(?!み)|色|张|張|个|次(?!数)|名|位"
)
_HAN_BEFORE = re.compile("[第同統统単单唯同万数]$")
_ENGLISH_NUMBER = re.compile(
    rf"(?<![\w-])(?P<words>(?:{'|'.join(_WORDS)})(?:(?:-|\s(?:and\s)?)(?:{'|'.join(_WORDS)}))*)"
    r"(?![\w])",
    re.IGNORECASE,
)
_NO_ENGLISH_NUMBER = re.compile(r"\b(?:no one|one another|any ?one|every ?one|some ?one)\b", re.I)
_ENGLISH_UNCERTAIN: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), value)
    for words, value in (
        ("an?|single|once(?<!at once)|first|1st", 1),
        ("both|twice|double[ds]?|second|pair", 2),
        ("triple|thrice|third", 3),
        ("fourth", 4), ("fifth", 5), ("sixth", 6), ("seventh", 7), ("eighth", 8),
        ("ninth", 9), ("tenth", 10),
        ("half|halves", 0.5),
    )
)  # fmt: skip
_JAPANESE_UNCERTAIN = (
    (re.compile("両方|両者|双方|倍(?!率)"), 2), (re.compile("半分"), 0.5),
)  # fmt: skip


def _in_words(text: str, lang: str) -> Iterator[Amount]:
    """Yield the amounts that are written in words or in numerals of the language."""
    if lang == "en":
        yield from _english(text)
    elif lang in ("ja", "zh"):
        yield from _han(text)


def _english(text: str) -> Iterator[Amount]:
    text = _NO_ENGLISH_NUMBER.sub(lambda found: " " * len(found[0]), text)
    for found in _ENGLISH_NUMBER.finditer(text):
        value = _english_value(found["words"])
        named = found[0][0].isupper() and text[found.end() : found.end() + 1] == "-"
        yield Amount(value, found.start(), found.end(), value > 1 and not named)
    for pattern, value in _ENGLISH_UNCERTAIN:
        for found in pattern.finditer(text):
            yield Amount(value, found.start(), found.end(), False)


def _english_value(words: str) -> float:
    """Return the value of English number words: `two hundred and five`, `twenty-one`."""
    total = current = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word == "and":
            continue
        if word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if word == "thousand":
                total, current = total + current, 0
        else:
            current += _WORDS[word]
    return total + current


def _han(text: str) -> Iterator[Amount]:
    for found in _HAN_NUMBER.finditer(text):
        if _HAN_BEFORE.search(text[: found.start()][-1:]):
            continue
        if not _HAN_COUNTED.match(text, found.end()):
            continue
        value = _han_value(found[0])
        yield Amount(value, found.start(), found.end(), value > 1)
    for pattern, value in _JAPANESE_UNCERTAIN:
        for found in pattern.finditer(text):
            yield Amount(value, found.start(), found.end(), False)


def _han_value(numerals: str) -> float:
    """Return the value of Han numerals: 十五, 二百三, 二〇."""
    if all(_HAN[sign] < 10 for sign in numerals):
        return int("".join(str(_HAN[sign]) for sign in numerals))
    total = current = 0
    for sign in numerals:
        value = _HAN[sign]
        if value == 10000:
            total, current = (total + current or 1) * value, 0
        elif value >= 10:
            total, current = total + (current or 1) * value, 0
        else:
            current = value
    return total + current


# -- what a text implies ---------------------------------------------------------------------------

_COMPARED = {
    "en": r"more than|greater than|fewer than|less than|exceed|over|above|below|under",
    "ja": "未満|超え|超過|より(?:多|少|大|小)|を越え",
    "zh": "超过|少于|多于|大于|小于|不足",
}
_IMPLIED: dict[str, tuple[tuple[str, float], ...]] = {
    "en": (
        (r"\b(?:no|none|zero|without|nothing|never|not|empty)\b|n['’]t\b", 0),
        (r"\b(?:both|twice|doubl\w+|second\w*|pairs?|either|neither|(?:an)?others?|half|halves"
         r"|multiple|several|each other|next|dual|again|more than one|between|together)\b", 2),
        (r"\b(?:triple\w*|thrice|third\w*)\b", 3),
        (r"\b(?:quarter\w*|fourth\w*|quadrupl\w*)\b", 4),
        (r"\b(?:half|halves|halve[ds]?)\b", 0.5),
    ),
    "ja": (
        ("な[いくけしら]|ゼロ|零|空|ず", 0),
        ("両|双|二|互|どちら|ペア|別|倍|次|片方|一方|複数|他の|もう|半|対の|組", 2),
        ("三", 3), ("四", 4), ("五", 5), ("六", 6), ("七", 7), ("八", 8), ("九", 9), ("十", 10),
        ("半", 0.5),
    ),
    "zh": (
        ("无|無|没|沒|零|不|空|未", 0),
        ("两|兩|双|雙|二|倍|另|其他|互|任一|对|多[个張张]|半|次|复数", 2),
        ("三", 3), ("四", 4), ("五", 5), ("六", 6), ("七", 7), ("八", 8), ("九", 9), ("十", 10),
        ("半", 0.5),
    ),
}  # fmt: skip


@cache
def _implied_patterns(
    lang: str,
) -> tuple[Callable[[str], object], tuple[tuple[re.Pattern[str], float], ...]]:
    compared = re.compile(_COMPARED.get(lang, r"(?!)"), re.IGNORECASE)
    words = _IMPLIED.get(lang, ())
    return compared.search, tuple((re.compile(p, re.IGNORECASE), value) for p, value in words)


def _implied(text: str, lang: str) -> set[float]:
    """Return the values that a text states in any form or implies by its words."""
    compared, words = _implied_patterns(lang)
    values = {amount.value for amount in amounts(text, lang)}
    folded = fold_width(text)
    blanked = _without(folded, ((one.start, one.end) for one in find_citations(text)))
    values |= {int(digits[:12]) for digits in re.findall(r"\d+", blanked)}
    values |= {value for pattern, value in words if pattern.search(folded)}
    if compared(folded):
        values |= {value + step for value in values for step in (1, -1)}
    return values
