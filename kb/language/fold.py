"""Normalizes names for matching: folds width, case, kana and dashes away; cleans names for ids.

Folded text is for lookups only: what is stored is always the page's own text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SIMILAR_SIGNS = str.maketrans(
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
KATAKANA_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")
# Names: the same ones of a wiki occur on page after page. A guard of memory, some megabytes; any
# size that holds the names of a few hundred pages would do.
_CACHE_SIZE = 1 << 15
# Spellings of one word of the rules that fold to different kana; of others none is known.
_VARIANTS = (("おもて向き", "表向き"), ("おもてむき", "表向き"), ("うら向き", "裏向き"))


@lru_cache(_CACHE_SIZE)
def fold(text: str) -> str:
    """Return a name in the form in which names are compared and looked up.

    Differences in width, case, kana, dashes, wave dashes, curly quotation marks, middle dots,
    spaces and 《》 are removed; katakana become hiragana, and ー stays. The result may be empty (a
    name of spaces, dots or 《》 alone).

    >>> fold("オモテ向き") == fold("表向き"), fold("Ｓ・トリガー") == fold("s トリガー")
    (True, True)
    >>> fold("《飛竜艇−ファンドラ》") == fold("飛竜艇－ふぁんどら")
    True
    """
    folded = unicodedata.normalize("NFKC", text.translate(_SIMILAR_SIGNS))
    folded = folded.casefold().translate(_SIMILAR_SIGNS)
    folded = re.sub(r"\s+", "", folded).translate(KATAKANA_TO_HIRAGANA)
    for variant, usual in _VARIANTS:
        folded = folded.replace(variant, usual)
    return folded


def is_japanese(text: str) -> bool:
    """Return whether a text contains any kana or kanji.

    >>> is_japanese("Draw, 引く"), is_japanese("Draw")
    (True, False)
    """
    return _JAPANESE.search(text) is not None


def is_hiragana(text: str) -> bool:
    """Return whether a text consists of hiragana alone (and is not empty). Katakana don't count.

    >>> is_hiragana("しまう"), is_hiragana("置く")
    (True, False)
    """
    return re.fullmatch("[ぁ-ん]+", text) is not None


@lru_cache(_CACHE_SIZE)
def plain(text: str) -> str:
    """Return a name as it is written in an id: in NFKC, with single spaces between words and none
    around them; empty for spaces alone. Case and kana stay.

    >>> plain("Ｓ・トリガー　（１）")
    'S・トリガー (1)'
    """
    return " ".join(unicodedata.normalize("NFKC", text).split())
