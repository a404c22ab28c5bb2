"""Folding: how a name is looked up. For matching only; what is stored is the page's own."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ALIKE = str.maketrans(
    {
        "〜": "~",
        "～": "~",
        "−": "-",
        "－": "-",
        "―": "-",
        "—": "-",
        "–": "-",
        "‐": "-",
        "‖": "|",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "《": None,
        "》": None,
        "・": None,
        "･": None,
    }
)
_KATAKANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")
_REMEMBERED = 1 << 16  # the names of a wiki come again on page after page
_SPELLINGS = (("おもて向き", "表向き"), ("おもてむき", "表向き"), ("うら向き", "裏向き"))


@lru_cache(_REMEMBERED)
def fold(text: str) -> str:
    """A name with its spelling differences folded away: width, case, kana, dashes, dots, spaces.

    >>> fold("オモテ向き") == fold("表向き"), fold("Ｓ・トリガー") == fold("s トリガー")
    (True, True)
    >>> fold("《飛竜艇−ファンドラ》") == fold("飛竜艇－ふぁんどら")
    True
    """
    folded = unicodedata.normalize("NFKC", text.translate(_ALIKE)).casefold().translate(_ALIKE)
    folded = re.sub(r"\s+", "", folded).translate(_KATAKANA)
    for spelling, usual in _SPELLINGS:
        folded = folded.replace(spelling, usual)
    return folded


def is_japanese(text: str) -> bool:
    """Whether there is any kana or kanji in a text.

    >>> is_japanese("Draw, 引く"), is_japanese("Draw")
    (True, False)
    """
    return _JAPANESE.search(text) is not None


def is_kana(text: str) -> bool:
    """Whether a text is in hiragana alone.

    >>> is_kana("しまう"), is_kana("置く")
    (True, False)
    """
    return re.fullmatch("[ぁ-ん]+", text) is not None


@lru_cache(_REMEMBERED)
def plain(text: str) -> str:
    """A name as it stands in an id: full-width letters and signs narrowed, spaces single.

    >>> plain("Ｓ・トリガー　（１）")
    'S・トリガー (1)'
    """
    return " ".join(unicodedata.normalize("NFKC", text).split())
