"""Finds the amounts that a text states, in digits or words, and compares those of a translation.

Japanese, English and Chinese are known: `7枚`, `二つ`, `seven cards`, `twice`, `三张`. What merely
looks like an amount is left out: the numbers of rules, dates, times of day, versions, mana symbols
(`{2}`), power and toughness (`3/3`), the names of cards, and numerals within words (一番上, 第三者,
`no one`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.language.citations.citation_grammar import find_citations
from kb.language.citations.citation_patterns import fold_width

_WORDS_BELOW_20 = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_WORDS_OF_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ENGLISH_NUMBERS = dict(  # the longer words first, as a pattern tries them in this order
    sorted(
        {
            **{word: number for number, word in enumerate(_WORDS_BELOW_20)},
            **{word: 10 * number for number, word in enumerate(_WORDS_OF_TENS, 2)},
            **{"hundred": 100, "thousand": 1000},
        }.items(),
        key=lambda item: -len(item[0]),
    )
)
# 億 and above are no amounts of a game, and are left out.
HAN_DIGITS = {
    "〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "十": 10, "百": 100, "千": 1000, "万": 10000,
}  # fmt: skip

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
# What is no amount, whatever digits are in it. The longest name of a card has 36 characters in
# Japanese; a longer span in 《》 is prose. Power and toughness have three digits at most; three
# digits, a point and others are a rule's number rather than a decimal.
NO_AMOUNT = re.compile(
    r"《[^《》\n]{1,60}》"  # the name of a card
    r"|\{[^{}\n]{1,8}\}|\[[0-9A-Z](?:/[0-9A-Z])?\](?=\s?\[|[:,.、:]|$)"  # symbols
    r"|[+–-]?[\dX*]{1,3}/[+–-]?[\dX*]{1,3}"  # power and toughness
    r"|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?|\d{1,2}月\d{1,2}日"
    r"|\d{4}[–/.-]\d{1,2}[–/.-]\d{1,2}"
    rf"|(?:{_MONTHS})\s\d{{1,2}}(?:,\s?\d{{4}})?"
    r"|\d{1,4}(?:\.\d{1,4}){2,9}[a-z]?|\d{3}\.\d{1,3}[a-z]?|\d{3,4}[a-z](?![a-z])"
    r"|\d{1,2}[:：]\d{2}(?!\d)(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?|(?:午[前後])?\d{1,2}時(?!間)(?:\d{1,2}分|半)?"
    r"|\(\d{1,2}\)"  # a mark before an item of a list
    r"|^\s*\d{1,3}[.)](?=\s)|^\s*\d{1,3}(?:[.-]\d{1,3}){1,9}[a-z]?[.:]?(?=\s)",
    re.MULTILINE,
)
# More than 12 digits are an id or nonsense: what counts in a game is shorter by far.
_DIGITS = re.compile(
    r"(?<![\d.])(?P<sign>[A-Za-z_#@]-?)?(?P<number>\d{1,3}(?:,\d{3})+(?!\d)|\d{1,12}(?!\d))"
    r"(?P<decimals>\.\d+)?"
)


@dataclass(frozen=True, slots=True)
class AmountWords:
    """The words of a language that amounts are found and compared by.

    numerals: whether numbers in words are Han numerals; else they are English words.
    counted: what stands behind a numeral that counts; None if every number word does.
    in_a_word: what stands before a numeral that is a part of a word.
    no_amount: words with numerals that count nothing.
    before: what shows that a number refers to what was counted before (`the two`, この2つ).
    ordinal_before, ordinal_behind: what makes a number state an order (第2, 2番目).
    stating: (words, value): words that state an amount, none of them certain.
    implied: (words, value): words behind which an amount may be hidden; only looked for in the
        other text, so that a word too many hides a difference and reports none.
    compared: words by which a number is said as one more or one less (`more than two`, 3以上).
    enumeration: a list that may be counted in the other language; separator: what is between its
        items.
    """

    numerals: bool
    counted: re.Pattern[str] | None
    in_a_word: re.Pattern[str]
    no_amount: re.Pattern[str]
    before: re.Pattern[str]
    ordinal_before: re.Pattern[str]
    ordinal_behind: re.Pattern[str]
    stating: tuple[tuple[re.Pattern[str], float], ...]
    implied: tuple[tuple[re.Pattern[str], float], ...]
    compared: re.Pattern[str]
    enumeration: re.Pattern[str]
    separator: re.Pattern[str]

    def is_uncertain(self, text: str, start: int, end: int, value: float) -> bool:
        """Return whether the number in text[start:end] may count nothing, by what is around it:
        words for what was counted before, or, for a value below 3, a sign of an order (第2).

        An order of three or more (3番目) is certain, as every language states it.
        """
        # The windows are a little longer than the longest words of `before` and the orders.
        if self.before.search(text[max(0, start - 12) : start]):
            return True
        return value < 3 and bool(
            self.ordinal_before.search(text[max(0, start - 2) : start])
            or self.ordinal_behind.match(text[end : end + 8])
        )


def _values(*words: tuple[str, float]) -> tuple[tuple[re.Pattern[str], float], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), value) for pattern, value in words)


_NEVER = re.compile(r"(?!)")
_ORDINALS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_ENGLISH = AmountWords(
    numerals=False,
    counted=None,
    in_a_word=_NEVER,
    no_amount=re.compile(
        r"\b(?:no|any|every|some|each)[ -]?one\b|\bone (?:another|by one|at a time)\b|\bat once\b"
        r"|\bone(?=['’]s\b)"
        r"|\b(?:two|three|four|five)(?= (?:things|ways|points|reasons|questions)\b)",
        re.IGNORECASE,
    ),
    before=re.compile(r"\b(?:the|these|those|its|their|other)\s$", re.IGNORECASE),
    ordinal_before=_NEVER,
    ordinal_behind=re.compile(r"st\b|nd\b|rd\b|th\b"),
    stating=_values(
        (r"\b(?:an?|single|once|first)\b", 1),
        (r"\b(?:both|twice|double[ds]?|second|pair)\b", 2),
        (r"\b(?:triple[ds]?|thrice)\b", 3),
        *((rf"\b{word}\b", value) for value, word in enumerate(_ORDINALS, 3)),
        (r"\b(?:half|halves|halved)\b", 0.5),
    ),
    implied=_values(
        (
            r"\b(?:no|none|nothing|without|never|not|empty|(?:non-?)?zero|any|un[a-z]+"
            r"|(?:run|ran|runs) out)\b|n['’]t\b",
            0,
        ),
        (
            r"\b(?:both|twice|doubl\w+|second\w*|pairs?|either|neither|(?:an)?others?|half|halves"
            r"|multiple|several|couple|duel|each other|teammates?|partners?|next|dual|again"
            r"|more than one|between|two\w*|rest|each of (?:you|them|us))\b|-or-",
            2,
        ),
        (r"\b(?:three\w*|tripl\w+|third\w*)\b", 3),
        (r"\b(?:four\w*|quarter\w*|quadrupl\w+)\b", 4),
        (r"\bdozens?\b", 12),
        (r"\b(?:halv\w+|half)\b", 0.5),
    ),
    compared=re.compile(
        r"(?<!\bno )(?<!\bnot )\b(?:(?:more|greater|fewer|less|other|higher|lower) than|exceed\w*"
        r"|over|above|below"
        r"|under|beyond)\b",
        re.IGNORECASE,
    ),
    enumeration=re.compile(r"(?:[\w'’-]+(?: [\w'’-]+){0,3}, ){2,20}(?:and|or|then) \w+"),
    separator=re.compile(", "),
)  # fmt: skip

_JAPANESE_UNITS = (
    "つ(?!つ)|枚|人(?![称格工物間数])|名(?![称前詞])|個|箇|回(?![復避収])|体|点|種類|種|度(?!目)|本(?!来|体)|倍|組"
    "(?!み)|色|匹|頭(?!巨)|冊|山|ターン|ゲーム|ラウンド|ポイント|ダメージ|ステップ|フェイズ|カウンター"
    "|マナ|コスト|行|列|通り|段階|文字|面(?!ダ)|桁|分(?:間)?|秒|時間|日(?!本)|年|ヶ|か[月所]|以上|以下|未満|ずつ"
)
_JAPANESE = AmountWords(
    numerals=True,
    counted=re.compile(rf"\s?(?:{_JAPANESE_UNITS})"),
    in_a_word=re.compile("[第同統単唯同万数均随]$"),
    no_amount=re.compile("十分(?![間のか])"),
    before=re.compile("(?:[こそ]の|[こそ]れら(?:の)?|以下の|次の|上記の|前述の|残りの)\\s?$"),
    ordinal_before=re.compile("第\\s?$"),
    ordinal_behind=re.compile(r"\s?(?:番目?|[つ人回枚体個度戦組名]目|面(?:ダ|体)|章|節|項)"),
    stating=_values(
        ("両方|両者|双方|倍(?!率)|二度|再度", 2), ("半分|半数", 0.5),
    ),
    implied=_values(
        ("な[いくけしら]|ゼロ|空|ず|以外", 0),
        ("両|双|互|いずれ|どちら|ペア|別|倍|次|片方|一方|複数|他|もう|半|対|組|再び|ふた|以降"
            "|残り", 2),
        ("みっつ|三", 3), ("半", 0.5),
    ),
    compared=re.compile("未満|超|より(?:多|少|大|小|も)|過|越え"),
    enumeration=re.compile(
        "(?:「[^」\n]{1,30}」[、,・と]?){2,20}"
        "|(?:[一-鿿ァ-ヺー・]{1,16}(?:、|,\\s?|と|か|・)){2,20}[一-鿿ァ-ヺー・]{1,16}"
    ),
    separator=re.compile("(?<=」)[、,・と]?(?=「)|、|,\\s?|と|か"),
)  # fmt: skip

_CHINESE = AmountWords(
    numerals=True,
    counted=re.compile(
        "\\s?(?:[张張个個点點位名次种種组組色倍枚只隻条條项項段步部行列面件块塊轮輪回局套半人]"
        "|以上|以下)(?![称稱])"
    ),
    in_a_word=re.compile("[第同统統单單唯万每任某另]$"),
    no_amount=_NEVER,
    before=re.compile("(?:[这這那此该該]|以下|下列|下述|上述|其他|另外)\\s?$"),
    ordinal_before=re.compile("第\\s?$"),
    ordinal_behind=re.compile(r"\s?(?:号|號|章|节|節)"),
    stating=_values(("两者|兩者|双方|雙方|加倍|两倍|兩倍", 2), ("一半", 0.5)),
    implied=_values(
        ("无|無|没|沒|不|空|未|非", 0),
        ("[两兩双雙另互]|其他|任一|对|對|多[个個张張]|次|复数|複數|再|数[个個]|分别|分別", 2),
        ("半", 0.5),
    ),
    compared=re.compile("超过|超過|少于|少於|多于|多於|大于|大於|小于|小於|不足|之前|之后"),
    enumeration=re.compile(
        "(?:“[^”\n]{1,30}”[、,和或]?){2,20}|(?:[^、。,;:\\s]{1,14}、){1,20}[^、。,;:\\s]{1,14}"
    ),
    separator=re.compile("(?<=”)[、,和或]?(?=“)|、|[和或及]"),
)  # fmt: skip

_LANGUAGES = {"en": _ENGLISH, "ja": _JAPANESE, "zh": _CHINESE}


def amount_words(lang: str) -> AmountWords | None:
    """Return the words of a language, given by its tag; None if they are not known.

    >>> amount_words("en-US") == amount_words("EN"), amount_words("ko")
    (True, None)
    """
    return _LANGUAGES.get(re.split("[-_]", lang, maxsplit=1)[0].lower())


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that a text states in text[start:end].

    value: the number; of a half, 0.5.
    certain: whether it surely counts something. What may as well be a mere article, an order, a
        name or a reference to what was counted before is not certain: `a`, `one`, `both`, `first`,
        `the two`, `第2`.
    """

    value: float
    start: int
    end: int
    certain: bool


def amounts(text: str, lang: str) -> tuple[Amount, ...]:
    """Return the numbers that a text states as counts, in digits or words, in order.

    They may overlap and repeat a value: 二度 is found as 二 (certain) and as a word for 2. A number
    with decimals is none; of 1, only one in digits can be certain.

    lang: `ja`, `en` or `zh`, also with a region (`en-US`); in any other only digits are found.

    >>> [amount.value for amount in amounts("カードを７枚引き、二人に2つずつ渡す。", "ja")]
    [7, 2, 2]
    >>> [(amount.value, amount.certain) for amount in amounts("Draw a card, then seven.", "en")]
    [(1, False), (7, True)]
    >>> amounts("rule 104.3を見る。{2}と3/3と一番上。", "ja")
    ()
    """
    return _amounts(_without_citations(text), lang)


def differing_amounts(
    first_text: str,
    first_lang: str,
    second_text: str,
    second_lang: str,
    beside: tuple[str, str] = ("", ""),
) -> tuple[tuple[Amount, ...], tuple[Amount, ...]]:
    """Return the amounts that only the first of two texts states, and those that only the second
    does, each value once, in order.

    Only certain amounts that the other text neither states in any form nor implies; and, where both
    texts have amounts that the other has not, those that are not certain, too (`the third`, 2番目).
    1 and a half are never among them: articles and other words hide them too often. If nothing is
    left, an amount that each text states once more than the other is (see `_stated_more_often`).
    With a language whose number words are not known, only digits are compared, and only where both
    texts have some that the other has not.

    beside: further text of each side in which its amounts may stand as well, such as examples; none
        of its own amounts are returned.

    >>> first, second = differing_amounts("カードを2枚引く。", "ja", "Draw three cards.", "en")
    >>> [amount.value for amount in first], [amount.value for amount in second]
    ([2], [3])
    >>> differing_amounts("両プレイヤー", "ja", "two players", "en")
    ((), ())
    """
    texts = (first_text, second_text)
    bare = [_without_citations(text) for text in texts]
    found = [_amounts(bare[0], first_lang), _amounts(bare[1], second_lang)]
    candidates = [[one for one in each if one.value not in (1, 0.5)] for each in found]
    if not any(candidates):
        return (), ()
    whole = [
        f"{text}\n{_without_citations(other)}" for text, other in zip(bare, beside, strict=True)
    ]
    alone = [
        _stated_alone(candidates[0], bare[0], first_lang, whole[1], second_lang),
        _stated_alone(candidates[1], bare[1], second_lang, whole[0], first_lang),
    ]
    if not (amount_words(first_lang) and amount_words(second_lang)):
        alone = [
            [one for one in each if text[one.start : one.end].isdecimal()]
            for each, text in zip(alone, bare, strict=True)
        ]
        return (tuple(alone[0]), tuple(alone[1])) if all(alone) else ((), ())
    if not all(alone):
        alone = [[one for one in each if one.certain] for each in alone]
    if not any(alone) and not any(beside):
        alone = _stated_more_often(candidates)
    return tuple(alone[0]), tuple(alone[1])


def _stated_alone(
    candidates: Sequence[Amount], text: str, lang: str, other_text: str, other_lang: str
) -> list[Amount]:
    """Return, of the amounts of a text, those that another text neither states nor implies, each
    value once, in order: its first certain amount, else its first. Both texts are without
    citations."""
    alone: dict[float, Amount] = {}
    implied = _Implied(other_text, other_lang) if candidates else None
    for amount in candidates:
        if implied and not implied.has(amount, _is_compared(amount, text, lang)):
            known = alone.setdefault(amount.value, amount)
            if amount.certain and not known.certain:
                alone[amount.value] = amount
    return sorted(alone.values(), key=lambda amount: amount.start)


def _stated_more_often(candidates: Sequence[Sequence[Amount]]) -> list[list[Amount]]:
    """Return the last amount that each of two texts states once more often than the other: one of
    two equal amounts became another one that the text has besides (2, 2, 3 and 2, 3, 3).

    Two empty lists if the surplus of either is not exactly one amount, or if both their values are
    missing in the other text."""
    counts = [Counter(one.value for one in each) for each in candidates]
    surplus = [counts[0] - counts[1], counts[1] - counts[0]]
    more = surplus[0] + surplus[1]
    if any(sum(one.values()) != 1 for one in surplus) or not any(
        all(value in each for each in counts) for value in more
    ):
        return [[], []]
    return [
        [next(one for one in reversed(each) if one.value in more)]
        for each, more in zip(candidates, surplus, strict=True)
    ]


def _is_compared(amount: Amount, text: str, lang: str) -> bool:
    """Return whether words around an amount make it one that may be said as one more or less:
    `more than two` is three or more. False in a language whose words are not known."""
    words = amount_words(lang)
    # `greater than ` has 13 characters; behind an amount, 枚より少ない has 6.
    around = text[max(0, amount.start - 16) : amount.end + 10]
    return bool(words and words.compared.search(around))


class _Implied:
    """The values that a text states in any form, or implies by its words."""

    def __init__(self, text: str, lang: str) -> None:
        """text: without citations."""
        found = _amounts(text, lang)
        self._values: set[float] = {amount.value for amount in found}
        self._values |= {int(digits) for digits in re.findall(r"\d{1,12}", text)}
        self._values |= {ord(sign) - ord("①") + 1 for sign in re.findall("[①-⑳]", text)}
        self._compared: set[float] = {
            amount.value + step
            for amount in found
            if _is_compared(amount, text, lang)
            for step in (1, -1)
        }
        words = amount_words(lang)
        if not words:
            return
        if words.numerals:
            self._values |= {_han_value(number[0]) for number in _HAN_NUMBER.finditer(text)}
        self._values |= {value for pattern, value in words.implied if pattern.search(text)}
        self._values |= {
            1 + len(words.separator.findall(listed[0]))
            for listed in words.enumeration.finditer(text)
        }

    def has(self, amount: Amount, is_compared: bool) -> bool:
        """Return whether the text states or implies an amount of another text.

        is_compared: whether that one may be said as one more or less.
        """
        value = amount.value
        if value in self._values or value in self._compared:
            return True
        return is_compared and (value + 1 in self._values or value - 1 in self._values)


# -- finding ---------------------------------------------------------------------------------------


def _without_citations(text: str) -> str:
    """Return a text of the same length as `fold_width` returns it, with spaces in place of
    citations; a heading that belongs to one stays."""
    folded, pieces, position = fold_width(text), [], 0
    for one in find_citations(text):
        if one.start >= position:  # the rules of a range share one span
            pieces += [folded[position : one.start], " " * (one.end - one.start)]
            position = one.end
    return "".join((*pieces, folded[position:]))


def _amounts(text: str, lang: str) -> tuple[Amount, ...]:
    """Return the amounts in a text that `_without_citations` returned, by where they begin; of
    those that begin at one place, the longest first."""
    text = NO_AMOUNT.sub(_blank, text)
    words = amount_words(lang)
    found = [*_in_digits(text, words)]
    if words:
        text = words.no_amount.sub(_blank, text)
        found += _in_words(text, words)
    return tuple(sorted(found, key=lambda amount: (amount.start, -amount.end)))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _in_digits(text: str, words: AmountWords | None) -> Iterator[Amount]:
    """Yield the amounts that are written in digits, then those in circles, which are never certain.
    The others are, unless they may be a part of a name, an order, or an amount that is known
    already. Digits with decimals are left out."""
    for found in _DIGITS.finditer(text):
        start, end = found.span("number")
        if found["decimals"]:
            continue
        attached = found["sign"] or _ATTACHED.match(text, end)
        value = int(found["number"].replace(",", ""))
        certain = not attached and not (words and words.is_uncertain(text, start, end, value))
        yield Amount(value, start, end, certain)
    for found in _CIRCLED.finditer(text):
        yield Amount(ord(found[0]) - ord("①") + 1, found.start(), found.end(), False)


_ATTACHED = re.compile(r"(?!(?:st|nd|rd|th)\b)[A-Za-z_]")  # a part of a name, as in `2v2`
_CIRCLED = re.compile("(?<!^)(?<!\n)[①-⑳]")  # at the beginning of a line it marks an item
_HAN_NUMBER = re.compile(f"[{''.join(HAN_DIGITS)}]{{1,8}}")  # 九千九百九十九 has 7
_SMALL = f"(?:{'|'.join(word for word, value in ENGLISH_NUMBERS.items() if value < 20)})"
_TENS = f"(?:{'|'.join(word for word, value in ENGLISH_NUMBERS.items() if 20 <= value < 100)})"
_BELOW_100 = rf"(?:{_TENS}(?:[ -]{_SMALL})?|{_SMALL})"
_SCALED = r"[ -](?:hundred|thousand)"
_ENGLISH_NUMBER = re.compile(
    rf"(?<![\w-])(?:{_BELOW_100}|hundred|thousand)"
    rf"(?:{_SCALED}(?: thousand)?(?:,? (?:and )?{_BELOW_100})?){{0,2}}(?!\w)",
    re.IGNORECASE,
)


def _in_words(text: str, words: AmountWords) -> Iterator[Amount]:
    """Yield the amounts that are written in number words or numerals, then those that other words
    state, which are never certain and may overlap the first. Nor is one certain, or what may begin
    a name (`Two-Headed`)."""
    pattern = _HAN_NUMBER if words.numerals else _ENGLISH_NUMBER
    for found in pattern.finditer(text):
        start, end = found.span()
        number = _han_value(found[0]) if words.numerals else _english_value(found[0])
        if words.counted and not words.counted.match(text, end):
            continue
        if words.numerals and words.in_a_word.search(text[max(0, start - 1) : start]):
            continue
        named = found[0][0].isupper() and text[end : end + 1] == "-"
        certain = number != 1 and not named and not words.is_uncertain(text, start, end, number)
        yield Amount(number, start, end, certain)
    for stated, value in words.stating:
        for found in stated.finditer(text):
            yield Amount(value, found.start(), found.end(), False)


def _english_value(words: str) -> int:
    """Return the value of English number words: `two hundred and five`, `twenty-one`. Words that
    are no numbers count 0."""
    total = current = 0
    for word in re.findall("[a-z]+", words.lower()):
        value = ENGLISH_NUMBERS.get(word, 0)  # 0 of `and`
        if value < 100:
            current += value
        elif value == 100:
            current = max(current, 1) * value
        else:
            total, current = total + max(current, 1) * value, 0
    return total + current


def _han_value(numerals: str) -> int:
    """Return the value of Han numerals: 十五 is 15, 二百三 203, and digit by digit 二〇 20.

    Raises KeyError for a sign that is none of HAN_DIGITS."""
    if all(HAN_DIGITS[sign] < 10 for sign in numerals):
        return int("".join(str(HAN_DIGITS[sign]) for sign in numerals))
    total = current = 0
    for sign in numerals:
        value = HAN_DIGITS[sign]
        if value == 10000:
            total, current = (total + current or 1) * value, 0
        elif value >= 10:
            total, current = total + (current or 1) * value, 0
        else:
            current = value
    return total + current
