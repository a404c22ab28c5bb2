"""Finds the dictionary form of Japanese verbs: from a linked stem, a noun or a potential form."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from operator import attrgetter

from kb.language.tokens import Token, tokenizer


def dictionary_form(text: str, tokens: list[Token], start: int, end: int) -> str:
    """Return text[start:end], the words of a link, with its last word in dictionary form; unchanged
    if that is no verb or adjective.

    tokens: those of the whole text. The last word may go on behind the link: sites link a verb's
    stem and leave its ending outside. The ending identifies the verb, also where the word is its
    noun (引き) or its potential (引ける).

    >>> def linked(text, stem):
    ...     start = text.index(stem)
    ...     return dictionary_form(text, tokenizer()(text), start, start + len(stem))
    >>> linked("カードを引かせた", "引"), linked("1枚ごとの引きに", "引")
    ('引く', '引く')
    >>> linked("支払えない", "支払"), linked("手札に与えられ", "与え"), linked("場合は", "場合")
    ('支払う', '与える', '場合')
    """
    behind = bisect_left(tokens, end, key=attrgetter("start"))
    if not behind or tokens[behind - 1].end <= start:
        return text[start:end]
    last = tokens[behind - 1]
    if last.end > end and (ending := _ENDING.get(text[end])):
        verb = text[last.start : end] + ending
        if _is_verb(verb):
            return text[start : max(start, last.start)] + verb
    if last.entry.inflected:
        return text[start : max(start, last.start)] + last.entry.dictionary
    return text[start:end]


def verb_of_potential(form: str) -> str | None:
    """Return the normal form of the verb whose potential a word may be; None if there is none.

    form: the normal form of a word of any kind.

    >>> verb_of_potential("引ける"), verb_of_potential("加える"), verb_of_potential("引く")
    ('引く', None, None)
    """
    if len(form) < 3 or form[-1] != "る" or form[-2] not in _E_ROW:
        return None
    verb = form[:-2] + _ENDING[form[-2]]
    return tokenizer()(verb)[0].entry.normal if _is_verb(verb) else None


def verb_of_noun(form: str) -> str | None:
    """Return the normal form of the verb that a noun is derived from; None if there is none.

    form: the normal form of a word. It need not be a noun: a verb such as 引く gives itself.

    >>> verb_of_noun("負け"), verb_of_noun("支払い"), verb_of_noun("引け"), verb_of_noun("手札")
    ('負ける', '支払う', '引く', None)
    """
    if len(form) < 2 or form[-1] not in _ENDING:
        return None
    for verb in (form + "る", form[:-1] + _ENDING[form[-1]]):
        if _is_verb(verb):
            normal = tokenizer()(verb)[0].entry.normal
            return verb_of_potential(normal) or normal
    return None


_E_ROW = frozenset("えけげせてねべめれ")

# The kana that ends a godan verb, by any kana that its other forms have there: き, け, か → く.
_ENDING = {
    kana: row[2]
    for row in ("あいうえお", "かきくけこ", "がぎぐげご", "さしすせそ", "たちつてと", "なにぬねの",
                "ばびぶべぼ", "まみむめも", "らりるれろ")
    for kana in row
} | {"わ": "う"}  # fmt: skip


@lru_cache(1 << 14)
def _is_verb(text: str) -> bool:
    """Whether a text is one verb or adjective in its dictionary form."""
    tokens = tokenizer()(text)
    return len(tokens) == 1 and tokens[0].entry.inflected and tokens[0].entry.dictionary == text
