"""Splits texts into sentences; tells those that define something from those that only announce or
refer.

Other places have patterns of their own where they look for something else: `kb.knowledge` for
clauses outside of quotations and brackets, `kb.query.answers` for what was measured to rank best.
They are made of the same signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

STOPS = ".!?。！？"  # the signs that end a sentence
# What may stand behind such a sign and belongs to the sentence.
_CLOSERS = '”’")）」』'
# Where a sentence ends, with the white space up to the next one; a line break ends one, too.
SENTENCE_END = re.compile(
    rf"[.!?](?=[\s{_CLOSERS}]|$)[{_CLOSERS}]*\s*|[。！？][{_CLOSERS}]*\s*|\n+"
)
_OPENING, _CLOSING = "「『（(【〔[“", "」』）)】〕]”"
_MARK = re.compile(f"[{re.escape(_OPENING + _CLOSING)}。\n]")
_ENGLISH_END = re.compile(r"(?<=[a-z0-9)”\"])[.!?][”\")]*(?=\s|$)")
_NUMBERED = re.compile(r"\s*(?:\(?[0-9]{1,2}[.)]|[①-⑳])\s*")  # the mark of a list's item: `1.`, ①

_PAGE = r"(?:本|当|この|同)(?:項目?|頁|ページ|記事|稿|節|章|欄|セクション)"
_PLACE = rf"(?:{_PAGE}(?:で|に|は|、|)|(?:ここ|以下|下記|次項)(?:で|に|、))"
_TELLING = (
    r"(?:解説|説明|詳述|詳説|記述|記載|記|紹介|列挙|列記|掲載|まとめ|取り?扱|扱|述べ|触れ|論じ|示)"
)
# The page tells what it is going to tell, or speaks about itself. The counts of characters between
# the words here and below were set by hand: higher ones join words of different clauses.
_SELF_ANNOUNCING = re.compile(
    rf"{_PLACE}[^。]{{0,80}}{_TELLING}"
    r"[ぁ-ん]{0,10}$"
    rf"|{_PAGE}[^。]{{0,40}}(?:書きかけ|編集中|作成中|工事中|準備中|未完成|スタブ|加筆|曖昧さ回避)"
    r"|(?:解説|説明|紹介|記述|記載|まとめ|関する|ついて)[^。]{0,20}"
    r"(?:ページ|頁|項目?|記事|カテゴリー?)(?:です|である|だ|となる)?$"
    r"|について[^。、]{0,6}(?:解説|説明|紹介)(?:する|します|している|しています|して[いゆ]く|していきます)$"
    r"|(?:については?|を)後述(?:する|します|とする)?$"
    r"|^(?:This|The following)\s+(?:article|page|section|entry|chapter)\b",
    re.IGNORECASE,
)
# What follows is a list of meanings, and not this sentence.
_LIST_ANNOUNCING = re.compile(
    r"(?:以下|下記|次)の[^。、]{0,20}"
    r"(?:を指す|を意味する|がある|が存在する|(?:とお|通)りである|に分(?:け|か)[ぁ-ん]+)$"
    r"|\bmay (?:also )?(?:refer to|mean)\b[^.]{0,20}:?$",
    re.IGNORECASE,
)
# The reader is sent elsewhere.
_REFERRING = re.compile(
    r"参照(?:のこと|せよ|され(?:たい|よ)|(?:して)?(?:ください|下さい|欲しい|ほしい)|願います|方)?$"
    r"|[をも](?:見よ|見られたい|見て(?:ください|下さい)|ご覧(?:ください|下さい)?|あたられたい)$"
    r"|の項目?(?:へ|を|に|で|も|に譲る|が詳しい)?$"
    r"|^(?:なお、?|また、?)?(?:より)?(?:詳しく|くわしく|詳細|詳しい[^。]{0,12})"
    r"(?:は|について(?:は)?|に関しては)"
    r"|^(?:→|⇒|⇨|➡|⇔|=>|->|cf\.?\s)"
    r"|^(?:参见|參見|参阅|參閱|详见|詳見|请参[见阅]|見規則|见规则)"
    r"|^(?:See|Cf\.?|Refer to|Compare|Main article)\b"
    r"|^(?:For|To)\b[^.()]{0,120}\bsee\b"
    r"|^More (?:information|details?)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:※|注(?:意|釈)?[:：]|Note[:：])")
_BRACKETS_AT_END = re.compile(r"(?<=[^\s（(])\s*[（(][^（）()]{1,100}[)）]$")
_DEFINING_FORM = re.compile(r"とは[、,]?(?!何|なに)|である$|(?:こと|もの)$|のことをいう$|を指す$")
_PREDICATE = re.compile(r"[ぁ-ん]")
_CACHE_SIZE = 1 << 6  # sentences: each is asked about two or three times in a row
# Characters of a sentence's end in which its predicate is looked for: longer than all that the
# patterns above span. A guard, too: they would take long for a line of a table.
_TAIL = 160


def sentences(text: str, lang: str | None) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of a text, in order, without white space around it;
    none of a text that is white space alone.

    A sentence in English ends with .!? behind a small letter, digit, bracket or quotation mark and
    before white space; one in any other language at a `。` that is in no brackets. A line break
    closes brackets, and ends no sentence. What follows the last end is a sentence too.

    >>> text = "これは「一。二」である。終わり"
    >>> [text[start:end] for start, end in sentences(text, "ja")]
    ['これは「一。二」である。', '終わり']
    """
    ends = _english_ends(text) if lang == "en" else _other_ends(text)
    start = 0
    for end in (*ends, len(text)):
        stripped = text[start:end].strip()
        if stripped:
            first = start + len(text[start:end]) - len(text[start:end].lstrip())
            yield first, first + len(stripped)
        start = end


def sentences_of(text: str, lang: str | None) -> list[str]:
    """Return the sentences of a text, as `sentences` finds them.

    >>> sentences_of("Stop. Go on.", "en")
    ['Stop.', 'Go on.']
    """
    return [text[start:end] for start, end in sentences(text, lang)]


def translated_sentence(
    text: str, place: int, lang: str | None, translation: str, other: str
) -> str:
    """Return the sentence of a translation that stands where the one at a place in the text does,
    if both have as many sentences; else the whole translation.

    >>> translated_sentence("Stop. Go on.", 8, "en", "止まる。進む。", "ja")
    '進む。'
    """
    spans, theirs = list(sentences(text, lang)), sentences_of(translation, other)
    if len(spans) != len(theirs):
        return translation
    index = sum(end <= place for _, end in spans)
    return theirs[min(index, len(theirs) - 1)] if theirs else translation


def _english_ends(text: str) -> Iterator[int]:
    for match in _ENGLISH_END.finditer(text):
        if not _NUMBERED.fullmatch(text, 0, match.end()):
            yield match.end()


def _other_ends(text: str) -> Iterator[int]:
    depth = 0
    for mark in _MARK.finditer(text):
        char = mark[0]
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth = max(0, depth - 1)
        elif char == "\n":
            depth = 0
        elif not depth:
            yield mark.end()


def only_announces(sentence: str) -> bool:
    """Return whether a sentence only says where something is told, or what a page is about.

    sentence: one sentence in Japanese, English or Chinese.

    >>> [only_announces(s) for s in ("本項で解説する。", "詳しくは山札を参照。", "See rule 121.")]
    [True, True, True]
    >>> only_announces("山札の一番上のカードを手札に加えること。")
    False
    """
    return _is_about_its_page(sentence) or _refers(sentence)


def _is_about_its_page(sentence: str) -> bool:
    """Whether the end of a sentence says what its page tells, or introduces a list of meanings."""
    tail = _core(sentence)
    return bool(_SELF_ANNOUNCING.search(tail) or _LIST_ANNOUNCING.search(tail))


def _refers(sentence: str) -> bool:
    """Whether a sentence sends the reader elsewhere, or is a note (※, 注, Note) without とは."""
    start = sentence[:_TAIL]
    if _NOTE.match(start) and "とは" not in start:
        return True
    return bool(_REFERRING.search(_core(sentence)) or _REFERRING.match(start))


@lru_cache(_CACHE_SIZE)
def _core(sentence: str) -> str:
    """The last 160 characters of a sentence, without its full stop, exclamation mark and white
    space, and without what stands in brackets before these."""
    end = "。.．!！ 　\n"
    return _BRACKETS_AT_END.sub("", sentence[-_TAIL:].rstrip(end)).rstrip(end)


def defining_part(text: str, lang: str | None) -> tuple[int, int] | None:
    """Return the start and end of the part of a text that may define something, or None.

    It goes from the first sentence to the last that says something and does not only announce or
    refer (`only_announces`), with all between them. Where a text says that its own page explains
    the matter, the rest of it only names the meaning that the page is about: then only a sentence
    in the form of a definition counts. None if no sentence counts, as in an empty text.

    text: a passage of one paragraph or list item.
    lang: its language; None is read like Japanese.

    >>> text = "ここでは引くことを説明する。引くとは、山札からカードを取ること。詳細は山札へ。"
    >>> start, end = defining_part(text, "ja")
    >>> text[start:end]
    '引くとは、山札からカードを取ること。'
    >>> defining_part("Draw。カードを引く。本項で解説する。", "ja") is None
    True
    """
    found = list(sentences(text, lang))
    on_page = [_is_about_its_page(text[start:end]) for start, end in found]
    announced = any(on_page)
    defining = [
        not about_page
        and not _refers(text[start:end])
        and _says_something(text[start:end], lang)
        and (not announced or bool(_DEFINING_FORM.search(_core(text[start:end]))))
        for (start, end), about_page in zip(found, on_page, strict=True)
    ]
    if True not in defining:
        return None
    last = len(defining) - 1 - defining[::-1].index(True)
    return found[defining.index(True)][0], found[last][1]


def announces_own_page(text: str, lang: str | None) -> bool:
    """Return whether a text has a sentence that says what its own page explains.

    >>> announces_own_page("Draw。カードを引く。本項で解説する。", "ja")
    True
    """
    return any(_is_about_its_page(text[start:end]) for start, end in sentences(text, lang))


def stands_for_other_page(text: str, lang: str | None) -> bool:
    """Return whether a text names a meaning that another page explains: its last sentence sends the
    reader there, and no sentence says what something is (`…とは`).

    >>> stands_for_other_page("Minus。数を引く。数を参照。", "ja")
    True
    >>> stands_for_other_page("引くとは、札を取ること。山札を参照。", "ja")
    False
    """
    found = list(sentences(text, lang))
    return bool(found) and "とは" not in text and _refers(text[found[-1][0] : found[-1][1]])


def _says_something(sentence: str, lang: str | None) -> bool:
    """Whether a sentence is more than a name: in English two words or more, without the mark of an
    item; else hiragana, or more than 12 characters (names in kanji are shorter)."""
    if lang == "en":
        return len(_NUMBERED.sub("", sentence, count=1).split()) > 1
    return bool(_PREDICATE.search(sentence)) or len(sentence) > 12
