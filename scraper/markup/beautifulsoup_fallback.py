"""Parses with BeautifulSoup the HTML that lxml would cut: nested too deep, or with two roots."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

DEEPEST = 500  # open elements; what is nested deeper is put side by side
# Declarations, comments and the like: how they begin and end.
_DECLARATIONS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", ">"))
_DECLARATION_START = re.compile(r"<!--|<!\[CDATA\[|<!|<\?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
# Characters that an lxml tree can't hold.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Element = Any  # lxml's type is private


def soup_tree(text: str) -> Element:
    """Parse an HTML document with BeautifulSoup; return the root of an lxml tree of it.

    The root is an `html` element that everything in the document is in, also its own `html`.
    Comments and declarations are not in the tree; elements nested deeper than `DEEPEST` are side
    by side. Never raises. The time is linear in the length of the text, whatever is in it.

    >>> root = soup_tree("<p>a" + "<b>" * 9999 + "deep" + "</b>" * 9999 + "<p>z")
    >>> "".join(root.itertext()), [child.tag for child in root]
    ('adeepz', ['p'])
    """
    from bs4 import BeautifulSoup  # slow to import, and rarely needed

    return _lxml_tree(BeautifulSoup(_without_declarations(text), "html.parser"))


def _without_declarations(text: str) -> str:
    """Return an HTML document without comments, declarations and processing instructions.

    The beginning of one that is never closed becomes text: Python's HTML parser would search the
    rest of the document for the end of each, and raise for some.

    >>> _without_declarations("<!doctype html><p>a<!-- b --><?x?>c<![CDATA[d<e]]><!-- f <!-- g")
    '<p>acd&lt;e&lt;!-- f &lt;!-- g'
    """
    pieces: list[str] = []
    done = 0
    occurs = {ending: True for _, ending in _DECLARATIONS}  # whether an ending may still be found
    for match in _DECLARATION_START.finditer(text):
        if match.start() < done:
            continue  # inside the one before
        opening, ending = next(pair for pair in _DECLARATIONS if match[0] == pair[0])
        end = text.find(ending, match.end()) if occurs[ending] else -1
        pieces.append(text[done : match.start()])
        if end < 0:
            occurs[ending] = False
            pieces.append(f"&lt;{opening[1:]}")
            done = match.end()
            continue
        if opening == "<![CDATA[":
            pieces.append(text[match.end() : end].replace("<", "&lt;"))
        done = end + len(ending)
    return "".join([*pieces, text[done:]])


def _lxml_tree(soup: Any) -> Element:
    """Return a BeautifulSoup document as an lxml tree, built in one pass without recursion.

    An element at the deepest level stays empty, and what was in it follows it. So no text is
    lost, and blocks are still separate.

    soup: the whole document (a `BeautifulSoup`).
    """
    from bs4 import Tag
    from bs4.element import NavigableString, Script, Stylesheet, TemplateString

    text_types = {NavigableString, Script, Stylesheet, TemplateString}
    # XPath's id() finds elements only in a document that the HTML parser has created.
    root = etree.fromstring("<html></html>", etree.HTMLParser())
    # The open nodes, each with the element that what is in it goes into.
    open_nodes: list[tuple[Any, Element]] = [(soup, root)]
    texts: list[str] = []  # pieces of text to append to `current`, joined once as they may be many
    current = root
    for node in soup.descendants:
        while node.parent is not open_nodes[-1][0]:
            open_nodes.pop()
        parent = open_nodes[-1][1]
        if texts and (parent is not current or isinstance(node, Tag)):
            _append_text(current, "".join(texts))
            texts.clear()
        current = parent
        if isinstance(node, Tag):
            element = etree.SubElement(parent, _tag_name(node), _attributes(node))
            open_nodes.append((node, element if len(open_nodes) < DEEPEST else parent))
        elif type(node) in text_types:  # not a comment or a declaration
            texts.append(_UNFIT.sub("\ufffd", str(node)))
    _append_text(current, "".join(texts))
    return root


def _tag_name(node: Any) -> str:
    """Return the tag of a BeautifulSoup node; `span` if an lxml tree can't have such a tag."""
    return node.name.lower() if _NAME.fullmatch(node.name) else "span"


def _attributes(node: Any) -> dict[str, str]:
    """Return the attributes of a BeautifulSoup node that an lxml tree can have, by lower-case name.

    A list of classes becomes a single text.
    """
    attributes = {}
    for name, value in node.attrs.items():
        if _ATTRIBUTE.fullmatch(name):
            text = " ".join(value) if isinstance(value, list) else str(value)
            attributes[name.lower()] = _UNFIT.sub("\ufffd", text)
    return attributes


def _append_text(element: Element, text: str) -> None:
    """Add text at the end of an element: to its own text, or to the tail of its last child."""
    last = element[-1] if len(element) else None
    if last is None:
        element.text = (element.text or "") + text
    else:
        last.tail = (last.tail or "") + text
