"""Parses with BeautifulSoup the pages that lxml can't take: nested too deep, or with two roots."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

DEEPEST = 500  # elements inside each other; what is nested deeper stands side by side
_DECLARATIONS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", ">"))
_DECLARATION = re.compile(r"<!--|<!\[CDATA\[|<!|<\?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in no tree

Element = Any  # lxml's own type is private


def soup_tree(text: str) -> Element:
    """Return the tree of an HTML document as lxml has it, built from BeautifulSoup's. Never
    raises; takes time that grows with the length of the text, whatever is in it.

    >>> root = soup_tree("<p>a" + "<b>" * 9999 + "deep" + "</b>" * 9999 + "<p>z")
    >>> "".join(root.itertext()), [child.tag for child in root]
    ('adeepz', ['p'])
    """
    from bs4 import BeautifulSoup  # slow to load, and hardly ever needed

    return _converted(BeautifulSoup(_without_declarations(text), "html.parser"))


def _without_declarations(text: str) -> str:
    """Return the markup without comments, declarations and processing instructions.

    Python's HTML parser searches to the end of the text for the end of each one that does not
    end, and raises for some; here what has no end stands as text.

    >>> _without_declarations("<!doctype html><p>a<!-- b --><?x?>c<![CDATA[d<e]]><!-- f <!-- g")
    '<p>acd&lt;e&lt;!-- f &lt;!-- g'
    """
    pieces: list[str] = []
    start = 0
    ended = {end: True for _, end in _DECLARATIONS}
    for found in _DECLARATION.finditer(text):
        if found.start() < start:
            continue  # within the one before
        opening, ending = next(pair for pair in _DECLARATIONS if found[0] == pair[0])
        end = text.find(ending, found.end()) if ended[ending] else -1
        pieces.append(text[start : found.start()])
        if end < 0:
            ended[ending] = False
            pieces.append(f"&lt;{opening[1:]}")
            start = found.end()
            continue
        if opening == "<![CDATA[":
            pieces.append(text[found.end() : end].replace("<", "&lt;"))
        start = end + len(ending)
    return "".join([*pieces, text[start:]])


def _converted(soup: Any) -> Element:
    """The same document as an lxml tree, made in one pass without recursion.

    An element at the deepest level stays empty, and what was in it follows it: so nothing is
    lost, and blocks are still set apart.
    """
    from bs4 import Tag
    from bs4.element import NavigableString, Script, Stylesheet, TemplateString

    text_types = {NavigableString, Script, Stylesheet, TemplateString}
    # Only in a document that the HTML parser began does XPath's id() find elements.
    root = etree.fromstring("<html></html>", etree.HTMLParser())
    opened: list[tuple[Any, Element]] = [(soup, root)]
    texts: list[str] = []  # of one place in the tree: joined once, for they may be very many
    place = root
    for node in soup.descendants:
        while node.parent is not opened[-1][0]:
            opened.pop()
        above = opened[-1][1]
        if texts and (above is not place or isinstance(node, Tag)):
            _append(place, "".join(texts))
            texts.clear()
        place = above
        if isinstance(node, Tag):
            element = etree.SubElement(above, _tag(node), _attributes(node))
            opened.append((node, element if len(opened) < DEEPEST else above))
        elif type(node) in text_types:  # no comments, no declarations
            texts.append(_UNFIT.sub("\ufffd", str(node)))
    _append(place, "".join(texts))
    return root


def _tag(node: Any) -> str:
    return node.name.lower() if _NAME.fullmatch(node.name) else "span"


def _attributes(node: Any) -> dict[str, str]:
    """The attributes that a tree can hold; a list of classes as one text."""
    found = {}
    for name, value in node.attrs.items():
        if _ATTRIBUTE.fullmatch(name):
            text = " ".join(value) if isinstance(value, list) else str(value)
            found[name.lower()] = _UNFIT.sub("\ufffd", text)
    return found


def _append(element: Element, text: str) -> None:
    """Add text at the end of an element."""
    last = element[-1] if len(element) else None
    if last is None:
        element.text = (element.text or "") + text
    else:
        last.tail = (last.tail or "") + text
