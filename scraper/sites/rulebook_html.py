"""Parses rulebooks that a publisher prints as a web page: its blocks are lines of text, which are
read as any other rulebook's are (`scraper.sites.rulebook_text`)."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from scraper.markup.html_tokens import BLOCKS, Token, tokens
from scraper.markup.html_walk import Element
from scraper.page import Page, text_size
from scraper.rulebook.numbering import number_at
from scraper.sites import rulebook_text
from scraper.sources.saved_pages import Snapshot

_LEFT_OUT = {
    "nav": "navigation", "footer": "page frame", "form": "form", "button": "form",
    "select": "form", "textarea": "form", "head": "document head", "script": "script",
    "noscript": "script", "template": "script", "style": "style sheet", "svg": "picture",
    "rt": "reading (kept with its word)", "rp": "ruby parenthesis",
}  # fmt: skip
_CELLS = frozenset(("td", "th"))
_COLUMN = "   "  # between the cells of a row: as many as `rulebook_text` takes for a column's gap
_FRAME = "page frame"  # what stands outside the element of the contents, where there is one
_CONTENT = re.compile(r"<(main|article)[\s>]", re.IGNORECASE)
_NUMBER_ALONE = re.compile(r"\d{1,4}(?:[.-]\d{1,3})*[a-z]?")  # of a rule, as books have them
_WITHIN_PAGE = re.compile(r"\bhref\s*=\s*[\"']?#", re.IGNORECASE)
_WHITE_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")  # of HTML, which U+3000 is none of


class _Text(NamedTuple):
    """The text of a web page, a line a block, and how much is left out for which reasons."""

    text: str
    left_out: Counter[str]


def recognises(text: str, url: str) -> bool:
    """Whether an HTML document that is no known site's has the text of a numbered rulebook.

    >>> rules = "".join(f"<p>100.{n}. A <b>rule</b>.</p>" for n in range(1, 9))
    >>> recognises(f"<html><body><nav>1.1 Home</nav>{rules}</body></html>", "")
    True
    """
    return rulebook_text.recognises(_text_of(text).text, url)


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the rulebook as one page, in a list. What is beside the text is left out with its
    reason: navigation, forms, scripts.

    text: the decoded document; its tree, `root`, is not needed.
    """
    found = _text_of(text)
    return [
        page.with_(
            form="rulebook HTML",
            chars=page.chars + found.left_out.total(),
            left_out=dict(Counter(page.left_out) + found.left_out),
        )
        for page in rulebook_text.read(snapshot, found.text)
    ]


def _text_of(document: str) -> _Text:
    """Return the text of an HTML document, with a line for each block, a blank one between two, and
    three spaces between cells. Never raises; markup that is never closed is left out."""
    reader = _LineReader(document)
    for token in tokens(document):
        if token.kind == "unclosed":
            reader.left_out["tag or comment that is never closed"] += text_size(token.text)
        elif token.kind == "text":
            reader.take_text(token.text)
        else:
            reader.take_tag(token)
    return reader.text()


class _LineReader:
    """Collects the lines of a web page.

    left_out: how many characters are left out so far, by reasons.
    """

    def __init__(self, document: str) -> None:
        self.left_out = Counter[str]()
        content = _CONTENT.search(document)
        # The element of the contents; none if the title stands before it.
        has_title = content is not None and "<h1" not in document[: content.start()].lower()
        self._content = content[1].lower() if content and has_title else ""
        self._depth = 0  # of elements of that name in each other
        self._outside: list[str] = []  # open elements that are left out, the innermost last
        self._in_link = False  # to a place in the page
        self._lines = [""]
        self._linked = [0]  # characters of each line in such links

    def take_text(self, text: str) -> None:
        """Add a piece of text to the line, or count it as left out."""
        reason = _LEFT_OUT[self._outside[-1]] if self._outside else ""
        if not reason and self._content and not self._depth:
            reason = _FRAME
        if reason:
            self.left_out[reason] += text_size(text)
            return
        if text[:1].isalpha() and _NUMBER_ALONE.fullmatch(self._lines[-1].strip()):
            self._lines[-1] += " "  # <b>1.2</b>Title: the style sheet sets them apart
        self._lines[-1] += _WHITE_SPACE.sub(" ", text)
        self._linked[-1] += text_size(text) if self._in_link else 0

    def take_tag(self, token: Token) -> None:
        """Take the start or end of an element into account: an element of a block begins a line, a
        cell a column, one of `_LEFT_OUT` leaves out what is in it."""
        name, is_start = token.text, token.kind == "start"
        if name == self._content:
            self._depth = max(0, self._depth + (1 if is_start else -1))
        if name == "a":
            self._in_link = is_start and _WITHIN_PAGE.search(token.attributes) is not None
        elif name in _LEFT_OUT and is_start and not token.empty:
            self._outside.append(name)
        elif name in _LEFT_OUT and name in self._outside:
            del self._outside[self._outside.index(name) :]
        elif name in _CELLS:
            self._lines[-1] += _COLUMN if is_start else ""
        elif name in BLOCKS:
            self._lines.append("")
            self._linked.append(0)

    def text(self) -> _Text:
        """Return the text, its lines stripped and a blank one between two. Lines that are nothing
        but a link within the page, and have no digit or number, are left out as navigation."""
        kept = []
        for line, linked in zip(map(str.strip, self._lines), self._linked, strict=True):
            is_link = linked == text_size(line)
            if line and is_link and not any(map(str.isdigit, line)) and not number_at(f"{line} ."):
                self.left_out["navigation"] += linked
            elif line:
                kept.append(line)
        return _Text("\n\n".join(kept), +self.left_out)  # a line is a paragraph, and never broken
