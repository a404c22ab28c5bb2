"""Tells the headwords of a glossary from their glosses, in whatever form a rulebook prints them.

The form is inferred from the document, as numbering is. Headwords that stand in one line with their
gloss are cut off at the sign that most lines have (a colon, a dash, brackets, wide space).
Otherwise each line is a headword or belongs to a gloss, by what sets headwords apart. What is known
of any headword (it is short and no sentence, a gloss stands below it) gives a first reading; it
shows what sets headwords apart here (blank lines, indents, signs, capitals) and whether they are
sorted; and the next reading follows that, until nothing changes.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from scraper.page import ReadWarning
from scraper.rulebook.numbering import Key, NumberedLine, ends_sentence
from scraper.rulebook.page_layout import is_full, right_edge, width
from scraper.rulebook.part_headings import heading_number

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


PieceKind = Literal["heading", "entry", "gloss", "paragraph"]

_CLOSING = ")）]］】〕〉》」』＞>"
_BRACKETS = (("【", "】"), ("［", "］"), ("[", "]"), ("〔", "〕"), ("〈", "〉"), ("＜", "＞"),
             ("<", ">"), ("《", "》"), ("「", "」"), ("『", "』"))  # fmt: skip
# Bounds of headwords and what belongs to them here are by hand: the widest headword in the books of
# two games takes 81 columns. They also bound time where a sign never comes.
_BRACKETED = "|".join(
    f"{re.escape(a)}[^{re.escape(a + b)}]{{1,40}}{re.escape(b)}" for a, b in _BRACKETS
)
_IN_PARENTHESES = r"[(（][^()（）]{1,60}[)）]"
_SEVERAL_LINES = 4  # of a glossary, which should have more than one entry: two and their glosses
_LONGEST_GLOSS = 3000  # characters; books give up to 1,000
# Of the numbered lines of a glossary, so that they are its entries. By hand: nearly all, as where
# some numbers have no headword behind them, all are rules.
_HEADWORDS_SHARE = 0.9


def _before(signs: str, longest: int = 90) -> str:
    """Return a pattern for a headword without certain signs, but for those in its parentheses or
    quotation marks, which count as one of at most `longest` characters."""
    return rf"(?>{_IN_PARENTHESES}|“[^“”]{{1,60}}”|[^{signs}]){{1,{longest}}}?"


# Headword and gloss in one line: group 1 is the headword with its sign, group 2 the gloss. Of signs
# that as many lines have the first counts; the full stop is last, as any sentence has one.
_SEPARATORS = {
    "brackets": re.compile(
        rf"((?:[ぁ-ゖー]{{1,20}}\s*)?(?:{_BRACKETED})\s*(?:{_IN_PARENTHESES})?\s*)(.*)"
    ),
    "colon": re.compile(rf"({_before(':：')}(?:：|:(?!//|(?<=\d:)\d))(?:\*\*|__)?\s*)(.*)"),
    "dash": re.compile(
        rf"({_before('–—―')}(?:\s+[-‐−–—―]{{1,2}}\s+|\s*(?:[–—―]{{2}}|[–—―](?!(?<=\d.)\d))\s*))(.*)"
    ),
    "equals": re.compile(rf"({_before('=＝')}[=＝]\s*)(.*)"),
    "leader": re.compile(rf"({_before('…‥→⇒')}\s*(?:[…‥]+|[→⇒]|->)\s*)(.*)"),
    "cell": re.compile(r"(\|?[^|]{1,90}\|\s*)([^|]*\|?)"),
    "space": re.compile(r"(\S(?:[^\t\u3000]{0,88}?\S)?(?:[ \u3000]*\t\s*|\u3000\s*|\s{2,}))(.*)"),
    "parentheses": re.compile(rf"([^\s()（）][^()（）]{{0,40}}{_IN_PARENTHESES}\s*)(.*)"),
    "full stop": re.compile(r"([^.。．]{1,40}(?:\.\s+|[。．]\s*))(.*)"),
}
# Of the lines that have the sign; of other signs 0.6, above a half. By hand: more lines than those
# with headwords have a full stop.
_SHARES = {"full stop": 0.8}
_SIGNS_BEHIND = ":：=＝|-‐−–—―…‥→⇒> "
# As `sort_fold` gives it, so that a is also A and か also ガ; or a range of letters, or a row.
_LETTER = re.compile(r"[a-z]|[0-9]-?[0-9]|[a-z]\s?[-~]\s?[a-z]|([ぁ-ん])(?:行|\s?[-~]\s?[ぁ-ん])?")
_OTHER_LETTERS = re.compile(r"(?:記号|数字|英字|英数字?|その他|符号|symbols?|numbers?|other)")
_ROWS = ("あいうえお", "かきくけこ", "さしすせそ", "たちつてと", "なにぬねの",
         "はひふへほ", "まみむめも", "やゆよ", "らりるれろ", "わゐゑをん")  # fmt: skip
_ONLY_NAMES = re.compile(r"[(（][^()（）]{1,60}[)）]")
# Three strokes near the beginning, as Markdown has them at least.
_TABLE_RULE = re.compile(r"(?=.{0,9}[-=─━]{3})[|│+:=\-─━\s]+")
_TABLE_CELL = re.compile(r"[|│\t\u3000:：/／]|\s[–—-]\s|\s\s")
_NAME_COLUMN = re.compile(
    r"(?:terms?|key ?words?|words?|names?|entry|english|japanese|reading|abbreviation)"
    r"|用語|語句?|名称|名前|項目|キーワード|略語|よみ(?:がな|かた)?|読み(?:方|仮名)?|ふりがな"
    r"|(?:英語|日本語|英文|日文|中文)(?:名|表記)?|术语|術語|词汇|詞彙|词语|用语|名词|名詞|名[称稱]|关键词",
    re.IGNORECASE,
)
_GLOSS_COLUMN = re.compile(
    r"(?:meanings?|definitions?|descriptions?|explanations?|details?|notes?|see(?: also)?"
    r"|references?|rules?|sections?)"
    r"|意味|説明|解説|定義|内容|備考|参照|含[义義]|释义|釋義|解[释釋]|[说說]明|定[义義]|描述|[备備]注",
    re.IGNORECASE,
)
_WIDEST_TITLES = 90  # columns of text, as of a headword: titles of columns are one line of a page
_LONGER = 16  # columns that a headword may be longer than all that are known, which may be few
_LONGEST_DIVIDER = 40  # characters, to save time: a letter with signs around it has fewer
# By hand: most headwords are shorter, and each further gap may be one by chance.
_LONGEST_GLUED = 40  # characters of a line in which a headword without a sign ends
# By hand: once may be a slip.
_OFTEN_SMALL = 2  # times that a word is written in small letters, which then begins a sentence
# Of the headwords of a glossary in the order of its language; four in five, as for `_are_sorted`:
# some are sorted by another reading.
_SORTED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of a glossary, or its headword or gloss if it has both.

    kind: `entry` for a headword, `gloss`, `heading` for a letter that divides the glossary, or
        `paragraph` for what stands before the first headword.
    text: the text, stripped. A headword keeps its sign, such as a colon.
    continues: whether it goes on with the piece before, with which it makes one passage.
    """

    kind: PieceKind
    text: str
    continues: bool = False


def glossary_pieces(
    lines: Sequence[str],
    omitted: Container[int],
    parts: Mapping[int, str],
    rules: Container[int],
    edge: int | None,
) -> dict[int, tuple[Piece, ...]]:
    """Return the pieces of each line of a rulebook's glossaries, by the index of the line.

    A glossary goes from its heading to the next heading of a part, or the next rule. Blank and
    omitted lines have no pieces, nor has the heading of the glossary.

    lines: all lines of the book.
    omitted, rules: the indices of the lines that are left out, and of those that begin a rule.
    parts: the names of the parts, such as `glossary`, by the indices of their headings.
    edge: the column where lines are broken; None if each line is a paragraph.

    >>> lines = ["Glossary", "Draw", "To take a card.", "Hand", "The cards drawn."]
    >>> pieces = glossary_pieces(lines, (), {0: "glossary"}, (), None)
    >>> [piece.kind for of_line in pieces.values() for piece in of_line]
    ['entry', 'gloss', 'entry', 'gloss']
    """
    glossaries: list[dict[int, GlossaryLine]] = []
    in_glossary = blank = page = False
    for n, line in enumerate(lines):
        if n in omitted:
            page = True
        elif not line.strip():
            blank = True
        else:
            if n in parts or n in rules:
                in_glossary = parts.get(n) == "glossary"
                glossaries += [{}] if in_glossary else []
            elif in_glossary:
                glossaries[-1][n] = GlossaryLine(line, blank, page)
            blank = page = False
    return {
        n: pieces
        for rows in glossaries
        for n, pieces in zip(rows, parse_glossary([*rows.values()], edge), strict=True)
    }


def parse_glossary(
    lines: Sequence[GlossaryLine], edge: int | None = None
) -> list[tuple[Piece, ...]]:
    """Return the pieces of each line of a glossary: one, or headword and gloss.

    Where no headwords are told, all lines are paragraphs; without lines the result is empty.

    lines: the lines below the heading of the glossary; any text.
    edge: the column where the file breaks its lines; if None, that is found out here.

    >>> [[p.text for p in pieces] for pieces in parse_glossary([GlossaryLine("手札：持つ札。")])]
    [['手札：', '持つ札。']]
    """
    table_lines = _table_lines(lines)
    dividers = _dividers(lines)
    body = [n for n in range(len(lines)) if n not in dividers and n not in table_lines]
    rows = [lines[n] for n in body]
    cuts = _inline_heads(rows)
    heads = set(cuts) if cuts else headword_rows(rows)
    if not cuts:
        cuts = _glued_heads(rows, heads)
        heads |= cuts.keys()
    titles, beside = _other_lists(rows, heads)
    heads -= titles | beside
    begun = {row for row, cut in cuts.items() if cut < len(rows[row].text.strip())}
    continued = _continued_rows(rows, heads, begun, edge)
    pieces: list[tuple[Piece, ...]] = [(Piece("heading", line.text.strip()),) for line in lines]
    for n in table_lines:
        pieces[n] = (Piece("paragraph", lines[n].text.strip()),)
    first = min(heads, default=0)
    for row, n in enumerate(body):
        text = rows[row].text.strip()
        if row in heads:
            cut = cuts.get(row, len(text))
            gloss = (Piece("gloss", text[cut:]),) if text[cut:] else ()
            pieces[n] = (Piece("entry", text[:cut].rstrip()), *gloss)
        else:
            kind: PieceKind = "gloss" if heads and row > first else "paragraph"
            kind = "heading" if row in titles else "paragraph" if row in beside else kind
            pieces[n] = (Piece(kind, text, kind != "heading" and row in continued),)
    return pieces


# -- titles of columns ------------------------------------------------------------------------


def _table_lines(lines: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that give the titles of a table's columns (known titles, or
    cells above the first ruler), and of all rulers of the table."""
    rules = {n for n, line in enumerate(lines) if _TABLE_RULE.fullmatch(line.text.strip())}
    titles = {n for n, line in enumerate(lines) if _gives_columns(line.text)}
    above = {n - 1 for n in rules if n and _TABLE_CELL.search(lines[n - 1].text.strip())}
    first = {min(above)} if above else set()
    return rules | titles | first


def _gives_columns(text: str) -> bool:
    """Whether a line consists of titles of columns, such as `Term` and `Meaning`: the first for
    names, and at least one for glosses."""
    if width(text) > _WIDEST_TITLES:
        return False
    cells = [cell.strip(" *_") for cell in _TABLE_CELL.split(text.strip(" |\t\u3000"))]
    cells = [cell for cell in cells if cell] or [""]
    names = [_NAME_COLUMN.fullmatch(cell) is not None for cell in cells]
    glosses = [_GLOSS_COLUMN.fullmatch(cell) is not None for cell in cells]
    known = all(name or gloss for name, gloss in zip(names, glosses, strict=True))
    return known and names[0] and any(glosses)


# -- letters that divide a glossary ------------------------------------------------------------


def _dividers(lines: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that only give the letter of the headwords below them.

    They are at least two letters or rows of kana of which nine in ten ascend, and the headwords
    below begin with them (three letters, if that can't be told); all of them, or none: in `X`,
    `A number that…`, `X` is a headword.
    """
    found: list[tuple[int, str]] = []
    certain = True
    for n, line in enumerate(lines[:-1]):
        letter = _letter_of(line.text)
        if letter is None:
            continue
        following = sort_key(lines[n + 1].text)
        is_row = letter == "" or line.text.rstrip(" 】])）").endswith("行")
        if is_row or following is None or _is_under(following, letter):
            found.append((n, letter))
            certain = certain and following is not None
    letters = [letter for _, letter in found if letter]
    ascending = sum(a < b for a, b in pairwise(letters))
    fewest = 2 if certain or not all(letter.isascii() for letter in letters) else 3
    is_divided = len(letters) >= fewest and ascending * 10 >= 9 * (len(letters) - 1)
    return {n for n, _ in found} if is_divided else set()


def _letter_of(text: str) -> str | None:
    """Return the letter of a line that gives nothing else, as in sort keys (`a` for `[A]` and
    `A-C`, `あ` for `ア行`); "" for `記号` and the like, None for other lines."""
    if len(text) > _LONGEST_DIVIDER:
        return None
    plain = sort_fold(text)
    plain = re.sub(
        rf"^[\s{BULLET}{re.escape(OPENING)}-]+|[\s\])）］】〕〉》」』>＞:：-]+$", "", plain
    )
    if _OTHER_LETTERS.fullmatch(plain):
        return ""
    return plain[0] if _LETTER.fullmatch(plain) else None


def _is_under(key: str, letter: str) -> bool:
    """Whether a headword of this sort key stands below this letter (of kana, its row; of a to z,
    any letter from it on, as letters without headwords are left out)."""
    row = next((row for row in _ROWS if letter in row), letter)
    return key[:1] in row or (letter.isascii() and letter.isalpha() and key[:1] >= letter)


# -- headword and gloss in one line ------------------------------------------------------------


def _inline_heads(rows: Sequence[GlossaryLine]) -> dict[int, int]:
    """Return the lines that hold a headword and its gloss, with the place where the gloss begins
    in the stripped line; empty if headwords have lines of their own.

    That is the form if one sign separates the two in most lines that begin something. Of several
    signs the one with the most lines counts; what stands before it three times is no headword. A
    cut at the end of its line has the gloss below.
    """
    if not rows:
        return {}
    edge = wrap_edge(rows)
    indents = line_indents(rows)
    lines = [n for n, indent in enumerate(indents) if not indent]
    found: list[dict[int, int]] = []
    counted = counted_rows(rows)
    finished = glosses_are_sentences(rows)
    starts = {n for n in lines if not n or not runs_on(rows[n - 1].text, rows[n], edge)}
    for name, separator in _SEPARATORS.items():
        cuts: dict[int, int] = {}
        heads: Counter[str] = Counter()
        for n in lines:
            match = separator.fullmatch(rows[n].text.strip())
            numbered = SENSE.match(match[1]) if match else None
            if numbered and n not in counted:
                continue
            if match and _may_be_inline_head(
                match[1][numbered.end() if numbered else 0 :], match[2]
            ):
                cuts[n] = match.end(1)
                heads[match[1]] += 1
        cuts = {n: cut for n, cut in cuts.items() if heads[rows[n].text.strip()[:cut]] < 3}
        share = _SHARES.get(name, 0.6)
        sure = cuts
        if len(cuts) < share * len(lines):
            sure = {n: cut for n, cut in cuts.items() if n in starts}
        with_gloss = sum(cut < len(rows[n].text.strip()) for n, cut in sure.items())
        if len(sure) >= share * len(starts) and with_gloss * 2 > len(sure):
            found.append(sure if finished else _with_alike(rows, sure, cuts))
        if found and name == "parentheses":
            break  # a full stop separates the two only if no other sign does
    return max(found, key=len, default={})


def _glued_heads(rows: Sequence[GlossaryLine], heads: Collection[int]) -> dict[int, int]:
    """Return the lines in which a headword and its gloss got on one line without any sign, in a
    glossary whose headwords have lines of their own; with the place where the gloss begins. Empty
    if the headwords are fewer than four, or not sorted.

    The line before ends a sentence, the first words stand in the order of the headwords around
    them, and the next is one that the glossary writes in small letters elsewhere, so that its
    capital begins a sentence: `stack Several instances of…` between `Stack` and `Strength`.
    """
    names = {n: sort_fold(rows[n].text.strip()) for n in sorted(heads)}
    ascending = sum(before <= after for before, after in pairwise(names.values()))
    if len(names) < _SEVERAL_LINES or ascending < _SORTED_SHARE * (len(names) - 1):
        return {}
    small = Counter(re.findall(r"\b[^\W\d_A-Z]\w*", "\n".join(row.text for row in rows)))
    found: dict[int, int] = {}
    above = ""
    for n, row in enumerate(rows):
        text = row.text.strip()
        if n in names:
            above = names[n]
        elif n and n - 1 not in names and above and ends_sentence(rows[n - 1].text):
            below = next((name for m, name in names.items() if m > n), "")
            for gap in re.finditer(r"(?<=[^\W\d]) (?=[^\W\d_]+ )", text[:_LONGEST_GLUED]):
                name, word = sort_fold(text[: gap.start()]), text[gap.end() :].split(" ", 1)[0]
                is_capital = word[0].isupper() and small[word.lower()] >= _OFTEN_SMALL
                if is_capital and above < name < below:
                    found[n], above = gap.end(), name
                    break
    return found


def _with_alike(
    rows: Sequence[GlossaryLine], sure: Mapping[int, int], cuts: Mapping[int, int]
) -> dict[int, int]:
    """Return the sure cuts with those of further lines whose headwords look like the sure ones.

    These stand behind a full line, so that they might go on with its gloss, if glosses end in no
    full stop. They begin as most sure headwords do and are hardly longer than these.
    """
    names = {n: rows[n].text.strip()[:cut] for n, cut in cuts.items()}
    longest = max((width(names[n]) for n in sure), default=0) + _LONGER
    kinds = Counter(_kind(names[n]) for n in sure)
    usual = {kind for kind, count in kinds.items() if count * 5 >= len(sure)}
    return {
        n: cut
        for n, cut in cuts.items()
        if n in sure or (width(names[n]) <= longest and _kind(names[n]) in usual)
    }


def _kind(text: str) -> str:
    """Return what a text, not empty, begins with: `1` for a digit, `A` or `a` for a capital or
    small letter, `字` for a letter without case, else the sign itself."""
    first = text[0]
    if not first.isalpha():
        return "1" if first.isdigit() else first
    return "A" if first.isupper() else "a" if first.islower() else "字"


def _may_be_inline_head(head: str, gloss: str) -> bool:
    """Whether the two parts of a line may be headword and gloss; the gloss may be empty.

    A headword has a letter, at most 90 columns, no sentence in it, and closes its parentheses; a
    gloss takes at least four columns.
    """
    name = head.strip().rstrip(_SIGNS_BEHIND)
    name = re.sub(r"(?<=[\w)）”])[.。．]$", "", name)
    bare = NOTE.sub("", name).rstrip(_CLOSING)
    return (
        re.search(r"[^\W\d]", name) is not None
        and width(name) <= 90
        and not SENTENCE_INSIDE.search(NOTE.sub("", name))
        and not (ends_sentence(bare) and bare[-1] not in "!！?？")
        and all(name.count(a) == name.count(b) for a, b in ("()", "（）"))
        and (not gloss or width(gloss) >= 4)
    )


def _other_lists(rows: Sequence[GlossaryLine], heads: Container[int]) -> tuple[set[int], set[int]]:
    """Return the indices of the titles of lists in a glossary that are in another form than its
    entries, and of the lines of these lists. Both are empty if there are none.

    Where entries are separated by blank lines, a line alone between two is such a title, and the
    lines below it up to the next blank line are its list.
    """
    blocks = [n for n, row in enumerate(rows) if row.after_blank and not row.begins_page]
    alone = {n for n, following in pairwise(blocks) if following == n + 1}
    if len(alone) * 20 > len(blocks) or sum(n in heads for n in blocks) * 10 < len(blocks) * 9:
        return set(), set()
    beside: set[int] = set()
    for title in alone:
        end = next((n for n in blocks if n > title + 1), len(rows))
        beside.update(range(title + 1, end))
    return alone, beside


# -- glosses in several lines ------------------------------------------------------------------


def _gives_names(head: str, text: str) -> bool:
    """Whether the line below a headword only gives names of it: it is in parentheses whole, or a
    reading or a name in Latin letters (`names_again`)."""
    return _ONLY_NAMES.fullmatch(text) is not None or names_again(head, text)


def _continued_rows(
    rows: Sequence[GlossaryLine], heads: Container[int], begun: Container[int], edge: int | None
) -> set[int]:
    """Return the indices of the lines that go on with the paragraph of the line before.

    There are none if each line is a paragraph, as in a file whose glosses are not broken. A line
    of names in parentheses below a headword stays by itself.

    begun: the headwords with the beginning of their gloss in the same line.
    edge: the column where lines are broken, or None if that is to be found out.
    """
    own_edge = right_edge([row.text for row in rows])
    candidates = [
        n
        for n, row in enumerate(rows)
        if n
        and n not in heads
        and (n - 1 not in heads or n - 1 in begun)
        and not (n - 2 in heads and _gives_names(rows[n - 2].text, rows[n - 1].text.strip()))
        and not SENSE.match(row.text.strip())
    ]
    broken = [n for n in candidates if runs_on(rows[n - 1].text, rows[n], own_edge)]
    if edge is None and len(broken) * 10 < len(candidates):
        return set()
    return {
        n
        for n in candidates
        if (rows[n].begins_page or not rows[n].after_blank)
        and not (
            ends_sentence(rows[n - 1].text)
            and not is_full(rows[n - 1].text, rows[n].text, own_edge)
        )
    }


def is_in_chapter(chapter: Key, key: Key) -> bool:
    """Whether a number is below that of a glossary's heading; never if that has none, `()`.

    >>> is_in_chapter((12,), (12, 1)), is_in_chapter((), (1,))
    (True, False)
    """
    return bool(chapter) and len(key) > len(chapter) and key[: len(chapter)] == chapter


def ends_chapter(chapter: Key, key: Key) -> bool:
    """Whether a number is the next one beside that of the heading of a section: 721 for 720.

    >>> ends_chapter((7, 720), (7, 721)), ends_chapter((12,), (13,))
    (True, False)
    """
    return len(chapter) > 1 and key == (*chapter[:-1], chapter[-1] + 1)


def read_glossaries(
    lines: Sequence[str],
    omitted: Container[int],
    parts: Mapping[int, str],
    rules: Mapping[int, NumberedLine],
    edge: int | None,
) -> dict[int, tuple[Piece, ...]]:
    """Return the pieces of each line of a rulebook's glossaries, by the index of the line.

    Lines that begin a rule are among them if they are entries, too: those directly below the number
    of the glossary's heading, if nine in ten of them begin with a headword.

    lines, omitted, parts, edge: as for `glossary_pieces`.
    rules: the lines that begin a rule, by their indices.

    >>> from scraper.rulebook.numbering import number_at
    >>> lines = ["3. Glossary", "3.1. Draw: To take.", "3.2. Hand: What is taken."]
    >>> rules = {n: number_at(lines[n], n) for n in (1, 2)}
    >>> pieces = read_glossaries(lines, (), {0: "glossary"}, rules, None)
    >>> [piece.text for piece in pieces[1]]
    ['3.1. Draw:', 'To take.']
    """
    entries: set[int] = set()
    starts = [*sorted(parts), len(lines)]
    for start, end in pairwise(starts):
        if parts[start] == "glossary":
            entries.update(_flat_rules(lines[start], start, end, rules))
    others = rules.keys() - entries
    pieces = glossary_pieces(lines, omitted, parts, others, edge)
    heads = [n for n in entries if n in pieces and pieces[n][0].kind == "entry"]
    if len(heads) < _HEADWORDS_SHARE * len(entries):
        return glossary_pieces(lines, omitted, parts, rules, edge)
    return pieces


def _flat_rules(
    heading: str, start: int, end: int, rules: Mapping[int, NumberedLine]
) -> Collection[int]:
    """Return the lines of the rules directly below a glossary's heading; none if any of these has
    rules below it. Of a heading without a number they are those of its one appendix (`A-1`).

    start, end: the lines between which the rules of the glossary stand, both excluded.
    """
    number = heading_number(heading)
    within = {n: rule.key for n, rule in rules.items() if start < n < end}
    lettered = {rule.key[:1] for rule in map(rules.__getitem__, within) if rule.number[0].isalpha()}
    chapter = number.key if number else next(iter(lettered)) if len(lettered) == 1 else ()
    below = {n: key for n, key in within.items() if is_in_chapter(chapter, key)}
    return below if all(len(key) == len(chapter) + 1 for key in below.values()) else ()


def glossary_warnings(
    lines: Sequence[str], parts: Mapping[int, str], glossaries: Mapping[int, Sequence[Piece]]
) -> list[ReadWarning]:
    """Return a warning, in a list, of the first glossary in which hardly any headwords were told
    from glosses; an empty list if there is none.

    That is a glossary of four lines or more with fewer than two headwords, or one with a gloss of
    more than 3,000 characters, far longer than any a book gives. The line is that of its heading.

    lines, parts: as for `read_glossaries`, which returned the `glossaries`.

    >>> lines = ["Glossary", *("word " * 50 for _ in range(5))]
    >>> pieces = read_glossaries(lines, (), {0: "glossary"}, {}, None)
    >>> glossary_warnings(lines, {0: "glossary"}, pieces)[0].what
    '1 headwords were told from glosses in 5 lines (line 1: Glossary)'
    """
    for start, end in pairwise([*sorted(parts), len(lines)]):
        if parts[start] != "glossary":
            continue
        own = [n for n in range(start + 1, end) if n in glossaries]
        pieces = [piece for n in own for piece in glossaries[n]]
        heads = sum(piece.kind == "entry" and not piece.continues for piece in pieces)
        longest = size = 0
        for piece in pieces:
            size = 0 if piece.kind in ("entry", "heading") else size + len(piece.text)
            longest = max(longest, size)
        if len(own) >= _SEVERAL_LINES and heads < 2:
            what = f"{heads or 'no'} headwords were told from glosses in {len(own)} lines"
        elif longest > _LONGEST_GLOSS:
            what = f"a gloss of {longest} characters; headwords in it may be unread"
        else:
            continue
        shown = lines[start].strip()[:40]
        return [ReadWarning("glossary", f"{what} (line {start + 1}: {shown})")]
    return []
