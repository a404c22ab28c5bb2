"""Limits on the size of a page, so that the memory for it is bounded, whatever it holds.

What is beyond a limit stays in the page as plain text, and a warning names the limit. The largest
honest pages known have at most half of each: 57,000 marks of HTML, 112,000 of wiki text, 33,000
rows of a list, 20,000 passages of other pages, a passage of 3,800 characters. One page of
comments has a paragraph of 190,000 characters, which becomes several passages.

HTML that is nested deeper than lxml reads is parsed into a tree of bounded depth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from lxml import etree

from scraper.markup.html_tokens import Token, attributes_of, tokens
from scraper.page import Link, Page, Passage, ReadWarning, Ruby, text_size

# Open elements; what is nested deeper is put side by side. A guard of what reads the tree: captured
# pages go to 18.
DEEPEST = 500
UNCLOSED = "UNCLOSED"  # the tag of markup that is never closed; no HTML gives one in capitals
# Names that lxml takes, of a length that names of HTML do not have: others are a `span`, or lost.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
# What XML can't hold, by its standard, so that lxml refuses it when a tree is built.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset(
    "area base basefont br col embed frame hr img input keygen link meta param source track "
    "wbr".split()
)
# The elements that a start tag closes if they are the innermost ones.
CLOSES = {
    "p": {"p"}, "li": {"li"}, "option": {"option"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"},
    "td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"},
}  # fmt: skip

Element = Any  # lxml's type is private


def deep_tree(text: str) -> Element:
    """Parse an HTML document of any depth; return the root of an lxml tree.

    The root is an `html` element that everything in the document is in, also its own `html`.
    Comments and declarations are not in the tree; elements nested deeper than `DEEPEST` are side
    by side. Never raises. The time is linear in the length of the text, whatever is in it.

    >>> root = deep_tree("<p>a" + "<b>" * 9999 + "deep" + "</b>" * 9999 + "<p>z")
    >>> "".join(root.itertext()), [child.tag for child in root]
    ('adeepz', ['p', 'p'])
    """
    # XPath's id() finds elements only in a document that the HTML parser has created.
    tree = _TreeBuilder(etree.fromstring("<html></html>", etree.HTMLParser()))
    for token in tokens(text):
        if token.kind == "text":
            tree.texts.append(token.text)
        elif token.kind == "start":
            tree.start(token)
        elif token.kind == "end":
            tree.end(token.text)
        else:
            tree.unclosed(token.text)
    tree.add_text()
    return tree.root


def fit_text(text: str) -> str:
    """Return a text with characters that an lxml tree can't hold as U+FFFD, or as spaces if they
    are white space, one for one.

    >>> fit_text("a\\x01\\x0b\\ud800")
    'a� �'
    """
    return _UNFIT.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)


class _TreeBuilder:
    """Builds a tree from tokens, without recursion.

    opened: the names of the open elements, each with the element that what is in it goes into. An
        element at the deepest level stays empty, and what was in it follows it. So no text is
        lost, and blocks are still separate.
    count: how many open elements have a name.
    texts: text that is not yet in the tree; it is joined once, as its pieces may be many.
    """

    def __init__(self, root: Element) -> None:
        self.root = root
        self.opened: list[tuple[str, Element]] = [("", root)]
        self.count: Counter[str] = Counter()
        self.texts: list[str] = []

    def start(self, token: Token) -> None:
        """Add an element, and open it unless it is empty or has no contents in HTML (`br`).

        Elements that its tag closes (a `p` an open `p`) are closed before, if innermost. A name
        that lxml may not take becomes `span`; such attributes are left out.
        """
        closes = CLOSES.get(token.text, ())
        while self.opened[-1][0] in closes:
            self._close()
        self.add_text()
        parent = self.opened[-1][1]
        tag = token.text if _NAME.fullmatch(token.text) else "span"
        attributes = {
            name: fit_text(value)
            for name, value in attributes_of(token)
            if _ATTRIBUTE.fullmatch(name)
        }
        element = etree.SubElement(parent, tag, attributes)
        if token.empty or token.text in _VOID:
            return
        self.count[token.text] += 1
        self.opened.append((token.text, element if len(self.opened) < DEEPEST else parent))

    def end(self, name: str) -> None:
        """Close the innermost element of a name, with those in it; nothing if none is open.

        The tags that end the document close nothing, as in browsers: it may go on behind them.
        """
        if not self.count[name] or name in ("body", "html"):
            return
        while self.opened[-1][0] != name:
            self._close()
        self._close()

    def unclosed(self, markup: str) -> None:
        """Add markup that is never closed, as the text of an element `UNCLOSED`."""
        self.add_text()
        etree.SubElement(self.opened[-1][1], UNCLOSED).text = fit_text(markup)

    def add_text(self) -> None:
        """Put the collected text at the end of the innermost open element."""
        if not self.texts:
            return
        text = fit_text("".join(self.texts))
        self.texts.clear()
        element = self.opened[-1][1]
        last = next(element.iterchildren(reversed=True), None)  # len() would count all children
        if last is None:
            element.text = (element.text or "") + text
        else:
            last.tail = (last.tail or "") + text

    def _close(self) -> None:
        """Close the innermost element. The collected text stays where it is at the deepest level:
        there it goes on."""
        if self.opened[-1][1] is not self.opened[-2][1]:
            self.add_text()
        self.count[self.opened.pop()[0]] -= 1


MOST_MARKS = 240_000  # tags, lines and other marks of one document in HTML
MOST_TEXT_MARKS = 400_000  # the same of plain text, wikitext and PukiWiki's source
MOST_PASSAGES = 40_000  # of one page; what follows is put together in larger passages
MOST_ROWS = 135_000  # the same of a list of names
LONGEST_PASSAGE = 50_000  # characters; a longer one becomes several
# By hand: a line or two are shown of a title, and as many make a sentence.
LONGEST_TITLE = 300  # characters of a section's title; its heading has all of it
LONGEST_NAME = 500  # characters of a page's name: MediaWiki's have 255 bytes at most
LONGEST_TARGET = 8_000  # characters of an address, as of those that are fetched
# By hand: few enough passages for a text of megabytes, each short enough to be shown.
JOINED = 10_000  # characters of a passage of text that is not parsed
# What makes an HTML parser and the walk over its tree take memory, apart from the text itself.
HTML_MARKS = ("<", "\n", "\t", "\r", "\f", "  ")
# The same of plain text, and of wikitext and PukiWiki's source.
LINES = ("\n", "\r", "\f", "\v", "\t", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "  ")
TEXT_MARKS = ("\n", "\r", "\f", "\v", "\t", "[", "{", "(", "<", "|", "'", "&", ",", "://", "  ")
_BREAK = re.compile(r"[。\n、 　]")


def parsed_beginning(text: str, marks: Sequence[str], most: int) -> tuple[str, str]:
    """Return the part of a text that is parsed, and the rest, which is kept as it is written.

    The rest begins with the first mark that is too much; it is empty for nearly every text.

    marks: what counts as a mark; most: how many are parsed.

    >>> parsed_beginning("<p>a<p>b<p>", HTML_MARKS, 2)
    ('<p>a<p>b', '<p>')
    """
    if len(text) <= most or sum(map(text.count, marks)) <= most:
        return text, ""
    found = re.finditer("|".join(map(re.escape, marks)), text)
    first_beyond = next(islice(found, most, None), None)
    if first_beyond is None:
        return text, ""
    return text[: first_beyond.start()], text[first_beyond.start() :]


def with_rest(page: Page, rest: str, most: int) -> Page:
    """Return a page with the rest of its text, which was not parsed, as passages at its end, in its
    last section; the page itself if there is no rest.

    A page without name and passages only counts it as left out. A warning says what
    the limit is.

    rest: as `parsed_beginning` returns it, with its markup; it may be empty.
    most: how many marks are parsed.
    """
    if not rest:
        return page
    size, last = text_size(rest), len(page.sections) - 1
    what = f"more than {most:,} tags, lines and other marks; behind these it is "
    fields: dict[str, object] = {"chars": page.chars + size}
    if page.name or page.passages:
        what += "kept as it is written, its markup unread"
        pieces = (rest[start:end] for start, end in pieces_of(rest, JOINED))
        passages = [Passage("paragraph", piece, last) for piece in pieces if not piece.isspace()]
        fields["passages"] = (*page.passages, *passages)
    else:
        what += "left out"
        reason = next(iter(page.left_out), "behind the most that is read")
        fields["left_out"] = {**page.left_out, reason: page.left_out.get(reason, 0) + size}
    return page.with_(**fields, warnings=(*page.warnings, ReadWarning("markup", what)))


def pieces_of(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the pieces that a text is cut into, in order; they cover all of it. An
    empty text is one piece.

    A piece ends behind a full stop, comma, space or line break in its second half, or else where
    it has the most characters.

    longest: the most characters of a piece.

    >>> list(pieces_of("ab cdefgh", 4))
    [(0, 3), (3, 7), (7, 9)]
    """
    start = 0
    while len(text) - start > longest:
        limit = start + longest
        breaks = [m.end() for m in _BREAK.finditer(text, start + longest // 2, limit)]
        end = breaks[-1] if breaks else limit
        yield start, end
        start = end
    yield start, len(text)


def in_pieces(passage: Passage) -> Iterator[Passage]:
    """Yield the pieces of a passage, each at most `LONGEST_PASSAGE` long.

    Only the first has the number of its rule or item and is a heading, if the passage is one. A
    link, reading or emphasis over two pieces is in both. Blank pieces are left out.
    """
    later_kind = "paragraph" if passage.kind in {"title", "heading", "entry"} else passage.kind
    for start, end in pieces_of(passage.text, LONGEST_PASSAGE):
        text = passage.text[start:end]
        if text.isspace():
            continue
        piece = replace(
            passage,
            text=text,
            links=tuple(k.at(*span) for k in passage.links if (span := _cut(k, start, end))),
            ruby=tuple(
                Ruby(*span, r.reading) for r in passage.ruby if (span := _cut(r, start, end))
            ),
            strong=tuple(
                (max(0, s - start), min(e, end) - start)
                for s, e in passage.strong
                if s < end and e > start
            ),
        )
        if start:
            piece = replace(piece, kind=later_kind, ordinal=None, rule=None, row_heads=0)
        yield piece


def _cut(span: Link | Ruby, start: int, end: int) -> tuple[int, int] | None:
    """Return the part of a span that is in text[start:end], counted from `start`; None if none."""
    if span.start >= end or span.end <= start:
        return None
    return max(0, span.start - start), min(span.end, end) - start
