"""Finds what a reader sees of a paragraph in Markdown: no code, addresses, comments and marks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

from scraper.markup.html_tokens import resolve_references

_TOKEN = re.compile(
    r"""(?P<escape>\\(?:[!-/:-@\[-`{-~]|(?=\n)))
      | (?P<code>`+)
      | (?P<comment><!--)
      | (?P<break><br[ \t]*/?>)
      | (?P<address><?https?://[^\s<>()（）「」『』、。\]]++>?)
      | (?P<tag></?[A-Za-z][^<>]*+>)
      | (?P<note>\[\^[^\s\[\]]{1,100}\])
      | (?P<open>!?\[)
      | (?P<close>\](?P<target>
            \((?:<[^<>\n]*+>|(?:[^()\s\\<]|\\.|\([^()\s]*+\))*+)
              (?:\s+(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?\s*+\)
          | \[[^\[\]]*+\])?)
      | (?P<entity>&(?:\#\d{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});)
      | (?P<mark>(?<!\s)\*++|\*++(?!\s)|(?<!\w)_++(?=\S)|(?<=\S)_++(?!\w)|~~)
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Visible(NamedTuple):
    """A piece of a text that a reader sees.

    start, end: where it stands. shown: what is seen in its place; None for the piece as it is.
    """

    start: int
    end: int
    shown: str | None = None


def visible_pieces(text: str) -> Iterator[Visible]:
    """Yield the pieces of a paragraph that a reader sees, in their order.

    text: without the marks of blocks; lines end with line feeds.

    >>> text = "**Draw** a [card](x.md), `code` &amp; so\\\\*"
    >>> "".join(piece.shown or text[piece.start : piece.end] for piece in visible_pieces(text))
    'Draw a card,  & so*'
    """
    done = 0
    for hidden in sorted(_hidden(text)):
        if hidden.start > done:
            yield Visible(done, hidden.start)
        if hidden.shown and hidden.start >= done:
            yield hidden
        done = max(done, hidden.end)
    if done < len(text):
        yield Visible(done, len(text))


def _hidden(text: str) -> Iterator[Visible]:
    """Yield the markup of a paragraph, and what is seen in its place; in no certain order."""
    codes = _code_ends(text)
    last_comment = text.rfind("-->")
    brackets: list[tuple[int, int]] = []  # that are open, as links begin with them
    position = 0
    while found := _TOKEN.search(text, position):
        kind, start, position = found.lastgroup, *found.span()
        kind = "close" if kind == "target" else kind
        if kind == "code":
            position = end = codes.get(start, position)
            if end > found.end():
                yield Visible(start, end)
        elif kind == "comment":
            if start < last_comment:
                position = text.index("-->", start) + 3
                yield Visible(start, position)
        elif kind == "escape":
            yield Visible(start, start + 1)
        elif kind == "break":
            yield Visible(start, position, "\n")
        elif kind == "entity":
            if found[0][1] == "#" or found[0][1:] in html5:
                yield Visible(start, position, resolve_references(found[0]))
        elif kind == "open":
            brackets.append(found.span())
        elif kind == "close":
            opening = brackets.pop() if brackets else None
            if opening and found["target"]:
                yield Visible(*opening)
                yield Visible(start, position)
            elif found["target"]:
                position = start + 1
        else:
            yield Visible(start, position)


def _code_ends(text: str) -> dict[int, int]:
    """Return where each code span ends, by its beginning; runs of backquotes that begin none are
    left out."""
    runs: dict[int, list[int]] = {}
    found = [match.span() for match in re.finditer("`+", text)]
    for start, end in found:
        runs.setdefault(end - start, []).append(start)
    ends = {}
    for start, end in found:
        same = runs[end - start]
        following = bisect_left(same, end)
        if following < len(same):
            ends[start] = same[following] + end - start
    return ends
