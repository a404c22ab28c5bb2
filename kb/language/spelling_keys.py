"""Compares names by their spelling, without accents and signs: Jötun, jotun; T.A.P., tap."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from kb.language.fold import fold

_CACHE_SIZE = 1 << 12
_VOICING = "\u3099\u309a"  # combining marks that make another kana
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "đ": "d", "ł": "l", "ı": "i", "ŋ": "n"}
)


@lru_cache(_CACHE_SIZE)
def spelling_key(text: str) -> str:
    """Return a name as `fold` does, also without accents, hyphens, apostrophes and other signs.

    Only letters, digits and the sign ー are left; the result may be empty.

    >>> spelling_key("Jötun Æther-Bolt’s"), spelling_key("T.A.P.P.E.R."), spelling_key("ガ！")
    ('jotunaetherbolts', 'tapper', 'が')
    """
    decomposed = unicodedata.normalize("NFD", fold(text).translate(_LETTERS))
    bare = "".join(
        char for char in decomposed if char in _VOICING or not unicodedata.combining(char)
    )
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", bare)))
