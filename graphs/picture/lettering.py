"""Measure, shorten and wrap the text of a picture; compose the lines in the boxes of nodes.

No font is read: who looks at a picture has fonts that nobody knows here. Characters are taken to be
as wide as in the widest fonts that are common: a full-width character is 1 em, and Latin letters
are those of DejaVu Sans and Verdana. Most fonts need less, so that text stays in its box although
its length is not forced, which would spread the letters. Only of a line with characters that fonts
draw at any width (emoji, rare scripts) the writer is told to force it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import category, east_asian_width, normalize

from graphs.networkx_view import structured
from graphs.picture.scene import edition_date

UNKNOWN = "〓"  # what printers in Japan set for a character that they do not have
# By hand, lengths in pixels: boxes stay small enough for two dozen of them in a few columns. Larger
# shows more of a text and fewer boxes on a screen.
_WIDEST = 190.0  # the width of a line in a box: 14 full-width characters of a name
NAME_SIZE, SMALL_SIZE = 13.0, 12.0  # of the name in a box, and of what is below it: still legible
HIGHLIGHT_SCALE = 1.2  # how many times larger the text of a highlighted node is, to be seen first
_HIGHLIGHT_LINES = 3  # lines of a highlighted node's text, which is asked about; others show one
_PLACE_LINES = 2  # at most: long titles of sections are cut
# Characters that are looked at. Guards against texts without end: a line of a box, 285 wide at most
# on a phone, holds about 90 of the narrowest letters, and there are three at most.
_MOST_SHOWN = 600  # of a name or text
_LONGEST = 120  # of a line that is cut: more than those 90
_MOST_MARKS = 2  # combining marks on a character; more would be drawn over the lines above
# Characters of a text in a title, which shows when one points. By hand: some lines, which hide
# little of the picture.
_TITLE_TEXT = 240
_NO_CHARACTERS = "\ufffe\uffff"  # no XML file can have them
_APOSTROPHE = re.compile("(?<=[A-Za-z])’(?=[A-Za-z])")  # is as wide as a kanji in many fonts
# The widths of ASCII characters as parts of their size, in DejaVu Sans or Verdana, rounded up to
# 0.05.
_WIDTHS = {
    character: width
    for width, characters in {
        0.3: "'Iijl", 0.35: " ,.:;|", 0.4: "()-J[]ft", 0.45: "!r", 0.5: '"*/\\_`', 0.55: "csz",
        0.6: "?FLkvxy", 0.65: "$0123456789EPSTYabdeghnopqu{}", 0.7: "ABKRVXZ", 0.75: "CU",
        0.8: "&DGHNOQ", 0.85: "#+<=>^w~", 0.95: "M", 1.0: "%@Wm",
    }.items()
    for character in characters
}  # fmt: skip
# The widths of other characters: full-width ones are 1 em by design, half-width kana half of it; of
# the Latin letters with accents in Noto Sans CJK and Bitstream Vera none is wider than 0.8. Fonts
# draw any other as they like (in these two only dashes of two and three em are wider than 1.45), so
# that a line with one is forced into its width.
_FULL, _HALF, _LATIN, _ANY = 1.0, 0.55, 0.8, 1.45
_LATIN_LETTERS = range(0xA0, 0x180)  # with accents; those that are wider are ambiguous
# By the rules of Japanese typesetting: closing marks, small kana and marks of length begin no line,
# opening brackets end none.
_NO_LINE_BEGINS = frozenset(
    "、。，．,.:;!?！？）)」』】〉》〕］]ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…‥・"
)
_NO_LINE_ENDS = frozenset("（(「『【〈《〔［[“‘")


class TextLine(NamedTuple):
    """A line of text.

    size: of its characters; width: of the line, at most
    fitted: whether it has characters of which no one knows how wide they are drawn
    """

    text: str
    size: float
    width: float
    fitted: bool = False


def text_line(text: str, size: float) -> TextLine:
    """Return a text as one line, as wide as it is at most.

    White space and line breaks become single spaces, ’ between Latin letters becomes ', and the
    text is normalized to NFC. Left out are control characters, marks that turn the direction of
    writing or have no form, and all but two of the marks on one character; what is no character,
    or is private, is replaced by 〓.

    >>> text_line("引く\N{RIGHT-TO-LEFT OVERRIDE}!", 10)
    TextLine(text='引く!', size=10, width=24.5, fitted=False)
    """
    plain = _APOSTROPHE.sub("'", normalize("NFC", " ".join(text.split())))
    glyphs = [_glyph(character) for character in shown_characters(plain)]
    width = round(sum(width for _, width in glyphs) * size, 2)
    line = "".join(character for character, _ in glyphs)
    return TextLine(line, size, width, any(width == _ANY for _, width in glyphs))


def shown_characters(text: str) -> str:
    """Return a text without control characters (line breaks among them), marks that turn the
    direction of writing or have no form, halves of characters, and all but two of the marks on one
    character. All else stays, in its order.

    >>> shown_characters("a\x1b[2J\u202eb")
    'a[2Jb'
    """
    if text.isascii() and text.isprintable():
        return text
    shown, marks = [], 0
    for character in text:
        kind = category(character)
        marks = marks + 1 if kind in ("Mn", "Me", "Mc") else 0
        is_shown = kind not in ("Cc", "Cf", "Cs") and character not in _NO_CHARACTERS
        if is_shown and marks <= _MOST_MARKS:
            shown.append(character)
    return "".join(shown)


@lru_cache(maxsize=20_000)  # nearly all kanji of Unicode's first block; bounds memory
def _glyph(character: str) -> tuple[str, float]:
    """Return a character, or 〓 in place of one that is private or none, and its width as a part of
    its size: 0 for a mark on another, _ANY if no one knows."""
    if character in _WIDTHS:
        return character, _WIDTHS[character]
    kind = category(character)
    if kind in ("Cn", "Co"):
        return UNKNOWN, _FULL
    if kind in ("Mn", "Me"):
        return character, 0.0
    code, width = ord(character), east_asian_width(character)
    if (width in "WF" and code < 0x1F000) or 0x20000 <= code < 0x40000:
        return character, _FULL
    if width == "H":
        return character, _HALF
    if width == "A" and (code < 0x2460 or 0x2500 <= code < 0x2670):
        return character, 1.4 if character in "‰Ⅷ" else 1.1 if character in "œŒ" else _FULL
    return character, _LATIN if code in _LATIN_LETTERS and kind != "So" else _ANY


def ellipsized(text: str, size: float, widest: float, tail: bool = False) -> TextLine:
    """Return a text as one line, cut with … if it is wider than `widest` or has over 480 letters.

    White space becomes single spaces. What stays of a text that is cut is its beginning, or its end
    if `tail` is set: at most 120 characters, and … alone if not even one fits. An empty text gives
    an empty line.

    size: of the characters

    >>> ellipsized("ライブラリーアウト", 10, 45).text
    'ライブ…'
    >>> ellipsized("ライブラリーアウト", 10, 45, tail=True).text
    '…アウト'
    """
    text = " ".join(text.split())
    line = text_line(text[: 4 * _LONGEST], size)
    if line.width <= widest and len(text) <= 4 * _LONGEST:
        return line
    least, most = 0, min(len(text), _LONGEST)  # characters that fit; that perhaps do
    while least < most:
        kept = (least + most + 1) // 2
        if _cut(text, size, kept, tail).width <= widest:
            least = kept
        else:
            most = kept - 1
    return _cut(text, size, least, tail)


def _cut(text: str, size: float, kept: int, tail: bool) -> TextLine:
    """Return the first `kept` characters of a text with … behind them; if `tail` is set its last
    ones, with … before. White space beside the … is left out."""
    cut = "…" + text[len(text) - kept :].lstrip() if tail else text[:kept].rstrip() + "…"
    return text_line(cut, size)


def wrapped(text: str, size: float, widest: float, most: int) -> Iterator[TextLine]:
    """Yield a text as `most` lines or fewer, each no wider than `widest`, but of one character at
    least.

    Lines break between words and between Japanese characters, but not before 。 or behind 「; a
    word that fills over half a line is broken where the line is full. The last line ends in … if
    the text is longer. A text without anything to show gives no line.

    size: of the characters

    >>> [line.text for line in wrapped("ライブラリーアウト", 10, 45, 2)]
    ['ライブラ', 'リーア…']
    >>> [line.text for line in wrapped("two long words", 10, 60, 3)]
    ['two long', 'words']
    """
    text = " ".join(text.split())
    for lines_left in reversed(range(most)):
        line = ellipsized(text, size, widest)
        if not text or line.width == 0:
            return
        kept = len(text)
        if lines_left and line.text.endswith("…") and not text.endswith("…"):
            kept = _line_end(text, size, widest)
            line = text_line(text[:kept].rstrip(" ·"), size)  # a line's end separates, too
        yield line
        text = text[kept:].lstrip()


def _line_end(text: str, size: float, widest: float) -> int:
    """Return how many characters of a text stand on its first line, at least one: up to the last
    place in the second half of what fits where a line may break, else all that fit."""
    width, kept = 0.0, 0
    while kept < len(text) and width <= widest:
        width += text_line(text[kept], size).width or (size * 0.35 if text[kept] == " " else 0.0)
        kept += width <= widest
    for end in range(kept, kept // 2, -1):
        if _may_break(text, end):
            return end
    return max(kept, 1)


def _may_break(text: str, end: int) -> bool:
    """Return whether a line may end before the character at `end`: at a space, behind - and /, and
    beside full-width characters unless _NO_LINE_BEGINS or _NO_LINE_ENDS forbid it."""
    before, after = text[end - 1], text[end : end + 1]
    if before == " " or after in ("", " "):
        return True
    if after in _NO_LINE_BEGINS or before in _NO_LINE_ENDS:
        return False
    return before in "-/" or any(east_asian_width(side) in "WF" for side in (before, after))


def box_lines(
    fields: Mapping[str, Any], node: str, highlighted: bool, widest: float | None = None
) -> list[TextLine]:
    """Return the lines of text in the box of a node: its name, and below it its text or its place.

    The name is one line, that of a passage and the place up to two. The text is one line, or up to
    three if the node is highlighted. The place is left out if the node is not highlighted
    and has a text, unless it is among the fields.

    fields: the attributes of the node, as in `as_networkx`, and `place`, if it is to be shown;
        without a kind if it is not loaded
    node: the id of the node
    highlighted: whether the text is larger, longer, and followed by the place
    widest: how wide a line may be; None for the usual width
    """
    name, text, place = box_texts(fields, node)
    scale = HIGHLIGHT_SCALE if highlighted else 1.0
    small, widest = SMALL_SIZE * scale, widest or _WIDEST * scale
    of_sentences = not fields.get("label") and fields.get("kind") in _SENTENCES
    if of_sentences:
        most = _HIGHLIGHT_LINES if highlighted else 2
        lines = list(wrapped(name, small, widest, most))
    else:
        lines = [ellipsized(name, NAME_SIZE * scale, widest)]
    lines += wrapped(text, small, widest, _HIGHLIGHT_LINES if highlighted else 1)
    if place and (highlighted or not text or "place" in fields):
        if place == node:
            lines.append(ellipsized(place, small, widest, tail=True))
        else:
            lines += wrapped(place, small, widest, _PLACE_LINES)
    return lines


def title_of(fields: Mapping[str, Any], node: str) -> str:
    """Return what a reader sees when pointing at a node: its whole name, its place, and the
    beginning of its text, a line each. What is empty, and a text that the name shows, are left out.

    fields, node: as in `box_lines`
    """
    name, _, place = box_texts(fields, node)
    text = fields.get("text") or ""
    text = "" if text in name else text
    lines = (_beginning(part) for part in (name, place, text))
    return "\n".join(line for line in lines if line)


def _beginning(text: str) -> str:
    """Return a text as one line of _TITLE_TEXT characters at most, the last … if it is cut."""
    line = " ".join(text[: 2 * _TITLE_TEXT].split())
    return line if len(line) <= _TITLE_TEXT else line[: _TITLE_TEXT - 1].rstrip() + "…"


_SENTENCES = frozenset({"passage", "step", "outcome", "ruling"})  # kinds that have seldom a name


def box_texts(fields: Mapping[str, Any], node: str) -> tuple[str, str, str]:
    """Return (name, text, place) of a node, by its kind; the text is empty if the name shows it
    already, the place is a game, an edition, a source or an id. Of names and texts, no more than
    _MOST_SHOWN characters are taken.

    not loaded (no kind): the id without `? `; no text; `place` or `not loaded`
    passage, step, outcome, ruling: the label, or else the text or the id; no text; `place` or the
        id
    rule, document: number (or else the id) and label; if it has no label, the text without the
        number; `place`, or game · edition · lang
    others: the label or id; no text; the English name if it is not the label · game or source

    fields, node: as in `box_lines`
    """
    kind, label, text = (
        (fields.get(name) or "")[:_MOST_SHOWN] for name in ("kind", "label", "text")
    )
    if not kind:
        return node.removeprefix("? "), "", fields.get("place") or "not loaded"
    if kind in _SENTENCES:
        return label or text or node, "", fields.get("place") or node
    if kind in ("rule", "document"):
        number = fields.get("number") or node
        names = ("place",) if "place" in fields else ("game", "edition", "lang")
        where = " · ".join(edition_date(fields[name]) for name in names if fields.get(name))
        rest = "" if label else re.sub(rf"^{re.escape(number)}\.?\s*", "", text)
        return f"{number} {label}", rest, where
    labels = structured(fields, "labels") or ()
    english = next((name["text"] for name in labels if name["lang"] == "en"), None)
    place = [english if english != label else None]
    place.append(fields.get("place") or fields.get("game") or fields.get("source"))
    return label or node, "", " · ".join(filter(None, place))
