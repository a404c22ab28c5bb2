"""Japanese verbs: the dictionary form of a linked stem, of a noun, of a potential."""

from __future__ import annotations

from functools import lru_cache

from kb.language.tokens import Token, tokenizer


def dictionary_form(text: str, found: list[Token], start: int, end: int) -> str:
    """The dictionary form of a linked stretch of text, whose last word may run on behind it.

    Sites link a verb's stem and leave its ending outside; the ending tells the verb, also
    where the word is its noun (引き) or its potential (引ける).

    >>> def linked(text, stem):
    ...     start = text.index(stem)
    ...     return dictionary_form(text, tokenizer()(text), start, start + len(stem))
    >>> linked("カードを引かせた", "引"), linked("1枚ごとの引きに", "引")
    ('引く', '引く')
    >>> linked("支払えない", "支払"), linked("手札に与えられ", "与え"), linked("場合は", "場合")
    ('支払う', '与える', '場合')
    """
    inside = [word for word in found if word.start < end and word.end > start]
    if not inside:
        return text[start:end]
    last = inside[-1]
    if last.end > end and (ending := _ENDING.get(text[end])):
        verb = text[last.start : end] + ending
        if _is_verb(verb):
            return text[start : max(start, last.start)] + verb
    if last.entry.inflected:
        return text[start : max(start, last.start)] + last.entry.dictionary
    return text[start:end]


def verb_of_potential(form: str) -> str | None:
    """The verb whose potential a word may be, in its normal form; None if it is none.

    >>> verb_of_potential("引ける"), verb_of_potential("加える"), verb_of_potential("引く")
    ('引く', None, None)
    """
    if len(form) < 3 or form[-1] != "る" or form[-2] not in _E_ROW:
        return None
    verb = form[:-2] + _ENDING[form[-2]]
    return tokenizer()(verb)[0].entry.normal if _is_verb(verb) else None


def verb_of_noun(form: str) -> str | None:
    """The verb that a noun is made of, in its normal form; None if it is made of none.

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


_ENDING = {
    kana: row[2]
    for row in ("あいうえお", "かきくけこ", "がぎぐげご", "さしすせそ", "たちつてと", "なにぬねの",
                "ばびぶべぼ", "まみむめも", "らりるれろ")
    for kana in row
} | {"わ": "う"}  # fmt: skip


@lru_cache(1 << 16)
def _is_verb(text: str) -> bool:
    found = tokenizer()(text)
    return len(found) == 1 and found[0].entry.inflected and found[0].entry.dictionary == text
