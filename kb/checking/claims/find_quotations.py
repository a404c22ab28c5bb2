"""Finds what a text quotes: words in quotation marks, block quotes, rules written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kb.checking.claims.claim import SpanIndex
from kb.checking.claims.readable_text import ReadableText
from kb.language.fold import is_japanese

Dress = Literal["marks", "block", "written out"]

_OPENING = {"“": "”", "「": "」", "『": "』", "«": "»", "‘": "’", "„": "“", "｢": "｣", "〝": "〟"}
_CLOSING = {"”", "」", "』", "»", "｣", "〟"}
_STRAIGHT = frozenset('"＂')
_ANY_MARK = re.compile(f"[{''.join({*_OPENING, *_OPENING.values(), *_STRAIGHT})}']")
# Characters of a quotation. A guard: the longest rule of Magic, the longest rulebook, has 2,811.
_LONGEST = 4_000
# What a straight mark stands behind that begins a quotation, and before that ends one: no letter or
# digit, and to begin one no sign that ends a sentence or bracket; there it is another mark's end.
_BEFORE_OPENING = re.compile(r"[^\w.;!?)\]}]|_")
_BEHIND_CLOSING = re.compile(r"[^\w$]|_")
_MOST_OF_LINE = 0.5  # a quotation of so much of a line is what it quotes; less are terms in it
_SENTENCE_STOP = frozenset(".!?)…")
_PARAGRAPH_END = re.compile(r"\n[ \t\u3000]*\n")
_WORD = re.compile(r"[A-Za-z0-9][\w'’/+-]*")
_JAPANESE_LETTER = re.compile(r"[ぁ-ゖァ-ヺー一-鿿々]")
# A line that writes a rule out: its number, and then its text without quotation marks. Without a
# sign behind the number, a small letter goes on with a sentence: `104.3a lets a player…`.
_WRITTEN_OUT = re.compile(
    r"^[ \t|]*(?:[-*+•・●■◆][ \t\u3000]+|\d{1,2}[.)][ \t]+)?(?:#{1,6}[ \t]+)?"
    r"[(\[（［【]?(?:(?:MTG|Magic|Lorcana|Riftbound|[Tt]he|Comprehensive)[ \t]+){0,2}"
    r"(?:(?:CR|C\.R\.|[Rr]ules?|総合ルール|ルール|総合規則|規則|§)[ \t\u3000]*)?"
    r"(?P<number>[A-Z]?-?\d{1,4}(?:[.．-]\w{1,4}|\.?\(\w{1,3}\)){0,8}[a-zA-Z]?)[.．]?[)\]）］】]?"
    r"(?:[ \t\u3000]*[:：—–|-][ \t\u3000]*(?=[^\s|])|[ \t\u3000]+(?=[^\sa-z(（|]))"
    r"(?P<words>[^\n|]+)",
    re.MULTILINE,
)
# What stands at the ends of a quoted block and names its source.
_SOURCE_BEFORE = re.compile(
    r"^[\s\[(（]*"
    r"(?:(?:CR|C\.R\.|[Rr]ules?|Comprehensive Rules?|総合ルール|ルール|規則)[ \t\u3000]*)?"
    r"(?:\d{1,4}(?:[.．-]\w{1,4}|\.?\(\w{1,3}\)){0,8}[a-zA-Z]?)[\])）]?[.．:：]?[ \t\u3000—–-]+"
)
_DASH = r"\s*(?:—|–|--|―)"
# Behind a dash within a sentence it is a source only if it names rules or ends with a number.
_SOURCE_BEHIND = re.compile(
    rf"(?:(?:^|(?<=[.!?…。！？」』”\"’)）])){_DASH}[^\n]{{1,80}}"
    rf"|{_DASH}[^\n—–]{{0,60}}(?:\d[.．-]\w{{1,4}}|\brules?|ルール|規則)[\])）.。]?"
    r"|\s*[\[(（](?:CR|rules?|Comprehensive|総合|ルール|規則|§)[^\n()（）]{1,60}[\])）])\s*$",
    re.IGNORECASE,
)
# From the beginning of a block to a quotation in marks: the block says what a rule says. So long
# is what says it at most; more is prose of its own, in which a rule is named by the way.
_NAMES_RULE = re.compile(
    r"(?:[^\n.!?。！？]|\.(?=\S)){0,80}?(?:\d[.．-]\w{1,4}|\b(?:rules?|CR)\s*\d{2,}|ルール\s*\d)"
    r"[^\n.!?。！？]{0,40}$",
    re.IGNORECASE,
)
# A paragraph of a block that begins so is a remark, a question or a summary of the writer's.
_LABEL = re.compile(
    r"^\s*(?:[⚠❗💡📌ℹ️*_\[!]+\s*)?(?:note|tip|tl;?dr|caution|warning|important|edit|summary|example|"
    r"q|a|注意?|補足|例|メモ|質問|回答|要約|まとめ|結論)(?P<sign>\s*[:：.．\]])?",
    re.IGNORECASE,
)
# What begins the lines of a comment in code, within a quotation that goes on from line to line.
_COMMENT = re.compile(r"(?<=\n)[ \t]*(?:#+|//+|\*|;+)(?=[ \t])")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a text quotes, in its readable form.

    start, end: with the quotation marks. first, last: without.
    dress: `marks`, `block`, or `written out` (behind the number of a rule, without marks).
    sure: whether it surely claims to be somebody's words; else it counts only if it is like words
        that are known.
    inner: quotations within it.
    """

    text: str
    start: int
    end: int
    first: int
    last: int
    dress: Dress
    sure: bool = True
    inner: tuple[Quotation, ...] = ()


def find_quotations(readable: ReadableText) -> list[Quotation]:
    """Return the quotations in a text, in order of their beginnings, none in another; those in
    marks within another are its `inner`. Of one place, a rule written out goes before a block, a
    block before marks, and these before italics.

    >>> from kb.checking.claims.readable_text import readable_text
    >>> [q.text for q in find_quotations(readable_text("It says “draw a card” and 「引く」。"))]
    ['draw a card', '引く']
    """
    marked = SpanIndex(_in_marks(readable))
    blocks = SpanIndex(_blocks(readable, marked))
    lines = (_around_terms(line, marked, blocks) for line in _written_out(readable.text))
    written = SpanIndex(line for line in lines if line)
    outside = [one for one in marked.spans if not blocks.covers(one.start, one.end)]
    found = [one for one in (*blocks.spans, *outside) if not written.covers(one.start, one.end)]
    spans = SpanIndex([*found, *written.spans])
    emphasized = [one for one in _emphasized(readable) if not spans.touches(one.start, one.end)]
    return SpanIndex([*spans.spans, *emphasized]).spans


def _around_terms(
    line: Quotation, marked: SpanIndex[Quotation], blocks: SpanIndex[Quotation]
) -> Quotation | None:
    """Return a rule that is written out with the terms that it has in quotation marks as `inner`;
    None if half of the line, or more than it, is a quotation by itself, or if a block is there."""
    if blocks.touches(line.start, line.end):
        return None
    inner = tuple(marked.within(line.start, line.end))
    # Of outermost quotations, the others begin before the line or end behind it.
    begun = marked.touches(line.start, line.end) and not inner
    if begun or any(one.end - one.start >= _MOST_OF_LINE * len(line.text) for one in inner):
        return None
    return replace(line, inner=inner)


# -- quotation marks ------------------------------------------------------------------------------


def _in_marks(readable: ReadableText) -> Iterator[Quotation]:
    """Yield the outermost quotations in quotation marks, paragraph by paragraph; a mark without its
    other one in the paragraph is none."""
    position, text = 0, readable.text
    for paragraph in [*_PARAGRAPH_END.finditer(text), None]:
        end = paragraph.start() if paragraph else len(text)
        yield from _in_paragraph(readable, position, end)
        position = paragraph.end() if paragraph else end


def _in_paragraph(readable: ReadableText, begin: int, end: int) -> Iterator[Quotation]:
    """Yield the outermost quotations in a paragraph, in order of their ends; behind these, those
    in one that is never closed."""
    text = readable.text
    stack: list[tuple[str, int, list[Quotation]]] = []  # closing mark, where it began, what is in
    last_curly = text.rfind("”", begin, end)
    for mark in _ANY_MARK.finditer(text, begin, end):
        index, char = mark.start(), mark[0]
        closing = stack[-1][0] if stack else ""
        if char in _STRAIGHT and closing == "”" and index > last_curly:
            closing = char  # `“words"`
        # Nearer, the curly mark is taken for a stray one, and the straight one may yet be closed.
        elif char == "”" and closing in _STRAIGHT and index - stack[-1][1] > 20:
            closing = char if _depth(stack, char) is None else closing  # `"words”`
        if stack and _closes(readable, index, closing):
            _, start, inner = stack.pop()
            found = _quotation(text, start, index + 1, tuple(inner))
        elif char in _CLOSING and (depth := _depth(stack, char)) is not None:
            # What was opened since is closed nowhere: it was no quotation.
            inner = [one for level in stack[depth:] for one in level[2]]
            start = stack[depth][1]
            del stack[depth:]
            found = _quotation(text, start, index + 1, tuple(inner))
        elif _opens(readable, index) and not (char == "'" and stack):
            stack.append((_OPENING.get(char, char), index, []))
            continue
        else:
            continue
        if found is None:
            continue
        if stack:
            stack[-1][2].append(found)
        else:
            yield found
    for _, _, inner in stack:
        yield from inner


def _depth(stack: Sequence[tuple[str, int, list[Quotation]]], closing: str) -> int | None:
    for depth in range(len(stack) - 1, -1, -1):
        if stack[depth][0] == closing:
            return depth
    return None


def _opens(readable: ReadableText, index: int) -> bool:
    """Whether a mark at some place may begin a quotation; what is left out of the readable text
    before it sets it apart, too."""
    text = readable.text
    char = text[index]
    behind = text[index + 1 : index + 2]
    before = text[index - 1 : index] if index and not readable.is_cut(index) else ""
    if char == "‘":
        return not before.isalnum() and behind.isalnum()
    if char in _OPENING:
        return bool(behind)
    is_apart = not before or bool(_BEFORE_OPENING.match(before))
    if char == "'":
        return is_apart and behind.isalnum()
    return char in _STRAIGHT and (is_apart or not before.isascii()) and bool(behind.strip())


def _closes(readable: ReadableText, index: int, closing: str) -> bool:
    """Whether a mark at some place ends a quotation that `closing` would end: single marks not
    before a letter, straight ones not before a letter or digit unless a sentence ended there, and
    neither behind a space; others always. See `_opens`."""
    text = readable.text
    char = text[index]
    if char != closing:
        return False
    before = text[index - 1]
    behind = "" if readable.is_cut(index + 1) else text[index + 1 : index + 2]
    if char in "’'":
        return not behind.isalnum() and before.strip() != ""
    if char in _STRAIGHT:
        is_apart = not behind or not behind.isascii() or bool(_BEHIND_CLOSING.match(behind))
        return bool(before.strip()) and (is_apart or before in _SENTENCE_STOP)
    return True


def _quotation(text: str, start: int, end: int, inner: tuple[Quotation, ...]) -> Quotation | None:
    if end - start - 2 > _LONGEST or end - start < 4:
        return None
    words = text[start + 1 : end - 1]
    words = _COMMENT.sub(lambda mark: " " * len(mark[0]), words)
    return Quotation(words, start, end, start + 1, end - 1, "marks", text[start] not in "‘'", inner)


# -- blocks ---------------------------------------------------------------------------------------


def _blocks(readable: ReadableText, marked: SpanIndex[Quotation]) -> Iterator[Quotation]:
    """Yield the paragraphs and list items of block quotes, and of blocks of code (these are not
    sure), without those that quote by marks or have no words; in order."""
    for block in readable.blocks:
        if block.kind == "marked":
            continue
        for start, end in _paragraphs(readable.text, block.start, block.end):
            quotation = _block(readable, start, end, block.kind == "quoted", marked)
            if quotation:
                yield quotation


def _block(
    readable: ReadableText, start: int, end: int, is_quote: bool, marked: SpanIndex[Quotation]
) -> Quotation | None:
    """Return a paragraph of a block as a quotation, without the source that it names at its ends;
    None if it quotes by marks itself, or has no words."""
    text, inner = readable.text, tuple(marked.within(start, end))
    if any(_is_quoted_by_block(text, start, end, one) for one in inner):
        return None
    first, last = start, end
    if before := _SOURCE_BEFORE.match(text[start:end]):
        first += before.end()
    if behind := _SOURCE_BEHIND.search(text[first:end]):
        last = first + behind.start()
    words = text[first:last]
    if not any(map(str.isalnum, words)):
        return None
    label = _LABEL.match(words)  # also in bold
    is_label = label and (label["sign"] or readable.is_cut(first + label.end()))
    sure = is_quote and not is_label
    return Quotation(words, start, end, first, last, "block", sure, inner)


def _is_quoted_by_block(text: str, start: int, end: int, inner: Quotation) -> bool:
    """Whether the quotation in marks is what text[start:end] quotes: it takes six tenths of it from
    its beginning, or four behind the number of a rule. Shares by hand: of less, it is a term or a
    card's text in what the block quotes."""
    share = (inner.end - inner.start) / (end - start)
    if inner.start - start < 4:
        return share >= 0.6
    return share >= 0.4 and _NAMES_RULE.match(text, start, inner.start) is not None


def _paragraphs(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the paragraphs and list items in a span of a text, in order, without
    the spaces around them; none if it is blank."""
    lines: list[tuple[int, int]] = []
    for match in re.finditer(r"[^\n]*\n?", text[begin:end]):
        line = match[0]
        if lines and (not line.strip() or _begins_item(line)):
            yield lines[0][0], lines[-1][1]
            lines = []
        if line.strip():
            start = begin + match.start() + len(line) - len(line.lstrip())
            lines.append((start, begin + match.start() + len(line.rstrip())))
    if lines:
        yield lines[0][0], lines[-1][1]


def _begins_item(line: str) -> bool:
    return bool(re.match(r"\s*(?:[-*+•・]\s|\d{1,3}\.\d{1,3}[.\w]*[\s.:：])|\s*[—–]", line))


# -- rules that are written out, and emphasized words ----------------------------------------


def _written_out(text: str) -> Iterator[Quotation]:
    """Yield what stands behind the number of a rule at the beginning of a line, in order: four
    words or more, behind a number with a point or hyphen (`1 card` is none)."""
    for match in _WRITTEN_OUT.finditer(text):
        if "." not in match["number"] and "-" not in match["number"]:
            continue
        start = match.start("words")
        words = match["words"].rstrip()
        if len(words) <= _LONGEST and word_count(words) >= 4:
            stop = start + len(words)
            yield Quotation(words, start, stop, start, stop, "written out", False)


def _emphasized(readable: ReadableText) -> Iterator[Quotation]:
    """Yield words in italics or bold, six or more: they may be quoted, and fewer are stressed."""
    for block in readable.blocks:
        words = readable.text[block.start : block.end]
        if block.kind == "marked" and word_count(words) >= 6:
            start, end = block.start, block.end
            yield Quotation(words, start, end, start, end, "written out", False)


def word_count(text: str) -> float:
    """Return the number of words of a text: in Japanese, two letters count as one; Latin words and
    numbers in it count as they are. Signs are none.

    >>> word_count("Draw a card."), word_count("カードを1枚引く")
    (3, 4.5)
    """
    letters = len(_JAPANESE_LETTER.findall(text))
    return len(_WORD.findall(text)) + letters / 2 if letters else len(_WORD.findall(text))


# -- what is no quotation of a text ---------------------------------------------------------------

_SMALL = frozenset(  # words that names and titles write in small letters
    "a an the of to in on at by for from with and or as is are was were be it its that this if "
    "not no nor but than".split()
)
# Speech: about oneself, a question, or in Japanese forms that rulebooks don't use.
_PERSONAL = re.compile(
    r"\b(?:I|I['’]\w+|my|me|we|our|us)\b|[?？]\s*$|(?:私|俺|僕|うちの?|自分的|さん|ですか|ますか|でしょうか"
    r"|かな|だよ|よね|じゃん|っけ)",
)
# Particles, and ends of verbs, which sentences have and names hardly.
_JAPANESE_TEXT = re.compile(r"[をがはにでとも]|する|した|して|れる|ない|ます|です|る(?:$|[。、])")


def looks_like_name(text: str) -> bool:
    """Whether words are rather a name or a title than a sentence: at most ten words in capitals but
    for little ones; in Japanese without particles and verbs, or only katakana.

    >>> looks_like_name("Urza, Lord High Artificer"), looks_like_name("draw a card")
    (True, False)
    """
    if is_japanese(text):
        return not _JAPANESE_TEXT.search(text) or bool(re.fullmatch(r"[ァ-ヺー・\W]+", text))
    words: list[str] = re.findall(r"[A-Za-z][\w'’-]*", text)
    main = [word for word in words if word.lower() not in _SMALL]
    return bool(main) and len(words) <= 10 and all(word[0].isupper() for word in main)


def looks_like_speech(text: str) -> bool:
    """Whether words are rather what somebody said than a rule: a question, or about oneself.

    >>> looks_like_speech("Can I respond to that?"), looks_like_speech("A player draws.")
    (True, False)
    """
    return bool(_PERSONAL.search(text.strip()))


def shortened(quotation: Quotation, first: int, last: int) -> Quotation:
    """Return a quotation with other ends of its words, which are offsets in its text; where it
    stands, with its marks and `inner`, is kept."""
    return replace(
        quotation,
        text=quotation.text[first:last],
        first=quotation.first + first,
        last=quotation.first + last,
    )
