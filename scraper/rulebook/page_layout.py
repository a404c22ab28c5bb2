"""Finds page numbers, running heads and contents in printed rulebooks; joins broken lines."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import accumulate, pairwise

from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import ends_sentence, levels, number_at

PAGE_NUMBER, RUNNING_HEAD, CONTENTS = "page number", "running head", "table of contents"
# Up to 9999, or in roman numerals up to lxxxix, as prefaces have them.
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|頁)?\s*[-–—−－‐<(\[]*\s*(?:\d{1,4}|[ivxl]{1,6})\s*"
    r"(?:(?:/|of|／)\s*\d{1,4})?\s*[-–—−－‐>)\]]*\s*(?:頁|ページ)?",
    re.IGNORECASE,
)
_PAGE_WORD = alternatives(lambda lang: lang.page)
_PAGE_COUNT = re.compile(  # 第 3 页 共 40 页
    rf"(?:{_PAGE_WORD}|[\s\W_]|第|共|全|of|total|\d{{1,4}})+", re.IGNORECASE
)
_CONTENTS_NAME = alternatives(lambda lang: lang.contents)
_AROUND_HEADING = re.compile(r"^[\W_]+|[\W_]+$")
_CONTENTS = re.compile(rf"{_CONTENTS_NAME}(?:\s*[/／|｜・]\s*{_CONTENTS_NAME})?", re.IGNORECASE)
# Four dots, or three apart, or two ellipses: `...` ends a sentence.
_LEADER = re.compile(r"[.．…‥・·･]{4,}|(?:[.．…‥・·･]\s){3,}|…{2,}")
_ENTRY = re.compile(r"\S.*(?:[.．…‥・·･]{4,}|(?:[.．…‥・·･] ){3,}|…{2,})\s*(?:\d{1,4}|[ivxl]{1,6})")
_PAGE_ENDS = frozenset("0123456789ivxl")
_CELLS = re.compile(r"\s{3,}|\t")  # two spaces stand behind full stops, too
_AROUND_ENTRY = " \t\u3000-*+・•●"  # also the marks of a list
_PAGE_AT_END = re.compile(r"(?<=\S)\s+\d{1,4}$")
_FEWEST_LINES = 8  # of a page, from head to head; by hand: what recurs more closely is a list
# First and last lines of a page among which running heads are looked for: a title, an edition and
# a page number. By hand.
_EDGE_LINES = 3
# Of the text's width that a full line has at least, with the next word. By hand: lower takes the
# ends of paragraphs for broken lines, higher misses lines of ragged print and of narrow columns.
_FULL_WIDTH = 0.6


def width(text: str) -> int:
    """Return the number of columns that a text takes: two for a full-width character.

    >>> width("カード 3")
    8
    """
    return len(text) if text.isascii() else sum(map(_WIDTHS.__getitem__, text))


class _Widths(dict[str, int]):
    """A cache of the columns that characters take."""

    def __missing__(self, char: str) -> int:
        self[char] = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        return self[char]


_WIDTHS = _Widths()


def split_pages(text: str) -> tuple[list[str], set[int]]:
    """Return the lines of a text, and the indices of those that begin a page after a form feed.

    The lines have no line ends; an empty text has none. The first page has no index; a form feed
    at the very end gives the index after the last line.
    """
    lines: list[str] = []
    breaks: set[int] = set()
    for number, page in enumerate(text.split("\f")):
        if number:
            breaks.add(len(lines))
        lines += page.splitlines()
    return lines, breaks


def page_furniture(lines: Sequence[str], breaks: Container[int]) -> dict[int, str]:
    """Return the lines that belong only to the printed page: the reason to omit each, by its index.

    The reason is `PAGE_NUMBER` or `RUNNING_HEAD`; a line that is both is a page number. The result
    is in the order of the lines.

    lines, breaks: as `split_pages` returns them; `breaks` may be empty.

    >>> page_furniture(["総則", "1", "", "引く", "2", ""], {3})
    {1: 'page number', 4: 'page number'}
    """
    numbers = _page_numbers(lines, breaks)
    heads = _running_heads(lines, breaks, numbers)
    return {n: PAGE_NUMBER if n in numbers else RUNNING_HEAD for n in sorted(numbers | heads)}


def _page_numbers(lines: Sequence[str], breaks: Container[int]) -> set[int]:
    """Return the indices of the lines of nothing but a number at the edge of a page, or that count
    up from line to line.

    breaks: the indices of the lines that begin a page, as `split_pages` returns them.
    """
    candidates: list[tuple[int, int]] = []  # index of the line, number in it
    page_numbers: set[int] = set()
    for index, line in enumerate(lines):
        text = line.strip()
        if text and len(text) < 24 and is_page_number(text):
            digits = re.search(r"\d+", text)
            candidates.append((index, int(digits[0]) if digits else 0))
            if _at_page_edge(lines, index, breaks):
                page_numbers.add(index)
    page_of = list(accumulate(index in breaks for index in range(len(lines))))
    numbered = {page_of[index] for index in page_numbers}  # where others may be those of chapters
    for (before, low), (after, high) in pairwise(candidates):
        if high == low + 1:
            page_numbers |= {n for n in (before, after) if page_of[n] not in numbered}
    return page_numbers


def is_page_number(text: str) -> bool:
    """Whether a text without space around it is nothing but the number of a page, in digits or
    roman, also with signs (`- 3 -`, `3/40`) and words (`Page 3 of 40`)."""
    if _PAGE_NUMBER.fullmatch(text):
        return True
    counts = _PAGE_COUNT.fullmatch(text) and re.search(r"\d", text)
    return bool(counts) and re.search(_PAGE_WORD, text, re.IGNORECASE) is not None


def _at_page_edge(lines: Sequence[str], index: int, breaks: Container[int]) -> bool:
    """Whether the line at an index begins a page, or is the last of its page that is not blank.

    The last line of the text does only if the text has page breaks.

    breaks: the indices of the lines that begin a page, as `split_pages` returns them.
    """
    following = index + 1
    while following < min(len(lines), index + 20) and not lines[following].strip():
        if following in breaks:
            return True
        following += 1
    is_last = following == len(lines) and any(n in breaks for n in range(len(lines)))
    return following in breaks or index in breaks or is_last


def _running_heads(
    lines: Sequence[str], breaks: Container[int], numbers: Container[int]
) -> set[int]:
    """Return the indices of the short lines that recur throughout the document: isolated, at the
    edge of a page, or once a page.

    Lines that differ only in numbers count as the same, but not lines that begin with a rule
    number: of these the first is kept as text. Skipped are page numbers, the first line that is not
    blank, and lines that end a sentence or are too wide.

    breaks: the indices of the lines that begin a page, as `split_pages` returns them.
    numbers: the indices of the lines that are page numbers.
    """
    lines_by_text: defaultdict[str, list[int]] = defaultdict(list)
    edges = _edges(lines, breaks, numbers)
    title = next((n for n, line in enumerate(lines) if line.strip()), 0)
    page_of = list(accumulate(index in breaks for index in range(len(lines))))
    numbered = {page_of[index] for index in range(len(lines)) if index in numbers}
    for index, line in enumerate(lines):
        text = line.strip()
        if (
            not text
            or index == title
            or index in numbers
            or width(text) > 200
            or ends_sentence(text)
            or (text.isdigit() and page_of[index] in numbered)
        ):
            continue
        number = number_at(text)
        if number and (number.form[2] or len(number.key) > 1):  # `3 | Rules` is no rule's number
            pattern = text
        else:
            pattern = re.sub(r"\s*\d+|\s+[ivxl]+$", "#", re.sub(r"\s+", " ", text))
        lines_by_text[pattern].append(index)
    heads: set[int] = set()
    for pattern, indices in lines_by_text.items():
        at_edge = sum(index in edges for index in indices)
        if at_edge >= max(2, 0.8 * len(indices)) and (at_edge > 2 or len(edges) <= 6 * _EDGE_LINES):
            heads.update(indices[1:] if number_at(pattern) else indices)
        elif not number_at(pattern) and (
            _recurs_throughout(lines, indices) or _recurs_with_pages(lines, indices)
        ):
            heads.update(indices)
    # The lines that always stand beside a running head are part of it.
    for pattern, indices in lines_by_text.items():
        if len(indices) < 4 or number_at(pattern):
            continue
        if all(index in heads or index - 1 in heads or index + 1 in heads for index in indices):
            heads.update(indices)
    return heads


def _edges(lines: Sequence[str], breaks: Container[int], numbers: Container[int]) -> set[int]:
    """Return the indices of the first and last lines of pages, blank lines not counted.

    Pages are known by form feeds (`breaks`) and by page numbers (`numbers`), both indices of lines.
    Near a page number these are two lines on each side and itself, at a form feed three.
    """
    edges: set[int] = set()
    filled = [n for n, line in enumerate(lines) if line.strip()]
    previous = -1
    for order, index in enumerate(filled):
        after_break = any(n in breaks for n in range(previous + 1, index + 1))
        previous = index
        if index in numbers:
            edges.update(filled[max(0, order - 2) : order + 3])
        elif after_break:
            edges.update(filled[max(0, order - _EDGE_LINES) : order + _EDGE_LINES])
    return edges


def _recurs_throughout(lines: Sequence[str], indices: Sequence[int]) -> bool:
    """Whether a line recurs from one end of the document to the other (over 60 % of its lines, with
    no gap of a third), mostly after a blank.

    indices: all places of the line, ascending. Less than four are too few. A line with `©` need
        not come after a blank.
    """
    if len(indices) < 4 or indices[-1] - indices[0] < 0.6 * len(lines):
        return False
    widest_gap = max(after - before for before, after in pairwise(indices))
    isolated = sum(index > 0 and not lines[index - 1].strip() for index in indices)
    return widest_gap < 0.34 * len(lines) and (
        isolated > 0.8 * len(indices) or "©" in lines[indices[0]]
    )


def _recurs_with_pages(lines: Sequence[str], indices: Sequence[int]) -> bool:
    """Whether a line recurs once a page (eight lines or more) from the first third of the document
    to the last: with a number that counts up, or at equal distances and shorter than a full line.

    indices: all places of the line, ascending. Less than three are too few.
    """
    if len(indices) < 3 or indices[0] > 0.35 * len(lines) or indices[-1] < 0.65 * len(lines):
        return False
    gaps = [after - before for before, after in pairwise(indices)]
    if min(gaps) < _FEWEST_LINES:
        return False
    numbers = [[int(digits) for digits in re.findall(r"\d{1,4}", lines[n])] for n in indices]
    if all(numbers):
        for pages in ([found[0] for found in numbers], [found[-1] for found in numbers]):
            if all(after - before in (1, 2) for before, after in pairwise(pages)):
                return True
    is_short = width(lines[indices[0]].strip()) < 0.8 * right_edge(lines)
    return is_short and max(gaps) <= 1.2 * min(gaps) + 2


def is_contents_heading(line: str) -> bool:
    """Whether a line is the heading of a table of contents, with or without signs around it, also
    with its name in a second language (`目次 / Contents`).

    >>> is_contents_heading("【目次】"), is_contents_heading("1. 目的")
    (True, False)
    """
    return _CONTENTS.fullmatch(_AROUND_HEADING.sub("", line)) is not None


def contents_lines(lines: Sequence[str], skip: Container[int]) -> set[int]:
    """Return the indices of the lines of the table of contents.

    These are the lines from its heading ("目次") to where its first entry recurs in the text, and
    any line that leads by dots to a page number; if no entry recurs, to the last of these. Empty if
    there is neither. The heading is looked for in the first 600 lines.

    skip: the indices of lines that are not taken for entries, such as those of `page_furniture`.
        They may be in the result, if they are between entries.

    >>> sorted(contents_lines(["目次", "1. 総則", "2. 領域", "1. 総則", "1.1. 引く。"], ()))
    [0, 1, 2]
    """
    dotted = {
        n
        for n, line in enumerate(lines)
        if len(line) < 400 and line.rstrip()[-1:] in _PAGE_ENDS and _ENTRY.fullmatch(line.strip())
    }
    opening = enumerate(lines[:600])  # in known books the contents end by line 585
    heading = next((n for n, line in opening if is_contents_heading(line)), None)
    if heading is None:
        return dotted
    entries = [n for n in range(heading + 1, len(lines)) if lines[n].strip() and n not in skip]
    end = _find_recurrence(lines, entries, dotted)
    if end is None and dotted:
        end = max((n for n in dotted if n < heading + 600), default=heading) + 1
    return dotted | set(range(heading, end if end is not None else heading))


def _find_recurrence(
    lines: Sequence[str], entries: list[int], dotted: Container[int]
) -> int | None:
    """Return the index of the line where the first entry of the contents recurs in the text.

    It is recognised by its words or by its number. If it does not recur, as in a part of a book,
    the text begins with the first entry that does, or where numbers fall before the first rule.
    None if they do not.

    entries: the indices of all lines after the heading of the contents that may be entries or text.
    dotted: the indices of the lines that lead by dots to a page number.
    """
    lines = [line.strip(_AROUND_ENTRY) for line in lines]
    compact_lines = {n: _compact(lines[n]) for n in entries}
    for n, following in pairwise(entries):
        if lines[n].isdigit():  # above its heading
            compact_lines[n] = _compact(f"{lines[n]} {lines[following]}")
    for order, entry in enumerate(entries[:5]):
        if order and entry not in dotted and not number_at(lines[entry].strip()):
            break
        title = _title_of_entry(lines[entry].strip())
        recurrence = next(
            (n for n in entries[order + 1 :] if compact_lines[n] == title and n not in dotted), None
        )
        if recurrence is not None and title:
            return recurrence
    recurrence = _find_first_of_part(lines, entries, dotted)
    first_number = number_at(lines[entries[0]].strip()) if entries else None
    if first_number is None:
        return recurrence
    before, fall = first_number, None
    for index in entries[1:]:
        if index == recurrence:
            break
        number = number_at(lines[index].strip())
        if number is None:
            continue
        if number.key == first_number.key:
            return index
        fall = index if number.key <= before.key else fall
        if fall is not None and len(levels(number.number)) > 1 and ends_sentence(lines[index]):
            return fall  # a part of a book, with other headings than its contents
        before = number
    return recurrence


def _find_first_of_part(
    lines: Sequence[str], entries: Sequence[int], dotted: Container[int]
) -> int | None:
    """Return the index of the first numbered line that repeats an entry of the contents: the
    heading with which a part of a book begins, whose contents are those of the whole.

    None if there is none before the first sentence, as the text has begun by then.

    entries, dotted: as for `_find_recurrence`.
    """
    titles: set[str] = set()
    for index in entries:
        text = lines[index].strip()
        if ends_sentence(text):
            return None
        if not number_at(text):
            continue
        title = _title_of_entry(text)
        if title in titles and index not in dotted:
            return index
        titles |= {title, _title_of_entry(_PAGE_AT_END.sub("", text))}
    return None


def _title_of_entry(text: str) -> str:
    """Return an entry of the contents as `_compact` does, without its page and the dots, tab or
    three spaces before it."""
    number = number_at(text)
    start = number.start if number else 0  # the gap behind the number may be wide, too
    return _compact(text[:start] + _LEADER.split(_CELLS.split(text[start:])[0])[0])


def _compact(text: str) -> str:
    """Return a stripped line without white space and in one case, and without the signs of the
    number that it begins with, which are often others in contents: `1.` for `第1章`."""
    number = number_at(text)
    compact = f"{number.number}|{text[number.start :]}" if number else text
    return "".join(compact.split()).casefold()


def right_edge(lines: Sequence[str]) -> int:
    """Return the column where the lines of a text end, the longest 5 % of them not counted.

    Columns are counted as by `width`. 0 if all lines are blank.

    >>> right_edge(["あいう", "", "あ"])
    6
    """
    widths = sorted(width(line.rstrip()) for line in lines if line.strip())
    return widths[min(len(widths) - 1, len(widths) * 19 // 20)] if widths else 0


def is_full(line: str, following: str, edge: int) -> bool:
    """Whether a line is so long that the first word of the following line may not have fitted.

    That is the case if both together have 60 % of the width of the text.

    following: the whole following line; only its first word (in Japanese, character) counts.
    edge: the column where the lines of the text end, as `right_edge` returns it.
    """
    text = following.strip()
    word = text[:1] if width(text[:1]) == 2 else text.split(" ")[0][:40]
    return width(line.rstrip()) + width(word) >= _FULL_WIDTH * edge


def join_lines(lines: Sequence[str]) -> str:
    """Join lines to one text: Japanese without a space, English words with one.

    Lines lose the space around them, blank lines are skipped; hyphens are kept, and a word that is
    broken at one is joined without a space. Empty if all lines are.

    >>> join_lines(["カードを", "引く。"]), join_lines(["draw a", "card"])
    ('カードを引く。', 'draw a card')
    >>> join_lines(["two-", "player"])
    'two-player'
    """
    text = ""
    parts: list[str] = []
    for line in lines:
        text = line.strip()
        if not text:
            continue
        if parts and not _join_directly(parts[-1], text):
            parts.append(" ")
        parts.append(text)
    return "".join(parts)


def _join_directly(before: str, after: str) -> bool:
    """Whether two lines are joined without a space: beside Japanese, or after a word's hyphen.

    Neither may be empty. After a hyphen, the second must begin with a small letter.
    """
    if 2 in (width(before[-1]), width(after[0])):
        return True
    return re.search(r"[^\W\d]-$", before[-2:]) is not None and after[0].islower()
