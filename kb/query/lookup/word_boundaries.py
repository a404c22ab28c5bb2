"""Finds places where a text can be cut: not inside a number or a word."""

from __future__ import annotations

import unicodedata

# Characters that are looked at for a good place: by hand, more than most words have; with more,
# less of the context would be shown than there is room for.
_FAR = 12
_IN_WORDS = frozenset(".'’-/+")  # signs that may stand inside a word or number
_KANA_SIGNS = frozenset("ー々〆ヶ")


def cut_behind(text: str, position: int, limit: int) -> int:
    """Return the first place at or behind a position where a text may be cut, a place between words
    if there is one near; `limit` if there is none before it.

    >>> cut_behind("Draw a card", 2, 11), cut_behind("See 121.2b there", 6, 16)
    (4, 10)
    """
    return _cut(text, range(position, limit), limit)


def cut_before(text: str, position: int, limit: int) -> int:
    """Return the last place at or before a position where a text may be cut, a place between words
    if there is one near; `limit` if there is none behind it.

    >>> cut_before("Draw a card", 9, 0), cut_before("手札を2枚引く。", 4, 0)
    (7, 3)
    """
    return _cut(text, range(position, limit, -1), limit)


def _cut(text: str, positions: range, limit: int) -> int:
    """Return the first of some places between two words; if that is far, one that is at least in no
    number and no Latin word; else `limit`."""
    possible = None
    for far, position in enumerate(positions):
        if _joins(text, position):
            continue
        if far > _FAR and possible is not None:
            return possible
        if _is_between_words(text, position):
            return position
        possible = position if possible is None else possible
    return limit if possible is None else possible


def _joins(text: str, position: int) -> bool:
    """Return whether the characters around a place belong to one number or word in Latin letters,
    or to one character."""
    if not 0 < position < len(text):
        return False
    before, behind = text[position - 1], text[position]
    if unicodedata.combining(behind):
        return True
    kinds = {_kind(before), _kind(behind)}
    if kinds == {"latin"}:
        return True
    around = text[position - 2 : position - 1], text[position + 1 : position + 2]
    return kinds == {"latin", "sign"} and (
        (before in _IN_WORDS and _kind(around[0]) == "latin")
        or (behind in _IN_WORDS and _kind(around[1]) == "latin")
    )


def _is_between_words(text: str, position: int) -> bool:
    """Return whether no word seems to go on at a place, by the kinds of letters around it: kana
    behind a kanji are its ending, and a kanji behind a digit is what it counts."""
    if not 0 < position < len(text):
        return True
    before, behind = text[position - 1], text[position]
    kinds = _kind(before), _kind(behind)
    if "sign" in kinds:
        return behind.isspace() or before.isspace() or kinds[1] != "sign"
    return kinds[0] != kinds[1] and kinds != ("kanji", "hiragana") and not before.isdigit()


def _kind(char: str) -> str:
    """Return the kind of a character: `hiragana`, `katakana`, `kanji`, `latin` (any other letter,
    and digits), or `sign` (white space, too)."""
    if "぀" <= char <= "ゟ":
        return "hiragana"
    if "゠" <= char <= "ヿ" or char in _KANA_SIGNS:
        return "katakana" if char != "・" else "sign"
    if not char.isalnum():
        return "sign"
    return "kanji" if "㐀" <= char <= "鿿" else "latin"
