"""The lines of a glossary, their marks, what they are sorted by, and where they break off."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scraper.rulebook.numbering import ends_sentence
from scraper.rulebook.page_layout import is_full, right_edge, width

BULLET = "■□◆◇●○◎▼▽▲△★☆※＊*•▪▸►‣◊・〇§#"
MARK = re.compile(rf"[{BULLET}]\s*|\d{{1,3}}(?:[.．\-－]\d{{1,3}}){{1,5}}[.．]?\s+")
SENSE = re.compile(
    r"[(（]?(\d{1,2})[)）]|(\d{1,2})[.．、](?!\d)\s*|([①-⑳])|[(（][a-zア-ン][)）]"
    r"|(?:noun|verb|adjective|adverb|n|v|adj|adv)\.\s|[(（【\[](?:名詞|動詞|形容詞|副詞)[)）】\]]"
)
OPENING = "([（［【〔〈《「『“\"'‘<＜"
SENTENCE_INSIDE = re.compile(r"[。．](?=.)|[a-z]{3}[)”\"]?\.\s+[A-Z“(]|[!?！？]\s*[A-Z]")
SMALL = str.maketrans("ぁぃぅぇぉっゃゅょゎ", "あいうえおつやゆよわ", "ー・")
READING = re.compile(r"[(（\[［【]([ぁ-ゖァ-ヺー・、]+)[^()（）]{0,40}[)）\]］】]")
NOTE = re.compile(r"(?<=\S)\s*[(（][^()（）]*[)）]$")
HIRAGANA = re.compile(r"[ぁ-ゖー・、 ]+")
KANJI = re.compile(r"[一-鿿々]")
WIDEST_NAME = 40  # columns
FEWEST_LINES = 8  # of a printed page, to tell how far it is indented


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
    """Return a text as it is sorted: NFKC, lower case, hiragana without voicing marks."""
    text = text.strip()[:80]
    if text.isascii():
        return text.casefold()
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in text)
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return text


def sort_key(text: str) -> str | None:
    """Return what a headword is sorted by, at most four letters; None if it begins with a kanji
    and gives no reading."""
    text = MARK.sub("", text.strip(), count=1)
    reading = READING.search(text)
    key = sort_fold(reading[1] if reading else text).translate(SMALL)
    key = re.sub(r"[^\w]+", "", key)[:4]
    return key if key and (key[0].isascii() or "ぁ" <= key[0] <= "ん") else None


def runs_on(before: str, row: GlossaryLine, edge: int | None) -> bool:
    """Whether a line goes on with a sentence of the full line before it; never without an edge."""
    if edge is None or row.after_blank or ends_sentence(before):
        return False
    return is_full(before, row.text, edge)


def wrap_edge(rows: Sequence[GlossaryLine]) -> int | None:
    """Return the column where lines are broken; None if each is a paragraph, as hardly any line
    is full and yet no sentence."""
    edge = right_edge([row.text for row in rows])
    full = sum(runs_on(row.text, following, edge) for row, following in pairwise(rows))
    return edge if full * 10 >= len(rows) else None


def names_again(head: str, text: str) -> bool:
    """Whether a line may only give the reading, or the name in Latin letters, of the headword in
    the line before it, which is in kanji or kana."""
    head = head.strip()
    if width(head) > WIDEST_NAME or ends_sentence(head) or width(text) > WIDEST_NAME:
        return False
    if HIRAGANA.fullmatch(text):
        return KANJI.search(head) is not None
    return text.isascii() and not head.isascii() and not ends_sentence(text)


def glosses_are_sentences(rows: Sequence[GlossaryLine]) -> bool:
    """Whether glosses end in the punctuation of a sentence: at least one line in five does."""
    return sum(ends_sentence(row.text) for row in rows) * 5 >= len(rows)


def counted_rows(rows: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that numbers such as `1.` count from the first to the last.

    None if the longest count from 1 has fewer than three numbers, or few of all such numbers: these
    are the senses of a gloss.
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
        is_short = end - begin < FEWEST_LINES
        smallest = smallest_of_all if is_short else min(indents[begin:end])
        indents[begin:end] = [indent - smallest for indent in indents[begin:end]]
    return indents
