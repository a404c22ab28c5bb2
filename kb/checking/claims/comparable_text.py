"""Folds away what does not count between a quotation and its source: typography, case, spaces."""

from __future__ import annotations

import re
from typing import NamedTuple

from kb.language.typography import fold_typography, fold_with_spans

_SAME = str.maketrans({"、": ",", "，": ",", "。": ".", "〔": "[", "〕": "]", "【": "[", "】": "]"})
# What is left out of a folded text: quotation marks, spaces but for those between digits, hyphens
# but for those beside digits; and addresses, which readable texts are without.
_IDLE = re.compile(
    r"https?://[!-~]{1,500}|[\"'「」『』《》〈〉«»‹›＜＞]|(?<![0-9])\s|\s(?![0-9])|(?<![0-9])-(?![0-9])",
    re.IGNORECASE,
)


class ComparableText(NamedTuple):
    """A text as it is compared with others.

    text: folded; spans: the (start, end) in the original text, for each character of `text`.
    """

    text: str
    spans: list[tuple[int, int]]


def comparable_text(text: str) -> str:
    """Return a text without what does not count in a quotation.

    That is: the form of quotation marks, dashes and ellipses, and whether there are any quotation
    marks; the width and case of letters; spaces and line ends, and hyphens between letters. Hyphens
    and spaces beside digits count: `-1/-1` is not `1/1`, `10 0` not `100`.

    >>> comparable_text("“Face-down  Card”…")
    'facedowncard...'
    >>> comparable_text("-1/-1 and ７枚、引く。")
    '-1/-1and7枚,引く.'
    """
    return _lower(_IDLE.sub("", fold_typography(text)).translate(_SAME))


def comparable_with_spans(text: str) -> ComparableText:
    """Return a text as `comparable_text` does, with the place of each character in the original.

    >>> comparable_with_spans("Ａ b")
    ComparableText(text='ab', spans=[(0, 1), (2, 3)])
    """
    folded, folded_spans = fold_with_spans(text)
    kept: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for match in _IDLE.finditer(folded):
        kept.append(folded[position : match.start()])
        spans += folded_spans[position : match.start()]
        position = match.end()
    kept.append(folded[position:])
    spans += folded_spans[position:]
    return ComparableText(_lower("".join(kept).translate(_SAME)), spans)


def _lower(text: str) -> str:
    """Return a text in lower case, each letter as one character."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(one if len(one := char.lower()) == 1 else char for char in text)


# Scripts that are written with spaces between words.
_UNSPACED = r"\u2e80-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff"
_IN_WORD = re.compile(rf"[^\W_{_UNSPACED}]")
_CONTRACTED = re.compile(r"['’]t\b", re.IGNORECASE)
_SIGNED = re.compile(r"[-+−－＋–][XYZ\d]?$")


def is_cut_in_word(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] begins or ends within a word or number, or is followed by `n't`.

    >>> is_cut_in_word("It can't", 0, 6), is_cut_in_word("It can't", 0, 8)
    (True, False)
    >>> is_cut_in_word("a -1/-1 counter", 3, 15)
    True
    """
    if start > 0 and _IN_WORD.match(text, start):
        if _IN_WORD.match(text, start - 1):
            return True
        if text[start].isdigit() and (
            _SIGNED.search(text, max(0, start - 2), start)
            or (text[start - 1] in ".,/" and text[max(0, start - 2)].isdigit())
        ):
            return True
    if end < len(text) and end > 0 and _IN_WORD.match(text, end - 1):
        if _IN_WORD.match(text, end) or _CONTRACTED.match(text, end):
            return True
        if text[end - 1].isdigit() and re.match(r"[./]\d", text[end : end + 2]):
            return True
    return False
