"""Folds typography for comparing texts: quotation marks, dashes, width, spaces, line ends.

Two texts that are equal after folding say the same and only look different. Folded text is for
comparing only: what is stored and shown is always the page's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_DASHES = "‐‑‒–—―−⁻─━⸺⸻﹘﹣－"
_SINGLE_QUOTES = "‘’‚‛`´′ʹʻʼʽˊˋ＇｀‹›"
_DOUBLE_QUOTES = "“”„‟″ʺ〝〞〟＂«»"
_INVISIBLE = (  # soft hyphen, zero width, direction marks, variation selectors
    r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
)
# Unicode's blocks: combining marks and those of voicing; full and half width, Latin ligatures, and
# radicals, which NFKC makes ordinary characters.
_MARKS = r"\u0300-\u036f\u3099\u309a"
_FULL_WIDTH = r"\uff01-\uffee\ufb00-\ufb06\u2e80-\u2fdf"
_FIRST = rf"-{_DASHES}{_INVISIBLE}'{_SINGLE_QUOTES}{_DOUBLE_QUOTES}.。…⋯‥・〜{_FULL_WIDTH}"
# What is folded, by the name of its group. A letter goes with the marks behind it, because they
# are composed into one character. The lookahead only saves time.
_VARIANT = re.compile(
    rf"(?=[{_FIRST}]|.[{_MARKS}])(?:"
    rf"(?P<dash>[-{_DASHES}]+)"
    rf"|(?P<invisible>[{_INVISIBLE}]+)"
    rf"|(?P<double>[{_DOUBLE_QUOTES}]|['{_SINGLE_QUOTES}]{{2}})"
    rf"|(?P<single>[{_SINGLE_QUOTES}])"
    r"|(?P<ellipsis>[.．](?:\s?[.．]){2,}|。{3,}|[…⋯‥](?:\s?[…⋯‥])*(?:\s?[.．])?|[・･]{2,})"
    r"|(?P<wave>[〜～])"
    rf"|(?P<width>[{_FULL_WIDTH}][ﾞﾟ]?)"
    rf"|(?P<composed>.[{_MARKS}]+))"
)
_FIXED = {
    "dash": "-",
    "invisible": "",
    "double": '"',
    "single": "'",
    "ellipsis": "...",
    "wave": "~",
}
# A space counts only between two words of a script that is written with spaces. Without: the blocks
# of kana, bopomofo and Han characters. Hangul is written with spaces.
_UNSPACED = (
    r"\u2e80-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SPACED = rf"[^\W{_UNSPACED}]"
_IDLE_SPACE = re.compile(rf" (?!{_SPACED})|(?<!{_SPACED}) ")
_BETWEEN_WORDS = re.compile(rf"(?<={_SPACED})\s+(?={_SPACED})")
_SPACE = re.compile(r"\s+")


def fold_typography(text: str) -> str:
    """Return a text in the form in which texts are compared: without differences of typography.

    What doesn't count: the form of quotation marks and apostrophes, of hyphens, dashes and minus
    signs (`--` is a dash), and of an ellipsis; the width of letters; soft hyphens and other
    invisible characters; spaces and line ends, except whether there is one between two words
    (in a script that is written with spaces). 「」, upper case and all other signs stay.

    >>> fold_typography("“Draw” — it’s one…") == fold_typography('"Draw"--it\\'s\\u00a0one...')
    True
    >>> fold_typography("札（１枚） を\\n引く"), fold_typography("face-down  card")
    ('札(1枚)を引く', 'face-down card')
    """
    folded = _VARIANT.sub(_replacement, text)
    return _IDLE_SPACE.sub("", " ".join(folded.split()))


class FoldedText(NamedTuple):
    """A folded text and where each of its characters comes from.

    text: what `fold_typography` returns.
    spans: the (start, end) in the original text, for each character of `text`.
    """

    text: str
    spans: Sequence[tuple[int, int]]


def fold_with_spans(text: str) -> FoldedText:
    """Return a text as `fold_typography` does, with the place of each character in the original.

    >>> fold_with_spans("１… 札")
    FoldedText(text='1...札', spans=[(0, 1), (1, 2), (1, 2), (1, 2), (3, 4)])
    """
    folded: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for match in _VARIANT.finditer(text):
        start, end = match.span()
        folded.append(text[position:start])
        spans += [(place, place + 1) for place in range(position, start)]
        replacement = _replacement(match)
        folded.append(replacement)
        spans += [(start, end)] * len(replacement)
        position = end
    folded.append(text[position:])
    spans += [(place, place + 1) for place in range(position, len(text))]
    return _without_idle_spaces("".join(folded), spans)


def _without_idle_spaces(text: str, spans: Sequence[tuple[int, int]]) -> FoldedText:
    """Return a text with each run of white space as one space between words of a spaced script, or
    else as nothing. The span of such a space covers the run.

    spans: where each character comes from.
    """
    kept: list[str] = []
    kept_spans: list[tuple[int, int]] = []
    position = 0
    for match in _SPACE.finditer(text):
        start, end = match.span()
        kept.append(text[position:start])
        kept_spans += spans[position:start]
        if _BETWEEN_WORDS.match(text, start):
            kept.append(" ")
            kept_spans.append((spans[start][0], spans[end - 1][1]))
        position = end
    kept.append(text[position:])
    return FoldedText("".join(kept), [*kept_spans, *spans[position:]])


def _replacement(match: re.Match[str]) -> str:
    """Return what stands in folded text for a match of `_VARIANT`: one sign for its group, or the
    match in NFC (a letter with marks) or NFKC (full width). Empty for invisible characters."""
    group = match.lastgroup or ""
    if group in _FIXED:
        return _FIXED[group]
    return unicodedata.normalize("NFC" if group == "composed" else "NFKC", match[0])
