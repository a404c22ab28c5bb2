"""Splits off the reading that stands in parentheses behind a name: `霧/Mist（きり）`."""

from __future__ import annotations

import re
import unicodedata

from kb.language.fold import plain

_KANA = re.compile(r"[ぁ-ゖァ-ヺｦ-ﾝ]")
_NO_READING = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ一-鿿々〆]")
_OPENING, _CLOSING = "(（", ")）"
# Voicing marks on their own, as in う゛, and the same that join the kana before them.
_MARKS = str.maketrans({"゛": "\u3099", "ﾞ": "\u3099", "゜": "\u309a", "ﾟ": "\u309a"})


def split_reading(text: str) -> tuple[str, str | None]:
    """Return a name without the reading in parentheses at its end, and the reading.

    A reading is kana, perhaps with signs and digits, but no letters. Without one the text is
    returned as it is, with None; empty parentheses are dropped.

    >>> split_reading("霧/Mist（きり）"), split_reading("Mist (Used)")
    (('霧/Mist', 'きり'), ('Mist (Used)', None))
    """
    name = text.rstrip()
    start = _last_parentheses(name)
    if start <= 0:
        return text, None
    inside = name[start + 1 : -1].strip()
    if not inside.strip("-−－―? ？"):
        return name[:start].rstrip(), None
    if not _KANA.search(inside) or _NO_READING.search(inside):
        return text, None
    return name[:start].rstrip(), joined_marks(inside)


def joined_marks(reading: str) -> str:
    """Return a reading in NFKC, with voicing marks joined to the kana that they stand behind.

    >>> joined_marks("う゛ぇーる")
    'ゔぇーる'
    """
    return plain(unicodedata.normalize("NFC", reading.translate(_MARKS)))


def _last_parentheses(text: str) -> int:
    """Return where the parentheses that end a text begin, with all that is nested in them; -1 if
    there are none."""
    depth = 0
    for index in reversed(range(len(text))):
        if text[index] in _CLOSING:
            depth += 1
        elif text[index] in _OPENING:
            depth -= 1
        if depth == 0:
            return index if index < len(text) - 1 else -1
    return -1
