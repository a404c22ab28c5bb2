"""Writes XML elements that may be printed: characters that a terminal obeys are escaped."""

from __future__ import annotations

import re

from lxml import etree

from kb.json_text import TERMINAL_CONTROLS

_ESCAPED = re.compile(f"\t|{TERMINAL_CONTROLS.pattern}")


def element_bytes(element: etree._Element) -> bytes:
    """Return an element as XML in UTF-8, which every reader takes for the same element.

    >>> element = etree.Element("term")
    >>> element.text = "a\\x9bb"
    >>> element_bytes(element)
    b'<term>a&#155;b</term>'
    """
    return _ESCAPED.sub(_reference, etree.tostring(element, encoding="unicode")).encode()


def _reference(found: re.Match[str]) -> str:
    """Return a character as XML refers to it, which is possible wherever there is a text."""
    return f"&#{ord(found[0])};"
