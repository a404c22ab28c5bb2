"""Parses HTML that is nested deeper than lxml reads into a tree of bounded depth."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from lxml import etree

from scraper.markup.html_tokens import Token, attributes_of, tokens

# Open elements; what is nested deeper is put side by side. A guard of what reads the tree: captured
# pages go to 18.
DEEPEST = 500
UNCLOSED = "UNCLOSED"  # the tag of markup that is never closed; no HTML gives one in capitals
# Names that lxml takes, of a length that names of HTML do not have: others are a `span`, or lost.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
# Characters that lxml refuses when a tree is built; the first ones are white space.
_UNFIT_SPACE = re.compile("[\x0b\x0c\x1c-\x1f]")
_UNFIT = re.compile("[\x00-\x08\x0e-\x1b\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset(
    "area base basefont br col embed frame hr img input keygen link meta param source track "
    "wbr".split()
)
# The elements that a start tag closes if they are the innermost ones.
_CLOSES = {
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
    return _UNFIT_SPACE.sub(" ", _UNFIT.sub("\ufffd", text))


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
        closes = _CLOSES.get(token.text, ())
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
