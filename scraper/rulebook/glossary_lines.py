"""Describes the lines of a glossary, and finds the headwords by what sets them apart in it.

What is known of any headword (it is short and no sentence, a gloss stands below it) gives a first
reading; it shows what sets headwords apart here (blank lines, indents, signs, capitals) and whether
they are sorted; and the next reading follows that, until nothing changes.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from scraper.rulebook.numbering import ends_sentence
from scraper.rulebook.page_layout import is_full, right_edge, width

BULLET = "■□◆◇●○◎▼▽▲△★☆※＊*•▪▸►‣◊・〇§#"
# What stands before a headword: a bullet, or a number of two to six levels with space behind.
MARK = re.compile(rf"[{BULLET}]\s*|\d{{1,3}}(?:[.．\-－]\d{{1,3}}){{1,5}}[.．]?\s+")
# The number of a sense of an entry, or its part of speech.
SENSE = re.compile(
    r"[(（]?(\d{1,2})[)）]|(\d{1,2})[.．、](?!\d)\s*|([①-⑳])|[(（][a-zア-ン][)）]"
    r"|(?:noun|verb|adjective|adverb|n|v|adj|adv)\.\s|[(（【\[](?:名詞|動詞|形容詞|副詞)[)）】\]]"
)
OPENING = "([（［【〔〈《「『“\"'‘<＜"
# A sentence that ends inside a text; three small letters, so that `vs. Bob` is none.
SENTENCE_INSIDE = re.compile(r"[。．](?=.)|[a-z]{3}[)”\"]?\.\s+[A-Z“(]|[!?！？]\s*[A-Z]")
# A remark in parentheses at the end of a line.
NOTE = re.compile(r"(?<=\S)\s*[(（][^()（）]*[)）]$")
_SMALL = str.maketrans("ぁぃぅぇぉっゃゅょゎ", "あいうえおつやゆよわ", "ー・")
# A reading in brackets, of kana, behind which may be more in the same brackets.
_READING = re.compile(r"[(（\[［【]([ぁ-ゖァ-ヺー・、]+)[^()（）]{0,40}[)）\]］】]")
_HIRAGANA = re.compile(r"[ぁ-ゖー・、 ]+")
_KANJI = re.compile(r"[一-鿿々]")
# Columns of a headword and of the line that only names it again; by hand: about half a line.
_WIDEST_NAME = 40
_FEWEST_LINES = 8  # of a printed page, to tell how far it is indented: by hand, see `line_indents`
_MARKING_BRACKETS = "【［[〔〈《＜<「『"
_REMARK = re.compile(r"[^:：]{1,20}[:：]\s*[^\s:：]")  # such as `See also: Hand`
_REFERS = re.compile(
    r"(?i:see(?: also)?|cf\.)\s+\S|(?:参[见見阅閱照]|[详詳][见見])\S|.*を?ご?参照$"
)
_ROUNDS = 6  # of inferring the form; two or three usually suffice
# All log-odds here, and those in `_shape_scores`, are by hand; the tests have glossaries of each
# form. 1 is a hint, 3 and more outweigh several.
_FURTHER_PARAGRAPH = 1.0  # log-odds against a second paragraph in a gloss without full stops
# Of the text's width that a line and the next word take at least, if it is broken. By hand: ragged
# lines end a little before the edge.
_AT_EDGE = 0.95
_WINDOW = 40  # lines, to bound time: the order of headwords farther apart is not compared
# Log-odds that each property in `_features` may have: so that none decides alone. A sign has less,
# as a letter's kind tells little, the length least, as it is in the shape of a line already.
_STRONGEST = (4.0, 4.0, 4.0, 3.0, 1.0)


@dataclass(frozen=True, slots=True)
class GlossaryLine:
    """A line of a glossary, not blank.

    text: the line with its indent.
    after_blank: whether a blank line precedes it.
    begins_page: whether it is the first line of a printed page.
    """

    text: str
    after_blank: bool = False
    begins_page: bool = False


def sort_fold(text: str) -> str:
    """Return a text as it is sorted: stripped, its first 80 characters, in NFKC, lower case and
    hiragana for katakana, without voicing marks and accents."""
    text = text.strip()[:80]
    if text.isascii():
        return text.casefold()
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in text)
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return text


def sort_key(text: str) -> str | None:
    """Return what a headword is sorted by, at most four letters; None if it begins with a kanji
    and gives no reading, or has no letters. A reading in brackets counts before the word itself."""
    text = MARK.sub("", text.strip(), count=1)
    reading = _READING.search(text)
    key = sort_fold(reading[1] if reading else text).translate(_SMALL)
    key = re.sub(r"[^\w]+", "", key)[:4]
    return key if key and (key[0].isascii() or "ぁ" <= key[0] <= "ん") else None


def runs_on(before: str, row: GlossaryLine, edge: int | None) -> bool:
    """Whether a line goes on with a sentence of the full line before it; never without an edge."""
    if edge is None or row.after_blank or ends_sentence(before):
        return False
    return is_full(before, row.text, edge)


def wrap_edge(rows: Sequence[GlossaryLine]) -> int | None:
    """Return the column where lines are broken; None if each is a paragraph, as less than one line
    in ten is full and yet no sentence."""
    edge = right_edge([row.text for row in rows])
    full = sum(runs_on(row.text, following, edge) for row, following in pairwise(rows))
    return edge if full * 10 >= len(rows) else None


def names_again(head: str, text: str) -> bool:
    """Whether a line may only give the reading, or the name in Latin letters, of the headword in
    the line before it, which is in kanji or kana. Not if either is long or ends a sentence.

    text: the line, stripped.
    """
    head = head.strip()
    if width(head) > _WIDEST_NAME or ends_sentence(head) or width(text) > _WIDEST_NAME:
        return False
    if _HIRAGANA.fullmatch(text):
        return _KANJI.search(head) is not None
    return text.isascii() and not head.isascii() and not ends_sentence(text)


def glosses_are_sentences(rows: Sequence[GlossaryLine]) -> bool:
    """Whether glosses end in the punctuation of a sentence: at least one line in five does. True
    without lines."""
    return sum(ends_sentence(row.text) for row in rows) * 5 >= len(rows)


def counted_rows(rows: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that numbers such as `1.` count from the first to the last.

    Empty if the count from 1 has fewer than three numbers, or, up to five, less than nine in ten of
    all such numbers: these are the senses of a gloss.
    """
    counted: set[int] = set()
    numbers = 0
    for n, row in enumerate(rows):
        match = SENSE.match(row.text.strip())
        if match and (number := match[1] or match[2]):
            numbers += 1
            if int(number) == len(counted) + 1:
                counted.add(n)
    long_enough = len(counted) > 5 or (len(counted) > 2 and len(counted) * 10 >= numbers * 9)
    return counted if long_enough else set()


def line_indents(rows: Sequence[GlossaryLine]) -> list[int]:
    """Return the indent of each line, in columns, beyond the smallest one of its printed page.

    On a page of a few lines, which may all be indented, it is that beyond the smallest of all.
    """
    indents = [width(row.text) - width(row.text.lstrip()) for row in rows]
    smallest_of_all = min(indents, default=0)
    starts = [0, *(n for n, row in enumerate(rows) if row.begins_page and n), len(rows)]
    for begin, end in pairwise(starts):
        is_short = end - begin < _FEWEST_LINES
        smallest = smallest_of_all if is_short else min(indents[begin:end])
        indents[begin:end] = [indent - smallest for indent in indents[begin:end]]
    return indents


def headword_rows(rows: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that are headwords, each in a line of its own; empty for
    fewer than two lines, else at least one."""
    if len(rows) < 2:
        return set()
    shapes = _shape_scores(rows)
    features = _features(rows)
    keys = [sort_key(row.text) for row in rows]
    mark = _common_mark([feature[3] for feature in features])
    shapes = [
        shape + (0.0 if mark is None else 1.5 if feature[3] == mark else -1.5)
        for shape, feature in zip(shapes, features, strict=True)
    ]
    scores = [
        shape + _usual_score(feature) for shape, feature in zip(shapes, features, strict=True)
    ]
    heads: set[int] = set()
    sorted_heads = False
    for _ in range(_ROUNDS):
        found = _best_heads(rows, scores, keys if sorted_heads else None)
        if found == heads:
            break
        heads = found
        learned = _learned_scores(features, heads)
        scores = [shape + score for shape, score in zip(shapes, learned, strict=True)]
        sorted_heads = _are_sorted([key for n in sorted(heads) if (key := keys[n])])
    return heads


def _shape_scores(rows: Sequence[GlossaryLine]) -> list[float]:
    """Return how much each line by itself looks like a headword: log-odds, 0 if it is open."""
    counted = counted_rows(rows)
    finished = glosses_are_sentences(rows)
    edge = wrap_edge(rows)
    scores = []
    for n, row in enumerate(rows):
        text = row.text.strip()
        name = NOTE.sub("", text)
        score = max(-4.0, 1.6 - (width(text) + width(name)) / 40)
        if ends_sentence(name) and name[-1] not in ":：":
            score -= 0.5 if re.search(r"[!?！？][)）」』”\"]*$", name) else 3.0
        elif finished and n + 1 < len(rows) and not runs_on(text, rows[n + 1], edge):
            score += 2.0 if edge else 3.5
        if n in counted:
            score += 2.0
        elif SENSE.match(text):
            score -= 4.0
        elif text[0] in "(（":
            score -= 2.0
        score -= 5.0 if _REMARK.match(name) or _REFERS.match(name) else 0.0
        score -= 3.0 if n and names_again(rows[n - 1].text, text) else 0.0
        score -= 3.0 if SENTENCE_INSIDE.search(name) else 0.0
        if n + 1 == len(rows):
            score -= 4.0
        elif _explains(rows[n + 1].text, text):
            score += 0.8
        scores.append(score)
    return scores


def _explains(gloss: str, head: str) -> bool:
    """Whether a line contains the line before it, or the first of several names in that (two
    letters at least), without regard to case."""
    name = re.split(r"[/／、,，(（]", head.casefold(), maxsplit=1)[0].strip()
    return len(name) > 1 and name in gloss.casefold()


# blank before, blank behind, indented, sign, length
_Features = tuple[bool | None, bool | None, bool, str, int]


def _features(rows: Sequence[GlossaryLine]) -> list[_Features]:
    """Return the properties of each line by which a document may set its headwords apart.

    They are, in this order: whether blank lines stand before it and behind it, whether it is
    indented, its sign, its length (in steps of 12 columns, at most 6). None is unknown. The sign is
    `:` if it ends in a colon, else a bullet, bracket or `1` of a rule's number, or the kind of its
    first letter: `A`, `a` or `字`.
    """
    indents = line_indents(rows)
    features: list[_Features] = []
    for n, row in enumerate(rows):
        text = row.text.strip()
        mark = MARK.match(text)
        sign = "1" if mark and mark[0][0].isdigit() else text[0]
        if text[-1] in ":：":
            sign = ":"
        elif not mark and text[0] not in OPENING:
            sign = "A" if text[0].isupper() else "a" if text[0].islower() else "字"
        before = None if row.begins_page or not n else row.after_blank
        behind = rows[n + 1].after_blank if n + 1 < len(rows) else True
        turned = n + 1 < len(rows) and rows[n + 1].begins_page
        length = min(width(text) // 12, 6)
        features.append((before, None if turned else behind, indents[n] > 0, sign, length))
    return features


def _common_mark(signs: Sequence[str]) -> str | None:
    """Return the sign, other than a letter or number, that probably marks all headwords; None if
    there is none.

    At least three lines and one in eight have it, and hardly ever two in a row.

    signs: that of each line, as in its features.
    """
    counts = Counter(sign for sign in signs if sign in BULLET + _MARKING_BRACKETS or sign == ":")
    for sign, count in counts.most_common(1):
        in_a_row = sum(before == after == sign for before, after in pairwise(signs))
        if count >= 3 and count * 8 >= len(signs) and in_a_row * 10 <= count:
            return sign
    return None


def _usual_score(features: _Features) -> float:
    """Return the log-odds that properties of a line have in most documents: a blank line before it,
    a bullet or a colon for a headword, an indent against it."""
    before, _, indented, sign, _ = features
    marked = 0.5 if sign in BULLET else 1.5 if sign == ":" else 0.0
    return (0.7 if before else 0.0) - (0.7 if indented else 0.0) + marked


def _learned_scores(features: Sequence[_Features], heads: Container[int]) -> list[float]:
    """Return the log-odds of each line by how its properties are spread among headwords and other
    lines, each within its `_STRONGEST`; an unknown property adds 0."""
    totals = [0.0] * len(features)
    for values, strongest in zip(zip(*features, strict=True), _STRONGEST, strict=True):
        among_heads: Counter[object] = Counter()
        among_others: Counter[object] = Counter()
        for n, value in enumerate(values):
            if value is not None:
                (among_heads if n in heads else among_others)[value] += 1
        kinds = len(among_heads | among_others)
        heads_total = among_heads.total() + 0.5 * kinds
        others_total = among_others.total() + 0.5 * kinds
        odds: dict[object, float] = {None: 0.0}
        for value in among_heads | among_others:
            ratio = (among_heads[value] + 0.5) / heads_total
            ratio /= (among_others[value] + 0.5) / others_total
            odds[value] = max(-strongest, min(strongest, math.log(ratio)))
        totals = [total + odds[value] for total, value in zip(totals, values, strict=True)]
    return totals


def _are_sorted(keys: Sequence[str]) -> bool:
    """Whether headwords are sorted: at least six, and four in five of them in ascending order, as
    the longest such subsequence has it; equal ones may follow each other."""
    ends: list[str] = []  # the smallest last key of ascending subsequences, by their length
    for key in keys:
        place = bisect_right(ends, key)
        ends[place : place + 1] = [key]
    return len(keys) >= 6 and len(ends) * 5 >= len(keys) * 4


def _best_heads(
    rows: Sequence[GlossaryLine], scores: Sequence[float], keys: Sequence[str | None] | None
) -> set[int]:
    """Return the indices of the lines that, taken for headwords, have the highest score together.

    To their own scores comes what speaks against two neighbours: no gloss between them, a gloss
    that ends in no sentence, a descending order. At least one line is taken; of equal sets the one
    whose last headword comes first.

    scores: the log-odds of each line; keys: what lines are sorted by; None if nothing is sorted.
    """
    finished = glosses_are_sentences(rows)
    unfinished = -2.5 if finished else -0.3
    paragraphs = [0] * len(rows) if finished else _paragraphs_before(rows)
    wrapped = not finished and paragraphs[-1] > 0
    totals: list[float] = []
    before: list[int] = []
    far = (-1.0, -1)  # the best chain that ends outside the window, or is empty
    for n, row in enumerate(rows):
        if n > _WINDOW and totals[n - _WINDOW - 1] > far[0]:
            far = (totals[n - _WINDOW - 1], n - _WINDOW - 1)
        goes_on = n > 0 and not row.after_blank and not ends_sentence(rows[n - 1].text)
        penalty = unfinished if goes_on else 0.0
        if wrapped and n and paragraphs[n] == paragraphs[n - 1]:
            penalty = -2.5  # the line before is full
        best, last = (far[0] + penalty, far[1]) if n else (0.0, -1)
        for m in range(max(0, n - _WINDOW), n):
            total = totals[m] + (penalty if m + 1 < n else -2.5)
            total -= _FURTHER_PARAGRAPH * max(0, paragraphs[n - 1] - paragraphs[m] - 1)
            if keys and (key := keys[n]) and (key_before := keys[m]):
                total += 0.4 if key >= key_before else -2.0
            if total > best:
                best, last = total, m
        totals.append(best + scores[n])
        before.append(last)
    n = max(range(len(rows)), key=totals.__getitem__)
    heads: set[int] = set()
    while n >= 0:
        heads.add(n)
        n = before[n]
    return heads


def _paragraphs_before(rows: Sequence[GlossaryLine]) -> list[int]:
    """Return how many paragraphs have begun up to each line, 1 at the first, by which lines reach
    the edge of the text; zeros if less than two, or one in ten, do, as each line is a paragraph."""
    edge = right_edge([row.text for row in rows])
    goes_on = [False] + [
        not (row.after_blank or MARK.match(row.text.strip()))
        and _reaches(before.text, row.text, edge)
        for before, row in pairwise(rows)
    ]
    if sum(goes_on) < max(2, len(rows) / 10):
        return [0] * len(rows)
    return list(accumulate(not follows for follows in goes_on))


def _reaches(line: str, following: str, edge: int) -> bool:
    """Whether the first word of the following line (in Japanese, character) would have passed the
    edge of the text, or come close to it."""
    text = following.strip()
    word = 2 if width(text[:1]) == 2 else 1 + width(text.split(" ")[0][:40])
    return width(line.rstrip()) + word >= _AT_EDGE * edge
