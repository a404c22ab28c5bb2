"""Parses rulebooks that a publisher prints as a web page: its blocks are lines of text, which are
read as any other rulebook's are (`scraper.sites.rulebook_text`)."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from scraper.markup.html_tokens import BLOCKS, tokens
from scraper.markup.html_walk import Element
from scraper.page import Page, text_size
from scraper.sites import rulebook_text
from scraper.sources.snapshot import Snapshot

_LEFT_OUT = {
    "nav": "navigation", "footer": "page frame", "form": "form", "button": "form",
    "select": "form", "textarea": "form", "head": "document head", "script": "script",
    "noscript": "script", "template": "script", "style": "style sheet", "svg": "picture",
    "rt": "reading (kept with its word)", "rp": "ruby parenthesis",
}  # fmt: skip
_CELLS = frozenset(("td", "th"))
_COLUMN = "   "  # between the cells of a row, as in the columns of a text
_FRAME = "page frame"  # what stands outside the element of the contents, where there is one
_CONTENT = re.compile(r"<(main|article)[\s>]", re.IGNORECASE)
_WHITE_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")


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
    """Return the text of an HTML document, with a line for each block and its columns apart."""
    content = _CONTENT.search(document)
    frame = content[1].lower() if content else ""
    lines: list[str] = [""]
    left_out = Counter[str]()
    open_elements: list[str] = []  # those that decide whether text is left out, innermost last
    inside = 0  # how deep in elements of the contents
    for token in tokens(document):
        name = token.text
        if token.kind == "unclosed":
            left_out["tag or comment that is never closed"] += text_size(name)
        elif token.kind == "text":
            reason = _LEFT_OUT[open_elements[-1]] if open_elements else ""
            reason = reason or ("" if inside or not frame else _FRAME)
            if reason:
                left_out[reason] += text_size(name)
            else:
                lines[-1] += _WHITE_SPACE.sub(" ", name)
        elif name == frame:
            inside = max(0, inside + (1 if token.kind == "start" else -1))
            lines.append("")
        elif name in _LEFT_OUT and not token.empty:
            if token.kind == "start":
                open_elements.append(name)
            elif name in open_elements:
                del open_elements[open_elements.index(name) :]
        elif name in _CELLS:
            lines[-1] += _COLUMN if token.kind == "start" else ""
        elif name in BLOCKS:
            lines.append("")
    left_out += Counter()  # without reasons that nothing was left out for
    return _Text("\n".join(line.strip() for line in lines if line.strip()), left_out)
