"""The lines of a printed rulebook: what belongs to its pages only, and where a line goes on."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import pairwise

from scraper.rulebook.numbering import ends_sentence, number_at

PAGE_NUMBER, RUNNING_HEAD, CONTENTS = "page number", "running head", "table of contents"
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|頁)?\s*[-–—−－‐<(\[]*\s*(?:\d{1,4}|[ivxl]{1,6})\s*"
    r"(?:(?:/|of|／)\s*\d{1,4})?\s*[-–—−－‐>)\]]*\s*(?:頁|ページ)?",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"(?:table\s+of\s+)?contents|もくじ|目\s*次", re.IGNORECASE)
_LEADER = re.compile(r"[.．…‥・·･]{4,}|(?:[.．…‥・·･]\s){3,}|…{2,}")
_ENTRY = re.compile(r"\S.*(?:[.．…‥・·･]{4,}|(?:[.．…‥・·･] ){3,}|…{2,})\s*(?:\d{1,4}|[ivxl]{1,6})")
_CELLS = re.compile(r"\s{3,}|\t")
_EDGE_LINES = 3
_NARROWEST = 0.6


def width(text: str) -> int:
    """The columns that a text takes: two for a full-width character.

    >>> width("カード 3")
    8
    """
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def split_pages(text: str) -> tuple[list[str], set[int]]:
    """The lines of a text, and the places where a form feed begins a page."""
    lines: list[str] = []
    breaks: set[int] = set()
    for number, page in enumerate(text.split("\f")):
        if number:
            breaks.add(len(lines))
        lines += page.splitlines()
    return lines, breaks


def page_furniture(lines: Sequence[str], breaks: Container[int]) -> dict[int, str]:
    """The lines that belong to the printed page, each with the reason to leave it out.

    >>> page_furniture(["総則", "1", "", "引く", "2", ""], {3})
    {1: 'page number', 4: 'page number'}
    """
    found = _page_numbers(lines, breaks)
    return dict(sorted({**_running_heads(lines, breaks, found), **found}.items()))


def _page_numbers(lines: Sequence[str], breaks: Container[int]) -> dict[int, str]:
    """Lines that hold a number and nothing else, where they count up or end a page."""
    alone: list[tuple[int, int]] = []
    found: dict[int, str] = {}
    for place, line in enumerate(lines):
        text = line.strip()
        if text and len(text) < 24 and _PAGE_NUMBER.fullmatch(text):
            digits = re.search(r"\d+", text)
            alone.append((place, int(digits[0]) if digits else 0))
            if _at_page_end(lines, place, breaks):
                found[place] = PAGE_NUMBER
    for (one, low), (two, high) in pairwise(alone):
        if high == low + 1:
            found[one] = found[two] = PAGE_NUMBER
    return found


def _at_page_end(lines: Sequence[str], place: int, breaks: Container[int]) -> bool:
    after = place + 1
    while after < min(len(lines), place + 20) and not lines[after].strip():
        if after in breaks:
            return True
        after += 1
    return after in breaks or place in breaks


def _running_heads(
    lines: Sequence[str], breaks: Container[int], numbers: Container[int]
) -> dict[int, str]:
    """Short lines that come again all through the document, set off or at a page's edge."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    edges = _edges(lines, breaks, numbers)
    title = next((n for n, line in enumerate(lines) if line.strip()), 0)
    for place, line in enumerate(lines):
        text = line.strip()
        if (
            not text
            or place == title
            or place in numbers
            or width(text) > 200
            or ends_sentence(text)
        ):
            continue
        if number_at(text):
            sign = text
        else:
            sign = re.sub(r"\s*\d+|\s+[ivxl]+$", "#", re.sub(r"\s+", " ", text))
        places[sign].append(place)
    found: dict[int, str] = {}
    for sign, again in places.items():
        at_edge = sum(place in edges for place in again)
        if at_edge >= max(2, 0.8 * len(again)) and (at_edge > 2 or len(edges) <= 6 * _EDGE_LINES):
            keep = again[:1] if number_at(sign) else []
            found |= {place: RUNNING_HEAD for place in again if place not in keep}
        elif not number_at(sign) and _all_through(lines, again):
            found |= dict.fromkeys(again, RUNNING_HEAD)
    return _with_neighbours(lines, places, found)


def _edges(lines: Sequence[str], breaks: Container[int], numbers: Container[int]) -> set[int]:
    """The first and last lines of the pages, where form feeds or page numbers show pages."""
    edges: set[int] = set()
    filled = [n for n, line in enumerate(lines) if line.strip()]
    last = -1
    for order, place in enumerate(filled):
        feeds = any(n in breaks for n in range(last + 1, place + 1))
        last = place
        if place in numbers:
            edges.update(filled[max(0, order - 2) : order + 3])
        elif feeds:
            edges.update(filled[max(0, order - _EDGE_LINES) : order + _EDGE_LINES])
    return edges


def _all_through(lines: Sequence[str], again: Sequence[int]) -> bool:
    """Whether a line comes again from one end of the document to the other, set off by blanks."""
    if len(again) < 4 or again[-1] - again[0] < 0.6 * len(lines):
        return False
    widest = max(two - one for one, two in pairwise(again))
    off = sum(place > 0 and not lines[place - 1].strip() for place in again)
    return widest < 0.34 * len(lines) and (off > 0.8 * len(again) or "©" in lines[again[0]])


def _with_neighbours(
    lines: Sequence[str], places: dict[str, list[int]], found: dict[int, str]
) -> dict[int, str]:
    """Lines that always stand beside a running head are part of it."""
    for sign, again in places.items():
        if len(again) < 4 or number_at(sign):
            continue
        if all(place in found or place - 1 in found or place + 1 in found for place in again):
            found |= dict.fromkeys(again, RUNNING_HEAD)
    return found


def contents_lines(lines: Sequence[str], skip: Container[int]) -> set[int]:
    """The lines of the table of contents: from its word to where an entry comes again, and
    whatever leads by dots to a page number.

    >>> sorted(contents_lines(["目次", "1. 総則", "2. 領域", "1. 総則", "1.1. 引く。"], ()))
    [0, 1, 2]
    """
    found = {
        n for n, line in enumerate(lines) if len(line) < 400 and _ENTRY.fullmatch(line.strip())
    }
    opening = enumerate(lines[:600])
    word = next((n for n, line in opening if _CONTENTS.fullmatch(line.strip())), None)
    if word is None:
        return found
    entries = [n for n in range(word + 1, len(lines)) if lines[n].strip() and n not in skip]
    end = _comes_again(lines, entries, found)
    if end is None and found:
        end = max((n for n in found if n < word + 600), default=word) + 1
    return found | set(range(word, end if end is not None else word))


def _comes_again(lines: Sequence[str], entries: list[int], led: Container[int]) -> int | None:
    """Where the first entry of the contents stands again, by its words or by its number."""
    bare = {n: re.sub(r"\s+", "", lines[n]) for n in entries}
    for order, first in enumerate(entries[:5]):
        if order and first not in led and not number_at(lines[first].strip()):
            break
        title = _LEADER.split(_CELLS.split(lines[first].strip())[0])[0]
        title = re.sub(r"\s+", "", title)
        again = next((n for n in entries[order + 1 :] if bare[n] == title and n not in led), None)
        if again is not None and title:
            return again
    start = number_at(lines[entries[0]].strip()) if entries else None
    if start is None:
        return None
    for place in entries[1:]:
        other = number_at(lines[place].strip())
        if other and other.key == start.key:
            return place
    return None


def right_edge(lines: Sequence[str]) -> int:
    """The column where the lines of a text end, but for the few longest.

    >>> right_edge(["あいう", "", "あ"])
    6
    """
    widths = sorted(width(line.rstrip()) for line in lines if line.strip())
    return widths[min(len(widths) - 1, len(widths) * 19 // 20)] if widths else 0


def is_full(line: str, following: str, edge: int) -> bool:
    """Whether a line is so long that the next word had no room on it."""
    text = following.strip()
    word = text[:1] if width(text[:1]) == 2 else text.split(" ")[0][:40]
    return width(line.rstrip()) + width(word) >= _NARROWEST * edge


def join_lines(lines: Sequence[str]) -> str:
    """Lines as one text: Japanese meets without a space, words of English with one.

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
        if parts and not _meets(parts[-1], text):
            parts.append(" ")
        parts.append(text)
    return "".join(parts)


def _meets(before: str, after: str) -> bool:
    if 2 in (width(before[-1]), width(after[0])):
        return True
    return re.search(r"[^\W\d]-$", before[-2:]) is not None and after[0].islower()
