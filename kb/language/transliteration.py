"""Compares words in katakana with English words by their sound: アクローマ and Akroma."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

# Consonants that Japanese does not tell apart, or writes in one way or the other, have one letter.
_KANA_ROWS = {
    "k": "カキクケコガギグゲゴヵヶ", "s": "サシスセソザジズゼゾ", "t": "タチツテトダヂヅデド",
    "n": "ナニヌネノン", "h": "ハヒヘホ", "b": "フバビブベボヴパピプペポ", "m": "マミムメモ",
    "r": "ラリルレロ",
}  # fmt: skip
_SOUNDS = {kana: sound for sound, row in _KANA_ROWS.items() for kana in row}
_ENGLISH_SOUNDS = tuple(
    (re.compile(spelling), sound)
    for spelling, sound in (
        ("ph", "b"), ("tch|ch", "t"), ("sh|th|sch", "s"), ("[kg]n", "n"), ("wh", "w"), ("gh", "k"),
        ("ck|q", "k"), ("c(?=[eiy])", "s"), ("g(?=[eiy])", "s"), ("x", "ks"), ("[cg]", "k"),
        ("[jz]", "s"), ("d", "t"), ("l", "r"), ("[vpf]", "b"), ("[^kstnhbmr]", ""),
        (r"(.)\1+", r"\1"),
    )
)  # fmt: skip


def likeness(katakana: str, english: str, whole: bool = False) -> float:
    """Return how alike a word in katakana and an English word sound: from 0, not at all, to 1.

    whole: whether to compare with all of the English word, not also with its beginning: エルフ
        sounds like the beginning of Elvish.

    Only consonants count, roughly; signs between words and accents are ignored. With fewer than two
    consonants in either it is 1 if they are the same, as in two empty texts, else 0.

    >>> likeness("アクローマ", "Akroma"), likeness("カード", "Wrath") < 0.5
    (1.0, True)
    """
    ours, theirs = _kana_sounds(katakana), _english_sounds(english)
    if len(ours) < 2 or len(theirs) < 2:
        return float(ours in (theirs, _without_r(theirs)))
    likest = max(_ratio(ours, theirs), _ratio(ours, _without_r(theirs)))
    return likest if whole else max(likest, _ratio(ours, theirs[: len(ours)]))


def _ratio(ours: str, theirs: str) -> float:
    """Return how alike two texts are, from 0 to 1: twice the characters that they have in common,
    in order, of those of both; 1 for two empty ones."""
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio()


def _without_r(sounds: str) -> str:
    """Return sounds without each r before another consonant or at the end, which Japanese writes as
    a long vowel: オーク, Orc."""
    return re.sub("r(?=[^r]|$)", "", sounds)


@lru_cache(1 << 12)  # a guard, as below: a word is compared with each of some others at once
def _kana_sounds(katakana: str) -> str:
    """Return the consonants of a word in katakana, a letter each, of those in a row that are the
    same only one; empty for a word of vowels, or in another script."""
    sounds = "".join(_SOUNDS.get(kana, "") for kana in katakana)
    return re.sub(r"(.)\1+", r"\1", sounds)


@lru_cache(1 << 12)
def _english_sounds(english: str) -> str:
    """Return the consonants of an English word, in the letters that `_kana_sounds` has; empty for
    one of other scripts."""
    decomposed = unicodedata.normalize("NFKD", english.casefold())
    sounds = re.sub("[^a-z]", "", decomposed)
    for spelling, sound in _ENGLISH_SOUNDS:
        sounds = spelling.sub(sound, sounds)
    return sounds
