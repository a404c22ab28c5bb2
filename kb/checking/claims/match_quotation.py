"""Compares a quotation with a text that it may be from: the same words, nearly, or others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Literal, NamedTuple

from kb.checking.claims.turned_sense import hidden_sense
from kb.language.amounts import amounts
from kb.language.fold import is_japanese
from kb.language.sentences import SENTENCE_END
from kb.language.typography import fold_typography, fold_with_spans

Likeness = Literal["exact", "typographic", "repaired"]

# Of the letters in common, for a quotation to be from a text. In a script with spaces any two texts
# have half of their letters in common, so that this is little more than by chance.
LEAST = 0.6
STOPS = frozenset(".!?。！？")  # signs that end a sentence
_EDGES = " \t\n\u3000.,;:!。、，．；：！"
# Signs that stand for words left out: dots, alone or in brackets, and 略. Then remarks of who
# quotes.
_OMISSION = re.compile(
    r"[\[(（［]\s*(?:\.{3,}|…+|‥+|中略|略|前略|後略|snip)\s*[\])）］]|(?:\.\s?){3,}|…+|‥{2,}|・{3,}"
    r"|〜?中略〜?"
)
_REMARK = re.compile(r"\s*[\[(](?:sic|emphasis (?:added|mine)|強調は?引用者|ママ)[\])]", re.I)
_BRACKETED_LETTER = re.compile(r"\[([A-Za-z])\](?=[A-Za-z]|\s)")
# What denies, directly behind them, words that end in hiragana: these aren't what the rule says.
_NEGATED_BEHIND = re.compile(
    r"(?:わけでは(?:な|あ)|とは限(?:ら|り)|のでは(?:な|あ)|ことは(?:な|あり|でき)|ことができ(?:な|ま)"
    r"|ない|ません|なかっ|ず[、にが]|必要は(?:な|あり)|べきでは)"
)
_GRAM = 4  # characters of a run: of fewer, any two texts have too many in common
# Letters in a row, by hand: fewer are the same by chance, more miss what was quoted in pieces.
_LONG_BLOCK = 8
_CLAUSE_END = re.compile(r"[.!?,;:](?=[\s”’\")]|$)[”’\")]*\s*|[。！？、]|\n+")
_SAME_ENDS = 3  # letters at an end of two texts that are the same if their first or last word is
_LEAST_OF_SENTENCE = 0.5  # as `LEAST`, of a rule that is known: longer clauses are less like it
_SAME_WORD = 60  # of 100, how like two last words must be to be forms of one: `lives`, `life`
_WORD = re.compile(r"[\w'’]+")
_SAME = str.maketrans({"、": ",", "，": ",", "。": ".", "〔": "[", "〕": "]", "【": "[", "】": "]"})
# What is left out of a folded text: quotation marks, spaces but for those between digits, hyphens
# but for those beside digits; the colon behind a rule's number; and addresses, which readable
# texts are without.
_IDLE = re.compile(
    r"https?://[!-~]{1,500}|(?<=\d[a-z]):|[\"'「」『』《》〈〉«»‹›＜＞]|(?<![0-9])\s|\s(?![0-9])|(?<![0-9])-(?![0-9])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Match:
    """How a quotation is found in a text.

    likeness: `exact` (to the letter), `typographic` (the same words), `repaired` (nearly).
    similarity: the share of letters in common, from 0 to 1.
    start, end: the words of the text that are quoted, with what the quotation leaves out.
    has_omissions: whether it leaves words out, and says so (`…`).
    hidden: the word among these without which the text says something else; empty without one.
    """

    likeness: Likeness
    similarity: float
    start: int
    end: int
    has_omissions: bool = False
    hidden: str = ""


@lru_cache(4096)
def _folded(text: str) -> str:
    """Return a text as it is compared; the last ones are kept."""
    return comparable_text(text)


@lru_cache(64)
def _spanned(text: str) -> ComparableText:
    """Return a text as it is compared, with places; the last ones are kept."""
    return comparable_with_spans(text)


@lru_cache(4096)
def _grams(text: str) -> frozenset[str]:
    """Return all runs of four characters of a folded text; of a shorter one all of it."""
    return frozenset(text[n : n + _GRAM] for n in range(max(1, len(text) - _GRAM + 1)))


def overlap(quotation: str, text: str) -> float:
    """Return the share, from 0 to 1, of a quotation's runs of four characters that a text has: a
    quick estimate of how similar they are."""
    wanted = _grams(_folded(quotation))
    return len(wanted & _grams(_folded(text))) / len(wanted)


def match_exactly(quotation: str, text: str) -> Match | None:
    """Return where a text first has the words of a quotation; None if it doesn't, has them only
    within words or before a negation, or if the quotation has nothing but signs at its ends.

    Case, width, spaces, quotation marks, dashes and hyphens may differ, and words may be left out
    where the quotation says so (`…`).

    >>> match_exactly("draws a card.", "A player draws a card, then discards one.").likeness
    'exact'
    >>> found = match_exactly("A player … discards", "A player draws a card, then discards one.")
    >>> found.has_omissions, found.hidden
    (True, '')
    >>> match_exactly("A player … draw", "A player can't draw.").hidden
    "can't"
    >>> match_exactly("a player can", "A player can't draw.") is None
    True
    """
    bare = _REMARK.sub("", quotation).strip(_EDGES)
    if not bare:
        return None
    start = text.find(bare)
    while start >= 0:
        if _is_whole(bare, text, start, start + len(bare)):
            return Match("exact", 1.0, start, start + len(bare))
        start = text.find(bare, start + 1)
    for words in dict.fromkeys((bare, _BRACKETED_LETTER.sub(r"\1", bare))):
        if found := _match_parts(words, text):
            return found
        if span := _find(words, text, 0):
            return Match("typographic", 1.0, *span)
    return None


def _match_parts(quotation: str, text: str) -> Match | None:
    """Return where a text has the parts of a quotation with omissions, in their order; None if it
    doesn't, or if the quotation has no omissions. What the gaps hide, and what an omission at an
    end does, is its `hidden`."""
    pieces = _OMISSION.split(quotation)
    parts = [part.strip(_EDGES) for part in pieces if any(map(str.isalnum, part))]
    if len(pieces) == 1 or not parts:
        return None
    spans: list[tuple[int, int]] = []
    for part in parts:
        span = _find(part, text, spans[-1][1] if spans else 0)
        if not span:
            return None
        if spans:
            spans[-1] = _last(parts[len(spans) - 1], text, spans[-1], span[0])
        spans.append(span)
    gaps = [(before[1], behind[0]) for before, behind in pairwise(spans)]
    if not any(map(str.isalnum, pieces[0])):
        gaps.append((0, spans[0][0]))
    if not any(map(str.isalnum, pieces[-1])):
        gaps.append((spans[-1][1], len(text)))
    hidden = next(filter(None, (hidden_sense(text, *gap) for gap in gaps)), "")
    return Match("typographic", 1.0, spans[0][0], spans[-1][1], len(parts) > 1, hidden)


def _last(part: str, text: str, span: tuple[int, int], end: int) -> tuple[int, int]:
    """Return the last place of words from a known one up to the end of a piece of a text: the gap
    behind them is as short as it can be. A single word, such as `The`, is in too many places."""
    if " " not in part and not is_japanese(part):
        return span
    while (later := _find(part, text, span[0] + 1)) and later[1] <= end:
        span = later
    return span


def _find(words: str, text: str, begin: int) -> tuple[int, int] | None:
    """Return the first span of words in a text from `begin` on, whole words only, without regard to
    typography; None without one."""
    wanted = _folded(words).strip(".,;:")
    if not wanted or wanted not in _folded(text):
        return None
    source = _spanned(text)
    index = source.text.find(wanted)
    while index >= 0:
        start, end = source.spans[index][0], source.spans[index + len(wanted) - 1][1]
        if start >= begin and _is_whole(words, text, start, end):
            return start, end
        index = source.text.find(wanted, index + 1)
    return None


def _is_whole(words: str, text: str, start: int, end: int) -> bool:
    """Whether text[start:end] ends where words end, and where no negation goes on with them."""
    if is_cut_in_word(text, start, end):
        return False
    return not ("ぁ" <= words[-1:] <= "ん" and _NEGATED_BEHIND.match(text, end))


def match_nearly(quotation: str, text: str, least: float = LEAST) -> Match | None:
    """Return the words of a text that are most like a quotation, whole words and not beyond the end
    of the sentence; None if less than a share of the letters, and of the words, are the same.
    Omissions and remarks count for nothing. It is `repaired` even if the words are the same.

    >>> found = match_nearly("a player may draw two cards", "Now a player draws two cards at once.")
    >>> found.likeness, found.similarity > 0.7
    ('repaired', True)
    """
    from rapidfuzz import fuzz

    plain = _BRACKETED_LETTER.sub(r"\1", _OMISSION.sub(" ", _REMARK.sub("", quotation)))
    wanted, source = _folded(plain), _folded(text)
    if not wanted or not source:
        return None
    first, last = 0, len(source)
    if len(wanted) <= len(source):
        aligned = fuzz.partial_ratio_alignment(wanted, source)
        # 0.8: what is left out or added counts against this first look, and less in the windows.
        if aligned is None or aligned.score < 100 * least * 0.8:
            return None
        first, last = aligned.dest_start, aligned.dest_end
    # Words in brackets that are left out in the middle may be longer than a quarter of the rest.
    windows = [
        _trimmed(wanted, source, first, last, *bounds)
        for bounds in ((max(8, len(wanted) // 4), 3), (len(wanted), _LONG_BLOCK))
    ]
    similarity, (first, last, core) = max(
        ((fuzz.ratio(wanted, source[window[0] : window[1]]) / 100, window) for window in windows),
        key=itemgetter(0),
    )
    if similarity < least or last <= first:
        return None
    spans = _spanned(text).spans
    start, end = _whole_words(text, spans[first][0], spans[last - 1][1])
    # Another word at the end of a quotation stands for one before the end of the sentence.
    sentence_end = SENTENCE_END.search(text, spans[core - 1][1], end)
    end = sentence_end.start() if sentence_end else end
    similarity = (similarity + share_of_words(quotation, text[start:end], similarity)) / 2
    if similarity < least:
        return None
    return Match("repaired", similarity, start, end)


def share_of_words(quotation: str, text: str, otherwise: float = 0.0) -> float:
    """Return the share of words that two texts have in common, in their order: in a script with
    spaces, any two texts have half of their letters in common. `otherwise` for another script."""
    from rapidfuzz.distance import Indel

    words, others = (_WORD.findall(_low(one)) for one in (quotation, text))
    if is_japanese(quotation) or not words:
        return otherwise
    return Indel.normalized_similarity(words, others)


def _low(text: str) -> str:
    return fold_typography(text).lower()


def within_sentence(quotation: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a text that repairs a quotation: of its sentences the one that has most of
    the quotation's words in their order, where any amount stands for any other; the known span if
    none has more, or if the quotation is more than one sentence.

    >>> text = "It is at their start, normally seven. (This may change a start.) Go on."
    >>> span = within_sentence("a start is normally six", text, 52, 59)
    >>> text[slice(*span)]
    'their start, normally seven'
    """
    if SENTENCE_END.search(quotation.strip(_EDGES)):
        return start, end
    best, most = (start, end), _words_kept(quotation, text[start:end])
    if SENTENCE_END.search(text[start:end].strip(_EDGES)):
        most = 0  # any sentence that is like it is better
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    for first, last in pairwise(ends):
        if match := match_nearly(quotation, text[first:last], _LEAST_OF_SENTENCE):
            span = first + match.start, first + match.end
            if (kept := _words_kept(quotation, text[slice(*span)])) > most:
                best, most = span, kept
    return best


def _words_kept(quotation: str, text: str) -> int:
    """Return how many words of a quotation (of Japanese, letters) a text has in their order, where
    any amount stands for any other."""
    from rapidfuzz.distance import LCSseq

    lang = "ja" if is_japanese(quotation) else "en"
    both: list[list[str]] = []
    for one in (quotation, text):
        for amount in reversed([each for each in amounts(one, lang) if each.certain]):
            one = f"{one[: amount.start]}#{one[amount.end :]}"
        both.append(list(_folded(one)) if lang == "ja" else re.findall(r"#|[\w'’]+", _low(one)))
    return LCSseq.similarity(*both)


def _trimmed(
    wanted: str, source: str, first: int, last: int, slack: int, least: int
) -> tuple[int, int, int]:
    """Return the best window of a source around first:last, whose ends are those of the wanted
    text: longer where words were left out, shorter where some were added; and the end of the last
    letters in it that are the same.

    slack: by how many letters it may be longer at an end; least: how many letters in a row count as
        the same.
    """
    from rapidfuzz.distance import Indel

    low, high = max(0, first - slack), min(len(source), last + slack)
    blocks = [
        block
        for block in Indel.opcodes(wanted, source[low:high]).as_matching_blocks()
        if block.size >= least
    ]
    if not blocks:
        return first, last, last
    begin = low + blocks[0].b - min(blocks[0].a, blocks[0].b)
    behind = len(wanted) - (blocks[-1].a + blocks[-1].size)
    core = low + blocks[-1].b + blocks[-1].size
    return max(0, begin), min(len(source), core + behind), core


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span widened to whole words of a script with spaces, and to whole numbers; as it is
    where its ends are in no word."""
    while start > 0 and is_cut_in_word(text, start, len(text)) and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and is_cut_in_word(text, 0, end):
        end += 1
    return start, end


def whole_clauses(quotation: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a text that stands for a quotation, widened to whole clauses where its
    first or last three letters are others than the quotation's.

    >>> text = "To win, a player draws. Then go."
    >>> start, end = whole_clauses("the player draws", text, 10, 22)
    >>> text[start:end]
    'a player draws'
    """
    words, others = (_folded(one.strip(_EDGES)) for one in (quotation, text[start:end]))
    if words[:_SAME_ENDS] != others[:_SAME_ENDS]:
        breaks = [0, *(match.end() for match in _CLAUSE_END.finditer(text, 0, start))]
        start = breaks[-1]
    if text[start : start + 1] in ("(", "（") and not re.search("[)）]", text[start:end]):
        start += 1
    if _are_forms(quotation, text[:end]) and quotation[-1:].isalnum():
        end = start + len(text[start:end].rstrip(_EDGES))
    elif words[-_SAME_ENDS:] != others[-_SAME_ENDS:]:
        last = len(text[:end].rstrip())
        # The sentence may end there already: the next one is not in the quotation.
        behind = _CLAUSE_END.search(text, last - 1 if text[last - 1 : last] in STOPS else end)
        end = behind.start() if behind else len(text)
    return start, end


def _are_forms(text: str, other: str) -> bool:
    """Whether two texts end with forms of one word; False in a script without spaces."""
    from rapidfuzz import fuzz

    last, of_other = ((_WORD.findall(_low(one)) or [""])[-1] for one in (text, other))
    return not is_japanese(last) and fuzz.ratio(last, of_other) >= _SAME_WORD


def whole_sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of a text widened to whole sentences, without the last one's sign; up to the
    ends of the text where no sentence ends.

    >>> text = "Stop. You can't draw a card. Go."
    >>> whole_sentences(text, 16, 27), whole_sentences(text, 16, 28)
    ((6, 27), (6, 27))
    """
    begins = [0, *(match.end() for match in SENTENCE_END.finditer(text, 0, start))]
    behind = SENTENCE_END.search(text, max(start, end - 1))  # the span may end with the sign
    start = begins[-1] + len(text[begins[-1] :]) - len(text[begins[-1] :].lstrip())
    return start, behind.start() if behind else len(text)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences and lines of a quotation, in order, without the spaces around them; none
    of a blank one.

    >>> list(sentences("Draw a card. Discard one."))
    ['Draw a card.', 'Discard one.']
    """
    # Not `SENTENCE_END`: words that are left out between two sentences (`…`) hold these together.
    for piece in re.split(r"(?<=[.!?])\s+(?=[A-Z“\"(])|(?<=[。！？])|\n+", text):
        if piece and piece.strip():
            yield piece.strip()


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
    """Return a text in lower case, of the same length: letters whose small form is longer (İ) stay
    as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(one if len(one := char.lower()) == 1 else char for char in text)


# Scripts that are written without spaces between words, Han, kana and bopomofo; and what is part of
# a word in all others.
_UNSPACED = r"\u2e80-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff"
_IN_WORD = re.compile(rf"[^\W_{_UNSPACED}]")
_CONTRACTED = re.compile(r"['’]t\b", re.IGNORECASE)
_SIGNED = re.compile(r"[-+−－＋–][XYZ\d]?$")


def is_cut_in_word(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] begins or ends within a word or number, or is followed by `'t`. The
    sign of a number, and a point or slash between digits, are within it.

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
