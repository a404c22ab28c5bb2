"""The words that state or imply amounts, in each language, for `kb.language.amounts`.

All patterns are for text that `kb.language.citation_patterns.fold_width` has returned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ENGLISH_NUMBERS = dict(  # the longer words first, as a pattern tries them in this order
    sorted(
        {
            **{word: number for number, word in enumerate(_SMALL)},
            **{word: 10 * number for number, word in enumerate(_TENS, 2)},
            **{"hundred": 100, "thousand": 1000},
        }.items(),
        key=lambda item: -len(item[0]),
    )
)
HAN_DIGITS = {
    "〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "十": 10, "百": 100, "千": 1000, "万": 10000,
}  # fmt: skip

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
# What is no amount, whatever digits are in it.
NO_AMOUNT = re.compile(
    r"《[^《》\n]{1,60}》"  # the name of a card
    r"|\{[^{}\n]{1,8}\}|\[[0-9A-Z](?:/[0-9A-Z])?\](?=\s?\[|[:,.、:]|$)"  # symbols
    r"|[+–-]?[\dX*]{1,3}/[+–-]?[\dX*]{1,3}"  # power and toughness
    r"|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?|\d{1,2}月\d{1,2}日"
    r"|\d{4}[–/.-]\d{1,2}[–/.-]\d{1,2}"
    rf"|(?:{_MONTHS})\s\d{{1,2}}(?:,\s?\d{{4}})?"
    r"|\d{1,4}(?:\.\d{1,4}){2,9}[a-z]?|\d{3}\.\d{1,3}[a-z]?|\d{3,4}[a-z](?![a-z])"
    r"|\(\d{1,2}\)"  # a mark before an item of a list
    r"|^\s*\d{1,3}[.)](?=\s)|^\s*\d{1,3}(?:[.-]\d{1,3}){1,9}[a-z]?[.:]?(?=\s)",
    re.MULTILINE,
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
    implied: (words, value): words behind which an amount may be hidden.
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
        """Return whether the number in text[start:end] may count nothing, by what is around it.

        An order of three or more (3番目) is stated in every language.
        """
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
        r"|\bone(?=['’]s\b)",
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
            r"|multiple|several|couple|duel|each other|next|dual|again|more than one|between|two\w*"
            r"|rest)\b|-or-",
            2,
        ),
        (r"\b(?:three\w*|tripl\w+|third\w*)\b", 3),
        (r"\b(?:four\w*|quarter\w*|quadrupl\w+)\b", 4),
        (r"\bdozens?\b", 12),
        (r"\b(?:halv\w+|half)\b", 0.5),
    ),
    compared=re.compile(
        r"\b(?:(?:more|greater|fewer|less|other|higher|lower) than|exceed\w*|over|above|below"
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
